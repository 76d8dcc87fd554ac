"""Halfspaces in the plane: the exact version space, by enumerating dichotomies with a rotating line.

Write x̃ = (x, 1) and h_g = {x : g·x̃ ≥ 0}, g ∈ R³. The planes {g : g·x̃ = 0} of the constraint sites x cut R³ into cones,
and on each open cone all sites keep their labels, so that V is a union of such cones (labels on their faces can be had
in the interior too: lower b a little). Three free sites, a triangle, make every cone pointed, hence spanned by rays,
and a ray is a line through two sites, with a side. So with G the rays of the cones whose labels meet all constraints:
- x lies in some h ∈ V ⇔ g·x̃ > 0 for some g ∈ G;    x lies in all ⇔ g·x̃ ≥ 0 for all g ∈ G;    V = ∅ ⇔ G = ∅.
Only the extreme rays of the cone that G spans matter for these two.

*Enumeration.* Turn a line about each site (the pivot). At every direction in which it meets other sites, the sites off
the line are labelled by their side, and the cones that meet in this ray are the ways to label the sites on the line by
a slightly moved one: one label behind a cut and one ahead of it. Cuts next to the pivot are enough, as each site is a
pivot in turn. Prefix sums over the sorted angles give all signed sums at once: O(n log n) per pivot and cap
(Edelsbrunner, Algorithms in Combinatorial Geometry, 1987, ch. 12, for the duality).

Assumption: sites that are collinear up to 1e-10 rad are read as collinear, and distances |g·x̃| ≤ 1e-9 (1 + |x|) as
zero, in coordinates in which the sites fill [−1, 1]².
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.halfspaces import Floats, Frame, Halfspace, Halfspaces
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.signed_caps import SignedCaps

SAME_ANGLE = 1e-10
ZERO = 1e-9
TRIANGLE = np.array([[0.13, 3.1], [-2.9, -2.3], [3.3, -1.7]])
# Labels of (the sites behind the pivot, the pivot, the sites ahead of it) on a line that is moved a little.
CUTS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]], np.float64)
PIVOT = -1
CHORDS = 32
BLOCK = 1 << 22


class PlanarVersionSpace(VersionSpace):
    """{h : h satisfies `caps`}, for halfspaces of the plane. Immutable; enumerates when first asked."""

    method: Method = "exact"
    kind: ClassVar[str] = "planar"

    def __init__(self, hypotheses: Halfspaces, caps: SignedCaps | None = None) -> None:
        if hypotheses.bound_dim != 2:
            raise InvalidInput(f"Halfspaces are enumerated in the plane only, got {hypotheses.bound_dim} dimensions.")
        self.hypotheses: Halfspaces = hypotheses
        self.caps = SignedCaps.none(2) if caps is None else caps

    def require(self, points: Points) -> Self:
        """Sites that lie within the hull of the required ones are dropped: their label is known."""
        return type(self)(self.hypotheses, without_enclosed(self.caps.require(points)))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """One more signed cap."""
        return type(self)(self.hypotheses, without_enclosed(self.caps.cap_mass(points, limit, weights)))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """One more signed cap."""
        return type(self)(self.hypotheses, without_enclosed(self.caps.cap_distance(center, points, limit)))

    def is_empty(self) -> bool:
        """Whether no cone is left."""
        return len(self._rays) == 0

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Whether its labels on the sites satisfy the caps."""
        return self.caps.allows(hypothesis)

    @cached_property
    def _frame(self) -> Frame:
        return Frame.around(self.caps.sites)

    @cached_property
    def _rays(self) -> Floats:
        """G, cut down to its extreme rays."""
        found: list[Floats] = []
        held = 0
        for vertex in _vertices(self._frame.lift(self.caps.sites), self.caps.weights, self.caps.limits):
            sides = np.asarray(vertex.feasible.any(axis=1))
            found += [vertex.lines[sides[0]], -vertex.lines[sides[1]]]
            held += int(sides.sum())
            if held > BLOCK // 8:
                found = [_extreme(np.concatenate(found))]
                held = len(found[0])
        return _extreme(np.concatenate(found))

    def _signs(self, points: Points) -> Iterator[tuple[slice, Floats, Floats]]:
        """Blocks of points with the signed distances of their points from the rays' lines, and what counts as zero."""
        lifted = self._frame.lift(points)
        size = max(1, BLOCK // len(self._rays))
        for start in range(0, len(points), size):
            rows = lifted[start : start + size]
            yield slice(start, start + size), rows @ self._rays.T, ZERO * np.abs(rows).sum(axis=1, keepdims=True)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        out = np.empty(len(points), np.bool_)
        for block, distance, zero in self._signs(points):
            out[block] = (distance >= -zero).all(axis=1)
        return out

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        """Certain points are possible, even where V is too thin for the tolerance to see it."""
        out = np.empty(len(points), np.bool_)
        for block, distance, zero in self._signs(points):
            out[block] = (distance > zero).any(axis=1) | (distance >= -zero).all(axis=1)
        return out

    def _smallest(self, points: Points) -> Halfspace:
        """Enumerates with the undecided points as further sites (the others count alike for all), and takes the centre
        of the first cone with the fewest."""
        merged, place = self.caps.merge(points[self.disagrees(points)])
        count = np.bincount(place, minlength=len(merged.sites))
        weights = np.vstack([merged.weights, count])
        frame = Frame.around(merged.sites)
        lifted = frame.lift(merged.sites)
        best: _Ray | None = None
        fewest = np.inf
        for vertex in _vertices(lifted, weights, np.append(merged.limits.astype(np.float64), np.inf)):
            values = np.where(vertex.feasible, vertex.last, np.inf)
            if values.min() < fewest:
                fewest = values.min()
                side, cut, line = (int(part) for part in np.unravel_index(np.argmin(values), values.shape))
                best = _Ray(vertex.pivot, vertex.lines[line], side, cut, np.isin(vertex.groups, [line, PIVOT]))
        if best is None:
            raise AssertionError("a nonempty version space has a cone")  # `smallest` has refused an empty one
        g, labels = _inside(lifted, best)
        if not labels.any():
            return self.hypotheses.nothing
        if labels.all():
            return self.hypotheses.everything
        w, b = frame.raw(_centred(lifted, labels, g))
        return Halfspace(self.hypotheses, w, float(b))

    def to_dict(self) -> dict[str, Any]:
        """The constraints."""
        return {"kind": self.kind, "caps": self.caps.to_dict()}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Reads `to_dict` back."""
        if not isinstance(hypotheses, Halfspaces):
            raise InvalidInput(f"A planar version space needs Halfspaces, got {hypotheses!r}.")
        return cls(hypotheses, SignedCaps.from_dict(2, data["caps"]))


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


def _extreme(rays: Floats) -> Floats:
    """Rays that span the same cone: on each face of a cube around 0, the corners of the hull of those that pass it."""
    if len(rays) < 16:
        return rays
    largest = np.argmax(np.abs(rays), axis=1)
    top = rays[np.arange(len(rays)), largest]
    kept = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            face = rays[(largest == axis) & (np.sign(top) == sign)]
            if len(face):
                kept.append(face[_corners(np.delete(face, axis, axis=1) / np.abs(face[:, [axis]]))])
    return np.concatenate(kept)


def _corners(flat: Floats) -> NDArray[np.intp]:
    """Points of the plane to the corners of their hull; a flat hull has its two ends."""
    try:
        return np.asarray(ConvexHull(flat).vertices, np.intp)
    except (QhullError, ValueError):
        spread = flat - flat.mean(axis=0)
        along = spread @ np.linalg.svd(spread, full_matrices=False)[2][0]
        return np.unique([np.argmin(along), np.argmax(along)])


def _inside(lifted: Floats, ray: _Ray) -> tuple[Floats, NDArray[np.bool_]]:
    """A vector inside the cone that `ray` and its cut name, and the labels of all sites there."""
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


def _centred(lifted: Floats, labels: NDArray[np.bool_], g: Floats) -> Floats:
    """Moves g to the middle of its cone, chord by chord, so that no site lies needlessly near the line."""
    signed = np.where(labels[:, None], lifted, -lifted)
    for direction in np.random.default_rng(0).normal(size=(CHORDS, 3)):
        margin, gain = signed @ g, signed @ direction
        with np.errstate(divide="ignore", invalid="ignore"):
            root = -margin / gain
        low, high = np.max(root[gain > 0], initial=-1.0), np.min(root[gain < 0], initial=1.0)
        g = g + (low + high) / 2 * direction
        g = g / np.linalg.norm(g)
    return g


def without_enclosed(caps: SignedCaps) -> SignedCaps:
    """The same constraints without the sites strictly inside the hull of the required ones, whose label is 1."""
    frame = Frame.around(caps.sites)
    lifted = frame.lift(caps.sites)
    try:
        sides = ConvexHull(lifted[caps.required, :2]).equations
    except (QhullError, ValueError):  # fewer than three required sites, or all on one line
        return caps
    inside = (lifted @ sides.T < -ZERO).all(axis=1)
    limits = caps.limits - caps.weights[:, inside].sum(axis=1)
    return SignedCaps(caps.sites[~inside], caps.weights[:, ~inside], limits)
