"""The level of a cap: how far a halfspace of the plane can move inwards before it contains too much of the capped mass.

For a direction u, {z : <z, u> ≥ t} holds at most `limit` of the weighted sites ⇔ t > T(u), where
    T(u) = the largest v with Σ_k weight_k [<z_k, u> ≥ v] > limit.
T is continuous, and T(u) = <z, u> for one site z on each of finitely many arcs of directions: a k-level of the dual
arrangement of lines (Edelsbrunner, Algorithms in Combinatorial Geometry, 1987, ch. 3; Dey 1998: O(n k^⅓) arcs, for
random sites about n).

*Walk.* Between directions a and b, u = (1 − λ) a + λ b gives every site the height (1 − λ) s + λ t, with s = <z, a> and
t = <z, b>: two sites change places at most once. From the site p on the level, the next event is the least λ at which a
site meets p. The sites that meet there lie on one line and are reversed by it: the order of their t holds from then on.

*Halving.* With M and m the larger and the smaller of s − T(a) and t − T(b), and e the level of a set of numbers, the
level stays between heights shifted by e(m) and e(M): sites with m > e(M) stay above it, and those with M < e(m) below.
The others number about n times the width of [a, b], which is halved until few are left: O(n log² n) without the walk.

Assumption: sites that meet within 1e-10 rad meet at once, in coordinates in which the sites fill [−1, 1]².
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.halfspaces import Floats, Frame

Ints = NDArray[np.int64]

SAME_ANGLE = 1e-10
ROUNDING = 1e-12
FEW = 96
BLOCK = 1 << 20
LOW = 8.0
TINY = 1e-300
OCTANTS = np.linspace(-np.pi, np.pi, 9)


class Level:
    """T for distinct `sites` with `weights` > 0 and 0 ≤ `limit` < Σ weights. Immutable; computed at its first use."""

    def __init__(self, sites: Floats, weights: Ints, limit: int) -> None:
        self.sites, self.weights, self.limit = sites, weights, limit

    def same(self, other: Level) -> bool:
        """Return whether both belong to the same cap."""
        mine, theirs = (self.sites, self.weights), (other.sites, other.weights)
        return self.limit == other.limit and all(map(np.array_equal, mine, theirs))

    def pieces(self, frame: Frame) -> tuple[Floats, Floats]:
        """Return ascending angles in [−π, π], and the site on the level from each angle to the next, in the frame."""
        own, directions, sites = self._walked
        turned = directions * (frame.scale / own.scale)
        # Events at one direction keep their order, whatever rounding does to their angles.
        angles = np.maximum.accumulate(np.arctan2(turned[:, 1], turned[:, 0]))
        return angles, frame.lift(self.sites[sites])[:, :2]

    @cached_property
    def _walked(self) -> tuple[Frame, Floats, NDArray[np.intp]]:
        """The frame of the sites, and the directions and sites of all pieces in it."""
        frame = Frame.around(self.sites)
        z = frame.lift(self.sites)[:, :2]
        sectors = list(_sectors(z, self.weights, self.limit))
        sizes = np.array([len(sector.sites) for sector in sectors])
        rest = np.argsort(sizes, kind="stable")
        found = []
        while len(rest):  # many sectors at a time, of about one size
            many = min(int(np.searchsorted(sizes[rest], 2 * sizes[rest[0]], "right")), 1 + BLOCK // int(sizes[rest[0]]))
            for place, share, site in _walk(z, self.weights, [sectors[k] for k in rest[:many]]):
                found.append((rest[place], share, site))
            rest = rest[many:]
        sector, share, site = (np.concatenate(part) for part in zip(*found, strict=True))
        order = np.argsort(sector, kind="stable")
        sector, share, site = sector[order], share[order, None], site[order]
        low, high = np.array([s.low for s in sectors]), np.array([s.high for s in sectors])
        return frame, (1 - share) * low[sector] + share * high[sector], site


class _Sector(NamedTuple):
    """The directions from `low` to `high`; `sites` that may meet the level there, and the weight left for them."""

    low: Floats
    high: Floats
    sites: NDArray[np.intp]
    limit: int


def units(angles: Floats) -> Floats:
    """Return the directions at these angles."""
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _height(values: Floats, weights: Ints, limit: int) -> float:
    """Return the largest v such that the values ≥ v weigh more than the limit."""
    order = np.argsort(-values, kind="stable")
    return float(values[order[np.searchsorted(np.cumsum(weights[order]), limit, "right")]])


def _near(s: Floats, t: Floats, weights: Ints, limit: int) -> tuple[NDArray[np.bool_], int]:
    """Return which sites may meet the level between two directions, and the weight of those that stay above it."""
    s, t = s - _height(s, weights, limit), t - _height(t, weights, limit)
    most, least = np.maximum(s, t), np.minimum(s, t)
    above = least > _height(most, weights, limit) + ROUNDING
    below = most < _height(least, weights, limit) - ROUNDING
    return ~(above | below), int(weights[above].sum())


def _sectors(z: Floats, weights: Ints, limit: int) -> Iterator[_Sector]:
    """Yield sectors of the circle in ascending order, each with few sites or too narrow for halving to help."""
    corners = units(OCTANTS)
    todo = [_Sector(low, high, np.arange(len(z)), limit) for low, high in pairwise(corners)][::-1]
    while todo:
        low, high, sites, limit = todo.pop()
        near, above = _near(z[sites] @ low, z[sites] @ high, weights[sites], limit)
        sector = _Sector(low, high, sites[near], limit - above)
        if len(sector.sites) <= FEW or np.hypot(*(high - low)) * len(z) < 1.0:
            yield sector
        else:
            middle = (low + high) / np.hypot(*(low + high))
            todo += [sector._replace(low=middle), sector._replace(high=middle)]


def _walk(
    z: Floats, weights: Ints, sectors: list[_Sector]
) -> Iterator[tuple[NDArray[np.intp], Floats, NDArray[np.intp]]]:
    """Walk all sectors at once. Yield per event: the sectors that have it, its λ, and the site on the level from there.

    Sites are columns in descending order of t. Invariant: Σ_{above} weight ≤ limit < Σ_{above} weight + weight_p. A
    meeting that rounding has put into the past takes place now, so that none is missed. None is repeated, because the
    order of t holds from then on.
    """
    columns = np.arange(max(len(sector.sites) for sector in sectors))
    place, limit = np.arange(len(sectors)), np.array([[sector.limit] for sector in sectors])
    site = np.zeros((len(sectors), len(columns)), np.intp)
    s, t = np.full(site.shape, -LOW), np.full(site.shape, -LOW)  # below all sites, where a sector has fewer
    for row, sector in enumerate(sectors):
        heights = z[sector.sites] @ sector.high
        order = np.argsort(-heights, kind="stable")
        site[row, : len(order)] = sector.sites[order]
        t[row, : len(order)] = heights[order]
        s[row, : len(order)] = z[sector.sites[order]] @ sector.low
    weight = np.where(t > -LOW, weights[site], 0)
    same = np.array([[SAME_ANGLE / np.hypot(*(sector.high - sector.low))] for sector in sectors])
    order = np.argsort(-s, axis=1, kind="stable")
    full = np.cumsum(np.take_along_axis(weight, order, axis=1), axis=1) > limit
    p = np.take_along_axis(order, np.argmax(full, axis=1)[:, None], axis=1)
    above = np.empty_like(full)
    np.put_along_axis(above, order, ~full, axis=1)
    share = np.zeros((len(sectors), 1))
    while len(place):
        yield place, share[:, 0], np.take_along_axis(site, p, axis=1)[:, 0]
        meeting = above != (columns < p)
        gap = s - np.take_along_axis(s, p, axis=1)
        gap = np.maximum(np.where(above, gap, -gap), 0.0)
        rise = np.abs(t - np.take_along_axis(t, p, axis=1))
        when = np.where(meeting, np.maximum(gap / (gap + rise + TINY), share), 1.0)
        share = when.min(axis=1, keepdims=True)
        group = (meeting & (when <= share + same)) | (columns == p)
        off = above & ~group
        full = np.cumsum(np.where(group, weight, 0), axis=1) > limit - (weight * off).sum(axis=1, keepdims=True)
        above = off | (group & ~full)
        p = np.argmax(group & full, axis=1)[:, None]
        more = share[:, 0] < 1.0
        if not more.all():
            place, limit, site, s, t, weight, same, above, p, share = (
                part[more] for part in (place, limit, site, s, t, weight, same, above, p, share)
            )
