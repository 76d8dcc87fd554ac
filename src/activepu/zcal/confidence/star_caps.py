"""What a lower bound on the likelihood says about the stars (silences) inside a hypothesis h.

With r_e reveals and s_e(h) stars of expert e inside h, h remains possible as long as

    Σ_e f_e(s_e(h)) ≥ floor,      f_e(s) = max_ω ln ω^{r_e} (1 − ω)^s, which falls with s.

With one rate for all experts this is a cap on stars: s(h) ≤ c. With a rate per expert it is not, because f_e is convex
in s. But it implies a cap on each expert's stars (the other experts' stars may be outside h) and one on all stars.

**The stack.** Each question adds a cap "at most c of the first n stars", and all caps stay in force. Their star sets
are nested. A later cap makes an earlier one redundant if its c is not larger. An earlier cap makes a later one
redundant if the later n − c, the number of stars that h must leave out, is not larger. The caps that are left have
strictly increasing c and n − c.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.version_spaces.costs import Stage
from activepu.zcal.rates import Floats, Rates


class AtMost(NamedTuple):
    """At most `most` of the `first` stars."""

    first: int
    most: int

    def broken(self, counts: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
        """Return where the counts, one array per group, add up to more."""
        return np.asarray(sum(counts[1:], counts[0]) > self.most)


Stack = tuple[AtMost, ...]

FEW = 10
"""Up to this many experts, all corners are tried one by one."""
ROUNDING = 1e-6
"""More than rounding can do to a sum over the experts."""
ALL = -1
"""The key for the stars of all experts; other keys are the numbers of single experts."""


def tightened(stack: Stack, stars: int, most: int) -> Stack:
    """Return the stack with one more cap, on at least as many stars; the same object if the cap is redundant."""
    left_out = stack[-1].first - stack[-1].most if stack else 0
    if stars - most <= left_out:
        return stack
    return (*(cap for cap in stack if cap.most < most), AtMost(stars, most))


class Ends(NamedTuple):
    """f_e(0) and f_e(all stars of e), for every expert e. An answer changes those of the expert who gave it."""

    none: Floats
    every: Floats

    def after(self, rates: Rates, group: int, revealed: int, silent: int) -> Ends:
        """Return the ends when expert `group` has so many reveals and stars; all experts before them have a place."""
        added = max(0, group + 1 - len(self.none))
        none, every = (np.append(end, np.zeros(added)) for end in self)
        none[group], every[group] = rates.log_likelihood(revealed, [0, silent])
        return Ends(none, every)

    def spare(self, floor: float) -> float:
        """Return the most that the stars inside a possible hypothesis may cost."""
        return _added(self.none) - floor

    def binds(self, floor: float) -> bool:
        """Return whether a hypothesis that holds all stars would fall below the floor."""
        return _added(self.none - self.every) > self.spare(floor)


def _added(terms: Floats) -> float:
    """Return the sum, added one by one in the order of the experts."""
    return float(np.add.accumulate(terms)[-1])


def tables(rates: Rates, revealed: Sequence[int], silent: Sequence[int]) -> list[Floats]:
    """Return f_e(0), f_e(1), … up to all stars of expert e, for every e."""
    return [_table(rates, r, s) for r, s in zip(revealed, silent, strict=True)]


@lru_cache(maxsize=64)
def _table(rates: Rates, revealed: int, silent: int) -> Floats:
    """Return one expert's table; it is stored in reverse, where it rises, so that it can be searched."""
    return rates.log_likelihood(revealed, np.arange(silent, -1, -1))[::-1]


def implied(f: Sequence[Floats], floor: float) -> dict[int, int]:
    """Return the most stars that a possible hypothesis can hold: of all experts and, if there are several, of each.

    −1 means that no hypothesis is possible.
    """
    if sum(float(table[-1]) for table in f) >= floor:  # all stars of all experts
        own = {group: len(table) - 1 for group, table in enumerate(f)}
        return {ALL: sum(own.values()), **(own if len(f) > 1 else {})}
    caps = {ALL: _largest_sum(f, floor)}
    if len(f) > 1:
        fewest = sum(float(table[0]) for table in f)
        for group, table in enumerate(f):
            caps[group] = int(np.count_nonzero(table - table[0] + fewest >= floor)) - 1
    return caps


class CostTables:
    """What 0, 1, … stars of each expert cost, f_e(0) − f_e(s); those of experts without new answers are kept."""

    def __init__(self, rates: Rates) -> None:
        self._rates = rates
        self._known: list[tuple[int, int]] = []
        self._costs: list[Floats] = []

    def stage(self, revealed: Sequence[int], silent: Sequence[int], limit: float, stars: int) -> Stage:
        """Return the limit on the costs of the stars so far, of all experts together."""
        for group, counts in enumerate(zip(revealed, silent, strict=True)):
            if group == len(self._known):
                self._known.append((-1, -1))
                self._costs.append(np.empty(0))
            if self._known[group] != counts:
                table = _table(self._rates, *counts)
                self._known[group], self._costs[group] = counts, table[0] - table
        return Stage(stars, tuple(cost if cost[-1] <= limit else cost[cost <= limit] for cost in self._costs), limit)


def _largest_sum(f: Sequence[Floats], floor: float) -> int:
    """Return the largest Σ s_e with Σ f_e(s_e) ≥ floor; −1 if there is none.

    The f_e are convex. So among all ways to distribute s stars the best is at a corner: all experts except one have
    none of their stars in h, or all of them. With many experts there are too many corners, and all sums are computed.
    """
    if len(f) > FEW:
        return _by_all_sums(f, floor)
    none, every = np.array([table[0] for table in f]), np.array([table[-1] for table in f])
    stars, most = np.array([len(table) - 1 for table in f]), -1
    for one, table in enumerate(f):
        others = np.arange(len(f)) != one
        corners = _corners(len(f) - 1)
        value = none[others].sum() + corners @ (every - none)[others]
        within = len(table) - np.searchsorted(table[::-1], floor - value)
        most = max(most, int((corners @ stars[others] + within - 1)[within > 0].max(initial=-1)))
    return most


@lru_cache
def _corners(n: int) -> NDArray[np.intp]:
    """Return (2^n, n): none (0) or all (1) of the stars of each of n experts."""
    return np.arange(2**n)[:, None] >> np.arange(n) & 1


def _by_all_sums(f: Sequence[Floats], floor: float) -> int:
    """Add one expert after the other; sums that cannot reach the floor any more are left out."""
    none = np.array([table[0] for table in f])
    if _added(none) < floor:
        return -1
    free = np.array([table[-1] == table[0] for table in f])
    best, others = np.array([none[free].sum()]), float(none[~free].sum())
    for table in (table for table, all_free in zip(f, free, strict=True) if not all_free):
        others -= float(table[0])
        least = floor - others - ROUNDING
        some = table[best[0] + table >= least]
        sums = np.full(len(best) + len(some) - 1, -np.inf)  # sums[s] is the largest with s stars in total
        for s, value in enumerate(some):
            part = sums[s : s + len(best)]
            np.maximum(part, best + value, out=part)
        best = sums[: np.count_nonzero(sums >= least)]
    reached = np.flatnonzero(best >= floor).max(initial=0)
    return int(reached) + sum(len(table) - 1 for table, all_free in zip(f, free, strict=True) if all_free)
