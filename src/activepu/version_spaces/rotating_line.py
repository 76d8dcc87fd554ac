"""Halfspaces in the plane under signed caps: all dichotomies of the constraint sites, by a rotating line.

Write x̃ = (x, 1) and h_g = {x : g·x̃ ≥ 0}, g ∈ R³. The planes {g : g·x̃ = 0} of the constraint sites x cut R³ into cones,
and on each open cone all sites keep their labels, so that V is a union of such cones. (Labels on a face also occur in
the interior of a cone: lower b a little.) Three extra sites without constraints, a triangle, make every cone pointed,
hence spanned by rays. A ray is a line through two sites, with a side. So with G the rays of the cones whose labels meet
all constraints:
- x lies in some h ∈ V ⇔ g·x̃ > 0 for some g ∈ G;    x lies in all ⇔ g·x̃ ≥ 0 for all g ∈ G;    V = ∅ ⇔ G = ∅.

*Enumeration.* Turn a line about each site (the pivot). At every direction in which it meets other sites, the sites off
the line are labelled by their side. The cones that meet in this ray are the ways in which a slightly moved line labels
the sites on the line: one label behind a cut and one ahead of it. Cuts next to the pivot are enough, because each site
is a pivot in turn. Prefix sums over the sorted angles give all signed sums at once: O(n log n) per pivot and cap
(Edelsbrunner, Algorithms in Combinatorial Geometry, 1987, ch. 12, for the duality).

Assumption: sites that are collinear up to 1e-10 rad are read as collinear, in coordinates in which they fill [−1, 1]².
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.halfspaces import Floats
from activepu.version_spaces.level import SAME_ANGLE

TRIANGLE = np.array([[0.13, 3.1], [-2.9, -2.3], [3.3, -1.7]])
# Labels of (the sites behind the pivot, the pivot, the sites ahead of it) on a line that is moved a little.
CUTS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]], np.float64)
PIVOT = -1


def rays(lifted: Floats, weights: NDArray[np.int64], limits: NDArray[np.int64]) -> Iterator[Floats]:
    """Yield G, pivot by pivot."""
    for vertex in _vertices(lifted, weights, limits):
        sides = np.asarray(vertex.feasible.any(axis=1))
        yield np.concatenate([vertex.lines[sides[0]], -vertex.lines[sides[1]]])


def fewest(
    lifted: Floats, weights: NDArray[np.int64], limits: NDArray[np.int64], count: NDArray[np.int64]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return a vector inside the first cone of V whose labels have the least sum of `count`, and its labels; V ≠ ∅."""
    best: _Ray | None = None
    least = np.inf
    for vertex in _vertices(lifted, np.vstack([weights, count]), np.append(limits.astype(np.float64), np.inf)):
        values = np.where(vertex.feasible, vertex.last, np.inf)
        if values.min() < least:
            least = values.min()
            side, cut, line = (int(part) for part in np.unravel_index(np.argmin(values), values.shape))
            best = _Ray(vertex.pivot, vertex.lines[line], side, cut, np.isin(vertex.groups, [line, PIVOT]))
    if best is None:
        raise AssertionError("a nonempty version space has a cone")  # `smallest` has refused an empty one
    return _inside(lifted, best)


class _Vertices(NamedTuple):
    """The rays at one pivot: `lines` (m, 3) with unit normals, each with two sides and the `CUTS`."""

    pivot: Floats
    lines: Floats
    feasible: NDArray[np.bool_]  # (side, cut, line): whether the cone's labels satisfy all constraints
    last: Floats  # (side, cut, line): the signed sum of the last row of weights
    groups: NDArray[np.intp]  # the line on which each site lies


class _Ray(NamedTuple):
    """One ray of one cone."""

    pivot: Floats
    line: Floats
    side: int
    cut: int
    on_line: NDArray[np.bool_]


def _vertices(lifted: Floats, weights: NDArray[np.int64], limits: NDArray[Any]) -> Iterator[_Vertices]:
    """All rays and the labels around them, pivot by pivot; the free triangle is added here."""
    z = np.concatenate([lifted[:, :2], TRIANGLE])
    w = np.concatenate([weights, np.zeros((len(weights), 3))], axis=1).astype(np.float64)
    for i in range(len(z)):
        d = np.delete(z, i, axis=0) - z[i]
        theta = np.mod(np.arctan2(d[:, 1], d[:, 0]), np.pi)
        theta[theta > np.pi - SAME_ANGLE] -= np.pi
        order = np.argsort(theta, kind="stable")
        theta, d, others = theta[order], d[order], np.delete(w, i, axis=1)[:, order]
        start = np.flatnonzero(np.diff(theta, prepend=-np.inf) > SAME_ANGLE)
        is_ahead = np.cos(theta) * d[:, 0] + np.sin(theta) * d[:, 1] > 0
        ahead = np.add.reduceat(np.where(is_ahead, others, 0.0), start, axis=1)
        behind = np.add.reduceat(np.where(is_ahead, 0.0, others), start, axis=1)
        turned, back = np.cumsum(ahead, axis=1), np.cumsum(behind, axis=1)
        # Left of the line: ahead at a larger angle, or behind at a smaller one.
        left = turned[:, -1:] - turned + back - behind
        right = turned - ahead + back[:, -1:] - back
        pivot = np.broadcast_to(w[:, i, None], ahead.shape)
        on_line = np.tensordot(CUTS, np.stack([behind, pivot, ahead]), axes=1)
        sums = np.stack([left, right])[:, None] + on_line
        along = np.add.reduceat(np.where(is_ahead[:, None], d, -d), start, axis=0)
        along /= np.hypot(along[:, 0], along[:, 1])[:, None]
        normal = np.column_stack([-along[:, 1], along[:, 0]])
        lines = np.column_stack([normal, -normal @ z[i]])
        groups = np.empty(len(order), np.intp)
        groups[order] = np.repeat(np.arange(len(start)), np.diff(start, append=len(order)))
        groups = np.insert(groups, i, PIVOT)[: len(lifted)]
        feasible = np.asarray((sums <= limits[:, None]).all(axis=2))
        yield _Vertices(z[i], lines, feasible, sums[:, :, -1], groups)


def _inside(lifted: Floats, ray: _Ray) -> tuple[Floats, NDArray[np.bool_]]:
    """Return a vector inside the cone that `ray` and its cut name, and the labels of all sites there."""
    g = ray.line * (1.0 - 2.0 * ray.side)
    along = np.array([ray.line[1], -ray.line[0]])
    s = (lifted[:, :2] - ray.pivot) @ along
    distance = lifted @ g
    labels = distance > 0
    labels[ray.on_line] = CUTS[ray.cut][np.sign(s[ray.on_line]).astype(int) + 1] > 0
    behind, middle, ahead = CUTS[ray.cut]
    if behind == ahead:
        slope, shift = 0.0, 2.0 * ahead - 1.0
    else:  # turn about a point between the pivot and its neighbour across the cut
        across = s[ray.on_line & ((s > 0) if middle == behind else (s < 0))]
        place = across[np.argmin(np.abs(across))] / 2 if len(across) else (1.0 if middle == behind else -1.0)
        slope = ahead - behind
        shift = -slope * place
    off = ~ray.on_line
    reach = np.min(np.abs(distance[off]) / np.maximum(np.abs(shift + slope * s[off]), 1e-300), initial=1.0)
    return g + reach / 2 * np.append(slope * along, shift - slope * along @ ray.pivot), labels
