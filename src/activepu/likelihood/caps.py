"""What a floor under the likelihood says about the stars (silences) inside a hypothesis h.

With r_e reveals and s_e(h) stars of expert e inside h, h stands as long as

    Σ_e f_e(s_e(h)) ≥ floor,      f_e(s) = max_ω ln ω^{r_e} (1 − ω)^s, which falls with s.

With one rate for everybody that is a cap on stars: s(h) ≤ c. With a rate per expert it is not, since f_e is convex in
s; it implies a cap on each expert's stars (the others may be outside h) and one on all stars together.

**The stack.** Each question leaves a cap "at most c of the first n stars", and all of them stay in force, the star sets
being nested. Of two of them, the later makes the earlier redundant if c is not larger, and the earlier the later if
n − c, the stars that h must leave out, is not larger. What is left has c and n − c strictly increasing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.likelihood.rates import Floats, Rates
from activepu.version_spaces.costs import Stage


class AtMost(NamedTuple):
    """At most `most` of the `first` so many stars."""

    first: int
    most: int

    def broken(self, counts: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
        """Where the counts, one array a group, add up to more."""
        return np.asarray(sum(counts[1:], counts[0]) > self.most)


Stack = tuple[AtMost, ...]

FEW = 10
"""Experts whose corners are looked at one by one."""
ALL = -1
"""Stands for the stars of all experts, where a number stands for those of one."""


def tightened(stack: Stack, stars: int, most: int) -> Stack:
    """The stack with one more cap, on at least as many stars; the same object if it says nothing new."""
    left_out = stack[-1].first - stack[-1].most if stack else 0
    if stars - most <= left_out:
        return stack
    return (*(cap for cap in stack if cap.most < most), AtMost(stars, most))


def tables(rates: Rates, revealed: Sequence[int], silent: Sequence[int]) -> list[Floats]:
    """f_e(0), f_e(1), … up to all stars of expert e, for every e."""
    return [rates.log_likelihood(r, np.arange(s + 1)) for r, s in zip(revealed, silent, strict=True)]


def implied(f: Sequence[Floats], floor: float) -> dict[int, int]:
    """The most stars, of all experts and of each if there are several, that a hypothesis that stands can hold.

    −1 stands for none: nothing stands.
    """
    caps = {ALL: _most_of_all(f, floor)}
    if len(f) > 1:
        fewest = sum(float(table[0]) for table in f)
        for group, table in enumerate(f):
            caps[group] = int(np.count_nonzero(table - table[0] + fewest >= floor)) - 1
    return caps


def stage(f: Sequence[Floats], floor: float, stars: int) -> Stage | None:
    """The floor as a limit on the costs f_e(0) − f_e(s) of s stars each; None if all stars together can be met."""
    limit = sum(float(table[0]) for table in f) - floor
    costs = [table[0] - table for table in f]
    if sum(cost[-1] for cost in costs) <= limit:
        return None
    return Stage(stars, tuple(cost[cost <= limit] for cost in costs), limit)


def _most_of_all(f: Sequence[Floats], floor: float) -> int:
    """The largest Σ s_e with Σ f_e(s_e) ≥ floor; −1 if there is none.

    The f_e are convex, so that of all ways to share out s stars the best is at a corner: all experts but one have none
    of their stars in h, or all of them. Where many experts make too many corners, every sum is made.
    """
    if len(f) > FEW:
        return _by_all_sums(f, floor)
    most = -1
    for one, table in enumerate(f):
        stars, value = np.zeros(1, np.intp), np.zeros(1)
        for other in (*f[:one], *f[one + 1 :]):
            stars = np.concatenate([stars, stars + len(other) - 1])
            value = np.concatenate([value + other[0], value + other[-1]])
        within = np.searchsorted(-table, value - floor, side="right")
        most = max(most, int((stars + within - 1)[within > 0].max(initial=-1)))
    return most


def _by_all_sums(f: Sequence[Floats], floor: float) -> int:
    best, *others = f
    for table in others:  # best[s] is the largest sum with s stars in all
        sums = np.full(len(best) + len(table) - 1, -np.inf)
        for s, value in enumerate(table):
            part = sums[s : s + len(best)]
            np.maximum(part, best + value, out=part)
        best = sums
    return int(np.flatnonzero(best >= floor).max(initial=-1))
