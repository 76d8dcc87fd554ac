"""Halfspaces in the plane: the exact version space.

Write x̃ = (x, 1) and h_g = {x : g·x̃ ≥ 0}, g ∈ R³. There is a finite set G of vectors such that
- x lies in some h ∈ V ⇔ g·x̃ > 0 for some g ∈ G;    x lies in all ⇔ g·x̃ ≥ 0 for all g ∈ G;    V = ∅ ⇔ G = ∅.
Only the extreme rays of the cone that G spans matter for the first two: what is impossible and what is certain are two
convex regions of the plane, and few of G's lines bound them. G and the smallest member are found
- from the levels of the caps where all of them cap masses (`envelope`), for tens of thousands of sites;
- by enumerating dichotomies where some cap is signed (`rotating_line`), for two thousand.

Assumption: distances |g·x̃| ≤ 1e-9 (1 + |x|) are read as zero, in coordinates in which most of the pool fills [−1, 1]²
(`among`; the sites, where there is no pool).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.halfspaces import Floats, Frame, Halfspace, Halfspaces
from activepu.saved import Field
from activepu.version_spaces import rotating_line
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.envelope import ZERO, Envelope
from activepu.version_spaces.level import Level
from activepu.version_spaces.signed_caps import SignedCaps

CHORDS = 32
BLOCK = 1 << 22


class PlanarVersionSpace(VersionSpace):
    """{h : h satisfies `caps`}, for halfspaces of the plane. Immutable; computed at its first use.

    Levels depend on the caps alone, so that a new requirement reuses the `known` ones. `frame` is that of the pool. If
    there is no pool it is that of the sites; points far away from these are then told apart with less precision.
    """

    method: Method = "exact"
    kind: ClassVar[str] = "planar"

    def __init__(
        self,
        hypotheses: Halfspaces,
        caps: SignedCaps | None = None,
        known: tuple[Level, ...] = (),
        frame: Frame | None = None,
    ) -> None:
        if hypotheses.bound_dim != 2:
            raise InvalidInput(f"Halfspaces are enumerated in the plane only, got {hypotheses.bound_dim} dimensions.")
        self.hypotheses: Halfspaces = hypotheses
        self.caps = SignedCaps.none(2) if caps is None else caps
        self.levels = _levels(self.caps, known) if self.caps.masses_only else ()
        self._of_pool = frame

    def among(self, points: Points) -> Self:
        """Return the same V in the frame of these points."""
        return type(self)(self.hypotheses, self.caps, self.levels, Frame.among(points))

    def require(self, points: Points) -> Self:
        """Add required sites; drop sites inside their hull whose label is implied (`without_enclosed`)."""
        return self._with(self.caps.require(points))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Add a cap."""
        return self._with(self.caps.cap_mass(points, limit, weights))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Add a cap, which is signed if the center contains some of the points."""
        return self._with(self.caps.cap_distance(center, points, limit))

    def cap(self, points: Points, amounts: NDArray[np.int64], limit: int) -> Self:
        """Add a cap with amounts of any sign."""
        return self._with(self.caps.cap(points, amounts, limit))

    def _with(self, caps: SignedCaps) -> Self:
        return type(self)(self.hypotheses, without_enclosed(caps), self.levels, self._of_pool)

    def is_empty(self) -> bool:
        """Return whether G is empty."""
        return len(self._rays) == 0

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether its labels on the sites satisfy the caps."""
        return self.caps.allows(hypothesis)

    @property
    def plane(self) -> Self | None:
        """Itself, if all caps are masses, so that V is known as a union of patches."""
        return self if self.caps.masses_only else None

    @cached_property
    def frame(self) -> Frame:
        """Coordinates in which most of the pool, or all sites, fill [−1, 1]²."""
        return Frame.around(self.caps.sites) if self._of_pool is None else self._of_pool

    def _envelope(self, frame: Frame) -> Envelope:
        return Envelope(self.levels, self.caps.sites[self.caps.required], frame)

    @cached_property
    def _own_envelope(self) -> Envelope:
        return self._envelope(self.frame)

    @cached_property
    def _rays(self) -> Floats:
        """The extreme rays of G."""
        if self.caps.masses_only:
            return np.empty((0, 3)) if (self.caps.limits[1:] < 0).any() else _extreme(self._own_envelope.rays())
        found: list[Floats] = []
        held = 0
        for some in rotating_line.rays(self.frame.lift(self.caps.sites), self.caps.weights, self.caps.limits):
            found.append(some)
            held += len(some)
            if held > BLOCK // 8:
                found = [_extreme(np.concatenate(found))]
                held = len(found[0])
        return _extreme(np.concatenate(found))

    @cached_property
    def patches(self) -> Floats:
        """V as patches in `frame` (`envelope`); only where all caps are mass caps."""
        return self._own_envelope.patches()

    def spread(self, directions: int, shares: Floats) -> Floats:
        """Return members (w, b) all over V: `shares` of the way from T to m, in evenly spread directions.

        Only where all caps are mass caps.
        """
        ends = self.patches
        chords = np.linalg.norm(np.diff(ends[..., :2], axis=1), axis=3).max(axis=(1, 2))
        until = np.cumsum(chords)
        places = until[-1] * (np.arange(directions) + 0.5) / directions
        patch = np.searchsorted(until, places).clip(max=len(ends) - 1)
        s = (1.0 - (until[patch] - places) / chords[patch])[:, None, None]
        across = (1.0 - s) * ends[patch, 0] + s * ends[patch, 1]
        g = (1.0 - shares)[:, None] * across[:, None, 0] + shares[:, None] * across[:, None, 1]
        return np.column_stack(self.frame.raw(g.reshape(-1, 3)))

    @property
    def members(self) -> Floats:
        """The lines of G as rows (w, b); they lie on the edge of V."""
        return np.column_stack(self.frame.raw(self._rays))

    def _signs(self, points: Points) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield blocks of points, their signed distances from the rays' lines, and the distances read as zero."""
        lifted = self.frame.lift(points)
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
        """Return the centre of a cone of V with the fewest undecided points; decided points count the same for all."""
        if self.caps.masses_only and not self.caps.required.any():
            return self.hypotheses.nothing
        points = points[self.disagrees(points)]
        merged, place = self.caps.merge(points)
        frame = Frame.around(merged.sites)
        lifted = frame.lift(merged.sites)
        if self.caps.masses_only:
            u, r = self._envelope(frame).tightest(frame.lift(points)[:, :2])
            height = (lifted[:, :2] - r) @ u
            labels = height >= 0
            g = np.append(u, -r @ u - np.max(height[~labels], initial=-1.0) / 2)
        else:
            count = np.bincount(place, minlength=len(merged.sites))
            g, labels = rotating_line.fewest(lifted, merged.weights, merged.limits, count)
        if not labels.any():
            return self.hypotheses.nothing
        if labels.all():
            return self.hypotheses.everything
        w, b = frame.raw(_centred(lifted, labels, g))
        return Halfspace(self.hypotheses, w, float(b))

    def to_dict(self) -> dict[str, Any]:
        """Return the constraints, and the frame if there is a pool."""
        found: dict[str, Any] = {"kind": self.kind, "caps": self.caps.to_dict()}
        if self._of_pool is not None:
            found["frame"] = [self._of_pool.centre.tolist(), self._of_pool.scale.tolist()]
        return found

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        if not isinstance(hypotheses, Halfspaces):
            raise InvalidInput(f"A planar version space needs Halfspaces, got {hypotheses!r}.")
        said = Field(data, "version_space")
        sides = said["frame"].each(2) if "frame" in data else []
        frame = Frame(*(np.array([one.number() for one in side.each(2)], float) for side in sides)) if sides else None
        if frame is not None and not (frame.scale > 0).all():
            said["frame"].refuse("a centre and a scale that is positive")
        return cls(hypotheses, SignedCaps.from_dict(2, data["caps"]), frame=frame)


def _levels(caps: SignedCaps, known: tuple[Level, ...]) -> tuple[Level, ...]:
    """Return the levels of all caps that allow some sites and not all, reusing those in `known`."""
    found = []
    for row, limit in zip(caps.weights[1:], caps.limits[1:], strict=True):
        if 0 <= limit < row.sum():
            level = Level(caps.sites[row > 0], row[row > 0], int(limit))
            found.append(next((old for old in known if old.same(level)), level))
    return tuple(found)


def _extreme(rays: Floats) -> Floats:
    """Return rays that span the same cone: for each face of a cube around 0, the hull's corners of those through it."""
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
    """Return the corners of the hull of points of the plane; a flat hull has its two ends."""
    try:
        return np.asarray(ConvexHull(flat).vertices, np.intp)
    except (QhullError, ValueError):
        spread = flat - flat.mean(axis=0)
        along = spread @ np.linalg.svd(spread, full_matrices=False)[2][0]
        return np.unique([np.argmin(along), np.argmax(along)])


def _centred(lifted: Floats, labels: NDArray[np.bool_], g: Floats) -> Floats:
    """Move g to the middle of its cone, chord by chord, so that no site lies needlessly near the line."""
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
    """Return the same constraints without the sites strictly inside the hull of the required ones: their label is 1.

    Sites of mass caps are kept, so that the levels of these caps do not change.
    """
    frame = Frame.around(caps.sites)
    lifted = frame.lift(caps.sites)
    try:
        sides = ConvexHull(lifted[caps.required, :2]).equations
    except (QhullError, ValueError):  # fewer than three required sites, or all on one line
        return caps
    inside = (lifted @ sides.T < -ZERO).all(axis=1)
    if caps.masses_only:
        inside &= ~caps.weights[1:].any(axis=0)
    limits = caps.limits - caps.weights[:, inside].sum(axis=1)
    return SignedCaps(caps.sites[~inside], caps.weights[:, ~inside], limits)
