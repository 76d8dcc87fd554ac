"""Rivals of an intersection-closed class where the rate is not known (`likelihood.coupled_evidence`).

A rival has fallen when no cell has room for it. Until then, what is missing is counted in stars: ln E that is missing,
divided by what a star adds, in the cell where most are missing. So a question about a certain positive, which changes
the rates that are likely and with them what a star adds, is worth as many stars as it saves.

As in `rivals.sided`, on the sides where a rival goes beyond the closure only those bets count that cut something off,
so that there is progress from the first star on. On the others it has as many stars as suit it best.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from activepu.hypotheses.base import Points
from activepu.learners.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.learners.rivals.grown import Grown
from activepu.likelihood.coupled_evidence import CoupledEvidence
from activepu.likelihood.evidence import outside, outward, outward_reach

MANY = 256.0
"""Beyond so many missing stars only their logarithm counts: as long as nothing was revealed a rival never falls."""
LEAST = 1e-3
"""What a star adds, at least."""
CELLS = 6
"""Cells that are looked at."""


class CoupledRivals(Rivals):
    """`Grown` members, and how many stars are missing against each."""

    def __init__(self, grown: Grown, evidence: CoupledEvidence, weight: float) -> None:
        self._grown, self._evidence, self.weight = grown, evidence, weight * grown.share
        self.far = np.ones(len(grown.low), bool)
        self._ends = evidence.bounds.reach(grown.low, grown.high).T
        self._now = _Against(grown, self._ends, evidence)
        self.missing = self._now.missing(self._now.total)

    @cached_property
    def _once_revealed(self) -> _Against:
        return _Against(self._grown, self._ends, self._evidence.supposing(revealed=1))

    @cached_property
    def _once_silent(self) -> _Against:
        return _Against(self._grown, self._ends, self._evidence.supposing(silent=1))

    def holds(self, points: Points) -> Bools:
        """As they have grown; a silence that lies beyond several sides counts for nobody."""
        return self._grown.holds_beyond_one_side(points)

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """A star beyond one side weighs on those who reach it, one in the closure on everybody."""
        beyond = outside(self._grown.closure, points)
        number = beyond.sum(axis=1)
        missing = np.repeat(self.missing[:, None], len(points), axis=1)
        if np.any(number == 0):
            missing[:, number == 0] = self._once_silent.missing(self._once_silent.total)[:, None]
        single = number == 1
        missing[:, single] = self._now.with_stars(points[single], beyond[single])
        return missing

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """The closure grows by the point, and the bets that had cut it off are lost."""
        beyond = outside(self._grown.closure, points)
        counts = beyond.sum(axis=1) <= 1
        missing = np.empty((len(self.far), len(points)))
        missing[:, counts] = self._once_revealed.without_cuts(points[counts], beyond[counts])
        missing[:, ~counts] = self._now.without_cuts(points[~counts], beyond[~counts])
        return missing, self._grown.far_after(points)


class _Against:
    """What speaks against the rivals in some cells: `total` (cells, rivals) is the sum over the sides.

    Arrays are (cells, sides, rivals), or (cells, pairs, rivals) of pairs of a point and a side that it lies beyond.
    """

    def __init__(self, grown: Grown, ends: Floats, evidence: CoupledEvidence) -> None:
        """`ends` (sides, rivals) are the rivals' reaches, as the bets see them."""
        self._evidence, cells = evidence, evidence.cells
        n = len(cells.room)
        some = np.unique(np.append(np.linspace(0, n - 1, CELLS).round(), cells.widest)).astype(np.intp)[: CELLS * n]
        self._slope, self._limit = cells.slope[some, None, None], cells.limit[some, None]
        self._rho = np.exp(cells.log_rho[some])[:, None, None]
        self._closure_part = cells.env[some, :, :1]
        needs = evidence.needs
        self._powers = np.exp(cells.log_rho[some, None] * np.arange(needs.shape[1]))
        self._sums = np.zeros((len(some), *needs.shape))
        np.cumsum(np.diff(needs) * self._powers[:, None, :-1], axis=-1, out=self._sums[..., 1:])
        self._reach = outward_reach(grown.low, grown.high, grown.two_sided).T.copy()
        further = self._reach > outward_reach(evidence.closure.low, evidence.closure.high, grown.two_sided)[:, None]
        sides = np.arange(len(needs))[:, None]
        at = np.stack([row.reached(reach) for row, reach in zip(evidence.rows, self._reach, strict=True)])
        self._cut = self._cuts(sides, at, ends)
        self._slopes = self._slope * at
        self._part = np.where(further, np.log(self._cut) + self._slopes, self._closure_part)
        self.total = self._part.sum(axis=1)

    def _cuts(self, side: Counts, at: Counts, need: Floats) -> Floats:
        """(cells, …): what the bets are worth that cut a side off before this need, which lies behind so many stars."""
        rest = np.maximum(need - self._evidence.needs[side, at], 0.0) * self._powers[:, at]
        return np.asarray(np.maximum(self._evidence.share * (self._sums[:, side, at] + rest), TINY))

    def missing(self, total: Floats) -> Floats:
        """Stars, in the cell where most are missing."""
        if len(self._limit) == 0:
            return np.zeros(total.shape[1:])
        each = (len(self._limit),) + (1,) * (total.ndim - 1)
        stars = ((self._limit.reshape(each) - total) / np.maximum(self._slope.reshape(each), LEAST)).max(axis=0)
        return np.asarray(np.where(stars > MANY, MANY * (1.0 + np.log(np.maximum(stars, MANY) / MANY)), stars))

    def _beyond(self, points: Points, beyond: Bools) -> tuple[Counts, Counts, Floats, Floats]:
        """The pairs, point by point: both, where the point lies, and the bets that cut the side off before it."""
        point, side = np.nonzero(beyond)
        place, need = (
            values[point, side]
            for values in (outward(self._evidence.closure, points), self._evidence.bounds.needs(points))
        )
        at = np.empty(len(side), np.intp)
        for k in np.unique(side).tolist():
            at[side == k] = self._evidence.rows[k].reached(np.nextafter(place[side == k], -np.inf))
        return point, side, place[:, None], self._cuts(side, at, need)[..., None]

    def with_stars(self, points: Points, beyond: Bools) -> Floats:
        """(rivals, points): what is missing once each point, beyond one side, is silent."""
        _, side, place, before = self._beyond(points, beyond)
        left = before + self._rho * np.maximum(self._cut[:, side] - before, 0.0)
        more = np.log(left) + self._slopes[:, side] + self._slope - self._part[:, side]
        return self.missing(self.total[:, None] + np.where(self._reach[side] >= place, more, 0.0)).T

    def without_cuts(self, points: Points, beyond: Bools) -> Floats:
        """(rivals, points): what is missing once the closure holds the point; who does not reach it is grown to it."""
        point, side, place, before = self._beyond(points, beyond)
        left = np.log(np.maximum(self._cut[:, side] - before, TINY)) + self._slopes[:, side]
        change = np.where(self._reach[side] > place, left, self._closure_part[:, side]) - self._part[:, side]
        total = np.repeat(self.total[:, None], len(points), axis=1)
        first = np.flatnonzero(np.diff(point, prepend=-1))
        if len(first):
            total[:, point[first]] += np.add.reduceat(change, first, axis=1)
        return self.missing(total).T
