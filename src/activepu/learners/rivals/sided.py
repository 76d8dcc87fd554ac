"""Rivals of an intersection-closed class where every side has evidence of its own (`likelihood.evidence`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from activepu.hypotheses.base import Points
from activepu.learners.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.learners.rivals.grown import Grown
from activepu.likelihood.evidence import Evidence, cost, outside, outward, outward_reach, reach


class SideRivals(Rivals):
    """`Grown` members, and what is missing against each.

    Evidence is hardly more than 1 − w for a side as long as its stars do not outweigh the bet. To see progress from the
    first star on, what is missing is counted from ln(E − E₀), E₀ being the bets that cut nothing off. When a rival is
    near its end, E₀ is nothing.
    """

    def __init__(self, grown: Grown, evidence: Evidence, enough: float, weight: float) -> None:
        self._grown, self._evidence, self.weight = grown, evidence, weight
        self.far, self._enough = grown.far, enough
        self._reach = outward_reach(grown.low, grown.high, grown.two_sided)
        self._at = [side.reached(self._reach[:, k]) for k, side in enumerate(evidence.sides)]
        self._total = np.sum([side.cost[at] for side, at in zip(evidence.sides, self._at, strict=True)], axis=0)
        with np.errstate(divide="ignore"):
            untouched = np.log1p(-reach(evidence.bounds, grown.low, grown.high))
        self._plain = cost(untouched, evidence.share).sum(axis=1)
        self.missing = enough - self._shown(self._total[:, None])[:, 0]

    def _shown(self, total: Floats) -> Floats:
        """ln(E − E₀), by columns."""
        more = -np.expm1(np.minimum(self._plain[:, None] - total, 0.0))
        return np.asarray(total + np.log(np.maximum(more, TINY)))

    def holds(self, points: Points) -> Bools:
        """As they have grown; a silence that lies beyond several sides counts for nobody."""
        single = outside(self._grown.closure, points).sum(axis=1) == 1
        return np.asarray(self._grown.holds(points) & single)

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """A star on one side makes all the cuts below it worth more."""
        total = np.repeat(self._total[:, None], len(points), axis=1)
        beyond = outside(self._grown.closure, points)
        single = beyond.sum(axis=1) == 1
        for k, columns, cut, value in self._cuts(points, beyond & single[:, None]):
            side = self._evidence.sides[k]
            more = np.logaddexp(value, cut + np.log(np.expm1(self._evidence.weight)))
            total[:, columns] += np.where(
                np.isfinite(cut), cost(more, self._evidence.share) - side.cost[self._at[k]][:, None], 0.0
            )
        return self._enough - self._shown(total)

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """The closure grows by the point: all cuts below it are void, and who does not reach it must."""
        total = np.repeat(self._total[:, None], len(points), axis=1)
        needs = self._evidence.bounds.needs(points)
        for k, columns, cut, value in self._cuts(points, outside(self._grown.closure, points)):
            side = self._evidence.sides[k]
            with np.errstate(divide="ignore"):
                left = value + np.log1p(-np.exp(np.minimum(cut - value, -TINY)))
                less = np.where(np.isfinite(cut), left, np.log1p(-needs[columns, k]))
            total[:, columns] += cost(less, self._evidence.share) - side.cost[self._at[k]][:, None]
        return self._enough - self._shown(total), self._grown.far_after(points)

    def _cuts(self, points: Points, beyond: Bools) -> Iterator[tuple[int, Counts, Floats, Floats]]:
        """Side by side: the columns beyond it, what the cuts below each point are worth, and all cuts (ln, J × K).

        −∞ where the rival does not reach the point.
        """
        needs, places = self._evidence.bounds.needs(points), outward(self._grown.closure, points)
        for k, side in enumerate(self._evidence.sides):
            columns = np.flatnonzero(beyond[:, k])
            if len(columns):
                place, at = places[columns, k], self._at[k][:, None]
                cut = side.log_cut_at(place, needs[columns, k]) + self._evidence.weight * (at - side.reached(place))
                reaches = self._reach[:, k][:, None] >= place
                yield k, columns, np.where(reaches, cut, -np.inf), side.log_value[at]
