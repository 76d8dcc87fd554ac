"""Flip costs of box-like classes: thresholds, intervals, boxes, orthants.

*x ∈ h*: h ∩ h′ excludes x too and differs from h by no more. So h′ is h with one bound moved past x, which drops the
part of h on that side of x. The cost is the least such count over the sides, or that of ∅, which drops everything.

*x ∉ h*: the least |h Δ B| over the sets B ∋ x of the class. A threshold moves down to x. An interval either grows to x
or, where that costs more than h ∩ T itself, becomes {x}; nothing in between is better. In more dimensions see
`plane_boxes` (fast, two-sided in the plane) and `box_search` (any dimension, orthants too).

Every box has the labels of a member on finitely many points, namely of the closure of the points that it holds. So
the costs are right for every `BoxLike` class.
"""

from __future__ import annotations

import numpy as np

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.theory.flips import box_search, plane_boxes
from activepu.theory.flips.base import Counts, FlipCosts

CELLS = 1 << 14
"""Combinations of reaches that are tried per item, over all faces together (`box_search`)."""
LEVELS = 64
"""Values per axis at which a bound may stop when all items are counted together (`plane_boxes`)."""


class BoxFlips(FlipCosts):
    """Exact on the line, and elsewhere as far as `cells` and `levels` go.

    `bounds` tries up to `cells` combinations of reaches per item. `least` counts two-sided boxes of the plane for all
    items together: exactly, unless h ∩ T has more than `levels` distinct values on an axis; then the bounds tried are
    rounded to `levels` quantiles.
    """

    h: Box

    def __init__(self, h: Box, T: Points, cells: int = CELLS, levels: int = LEVELS) -> None:
        super().__init__(h, T)
        self.cells, self.levels = cells, levels
        self.positive = h.contains(T)

    def bounds(self, X: Points) -> tuple[Counts, Counts]:
        """Return costs never above and never below the true ones."""
        inside = self.h.contains(X)
        least = np.empty(len(X), np.int64)
        least[inside] = self._to_exclude(X[inside])
        found = least.copy()
        least[~inside], found[~inside] = self._to_include(X[~inside])
        return least, found

    def least(self, X: Points) -> Counts:
        """Return costs that are never above the true ones."""
        if not (self.h.hypotheses.two_sided and self.T.shape[1] == 2):
            return super().least(X)
        inside, h, T = self.h.contains(X), self.h, self.T
        costs = np.empty(len(X), np.int64)
        costs[inside] = self._to_exclude(X[inside])
        costs[~inside] = np.count_nonzero(self.positive) + copies(T, X[~inside])  # B = {x}
        if self.positive.any():
            meeting = plane_boxes.costs_of_meeting(h, T[self.positive], T[~self.positive], X[~inside], self.levels)
            costs[~inside] = np.minimum(costs[~inside], meeting)
        return costs

    def _to_exclude(self, X: Points) -> Counts:
        """Return exact costs of items inside h."""
        positives = self.T[self.positive]
        costs = np.full(len(X), len(positives), np.int64)
        for axis in range(X.shape[1]):
            column = np.sort(positives[:, axis])
            np.minimum(costs, np.searchsorted(column, X[:, axis], "right"), out=costs)
            if self.h.hypotheses.two_sided:
                np.minimum(costs, len(column) - np.searchsorted(column, X[:, axis], "left"), out=costs)
        return costs

    def _to_include(self, X: Points) -> tuple[Counts, Counts]:
        """Return costs never above and never below the true ones, of items outside h."""
        if self.T.shape[1] > 1:
            return box_search.costs_to_include(self.h, self.T, X, self.cells)
        column, x = np.sort(self.T[~self.positive, 0]), X[:, 0]
        if not self.h.hypotheses.two_sided:
            exact = len(column) - np.searchsorted(column, x, "left")
            return exact, exact
        exact = np.count_nonzero(self.positive) + copies(self.T, X)  # B = {x}
        if self.positive.any():
            above = np.searchsorted(column, x, "right") - np.searchsorted(column, self.h.high[0], "right")
            below = np.searchsorted(column, self.h.low[0], "left") - np.searchsorted(column, x, "left")
            exact = np.minimum(exact, np.where(x > self.h.high[0], above, below))
        return exact, exact


def copies(T: Points, X: Points) -> Counts:
    """Return how many rows of T equal each row of X."""
    _, inverse, counts = np.unique(np.vstack([T, X]), axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    in_T = np.bincount(inverse[: len(T)], minlength=len(counts))
    return np.asarray(in_T[inverse[len(T) :]])
