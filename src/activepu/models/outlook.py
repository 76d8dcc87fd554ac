"""What a run of a model has reached, in the user's currency, and what more questions would do.

    unseen scores of the answered rows (out of bag; for `ChannelLogistic` cross-fitted), and scores of the others
    draws of r and the rates that fit (`models.identified`)
    at both ends of ω and at its best guess: positives among the rows by the rank that the model gives them
    the same for the model after half of the answers: how much the average precision rose

The forecast is a power law of the loss L = 1 − average precision: m more questions multiply it by ((n + m)/n)^(−β).
The average precision is itself an estimate; L is taken from the middle between the best guess and the lower end. What
is gone of the loss since half of the questions gives a first β̂ in [0, 1]. In trials it said little about the further
course, so the interval, β from SLOWEST to FASTEST + EAGER·β̂, depends on it only a little. It was chosen on simulated
tables and checked on others and on real ones (`benchmarks/calibration.py`).

The positions are those of all rows, the asked ones included: what was revealed ranks high, and is known.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from activepu.estimates import Estimates, Forecast, Guess
from activepu.models.base import ChannelModel
from activepu.models.channel_fit import fit
from activepu.models.identified import Identified, Positives, Rows, guess, identified
from activepu.models.state import ModelState
from activepu.pools.frames import taken

MOST_ROWS = 20_000
"""Rows that are ranked for the estimates, beside those that were answered; a sample of a larger pool."""
FOLDS = 5
AHEAD = 100
"""The forecast is for this many more questions."""
SLOWEST, FASTEST, EAGER = -0.3, 0.8, 0.4
LEAST_LOSS = 0.02
"""No average precision is taken to be nearer to 1, so that the logarithm of the loss means something."""
LEAST_REVEALED, LEAST_ASKED = 3, 40
"""No forecast is made from fewer."""

Vector = NDArray[np.float64]


def estimates(state: ModelState, model: ChannelModel, forecast: bool = True) -> Estimates:
    """What the answers so far suggest about the model of the state; a forecast costs one more fit."""
    return _Outlook(state, model).estimates(forecast)


class _Outlook:
    def __init__(self, state: ModelState, model: ChannelModel) -> None:
        self.state, self.model = state, model
        known, self.revealed = state.known, state.known_positive
        others = np.setdiff1d(np.arange(len(state.free)), known)
        sample = state.some(others, MOST_ROWS)
        self.items = np.concatenate([known, sample])
        self.table = state.rows(self.items)
        score, weight = np.empty(len(self.items)), np.ones(len(self.items))
        answer = np.full(len(self.items), -1, np.int8)
        score[: len(known)], score[len(known) :] = self._unseen(len(known))
        answer[: len(known)] = self.revealed
        weight[len(known) :] = len(others) / max(len(sample), 1)
        self.rows = Rows(score, model.probability(self.table), answer, weight)
        asked = np.arange(len(known)) >= len(state.given)
        counted = asked if asked.any() else ~asked
        self.found: Identified = identified(
            score[: len(known)][counted], self.revealed[counted] & asked[counted], state.rate, model.rate, state.seed
        )

    def _unseen(self, known: int) -> tuple[Vector, Vector]:
        """Scores of the answered rows by models that have not seen their answers, and scores of the others."""
        others, any_left = taken(self.table, slice(known, None)), len(self.items) > known
        if self.model.first is not None:
            return self.model.first.scores, self.model.first.committee.score(others) if any_left else np.empty(0)
        state, own = self.state, taken(self.table, slice(known))
        score, fold = np.empty(known), np.random.default_rng(state.seed).permutation(known) % FOLDS
        given = np.arange(known) < len(state.given)
        for k in range(FOLDS):
            kept, left = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
            said = self.revealed[kept]
            if said.all() or not said.any() or not len(left):
                score[left] = said.mean() if len(kept) else 0.5
                continue
            part = fit(state.estimator, taken(own, kept), said, given[kept], state.rate, state.seed)
            score[left] = part.rate * part.probability(taken(own, left))
        return score, self.model.rate * self.model.probability(others) if any_left else np.empty(0)

    def positives(self, model: ChannelModel, at: float = 0.0) -> dict[float, Positives]:
        """Positives by the rank that a model gives, at every rate; by its own probabilities at −1."""
        rows, found = self.rows.ranked(model.ranking(self.table)), self.found
        by_rate = {rate: found.positives(rows, rate, at) for rate in set(found.rates)}
        return by_rate | {-1.0: found.positives(rows, found.likely, at, own=True)}

    def estimates(self, forecast: bool) -> Estimates:
        called = float(self.rows.weight[self.rows.probability >= 0.5].sum())
        drawn, likely = self.positives(self.model, called), self.found.likely
        by_rate = {rate: each for rate, each in drawn.items() if rate > 0}
        total = {rate: each.among[:, -1] for rate, each in by_rate.items()}
        depths, precisions = drawn[likely].depths, {rate: each.average_precision for rate, each in drawn.items()}
        at = int(np.searchsorted(depths, called - 1e-9))
        inside = {rate: each.among[:, at] if called else 0 * each.among[:, 0] for rate, each in drawn.items()}
        recall = {rate: inside[rate] / np.maximum(each.among[:, -1], 1e-9) for rate, each in drawn.items()}
        positives, average = guess(inside, likely), guess(precisions, likely)
        least, _, most = self.found.rates
        shown = np.unique(np.round(depths), return_index=True)[1]
        return Estimates(
            rows=len(self.state.free),
            called=round(called),
            positives=positives,
            precision=positives.times(1 / called) if called else None,
            recall=guess(recall, likely),
            average_precision=average,
            prior=guess(total, likely).times(1 / len(self.state.free)),
            rate=Guess(least, likely, most),
            depths=tuple(int(depth) for depth in np.round(depths[shown])),
            among=tuple(guess({rate: each.among[:, k] for rate, each in drawn.items()}, likely) for k in shown),
            forecast=self._forecast(average) if forecast else None,
        )

    def _forecast(self, average: Guess) -> Forecast | None:
        n, left = len(self.state), int(self.state.free.sum())
        if n < LEAST_ASKED or sum(self.state.revealed) < LEAST_REVEALED or not left:
            return None
        before = self.state.after(n // 2)
        now, past = average.likely, 0.0
        loss = max(1 - (now + average.low) / 2, LEAST_LOSS)
        if before is not None:
            rows = self.rows.ranked(before.ranking(self.table))
            was = float(np.median(self.found.positives(rows, self.found.likely).average_precision))
            past = float(
                np.clip(math.log(max(1 - was, LEAST_LOSS) / max(1 - now, LEAST_LOSS)) / math.log(n / (n // 2)), 0, 1)
            )
        more = min(AHEAD, left)
        low, high = (now + loss * -math.expm1(-b * math.log1p(more / n)) for b in (SLOWEST, FASTEST + EAGER * past))
        return Forecast(more, now, max(low, 0.0), min(high, 1.0))
