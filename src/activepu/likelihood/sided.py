"""What stands in an intersection-closed class when the rate is known: what the evidence has not excluded (`evidence`).

Nothing is predicted: the bets are fixed beforehand. x can be positive exactly if closure(R ∪ {x}) is not excluded, for
more reach never means less evidence. So an item is charged, side by side, for the stars that it reaches. A star
changes the charges beyond it on its own side. A reveal changes all; it may also weaken the evidence, but what was
decided about an item stays so, and V keeps what there was before, unless the newest implies it. (A reveal also makes
older evidence say more. V knows that; the items, which are many, are not looked at again for it.)

A share of the bet is on the rate itself, from answers about items that were certain positives when they were asked: if
these make the stated rate incredible, nothing stands.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood.evidence import Evidence, nats, outside
from activepu.likelihood.rates import Rates
from activepu.likelihood.sides import Sides
from activepu.likelihood.standing import ANY_RATE, SLACK, Standing, Verdicts, Witnesses
from activepu.version_spaces import ClosedVersionSpace
from activepu.version_spaces.dominance import Cap
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED, Decisions

SCALE = 2.0**20
"""Weights as whole numbers: rounded down, and the limit up."""
ON_RATE = 0.05
"""The share of the bet on the rate."""


class SidedStanding(Standing):
    """The evidence, what there was of it before the closure grew, and what every undecided item is charged."""

    def __init__(self, V: ClosedVersionSpace, points: Points, rates: Rates, delta: float, sides: Sides) -> None:
        super().__init__(V, points, rates, delta)
        self.sides = sides
        self.evidence = Evidence(sides, V.closure, self._stars, nats(rates.low))
        self.enough = float(self.evidence.start - np.log(delta) - np.log1p(-ON_RATE))
        """ln E beyond which a hypothesis is excluded: only bets that hold the positives known beforehand are made."""
        self._older: list[Evidence] = []
        self._V: ClosedVersionSpace | None = V
        self._items = _Items(self.evidence, points)
        self._core = [0, 0]

    @property
    def _verdicts(self) -> Verdicts:
        return self._items

    @property
    def _limit(self) -> float:
        """A little more than enough: rounding excludes nobody."""
        return self.enough + SLACK * (1.0 + abs(self.enough))

    def supposing(self, silent: Points) -> Evidence:
        """The evidence if these points were silent too."""
        if len(silent) == 0:
            return self.evidence
        stars = np.concatenate([self._stars, silent])
        return Evidence(self.sides, self.evidence.closure, stars, self.evidence.weight)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        before, limit = self.evidence, self._limit
        beyond = np.flatnonzero(outside(before.closure, x)[0])
        if len(beyond) == 0:
            self._tell_rate(revealed)
        elif revealed:
            grown = before.closure.grow(x)
            older = [*self._older, before]
            if any(evidence.against(grown) > limit for evidence in older):
                raise self._nothing_stands()
            self.evidence = _evidence(self.sides, grown, self._stars.tobytes(), before.weight)
            self._older = [evidence for evidence in older if not self._implied(evidence)]
            self._items.reveal(self.evidence, limit)
            self._V = None
        elif len(beyond) == 1:
            self.evidence = _evidence(self.sides, before.closure, self._stars.tobytes(), before.weight)
            self._older = [evidence for evidence in self._older if not self._implied(evidence)]
            self._items.star(before, self.evidence, x, int(beyond[0]), limit)
            self._V = None

    def _tell_rate(self, revealed: bool) -> None:
        r, s = self._core[0] + revealed, self._core[1] + (not revealed)
        doubt = Rates().log_mean(r, s) - self.rates.log_likelihood(r, s)
        if doubt > -np.log(self.delta * ON_RATE):
            raise self._nothing_stands()
        self._core = [r, s]

    def _implied(self, older: Evidence) -> bool:
        """Whether whatever the newest evidence allows, the older allows too: its weights are lighter for its limit."""
        newest = self.evidence
        inside = newest.closure.contains(older.points)
        room = self.enough - older.start - older.weights[inside].sum()
        theirs, mine = np.zeros(len(self._stars)), np.zeros(len(self._stars))
        theirs[older.rows[~inside]], mine[newest.rows] = older.weights[~inside], newest.weights
        return bool(np.all(theirs * (self.enough - newest.start) <= mine * room))

    @property
    def version_space(self) -> ClosedVersionSpace:
        """The closure, and a cap for all evidence that is in force."""
        if self._V is None:
            closure = self.evidence.closure
            caps = []
            for evidence in (*self._older, self.evidence):
                weights = np.floor(evidence.weights * SCALE).astype(np.int64)
                limit = int(np.ceil((self._limit - evidence.start) * SCALE)) + len(weights)
                caps.append(Cap(evidence.points, limit, weights))
            self._V = ClosedVersionSpace(closure.hypotheses, closure, caps)
        return self._V

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Never asked for, since the rate is known."""
        return ANY_RATE


@lru_cache(maxsize=1)
def _evidence(sides: Sides, closure: Closure, stars: bytes, weight: float) -> Evidence:
    """The same for the pool and for the reserved sample, one after the other."""
    return Evidence(sides, closure, np.frombuffer(stars).reshape(-1, len(closure.low)), weight)


class _Items(Decisions):
    """What is decided about `points`, and what the newest evidence charges the undecided; read it like a `Frontier`."""

    def __init__(self, evidence: Evidence, points: Points) -> None:
        self._columns = np.asfortranarray(points)
        inside = evidence.closure.contains(points)
        self._status = np.where(inside, np.int8(POSITIVE), np.int8(UNDECIDED))
        self._charges = np.full(len(points), evidence.start)
        self.undecided = np.flatnonzero(~inside)

    @property
    def n_undecided(self) -> int:
        """As in `Frontier`."""
        return len(self.undecided)

    @property
    def n_positive(self) -> int:
        """As in `Frontier`."""
        return int(np.count_nonzero(self._status == POSITIVE))

    def star(self, before: Evidence, after: Evidence, x: Points, side: int, limit: float) -> None:
        """One more star on one side (first all lower sides, then the upper ones): who reaches it is charged more."""
        dim = self._columns.shape[1]
        column, z = self._columns[:, side % dim], x[0, side % dim]
        rows = np.flatnonzero(column <= z if side < dim else column >= z)
        rows = rows[self._status[rows] == UNDECIDED]
        place = -column[rows] if side < dim else column[rows]
        old, new = before.sides[side], after.sides[side]
        self._charges[rows] += new.cost[new.reached(place)] - old.cost[old.reached(place)]
        self._exclude(rows, limit)

    def reveal(self, evidence: Evidence, limit: float) -> None:
        """A larger closure: some are inside, and the others are charged anew."""
        low, high, dim = evidence.closure.low, evidence.closure.high, self._columns.shape[1]
        inside = np.ones(len(self.undecided), bool)
        charges = np.full(len(self.undecided), evidence.start)
        for axis in range(dim):
            column = self._columns[self.undecided, axis]
            inside &= (column >= low[axis]) & (column <= high[axis])
            for side in evidence.sides[axis::dim]:  # the lower one, and the upper one if there is one
                if len(side.outward):
                    charges += (side.cost - side.cost[0])[side.reached(-column)]
                np.negative(column, out=column)
        self._charges[self.undecided] = charges
        self._status[self.undecided[inside]] = POSITIVE
        self.undecided = self.undecided[~inside]
        self._exclude(self.undecided, limit)

    def _exclude(self, rows: NDArray[np.intp], limit: float) -> None:
        """Decides those of the undecided `rows` that are charged too much."""
        excluded = rows[self._charges[rows] > limit]
        if len(excluded):
            self._status[excluded] = NEGATIVE
            self.undecided = np.flatnonzero(self._status == UNDECIDED)
