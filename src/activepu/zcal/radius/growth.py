"""How many rows can a box take in by growing, if the number of stars that it takes in is limited?

In the levels of `largest`: t is the reach, low ≤ t, and a point is inside if its level is ≤ t on every side.
- A star that is beyond `low` on one side only is taken in as soon as t reaches its level there. Such stars add up over
  the sides: stars(t) ≥ stars(low) + Σ_k a_k(t_k).
- A row that is beyond `low` on several sides is taken in only once all its levels are reached, so it may be counted on
  any one of these sides: rows(t) ≤ rows(low) + Σ_k b_k(t_k). It is counted where most stars come before it.

What remains is a knapsack over the sides with room for limit − stars(low). Hence, for every price λ ≥ 0 of a star,

    rows(t) ≤ rows(low) + λ·room + Σ_k max_{t_k} (b_k(t_k) − λ·a_k(t_k)).

A price that makes this small is found on a grid. Any price gives a valid bound. The bound is good where stars lie
beyond single sides, hence it improves as `low` rises.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Levels = NDArray[np.int32]

PRICES = 2.0 ** np.arange(-6, 7)
"""As multiples of rows per star."""
STEPS = np.linspace(0.0, 1.0, 9)
"""Between the neighbours of the best price so far, twice."""
ROUNDING = 1e-9


class Grown(NamedTuple):
    """No reach holds more than `bound` rows; good prices suggest `reaches`; `split`: the side and level to split at."""

    bound: int
    reaches: list[Levels]
    split: tuple[int, int]


class Growth:
    """Growth from `low` on, under the cap that leaves the least room. Levels of side k are numbered from first[k]."""

    def __init__(self, low: Levels, first: Levels, stars: Levels, weights: Floats, limits: Floats) -> None:
        beyond = stars > low[:, None]
        sides = beyond.sum(axis=0)
        single = np.flatnonzero(sides == 1)
        side = np.argmax(beyond[:, single], axis=0)
        rooms, totals = limits - weights @ (sides == 0), weights[:, single].sum(axis=1)
        tightest = np.argmin(rooms / np.maximum(totals, 1.0))
        self.low, self.first = low, first
        self.room = float(rooms[tightest])
        self.passed = self._up_to(side, stars[side, single], weights[tightest, single])

    def _up_to(self, side: NDArray[np.intp], level: Levels, weight: Floats) -> Floats:
        """Return the weight up to each level of each side."""
        total = np.cumsum(np.bincount(self.first[side] + level, weight, minlength=self.first[-1]))
        return np.asarray(total - np.repeat(np.append(0.0, total)[self.first[:-1]], np.diff(self.first)))

    def stars_before(self, levels: Levels) -> Floats:
        """Return (sides, rows): how many stars come before a row on each side; −1 where it is not beyond `low`."""
        return np.where(levels > self.low[:, None], self.passed[self.first[:-1, None] + levels], -1.0)

    def possible(self, before: Floats) -> NDArray[np.bool_]:
        """Return which rows can be taken in at all."""
        return np.asarray(np.maximum(before, 0.0).sum(axis=0) <= self.room)

    def bound(self, levels: Levels, before: Floats, counts: Floats) -> Grown:
        """Return the bound over all reaches from `low` on; each column of `levels` counts for `counts` equal rows."""
        beyond = np.flatnonzero(before.max(axis=0) >= 0.0)
        side = np.argmax(before[:, beyond], axis=0)
        level, count = levels[side, beyond], counts[beyond]
        rows = self._up_to(side, level, count)
        inside = counts.sum() - count.sum()

        def bounds(prices: Floats) -> Floats:
            gains = np.maximum.reduceat(rows - prices[:, None] * self.passed, self.first[:-1], axis=1).sum(axis=1)
            return np.asarray(inside + prices * self.room + gains)

        prices = np.append(0.0, PRICES * count.sum() / max(1.0, self.passed.max()))
        for _ in range(2):
            k = int(np.argmin(bounds(prices)))
            around = prices[max(0, k - 1) : k + 2]
            prices = around[0] + STEPS * (around[-1] - around[0])
        least = bounds(prices)
        k = int(np.argmin(least))
        reaches = [self._best(rows - price * self.passed) for price in prices[[k, min(k + 1, len(prices) - 1)]]]
        split = self._split(levels, side, level, count, beyond, reaches[0])
        return Grown(int(least[k] + ROUNDING), reaches, split)

    def _best(self, gains: Floats) -> Levels:
        best = [np.argmax(side) for side in np.split(gains, self.first[1:-1])]
        return np.maximum(best, self.low).astype(np.int32)

    def _split(
        self,
        levels: Levels,
        side: NDArray[np.intp],
        level: Levels,
        count: Floats,
        beyond: NDArray[np.intp],
        reach: Levels,
    ) -> tuple[int, int]:
        """Return where to split: the side on which most rows were counted that `reach` lacks, at the median level.

        If `reach` lacks none, the side on which most rows were counted.
        """
        counted = level <= reach[side]
        missing = counted & (levels[:, beyond] > reach[:, None]).any(axis=0)
        chosen = missing if missing.any() else counted
        if not chosen.any():
            chosen = np.ones(len(beyond), bool)
        worst = int(np.argmax(np.bincount(side[chosen], count[chosen], minlength=len(reach))))
        mine = chosen & (side == worst)
        order = np.argsort(level[mine], kind="stable")
        sums = np.cumsum(count[mine][order])
        return worst, int(level[mine][order][np.searchsorted(sums, sums[-1] / 2)])
