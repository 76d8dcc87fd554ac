"""Flip costs of halfspaces: exact in the plane, the cost of some member beyond it.

Write x̃ = (x, 1) and h = {x : h·x̃ ≥ 0}. **The best g has x on its boundary.** Let h·x̃ < 0 ≤ g·x̃ and g_t = (1 − t)g +
th. Where g and h agree, g_t agrees with both: two numbers ≥ 0, or two < 0, keep their sign in a convex combination. So
g_t Δ h ⊆ g Δ h, and the t at which g_t·x̃ = 0 is as good as g. For x ∈ h exchange the two labels: on finitely many
points open and closed halfspaces make the same dichotomies.

In the plane a line turns about x. With the weights +1 for items of x's own label and −1 for the others,
cost = |others| + the least sum over closed half-planes with x on their boundary. The sum changes only where the line
passes other items. Of the items on such a line the half-plane, turned a little, holds those ahead of x or those behind
it. It cannot leave out both, as x lies between them, and to hold both is no better: items of the other label do not lie
on both sides of x. O(n log n) per item, by prefix sums over sorted angles.

Beyond the plane, normals in the span of two directions see items through two coordinates only, where the sweep is
exact. From h's own normal the search turns towards one random direction after another, and keeps the best. That is the
cost of a real member: never below the true one.

Assumption: in coordinates in which all items fill [−1, 1]^D, items nearer than 1e-12 are read as equal, and items that
x sees within 1e-10 rad of one line as lying on that line.
"""

from __future__ import annotations

import numpy as np

from activepu.hypotheses.base import Points
from activepu.hypotheses.halfspaces import Floats, Frame, Halfspace
from activepu.theory.flips.base import Counts, FlipCosts
from activepu.theory.flips.boxes import copies

SAME_ANGLE = 1e-10
SAME_PLACE = 1e-12
TURNS = 8
"""How often per dimension the boundary turns towards a random direction, beyond the plane."""


class HalfspaceFlips(FlipCosts):
    """Exact on the line and in the plane. Beyond it, `bounds` gives the cost of a halfspace that was found.

    The bound from below only counts the copies of x in T there, so that `least` refuses.
    """

    h: Halfspace

    def bounds(self, X: Points) -> tuple[Counts, Counts]:
        """Return costs never above and never below the true ones."""
        found = self._found(X)
        return (found if self.T.shape[1] <= 2 else copies(self.T, X)), found

    def least(self, X: Points) -> Counts:
        """Return exact costs, or refuse."""
        if self.T.shape[1] > 2:
            raise self._no_useful_bound()
        return super().least(X)

    def _found(self, X: Points) -> Counts:
        """Return exact costs in one and two dimensions, else those of the best halfspaces found."""
        h, T = self.h, self.T
        on_T, on_X = h.contains(T), h.contains(X)
        frame = Frame.around(np.concatenate([T, X]))
        T, X = frame.lift(T)[:, :-1], frame.lift(X)[:, :-1]
        dim = T.shape[1]
        if dim == 1:
            T, X = np.pad(T, ((0, 0), (0, 1))), np.pad(X, ((0, 0), (0, 1)))
        normal = h.w * frame.scale if h.w.any() else np.eye(dim)[0]
        turns = np.random.default_rng(0).normal(size=(TURNS * dim, dim))
        costs = np.empty(len(X), np.int64)
        for row, (x, label) in enumerate(zip(X, on_X, strict=True)):
            weights = np.where(on_T == label, 1, -1)
            others = np.count_nonzero(on_T != label)
            sums = _least_sum(T - x, weights)[0] if dim <= 2 else _descend(T - x, weights, normal, turns)
            costs[row] = others + sums
        return costs


def _descend(d: Floats, weights: Counts, normal: Floats, turns: Floats) -> int:
    """Return the least sum found over closed halfspaces with 0 on their boundary; `normal` turns towards each v."""
    least = len(d)
    for v in turns:
        plane = np.column_stack([_along(d, normal / np.linalg.norm(normal)), _along(d, v)])
        found, angle = _least_sum(plane, weights)
        least = min(least, found)
        normal = np.cos(angle) * normal / np.linalg.norm(normal) + np.sin(angle) * v
    return least


def _along(points: Floats, direction: Floats) -> Floats:
    """Return products with a direction, axis by axis, so that equal rows stay equal to the last digit."""
    return np.asarray(sum(points[:, axis] * value for axis, value in enumerate(direction)))


def _least_sum(d: Floats, weights: Counts) -> tuple[int, float]:
    """Return the least sum of weights over half-planes with only 0 on their boundary, and the angle of the normal."""
    apart = np.abs(d).max(axis=1, initial=0.0) > SAME_PLACE
    with_x = int(weights[~apart].sum())
    if not apart.any():
        return with_x, 0.0
    d, weights = d[apart], weights[apart]
    theta = np.mod(np.arctan2(d[:, 1], d[:, 0]), np.pi)
    theta[theta > np.pi - SAME_ANGLE] -= np.pi
    order = np.argsort(theta, kind="stable")
    theta, d, weights = theta[order], d[order], weights[order]
    start = np.flatnonzero(np.diff(theta, prepend=-np.inf) > SAME_ANGLE)
    is_ahead = np.cos(theta) * d[:, 0] + np.sin(theta) * d[:, 1] > 0
    ahead = np.add.reduceat(np.where(is_ahead, weights, 0), start)
    behind = np.add.reduceat(np.where(is_ahead, 0, weights), start)
    turned, back = np.cumsum(ahead), np.cumsum(behind)
    # Left of the line: ahead of 0 at a larger angle, or behind it at a smaller one.
    left = turned[-1] - turned + back - behind
    right = turned - ahead + back[-1] - back
    between = np.stack([left + behind, right + ahead])  # turned on, to between this line and the next
    side, line = np.unravel_index(int(np.argmin(between)), between.shape)
    following = np.append(theta[start[1:]], theta[0] + np.pi)
    angle = (theta[start[line]] + following[line]) / 2 + (np.pi / 2 if side == 0 else -np.pi / 2)
    return with_x + int(between[side, line]), float(angle)
