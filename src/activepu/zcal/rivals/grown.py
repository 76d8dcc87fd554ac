"""Rivals of a box-like class: members around the closure that enclose a few undecided items."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.zcal.reference import FULL, Reference, Words, prefixes
from activepu.zcal.rivals.base import Bools, Counts, Floats, Scene
from activepu.zcal.sides import Sides
from activepu.zcal.tuning import TUNING

Costs = Sequence[tuple[Floats, Floats]]
"""For every side, where its stars lie (outward), and what it costs to reach 0, 1, … of them."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Points seen from the closure, each array (n, sides).

    `beyond` says on which sides they lie beyond it, `outward` where, and `needs` how far a side must reach.
    """

    beyond: Bools
    outward: Floats
    needs: Floats

    def __getitem__(self, rows: Bools) -> Placed:
        return Placed(self.beyond[rows], self.outward[rows], self.needs[rows])


class Grown:
    """The geometry of rivals: closure(R ∪ {x, …}) for a few undecided x each, and what they hold of a `reference`.

    Only members that are far are kept, because a near one does not become far again. `share` is their share of all.
    """

    def __init__(self, closure: Box, corners: Sequence[Points], reference: Reference, spare: float) -> None:
        """`spare` is what a near member may hold; it is lowered so that the first one counts as far in any case."""
        self.closure = closure
        self.two_sided = closure.hypotheses.two_sided
        low, high = closure.low, closure.high
        for x in corners:
            low, high = np.minimum(low, x), np.maximum(high, x)
        self._reference, self._scale = reference, 1.0 / max(1, len(reference.points))
        inside = reference.within(closure.low[None], closure.high[None], self.two_sided)
        beyond = reference.within(low, high, self.two_sided) & ~inside
        mass = _size(beyond) * self._scale
        self.spare = min(spare, TUNING.far_share * float(mass[0])) if len(mass) else 0.0
        far = np.flatnonzero(mass > self.spare)
        self.low, self.high, self._beyond = low[far], high[far], beyond[far]
        self.share = len(far) / max(1, len(mass))
        self.ends = closure.hypotheses.outward_ends(self.low, self.high)
        """(J, sides): how far the rivals reach, in outward coordinates."""
        self._placed: tuple[Points, Placed] | None = None

    def placed(self, points: Points, bounds: Sides) -> Placed:
        """Return the points as seen from the closure; the last result is kept, as the same points come repeatedly."""
        if self._placed is None or self._placed[0] is not points:
            outward = self.closure.hypotheses.outward(points)
            self._placed = points, Placed(self.closure.beyond(points), outward, bounds.needs(points))
        return self._placed[1]

    @cached_property
    def _ordered(self) -> list[tuple[int, float, Floats, Words]]:
        """For each side: its axis and sign, the rivals' bounds in order, and the first 0, 1, … of them as bits."""
        found = []
        for axis, sign in itertools.product(range(self.low.shape[1]), (1.0, -1.0) if self.two_sided else (1.0,)):
            bounds = sign * (self.low if sign > 0 else self.high)[:, axis]
            order = np.argsort(bounds, kind="stable")
            found.append((axis, sign, bounds[order], prefixes(order)))
        return found

    def holds(self, points: Points) -> Bools:
        """Return (J, K); on each side the rivals that reach a point come first in the order of that side's bounds."""
        held = np.full((len(points), -(-len(self.low) // 64)), FULL)
        for axis, sign, bounds, first in self._ordered:
            held &= first[np.searchsorted(bounds, sign * points[:, axis], side="right")]
        return np.unpackbits(held.view(np.uint8), axis=1, count=len(self.low)).view(np.bool_).T

    def holds_beyond_one_side(self, points: Points) -> Bools:
        """Return the same, but no rival holds a point that lies beyond several sides of the closure, or beyond none."""
        held = np.zeros((len(points), len(self.low)), bool)
        single = self.closure.beyond(points).sum(axis=1) == 1
        held[single] = self.holds(points[single]).T
        return held.T

    def far_after(self, points: Points) -> Bools:
        """Return (J, K): which rivals are still far after a reveal at each point, when the closure has grown by it."""
        low, high = np.minimum(self.closure.low, points), np.maximum(self.closure.high, points)
        left = self._beyond[:, None] & ~self._reference.within(low, high, self.two_sided)
        return np.asarray(_size(left) * self._scale > self.spare)


def grown_rivals(scene: Scene, undecided: NDArray[np.intp], closure: Box, by_side: Costs | None = None) -> Grown:
    """Return members around the closure that are hardest to exclude.

    Each encloses a few undecided items. Half of them lie within the farthest known member, and some are that member
    itself. With `by_side`, some also stretch on all sides at once.
    """
    x = scene.candidates.spread_points(undecided, TUNING.rivals)
    chain = closure.hypotheses.is_chain
    corners = [x] if chain else _corners(scene, undecided, closure, x, by_side)
    spare = TUNING.spare * (2 * scene.epsilon if chain else scene.epsilon)
    return Grown(closure, corners, scene.candidates.indexed_reference, spare)


def _corners(scene: Scene, undecided: NDArray[np.intp], closure: Box, x: Points, by_side: Costs | None) -> list[Points]:
    """Return the points that each rival must enclose in addition to the closure; `x` is changed."""
    candidates, rng, witness = scene.candidates, scene.candidates.rng, scene.witness
    near = candidates.points[candidates.some(undecided, 8 * TUNING.rivals)]
    inside = near[:0] if witness is None else near[witness.contains(near)]
    if len(inside):
        x[: len(x) // 2] = rng.choice(inside, len(x) // 2)
    corners, halves = [x], np.array_split(np.arange(len(x)), 2)
    for _ in range(TUNING.corners - 1):
        mixed = np.concatenate([rng.permutation(x[half]) for half in halves])
        corners.append(np.where(rng.random((len(x), 1)) < 0.5, mixed, x))
    if witness is not None and not witness.is_empty:
        itself = np.arange(len(x))[:, None] < len(x) // TUNING.witness
        ends = (witness.low, witness.high) if closure.hypotheses.two_sided else (witness.low,)
        corners += [np.where(itself, end, x) for end in ends]
    if by_side is not None and not closure.is_empty:
        some = rng.random((len(x), 1)) < TUNING.stretched
        corners += [np.where(some, end, x) for end in stretched(closure, by_side)]
    return corners


def stretched(closure: Box, by_side: Costs) -> list[Floats]:
    """Return the ends, lower and upper, of a member that on each side reaches as far as costs at most `stretch_cost`.

    Such members remain possible longest: they reach stars on every side, and too few of them on each.
    """
    low, high = closure.low.copy(), closure.high.copy()
    for k, (outward, cost) in enumerate(by_side):
        last = int(np.flatnonzero(cost <= cost[0] + TUNING.stretch_cost)[-1])
        if last and k < len(low):
            low[k] = -outward[last - 1]
        elif last:
            high[k - len(low)] = outward[last - 1]
    return [low, high] if closure.hypotheses.two_sided else [low]


def _size(bits: Words) -> Counts:
    return np.asarray(np.bitwise_count(bits).sum(axis=-1, dtype=np.intp))
