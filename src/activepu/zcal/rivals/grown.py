"""Rivals of an intersection-closed class: members around the closure, with room for a few undecided items."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.zcal.confidence.known_rate_bets import outside
from activepu.zcal.rivals.base import Bools, Counts, Floats

ENOUGH = 0.8
"""The share of the farthest rival that is far enough."""
ROOM = 0.3
"""What each side of a `stretched` member may cost, in nats."""
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)

Words = NDArray[np.uint64]


class Reference:
    """A fixed sample of the pool. For every bound on an axis it knows the points that meet it, one bit each."""

    def __init__(self, points: Points) -> None:
        self.points = points
        order = np.argsort(points, axis=0, kind="stable")
        self._columns = np.take_along_axis(points, order, axis=0).T.copy()
        self._first = [_prefixes(one) for one in order.T]
        """By axis: the points with the 0, 1, … least values."""

    def within(self, low: Points, high: Points, two_sided: bool) -> Words:
        """(rows, words): the points between these bounds, or above the lower ones."""
        found = np.full((len(low), self._first[0].shape[1]), FULL)
        for axis, (column, first) in enumerate(zip(self._columns, self._first, strict=True)):
            found &= first[-1] ^ first[np.searchsorted(column, low[:, axis])]
            if two_sided:
                found &= first[np.searchsorted(column, high[:, axis], side="right")]
        return found


class Grown:
    """Geometry: closure(R ∪ {x, …}) for a few undecided x each, and how much of a `reference` they hold beyond R.

    Only those that are far are kept: who is near will not be far again. `share` of them all it was.
    """

    def __init__(self, closure: Closure, corners: Sequence[Points], reference: Reference, spare: float) -> None:
        """`spare` is what a rival may hold; the reference is a sample, so the first one counts as far in any case."""
        self.closure = closure
        self.two_sided = closure.hypotheses.two_sided
        low, high = closure.low, closure.high
        for x in corners:
            low, high = np.minimum(low, x), np.maximum(high, x)
        self._reference, self._scale = reference, 1.0 / max(1, len(reference.points))
        inside = reference.within(closure.low[None], closure.high[None], self.two_sided)
        beyond = reference.within(low, high, self.two_sided) & ~inside
        mass = _size(beyond) * self._scale
        self.spare = min(spare, ENOUGH * float(mass[0])) if len(mass) else 0.0
        far = np.flatnonzero(mass > self.spare)
        self.low, self.high, self._beyond = low[far], high[far], beyond[far]
        self.share = len(far) / max(1, len(mass))

    @cached_property
    def _ordered(self) -> list[tuple[int, float, Floats, Words]]:
        """For every side: its axis and sign, the rivals' bounds in order, and the first 0, 1, … of them as bits."""
        found = []
        for axis, sign in itertools.product(range(self.low.shape[1]), (1.0, -1.0) if self.two_sided else (1.0,)):
            bounds = sign * (self.low if sign > 0 else self.high)[:, axis]
            order = np.argsort(bounds, kind="stable")
            found.append((axis, sign, bounds[order], _prefixes(order)))
        return found

    def holds(self, points: Points) -> Bools:
        """(J, K), side by side: those that reach a point are the first so many in the order of that side's bounds."""
        held = np.full((len(points), -(-len(self.low) // 64)), FULL)
        for axis, sign, bounds, first in self._ordered:
            held &= first[np.searchsorted(bounds, sign * points[:, axis], side="right")]
        return np.unpackbits(held.view(np.uint8), axis=1, count=len(self.low)).view(np.bool_).T

    def holds_beyond_one_side(self, points: Points) -> Bools:
        """The same, but nobody holds a point that lies beyond several sides of the closure, or beyond none."""
        held = np.zeros((len(points), len(self.low)), bool)
        single = outside(self.closure, points).sum(axis=1) == 1
        held[single] = self.holds(points[single]).T
        return held.T

    def far_after(self, points: Points) -> Bools:
        """(J, K): who is still far once each point was revealed and the closure has grown by it."""
        low, high = np.minimum(self.closure.low, points), np.maximum(self.closure.high, points)
        left = self._beyond[:, None] & ~self._reference.within(low, high, self.two_sided)
        return np.asarray(_size(left) * self._scale > self.spare)


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


def pack(bits: Bools) -> Words:
    """Rows of bits in whole words, at least one."""
    packed = np.packbits(bits, axis=1)
    words = np.zeros((len(bits), max(1, -(-bits.shape[1] // 64)) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)


def _prefixes(order: NDArray[np.intp]) -> Words:
    """The first 0, 1, … in this order, one bit each."""
    rows = np.arange(1, len(order) + 1)
    each = np.zeros((len(order) + 1, max(1, -(-len(order) // 64)) * 8), np.uint8)
    each[rows, order // 8] = 128 >> (order % 8)
    return np.asarray(np.bitwise_or.accumulate(each.view(np.uint64), axis=0))


def _size(bits: Words) -> Counts:
    return np.asarray(np.bitwise_count(bits).sum(axis=-1, dtype=np.intp))
