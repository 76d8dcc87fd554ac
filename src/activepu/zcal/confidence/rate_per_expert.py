"""The confidence set of a box-like class when each expert has a rate: one sequence of predictions for all hypotheses.

A possible hypothesis contains closure(R) and meets the limits that the answers so far put on its stars. Fewer stars
never hurt. So closure(R) is the least possible hypothesis (or there is none), and x lies in some possible hypothesis
exactly if closure(R ∪ {x}) meets every limit. An item is therefore positive if the closure contains it, and negative if
closure(R ∪ {x}) breaks a limit. Between two reveals only the newest limit can be broken for the first time; after a
reveal any limit can.

With a rate per expert a limit is a cap on a sum of costs of each expert's stars. The version space then has both the
costs and the caps that they imply, because caps answer more kinds of questions. With one rate for all experts a limit
is a cap on the number of stars; the tests use this form too.

Caps often make one another redundant, so that few are left. Costs rarely do. So after the first few of them
(`Tuning.first_limits`), a limit is kept only if it excludes a star (`near_stars`). The set is then slightly larger than
V_1 ∩ … ∩ V_t, and still only shrinks.

The closure holds the fewest stars of every expert, so that it explains the widest range of rates.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from activepu.hypotheses.base import Points
from activepu.version_spaces import BoxVersionSpace
from activepu.version_spaces.caps import Cap
from activepu.version_spaces.costs import CostCap, Limit, Stage, kept
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.confidence.base import ANY_RATE, Witnesses
from activepu.zcal.confidence.boxlike import BoxSet
from activepu.zcal.confidence.near_stars import NearStars
from activepu.zcal.confidence.star_caps import ALL, AtMost, Stack, implied, stage, tables, tightened
from activepu.zcal.confidence.stars_held import StarsHeld
from activepu.zcal.growing import Growing
from activepu.zcal.rates import Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.grown import grown_rivals
from activepu.zcal.rivals.likely import ClosureRivals
from activepu.zcal.tuning import TUNING


class RatePerExpertSet(BoxSet):
    """The closure, the limits, and the stars that every undecided item holds; for box-like classes."""

    def __init__(self, V: BoxVersionSpace, points: Points, rates: Rates, delta: float) -> None:
        super().__init__(V, points, rates, delta)
        self._closure = V.closure
        self._reach = StarsHeld(V.closure, points)
        self._stacks: dict[int, Stack] = {ALL: ()}
        self._stages: tuple[Stage, ...] = ()
        self._near: NearStars | None = None
        self._gap = False
        """Whether limits were left out since the last one that was kept."""
        self._V: BoxVersionSpace | None = V
        self._caps: dict[tuple[int, AtMost], Cap] = {}
        self._held: Growing[np.bool_] = Growing(np.empty(0, np.bool_))
        """Which stars the closure holds."""
        self._enclosed = [0]
        """The number of these stars, by group."""
        self._evidence: list[tuple[list[int], list[int], float]] = []

    @property
    def _verdicts(self) -> Decisions:
        return self._reach

    def rivals(self, scene: Scene) -> ClosureRivals:
        """Return members around the closure, with the likelihood that each has left."""
        grown = grown_rivals(scene, self.undecided, self.newest.closure)
        return ClosureRivals(grown, self.answers(scene), self.undecided_share)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        if self.rates.per_expert:
            f = tables(self.rates, self.revealed, self._silent)
            caps, newest = implied(f, self._floor), stage(f, self._floor, len(self.stars))
        else:
            most = self.rates.most_silent(self.revealed[0], self._floor, len(self.stars))
            caps, newest = {ALL: most}, None
        if min(caps.values()) < 0:
            raise self._no_hypothesis_left()
        closure = self._closure.grow(x) if revealed else self._closure
        grown = closure != self._closure
        held, enclosed = self._held, self._enclosed + [0] * (len(self.revealed) - len(self._enclosed))
        if grown:
            held = Growing(closure.contains(self.stars))
            enclosed = np.bincount(self.star_groups[held.rows], minlength=len(enclosed)).tolist()
        elif not revealed:
            inside = bool(closure.contains(x)[0])
            held, enclosed[group] = held.plus([inside]), enclosed[group] + inside

        totals = {ALL: len(self.stars), **dict(enumerate(self._silent))}
        stacks = {g: tightened(self._stacks.get(g, ()), totals[g], most) for g, most in caps.items()}
        stages = self._stages if newest is None else (*self._stages, newest)
        limits = self._choose(stacks, stages)
        limit = None if limits is self._limits else limits[-1]
        meets = limit is None or not limit.broken(list(np.array(enclosed)[:, None]))[0]
        if not meets or (grown and not kept(limits, self.star_groups, held.rows[None])[0]):
            raise self._no_hypothesis_left()

        if len(self._stages) >= TUNING.first_limits:
            now = closure, self.stars, self.star_groups, held.rows, self._stages
            if self._near is None:
                self._near = NearStars(*now)
            elif grown:
                self._near.grow(*now)
            elif not revealed:
                self._near.star(*now)
            if newest is not None and not self._near.drop(newest):
                stacks, stages, limits, limit = self._stacks, self._stages, self._limits, None
        smaller = limit is not None or grown
        if not revealed:
            self._reach.star(x[0], group, limit, self._gap)
        elif smaller:
            self._reach.reveal(closure, limits, limit)
        if smaller:
            self._V = None
        self._closure, self._stacks, self._stages = closure, stacks, stages
        self._held, self._enclosed = held, enclosed
        self._gap = limit is None and (self._gap or newest is not None)
        self._evidence.append((self.revealed, enclosed, self._floor))

    def _require(self, x: Points) -> None:
        closure, limits = self._closure.grow(x), self._limits
        held = Growing(closure.contains(self.stars))
        if not kept(limits, self.star_groups, held.rows[None])[0]:
            raise self._no_hypothesis_left()
        if self._near is not None:
            self._near.grow(closure, self.stars, self.star_groups, held.rows, self._stages)
        self._reach.reveal(closure, limits, None)
        self._enclosed = np.bincount(self.star_groups[held.rows], minlength=len(self._enclosed)).tolist()
        self._closure, self._held, self._V = closure, held, None

    @property
    def _limits(self) -> Sequence[Limit]:
        return self._choose(self._stacks, self._stages)

    def _choose(self, stacks: dict[int, Stack], stages: tuple[Stage, ...]) -> Sequence[Limit]:
        """Return the exact limits; with a rate per expert these are the stages, which imply the caps."""
        return stages if self.rates.per_expert else stacks[ALL]

    @property
    def version_space(self) -> BoxVersionSpace:
        """The closure, the caps, and the costs if there are any."""
        if self._V is None:
            entries = [(group, cap) for group, stack in self._stacks.items() for cap in stack]
            self._caps = {entry: self._caps.get(entry) or self._cap(*entry) for entry in entries}
            costs = [CostCap(self.stars, self.star_groups, self._stages)] if self._stages else []
            self._V = BoxVersionSpace(self._closure.hypotheses, self._closure, list(self._caps.values()), costs)
        return self._V

    def _cap(self, group: int, cap: AtMost) -> Cap:
        stars = self.stars if group == ALL else self.stars[self.star_groups == group]
        return Cap(stars[: cap.first], cap.most)

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Return the closure, which holds the fewest stars."""
        revealed, enclosed, floor = self._evidence[time - 1]
        if group >= len(revealed):
            return ANY_RATE
        if len(revealed) == 1:
            return revealed[0], enclosed[0], floor
        of_all = self.rates.log_likelihood(revealed, enclosed)
        return revealed[group], enclosed[group], floor - np.delete(of_all, group).sum()
