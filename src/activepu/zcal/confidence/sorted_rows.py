"""The rows of a pool sorted by each coordinate: the rows beyond a bound on one side are a slice of that order.

Sides are numbered as in `hypotheses.boxlike`: first the lower side of each axis, then the upper sides. On a side,
coordinates grow outwards: −x on a lower side, x on an upper one. An answer changes what is known beyond a star, or
beyond the closure. That is a small part of a large pool, and only this part is visited.
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
    """The rows of `points` in order, and what is decided about them; to be read like a `Frontier`."""

    def __init__(self, closure: Box, points: Points) -> None:
        self._columns = points.T
        kind = np.int32 if len(points) < 2**31 else np.intp
        self._orders: list[Rows] = [np.argsort(column).astype(kind) for column in self._columns]
        inside = closure.contains(points)
        self._status = np.where(inside, np.int8(POSITIVE), np.int8(UNDECIDED))
        self.undecided = np.flatnonzero(~inside)
        self.n_positive = int(np.count_nonzero(inside))

    def beyond(self, side: int, place: float, strictly: bool = False) -> Rows:
        """Return the rows that reach a place on a side, the furthest last."""
        axis = side % len(self._orders)
        order, value = self._orders[axis], self._columns[axis].__getitem__
        if side < len(self._orders):
            return order[: (bisect_left if strictly else bisect_right)(order, -place, key=value)][::-1]
        return order[(bisect_right if strictly else bisect_left)(order, place, key=value) :]

    def reaching(self, side: int, places: Floats, amounts: Floats) -> tuple[Rows, Floats]:
        """Return the rows that reach the first of some ordered places, and the amount of the last that each reaches."""
        rows = self.beyond(side, places[0])
        left = [len(rows), *(len(self.beyond(side, place)) for place in places[1:]), 0]
        return rows, np.repeat(amounts, -np.diff(left))

    def _grow(self, closure: Box, sides: int) -> None:
        """Decide that the undecided rows inside a larger closure are positive."""
        outside = np.zeros(len(self._status), bool)
        for side, end in enumerate(np.concatenate([-closure.low, closure.high])[:sides]):
            outside[self.beyond(side, end, strictly=True)] = True
        inside = ~outside[self.undecided]
        self._status[self.undecided[inside]] = POSITIVE
        self.undecided = self.undecided[~inside]
        self.n_positive += int(np.count_nonzero(inside))

    def _exclude(self, rows: Rows) -> None:
        """Decide that those of these rows that are undecided are negative."""
        excluded = rows[self._status[rows] == UNDECIDED]
        if len(excluded):
            self._status[excluded] = NEGATIVE
            self.undecided = np.flatnonzero(self._status == UNDECIDED)
