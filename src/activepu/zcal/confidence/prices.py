"""What the stars of many experts cost together, as whole numbers, so that an answer of one expert changes one term.

With r reveals an expert's s stars inside a hypothesis cost f(0) − f(s), f(s) = max_ω ln ω^r (1 − ω)^s. A hypothesis
meets a bound if the costs of all experts add up to its budget at most. Costs are rounded to multiples of 2⁻⁴⁴ nats and
added as integers. Such sums do not depend on the order of the terms, and never drift: whatever was added and taken off,
the total is that of a fresh sum. Rounding moves the total of 1,500 experts by less than 5·10⁻¹¹ nats, and each floor
lies 10⁻⁹ of its size below what the likelihood must reach (`confidence.base`), which is more for every δ below 0.95. So
rounding excludes no hypothesis.

With one rate for all experts a bound is a cap on stars, and each star costs 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.zcal.rates import Rates

WORD = 64
UNITS = 2.0**44
"""How many units a nat has."""
CHUNK = 2**22
"""Counts, of all experts together, that are held at a time."""

Whole = NDArray[np.int64]
Bools = NDArray[np.bool_]
Groups = NDArray[np.intp]
Words = NDArray[np.uint64]


class Bound(NamedTuple):
    """The first stars, each group's reveals at that time, and the most that these stars may cost inside."""

    first: int
    revealed: NDArray[np.int32]
    budget: float


def price(rates: Rates, revealed: int, stars: int) -> Whole:
    """Return what 0, 1, …, `stars` (or more) stars cost."""
    return _price(rates, revealed if rates.per_expert else 0, 1 << max(6, int(stars).bit_length()))


@lru_cache(maxsize=1024)
def _price(rates: Rates, revealed: int, size: int) -> Whole:
    stars = np.arange(size)
    if not rates.per_expert:
        return stars
    worth = rates.log_likelihood(revealed, stars)
    return np.asarray(np.rint((worth[0] - worth) * UNITS), np.int64)


class Spent:
    """How many stars of each group every row holds, and what they cost together."""

    def __init__(self, rates: Rates, rows: int) -> None:
        self._rates = rates
        self.counts: NDArray[Any] = np.zeros((1, rows), np.uint8)
        """(groups, rows), in the smallest type that holds them."""
        self.total: Whole = np.zeros(rows, np.int64)
        self._revealed: list[int] = [0]

    def groups(self, n: int) -> None:
        """Make room for n groups."""
        if n > len(self.counts):
            more = np.zeros((max(n, 2 * len(self.counts)), self.counts.shape[1]), self.counts.dtype)
            more[: len(self.counts)] = self.counts
            self.counts = more
            self._revealed += [0] * (len(more) - len(self._revealed))

    def reveal(self, group: int, revealed: int) -> None:
        """Take note of the number of reveals of a group; this changes what its stars cost."""
        self.groups(group + 1)
        count, before = self.counts[group], self._revealed[group]
        self._revealed[group] = revealed
        most = int(count.max(initial=0))
        if most and self._rates.per_expert:
            change = price(self._rates, revealed, most)[: most + 1] - price(self._rates, before, most)[: most + 1]
            self.total += change[count]

    def star(self, group: int, rows: Any) -> None:
        """Take in that these rows hold one more star of a group."""
        self.groups(group + 1)
        now = self.counts[group, rows]
        most = int(now.max(initial=0)) + 1
        if most > np.iinfo(self.counts.dtype).max:
            self.counts = self.counts.astype(np.uint16 if self.counts.dtype == np.uint8 else np.uint32)
        table = price(self._rates, self._revealed[group], most)
        self.total[rows] += np.diff(table[: most + 1])[now]
        self.counts[group, rows] += 1

    def keep(self, rows: Any) -> None:
        """Keep these rows only."""
        self.counts, self.total = self.counts[:, rows], self.total[rows]

    def append(self, counts: NDArray[Any]) -> None:
        """Append one row, with so many stars of each group."""
        self.groups(len(counts))
        kind = np.promote_types(self.counts.dtype, np.min_scalar_type(int(counts.max(initial=0))))
        column = np.zeros((len(self.counts), 1), kind)
        column[: len(counts), 0] = counts
        self.counts = np.concatenate([self.counts.astype(kind, copy=False), column], axis=1)
        self.total = np.append(self.total, total(self._rates, self._revealed, counts))


def total(rates: Rates, revealed: Sequence[int], counts: NDArray[Any]) -> int:
    """Return what so many stars of each group cost."""
    held = np.flatnonzero(counts)
    return sum(int(price(rates, revealed[g], n)[n]) for g, n in zip(held.tolist(), counts[held].tolist(), strict=True))


def broken(rates: Rates, bounds: Sequence[Bound], groups: Groups, words: Sequence[Words]) -> Bools:
    """Return which rows exceed some bound; `words` are the stars that each row holds, 64 to a word, one array a word.

    The counts are carried on from bound to bound, and only groups with other stars or reveals are priced again.
    """
    rows = len(words[0]) if words else 0
    n = 1 + int(groups.max(initial=0))
    over, size = np.zeros(rows, bool), max(1, CHUNK // n)
    plan = list(_steps(rates, bounds, groups, n))
    for i in range(0, rows, size):
        part = slice(i, i + size)
        counts, cost = np.zeros((2, n, len(over[part])), np.int64)
        spent = np.zeros(len(over[part]), np.int64)
        for which, masks, first, own, changed, book, at, budget in plan:
            if len(own):
                held = np.bitwise_count(np.stack([words[w][part] for w in which]) & masks[:, None])
                counts[own] += np.add.reduceat(held, first, axis=0, dtype=np.int64)
            now = book[at[:, None] + counts[changed]]
            spent += now.sum(axis=0) - cost[changed].sum(axis=0)
            cost[changed] = now
            over[part] |= spent > budget
    return over


def _steps(rates: Rates, bounds: Sequence[Bound], groups: Groups, n: int) -> Any:
    """Yield, for each bound, its new stars as masks of words by group, and the groups to price again with a table."""
    stars, revealed, start = np.zeros(n, np.intp), np.zeros(n, np.int32), 0
    for bound in bounds:
        new = np.arange(start, max(start, bound.first))
        keys = groups[new] * (1 + bound.first // WORD) + new // WORD
        pairs, place = np.unique(keys, return_inverse=True)
        masks = np.zeros(len(pairs), np.uint64)
        np.bitwise_or.at(masks, place, np.left_shift(np.uint64(1), (new % WORD).astype(np.uint64)))
        of, which = np.divmod(pairs, 1 + bound.first // WORD)
        own, first = np.unique(of, return_index=True)
        np.add.at(stars, groups[new], 1)
        now = revealed.copy()
        now[: len(bound.revealed)] = bound.revealed[:n]
        touched = np.zeros(n, bool)
        touched[own] = True
        changed = np.flatnonzero(touched | ((now != revealed) & (stars > 0)))
        kinds, kind = np.unique(np.stack([now[changed], stars[changed]]), axis=1, return_inverse=True)
        tables = [price(rates, int(r), int(s))[: s + 1] for r, s in kinds.T]
        places = np.cumsum([0, *map(len, tables)])[:-1] if tables else np.empty(0, np.intp)
        book = np.concatenate(tables) if tables else np.zeros(1, np.int64)
        yield which, masks, first, own, changed, book, places[kind.ravel()].astype(np.intp), bound.budget
        revealed, start = now, max(start, bound.first)


def packed(inside: Bools) -> list[Words]:
    """Return (rows, stars) as words, one array a word."""
    bits = np.packbits(inside, axis=1, bitorder="little")
    words = np.zeros((len(inside), -(-inside.shape[1] // WORD) * WORD // 8), np.uint8)
    words[:, : bits.shape[1]] = bits
    return list(np.ascontiguousarray(words.view("<u8").T))
