"""A sample of the pool as bitsets: for every bound on an axis, the points that meet it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points

FULL = np.uint64(0xFFFFFFFFFFFFFFFF)

Words = NDArray[np.uint64]


class Reference:
    """A fixed sample of the pool. For every bound on an axis it stores the points that meet it, one bit each."""

    def __init__(self, points: Points) -> None:
        self.points = points
        order = np.argsort(points, axis=0, kind="stable")
        self._columns = np.take_along_axis(points, order, axis=0).T.copy()
        self._first = [prefixes(one) for one in order.T]
        """For each axis: the points with the 0, 1, … least values."""

    def within(self, low: Points, high: Points, two_sided: bool) -> Words:
        """Return (rows, words): the points between these bounds, or above the lower ones if one-sided."""
        found = np.full((len(low), self._first[0].shape[1]), FULL)
        for axis, (column, first) in enumerate(zip(self._columns, self._first, strict=True)):
            found &= first[-1] ^ first[np.searchsorted(column, low[:, axis])]
            if two_sided:
                found &= first[np.searchsorted(column, high[:, axis], side="right")]
        return found


def pack(bits: NDArray[np.bool_]) -> Words:
    """Return rows of bits packed into whole words, at least one."""
    packed = np.packbits(bits, axis=1)
    words = np.zeros((len(bits), max(1, -(-bits.shape[1] // 64)) * 8), np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)


def prefixes(order: NDArray[np.intp]) -> Words:
    """Return the first 0, 1, … in this order, one bit each."""
    rows = np.arange(1, len(order) + 1)
    each = np.zeros((len(order) + 1, max(1, -(-len(order) // 64)) * 8), np.uint8)
    each[rows, order // 8] = 128 >> (order % 8)
    return np.asarray(np.bitwise_or.accumulate(each.view(np.uint64), axis=0))
