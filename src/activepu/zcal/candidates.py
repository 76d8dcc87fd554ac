"""The rows among which the next question is chosen: a random sample, and a filter for what cannot matter."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.zcal.reference import Reference
from activepu.zcal.tuning import TUNING

Rows = NDArray[np.intp]
Bools = NDArray[np.bool_]


class Candidates:
    """Random rows of the pool that may still be asked.

    Parameters
    ----------
    points : array
        The pool, one row per item.
    barred : array of bool
        Which rows may not be asked again. The caller changes it as the run goes on.
    seed : int
        The randomness; `restart` makes it depend on the answers so far, so that a replay chooses alike.
    """

    def __init__(self, points: Points, barred: Bools, seed: int) -> None:
        self.points, self.barred, self._seed = points, barred, seed
        self.rng = np.random.default_rng(seed)
        self.reference = points[self.spread(np.arange(len(points)), TUNING.reference)]
        """Rows on which distances between rules are measured."""
        self.reference.flags.writeable = False

    @cached_property
    def indexed_reference(self) -> Reference:
        """The same rows as bits."""
        return Reference(self.reference)

    def restart(self, answered: int, waiting: int) -> None:
        """Reset the random numbers for a new question; the same answers give the same numbers."""
        self.rng = np.random.default_rng([self._seed, answered, waiting])

    def some(self, rows: Rows, n: int) -> Rows:
        """Return at most n of the rows that are not barred, at random."""
        if len(rows) > 4 * n:
            drawn = rows[self.rng.choice(len(rows), 2 * n, replace=False)]
            drawn = drawn[~self.barred[drawn]]
            if len(drawn) >= n:
                return drawn[:n]
        free = rows[~self.barred[rows]]
        return free if len(free) <= n else self.rng.choice(free, n, replace=False)

    def spread(self, rows: Rows, n: int) -> Rows:
        """Return at most n such rows, spread evenly over the first coordinate."""
        some = self.some(rows, 8 * n)
        some = some[np.argsort(self.points[some, 0], kind="stable")]
        return some[np.linspace(0, len(some) - 1, min(n, len(some))).astype(np.intp)] if len(some) else some

    def spread_points(self, rows: Rows, n: int) -> Points:
        """Return the points of such rows, or of barred rows if there are no others."""
        free = self.spread(rows, n)
        return self.points[free if len(free) else rows[:n]]


class CandidateFilter:
    """Which items lie far enough from the closure of a box-like class to matter.

    A side may be off by ε over the number of sides. A question nearer to the closure than a share of that tells nothing
    that the certificate needs. It also leaves little room for bets, which must hit by chance a cut that holds all
    reveals and no star. (This is an argument, not a proof.)

    Parameters
    ----------
    points : array
        The pool; distances are ranks in a sample of it.
    epsilon : float
        The error that is to be certified.
    """

    def __init__(self, points: Points, epsilon: float) -> None:
        self._points, self._epsilon = points, epsilon

    @cached_property
    def _ranked(self) -> Points:
        """A sample of the pool, with each column sorted."""
        return np.asfortranarray(np.sort(self._points[:: -(-len(self._points) // TUNING.ranked)], axis=0))

    def __call__(self, closure: Box, z: Points) -> Bools:
        """Return which points are far enough: on some side, enough of the sample lies between them and the closure."""
        if closure.is_empty:
            return np.ones(len(z), bool)
        two_sided = closure.hypotheses.two_sided
        least = TUNING.near_closure * self._epsilon / (z.shape[1] * (1 + two_sided))
        n, matter = len(self._ranked), np.zeros(z.shape, bool)
        for axis, (low, high) in enumerate(zip(closure.low, closure.high, strict=True)):
            column = self._ranked[:, axis]
            last = int(np.floor(np.searchsorted(column, low) - least * n))
            if last >= 0:
                matter[:, axis] = z[:, axis] <= column[last]
            first = int(np.ceil(np.searchsorted(column, high) + least * n))
            if two_sided and first <= n:
                matter[:, axis] |= z[:, axis] > column[first - 1]
        return np.asarray(matter.any(axis=1))
