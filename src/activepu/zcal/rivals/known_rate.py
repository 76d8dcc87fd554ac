"""Rivals of a box-like class when the rate is known and bets are made on each side (`bets.known_rate`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from activepu.hypotheses.base import Points
from activepu.zcal.bets.known_rate import KnownRateBets, Side
from activepu.zcal.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.zcal.rivals.grown import Grown, Placed


class KnownRateRivals(Rivals):
    """`Grown` members, and the evidence that is missing against each.

    As long as the stars of a side do not outweigh the bets on it, they add very little evidence. To show progress from
    the first star on, the missing evidence is computed from ln(E − E₀), where E₀ is the share of bets that cut nothing
    off. When a rival is nearly excluded, E₀ is negligible.
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
        """Return ln(E − E₀), by columns."""
        more = -np.expm1(np.minimum(self._plain[:, None] - total, 0.0))
        return np.asarray(total + np.log(np.maximum(more, TINY)))

    def holds(self, points: Points) -> Bools:
        """Return (J, K); no rival holds a point beyond several sides, because a silence there does not count."""
        return self._grown.holds_beyond_one_side(points)

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """Return what is missing after a ★: a star on one side makes all cuts below it worth more."""
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
        """Return what is missing after a reveal: all cuts below the point are void, and all rivals grow to it."""
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
        """Yield, side by side: the columns beyond it, which rivals reach each, and the log worth of the cuts below it.

        The worth depends on a rival only through the number of stars that it reaches, and has one row per number.
        """
        for k in np.flatnonzero(beyond.any(axis=0)).tolist():
            side, columns = self._evidence.sides[k], np.flatnonzero(beyond[:, k])
            place = placed.outward[columns, k]
            yield k, columns, self._reach[:, k, None] >= place, side.log_cuts(place, placed.needs[columns, k])


def _untouched(side: Side, need: Floats) -> Floats:
    """Return ln of the share of bets that do not cut off a side with this reach."""
    with np.errstate(divide="ignore"):
        return np.log(side.cuts.spared(side.cuts.below(need)))
