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
from activepu.version_spaces.costs import CostCap, Stage
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.confidence.boxlike import BoxSet
from activepu.zcal.confidence.moments import Moments
from activepu.zcal.confidence.near_stars import NearStars
from activepu.zcal.confidence.prices import UNITS, Bound, broken, packed, price, total
from activepu.zcal.confidence.star_caps import ALL, AtMost, CostTables, Ends, Stack, implied, tables, tightened
from activepu.zcal.confidence.stars_held import StarsHeld
from activepu.zcal.growing import Growing
from activepu.zcal.rates import Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.grown import grown_rivals
from activepu.zcal.rivals.likely import ClosureRivals
from activepu.zcal.tuning import TUNING


class RatePerExpertSet(BoxSet):
    """The closure, the limits, and the stars that every undecided item holds; for box-like classes.

    An answer changes one term of each sum over the experts (`prices`, `star_caps.Ends`). The caps, and the limit in the
    form that the version space takes, are made for limits that are kept.
    """

    def __init__(self, V: BoxVersionSpace, points: Points, rates: Rates, delta: float) -> None:
        super().__init__(V, points, rates, delta)
        self._closure = V.closure
        self._reach = StarsHeld(V.closure, points, rates)
        self._stacks: dict[int, Stack] = {ALL: ()}
        self._bounds: tuple[Bound, ...] = ()
        self._stages: tuple[Stage, ...] = ()
        self._tables = CostTables(rates)
        self._ends = Ends(np.zeros(1), np.zeros(1))
        self._near: NearStars | None = None
        self._gap = False
        """Whether limits were left out since the last one that was kept."""
        self._V: BoxVersionSpace | None = V
        self._caps: dict[tuple[int, AtMost], Cap] = {}
        self._held: Growing[np.bool_] = Growing(np.empty(0, np.bool_))
        """Which stars the closure holds."""
        self._enclosed = np.zeros(1, np.intp)
        """The number of these stars, by group."""
        self._cost = 0
        """What they cost."""
        self._moments = Moments(rates)

    @property
    def _verdicts(self) -> Decisions:
        return self._reach

    def rivals(self, scene: Scene) -> ClosureRivals:
        """Return members around the closure, with the likelihood that each has left."""
        grown = grown_rivals(scene, self.undecided, self.newest.closure)
        return ClosureRivals(grown, self.answers(scene), self.undecided_share)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        newest, ends = self._newest(group)
        closure = self._closure.grow(x) if revealed else self._closure
        grown = closure != self._closure
        held, cost = self._held, self._cost
        enclosed = np.append(self._enclosed, [0] * (len(self.revealed) - len(self._enclosed))).astype(np.intp)
        if grown:
            held = Growing(closure.contains(self.stars))
            enclosed = np.bincount(self.star_groups[held.rows], minlength=len(enclosed))
            cost = total(self.rates, self.revealed, enclosed)
        else:
            inside = not revealed and bool(closure.contains(x)[0])
            cost -= self._cost_of(self.revealed[group] - revealed, enclosed[group])
            enclosed[group] += inside
            cost += self._cost_of(self.revealed[group], enclosed[group])
            held = held if revealed else held.plus([inside])
        bounds, made = self._bounds if newest is None else (*self._bounds, newest), newest is not None
        if (newest is not None and cost > newest.budget) or (grown and self._exceeds(held, bounds)):
            raise self._no_hypothesis_left()

        for stars in (self._reach, self._near):
            if revealed and stars is not None:
                stars.reveals(group, self.revealed[group])
        if self.rates.per_expert and len(self._bounds) >= TUNING.first_limits:
            now = closure, self.stars, self.star_groups, held.rows, self._bounds
            if self._near is None or grown:
                near = NearStars(self.rates) if self._near is None else self._near
                rows = np.arange(len(self.stars)) if self._near is None else None
                near.grow(*now, self.revealed, rows)
                self._near = near
            elif not revealed:
                self._near.star(*now)
            if newest is not None and not self._near.drop(newest.budget):
                bounds, newest = self._bounds, None
        if newest is not None:
            self._keep(newest)
        budget = None if newest is None else newest.budget
        if not revealed:
            self._reach.star(x[0], group, budget, self._gap)
        elif newest is not None or grown:
            self._reach.reveal(closure, bounds, budget)
        if newest is not None or grown:
            self._V = None
        self._closure, self._bounds, self._ends = closure, bounds, ends
        self._held, self._enclosed, self._cost = held, enclosed, cost
        self._gap = newest is None and (self._gap or made)
        self._moments.add(self._floor, group, self.revealed, enclosed)

    def _newest(self, group: int) -> tuple[Bound | None, Ends]:
        """Return the bound that follows from the answer, None if no hypothesis can exceed it; raise if all do."""
        stars = len(self.stars)
        if not self.rates.per_expert:
            most = self.rates.most_silent(self.revealed[0], self._floor, stars)
            if most < 0:
                raise self._no_hypothesis_left()
            old = self._stacks[ALL]
            new = tightened(old, stars, most) is not old
            return Bound(stars, np.array(self.revealed, np.int32), most) if new else None, self._ends
        ends = self._ends.after(self.rates, group, self.revealed[group], self._silent[group])
        spare = ends.spare(self._floor)
        if spare < 0:
            raise self._no_hypothesis_left()
        if not ends.binds(self._floor):
            return None, ends
        return Bound(stars, np.array(self.revealed, np.int32), spare * UNITS), ends

    def _keep(self, newest: Bound) -> None:
        """Keep a bound: as a limit on costs, and as the caps that it implies."""
        caps = {ALL: int(newest.budget)}
        if self.rates.per_expert:
            f = tables(self.rates, self.revealed, self._silent)
            caps = implied(f, self._floor)
            limit = newest.budget / UNITS
            self._stages = (*self._stages, self._tables.stage(self.revealed, self._silent, limit, newest.first))
        totals = {ALL: newest.first, **dict(enumerate(self._silent))}
        self._stacks = {g: tightened(self._stacks.get(g, ()), totals[g], most) for g, most in caps.items()}

    def _require(self, x: Points) -> None:
        closure = self._closure.grow(x)
        held = Growing(closure.contains(self.stars))
        if self._exceeds(held, self._bounds):
            raise self._no_hypothesis_left()
        if self._near is not None:
            self._near.grow(closure, self.stars, self.star_groups, held.rows, self._bounds, self.revealed)
        self._reach.reveal(closure, self._bounds, None)
        self._enclosed = np.bincount(self.star_groups[held.rows], minlength=len(self._enclosed))
        self._cost = total(self.rates, self.revealed, self._enclosed)
        self._closure, self._held, self._V = closure, held, None

    def _exceeds(self, held: Growing[np.bool_], bounds: Sequence[Bound]) -> bool:
        """Return whether a hypothesis that holds these stars exceeds some bound."""
        return bool(len(held.rows)) and bool(broken(self.rates, bounds, self.star_groups, packed(held.rows[None]))[0])

    def _cost_of(self, revealed: int, stars: int) -> int:
        return int(price(self.rates, revealed, stars)[stars])

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

    def _possible_rates(self, group: int) -> tuple[float, float]:
        """Return the rates that fitted the closure, which holds the fewest stars of every expert."""
        return self._moments.bounds(group)
