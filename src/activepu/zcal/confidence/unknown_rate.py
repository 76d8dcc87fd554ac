"""The confidence set of a box-like class when the rate is not known: the members that no bet excludes.

No predictions are needed: whatever is asked, the bets follow one rule (`bets.unknown_rate`). Each answer makes new
evidence, which may exclude less than before. What is kept for good is how far a side can reach at most (`stop`): a side
that weighs too much by itself is excluded, whatever the others do. This and the closure decide the items. The newest
evidence also says which sides cannot be large together; V has both.

The evidence holds at all moments at once, hence at those that are evaluated. Answers about points of the closure tell
about the rate alone. After many of them, not every further one is evaluated (`rates.is_telling`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces import BoxVersionSpace
from activepu.version_spaces.caps import Cap
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.bets.unknown_rate import UnknownRateBets, log_bets
from activepu.zcal.confidence.base import ANY_RATE, SLACK, Witnesses
from activepu.zcal.confidence.boxlike import BoxSet, stop_caps
from activepu.zcal.confidence.sorted_rows import SortedRows
from activepu.zcal.rates import Floats, Rates, is_telling
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.grown import grown_rivals
from activepu.zcal.rivals.unknown_rate import UnknownRateRivals
from activepu.zcal.sides import Sides

PIECES = 256
"""The number of pieces of the range of rates."""
SCALE = 2.0**26
"""Weights are made whole numbers on this scale: weights are rounded down, and the limit up."""


class UnknownRateSet(BoxSet):
    """The newest evidence, from the answers that count, and where each side must end."""

    def __init__(self, V: BoxVersionSpace, points: Points, rates: Rates, delta: float, sides: Sides) -> None:
        super().__init__(V, points, rates, delta)
        self.sides = sides
        enough = log_bets(sides, V.closure) - float(np.log(delta))
        self._enough = enough + SLACK * (1.0 + abs(enough))  # rounding excludes no hypothesis
        self._stop = np.full(sides.count, np.inf)
        self.evidence = UnknownRateBets(sides, V.closure, self._stop, self.stars, 0, rates, self._enough)
        self._seen = self.evidence
        """The evidence that was evaluated last."""
        self._inside = 0
        """The number of answers about points of the closure."""
        self._V: BoxVersionSpace | None = None
        self._permanent: BoxVersionSpace | None = None
        self._items = _Items(V.closure, points)
        angles = np.arcsin(np.sqrt([rates.low, rates.high]))
        self._pieces = np.sin(np.linspace(angles[0], angles[1], PIECES + 1)) ** 2
        self._pieces[[0, -1]] = rates.low, rates.high
        self._first, self._last = 0, PIECES - 1

    @property
    def _verdicts(self) -> Decisions:
        return self._items

    def supposing(self, silent: Points) -> UnknownRateBets:
        """Return the evidence if these points were silent too."""
        if len(silent) == 0:
            return self.evidence
        closure = self.evidence.closure
        counting = silent[closure.beyond(silent).sum(axis=1) <= 1]
        return self.evidence.after(closure, self._stop, counting, len(self.stars))

    def rivals(self, scene: Scene) -> UnknownRateRivals:
        """Return members around the closure, with the number of stars that are still missing against each."""
        grown = grown_rivals(scene, self.undecided, self.newest.closure, self.evidence.by_side)
        return UnknownRateRivals(grown, self.supposing(scene.silent(self.stars)), self.undecided_share)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        before = self.evidence
        beyond = before.closure.beyond(x)[0]
        sides = int(np.count_nonzero(beyond))
        if sides == 0:
            evidence = before.supposing(revealed=int(revealed), silent=int(not revealed))
            if is_telling(self._inside + 1):
                self._look(evidence)
            self.evidence, self._inside = evidence, self._inside + 1
            return
        number = len(self.stars) - (not revealed)
        if sides == 1:
            before = before.asking(int(np.argmax(beyond)), number)
        if revealed:
            self._look(before.after(before.closure.grow(x), self._stop, x[:0], number, int(sides == 1)))
        elif sides == 1 and before.closure.short_of(self._stop, x)[0]:
            self._look(before.after(before.closure, self._stop, x, number))

    def _require(self, x: Points) -> None:
        closure = self.evidence.closure.grow(x)
        self._look(self.evidence.after(closure, self._stop, x[:0], len(self.stars)))

    def _look(self, evidence: UnknownRateBets) -> None:
        """Evaluate the newest evidence: take in its stops, its rates and its decisions."""
        closure = evidence.closure
        ends = closure.ends
        if np.any(ends >= self._stop) or evidence.is_empty:
            raise self._no_hypothesis_left()
        stop = self._stop.copy()
        for k, (row, table) in enumerate(zip(evidence.rows, evidence.tables, strict=True)):
            last = int(np.searchsorted(table, 1.0 + SLACK, side="right")) - 1
            if last < len(row.outward):
                stop[k] = min(stop[k], row.outward[last])
        nearer = np.flatnonzero(stop < self._stop)
        grown = closure != self._seen.closure
        self.evidence = self._seen = evidence
        self._stop, self._V = stop, None
        self._tell_rate()
        if grown or len(nearer):
            self._permanent = None
            self._items.decide(closure if grown else None, stop, nearer)

    @property
    def version_space(self) -> BoxVersionSpace:
        """What is permanent, and a cap for the evidence that was evaluated last."""
        if self._V is None:
            evidence, permanent = self._seen, self.permanent
            weights = np.floor(evidence.weights * SCALE).astype(np.int64)
            cap = Cap(evidence.points, int(np.ceil((1.0 + SLACK) * SCALE)) + len(weights), weights)
            self._V = BoxVersionSpace(permanent.hypotheses, permanent.closure, [*permanent.caps, cap])
        return self._V

    @property
    def permanent(self) -> BoxVersionSpace:
        """The closure, and for each side a point that it must not reach."""
        if self._permanent is None:
            closure = self._seen.closure
            self._permanent = BoxVersionSpace(closure.hypotheses, closure, stop_caps(closure, self._stop))
        return self._permanent

    def rate_bounds(self, group: int = 0) -> tuple[float, float]:
        """Return bounds on the rates that no moment has excluded, rounded outwards to whole pieces."""
        return float(self._pieces[self._first]), float(self._pieces[self._last + 1])

    def _tell_rate(self) -> None:
        """Drop excluded pieces at both ends; at least one piece stays."""
        while self._first < self._last:
            ends = np.array([self._first, self._last])
            below, above = self.evidence.excludes(self._pieces[ends], self._pieces[ends + 1]).tolist()
            self._first, self._last = self._first + below, self._last - (above and self._last > self._first + below)
            if not (below or above):
                return

    def rate_helps(self, revealed: int, group: int = 0) -> bool:
        """Return whether some side would then have a stop."""
        return any(table[-1] > 1.0 for table in self.evidence.supposing(revealed=revealed).tables)

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Never called: the evidence bounds the rates itself."""
        return ANY_RATE


class _Items(SortedRows):
    """What is decided about `points`."""

    def decide(self, closure: Box | None, stop: Floats, sides: NDArray[np.intp]) -> None:
        """Decide: points in a larger closure are positive; points at or beyond the stop of one of `sides`, negative."""
        if closure is not None:
            self._grow(closure, len(stop))
        for side in sides:
            self._exclude(self.beyond(side, stop[side]))
