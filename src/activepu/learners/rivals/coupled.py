"""Rivals of an intersection-closed class where the rate is not known (`likelihood.coupled_evidence`).

A rival has fallen when no cell has room for it. Until then, what is missing is counted in stars: ln E that is missing,
divided by what a star adds, in the cell where most are missing. So a question about a certain positive, which changes
the rates that are likely and with them what a star adds, is worth as many stars as it saves.

As in `rivals.sided`, on the sides where a rival goes beyond the closure only those bets count that cut something off,
so that there is progress from the first star on. On the others it has as many stars as suit it best.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from activepu.hypotheses.base import Points
from activepu.learners.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.learners.rivals.grown import Grown
from activepu.likelihood.coupled_evidence import CoupledEvidence
from activepu.likelihood.evidence import outside, outward, outward_reach, reach

MANY = 256.0
"""Beyond so many missing stars only their logarithm counts: as long as nothing was revealed a rival never falls."""
LEAST = 1e-3
"""What a star adds, at least."""
CELLS = 6
"""Cells that are looked at."""


class CoupledRivals(Rivals):
    """`Grown` members, and how many stars are missing against each."""

    def __init__(self, grown: Grown, evidence: CoupledEvidence, weight: float) -> None:
        self._grown, self._evidence, self.weight, self.far = grown, evidence, weight, grown.far
        self._ends = reach(evidence.bounds, grown.low, grown.high)
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
        single = outside(self._grown.closure, points).sum(axis=1) == 1
        return np.asarray(self._grown.holds(points) & single)

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
    """What speaks against the rivals in some cells: `total` (rivals, cells) is the sum over the sides."""

    def __init__(self, grown: Grown, ends: Floats, evidence: CoupledEvidence) -> None:
        """`ends` are the rivals' reaches, as the bets see them."""
        self._evidence, cells = evidence, evidence.cells
        n = len(cells.room)
        some = np.unique(np.append(np.linspace(0, n - 1, CELLS).round(), cells.widest)).astype(np.intp)[: CELLS * n]
        self._slope, self._limit, self._log_rho = cells.slope[some], cells.limit[some], cells.log_rho[some]
        self._closure_part = cells.env[some, :, 0]  # (cells, sides)
        self._reach = outward_reach(grown.low, grown.high, grown.two_sided)
        further = self._reach > outward_reach(evidence.closure.low, evidence.closure.high, grown.two_sided)
        self._cut, self._slopes, self._part = [], [], []
        for k, row in enumerate(evidence.rows):
            at = row.reached(self._reach[:, k])
            cut = self._cuts(k, at, ends[:, k])
            self._cut.append(cut)
            self._slopes.append(self._slope * at[:, None])
            self._part.append(np.where(further[:, k, None], np.log(cut) + self._slopes[k], self._closure_part[:, k]))
        self.total = np.sum(self._part, axis=0)

    def _cuts(self, k: int, at: Counts, need: Floats) -> Floats:
        """(…, cells): what the bets are worth that cut side k off before this need, which lies behind so many stars."""
        row = self._evidence.rows[k]
        powers = np.exp(self._log_rho * np.arange(len(row.need))[:, None])
        sums = np.zeros_like(powers)
        np.cumsum(np.diff(row.need)[:, None] * powers[:-1], axis=0, out=sums[1:])
        rest = np.maximum(need - row.need[at], 0.0)[:, None] * powers[at]
        return np.asarray(np.maximum(self._evidence.share * (sums[at] + rest), TINY))

    def missing(self, total: Floats) -> Floats:
        """Stars, in the cell where most are missing."""
        if len(self._limit) == 0:
            return np.zeros(total.shape[:-1])
        stars = ((self._limit - total) / np.maximum(self._slope, LEAST)).max(axis=-1)
        return np.asarray(np.where(stars > MANY, MANY * (1.0 + np.log(np.maximum(stars, MANY) / MANY)), stars))

    def _beyond(self, points: Points, beyond: Bools) -> Iterator[tuple[int, Counts, Floats, Floats]]:
        """Side by side: the columns of points beyond it, where they lie, and the bets that cut it off before each."""
        places, needs = outward(self._evidence.closure, points), self._evidence.bounds.needs(points)
        for k in np.flatnonzero(beyond.any(axis=0)).tolist():
            columns = np.flatnonzero(beyond[:, k])
            place = places[columns, k]
            at = self._evidence.rows[k].reached(np.nextafter(place, -np.inf))
            yield k, columns, place, self._cuts(k, at, needs[columns, k])

    def with_stars(self, points: Points, beyond: Bools) -> Floats:
        """(rivals, points): what is missing once each point, beyond one side, is silent."""
        total = np.repeat(self.total[:, None], len(points), axis=1)
        for k, columns, place, before in self._beyond(points, beyond):
            cut, part = self._cut[k][:, None], self._part[k][:, None]
            left = before + np.exp(self._log_rho) * np.maximum(cut - before, 0.0)
            more = np.log(left) + self._slopes[k][:, None] + self._slope - part
            reaches = self._reach[:, k, None] >= place
            total[:, columns] += np.where(reaches[..., None], more, 0.0)
        return self.missing(total)

    def without_cuts(self, points: Points, beyond: Bools) -> Floats:
        """(rivals, points): what is missing once the closure holds the point; who does not reach it is grown to it."""
        total = np.repeat(self.total[:, None], len(points), axis=1)
        for k, columns, place, before in self._beyond(points, beyond):
            left = np.log(np.maximum(self._cut[k][:, None] - before, TINY)) + self._slopes[k][:, None]
            further = self._reach[:, k, None] > place
            new = np.where(further[..., None], left, self._closure_part[:, k])
            total[:, columns] += new - self._part[k][:, None]
        return self.missing(total)
