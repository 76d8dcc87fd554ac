"""Does closure(R ∪ {x}) contain at most `limit` of the cap's points? Decided exactly, for millions of x.

Only the order of coordinates matters. On each axis the cap's distinct values outside [low, high] are numbered outwards
from the closure, −1, −2, … below and +1, +2, … above; everything inside is 0. A point x gets the number of the last
value that it reaches. With these **codes**, and no rounding anywhere,

    c ∈ closure(R ∪ {x})  ⇔  on every axis  min(0, code x) ≤ code c ≤ max(0, code x).

Three stages bracket each count between a lower and an upper bound. The upper bound may be left out where the lower one
exceeds the limit. Each stage passes on only those x whose bounds do not decide:

1. a cumulative **grid** for all x that leave the closure on the same sides: a dominance problem in those axes alone,
   answered by two look-ups (one axis, or few distinct values: exact);
2. **bitsets** of the cap points below a hundred or so levels of each axis, intersected and counted;
3. **direct** comparison with every cap point, in chunks.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.version_spaces.caps import Cap

# When one stage hands over to the next. These numbers change the speed, never the answer.
VALUES = 2**22  # coordinates of x that are compared at once
DIRECT = 2**21  # up to this many comparisons (x times cap points), direct comparison is fastest
GROUP = 48  # at least this many x on the same sides are worth a grid
CELLS = 2**20  # largest grid
LEVELS = 192  # bitsets per axis
BITS = 2**30  # largest set of bitsets
CHUNK = 2**19  # bytes of scratch at a time: what a core's cache holds

Codes = NDArray[np.signedinteger[Any]]
Counts = NDArray[np.int64]
Whole = TypeVar("Whole", int, NDArray[np.intp])


class Dominance:
    """One cap seen from the closure [low, high]; `high` is +∞ in one-sided classes, `low` too where R is empty."""

    def __init__(self, cap: Cap, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        self.low, self.high = low, high
        self.values, places = cap.order
        self.first = [int(np.searchsorted(v, a, "left")) for v, a in zip(self.values, low, strict=True)]
        self.last = [int(np.searchsorted(v, b, "right")) for v, b in zip(self.values, high, strict=True)]
        self.dtype = np.int16 if len(cap.points) < 2**15 else np.int32
        first, last = np.array([self.first, self.last], np.int32)[:, :, None]
        codes = np.minimum(places - first, 0) + np.maximum(places + 1 - last, 0)
        outside: NDArray[np.bool_] = np.any(codes != 0, axis=0)
        self.codes: Codes = np.ascontiguousarray(codes[:, outside], self.dtype)
        self.weights = None if cap.weights is None else cap.weights[outside]
        self.limit = cap.limit - cap.mass(~outside)  # points in the closure count for every x
        self.total = cap.mass(outside)

    @property
    def size(self) -> int:
        """The number of cap points outside the closure."""
        return int(self.codes.shape[1])

    def meets(self, points: Points) -> NDArray[np.bool_]:
        """Return which x meet the cap: |closure(R ∪ {x}) ∩ C| ≤ limit."""
        if self.limit < 0 or self.total <= self.limit:
            return np.full(len(points), self.limit >= 0)
        verdict = np.empty(len(points), bool)
        step = max(1, VALUES // len(self.values))
        for i in range(0, len(points), step):
            verdict[i : i + step] = self._decide(self._encode(points[i : i + step]))
        return verdict

    def _encode(self, points: Points) -> Codes:
        codes = np.zeros((len(self.values), len(points)), self.dtype)
        for axis, (values, first, last) in enumerate(zip(self.values, self.first, self.last, strict=True)):
            column = np.ascontiguousarray(points[:, axis])
            if first:
                below = np.flatnonzero(column < self.low[axis])
                codes[axis, below] = np.searchsorted(values[:first], column[below], "left") - first
            if last < len(values):
                above = np.flatnonzero(column > self.high[axis])
                codes[axis, above] = np.searchsorted(values[last:], column[above], "right")
        return codes

    def _decide(self, codes: Codes) -> NDArray[np.bool_]:
        verdict = np.ones(codes.shape[1], bool)
        rows = np.flatnonzero(codes.any(axis=0))
        for stage in (self._by_grid, self._by_bitset, self._directly):
            if not len(rows):
                break
            bracket = stage if len(rows) * self.size > DIRECT else self._directly
            lower, upper = bracket(codes[:, rows])
            verdict[rows] = upper <= self.limit
            rows = rows[(lower <= self.limit) & (upper > self.limit)]
        return verdict

    # 1. Grids

    @cached_property
    def _own_sides(self) -> NDArray[np.int64]:
        return _sides(self.codes)

    def _by_grid(self, codes: Codes) -> tuple[Counts, Counts]:
        lower, upper = np.zeros(codes.shape[1], np.int64), np.full(codes.shape[1], self.total)
        if len(codes) > 31:  # the sides do not fit one word, and few x would share them
            return lower, upper
        sides = _sides(codes)
        order = np.argsort(sides, kind="stable")
        bounds = np.flatnonzero(np.diff(sides[order], prepend=-1, append=-1))
        for start, stop in pairwise(bounds):
            if stop - start >= GROUP:
                rows = order[start:stop]
                lower[rows], upper[rows] = self._grid(int(sides[rows[0]]), codes[:, rows])
        return lower, upper

    def _grid(self, sides: int, codes: Codes) -> tuple[Counts, Counts] | tuple[int, int]:
        """Return bounds for x that all leave the closure on the same sides."""
        reach = np.flatnonzero((self._own_sides & ~sides) == 0)
        weights = None if self.weights is None else self.weights[reach]
        total = len(reach) if weights is None else int(weights.sum())
        axes = np.flatnonzero(codes[:, 0])
        if total <= self.limit or 2 ** len(axes) > CELLS:
            return 0, total
        cells = min(CELLS, max(16 * codes.shape[1], 2 ** len(axes))) if len(axes) > 1 else self.size + 2
        shape, at = [], np.zeros(len(reach), np.intp)
        below, above = np.zeros((2, codes.shape[1]), np.intp)
        for left, side in zip(range(len(axes), 0, -1), axes, strict=True):
            c, x = np.abs(self.codes[side, reach]).astype(np.intp), np.abs(codes[side]).astype(np.intp)
            levels = int(c.max())
            width = _ceil(levels, max(1, int((cells + 0.5) ** (1 / left)) - 1)) or 1
            bins = _ceil(levels, width)  # cell k holds the codes (k − 1)·width + 1 … k·width, cell 0 the closure's
            shape.append(bins + 1)
            cells //= bins + 1
            at = at * (bins + 1) + _ceil(c, width)
            below = below * (bins + 1) + np.minimum(x // width, bins)
            above = above * (bins + 1) + np.minimum(_ceil(x, width), bins)
        counts = np.bincount(at, weights, minlength=int(np.prod(shape))).astype(np.int64).reshape(shape)
        for axis in range(len(shape)):
            np.cumsum(counts, axis=axis, out=counts)
        return counts.ravel()[below], counts.ravel()[above]

    # 2. Bitsets

    @cached_property
    def _bitsets(self) -> list[tuple[int, int, NDArray[np.uint64]]]:
        """Per axis the width of a level, the number of levels below, and a bitset of cap points for each level."""
        sets = []
        budget = max(1, min(LEVELS, BITS // (len(self.codes) * self.size)))
        for code in self.codes:
            below, above = max(0, -int(code.min())), max(0, int(code.max()))
            width = _ceil(below + above, budget) or 1
            below, above = _ceil(below, width), _ceil(above, width)
            levels = range(-below * width, above * width + 1, width)
            bits = [_pack((code >= min(0, level)) & (code <= max(0, level))) for level in levels]
            sets.append((width, below, np.stack(bits)))
        return sets

    @cached_property
    def _planes(self) -> list[NDArray[np.uint64]]:
        """The binary digits of the weights, lowest first."""
        weights = np.zeros(0, np.int64) if self.weights is None else self.weights
        return [_pack(weights >> digit & 1 == 1) for digit in range(int(weights.max(initial=0)).bit_length())]

    def _by_bitset(self, codes: Codes) -> tuple[Counts, Counts]:
        inner, outer = np.empty((2, *codes.shape), np.intp)
        for axis, (width, below, bits) in enumerate(self._bitsets):
            size, sign = np.abs(codes[axis]).astype(np.intp), np.sign(codes[axis]).astype(np.intp)
            inner[axis] = np.clip(below + sign * (size // width), 0, len(bits) - 1)
            outer[axis] = np.clip(below + sign * _ceil(size, width), 0, len(bits) - 1)
        lower = self._intersect(inner)
        upper = lower.copy()
        rows = np.flatnonzero(lower <= self.limit)
        upper[rows] = self._intersect(outer[:, rows])
        return lower, upper

    def _intersect(self, levels: NDArray[np.intp]) -> Counts:
        counts = np.empty(levels.shape[1], np.int64)
        step = max(1, CHUNK // 8 * 64 // max(self.size, 64))
        for i in range(0, len(counts), step):
            held = self._bitsets[0][2][levels[0, i : i + step]]
            for (_, _, bits), level in zip(self._bitsets[1:], levels[1:, i : i + step], strict=True):
                held &= bits[level]
            counts[i : i + step] = self._weigh(held)
        return counts

    def _weigh(self, held: NDArray[np.uint64]) -> Counts:
        if self.weights is None:
            return _ones(held)
        counts = np.zeros(len(held), np.int64)
        for digit, plane in enumerate(self._planes):
            counts += _ones(held & plane) << digit
        return counts

    # 3. Direct comparison

    def _directly(self, codes: Codes) -> tuple[Counts, Counts]:
        counts = np.empty(codes.shape[1], np.int64)
        step = max(1, CHUNK // max(self.size, 1))
        for i in range(0, len(counts), step):
            x = codes[:, i : i + step, None]
            held = np.ones((x.shape[1], self.size), bool)
            for c, least, most in zip(self.codes, np.minimum(x, 0), np.maximum(x, 0), strict=True):
                held &= c >= least
                held &= c <= most
            counts[i : i + step] = np.count_nonzero(held, axis=1) if self.weights is None else held @ self.weights
        return counts, counts


class Repeats:
    """A two-sided cap where R is empty: closure({x}) = {x} holds only the repeats of x itself."""

    def __init__(self, cap: Cap) -> None:
        rows, place = np.unique(cap.points, axis=0, return_inverse=True)
        self.heavy = _opaque(rows[np.bincount(place.ravel(), cap.weights, minlength=len(rows)) > cap.limit])

    def meets(self, points: Points) -> NDArray[np.bool_]:
        """Return which x are not repeated beyond the limit."""
        if not len(self.heavy):
            return np.ones(len(points), bool)
        return ~np.isin(_opaque(points), self.heavy)


def _ceil(a: Whole, b: int) -> Whole:
    return -(-a // b)


def _pack(chosen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A bitset in whole words."""
    packed = np.packbits(chosen)
    return np.pad(packed, (0, -len(packed) % 8)).view(np.uint64)


def _ones(bits: NDArray[np.uint64]) -> Counts:
    counts: Counts = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    return counts


def _sides(codes: Codes) -> NDArray[np.int64]:
    """Two bits per axis: below, above."""
    sides = np.zeros(codes.shape[1], np.int64)
    for axis, code in enumerate(codes):
        sides |= (code < 0).astype(np.int64) << (2 * axis)
        sides |= (code > 0).astype(np.int64) << (2 * axis + 1)
    return sides


def _opaque(points: Points) -> NDArray[np.void]:
    """Each row as one value; adding 0 makes −0 equal to 0."""
    rows = np.ascontiguousarray(points + 0.0, np.float64)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
