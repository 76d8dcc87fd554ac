"""The confidence set of a box-like class when the rate is known: the members that no bet excludes (`bets.known_rate`).

No predictions are needed: whatever is asked, the bets follow one rule (`bets.restarted`). More reach never means less
evidence, so x can be positive exactly if closure(R ∪ {x}) is not excluded. So each item is charged, side by side, for
the stars that it reaches. A star changes the charges beyond it on its own side. A reveal changes all charges. It may
also weaken the newest evidence. But a decision about an item is final, and V keeps the older evidence unless the newest
implies it. (A reveal can also make older evidence exclude more. V accounts for that; the items, which are many, are not
checked against it again.)

How far a side can reach at most, whatever the other sides do, is also kept for good (`stop`). No member reaches the
stars beyond it, so that they add nothing, and neither do those in the closure. Only the few stars in between are used.

A share of the bets is on the rate itself, from answers about items that were certain positives when they were asked. If
these contradict the stated rate, no hypothesis remains.
"""

from __future__ import annotations

import numpy as np

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces import BoxVersionSpace
from activepu.version_spaces.caps import Cap
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.bets.known_rate import KnownRateBets, nats
from activepu.zcal.confidence.base import ANY_RATE, SLACK, Witnesses
from activepu.zcal.confidence.boxlike import BoxSet, stop_caps
from activepu.zcal.confidence.sorted_rows import SortedRows
from activepu.zcal.rates import Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.grown import grown_rivals
from activepu.zcal.rivals.known_rate import KnownRateRivals
from activepu.zcal.sides import Sides
from activepu.zcal.tuning import TUNING

SCALE = 2.0**20
"""Weights are made whole numbers on this scale: weights are rounded down, and the limit up."""


class KnownRateSet(BoxSet):
    """The newest evidence, the older evidence from before the closure grew, and the charge of every undecided item."""

    def __init__(self, V: BoxVersionSpace, points: Points, rates: Rates, delta: float, sides: Sides) -> None:
        super().__init__(V, points, rates, delta)
        self.sides = sides
        self.evidence = KnownRateBets(sides, V.closure, self.stars, nats(rates.low))
        self._stop = np.full(sides.count, np.inf)
        self._near = np.empty(0, np.intp)
        """The numbers of the stars that some member may hold and another may not."""
        self.enough = float(self.evidence.start - np.log(delta) - np.log1p(-TUNING.on_rate))
        """ln E beyond which a hypothesis is excluded; only bets that hold all positives known beforehand are made."""
        self._older: list[KnownRateBets] = []
        self._V: BoxVersionSpace | None = V
        self._newest_V: BoxVersionSpace | None = V
        self._items = _Items(self.evidence, points)
        self._core = [0, 0]

    @property
    def _verdicts(self) -> Decisions:
        return self._items

    @property
    def _limit(self) -> float:
        """A little more than `enough`, so that rounding excludes no hypothesis."""
        return self.enough + SLACK * (1.0 + abs(self.enough))

    def supposing(self, silent: Points) -> KnownRateBets:
        """Return the evidence if these points were silent too."""
        if len(silent) == 0:
            return self.evidence
        stars = np.concatenate([self.stars[self._near], silent])
        numbers = np.append(self._near, len(self.stars) + np.arange(len(silent)))
        return KnownRateBets(self.sides, self.evidence.closure, stars, self.evidence.weight, numbers, self.evidence)

    def rivals(self, scene: Scene) -> KnownRateRivals:
        """Return members around the closure, with the evidence that is still missing against each of their sides."""
        grown = grown_rivals(scene, self.undecided, self.newest.closure, self.evidence.by_side)
        return KnownRateRivals(grown, self.supposing(scene.silent(self.stars)), self.enough, self.undecided_share)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        closure = self.evidence.closure
        beyond = np.flatnonzero(closure.beyond(x)[0])
        if len(beyond) == 0:
            self._tell_rate(revealed)
            return
        number = len(self.stars) - (not revealed)
        before = self.evidence.asking(int(beyond[0]), number) if len(beyond) == 1 else self.evidence
        if revealed:
            self._grow(closure.grow(x), before)
        elif closure.short_of(self._stop, x)[0]:
            self._near = np.append(self._near, number)
            if len(beyond) == 1:
                self._take_in(self._newest(closure, before))
                self._items.star(before, self.evidence, x, int(beyond[0]), self._limit)

    def _require(self, x: Points) -> None:
        self._grow(self.evidence.closure.grow(x), self.evidence)

    def _grow(self, closure: Box, before: KnownRateBets) -> None:
        """Take in a larger closure; raise if it is excluded."""
        older, ends = (
            [*self._older, self.evidence],
            closure.ends,
        )
        if np.any(ends >= self._stop) or any(evidence.against(closure) > self._limit for evidence in older):
            raise self._no_hypothesis_left()
        self._take_in(self._newest(closure, before))
        self._older = [evidence for evidence in older if not self._implied(evidence)]
        self._items.reveal(self.evidence, self._limit)

    def _newest(self, closure: Box, before: KnownRateBets) -> KnownRateBets:
        return KnownRateBets(self.sides, closure, self.stars[self._near], before.weight, self._near, before)

    def _take_in(self, evidence: KnownRateBets) -> None:
        """Take in the newest evidence: where sides must end now, and which stars are still needed."""
        self.evidence, self._V, self._newest_V = evidence, None, None
        for k, side in enumerate(evidence.sides):
            last = np.searchsorted(side.cost, self._limit - evidence.start + side.cost[0], side="right") - 1
            if last < len(side.outward):
                self._stop[k] = min(self._stop[k], side.outward[last])
        self._near = self._near[evidence.closure.short_of(self._stop, self.stars[self._near])]

    def _tell_rate(self, revealed: bool) -> None:
        r, s = self._core[0] + revealed, self._core[1] + (not revealed)
        doubt = Rates().log_mean(r, s) - self.rates.log_likelihood(r, s)
        if doubt > -np.log(self.delta * TUNING.on_rate):
            raise self._no_hypothesis_left()
        self._core = [r, s]

    def _implied(self, older: KnownRateBets) -> bool:
        """Return whether the newest evidence implies the older, whose weights are then lighter for its limit."""
        newest = self.evidence
        inside = newest.closure.contains(older.points)
        room = self.enough - older.start - older.weights[inside].sum()
        theirs, mine = np.zeros(len(self.stars)), np.zeros(len(self.stars))
        theirs[older.rows], mine[newest.rows] = older.weights, newest.weights
        return bool(np.all(theirs[self._near] * (self.enough - newest.start) <= mine[self._near] * room))

    @property
    def version_space(self) -> BoxVersionSpace:
        """The closure, where each side must end, and a cap for each piece of evidence that is in force."""
        if self._V is None:
            newest = self.newest
            older = [self._cap(evidence) for evidence in self._older]
            self._V = BoxVersionSpace(newest.hypotheses, newest.closure, [*newest.caps, *older])
        return self._V

    @property
    def newest(self) -> BoxVersionSpace:
        """The same, with a cap for the newest evidence alone."""
        if self._newest_V is None:
            closure = self.evidence.closure
            caps = [*stop_caps(closure, self._stop), self._cap(self.evidence)]
            self._newest_V = BoxVersionSpace(closure.hypotheses, closure, caps)
        return self._newest_V

    def _cap(self, evidence: KnownRateBets) -> Cap:
        weights = np.floor(evidence.weights * SCALE).astype(np.int64)
        return Cap(evidence.points, int(np.ceil((self._limit - evidence.start) * SCALE)) + len(weights), weights)

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Never called, since the rate is known."""
        return ANY_RATE


class _Items(SortedRows):
    """What is decided about `points`, and what the newest evidence charges each undecided item."""

    def __init__(self, evidence: KnownRateBets, points: Points) -> None:
        super().__init__(evidence.closure, points)
        self._charges = np.full(len(points), evidence.start)

    def star(self, before: KnownRateBets, after: KnownRateBets, x: Points, side: int, limit: float) -> None:
        """Take in one more star on one side: items that reach it are charged more."""
        place = after.closure.hypotheses.outward(x)[0, side]
        old, new = before.sides[side].cost, after.sides[side]
        first = int(np.searchsorted(new.outward, place))
        # An item that reaches n stars now reached n − 1 before; stars that were dropped lie beyond all undecided items.
        more = new.cost[first + 1 :] - old[first : len(new.outward)]
        rows, charges = self.reaching(side, new.outward[first:], more)
        self._charges[rows] += charges
        self._exclude(rows[self._charges[rows] > limit])

    def reveal(self, evidence: KnownRateBets, limit: float) -> None:
        """Take in a larger closure: decide the items inside it, and compute the charges of the others again."""
        self._grow(evidence.closure, len(evidence.sides))
        self._charges[:] = evidence.start
        for k, side in enumerate(evidence.sides):
            if len(side.outward):
                rows, charges = self.reaching(k, side.outward, side.cost[1:] - side.cost[0])
                self._charges[rows] += charges
        self._exclude(np.flatnonzero(self._charges > limit))
