"""The state of one run of Z-CAL: the pool's set, the reserved set, the posterior, the checks, the open questions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.experts import TIMEOUT
from activepu.hypotheses.base import Points
from activepu.hypotheses.registration import registration
from activepu.learners.reserve import reserved_items
from activepu.pools import Draws
from activepu.records import CHECK, Gauges, Note, Question
from activepu.version_spaces import Frontier, VersionSpace
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED
from activepu.zcal.acquisition import Acquisition
from activepu.zcal.check import Check, level
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.posteriors import Posterior
from activepu.zcal.rates import Rates
from activepu.zcal.rivals.base import Open
from activepu.zcal.stopping import StoppingRule
from activepu.zcal.tuning import TUNING

PARTS = 10
"""At most one in this many rows of a table is reserved for the population's certificate."""


class State:
    """What a run of Z-CAL knows.

    Parameters
    ----------
    draws : Draws
        The pool, bound to the class.
    V : VersionSpace
        All hypotheses that contain the positives known beforehand.
    rates : Rates
        The reveal rates that are possible.
    epsilon, delta : float
        The error that is to be certified, and the chance of a false certificate.
    false_reveal : float
        An upper bound on the rate at which items outside the truth are revealed.
    checks : int
        How many decided items are asked to check the class.

    Attributes
    ----------
    pool : ConfidenceSet
        What is possible on the rows among which questions are chosen.
    reserved : ConfidenceSet
        What is possible at level δ/2 on the reserved sample T, which influences nothing but reports and the stop.
    posterior : Posterior
        What is likely.
    check : Check
        The lot among the decided items, and its evidence against the class.
    stopping : StoppingRule
        When the search may end.
    """

    def __init__(
        self,
        draws: Draws,
        V: VersionSpace,
        rates: Rates,
        epsilon: float,
        delta: float,
        false_reveal: float,
        checks: int,
    ) -> None:
        self.draws, self.rates = draws, rates
        proved = V.method == "exact"
        self.check = Check(checks, delta, rates, false_reveal, draws.hypotheses, proved, draws.seed)
        delta = level(delta, checks)
        self.table = draws.table()
        self.endless = self.table is None
        if self.table is None:
            self.items = draws.unlabeled_items(TUNING.stream, "the rows to choose from")
            self.T = reserved_items(draws, epsilon, delta / 2)
            V = V.among(draws.points(self.items))
        else:
            self.T = reserved_items(draws, epsilon, delta / 2, PARTS)
            self.items = np.delete(np.arange(len(self.table)), self.T)
        whole = self.table is not None and len(self.T) == 0
        self.points: Points = self.table if self.table is not None and whole else draws.points(self.items)
        self.sample = self.points[:: -(-len(self.points) // TUNING.ranked)]
        reserved = draws.points(self.T)
        parts = registration(draws.hypotheses)

        def confidence_set(points: Points, level: float) -> ConfidenceSet:
            made: ConfidenceSet = parts.confidence_set(V, points, rates, level, self.sample, false_reveal)
            return made

        self.pool = confidence_set(self.points, delta / 2 if self.endless else delta)
        self.reserved = confidence_set(reserved, delta / 2)
        self.reserved_in_pool = Frontier(reserved)
        """T as a part of the pool: decided at the pool's level."""
        self.posterior: Posterior = parts.posterior(
            draws.hypotheses, rates, self.sample, draws.positives, draws.seed, false_reveal
        )
        self._excluded = np.zeros(len(self.points), bool)
        self._acquisition = Acquisition(self.points, self._excluded, self.pool, epsilon, draws.seed)
        self.stopping = StoppingRule(self, epsilon, delta)
        self.experts: dict[Hashable, int] = {}
        """The numbers of the experts, in the order of their first questions, if each has a rate of their own."""
        self.answered = 0
        self.spoilt = False
        """Whether a row of T was asked about elsewhere, so that T can no longer be used."""
        self._waiting: list[Open] = []
        self._kept = set(self.T.tolist())
        self._reveals: list[Points] = [draws.positives]

    def gauges(self) -> Gauges:
        """Return the numbers that are recorded with every answer."""
        return Gauges(self.pool.undecided_share)

    def questions(self) -> Iterator[tuple[int, Note]]:
        """Yield the items to ask, each with its prediction: the best first until the target is reached, then checks."""
        while not self.stopping.done and (found := self._next()) is not None:
            yield self._put(*found, "search")
        self._fix_lot()
        while (row := self.check.draw(self.points, self._excluded)) is not None:
            self.check.put(int(self.items[row]))
            group = self._group(self.draws.asking)
            yield self._put(row, float(self.posterior.predict(self.points[[row]], group).q[0]), CHECK)

    def _fix_lot(self) -> None:
        """Fix which rows may be drawn as checks, before the first: decided, not asked, not given, one of each coin."""
        if self.check.fixed or self.check.done:
            return
        rows = np.flatnonzero((self.pool.status != UNDECIDED) & ~self._excluded)[::-1]
        first = dict(zip(self.draws.coins(self.items[rows]), rows.tolist(), strict=True))
        lot = np.sort([row for coin, row in first.items() if coin not in self.draws.given_coins]).astype(np.intp)
        self.check.fix(lot[self.pool.status[lot] == POSITIVE], lot[self.pool.status[lot] == NEGATIVE])

    def _put(self, row: int, q: float, phase: str) -> tuple[int, Note]:
        """Note that this row is asked, with the prediction q."""
        group, item = self._group(self.draws.asking), int(self.items[row])
        self._exclude(item)
        self._waiting.append(Open(item, self.points[[row]], group, q))
        return item, Note(phase, -1, q)

    def _next(self) -> tuple[int, float] | None:
        name = self.draws.asking
        group = self.experts.get(name, len(self.experts)) if self.rates.per_expert else 0
        return self._acquisition.best(self.posterior, group, self._waiting, self.stopping.witness)

    def recall(self, question: Question) -> None:
        """Take in a recorded question, as if it had been put now."""
        row = self._rows_of(np.array([question.item]))
        if len(row) and question.note.prediction is not None:
            group = self._group(question.expert)
            self._waiting.append(Open(question.item, self.points[row], group, question.note.prediction))
        if question.note.phase == CHECK:
            self._fix_lot()
            self.check.put(question.item)
        self._exclude(question.item)

    def fold(self, question: Question) -> None:
        """Take in an answer; answers come in the order of asking."""
        if question.answer is TIMEOUT:
            self._time_out(question)
            return
        x, revealed, q = self.draws.points([question.item]), question.revealed, question.note.prediction
        group = self._group(question.expert)
        if q is None:
            raise InvalidInput(f"Question {question.number} has no prediction, so Z-CAL did not put it.")
        # A question that was asked before this one and is still open was skipped.
        answered = next((k for k, w in enumerate(self._waiting) if w.item == question.item), -1)
        del self._waiting[: 1 + answered]
        self._exclude(question.item)
        self.spoilt, self.answered = self.spoilt or question.item in self._kept, self.answered + 1
        checks = question.note.phase == CHECK
        if checks:
            if not self.check.begun:
                bounds = [self.pool.rate_bounds(known) for known in range(len(self.pool.revealed))]
                self.check.begin(self.points[self.pool.status == POSITIVE], np.concatenate(self._reveals), bounds)
            self.check.fold(question.item, x, self._status(question.item), group, revealed)
        if revealed:
            self._reveals.append(x)
        self.pool.fold(x, revealed, q, group)
        self.reserved.fold(x, revealed, q, group)
        if not checks:  # nothing is searched any more
            self.posterior.fold(x, revealed, group)

    def _time_out(self, question: Question) -> None:
        """Take in that no answer came in time, or a yes that came later: the item is positive, and that is all."""
        self._waiting = [waiting for waiting in self._waiting if waiting.item != question.item]
        self._exclude(question.item)
        self.check.withdraw(question.item)
        self.spoilt = self.spoilt or question.item in self._kept
        if question.late:
            x = self.draws.points([question.item])
            self.pool.require(x)
            self.reserved.require(x)
            self.posterior.fold(x, True, self._group(question.expert))

    def _status(self, item: int) -> int:
        """Return what earlier answers decided about an item."""
        row = self._rows_of(np.array([item]))
        return int(self.pool.status[row[0]]) if len(row) else UNDECIDED

    def _group(self, name: Hashable) -> int:
        """Return the number of an expert; they get it at their first question."""
        return self.experts.setdefault(name, len(self.experts)) if self.rates.per_expert else 0

    def _rows_of(self, items: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the places of these items in `self.items`, without the items of T."""
        rows = np.searchsorted(self.items, items).clip(max=len(self.items) - 1)
        return np.asarray(rows[self.items[rows] == items])

    def _exclude(self, item: int) -> None:
        """Exclude this item, and those that look the same, from further questions."""
        self._excluded[self._rows_of(self.draws.twins(item))] = True
