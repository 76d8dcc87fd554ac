"""Rivals of an intersection-closed class: members around the closure, with room for a few undecided items."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.learners.rivals.base import Bools, Floats

ENOUGH = 0.8
"""The share of the farthest rival that is far enough."""
ROOM = 0.3
"""What each side of a `stretched` member may cost, in nats."""
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


class Grown:
    """Geometry: closure(R ∪ {x, …}) for a few undecided x each, and how much of a `reference` they hold beyond R."""

    def __init__(self, closure: Closure, corners: Sequence[Points], reference: Points, spare: float) -> None:
        """`spare` is what a rival may hold; the reference is a sample, so the first one counts as far in any case."""
        self.closure = closure
        self.two_sided = closure.hypotheses.two_sided
        self.low, self.high = closure.low, closure.high
        for x in corners:
            self.low, self.high = np.minimum(self.low, x), np.maximum(self.high, x)
        self._reference = reference[~closure.contains(reference)]
        self._scale = 1.0 / max(1, len(reference))
        self._beyond = self.holds(self._reference).astype(np.float32)
        mass = self._beyond.sum(axis=1) * self._scale
        self.spare = min(spare, ENOUGH * float(mass[0])) if len(mass) else 0.0
        self.far = mass > self.spare

    @cached_property
    def _ordered(self) -> list[tuple[int, float, Floats, NDArray[np.uint64]]]:
        """For every side: its axis and sign, the rivals' bounds in order, and the first 0, 1, … of them as bits."""
        each = pack(np.eye(len(self.low), dtype=bool))
        found = []
        for axis, sign in itertools.product(range(self.low.shape[1]), (1.0, -1.0) if self.two_sided else (1.0,)):
            bounds = sign * (self.low if sign > 0 else self.high)[:, axis]
            order = np.argsort(bounds, kind="stable")
            first = np.bitwise_or.accumulate(np.vstack([np.zeros((1, each.shape[1]), np.uint64), each[order]]))
            found.append((axis, sign, bounds[order], first))
        return found

    def holds(self, points: Points) -> Bools:
        """Side by side: those that reach a point are the first so many in the order of that side's bounds."""
        held = np.full((len(points), -(-len(self.low) // 64)), FULL)
        for axis, sign, bounds, first in self._ordered:
            held &= first[np.searchsorted(bounds, sign * points[:, axis], side="right")]
        bits = np.unpackbits(held.view(np.uint8), axis=1, count=len(self.low))
        return np.ascontiguousarray(bits.T).view(np.bool_)

    def far_after(self, points: Points) -> Bools:
        """(J, K): who is still far once each point was revealed and the closure has grown by it."""
        low, high = np.minimum(self.closure.low, points), np.maximum(self.closure.high, points)
        within = np.ones((len(points), len(self._reference)), bool)
        for axis in range(points.shape[1]):
            column = self._reference[:, axis]
            within &= column >= low[:, axis, None]
            if self.two_sided:
                within &= column <= high[:, axis, None]
        left = self._beyond @ (~within).astype(np.float32).T
        return np.asarray(left * self._scale > self.spare)


def stretched(closure: Closure, by_side: Sequence[tuple[Floats, Floats]]) -> list[Floats]:
    """The ends, lower and upper, of a member that reaches on all sides at once as far as costs it next to nothing.

    Such members stand longest: each side has stars, and each has too few of them.
    """
    low, high = closure.low.copy(), closure.high.copy()
    for k, (outward, cost) in enumerate(by_side):
        last = int(np.flatnonzero(cost <= cost[0] + ROOM)[-1])
        if last and k < len(low):
            low[k] = -outward[last - 1]
        elif last:
            high[k - len(low)] = outward[last - 1]
    return [low, high] if closure.hypotheses.two_sided else [low]


def pack(bits: Bools) -> NDArray[np.uint64]:
    """Rows of bits in whole words, at least one."""
    packed = np.packbits(bits, axis=1)
    spare = -packed.shape[1] % 8 or (8 if packed.shape[1] == 0 else 0)
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, spare)))).view(np.uint64)
