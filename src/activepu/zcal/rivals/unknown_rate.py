"""Rivals of a box-like class when the rate is not known (`bets.unknown_rate`).

A rival is excluded when no cell has room for it. Until then, what is missing is counted in stars: the missing ln E
divided by what a star adds, in the cell where most stars are missing. A question about a certain positive changes the
likely rates, and with them what a star adds. So it is worth as many stars as it saves.

As in `rivals.known_rate`, on the sides where a rival goes beyond the closure only the bets that cut something off
count, so that there is progress from the first star on. On the other sides it has the number of stars that suits it
best.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from activepu.hypotheses.base import Points
from activepu.zcal.bets.unknown_rate import UnknownRateBets
from activepu.zcal.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.zcal.rivals.grown import Grown, Placed
from activepu.zcal.tuning import TUNING

LEAST = 1e-3
"""The least that a star is taken to add."""


class UnknownRateRivals(Rivals):
    """`Grown` members, and the number of stars that are missing against each."""

    def __init__(self, grown: Grown, evidence: UnknownRateBets, weight: float) -> None:
        self._grown, self._evidence, self.weight = grown, evidence, weight * grown.share
        self.far = np.ones(len(grown.low), bool)
        ends = evidence.bounds.reach(grown.low, grown.high).T
        self._bets = np.stack([cuts.below(end).sum(axis=0) for cuts, end in zip(evidence.cuts, ends, strict=True)])
        self._now = _Against(grown, self._bets, evidence)
        self.missing = self._now.missing(self._now.total)

    @cached_property
    def _once_revealed(self) -> _Against:
        return _Against(self._grown, self._bets, self._evidence.supposing(revealed=1))

    @cached_property
    def _once_silent(self) -> _Against:
        return _Against(self._grown, self._bets, self._evidence.supposing(silent=1))

    def holds(self, points: Points) -> Bools:
        """Return (J, K); no rival holds a point beyond several sides, because a silence there does not count."""
        return self._grown.holds_beyond_one_side(points)

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """Return what is missing after a ★: beyond one side it counts against those that reach it, else against all."""
        placed = self._grown.placed(points, self._evidence.bounds)
        number = placed.beyond.sum(axis=1)
        missing = np.repeat(self.missing[:, None], len(points), axis=1)
        if np.any(number == 0):
            missing[:, number == 0] = self._once_silent.missing(self._once_silent.total)[:, None]
        single = number == 1
        missing[:, single] = self._now.with_stars(placed[single])
        return missing

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """Return what is missing after a reveal: the closure grows, and the bets that cut the point off are lost."""
        placed = self._grown.placed(points, self._evidence.bounds)
        counts = placed.beyond.sum(axis=1) <= 1
        missing = np.empty((len(self.far), len(points)))
        missing[:, counts] = self._once_revealed.without_cuts(placed[counts])
        missing[:, ~counts] = self._now.without_cuts(placed[~counts])
        return missing, self._grown.far_after(points)


class _Against:
    """The evidence against the rivals in some cells: `total` (cells, rivals) is the sum over the sides.

    Arrays are (cells, sides, rivals), or (cells, pairs, rivals) of pairs of a point and a side that it lies beyond.
    """

    def __init__(self, grown: Grown, bets: Floats, evidence: UnknownRateBets) -> None:
        """`bets` (sides, rivals) is the share of bets that cut each rival off."""
        self._evidence, cells = evidence, evidence.cells
        n = len(cells.room)
        some = np.unique(np.append(np.linspace(0, n - 1, TUNING.rival_cells).round(), cells.widest)).astype(np.intp)[
            : TUNING.rival_cells * n
        ]
        self._slope, self._limit = cells.slope[some, None, None], cells.limit[some, None]
        self._rho = np.exp(cells.log_rho[some])[:, None, None]
        self._closure_part = cells.env[some, :, :1]
        self._groups = sums, _, older = evidence.cut_off(cells.log_rho[some])
        worth = np.einsum("cgkm,cgkm->ckm", sums, older)
        self._reach = grown.ends.T.copy()
        further = self._reach > evidence.closure.ends[:, None]
        sides = np.arange(len(bets))[:, None]
        self._at = np.stack([row.reached(reach) for row, reach in zip(evidence.rows, self._reach, strict=True)])
        rest = np.maximum(bets - evidence.groups[0].sum(axis=0)[sides, self._at], 0.0)  # behind the last star
        all_left = np.exp(cells.log_rho[some, None, None] * self._at)
        self._cut = np.maximum(worth[:, sides, self._at] + rest * all_left, TINY)
        self._slopes = self._slope * self._at
        self._part = np.where(further, np.log(self._cut) + self._slopes, self._closure_part)
        self.total = self._part.sum(axis=1)

    def missing(self, total: Floats) -> Floats:
        """Return the number of missing stars, in the cell where most are missing."""
        if len(self._limit) == 0:
            return np.zeros(total.shape[1:])
        each = (len(self._limit),) + (1,) * (total.ndim - 1)
        stars = ((self._limit.reshape(each) - total) / np.maximum(self._slope.reshape(each), LEAST)).max(axis=0)
        return np.asarray(
            np.where(
                stars > TUNING.many_stars,
                TUNING.many_stars * (1.0 + np.log(np.maximum(stars, TUNING.many_stars) / TUNING.many_stars)),
                stars,
            )
        )

    def _beyond(self, placed: Placed) -> tuple[Counts, Counts, Floats, Floats]:
        """Return the pairs of a point and a side, where the point lies, and the bets that cut it off, by rival."""
        point, side = np.nonzero(placed.beyond)
        place, need = placed.outward[point, side], placed.needs[point, side]
        before = np.empty((len(self._slope), len(side), self._reach.shape[1]))
        for k in np.unique(side).tolist():
            mine, cuts = side == k, self._evidence.cuts[k]
            some = slice(len(cuts.share))
            at = self._evidence.rows[k].reached(np.nextafter(place[mine], -np.inf))
            sums, held, older = (values[:, some, k] for values in self._groups)
            more = np.maximum(cuts.below(need[mine]) - self._evidence.groups[0][some, k][:, at], 0.0)
            worth = sums[..., at] + more * held[..., at]
            before[:, mine] = np.einsum("cgp,cgm->cpm", worth, older)[..., self._at[k]]
        return point, side, place[:, None], np.maximum(before, TINY)

    def with_stars(self, placed: Placed) -> Floats:
        """Return (rivals, points): what is missing after a ★ at each point, which lies beyond one side."""
        _, side, place, before = self._beyond(placed)
        left = before + self._rho * np.maximum(self._cut[:, side] - before, 0.0)
        more = np.log(left) + self._slopes[:, side] + self._slope - self._part[:, side]
        return self.missing(self.total[:, None] + np.where(self._reach[side] >= place, more, 0.0)).T

    def without_cuts(self, placed: Placed) -> Floats:
        """Return (rivals, points): what is missing once the closure holds the point, and rivals have grown to it."""
        point, side, place, before = self._beyond(placed)
        left = np.log(np.maximum(self._cut[:, side] - before, TINY)) + self._slopes[:, side]
        change = np.where(self._reach[side] > place, left, self._closure_part[:, side]) - self._part[:, side]
        total = np.repeat(self.total[:, None], len(placed.beyond), axis=1)
        first = np.flatnonzero(np.diff(point, prepend=-1))
        if len(first):
            total[:, point[first]] += np.add.reduceat(change, first, axis=1)
        return self.missing(total).T
