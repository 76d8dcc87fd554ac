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


class AtMost(NamedTuple):
    """At most `most` of the first `stars` stars."""

    stars: int
    most: int

    def broken(self, counts: Sequence[NDArray[np.int32]]) -> NDArray[np.bool_]:
        """Where the counts, one array a group, add up to more."""
        return np.asarray(sum(counts[1:], counts[0]) > self.most)


Stack = tuple[AtMost, ...]


def tightened(stack: Stack, stars: int, most: int) -> Stack:
    """The stack with one more cap, on at least as many stars; the same object if it says nothing new."""
    left_out = stack[-1].stars - stack[-1].most if stack else 0
    if stars - most <= left_out:
        return stack
    return (*(cap for cap in stack if cap.most < most), AtMost(stars, most))


def tables(rates: Rates, revealed: Sequence[int], silent: Sequence[int]) -> list[Floats]:
    """f_e(0), f_e(1), … up to all stars of expert e, for every e."""
    return [rates.log_likelihood(r, np.arange(s + 1)) for r, s in zip(revealed, silent, strict=True)]


def most_of_one(f: Sequence[Floats], group: int, floor: float) -> int:
    """The most stars of one expert that an h that stands can hold; −1 if none stands."""
    others = sum(float(table[0]) for e, table in enumerate(f) if e != group)
    return int(np.count_nonzero(f[group] + others >= floor)) - 1


def most_of_all(f: Sequence[Floats], floor: float) -> int:
    """The most stars of all experts together that an h that stands can hold; −1 if none stands."""
    best, *others = f
    for table in others:  # best[s] becomes the largest sum with s stars in all
        sums = np.full(len(best) + len(table) - 1, -np.inf)
        for s, value in enumerate(table):
            part = sums[s : s + len(best)]
            np.maximum(part, best + value, out=part)
        best = sums
    return int(np.flatnonzero(best >= floor).max(initial=-1))
