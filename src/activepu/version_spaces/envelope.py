"""Halfspaces of the plane under requirements and mass caps alone: for every direction, an interval of thresholds.

With R the required sites and T_j the levels of the caps, put m(u) = min_R <r, u> and T(u) = max_j T_j(u). Then
    {z : <z, u> ≥ t} ∈ V ⇔ T(u) < t ≤ m(u).
m and T are continuous, and on each of finitely many arcs of directions they are <r, u> and <p, u> for fixed points. Let
F be the open set of directions with T < m. Inside an arc narrower than π, u is a positive combination of the ends, so
that a strict linear inequality holds somewhere in it ⇔ it holds at an end, and a weak one holds throughout ⇔ it holds
at both ends. So with G the vectors (u, −T(u)) and (u, −m(u)) at the ends of F's arcs, and x̃ = (x, 1):
- x lies in some h ∈ V ⇔ <x, u> > T(u) for some u ∈ F ⇔ g·x̃ > 0 for some g ∈ G;
- x lies in all h ∈ V ⇔ <x, u> ≥ m(u) for all u ∈ F ⇔ g·x̃ ≥ 0 for all g ∈ G;
- V = ∅ ⇔ G = ∅.
Without R, m = ∞ and ∅ ∈ V: G has (0, 0, −1). Without caps, T = −∞ and the plane is in V: G has (0, 0, 1).

The tightest member in direction u is {z : <z, u> ≥ m(u)}. How many of given points it holds changes only where a point
meets r, once per point and arc of r: sorting these events finds the fewest, in O(h n log n) for h corners of R's hull.

Assumption: m − T ≤ 1e-9 is read as none, in coordinates in which the sites fill [−1, 1]².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from activepu.hypotheses.halfspaces import Floats, Frame
from activepu.version_spaces.level import OCTANTS, SAME_ANGLE, Level, units

ZERO = 1e-9


class Pieces(NamedTuple):
    """u ↦ <point, u>, with one point from each of the ascending angles to the next."""

    angles: Floats
    points: Floats

    def at(self, angles: Floats) -> Floats:
        """Return the points from these angles on."""
        return np.asarray(self.points[np.searchsorted(self.angles, angles, "right") - 1])


class Arcs(NamedTuple):
    """Arcs from `low` to `high`, narrower than π, on which T(u) = <outer, u> and m(u) = <inner, u>."""

    low: Floats
    high: Floats
    outer: Floats
    inner: Floats


class Envelope:
    """T and m in a frame, and the arcs of F. Immutable."""

    def __init__(self, levels: tuple[Level, ...], required: Floats, frame: Frame) -> None:
        self.outer = _highest([Pieces(*level.pieces(frame)) for level in levels])
        self.inner = None
        if len(required):  # m(u) = −max_R <−r, u>, the level of −R for the limit 0
            angles, points = Level(-required, np.ones(len(required), np.int64), 0).pieces(
                Frame(-frame.centre, frame.scale)
            )
            self.inner = Pieces(angles, -points)
        self.arcs = _feasible(self.outer, self.inner)

    def rays(self) -> Floats:
        """Return G."""
        low, high, outer, inner = self.arcs
        ends = units(np.concatenate([low, high]))
        found = []
        for pieces, points, none in ((self.outer, outer, 1.0), (self.inner, inner, -1.0)):
            if pieces is None:
                found.append(np.array([[0.0, 0.0, none]]))
            else:
                found.append(np.column_stack([ends, -(ends * np.tile(points, (2, 1))).sum(axis=1)]))
        return np.concatenate(found)

    def patches(self) -> Floats:
        """Return V as patches (k, 2, 2, 3): the vectors (u, −T(u)) and (u, −m(u)) at the two ends of every arc.

        Where T is absent, the whole plane takes its place, and where m is absent, ∅ does. Where both are absent, a
        patch has one of these and the lines through 0.
        """
        low, high, outer, inner = self.arcs
        sides = []
        for pieces, points, none in ((self.outer, outer, 1.0), (self.inner, inner, -1.0)):
            if pieces is None:
                sides.append(np.tile([0.0, 0.0, none], (2, len(low), 1)))
            else:
                ends = np.stack([units(low), units(high)])
                sides.append(np.dstack([ends, -(ends * points).sum(axis=2)]))
        if self.outer is None and self.inner is None:
            lines = np.dstack([np.stack([units(low), units(high)]), np.zeros((2, len(low), 1))])
            sides = [np.concatenate([sides[0], lines], axis=1), np.concatenate([lines, sides[1]], axis=1)]
        return np.asarray(np.stack(sides, axis=2).swapaxes(0, 1))

    def tightest(self, points: Floats) -> tuple[Floats, Floats]:
        """Return u inside F and r such that {z : <z − r, u> ≥ 0} contains R and the fewest `points`; V, R ≠ ∅."""
        low, high, _, inner = self.arcs
        first = np.flatnonzero(
            np.append(True, (low[1:] != high[:-1]) | (inner[1:] != inner[:-1]).any(axis=1)) | np.isin(low, OCTANTS)
        )
        last = np.append(first[1:], len(low)) - 1
        found = [_fewest(points, inner[i], low[i], high[j]) for i, j in zip(first, last, strict=True)]
        best = min(range(len(found)), key=found.__getitem__)
        return units(np.array([found[best][-1]]))[0], inner[first[best]]


def _split(f: Pieces, g: Pieces) -> tuple[Arcs, Floats, Floats]:
    """The arcs on which f and g keep their points and f − g its sign, with g − f at their two ends."""
    angles = np.unique(np.concatenate([f.angles, g.angles, OCTANTS]))
    for repeat in (True, False):
        low, high = angles[:-1], angles[1:]
        u, v, outer, inner = units(low), units(high), f.at(low), g.at(low)
        start, end = ((inner - outer) * u).sum(axis=1), ((inner - outer) * v).sum(axis=1)
        change = start * end < 0
        if repeat:
            root = u[change] * np.abs(end[change, None]) + v[change] * np.abs(start[change, None])
            angles = np.union1d(angles, np.arctan2(root[:, 1], root[:, 0]))
    return Arcs(low, high, outer, inner), start, end


def _highest(functions: list[Pieces]) -> Pieces | None:
    """Return their pointwise maximum."""
    if not functions:
        return None
    highest, *others = functions
    for other in others:
        arcs, start, end = _split(highest, other)
        highest = Pieces(arcs.low, np.where((start + end > 0)[:, None], arcs.inner, arcs.outer))
    return highest


def _feasible(outer: Pieces | None, inner: Pieces | None) -> Arcs:
    """Return the arcs of F; where a function is absent, its points in the arcs mean nothing."""
    some = outer or inner or Pieces(OCTANTS, np.zeros((len(OCTANTS), 2)))
    arcs, start, end = _split(outer or some, inner or some)
    keep = np.maximum(start, end) > (ZERO if outer and inner else -np.inf)
    return Arcs(*(part[keep] for part in arcs))


def _fewest(points: Floats, r: Floats, low: float, high: float) -> tuple[bool, int, float, float]:
    """Find the widest part of an arc on which {z : <z − r, u> ≥ 0} contains the fewest points.

    Return whether it is too narrow to tell from rounding, the count, minus the width, and the angle in its middle.
    """
    u, v = units(np.array([low, high]))
    s, t = (points - r) @ u, (points - r) @ v
    enters, leaves = (s < 0) & (t > 0), (s >= 0) & (t < 0)
    when = np.concatenate([s[enters] / (s[enters] - t[enters]), s[leaves] / (s[leaves] - t[leaves])])
    change = np.repeat([1, -1], [np.count_nonzero(enters), np.count_nonzero(leaves)])
    order = np.argsort(when, kind="stable")
    count = np.count_nonzero(s >= 0) + np.append(0, np.cumsum(change[order]))
    share, width = np.concatenate([[0.0], when[order], [1.0]]), high - low
    angle = low + np.arctan2(share * np.sin(width), 1 - share + share * np.cos(width))
    widths = np.diff(angle)
    narrow = widths <= SAME_ANGLE
    best = np.lexsort((-widths, count, narrow))[0]
    return bool(narrow[best]), int(count[best]), -float(widths[best]), float(angle[best] + widths[best] / 2)
