"""The largest member of a box version space: which h ∈ V holds the most of some rows?

An h ⊇ closure(R) is described by its **reach** on each side of the closure (below and above on every axis; below only
in one-sided classes). As in `dominance` only the order matters: the caps' distinct values outwards from the closure are
the levels 1, 2, … of a side, and a point's level is the number of those that it reaches. With reach t,

    x ∈ h  ⇔  level x ≤ t on every side,

for rows and cap points alike. So the problem is to maximise the number of rows with level ≤ t, such that the cap points
with level ≤ t meet every cap. It is solved by best-first branch and bound over boxes low ≤ t ≤ high.

If `high` meets every cap, it is the best of its box. Otherwise some cap must lose a weight k. To cut a cap point off on
one side costs all rows that reach its level there. The **loss** of the point is the least such cost, over the sides on
which t may stop short of it (infinite if there is none). The points that are cut off weigh at least k, so one of them
is at least as costly as the k-th, by weight, in order of loss. Hence

    bound = rows in `high` − max over caps (k-th smallest loss).

The box is split at the cheapest cut of that point: t stops short of it there, or not. If not, `low` rises, and rows
that no member with this much reach can hold are dropped. A second bound is computed from `low` (`growth`). If it is
smaller, it also says where to split. The first bound is good for few cap points that lie anywhere, the second for many
points beyond single sides. The open boxes are disjoint and contain every member that may be larger than the best one so
far. So the largest of their bounds is always valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.zcal.radius.growth import Growth
from activepu.zcal.radius.search import Extreme, Search

EFFORT = 2**26
"""How many levels of rows are read before the search gives up: about half a second."""
OVERHEAD = 2**13
"""What a box costs in addition to its rows, in the same unit."""
PAIRS = 2**22
"""Up to this many rows times cap points, it is computed which row reaches which cap point."""

Floats = NDArray[np.float64]
Levels = NDArray[np.int32]


def largest(V: BoxVersionSpace, rows: Points, enough: int | None = None, effort: int = EFFORT) -> Extreme[Box]:
    """Return the member that holds the most rows: value = bound if the effort suffices.

    With `enough` the search ends as soon as it is clear whether bound ≤ enough.
    """
    reaches = _Reaches(V, rows)
    search = _Search(reaches, enough)
    bound, complete = search.run(effort)
    member = V.closure if search.reach is None else reaches.member(search.reach)
    return Extreme(bound, search.value, member, complete)


class _Reaches:
    """The sides of the closure with their levels; rows of equal levels are one cell, the cap points are `stars`."""

    def __init__(self, V: BoxVersionSpace, rows: Points) -> None:
        self.hypotheses, self.dim = V.hypotheses, rows.shape[1]
        self.limits = np.array([cap.limit for cap in V.caps], float)
        stars, self.weights = _stars(V, self.dim)
        outwards = self._outwards(stars, stars)
        closure = self._outwards(V.closure.low[None], V.closure.high[None])
        self.values = [np.unique(side[side > start]) for side, start in zip(outwards, closure, strict=True)]
        self.stars = self._levels(stars)
        self.size = np.array([len(values) + 1 for values in self.values], np.int32)
        self.cells, self.counts = self._merged(self._levels(rows))

    def _outwards(self, low: Points, high: Points) -> Floats:
        """Return outward coordinates, one row per side."""
        return np.concatenate([-low.T, high.T]) if self.hypotheses.two_sided else -low.T

    def _levels(self, points: Points) -> Levels:
        sides = zip(self.values, self._outwards(points, points), strict=True)
        return np.array([np.searchsorted(values, side, "right") for values, side in sides], np.int32)

    def _merged(self, levels: Levels) -> tuple[Levels, Floats]:
        if np.prod(self.size, dtype=float) >= 2.0**62:  # does not fit one word, and few rows would be equal
            return levels, np.ones(levels.shape[1])
        key = np.zeros(levels.shape[1], np.int64)
        for size, level in zip(self.size, levels, strict=True):
            key = key * size + level
        _, first, counts = np.unique(key, return_index=True, return_counts=True)
        return levels[:, first], counts.astype(float)

    def member(self, reach: Levels) -> Box:
        """Return the member with level ≤ reach on every side; each side ends just before the next value."""
        ends = np.array([np.append(values, np.inf)[t] for values, t in zip(self.values, reach, strict=True)])
        last = np.where(np.isinf(ends), np.inf, np.nextafter(ends, -np.inf))
        high = last[self.dim :] if self.hypotheses.two_sided else np.full(self.dim, np.inf)
        return Box(self.hypotheses, -last[: self.dim], high)


def _stars(V: BoxVersionSpace, dim: int) -> tuple[Points, Floats]:
    """Return the distinct cap points, and the weight of each in each cap."""
    points, place = np.unique(
        np.concatenate([np.empty((0, dim)), *(cap.points for cap in V.caps)]), axis=0, return_inverse=True
    )
    weights = np.zeros((len(V.caps), len(points)))
    start = 0
    for row, cap in zip(weights, V.caps, strict=True):
        own = place.ravel()[start : start + len(cap.points)]
        row += np.bincount(own, cap.weights, minlength=len(points))
        start += len(own)
    return points, weights


@dataclass(frozen=True, eq=False)
class _Box:
    """low ≤ t ≤ high, to be split at a `level` of a `side`; `beyond` counts the rows of `cells` from each level on.

    `at_star`: the split is the cheapest cut of a star, not what `growth` suggests.
    """

    bound: int
    low: Levels
    high: Levels
    cells: NDArray[np.intp]
    beyond: Floats
    side: int
    level: int
    at_star: bool


class _Search(Search[_Box]):
    """`value` is the most rows found so far, with `reach`."""

    def __init__(self, reaches: _Reaches, enough: int | None) -> None:
        super().__init__(enough)
        self.reaches = reaches
        self.reach: Levels | None = None
        self.first = np.insert(np.cumsum(reaches.size, dtype=np.int32), 0, 0)  # where each side begins in `beyond`
        self.numbers = reaches.cells + self.first[:-1, None]

    def run(self, effort: int) -> tuple[int, bool]:
        """Return the bound, and whether the search finished."""
        self._push(self._up_to(np.zeros(len(self.reaches.size), np.int32), np.arange(len(self.reaches.counts))))
        while (bound := self.largest_bound) > self.needed and self.spent < effort:
            dive: list[_Box] = []
            box: _Box | None = self.pop()
            while box is not None and self.spent < effort:  # cuts alone lead straight to a member
                dive.append(box)
                box = self._short_of(box)
                if box is not None and not box.at_star:
                    self._push(box)
                    break
            if self.found or self.spent >= effort:
                break
            for box in dive:
                self._push(self._beyond(box))
        return self.outcome(bound)

    def _push(self, box: _Box | None) -> None:
        if box is not None:
            self.push(box.bound, box)

    def _short_of(self, box: _Box) -> _Box | None:
        """Return the part of a box where t stops short of the split."""
        return self._up_to(box.low, box.cells[self.reaches.cells[box.side, box.cells] < box.level])

    def _beyond(self, box: _Box) -> _Box | None:
        """Return the part of a box where t does not stop short of the split."""
        low = box.low.copy()
        low[box.side] = box.level
        possible = self._possible(low, box.cells) if box.at_star else np.ones(len(box.cells), bool)
        if possible.all():
            return self._bounded(low, box.high, box.cells, box.beyond)
        return self._up_to(low, box.cells[possible])

    @cached_property
    def _reached(self) -> NDArray[np.uint64] | None:
        """A bitset of sides for each cell and star: where the cell reaches the star's level."""
        (sides, m), n = self.reaches.stars.shape, len(self.reaches.counts)
        if sides > 64 or n * m > PAIRS:
            return None
        reached = np.zeros((n, m), np.uint64)
        for side, (stars, cells) in enumerate(zip(self.reaches.stars, self.reaches.cells, strict=True)):
            reached |= (stars <= cells[:, None]).astype(np.uint64) << np.uint64(side)
        return reached

    def _possible(self, low: Levels, cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which cells a reach ≥ low can hold without breaking a cap; all of them if that was not computed."""
        if self._reached is None:
            return np.ones(len(cells), bool)
        bits = np.uint64(1) << np.arange(len(low), dtype=np.uint64)
        anyway = bits @ (self.reaches.stars <= low[:, None])
        held = (self._reached[cells] | anyway) == bits.sum()
        self.spent += 4 * held.size
        return np.asarray((held @ self.reaches.weights.T <= self.reaches.limits).all(axis=1))

    def _up_to(self, low: Levels, cells: NDArray[np.intp]) -> _Box | None:
        """Return the box up to the highest levels of `cells`."""
        if not len(cells):
            return None
        numbers = self.numbers[:, cells]
        self.spent += numbers.size
        counts = np.broadcast_to(self.reaches.counts[cells], numbers.shape)
        here = np.asarray(np.bincount(numbers.ravel(), counts.ravel(), minlength=self.first[-1]), float)
        beyond: Floats = np.cumsum(here[::-1])[::-1]
        beyond -= np.repeat(np.append(beyond, 0.0)[self.first[1:]], self.reaches.size)
        return self._bounded(low, numbers.max(axis=1) - self.first[:-1], cells, beyond)

    def _bounded(self, low: Levels, high: Levels, cells: NDArray[np.intp], beyond: Floats) -> _Box | None:
        """Return the box with its bound; None if it holds nothing better."""
        self.spent += OVERHEAD + self.reaches.stars.size + self.reaches.weights.size
        rows = int(beyond[0])
        if rows <= self.value or (high < low).any():
            return None
        inside = (self.reaches.stars <= high[:, None]).all(axis=0)
        stars, weights = self.reaches.stars[:, inside], self.reaches.weights[:, inside]
        excess = weights.sum(axis=1) - self.reaches.limits
        if np.all(excess <= 0):
            self.value, self.reach = rows, high
            return None
        costs = np.where(stars > low[:, None], beyond[self.first[:-1, None] + stars], np.inf)
        loss = costs.min(axis=0)
        order = np.argsort(loss, kind="stable")
        last = order[np.argmax(np.cumsum(weights[:, order], axis=1) >= excess[:, None], axis=1)]
        worst = np.argmax(np.where(excess > 0, loss[last], 0.0))
        star = last[worst]
        if np.isinf(loss[star]):
            return None
        bound = rows - int(loss[star])
        if bound > self.needed:
            side = int(np.argmin(costs[:, star]))
            split, at_star = (side, int(stars[side, star])), True
            growth = Growth(low, self.first, self.reaches.stars, self.reaches.weights, self.reaches.limits)
            levels, counts = self.reaches.cells[:, cells], self.reaches.counts[cells]
            before = growth.stars_before(levels)
            self.spent += 4 * levels.size
            possible = growth.possible(before)
            if not possible.all():
                return self._up_to(low, cells[possible])
            grown = growth.bound(levels, before, counts)
            for reach in grown.reaches:
                self._try(reach, levels, counts)
            if grown.bound < bound:
                bound, split, at_star = grown.bound, grown.split, False
        if bound <= self.needed:
            self.skipped = max(self.skipped, bound)
            return None
        return _Box(bound, low, high, cells, beyond, *split, at_star)

    def _try(self, reach: Levels, levels: Levels, counts: Floats) -> None:
        """Keep this reach if it is a larger member."""
        rows = int(counts[(levels <= reach[:, None]).all(axis=0)].sum())
        inside = (self.reaches.stars <= reach[:, None]).all(axis=0)
        if rows > self.value and np.all(self.reaches.weights @ inside <= self.reaches.limits):
            self.value, self.reach = rows, reach
