"""A cut of the model's score, found by Z-CAL on the items that were not asked yet.

The score is fixed first. The coins of the items that were not asked before are independent of it, so what Z-CAL proves
about them holds if the truth is a cut of that score there. Real data hardly ever have that. So the bound is an
estimate, and none is given where the model's own probabilities contradict it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from activepu.certificate import Certificate
from activepu.hypotheses import Thresholds
from activepu.models.base import ChannelModel
from activepu.models.state import POOL_SAMPLE_ROWS, ModelState
from activepu.records import Ask, Question, Report, Steps, StopReason
from activepu.zcal.learner import ZCal


def cut_steps(state: ModelState, model: ChannelModel, epsilon: float, delta: float) -> Steps:
    """Z-CAL on the score of the model, and on the free items alone, which it numbers from 0."""
    rest = np.flatnonzero(state.free)
    place = np.full(len(state.free), -1)
    place[rest] = np.arange(len(rest))
    inner = ZCal(Thresholds(model.ranking), epsilon, delta, rate=state.rate, check=0)
    steps = inner.steps(state.draws.part(inner.hypotheses, rest))
    estimate = _Estimate(state, model)

    def outside(ask: Ask) -> Ask:
        items = ((int(rest[k]), note) for k, note in ask.items)
        return replace(
            ask, items=items, report=lambda: estimate.of(ask.report()), recall=lambda question: recall(ask, question)
        )

    def recall(ask: Ask, question: Question) -> None:
        if ask.recall is not None and place[question.item] >= 0:
            ask.recall(replace(question, item=int(place[question.item])))

    ask = next(steps)
    while True:  # Z-CAL takes in answers to the end
        question = yield outside(ask)
        if place[question.item] >= 0:  # the others were put before the score was fixed
            ask = steps.send(replace(question, item=int(place[question.item])))


class _Estimate:
    """What of a report of Z-CAL is said of the cut, as the score and the free items were when the score was fixed."""

    def __init__(self, state: ModelState, model: ChannelModel) -> None:
        rest = np.flatnonzero(state.free)
        self._rule = state.rule()
        self._spoken_of = state.free.copy()
        self._sample = state.rows(rest[:: -(-len(rest) // POOL_SAMPLE_ROWS)])
        self._probability = model.probability(self._sample)
        self._limits = (
            f"it speaks of the {len(rest):,} items that had not been asked when the score was fixed, after "
            f'{len(state):,} answers, and "a threshold" is a cut of the score that the model had then'
        )

    def of(self, report: Report) -> Report:
        """The report with estimates in place of what rests on the truth being a cut."""
        p = self._probability
        expected = float(np.where(report.hypothesis.predict(self._sample), 1 - p, p).mean())
        bound, assumed = report.certificate.error_bound, (*report.certificate.assumptions, self._limits)
        if expected > bound:
            doubt = "a cut of the model's score was found, but the model itself expects"
            bound, assumed = 1.0, (f"{doubt} {100 * expected:.3g}% of the items to be wrong",)
        found = report.stop_reason == StopReason.TARGET
        return replace(
            report,
            certificate=Certificate(bound, 0.0, report.certificate.scope, "estimate", assumed),
            stop_reason=StopReason.CUT_FOUND if found else report.stop_reason,
            rate=None if report.rate is None else replace(report.rate, confidence=0.0),
            prior=None,
            population=None,
            model=self._rule,
            spoken_of=self._spoken_of,
        )
