"""The rows of a pool by each of their coordinates: what lies beyond a bound on one side is a slice of that order.

Sides are numbered as in `evidence`: first the lower one of each axis, then the upper ones. On a side, coordinates grow
outwards: −x on a lower one, x on an upper one. An answer changes what is known beyond a star, or beyond the closure;
that is a small part of a large pool, and nothing else is looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED, Decisions
from activepu.zcal.rates import Floats

Rows = NDArray[np.signedinteger]


class SortedRows(Decisions):
    """The rows of `points` in order, and what is decided about them; read it like a `Frontier`."""

    def __init__(self, closure: Box, points: Points) -> None:
        self._columns = points.T
        kind = np.int32 if len(points) < 2**31 else np.intp
        self._orders: list[Rows] = [np.argsort(column).astype(kind) for column in self._columns]
        inside = closure.contains(points)
        self._status = np.where(inside, np.int8(POSITIVE), np.int8(UNDECIDED))
        self.undecided = np.flatnonzero(~inside)
        self.n_positive = int(np.count_nonzero(inside))

    def beyond(self, side: int, place: float, strictly: bool = False) -> Rows:
        """The rows that reach a place on a side, the furthest last."""
        axis = side % len(self._orders)
        order, value = self._orders[axis], self._columns[axis].__getitem__
        if side < len(self._orders):
            return order[: (bisect_left if strictly else bisect_right)(order, -place, key=value)][::-1]
        return order[(bisect_right if strictly else bisect_left)(order, place, key=value) :]

    def reaching(self, side: int, places: Floats, amounts: Floats) -> tuple[Rows, Floats]:
        """The rows that reach the first of some places, which are in order, and the amount of the last they reach."""
        rows = self.beyond(side, places[0])
        left = [len(rows), *(len(self.beyond(side, place)) for place in places[1:]), 0]
        return rows, np.repeat(amounts, -np.diff(left))

    def _grow(self, closure: Box, sides: int) -> None:
        """What a larger closure holds is positive."""
        outside = np.zeros(len(self._status), bool)
        for side, end in enumerate(np.concatenate([-closure.low, closure.high])[:sides]):
            outside[self.beyond(side, end, strictly=True)] = True
        inside = ~outside[self.undecided]
        self._status[self.undecided[inside]] = POSITIVE
        self.undecided = self.undecided[~inside]
        self.n_positive += int(np.count_nonzero(inside))

    def _exclude(self, rows: Rows) -> None:
        """Those of them that are undecided are negative."""
        excluded = rows[self._status[rows] == UNDECIDED]
        if len(excluded):
            self._status[excluded] = NEGATIVE
            self.undecided = np.flatnonzero(self._status == UNDECIDED)
