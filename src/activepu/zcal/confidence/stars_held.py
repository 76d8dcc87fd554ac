"""Which stars closure(R ∪ {x}) holds, for every undecided item x of a pool.

A star c lies in closure(R ∪ {x}) exactly if x reaches at least as far as c on every side on which c lies outside
closure(R): x_k ≤ c_k where c_k < low_k, and, in two-sided classes, x_k ≥ c_k where c_k > high_k. (With R = ∅, low = +∞
and high = −∞ make that x ≤ c, or x = c, as it should be.) So
- a new star needs a comparison on its own few sides only, each among the items that passed the sides before;
- a reveal moves low and high outwards. Then conditions disappear, and bits are only ever set. Stars that lose no
  condition are held by the same items as before and need no comparison.

One bit per star and undecided item is kept, in words of 64 stars, because each bound counts the first n stars for its
own n. Coordinates are kept by column. Decided items are removed once they are a fourth of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED, Decisions
from activepu.zcal.confidence.prices import WORD, Bound, Spent, broken
from activepu.zcal.rates import Rates

ROOM = 0.25  # decided items are removed once they are this share
PROBE = 1024  # size of the sample of items that decides which side is compared first

Bools = NDArray[np.bool_]
Rows = NDArray[np.intp]
Floats = NDArray[np.float64]
Side = tuple[int, bool, float]
"""An axis, whether x must be ≤ the value there (or ≥), and the value."""


class StarsHeld(Decisions):
    """The undecided items with the stars that they hold, and all decisions; to be read like a `Frontier`."""

    def __init__(self, closure: Box, points: Points, rates: Rates) -> None:
        self._closure, self._rates = closure, rates
        inside = closure.contains(points)
        self._status = np.where(inside, np.int8(POSITIVE), np.int8(UNDECIDED))
        self.n_positive = int(np.count_nonzero(inside))
        self._n_undecided = len(points) - self.n_positive
        self._rows: Rows = np.flatnonzero(~inside)
        self._live = np.ones(len(self._rows), bool)
        self._undecided: Rows | None = None
        self._columns = [np.ascontiguousarray(column[self._rows]) for column in points.T]
        self._words: list[NDArray[np.uint64]] = []
        self._spent = Spent(rates, len(self._rows))
        self._stars: list[Floats] = []
        self._groups: list[int] = []

    @property  # made when it is asked for
    def undecided(self) -> Rows:  # type: ignore[override]
        """The undecided, in the order of the pool."""
        if self._undecided is None:
            self._undecided = self._rows if self._n_undecided == len(self._rows) else self._rows[self._live]
        return self._undecided

    @property
    def n_undecided(self) -> int:
        """The number of undecided items."""
        return self._n_undecided

    def star(self, z: Floats, group: int, budget: float | None, gap: bool = False) -> None:
        """Take in a silence at z. `budget` is that of the bound that follows from it, or None if it is not new.

        Only items that hold z can exceed it, unless there is a `gap`: bounds before it were left out.
        """
        if len(self._stars) % WORD == 0:
            self._words.append(np.zeros(len(self._rows), np.uint64))
        self._stars.append(z)
        self._groups.append(group)
        rows = self._hold(len(self._stars) - 1)
        self._exclude(np.flatnonzero(self._live) if gap else rows[self._live[rows]], budget)

    def reveals(self, group: int, revealed: int) -> None:
        """Take note of the number of reveals of a group."""
        self._spent.reveal(group, revealed)

    def reveal(self, closure: Box, bounds: Sequence[Bound], budget: float | None) -> None:
        """Take in a larger closure: decide the items in it, and check items that hold more stars now on all bounds.

        `budget` is that of the newest bound, or None if it is not new. It counts all stars, and every item is checked.
        """
        before, self._closure = self._closure, closure
        rows = self._meeting(_bounds(closure))
        self._decide(rows[self._live[rows]], POSITIVE)
        self._exclude(np.flatnonzero(self._live), budget)
        changed = np.zeros(len(self._rows), bool)
        for index in _freed(np.array(self._stars), before, closure):
            changed[self._hold(int(index))] = True
        rows = np.flatnonzero(changed & self._live)
        words, groups = [word[rows] for word in self._words], np.array(self._groups, np.intp)
        self._decide(rows[broken(self._rates, bounds, groups, words)], NEGATIVE)

    def _hold(self, index: int) -> Rows:
        """Set the star's bit for all items that hold it, and return those that had not held it before."""
        word, bit = self._words[index // WORD], np.uint64(1 << index % WORD)
        rows = self._meeting(_outside(self._stars[index], self._closure))
        rows = np.asarray(rows[word[rows] & bit == 0])
        word[rows] |= bit
        self._spent.star(self._groups[index], rows)
        return rows

    def _exclude(self, rows: Rows, budget: float | None) -> None:
        """Exclude those undecided items that exceed the budget of a bound on all stars."""
        if budget is not None:
            self._decide(rows[self._spent.total[rows] > budget], NEGATIVE)

    def _meeting(self, sides: Sequence[Side]) -> Rows:
        """Return the items that meet all conditions; the condition that fewest items meet is checked first."""
        probe = slice(None, None, max(1, len(self._rows) // PROBE))
        sides = sorted(sides, key=lambda side: np.count_nonzero(_meet(self._columns[side[0]][probe], side)))
        if not sides:
            return np.arange(len(self._rows))
        rows = np.flatnonzero(_meet(self._columns[sides[0][0]], sides[0]))
        for side in sides[1:]:
            rows = rows[_meet(self._columns[side[0]][rows], side)]
        return rows

    def _decide(self, rows: Rows, verdict: int) -> None:
        """Decide undecided items, and remove all decided ones when there are too many of them."""
        if len(rows) == 0:
            return
        self._undecided = None
        self._status[self._rows[rows]] = verdict
        self._live[rows] = False
        self._n_undecided -= len(rows)
        self.n_positive += len(rows) if verdict == POSITIVE else 0
        if self._n_undecided < (1 - ROOM) * len(self._rows):
            live = np.flatnonzero(self._live)
            self._rows, self._live = self._rows[live], np.ones(len(live), bool)
            self._columns = [column[live] for column in self._columns]
            self._words = [word[live] for word in self._words]
            self._spent.keep(live)


def _meet(values: Floats, side: Side) -> Bools:
    _, below, bound = side
    return np.asarray(values <= bound if below else values >= bound)


def _outside(z: Floats, closure: Box) -> list[Side]:
    """Return the conditions that x must meet for closure(R ∪ {x}) to hold z."""
    sides = [(int(axis), True, float(z[axis])) for axis in np.flatnonzero(z < closure.low)]
    if closure.hypotheses.two_sided:
        sides += [(int(axis), False, float(z[axis])) for axis in np.flatnonzero(z > closure.high)]
    return sides


def _freed(stars: Floats, before: Box, closure: Box) -> Rows:
    """Return which stars lose a condition when the closure grows."""
    if len(stars) == 0:
        return np.empty(0, np.intp)
    freed = ((stars < before.low) != (stars < closure.low)).any(axis=1)
    if closure.hypotheses.two_sided:
        freed |= ((stars > before.high) != (stars > closure.high)).any(axis=1)
    return np.flatnonzero(freed)


def _bounds(closure: Box) -> list[Side]:
    """Return the conditions that x must meet to lie in the closure."""
    sides = [(axis, False, float(low)) for axis, low in enumerate(closure.low)]
    return sides + [(axis, True, float(high)) for axis, high in enumerate(closure.high) if high < np.inf]
