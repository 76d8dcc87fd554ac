"""What stands in an intersection-closed class when the rate is not known: what the evidence has not excluded.

Nothing is predicted: the bets are fixed beforehand (`coupled_evidence`). Each answer makes new evidence, which may say
less than what was said before. For good is kept how far a side can reach at most (`stop`): a side that alone weighs too
much is excluded, whatever the others do. Items are decided by that, and by the closure. The newest evidence also knows
which sides cannot be large together; V has both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood.coupled_evidence import CoupledEvidence, log_bets
from activepu.likelihood.evidence import outside, outward, outward_reach
from activepu.likelihood.rates import Floats, Rates
from activepu.likelihood.sides import Sides
from activepu.likelihood.standing import ANY_RATE, SLACK, Standing, Verdicts, Witnesses
from activepu.version_spaces import ClosedVersionSpace
from activepu.version_spaces.dominance import Cap
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED, Decisions

PIECES = 256
"""Of the range of rates."""
SCALE = 2.0**26
"""Weights as whole numbers: rounded down, and the limit up."""


class CoupledStanding(Standing):
    """The newest evidence, from the answers that count, and where each side must stop."""

    def __init__(self, V: ClosedVersionSpace, points: Points, rates: Rates, delta: float, sides: Sides) -> None:
        super().__init__(V, points, rates, delta)
        self.sides = sides
        enough = log_bets(sides, V.closure) - float(np.log(delta))
        self._enough = enough + SLACK * (1.0 + abs(enough))  # rounding excludes nobody
        self._counted = np.zeros(0, bool)
        self._stop = np.full(sides.count, np.inf)
        self.evidence = self._evidence(V.closure, self._stars, 0)
        self._V: ClosedVersionSpace | None = None
        self._settled: ClosedVersionSpace | None = None
        self._items = _Items(V.closure, points)
        angles = np.arcsin(np.sqrt([rates.low, rates.high]))
        self._pieces = np.sin(np.linspace(angles[0], angles[1], PIECES + 1)) ** 2
        self._pieces[[0, -1]] = rates.low, rates.high
        self._first, self._last = 0, PIECES - 1

    def _evidence(self, closure: Closure, stars: Points, revealed: int) -> CoupledEvidence:
        return CoupledEvidence(self.sides, closure, self._stop, stars, revealed, self.rates, self._enough)

    @property
    def _verdicts(self) -> Verdicts:
        return self._items

    def supposing(self, silent: Points) -> CoupledEvidence:
        """The evidence if these points were silent too."""
        if len(silent) == 0:
            return self.evidence
        counts = np.append(self._counted, _counts(self.evidence.closure, silent))
        stars = np.concatenate([self._stars, silent])[counts]
        return self._evidence(self.evidence.closure, stars, self.evidence.revealed)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        before = self.evidence
        beyond = outside(before.closure, x)[0]
        if not revealed and np.any(beyond & (outward(before.closure, x)[0] >= self._stop)):
            self._counted = np.append(self._counted, False)  # nobody reaches it
            return
        counts = bool(beyond.sum() <= 1)
        counted = self._counted if revealed else np.append(self._counted, counts)
        closure = before.closure.grow(x) if revealed else before.closure
        grown = closure != before.closure
        if counts or grown:
            ends = outward_reach(closure.low, closure.high, closure.hypotheses.two_sided)
            evidence = self._evidence(closure, self._stars[counted], before.revealed + (counts and revealed))
            if np.any(ends >= self._stop) or evidence.is_empty:
                raise self._nothing_stands()
            stop = self._stop.copy()
            for k, (row, table) in enumerate(zip(evidence.rows, evidence.tables, strict=True)):
                last = int(np.searchsorted(table, 1.0 + SLACK, side="right")) - 1
                if last < len(row.outward):
                    stop[k] = row.outward[last]
            nearer = np.flatnonzero(stop < self._stop)
            self.evidence, self._stop, self._V = evidence, stop, None
            self._tell_rate()
            if grown or len(nearer):
                self._settled = None
                self._items.decide(closure if grown else None, stop, nearer)
        self._counted = counted

    @property
    def version_space(self) -> ClosedVersionSpace:
        """What is settled, and a cap for the newest evidence."""
        if self._V is None:
            evidence, settled = self.evidence, self.settled
            weights = np.floor(evidence.weights * SCALE).astype(np.int64)
            cap = Cap(evidence.points, int(np.ceil((1.0 + SLACK) * SCALE)) + len(weights), weights)
            self._V = ClosedVersionSpace(settled.hypotheses, settled.closure, [*settled.caps, cap])
        return self._V

    @property
    def settled(self) -> ClosedVersionSpace:
        """The closure, and for every side a point that it must not reach."""
        if self._settled is None:
            closure, dim = self.evidence.closure, len(self.evidence.closure.low)
            sides = np.flatnonzero(np.isfinite(self._stop))
            never = np.repeat(closure.low[None], len(sides), axis=0)
            never[np.arange(len(sides)), sides % dim] = np.where(sides < dim, -1.0, 1.0) * self._stop[sides]
            self._settled = ClosedVersionSpace(closure.hypotheses, closure, [Cap(never, 0)] if len(sides) else [])
        return self._settled

    def rate_bounds(self, group: int = 0) -> tuple[float, float]:
        """What no moment has excluded, from below and from above, in pieces that are rounded outwards."""
        return float(self._pieces[self._first]), float(self._pieces[self._last + 1])

    def _tell_rate(self) -> None:
        """Drops pieces at the ends; the last one stays."""
        while self._first < self._last:
            ends = np.array([self._first, self._last])
            below, above = self.evidence.excludes(self._pieces[ends], self._pieces[ends + 1]).tolist()
            self._first, self._last = self._first + below, self._last - (above and self._last > self._first + below)
            if not (below or above):
                return

    def rate_helps(self, revealed: int, group: int = 0) -> bool:
        """Whether some side would have to stop."""
        return any(table[-1] > 1.0 for table in self.evidence.supposing(revealed=revealed).tables)

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Never asked for: the evidence knows the rates."""
        return ANY_RATE


def _counts(closure: Closure, points: Points) -> NDArray[np.bool_]:
    """Whether answers about these points count: in the closure, or beyond it on one side alone."""
    return np.asarray(outside(closure, points).sum(axis=1) <= 1)


class _Items(Decisions):
    """What is decided about `points`; read it like a `Frontier`."""

    def __init__(self, closure: Closure, points: Points) -> None:
        self._columns = np.asfortranarray(points)
        inside = closure.contains(points)
        self._status = np.where(inside, np.int8(POSITIVE), np.int8(UNDECIDED))
        self.undecided = np.flatnonzero(~inside)
        self.n_positive = int(np.count_nonzero(inside))

    @property
    def n_undecided(self) -> int:
        """As in `Frontier`."""
        return len(self.undecided)

    def decide(self, closure: Closure | None, stop: Floats, sides: NDArray[np.intp]) -> None:
        """What a larger closure holds is positive; what lies at the stop of one of these sides, or beyond, negative."""
        rows, dim = self.undecided, self._columns.shape[1]
        if closure is not None:
            for axis in range(dim):
                column = self._columns[rows, axis]
                rows = rows[(column >= closure.low[axis]) & (column <= closure.high[axis])]
            self._status[rows] = POSITIVE
            self.n_positive += len(rows)
        for side in sides:
            column = self._columns[:, side % dim]
            out = column <= -stop[side] if side < dim else column >= stop[side]
            self._status[out & (self._status == UNDECIDED)] = NEGATIVE
        self.undecided = self.undecided[self._status[self.undecided] == UNDECIDED]
