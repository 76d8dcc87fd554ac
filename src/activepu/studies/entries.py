"""Answers and skips as files hold them, one entry each."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from activepu import checks
from activepu.checks import folded
from activepu.errors import InvalidInput
from activepu.experts import TIMEOUT
from activepu.pools import Pool
from activepu.records import Answer
from activepu.studies.storage import events
from activepu.studies.study import Study

YES, STAR, SKIPPED = "yes", "can't tell", "skip"
MISSED, LATE = "not in time", "yes, too late"
WORDS = (
    dict.fromkeys(("yes", "1", "true", "revealed"), YES)
    | dict.fromkeys(("can't tell", "can’t tell", "cannot tell", "silent", "0", "false"), STAR)
    | dict.fromkeys(("skip", "skipped", "-1"), SKIPPED)
    | {MISSED: MISSED, LATE: LATE}
)
"""What a file may say for each answer. "no" is not among them: an expert says *yes* or *can't tell*."""


@dataclass(frozen=True)
class Entry:
    """One answer or skip of one expert, as files hold it.

    Attributes
    ----------
    item : int
        The row number of the item in the pool.
    id : object
        Your own key of the item; the row number where the pool has no keys.
    expert : str
        Who answered or skipped.
    answer : str
        ``"yes"``, ``"can't tell"`` or ``"skip"``; of a question that its expert did not answer before the deadline
        ``"not in time"``, or ``"yes, too late"``.
    number : int or None
        The place of the question in the order of asking, from 0.
    phase : str or None
        What the learner was doing when it asked.
    prediction : float or None
        The probability of *yes* that the learner fixed when it asked.
    """

    item: int
    id: Any
    expert: str
    answer: str
    number: int | None = None
    phase: str | None = None
    prediction: float | None = None


def entries(study: Study) -> list[Entry]:
    """Return the answers and skips of a study, without those that were taken back, and what was not answered in time.

    Parameters
    ----------
    study : Study
        The study.

    Returns
    -------
    list of Entry
        In the order of asking.
    """
    run, ids = study.run(), study.pool.ids
    with study.storage.read(study.key) as reading:
        moves = events.moves(reading)
    moves = [move for move in moves if move.sequence < len(run.questions)]  # others may have gone on in the meantime
    last = {move.sequence: k for k, move in enumerate(moves) if move.kind in ("answer", "timeout")}
    back = {(move.sequence, move.expert): k for k, move in enumerate(moves) if move.kind == "unskip"}
    found = []
    for k, move in enumerate(moves):
        question = run.questions[move.sequence]
        if move.kind == "skip" and k > back.get((move.sequence, move.expert), -1):  # it was not taken back
            said = SKIPPED
        elif last.get(move.sequence) == k and question.answer in _SAID:
            said = LATE if question.late else _SAID[question.answer]
        else:
            continue
        note, key = question.note, key_of(ids[move.item])
        found.append(Entry(move.item, key, move.expert, said, move.sequence, note.phase, note.prediction))
    return found


_SAID: dict[Answer | None, str] = {True: YES, False: STAR, TIMEOUT: MISSED}


def in_order(found: list[Entry], seed: int) -> list[Entry]:
    """Return the entries in the order of asking where it is known, else in a random order.

    A spreadsheet may have sorted a file by its answers, and an order that depends on the answers would make the
    certificate false. Skips come before answers about the same item.
    """

    def lot(*about: object) -> bytes:
        return hashlib.sha256(repr((seed, *about)).encode()).digest()

    def place(entry: Entry) -> tuple[bool, int, bytes, bool, bytes]:
        known = entry.number is not None
        of_item, of_expert = (b"", b"") if known else (lot(entry.item), lot(entry.item, entry.expert))
        return not known, entry.number or 0, of_item, entry.answer != SKIPPED, of_expert

    return sorted(found, key=place)


class Reader:
    """Makes entries of what a file says; `line` counts from 1, for the messages."""

    def __init__(self, pool: Pool, expert: str, names: Mapping[str, str]) -> None:
        self._pool = pool
        self._expert = checks.name("expert", expert)
        self._names = {folded(there): checks.name("An expert's name in names", here) for there, here in names.items()}
        self._items: dict[str, int] | None = None

    def entry(self, line: int, key: Any, said: Any, who: Any, item: Any = None, number: Any = None) -> Entry:
        """Return an entry about the row with this key or, if there is no key, with this row number."""
        named = self._pool.has_ids and not missing(key)
        row = self._keyed(line, key) if named else self._numbered(line, item if missing(key) else key)
        word = self._word(line, key if missing(item) else item, said)
        return Entry(row, key, self._who(line, who), word, None if missing(number) else self._place(line, number))

    def _place(self, line: int, number: Any) -> int:
        found = _digits(number)
        if found is None:
            raise InvalidInput(
                f"Entry {line} has the number {number!r:.80}; write its place in the order of asking, in the digits 0 "
                "to 9."
            )
        return found

    def _keyed(self, line: int, key: Any) -> int:
        if self._items is None:
            self._items = item_numbers(self._pool)
        if str(key_of(key)) not in self._items:
            raise InvalidInput(
                f"Entry {line} is about {key!r:.80}, which no row of the pool has as its key; remove it, or import it "
                "into the study of that pool."
            )
        return self._items[str(key_of(key))]

    def _numbered(self, line: int, item: Any) -> int:
        row = _digits(item)
        if row is None or row >= len(self._pool):
            raise InvalidInput(
                f"Entry {line} is about the item {item!r:.80}; items are row numbers from 0 to {len(self._pool) - 1}, "
                "written in the digits 0 to 9."
            )
        return row

    def _who(self, line: int, who: Any) -> str:
        name = self._expert if missing(who) else checks.name(f"The expert of entry {line}", str(who))
        return self._names.get(folded(name), name)

    def _word(self, line: int, key: Any, said: Any) -> str:
        whole = isinstance(said, bool) or (isinstance(said, float) and said.is_integer())
        word = str(int(said) if whole else said).strip().lower()
        if word not in WORDS:
            no = ' ("no" is not an answer)' if word == "no" else ""
            raise InvalidInput(
                f"Entry {line}, about {key!r:.80}, has the answer {said!r:.80}{no}; "
                f"write {YES!r}, {STAR!r} or {SKIPPED!r}."
            )
        return WORDS[word]


def item_numbers(pool: Pool) -> dict[str, int]:
    """Return the row number of every key; keys are text."""
    return {str(key_of(value)): item for item, value in enumerate(pool.ids)}


def key_of(value: Any) -> Any:
    """Return a key as files hold it: a string or a finite number; anything else as text."""
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float)) else str(value)


def _digits(value: Any) -> int | None:
    """Return a whole number that is written in the digits 0 to 9, and perhaps .0 as spreadsheets do; else None."""
    written = re.fullmatch(r" *([0-9]{1,18})(?:\.0+)? *", str(value))
    return None if written is None else int(written[1])


def missing(value: Any) -> bool:
    """Return whether a cell is empty."""
    return value is None or value == "" or value != value
