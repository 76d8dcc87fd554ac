"""Rivals of an intersection-closed class where every side has evidence of its own (`bets.known_rate`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from activepu.hypotheses.base import Points
from activepu.zcal.bets.known_rate import KnownRateBets, Side
from activepu.zcal.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.zcal.rivals.grown import Grown, Placed


class KnownRateRivals(Rivals):
    """`Grown` members, and what is missing against each.

    Stars of a side that do not outweigh the bets on it add hardly any evidence. To see progress from the first star on,
    what is missing is counted from ln(E − E₀), E₀ being the bets that cut nothing off. When a rival is near its end, E₀
    is nothing.
    """

    def __init__(self, grown: Grown, evidence: KnownRateBets, enough: float, weight: float) -> None:
        self._grown, self._evidence, self.weight = grown, evidence, weight * grown.share
        self.far, self._enough = np.ones(len(grown.low), bool), enough
        self._reach = grown.ends
        self._at = [side.reached(self._reach[:, k]) for k, side in enumerate(evidence.sides)]
        self._total = np.sum([side.cost[at] for side, at in zip(evidence.sides, self._at, strict=True)], axis=0)
        reach = evidence.bounds.reach(grown.low, grown.high)
        self._plain = np.sum([_untouched(side, reach[:, k]) for k, side in enumerate(evidence.sides)], axis=0)
        self.missing = enough - self._shown(self._total[:, None])[:, 0]

    def _shown(self, total: Floats) -> Floats:
        """ln(E − E₀), by columns."""
        more = -np.expm1(np.minimum(self._plain[:, None] - total, 0.0))
        return np.asarray(total + np.log(np.maximum(more, TINY)))

    def holds(self, points: Points) -> Bools:
        """As they have grown; a silence that lies beyond several sides counts for nobody."""
        return self._grown.holds_beyond_one_side(points)

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """A star on one side makes all the cuts below it worth more."""
        total = np.repeat(self._total[:, None], len(points), axis=1)
        placed = self._grown.placed(points, self._evidence.bounds)
        beyond = placed.beyond
        more = float(np.log(np.expm1(self._evidence.weight)))
        for k, columns, reaches, cut in self._cuts(placed, beyond & (beyond.sum(axis=1) == 1)[:, None]):
            side = self._evidence.sides[k]
            costs = np.logaddexp(side.cost[:, None], cut + more)
            total[:, columns] += np.where(reaches, (costs - side.cost[:, None])[self._at[k]], 0.0)
        return self._enough - self._shown(total)

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """The closure grows by the point: all cuts below it are void, and who does not reach it must."""
        total = np.repeat(self._total[:, None], len(points), axis=1)
        placed = self._grown.placed(points, self._evidence.bounds)
        for k, columns, reaches, cut in self._cuts(placed, placed.beyond):
            side = self._evidence.sides[k]
            value, grown = side.cost[:, None], _untouched(side, placed.needs[columns, k])
            with np.errstate(divide="ignore"):
                costs = (value + np.log1p(-np.exp(np.minimum(cut - value, -TINY))))[self._at[k]]
            total[:, columns] += np.where(reaches, costs, grown) - side.cost[self._at[k]][:, None]
        return self._enough - self._shown(total), self._grown.far_after(points)

    def _cuts(self, placed: Placed, beyond: Bools) -> Iterator[tuple[int, Counts, Bools, Floats]]:
        """Side by side: the columns beyond it, which rivals reach each, and what the cuts below it are worth (ln).

        A rival is known by the number of stars that it reaches, so that the last has a row for each such number.
        """
        for k in np.flatnonzero(beyond.any(axis=0)).tolist():
            side, columns = self._evidence.sides[k], np.flatnonzero(beyond[:, k])
            place = placed.outward[columns, k]
            yield k, columns, self._reach[:, k, None] >= place, side.log_cuts(place, placed.needs[columns, k])


def _untouched(side: Side, need: Floats) -> Floats:
    """ln of the bets that leave a side alone which reaches so far."""
    with np.errstate(divide="ignore"):
        return np.log(side.cuts.spared(side.cuts.below(need)))
