"""What stands in an intersection-closed class, exactly.

A hypothesis that stands contains closure(R) and meets the limits that all answers so far have put on its stars. Fewer
stars never hurt, so closure(R) is the least of them (or nothing stands), and x lies in one of them exactly if
closure(R ∪ {x}) meets every limit. So an item is positive when the closure holds it and negative when closure(R ∪ {x})
breaks a limit; between two reveals only the newest limit can be broken for the first time, after a reveal any.

With one rate for everybody a limit is a cap on stars. With a rate per expert it is one on a sum of costs, of each
expert's stars; the version space then has both, the costs and the caps that they imply, which more can be asked of.

The closure holds the fewest stars of every expert, so that it explains the widest range of rates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from activepu.growing import Growing
from activepu.hypotheses.base import Points
from activepu.likelihood.caps import ALL, AtMost, Stack, implied, stage, tables, tightened
from activepu.likelihood.rates import Rates
from activepu.likelihood.reach import Reach
from activepu.likelihood.standing import ANY_RATE, Standing, Verdicts, Witnesses
from activepu.version_spaces import ClosedVersionSpace
from activepu.version_spaces.costs import CostCap, Limit, Stage, kept
from activepu.version_spaces.dominance import Cap


class ClosedStanding(Standing):
    """The closure, the limits, and the stars that every undecided item holds."""

    def __init__(self, V: ClosedVersionSpace, points: Points, rates: Rates, delta: float) -> None:
        super().__init__(V, points, rates, delta)
        self._closure = V.closure
        self._reach = Reach(V.closure, points)
        self._stacks: dict[int, Stack] = {ALL: ()}
        self._stages: tuple[Stage, ...] = ()
        self._V: ClosedVersionSpace | None = V
        self._caps: dict[tuple[int, AtMost], Cap] = {}
        self._held: Growing[np.bool_] = Growing(np.empty(0, np.bool_))
        """Which stars the closure holds."""
        self._enclosed = [0]
        """How many they are, by group."""
        self._evidence: list[tuple[list[int], list[int], float]] = []

    @property
    def _verdicts(self) -> Verdicts:
        return self._reach

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        if self.rates.per_expert:
            f = tables(self.rates, self.revealed, self._silent)
            caps, new = implied(f, self._floor), stage(f, self._floor, len(self.stars))
        else:
            most = self.rates.most_silent(self.revealed[0], self._floor, len(self.stars))
            caps, new = {ALL: most}, None
        if min(caps.values()) < 0:
            raise self._nothing_stands()
        totals = {ALL: len(self.stars), **dict(enumerate(self._silent))}
        stacks = {g: tightened(self._stacks.get(g, ()), totals[g], most) for g, most in caps.items()}
        stages = self._stages if new is None else (*self._stages, new)
        limits = self._choose(stacks, stages)
        limit = None if limits is self._limits else limits[-1]
        closure = self._closure.grow(x) if revealed else self._closure
        grown = closure != self._closure
        to_meet: Sequence[Limit] = () if limit is None else (limit,)
        held, enclosed = self._held, self._enclosed + [0] * (len(self.revealed) - len(self._enclosed))
        if grown:
            held, to_meet = Growing(closure.contains(self.stars)), limits
            enclosed = np.bincount(self.star_groups[held.rows], minlength=len(enclosed)).tolist()
        elif not revealed:  # the closure holds what it held, and meets what it met
            inside = bool(closure.contains(x)[0])
            held, enclosed[group] = held.plus([inside]), enclosed[group] + inside
        if to_meet and not kept(to_meet, self.star_groups, held.rows[None])[0]:
            raise self._nothing_stands()

        smaller = limit is not None or grown
        if not revealed:
            self._reach.star(x[0], group, limit)
        elif smaller:
            self._reach.reveal(closure, limits, limit)
        if smaller:
            self._V = None
        self._closure, self._stacks, self._stages = closure, stacks, stages
        self._held, self._enclosed = held, enclosed
        self._evidence.append((self.revealed, enclosed, self._floor))

    @property
    def _limits(self) -> Sequence[Limit]:
        return self._choose(self._stacks, self._stages)

    def _choose(self, stacks: dict[int, Stack], stages: tuple[Stage, ...]) -> Sequence[Limit]:
        """What is exact; the caps of a rate per expert follow from the stages."""
        return stages if self.rates.per_expert else stacks[ALL]

    @property
    def version_space(self) -> ClosedVersionSpace:
        """The closure, the caps, and the costs where there are some."""
        if self._V is None:
            entries = [(group, cap) for group, stack in self._stacks.items() for cap in stack]
            self._caps = {entry: self._caps.get(entry) or self._cap(*entry) for entry in entries}
            costs = [CostCap(self.stars, self.star_groups, self._stages)] if self._stages else []
            self._V = ClosedVersionSpace(self._closure.hypotheses, self._closure, list(self._caps.values()), costs)
        return self._V

    def _cap(self, group: int, cap: AtMost) -> Cap:
        stars = self.stars if group == ALL else self.stars[self.star_groups == group]
        return Cap(stars[: cap.first], cap.most)

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """The closure, which holds the fewest stars."""
        revealed, enclosed, floor = self._evidence[time - 1]
        if group >= len(revealed):
            return ANY_RATE
        if len(revealed) == 1:
            return revealed[0], enclosed[0], floor
        of_all = self.rates.log_likelihood(revealed, enclosed)
        return revealed[group], enclosed[group], floor - np.delete(of_all, group).sum()
