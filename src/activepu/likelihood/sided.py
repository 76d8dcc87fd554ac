"""What stands in an intersection-closed class with one rate for all: what the evidence has not excluded (`evidence`).

Nothing is predicted: the bets are fixed beforehand. x can be positive exactly if closure(R ∪ {x}) is not excluded, for
more reach never means less evidence. So an item is charged, side by side, for the stars that it reaches. Answers can
also weaken the evidence: a reveal that enlarges the closure voids bets, and certain positives may make low rates more
likely. What was decided about an item stays decided, and what the evidence said before the closure grew stays in force,
unless the newest implies it.

Where the rate is stated, a share of the bet is on the rate itself: if the answers about certain positives make it
incredible, nothing stands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood.evidence import Evidence, Nodes, nodes, outside, outward_reach
from activepu.likelihood.rates import Floats, Rates
from activepu.likelihood.sides import Sides
from activepu.likelihood.standing import Standing, Verdicts, Witnesses
from activepu.version_spaces import ClosedVersionSpace
from activepu.version_spaces.either import EitherCap
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED

SCALE = 2.0**20
"""Weights as whole numbers: rounded down, and the limit up."""
ON_RATE = 0.05
"""The share of the bet on a stated rate."""


class SidedStanding(Standing):
    """The evidence, what there was of it before the closure grew, and what every undecided item is charged."""

    def __init__(self, V: ClosedVersionSpace, points: Points, rates: Rates, delta: float, sides: Sides) -> None:
        super().__init__(V, points, rates, delta)
        self.sides = sides
        self._core = (0, 0)
        self.evidence = Evidence(sides, V.closure, self._stars, self.nodes())
        self._older: list[Evidence] = []
        self._V: ClosedVersionSpace | None = V
        self._items = _Items(V.closure, points)
        self._limits = rates.low, rates.high

    @property
    def _verdicts(self) -> Verdicts:
        return self._items

    def nodes(self, revealed: int = 0, silent: int = 0) -> Nodes:
        """What the answers about certain positives say, and so many more of them."""
        enough = -np.log(self.delta) - (np.log1p(-ON_RATE) if self.rates.known else 0.0)
        return nodes(self.rates, self._core[0] + revealed, self._core[1] + silent, float(enough))

    def supposing(self, silent: Points) -> Evidence:
        """The evidence if these points were silent too."""
        if len(silent) == 0:
            return self.evidence
        return Evidence(self.sides, self.evidence.closure, np.concatenate([self._stars, silent]), self.evidence.nodes)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        before = self.evidence
        beyond = int(np.count_nonzero(outside(before.closure, x)[0]))
        core, older = self._core, self._older
        if beyond == 0:
            self._core = core[0] + revealed, core[1] + (not revealed)
            self.evidence = before.told(self.nodes())
        elif revealed:
            self.evidence = Evidence(self.sides, before.closure.grow(x), self._stars, before.nodes)
            self._older = [*older, before]
        elif beyond == 1:
            self.evidence = Evidence(self.sides, before.closure, self._stars, before.nodes)
        else:
            return
        if not self._anything_stands():
            self.evidence, self._core, self._older = before, core, older
            raise self._nothing_stands()
        self._older = [evidence for evidence in self._older if not self._implied(evidence)]
        self._items.update([*self._older, self.evidence] if beyond and revealed else [self.evidence])
        self._V = None
        possible = self.evidence.limits >= 0.0
        low, high = self.evidence.rates(possible)
        self._limits = max(self._limits[0], low), min(self._limits[1], high)

    def _anything_stands(self) -> bool:
        if self.rates.known:
            doubt = Rates().log_mean(*self._core) - self.rates.log_likelihood(*self._core)
            if doubt > -np.log(self.delta * ON_RATE):
                return False
        return all(evidence.allows(self.evidence.closure) for evidence in (*self._older, self.evidence))

    def _implied(self, older: Evidence) -> bool:
        """Whether at each node what the newest evidence allows, the older allows: its weights are lighter."""
        newest = self.evidence
        inside = newest.closure.contains(older.points)
        room = older.limits - older.weights[:, inside].sum(axis=1)
        theirs, mine = np.zeros((2, len(room), len(self._stars)))
        theirs[:, older.rows[~inside]], mine[:, newest.rows] = older.weights[:, ~inside], newest.weights
        alive = newest.limits >= 0.0
        lighter = theirs * np.maximum(newest.limits, 0.0)[:, None] <= mine * room[:, None]
        return bool(np.all(lighter[alive]) and np.all(room[alive] >= 0.0))

    @property
    def version_space(self) -> ClosedVersionSpace:
        """The closure, and the caps of all evidence that is in force."""
        if self._V is None:
            closure = self.evidence.closure
            V = ClosedVersionSpace(closure.hypotheses, closure)
            for evidence in (*self._older, self.evidence):
                at = evidence.loosest
                weights = np.floor(evidence.weights[at] * SCALE).astype(np.int64)
                limits = np.ceil(evidence.limits[at] * SCALE).astype(np.int64) + 1
                V = V.cap_either(EitherCap(evidence.points, weights, limits))
            self._V = V
        return self._V

    def rate_bounds(self, group: int = 0) -> tuple[float, float]:
        """The rates that the answers about certain positives leave, at all times."""
        return self._limits

    def _witnesses(self, time: int, group: int) -> Witnesses:
        raise NotImplementedError("rate_bounds does without")


class _Items:
    """What is decided about `points`; read it like a `Frontier`."""

    def __init__(self, closure: Closure, points: Points) -> None:
        self._columns = np.asfortranarray(points)
        inside = closure.contains(points)
        self._status = np.where(inside, np.int8(POSITIVE), np.int8(UNDECIDED))
        self.undecided = np.flatnonzero(~inside)
        self.n_positive = len(points) - len(self.undecided)

    @property
    def status(self) -> NDArray[np.int8]:
        """As in `Frontier`."""
        view = self._status.view()
        view.flags.writeable = False
        return view

    @property
    def n_undecided(self) -> int:
        """As in `Frontier`."""
        return len(self.undecided)

    def update(self, evidence: list[Evidence]) -> None:
        """Decides what the evidence decides, the newest coming last."""
        closure = evidence[-1].closure
        inside = closure.contains(self._columns[self.undecided])
        if inside.any():
            self._status[self.undecided[inside]] = POSITIVE
            self.n_positive += int(inside.sum())
            self.undecided = self.undecided[~inside]
        for each in evidence:
            left = self.undecided
            for node in each.loosest:  # whoever stands at one is undecided
                left = left[self._charges(each, int(node), left, closure) > each.missing[node] * (1 + 1e-9)]
                if len(left) == 0:
                    break
            if len(left):
                self._status[left] = NEGATIVE
                self.undecided = self.undecided[self._status[self.undecided] == UNDECIDED]

    def _charges(self, evidence: Evidence, node: int, rows: NDArray[np.intp], closure: Closure) -> Floats:
        """Σ_k cost_k of closure(R ∪ {x}), for these rows."""
        ends = outward_reach(closure.low, closure.high, closure.hypotheses.two_sided)
        dim = self._columns.shape[1]
        charges = np.zeros(len(rows))
        for k, side in enumerate(evidence.sides):
            if len(side.outward) == 0:
                charges += side.cost[node, 0]
                continue
            column = self._columns[:, k % dim] if len(rows) == len(self._status) else self._columns[rows, k % dim]
            place = np.maximum(column if k >= dim else -column, ends[k])
            charges += side.cost[node][side.reached(place)]
        return charges
