"""Answers and skips as files hold them, one entry each."""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from activepu import checks
from activepu.checks import folded
from activepu.errors import InvalidInput
from activepu.experts import SKIP, TIMEOUT
from activepu.pools import Pool
from activepu.records import Answer
from activepu.studies.collected import BATCH, Collected
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
ANSWERS: dict[str, tuple[Answer, ...]] = {
    YES: (True,), STAR: (False,), SKIPPED: (SKIP,), MISSED: (TIMEOUT,), LATE: (TIMEOUT, True)
}  # fmt: skip
"""What each word tells a study, one after the other."""


@dataclass(frozen=True, slots=True)
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
    return list(each_entry(study))


def each_entry(study: Study) -> Iterator[Entry]:
    """Yield what `entries` returns, one after the other."""
    run, ids = study.run(), study.pool.ids
    with study.storage.snapshot(study.key) as reading:
        for sequence, group in groupby(events.moves(reading), key=lambda move: move.sequence):
            if sequence >= len(run.questions):  # others may have gone on in the meantime
                return
            question, about = run.questions[sequence], list(group)
            last = max((k for k, move in enumerate(about) if move.kind in ("answer", "timeout")), default=-1)
            back = {move.expert: k for k, move in enumerate(about) if move.kind == "unskip"}
            for k, move in enumerate(about):
                if move.kind == "skip" and k > back.get(move.expert, -1):  # it was not taken back
                    said = SKIPPED
                elif k == last and question.answer in _SAID:
                    said = LATE if question.late else _SAID[question.answer]
                else:
                    continue
                note, key = question.note, key_of(ids[move.item])
                yield Entry(move.item, key, move.expert, said, sequence, note.phase, note.prediction)


_SAID: dict[Answer | None, str] = {True: YES, False: STAR, TIMEOUT: MISSED}


def nothing(done: int, total: int | None) -> None:
    """Show no progress."""


class Reader:
    """Takes in what a file says; `line` counts from 1, for the messages.

    Attributes
    ----------
    found : Collected
        The answers and skips so far.
    """

    def __init__(
        self, pool: Pool, expert: str, names: Mapping[str, str], show: Callable[[int, int | None], None] = nothing
    ) -> None:
        self.found = Collected()
        self._pool = pool
        self._expert = checks.name("expert", expert)
        self._names = {folded(there): checks.name("An expert's name in names", here) for there, here in names.items()}
        self._show = show
        self._keys: Keys | None = None
        self._known: dict[str, str] = {}

    def take(self, line: int, key: Any, said: Any, who: Any, item: Any = None, number: Any = None) -> None:
        """Take an entry about the row with this key or, if there is no key, with this row number."""
        named = self._pool.has_ids and not missing(key)
        row = self._keyed(line, key) if named else self._numbered(line, item if missing(key) else key)
        word = self._word(line, key if missing(item) else item, said)
        expert = self._who(line, who)
        place = None if missing(number) else self._place(line, number)
        for answer in ANSWERS[word]:
            self.found.add(row, answer, expert, place)
        if line % BATCH == 0:
            self._show(line, None)

    def _place(self, line: int, number: Any) -> int:
        found = _digits(number)
        if found is None:
            raise InvalidInput(
                f"Entry {line} has the number {number!r:.80}; write its place in the order of asking, in the digits 0 "
                "to 9."
            )
        return found

    def _keyed(self, line: int, key: Any) -> int:
        self._keys = self._keys or Keys(self._pool)
        item = self._keys.find(str(key_of(key)))
        if item is None:
            raise InvalidInput(
                f"Entry {line} is about {key!r:.80}, which no row of the pool has as its key; remove it, or import it "
                "into the study of that pool."
            )
        return item

    def _numbered(self, line: int, item: Any) -> int:
        row = _digits(item)
        if row is None or row >= len(self._pool):
            raise InvalidInput(
                f"Entry {line} is about the item {item!r:.80}; items are row numbers from 0 to {len(self._pool) - 1}, "
                "written in the digits 0 to 9."
            )
        return row

    def _who(self, line: int, who: Any) -> str:
        if missing(who):
            who = self._expert
        name = self._known.get(str(who))
        if name is None:
            name = checks.name(f"The expert of entry {line}", str(who))
            name = self._known[str(who)] = self._names.get(folded(name), name)
        return name

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


class Keys:
    """Finds the rows of keys; it takes sixteen bytes a row, of a large pool too."""

    def __init__(self, pool: Pool) -> None:
        self._ids = pool.ids
        hashes = np.fromiter((hash(str(key_of(value))) for value in self._ids), np.int64, len(self._ids))
        self._items = np.argsort(hashes, kind="stable")
        self._hashes = array("q", hashes[self._items].tobytes())

    def find(self, key: str) -> int | None:
        """Return the row with this key, the last if there are several; None if there is none."""
        wanted = hash(key)
        place = bisect_right(self._hashes, wanted)
        while place and self._hashes[place - 1] == wanted:
            place -= 1
            item = int(self._items[place])
            if str(key_of(self._ids[item])) == key:
                return item
        return None


def key_of(value: Any) -> Any:
    """Return a key as files hold it: a string or a finite number; anything else as text."""
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if isinstance(value, (str, int, float)) else str(value)


_WRITTEN = re.compile(r" *([0-9]{1,18})(?:\.0+)? *").fullmatch


def _digits(value: Any) -> int | None:
    """Return a whole number that is written in the digits 0 to 9, and perhaps .0 as spreadsheets do; else None."""
    written = _WRITTEN(str(value))
    return None if written is None else int(written[1])


def missing(value: Any) -> bool:
    """Return whether a cell is empty."""
    return value is None or value == "" or value != value
