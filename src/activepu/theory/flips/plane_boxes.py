"""The least |h Δ B| over boxes B in the plane that contain x and meet the box h, for x outside h.

A box that reaches beyond closure(h ∪ {x}) only collects errors. So the best B is closure(C ∪ {x}) for a box C ⊆ h that
keeps the faces of h towards x. What remains to choose:
- x *beside an edge*, within h's range on one axis: C is a slab l ≤ · ≤ u of h on that axis with l ≤ x ≤ u. The errors
  left and right of x do not depend on each other, so l and u are chosen separately.
- x *off a corner*: the two lower faces l1, l2 (after reflection), chosen together. With H(l1, l2) the positives kept,
  |h Δ B| = |h| − H(l1, l2) + (beside the right face, above l2) + (above the top face, right of l1) + (in the corner).

A bound lies at a coordinate of h ∩ T. With more coordinates than `levels`, a bound in (g_{j−1}, g_j] is credited
with the positives above g_{j−1} and charged with the errors from g_j on, which can only lower the cost.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.theory.flips.base import Counts

Column = NDArray[np.float64]

_CELLS = 4_000_000
"""How many numbers a chunk may hold."""


def costs_of_meeting(h: Box, positives: Points, outside: Points, X: Points, levels: int) -> Counts:
    """Return the least |(h Δ B) ∩ T| per row of X; T is given as its part in h and its part outside."""
    side = np.where(h.low > X, -1, np.where(h.high < X, 1, 0))
    costs = np.empty(len(X), np.int64)
    for signs in product((-1, 0, 1), repeat=2):
        rows = np.flatnonzero((side == signs).all(axis=1))
        if len(rows) == 0:
            continue
        # Reflect, so that x lies above h where it lies outside; swap, so that the axis within h's range is the first.
        flip = np.where(np.array(signs) < 0, -1.0, 1.0)
        axes = [1, 0] if signs[1] == 0 else [0, 1]
        low, high = np.sort(np.array([h.low * flip, h.high * flip]), axis=0)[:, axes]
        P, Q, Y = ((points * flip)[:, axes] for points in (positives, outside, X[rows]))
        corner = 0 not in signs
        costs[rows] = _off_corner(low, high, P, Q, Y, levels) if corner else _beside_edge(low, high, P, Q, Y, levels)
    return costs


def _grid(column: Column, levels: int) -> Column:
    """Return the distinct values, thinned to `levels` of them; the largest stays."""
    values = np.unique(column)
    if len(values) <= levels:
        return values
    return np.asarray(values[np.unique(np.linspace(0, len(values) - 1, levels).round().astype(int))])


def _cumulative(order_by: Column, cells: Counts, width: int, limits: Column) -> Counts:
    """Return for row x and column j how many points with order_by ≤ limits[x] have cell j."""
    order = np.argsort(order_by, kind="stable")
    upto = np.searchsorted(order_by[order], limits, "right")
    marks = np.zeros((len(order_by) + 1, width), np.int64)
    marks[np.arange(1, len(order_by) + 1), cells[order]] = 1
    return np.asarray(np.cumsum(marks, axis=0)[upto])


def _dominated(points: Points, X: Points) -> Counts:
    """Return how many points are ≤ x in both coordinates."""
    counts = np.zeros(len(X), np.int64)
    step = max(1, _CELLS // max(1, len(points)))
    for start in range(0, len(X), step):
        x = X[start : start + step]
        below = (points[:, 0] <= x[:, :1]) & (points[:, 1] <= x[:, 1:])
        counts[start : start + step] = below.sum(axis=1)
    return counts


def _off_corner(low: Column, high: Column, P: Points, Q: Points, X: Points, levels: int) -> Counts:
    g1, g2 = _grid(P[:, 0], levels), _grid(P[:, 1], levels)
    kept = np.zeros((len(g1), len(g2)), np.int64)
    np.add.at(kept, (np.searchsorted(g1, P[:, 0], "left"), np.searchsorted(g2, P[:, 1], "left")), 1)
    kept = kept[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]

    def strip(axis: int, grid: Column) -> Counts:
        """Return the errors beyond h on `axis` and within its range on the other axis, from each level upwards."""
        other = 1 - axis
        part = Q[(Q[:, axis] > high[axis]) & (Q[:, other] >= low[other]) & (Q[:, other] <= high[other])]
        cells = np.searchsorted(grid, part[:, other], "right")
        table = _cumulative(part[:, axis], cells, len(grid) + 1, X[:, axis])
        return np.asarray(table[:, ::-1].cumsum(axis=1)[:, -2::-1])

    right, top = strip(0, g2), strip(1, g1)
    gain = np.empty(len(X), np.int64)
    step = max(1, _CELLS // kept.size)
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        gain[rows] = (kept - top[rows, :, None] - right[rows, None, :]).max(axis=(1, 2))
    corner = Q[(high < Q).all(axis=1)]
    return np.asarray(len(P) - gain + _dominated(corner, X))


def _beside_edge(low: Column, high: Column, P: Points, Q: Points, X: Points, levels: int) -> Counts:
    Q = Q[(Q[:, 0] >= low[0]) & (Q[:, 0] <= high[0]) & (Q[:, 1] > high[1])]
    mirror = np.array([-1.0, 1.0])
    left, own = _best_left(P, Q, X, levels)
    right, _ = _best_left(P * mirror, Q * mirror, X * mirror, levels)
    return np.asarray(len(P) - (left + right - own))


def _best_left(P: Points, Q: Points, X: Points, levels: int) -> tuple[Counts, Counts]:
    """Return the max over l ≤ x1 of (positives − errors) in [l, x1], and the same at l = u = x1 alone."""
    grid, column = _grid(P[:, 0], levels), np.sort(P[:, 0])
    upto = np.searchsorted(column, X[:, 0], "right")
    before = np.searchsorted(column, np.concatenate([[-np.inf], grid[:-1]]), "right")  # positives ≤ g_{j−1}
    cells = np.searchsorted(grid, Q[:, 0], "right")
    table = _cumulative(Q[:, 1], cells, len(grid) + 1, X[:, 1])
    errors_before = table.cumsum(axis=1)[:, :-1]  # column j: errors with t1 < g_j
    errors_upto = _dominated(Q, X)
    errors_left = _dominated(Q, np.column_stack([np.nextafter(X[:, 0], -np.inf), X[:, 1]]))
    gain = np.where(grid <= X[:, :1], errors_before - before, np.iinfo(np.int64).min).max(axis=1)
    # The last bound, l = x1 itself, lies above the largest level that is ≤ x1.
    reached = np.searchsorted(grid, X[:, 0], "right")
    passed = np.where(reached > 0, np.searchsorted(column, grid[np.maximum(reached, 1) - 1], "right"), 0)
    gain = np.maximum(gain, errors_left - passed)
    own = (upto - np.searchsorted(column, X[:, 0], "left")) - (errors_upto - errors_left)
    return np.asarray(gain + upto - errors_upto), np.asarray(own)
