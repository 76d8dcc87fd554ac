"""The disagreement region of an empirical ball around a hypothesis, item by item.

x lies in DIS(B̂_T(h, r)) iff some h′ labels x differently from h and differs from it on at most r|T| items of T. So one
number per item says it for all radii at once, its **flip cost** min {|(h Δ h′) ∩ T| : h′(x) ≠ h(x)}. The ball around a
free h is two-sided (h′ may drop parts of h), unlike the version spaces that the learners keep.

*x ∈ h*: h′ excludes x by a bound past x in one coordinate, so it drops at least the part of h on that side of x, and
moving that one bound drops no more: the least such count over the sides.

*x ∉ h*: the least |h Δ B| over the sets B ∋ x of the class. A threshold moves down to x. An interval either grows to x
or, where that costs more than h ∩ T itself, becomes {x}; nothing in between is better. For boxes see `plane_boxes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, Points
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.closed import Closure
from activepu.hypotheses.finite import Member
from activepu.hypotheses.thresholds import Thresholds
from activepu.theory import plane_boxes

Counts = NDArray[np.int64]


def flip_costs(h: Hypothesis, T: Points, X: Points, levels: int = 64) -> Counts:
    """Flip costs of X with respect to h and T, all encoded; |T| + 1 where no hypothesis differs.

    For finite classes, thresholds, intervals and boxes in the plane. Exact, except for boxes where h ∩ T has more than
    `levels` distinct values on an axis: then the bounds tried are rounded to `levels` quantiles, so that a cost is
    never above the true one and a region never too small.
    """
    if isinstance(h, Member):
        return _finite(h, T, X)
    if not isinstance(h, Closure) or not isinstance(h.hypotheses, (Thresholds, Boxes)) or T.shape[1] > 2:
        raise InvalidInput(
            f"balls are computed for finite classes, thresholds, intervals and boxes in the plane, got {h!r}; "
            "list the hypotheses of interest in a FiniteClass instead."
        )
    inside = h.contains(X)
    costs = np.empty(len(X), np.int64)
    costs[inside] = _to_exclude(h, T[h.contains(T)], X[inside])
    costs[~inside] = _to_include(h, T, X[~inside], levels)
    return costs


def _finite(h: Member, T: Points, X: Points) -> Counts:
    members = [h.hypotheses.member(index) for index in range(h.hypotheses.size)]
    on_T, on_X = h.contains(T), h.contains(X)
    distances = np.array([np.count_nonzero(other.contains(T) != on_T) for other in members])
    costs = np.full(len(X), len(T) + 1, np.int64)
    for index in np.argsort(-distances, kind="stable"):  # the nearest has the last word
        costs[members[index].contains(X) != on_X] = distances[index]
    return costs


def _to_exclude(h: Closure, positives: Points, X: Points) -> Counts:
    costs = np.full(len(X), len(positives), np.int64)
    for axis in range(X.shape[1]):
        column = np.sort(positives[:, axis])
        np.minimum(costs, np.searchsorted(column, X[:, axis], "right"), out=costs)
        if h.hypotheses.two_sided:
            np.minimum(costs, len(column) - np.searchsorted(column, X[:, axis], "left"), out=costs)
    return costs


def _to_include(h: Closure, T: Points, X: Points, levels: int) -> Counts:
    outside = T[~h.contains(T)]
    if isinstance(h.hypotheses, Thresholds):
        column = np.sort(outside[:, 0])
        return len(column) - np.searchsorted(column, X[:, 0], "left")
    positives = T[h.contains(T)]
    costs = len(positives) + _ties(T, X)  # B = {x}
    if len(positives) == 0:
        return costs
    if X.shape[1] == 2:
        return np.minimum(costs, plane_boxes.costs_of_meeting(h, positives, outside, X, levels))
    column = np.sort(outside[:, 0])
    x = X[:, 0]
    above = np.searchsorted(column, x, "right") - np.searchsorted(column, h.high[0], "right")
    below = np.searchsorted(column, h.low[0], "left") - np.searchsorted(column, x, "left")
    return np.asarray(np.minimum(costs, np.where(x > h.high[0], above, below)))


def _ties(T: Points, X: Points) -> Counts:
    """How many rows of T equal each row of X."""
    _, inverse, counts = np.unique(np.vstack([T, X]), axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    in_T = np.bincount(inverse[: len(T)], minlength=len(counts))
    return np.asarray(in_T[inverse[len(T) :]])
