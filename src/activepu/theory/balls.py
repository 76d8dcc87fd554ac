"""The disagreement region of an empirical ball around a hypothesis, item by item.

x lies in DIS(B̂_T(h, r)) iff some h′ labels x differently from h and differs from it on at most r|T| items of T. So one
number per item says it for all radii at once, its **flip cost** min {|(h Δ h′) ∩ T| : h′(x) ≠ h(x)}. The ball around a
free h is two-sided (h′ may drop parts of h), unlike the version spaces that the learners keep.

*x ∈ h*, intersection-closed classes: h ∩ h′ excludes x too and differs from h by no more. So h′ is h with one bound
moved past x, which drops the part of h on that side of x: the least such count over the sides (or ∅, which drops all).

*x ∉ h*: the least |h Δ B| over the sets B ∋ x of the class. A threshold moves down to x. An interval either grows to x
or, where that costs more than h ∩ T itself, becomes {x}; nothing in between is better. For boxes see `plane_boxes`
(fast, in the plane) and `closed_balls` (any dimension, orthants too), for conjunctions `cube_balls`.

Halfspaces are not closed under intersection: see `plane_halfspaces`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, Points
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.boxlike import Box
from activepu.hypotheses.conjunctions import Conjunctions
from activepu.hypotheses.finite import Member
from activepu.hypotheses.halfspaces import Halfspace
from activepu.hypotheses.orthants import Orthants
from activepu.hypotheses.thresholds import Thresholds
from activepu.theory import closed_balls, cube_balls, plane_boxes, plane_halfspaces

Counts = NDArray[np.int64]

CELLS = 1 << 14
"""Reaches of all faces together that are tried per item, for boxes and orthants."""


def flip_bounds(h: Hypothesis, T: Points, X: Points, cells: int = CELLS) -> tuple[Counts, Counts]:
    """Two flip costs per row of X with respect to h and T, all encoded: one never above the true one, one never below.

    They are equal, hence exact, for finite classes, thresholds, intervals, conjunctions of up to 20 features and
    halfspaces on the line and in the plane; for boxes and orthants wherever `cells` suffices or the search does well.
    The second is always the cost of a member that was found. For halfspaces beyond the plane the first only counts the
    copies of x in T. Both are |T| + 1 where no hypothesis differs.
    """
    if isinstance(h, Member):
        exact = _finite(h, T, X)
        return exact, exact
    if isinstance(h, Halfspace):
        found = plane_halfspaces.costs(h, T, X)
        return (found if T.shape[1] <= 2 else _ties(T, X)), found
    inside = _known(h).contains(X)
    least = np.empty(len(X), np.int64)
    least[inside] = _to_exclude(_known(h), T[h.contains(T)], X[inside])
    found = least.copy()
    least[~inside], found[~inside] = _to_include(_known(h), T, X[~inside], cells)
    return least, found


def flip_costs(h: Hypothesis, T: Points, X: Points, levels: int = 64) -> Counts:
    """The first of `flip_bounds`, never above the true cost, so that a region is never too small.

    Boxes in the plane are counted for all items together: exactly, unless h ∩ T has more than `levels` distinct values
    on an axis; then the bounds tried are rounded to `levels` quantiles. Classes for which nothing useful is known from
    below are refused: halfspaces beyond the plane, conjunctions of more than 20 features.
    """
    hard = isinstance(h, Halfspace) and T.shape[1] > 2
    if hard or (isinstance(h.hypotheses, Conjunctions) and T.shape[1] > cube_balls.EXACT_DIM):
        raise InvalidInput(
            f"No useful flip cost that is never too high is known for {h.hypotheses!r}; use halfspaces in the plane, "
            f"conjunctions of up to {cube_balls.EXACT_DIM} features, or a FiniteClass of the hypotheses of interest."
        )
    if not (isinstance(h.hypotheses, Boxes) and T.shape[1] == 2):
        return flip_bounds(h, T, X)[0]
    inside, positive = _known(h).contains(X), h.contains(T)
    costs = np.empty(len(X), np.int64)
    costs[inside] = _to_exclude(_known(h), T[positive], X[inside])
    costs[~inside] = np.count_nonzero(positive) + _ties(T, X[~inside])  # B = {x}
    if positive.any():
        meeting = plane_boxes.costs_of_meeting(_known(h), T[positive], T[~positive], X[~inside], levels)
        costs[~inside] = np.minimum(costs[~inside], meeting)
    return costs


def _known(h: Hypothesis) -> Box:
    if isinstance(h, Box) and isinstance(h.hypotheses, (Thresholds, Boxes, Orthants, Conjunctions)):
        return h
    raise InvalidInput(
        f"Balls are computed for thresholds, intervals, boxes, orthants, conjunctions, halfspaces and finite classes, "
        f"got {h!r}; list the hypotheses of interest in a FiniteClass instead."
    )


def _finite(h: Member, T: Points, X: Points) -> Counts:
    members = [h.hypotheses.member(index) for index in range(h.hypotheses.size)]
    on_T, on_X = h.contains(T), h.contains(X)
    distances = np.array([np.count_nonzero(other.contains(T) != on_T) for other in members])
    costs = np.full(len(X), len(T) + 1, np.int64)
    for index in np.argsort(-distances, kind="stable"):  # the nearest has the last word
        costs[members[index].contains(X) != on_X] = distances[index]
    return costs


def _to_exclude(h: Box, positives: Points, X: Points) -> Counts:
    costs = np.full(len(X), len(positives), np.int64)
    for axis in range(X.shape[1]):
        column = np.sort(positives[:, axis])
        np.minimum(costs, np.searchsorted(column, X[:, axis], "right"), out=costs)
        if h.hypotheses.two_sided:
            np.minimum(costs, len(column) - np.searchsorted(column, X[:, axis], "left"), out=costs)
    return costs


def _to_include(h: Box, T: Points, X: Points, cells: int) -> tuple[Counts, Counts]:
    if isinstance(h.hypotheses, Conjunctions):
        return cube_balls.costs_to_include(h, T, X)
    if T.shape[1] > 1:
        return closed_balls.costs_to_include(h, T, X, cells)
    positive = h.contains(T)
    column, x = np.sort(T[~positive, 0]), X[:, 0]
    if not h.hypotheses.two_sided:
        exact = len(column) - np.searchsorted(column, x, "left")
        return exact, exact
    exact = np.count_nonzero(positive) + _ties(T, X)  # B = {x}
    if positive.any():
        above = np.searchsorted(column, x, "right") - np.searchsorted(column, h.high[0], "right")
        below = np.searchsorted(column, h.low[0], "left") - np.searchsorted(column, x, "left")
        exact = np.minimum(exact, np.where(x > h.high[0], above, below))
    return exact, exact


def _ties(T: Points, X: Points) -> Counts:
    """How many rows of T equal each row of X."""
    _, inverse, counts = np.unique(np.vstack([T, X]), axis=0, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    in_T = np.bincount(inverse[: len(T)], minlength=len(counts))
    return np.asarray(in_T[inverse[len(T) :]])
