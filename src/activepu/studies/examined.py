"""Everything that is stored of a study, compared with its events.

First come the settings, then the hash chain, the shape of each event and what it says after those before it. If these
are whole, they say what the other tables must hold.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain as chained
from itertools import pairwise
from typing import Any, NamedTuple

from activepu.checks import folded
from activepu.studies import fingerprints, shapes
from activepu.studies.log import Asked, Log
from activepu.studies.storage import chain
from activepu.studies.storage.inventory import Inventory, LeaseRow, QuestionRow
from activepu.zcal import ZCal

ENDINGS = ("unseen", "ended", "skipped", "undone")
"""How a lease can be over."""
LONGEST_TURN = 86400.0
"""No process chooses for so many seconds without a sign of life, whatever happens to clocks."""


class Damage(NamedTuple):
    """One damaged row: a sentence without its full stop, and whether the events say what must be there."""

    said: str
    repairable: bool


@dataclass
class Examined:
    """What was found. If the settings and the events are whole, the log is complete."""

    damage: list[Damage] = field(default_factory=list)
    log: Log = field(default_factory=Log)
    settings: dict[str, Any] = field(default_factory=dict)
    origin: str = ""
    head: chain.Head = field(default_factory=lambda: chain.Head(0, ""))


def examine(found: Inventory) -> Examined:
    """Compare all rows of a study."""
    made = Examined()
    made.damage += _settings(found, made)
    if made.settings:
        made.damage += _events(found, made)
    if all(damage.repairable for damage in made.damage):
        made.damage += (Damage(said, True) for said in _others(found, made))
    return made


def _settings(found: Inventory, made: Examined) -> Iterator[Damage]:
    """Compare what the study was made with and the first hash."""
    name, settings, origin = found.study.name, found.study.settings, found.study.origin
    made.origin = chain.origin(str(name), str(settings))
    if made.origin != origin and not _begins(made.origin, found):
        yield Damage(f"The name or the settings of the study {name!r:.80} are not those that it was made with", False)
        return
    made.settings = json.loads(settings)
    if made.origin != origin:
        yield Damage("The hash of the study's settings is another", True)


def _begins(origin: str, found: Inventory) -> bool:
    """Return whether the chain begins with this hash."""
    first = next(iter(found.events), None)
    if first is None:
        return found.study.head == chain.Head(0, origin)
    return chain.link(origin, first[:-1]) == first.hash


def _events(found: Inventory, made: Examined) -> Iterator[Damage]:
    """Compare the events: their numbers, hashes and shapes, and what each says after those before it."""
    whole, before, number = True, made.origin, 0
    rows, bets = made.settings["pool"]["rows"], made.settings["learner"]["learner"] == ZCal.__name__
    for event, later in pairwise(chained(found.events, [None])):
        assert event is not None
        expected = chain.link(before, event[:-1])
        said = shapes.wrong(event, rows, bets)
        if event.number != number + 1:
            yield Damage(chain.gap(number, event.number).partition(";")[0], False)
        elif said is not None:
            yield Damage(f"{event} {said}", False)
        elif expected is None or expected != event.hash:
            yield Damage(f"{event} is not what it was, or its hash is not", False)
        elif not whole or (said := made.log.take(event)) is None:
            before, number = event.hash, event.number
            continue
        else:
            yield Damage(f"{event} {said}", False)
        whole, number = False, event.number if isinstance(event.number, int) else number + 1
        follows = later is not None and chain.link(expected or "", later[:-1])
        only_hash = later is not None and follows and follows == later.hash
        before = expected or "" if only_hash else str(event.hash)
    made.head = chain.Head(number, before)
    if whole and found.study.head != made.head:
        last, hash = found.study.head
        missing = hash != made.head.hash and (not isinstance(last, int) or last > number)
        said = chain.ends(number, found.study.head).partition(";")[0] if missing else "The hash of the study is another"
        yield Damage(said, not missing)


def _others(found: Inventory, made: Examined) -> Iterator[str]:
    """Compare the tables that follow from the events."""
    deadline = found.study.chooser_until
    if not is_number(deadline) or deadline > found.now + LONGEST_TURN:
        yield f"The end {deadline!r:.80} of the turn of the process that chooses is none"
    if found.study.folded not in (None, folded(found.study.name)):
        yield f"The name under which the study is found, {found.study.folded!r:.80}, is not its name"
    yield from _names(found, made)
    yield from _questions(found, made)
    yield from _leases(found, made)


def _questions(found: Inventory, made: Examined) -> Iterator[str]:
    asked, firm = made.log.asked, keeps_owners(made.settings)
    missing, wrong, stray = bytearray(b"\1") * len(asked), {}, []
    for row in found.questions:
        if row.sequence not in range(len(asked)):
            stray.append(f"Question {row.sequence!r:.80} was never asked")
            continue
        missing[int(row.sequence)] = False
        if said := wrong_question(row, asked[int(row.sequence)], firm):
            wrong[int(row.sequence)] = said
        elif (row.state == "open") != (row.sequence in found.open):
            wrong[int(row.sequence)] = f"is {row.state}, but not in the list of open questions"
    wrong |= {k: "is missing in the table of questions" for k, gone in enumerate(missing) if gone}
    yield from (f"Question {sequence} {wrong[sequence]}" for sequence in sorted(wrong))
    yield from stray


def _names(found: Inventory, made: Examined) -> Iterator[str]:
    spelled = dict(found.spellings)
    for plain, name in found.spellings:
        if not isinstance(name, str) or folded(name) != plain:
            yield f"The spelling {name!r:.80} is not that of {plain!r:.80}"
    for name in made.log.experts:
        if folded(name) not in spelled:
            yield f"The spelling of {name!r:.80} is missing"
    for name, wants, until in found.experts:
        if not isinstance(name, str) or spelled.get(folded(name)) != name:
            yield f"The expert {name!r:.80} is not one who has joined"
        elif not shapes.is_count(wants) or not is_number(until):
            yield f"The expert {name!r:.80} waits for {wants!r:.80} questions until {until!r:.80}"
    there = {folded(name) for name, *_ in found.experts if isinstance(name, str)}
    for name in sorted(made.log.there):
        if folded(name) not in there:
            yield f"The expert {name!r} is missing in the table of experts"


def keeps_owners(settings: dict[str, Any]) -> bool:
    """Return whether a question never goes from an expert who was shown it to another, as far as is known."""
    learner = fingerprints.KNOWN.get(settings["learner"]["learner"])
    return learner is not None and learner.allows_timeouts


def wrong_question(row: QuestionRow, asked: Asked, firm: bool) -> str | None:
    """Return how a row differs from the events, as the end of a sentence; None if it does not."""
    for name in ("item", "state", "answer"):
        there, said = getattr(row, name), getattr(asked, name)
        if there != said or type(there) is not type(said):
            return f"has the {name} {there!r:.80}, but {said!r} by the events"
    if not is_number(row.expires) or row.shown not in (0, 1) or not isinstance(row.expert, str):
        return f"has a lease of {row.expert!r:.80} until {row.expires!r:.80}, shown {row.shown!r:.80}"
    if asked.state == "withdrawn":
        return None
    if (row.expert != "" or row.token is not None) and not is_token(row.token, row.sequence):
        return f"has the token {row.token!r:.80}"
    if asked.state != "open":
        who, shown = asked.expert, 1
    elif row.shown:
        who, shown = asked.owner, int(asked.owner != "")
    else:
        who, shown = row.expert, int(asked.sure and firm and asked.owner != "")
    if row.expert != who or row.shown != shown or (row.expert == "") != (row.token is None):
        there = f"{row.expert!r:.80}, {'shown' if row.shown else 'not shown'}"
        return f"is with {there}, but was shown to {asked.expert or asked.owner!r} by the events"
    return None


def _leases(found: Inventory, made: Examined) -> Iterator[str]:
    states: dict[str, Counter[tuple[int, str]]] = {state: Counter() for state in ENDINGS}
    known = {plain for plain, _ in found.spellings}
    for row in found.leases:
        if said := wrong_lease(row, len(made.log.asked), known):
            yield f"A lease of question {row.sequence!r:.80} {said}"
        else:
            states[row.state][row.sequence, row.expert] += 1
    skipped, log = states["skipped"], made.log
    for sequence, expert in sorted(set(skipped) | set(+log.skips)):
        n, said_n = skipped[sequence, expert], log.skips[sequence, expert]
        if n != said_n:
            yield f"Question {sequence} has {n} skips by {expert!r}, but {said_n} by the events"
    for sequence, expert in sorted(log.ended - set(states["ended"])):
        yield f"Question {sequence} went from {expert!r} to another expert by the events, but no lease says so"


def wrong_lease(row: LeaseRow, asked: int, known: set[Any]) -> str | None:
    """Return what is wrong with the row of a lease that is over, as the end of a sentence; None if nothing is."""
    if not shapes.is_count(row.sequence) or row.sequence >= asked:
        return "was never asked"
    if row.state not in ENDINGS:
        return f"ended in the unknown way {row.state!r:.80}"
    if not is_token(row.token, row.sequence):
        return f"has the token {row.token!r:.80}"
    if not isinstance(row.expert, str) or folded(row.expert) not in known:
        return f"is of {row.expert!r:.80}, who has not joined"
    return None


def is_token(token: Any, sequence: int) -> bool:
    """Return whether this can be a token of a question."""
    return isinstance(token, str) and token.isascii() and token.startswith(f"{sequence}-")


def is_number(value: Any) -> bool:
    """Return whether this is a number of seconds; it may be infinite."""
    return type(value) in (int, float) and not math.isnan(value)
