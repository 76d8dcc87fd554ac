"""What stands in an intersection-closed class, exactly.

A hypothesis that stands contains closure(R) and meets the limits that all answers so far have put on its stars. Fewer
stars never hurt, so closure(R) is the least of them (or nothing stands), and x lies in one of them exactly if
closure(R ∪ {x}) meets every limit. So an item is positive when the closure holds it and negative when closure(R ∪ {x})
breaks a limit; between two reveals only the newest limit can be broken for the first time, after a reveal any.

For the same reason the closure explains the widest range of rates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.likelihood.caps import AtMost, most_of_all, tables, tightened
from activepu.likelihood.rates import Rates
from activepu.likelihood.reach import Reach
from activepu.likelihood.standing import ANY_RATE, Standing, Verdicts, Witnesses
from activepu.version_spaces import ClosedVersionSpace


class ClosedStanding(Standing):
    """A closure, a stack of caps on the stars, and the stars that every undecided item holds."""

    def __init__(self, V: ClosedVersionSpace, points: Points, rates: Rates, delta: float) -> None:
        super().__init__(V, points, rates, delta)
        self._closure = V.closure
        self._reach = Reach(V.closure, points)
        self._caps: tuple[AtMost, ...] = ()
        self._V = V
        self._evidence: list[tuple[list[int], NDArray[np.intp], float]] = []

    @property
    def _verdicts(self) -> Verdicts:
        return self._reach

    @property
    def version_space(self) -> ClosedVersionSpace:
        """The closure and the caps."""
        return self._V

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        closure = self._closure.grow(x) if revealed else self._closure
        most = most_of_all(tables(self.rates, self.revealed, self._silent), self._floor)
        caps = tightened(self._caps, len(self._stars), most)
        held = closure.contains(self._stars)
        if most < 0 or any(np.count_nonzero(held[: cap.stars]) > cap.most for cap in caps):
            raise self._nothing_stands()
        new = caps is not self._caps
        if not revealed:
            self._reach.star(self._stars[-1], group, caps[-1] if new else None)
        elif closure != self._closure or new:
            self._reach.reveal(closure, caps)
        if closure != self._closure or new:
            self._V = ClosedVersionSpace(closure.hypotheses, closure)
            for cap in caps:
                self._V = self._V.cap_mass(self._stars[: cap.stars], cap.most)
        self._closure, self._caps = closure, caps
        enclosed = np.bincount(self._star_groups[held], minlength=len(self.revealed))
        self._evidence.append((self.revealed, enclosed, self._floor))

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """The closure, which holds the fewest stars."""
        revealed, enclosed, floor = self._evidence[time - 1]
        if group >= len(revealed):
            return ANY_RATE
        of_all = self.rates.log_likelihood(revealed, enclosed)
        return revealed[group], enclosed[group], floor - np.delete(of_all, group).sum()
