"""The least |h Δ B| over boxes or orthants B that contain x, for x outside h, in any dimension.

A set B that reaches beyond closure(h ∪ {x}) only collects errors, so the best B lies inside it. As B holds x, its faces
towards x lie at x. Every other face may be drawn in, which loses **positives** (h ∩ T) and saves **errors** (outside
h):
- an axis on which x lies within h's range has two free faces (orthants: the lower one);
- an axis on which x lies outside h's range has one, the far one, for boxes only.
A face that saves no error stays where it is, such as the far face where x is outside h's range on a single axis.

The **depth** of a point at a face is how far the face must reach out to hold it, measured from the point of h nearest
to x. Then |h Δ B| = |h ∩ T| − gain, with gain(reaches) = Σ {±1 : depth ≤ reach at every free face}, + for positives.
Of the sets B that do not meet h, closure({x}) is the best.

Useful reaches lie just short of an error, and a reach that adds no positive to the one before is not useful. If the
product of their numbers is at most `cells`, cumulative sums over a grid give the largest gain exactly. Otherwise some
faces keep a few **levels**: a reach between two levels is credited with the positives of the upper one and charged with
the errors of the lower one, so that the cost is never above the true one. From the best cell, from closure(h ∪ {x}) and
from the smallest B, one face after the other is then moved to its best place. That gives a real B, whose cost is never
below the true one. Where both are equal, the cost is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.theory.flips.base import Counts

Floats = NDArray[np.float64]


def costs_to_include(h: Box, T: Points, X: Points, cells: int) -> tuple[Counts, Counts]:
    """Return, per row of X outside h, a cost never above the least |(h Δ B) ∩ T|, and one never below it."""
    inside = h.contains(T)
    positives, outside = T[inside], T[~inside]
    least, found = np.empty(len(X), np.int64), np.empty(len(X), np.int64)
    for row, x in enumerate(X):
        alone = len(positives) + _held(outside, x, x if h.hypotheses.two_sided else None)  # B = closure({x})
        low, high = np.minimum(h.low, x), np.maximum(h.high, x)
        errors = outside[_within(outside, low, high if h.hypotheses.two_sided else None)]
        least[row] = found[row] = min(alone, len(errors))  # or B = closure(h ∪ {x})
        if len(positives) and len(errors):
            of_positives, of_errors = _depths(h, x, positives, errors)
            largest, reached = _gains(of_positives, of_errors, cells)
            least[row] = min(alone, len(positives) - largest)
            found[row] = min(found[row], len(positives) - reached)
    return least, found


def _within(points: Points, low: Floats, high: Floats | None) -> NDArray[np.bool_]:
    inside = np.ones(len(points), bool)
    for axis in range(points.shape[1]):
        inside &= points[:, axis] >= low[axis]
        if high is not None:
            inside &= points[:, axis] <= high[axis]
    return inside


def _held(points: Points, low: Floats, high: Floats | None) -> int:
    return int(np.count_nonzero(_within(points, low, high)))


def _depths(h: Box, x: Floats, positives: Points, errors: Points) -> tuple[Floats, Floats]:
    """Return the depths, with one column per free face that can save an error."""
    below, above = x < h.low, x > h.high
    nearest = np.clip(x, h.low, h.high)
    columns = []
    for axis in range(len(x)):
        if below[axis] or above[axis]:
            signs = [] if not h.hypotheses.two_sided else [1.0 if below[axis] else -1.0]
        else:
            signs = [-1.0, 1.0] if h.hypotheses.two_sided else [-1.0]
        for sign in signs:
            of_errors = np.maximum(0.0, sign * (errors[:, axis] - nearest[axis]))
            if of_errors.any():
                columns.append((np.maximum(0.0, sign * (positives[:, axis] - nearest[axis])), of_errors))
    if not columns:
        return np.empty((len(positives), 0)), np.empty((len(errors), 0))
    return np.column_stack([c[0] for c in columns]), np.column_stack([c[1] for c in columns])


def _gains(positives: Floats, errors: Floats, cells: int) -> tuple[int, int]:
    """Return a gain never below the largest one, and one that some reaches have, from depths with a column per face."""
    if positives.shape[1] == 0:
        return len(positives) - len(errors), len(positives) - len(errors)
    P, E, sizes = _places(positives, errors)
    levels = _levels(sizes, cells)
    at = [np.searchsorted(level, P[:, face]) for face, level in enumerate(levels)]
    charged = []
    for face, level in enumerate(levels):
        place = np.searchsorted(level, E[:, face])
        thinned = len(level) < sizes[face]
        charged.append(place + ((place > 0) if thinned else 0))
    shape = tuple(len(level) for level in levels)
    ever = np.all([c < size for c, size in zip(charged, shape, strict=True)], axis=0)
    grid = np.zeros(shape, np.int64)
    np.add.at(grid, tuple(at), 1)
    np.subtract.at(grid, tuple(c[ever] for c in charged), 1)
    for face in range(len(shape)):
        np.cumsum(grid, axis=face, out=grid)
    best = np.unravel_index(int(np.argmax(grid)), shape)
    largest = int(grid[best])
    if all(len(level) == size for level, size in zip(levels, sizes, strict=True)):
        return largest, largest
    starts = [
        [int(level[j]) for level, j in zip(levels, best, strict=True)],
        [size - 1 for size in sizes],
        [0] * len(sizes),
    ]
    return largest, max(_climb(P, E, sizes, start) for start in starts)


def _places(positives: Floats, errors: Floats) -> tuple[Counts, Counts, list[int]]:
    """Return depths as numbers of useful reaches: a point is held by that reach and by all later ones."""
    P, E = np.empty(positives.shape, np.int64), np.empty(errors.shape, np.int64)
    sizes = []
    for face in range(positives.shape[1]):
        steps = np.unique(errors[:, face])
        steps = steps[steps > 0]  # reach j ends just short of step j
        of_positives = np.searchsorted(steps, positives[:, face], "right")
        useful = np.union1d([0], of_positives)
        P[:, face] = np.searchsorted(useful, of_positives)
        E[:, face] = np.searchsorted(useful, np.searchsorted(steps, errors[:, face], "right"))
        sizes.append(len(useful))
    return P, E, sizes


def _levels(sizes: list[int], cells: int) -> list[Counts]:
    """Return which reaches each face tries: all where the grid has room, at least the first and the last."""
    room = {face: 1 for face in range(len(sizes))}
    left = float(cells)
    for done, face in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        room[face] = min(sizes[face], max(2, int(left ** (1.0 / (len(sizes) - done)) + 1e-9)))
        left = max(1.0, left / room[face])
    return [np.unique(np.linspace(0, sizes[f] - 1, room[f]).round().astype(np.int64)) for f in range(len(sizes))]


def _climb(P: Counts, E: Counts, sizes: list[int], reach: list[int]) -> int:
    """Return the gain after moving one face at a time to its best place, until none moves."""
    place = np.array(reach)
    gain = None
    while True:
        before = gain
        for face, size in enumerate(sizes):
            others = np.arange(len(sizes)) != face
            held = (P[:, others] <= place[others]).all(axis=1)
            wrong = (E[:, others] <= place[others]).all(axis=1) & (E[:, face] < size)
            sums = np.bincount(P[held, face], minlength=size) - np.bincount(E[wrong, face], minlength=size)
            sums = np.cumsum(sums)
            place[face] = int(np.argmax(sums))
            gain = int(sums[place[face]])
        if gain == before:
            return int(gain or 0)
