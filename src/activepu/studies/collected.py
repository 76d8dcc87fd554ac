"""Answers that were collected elsewhere, a million of them in a few arrays."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.experts import SKIP, TIMEOUT
from activepu.records import Answer

BATCH = 5000
"""So many answers are taken at a time: what is done with them is held in memory, and then they are reported."""
_SAID: tuple[Answer, ...] = (False, True, SKIP, TIMEOUT)
_SKIP, MISS = _SAID.index(SKIP), _SAID.index(TIMEOUT)


class Collected:
    """Answers and skips: an item, what was said, by whom, and the place in the order of asking if it is known.

    They are kept in the order in which they were added, until `sort` puts them into the order of asking.
    """

    def __init__(self) -> None:
        self._items, self._said, self._who, self._numbers = array("q"), array("b"), array("q"), array("q")
        self._codes: dict[str, int] = {}
        self._order: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: int, answer: Answer, expert: str, number: int | None = None) -> None:
        """Add one entry."""
        self._items.append(item)
        self._said.append(_SAID.index(answer))
        self._who.append(self._codes.setdefault(expert, len(self._codes)))
        self._numbers.append(-1 if number is None else number)

    @property
    def items(self) -> NDArray[np.int64]:
        """The item of every entry, in the order of the entries."""
        return self._ordered(self._items, np.int64)

    @property
    def said(self) -> NDArray[np.int8]:
        """What was said in every entry: 0 (can't tell), 1 (yes), 2 (skip) or 3 (not in time)."""
        return self._ordered(self._said, np.int8)

    @property
    def experts(self) -> list[str]:
        """The experts, each once, in the order of their first entries."""
        names = list(self._codes)
        codes, first = np.unique(self._ordered(self._who, np.int64), return_index=True)
        return [names[code] for code in codes[np.argsort(first)]]

    def batches(self) -> Iterator[list[tuple[int, Answer, str]]]:
        """Yield the entries as (item, answer, expert), some thousand at a time."""
        names = list(self._codes)
        for start in range(0, len(self), BATCH):
            which = slice(start, start + BATCH)
            columns = (self._ordered(column, kind, which) for column, kind in self._columns())
            items, said, who = (column.tolist() for column in columns)
            yield [(item, _SAID[word], names[code]) for item, word, code in zip(items, said, who, strict=True)]

    def _columns(self) -> Sequence[tuple[array[int], type[np.signedinteger]]]:
        return (self._items, np.int64), (self._said, np.int8), (self._who, np.int64)

    def _ordered(self, column: array[int], kind: type, which: slice = slice(None)) -> NDArray[Any]:
        values: NDArray[Any] = np.frombuffer(column, kind) if column else np.empty(0, kind)
        return values[which] if self._order is None else values[self._order[which]]

    def sort(self, seed: int) -> None:
        """Put the entries into the order of asking where it is known, then the others in a random order.

        A spreadsheet may have sorted a file by its answers, and an order that depends on the answers would make the
        certificate false. Skips come before answers about the same item.
        """
        if not len(self):
            return
        items, numbers = np.frombuffer(self._items, np.int64), np.frombuffer(self._numbers, np.int64)
        unknown = numbers < 0
        by = [np.frombuffer(self._said, np.int8) != _SKIP]
        if unknown.any():
            by = [*_lots(self._of_experts(seed, items, unknown)), *by, *_lots(self._of_items(seed, items, unknown))]
        self._order = np.lexsort((*by, numbers, unknown))

    def _of_items(
        self, seed: int, items: NDArray[np.int64], unknown: NDArray[np.bool_]
    ) -> Iterator[tuple[Any, ...] | None]:
        for item, drawn in zip(items, unknown, strict=True):
            yield (seed, int(item)) if drawn else None

    def _of_experts(
        self, seed: int, items: NDArray[np.int64], unknown: NDArray[np.bool_]
    ) -> Iterator[tuple[Any, ...] | None]:
        """Only the entries about an item that has several need a lot of their own."""
        names = list(self._codes)
        _, place, count = np.unique(items[unknown], return_inverse=True, return_counts=True)
        several = unknown.copy()
        several[unknown] = count[place] > 1
        for item, code, drawn in zip(items, self._who, several, strict=True):
            yield (seed, int(item), names[code]) if drawn else None


def _lots(about: Iterator[tuple[Any, ...] | None]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return random numbers of 128 bits, their lower halves first, which follow from what each is about."""
    drawn = bytearray()
    for one in about:
        drawn += bytes(16) if one is None else hashlib.sha256(repr(one).encode()).digest()[:16]
    halves = np.frombuffer(drawn, ">u8").reshape(-1, 2).astype(np.uint64)
    return halves[:, 1], halves[:, 0]
