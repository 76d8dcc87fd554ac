"""The stars that some possible hypothesis holds and another does not: a small set that tells which limits to keep.

A star z is **near** if it lies outside closure(R) and closure(R ∪ {z}) meets the limits that are kept. Every other star
is held by all possible hypotheses or by none. The set of possible hypotheses only shrinks, so a star that is not near
will never be.

**Which limits to keep.** The likelihood bound holds at all moments at once, hence at any chosen moments, however they
are chosen. So limits may be left out. The set is then larger, still contains the truth with probability ≥ 1 − δ, and
still only shrinks. (The choice must not depend on the pool: a reserved sample must not influence its own decisions.)

A limit is kept if it excludes a near star. Along one side of the closure counts rise at stars only, so that a limit
which excludes a point there excludes a star. Among points beyond several sides the stars are only a sample. What is
given up are exclusions that a limit would make later, when the closure has grown, although it makes none now.

If z is near, closure(R ∪ {z}) holds the stars of the closure and some near stars, and no others. Their numbers are
kept, by group. A new star adds to those that reach it; when the closure grows, all are counted again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.zcal.confidence.prices import CHUNK, Bools, Bound, Groups, Spent, broken, packed
from activepu.zcal.rates import Rates


class NearStars:
    """The numbers of the near stars z, and how many stars each closure(R ∪ {z}) holds."""

    def __init__(self, rates: Rates) -> None:
        self.rows: NDArray[np.intp] = np.empty(0, np.intp)
        self._rates, self._spent = rates, Spent(rates, 0)

    def reveals(self, group: int, revealed: int) -> None:
        """Take note of the number of reveals of a group."""
        self._spent.reveal(group, revealed)

    def star(self, closure: Box, stars: Points, groups: Groups, held: Bools, bounds: Sequence[Bound]) -> None:
        """Take in the last of the stars. `held`: those in the closure. `bounds`: the bounds that are kept so far."""
        new, group = len(stars) - 1, int(groups[-1])
        self._spent.star(group, np.flatnonzero(closure.reaching(stars[self.rows], stars[new])))
        if held[new]:
            return
        inside = closure.grow(stars[new:]).contains(stars)
        others = inside & ~held
        others[self.rows] = others[new] = False
        if not others.any() and not broken(self._rates, bounds, groups, packed(inside[None]))[0]:
            self.rows = np.append(self.rows, new)
            self._spent.append(np.bincount(groups[inside]))

    def grow(
        self,
        closure: Box,
        stars: Points,
        groups: Groups,
        held: Bools,
        bounds: Sequence[Bound],
        revealed: Sequence[int],
        rows: NDArray[np.intp] | None = None,
    ) -> None:
        """Take in a larger closure: drop the stars inside it, and those that exceed a bound now."""
        rows = self.rows if rows is None else rows
        rows = rows[~held[rows]]
        self.rows, self._spent = rows[:0], Spent(self._rates, 0)
        for group, number in enumerate(revealed):
            self._spent.reveal(group, number)
        step = max(1, CHUNK // max(1, len(stars)))
        for i in range(0, len(rows), step):
            part = rows[i : i + step]
            inside = np.array([closure.grow(stars[[row]]).contains(stars) for row in part])
            met = ~broken(self._rates, bounds, groups, packed(inside))
            self.rows = np.append(self.rows, part[met])
            for row in inside[met]:
                self._spent.append(np.bincount(groups[row]))

    def drop(self, budget: float) -> bool:
        """Drop the stars that exceed the budget of a bound on all stars; return whether there were any."""
        over = self._spent.total > budget
        if over.any():
            self.rows = self.rows[~over]
            self._spent.keep(~over)
        return bool(over.any())
