"""Active learning with any scikit-learn classifier, through the channel.

    loop: fit the model to all answers so far (`models.channel_fit`): p(x) = P(y = 1 | x) and ω, estimates both
          if it has settled, or no positives are left (`models.stopping`): stop
          ask what the strategy values most (`strategies`), and of a batch no two alike

As long as all answers are alike there is no model: questions are drawn by lot, or, once there is silence, go to rows
that are unlike those met with it (`models.novelty`).

Nothing about a model is certified. With `certify=(ε, δ)` its score is fixed once it has settled, and Z-CAL finds where
to cut it, among the items that were not asked before: their coins are independent of the score, so what Z-CAL proves
about them holds, if the truth is a cut of that score there. Real data hardly ever have that, so the bound is an
estimate, and there is none where the model's own probabilities contradict it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from activepu import checks
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.hypotheses import Thresholds
from activepu.learners.base import Learner
from activepu.models import strategies
from activepu.models.answers import REFERENCE, Answers
from activepu.models.committees import check_classifier, check_columns, take
from activepu.models.fitted import Models
from activepu.models.logistic import ChannelLogistic
from activepu.models.stopping import Settled
from activepu.models.strategies import Strategy, View, spread
from activepu.pools import Draws, Pool, Source
from activepu.records import Ask, Bounds, Note, Question, Report, Steps, StopReason
from activepu.zcal.learner import ZCal

WIDE = 100
"""More columns than this are wide: unless a model is chosen, it is then linear."""
WITHIN = (0.05, 0.95)
"""The quantiles of what is plausible that bound an estimate."""
ROUNDING = 1e-9
"""By so much may what a strategy gives lie below zero."""
LATEST = 200
"""Questions after which the score is fixed for a certificate."""
NO_CERTIFICATE = Certificate(1.0, 0.0, "pool", "estimate")


class ModelLearner(Learner):
    """Any classifier with `predict_proba` or `decision_function`.

    `estimator`  a scikit-learn classifier, or a pipeline that ends in one; None takes a forest, and for wide tables
                 `ChannelLogistic`
    `strategy`   "information" (the default), "margin", "entropy", "least confidence", "committee", "likely positive",
                 "random", or a `Strategy`
    `rate`       ω where it is known
    `patience`   how many times in a row the model must stay as it is before the run ends by itself; None: never
    `certify`    (ε, δ): find a cut of the model's score with a bound that holds if the truth is such a cut (an
                 estimate), once the model has settled …
    `questions`  … or at the latest after so many questions: 200, and a third of the pool, unless said
    """

    phases_depend = True
    when_dry = "Every item was asked, or looks the same to the expert as one that was."

    def __init__(
        self,
        estimator: Any = None,
        strategy: str | Strategy = "information",
        *,
        rate: float | None = None,
        patience: int | None = 3,
        certify: tuple[float, float] | None = None,
        questions: int | None = None,
    ) -> None:
        if estimator is not None:
            check_classifier(estimator)
        self.hypotheses = Models()
        self.estimator = estimator
        self.strategy = strategies.strategy(strategy)
        self.rate = None if rate is None else checks.rate("rate", rate)
        self.patience = None if patience is None else checks.count("patience", patience, minimum=1)
        self.questions = None if questions is None else checks.count("questions", questions, minimum=1)
        self.epsilon, self.delta = 1.0, 1.0  # nothing is certified
        self.certify = certify
        self.rests_on_chance = certify is not None
        if certify is not None:
            if not (isinstance(certify, (tuple, list)) and len(certify) == 2):
                raise InvalidInput(f"certify takes two numbers, (epsilon, delta), got {certify!r}.")
            self.epsilon = checks.open_unit("epsilon", certify[0])
            self.delta = checks.open_unit("delta", certify[1])
        elif questions is not None:
            raise InvalidInput(
                f"questions = {questions} says when the score is fixed, which only certify=(epsilon, delta) does; "
                "learn(…, budget=…) limits the questions."
            )

    def pool(self, table: Any) -> Source:
        """Columns of every kind: the classifier, or the pipeline around it, knows what to do with them."""
        return Pool(table, raw=True)

    def check(self, source: Source, draws: Draws) -> None:
        """Before the first question: refuses columns that the classifier cannot take."""
        super().check(source, draws)
        if isinstance(source, Pool):
            check_columns(self.classifier(source.dim), source.features())

    def classifier(self, columns: int) -> Any:
        """The classifier for so many columns, unfitted."""
        if self.estimator is not None:
            return self.estimator
        if columns <= WIDE:
            return ExtraTreesClassifier(100, bootstrap=True)
        return make_pipeline(SimpleImputer(), ChannelLogistic())

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        answers = Answers(draws, self.classifier(draws.hypotheses.bound_dim), self.rate)
        reason = yield from self._learn(answers)
        if self.certify is not None and answers.model is not None and answers.free.any():
            return (yield from self._cut(answers))
        return self._report(answers, reason)

    def _learn(self, answers: Answers) -> Generator[Ask, Question, str]:
        """Asks until there is a reason to stop, and returns it."""
        settled, reason = Settled(self.patience), None

        def recall(question: Question) -> None:
            answers.put(question.item)

        latest = self._latest(answers)
        while True:
            reason = settled.after(answers) or reason  # what came to an end stays so, whatever is told later
            if self.certify is not None and len(answers) >= latest and answers.model is not None:
                reason = StopReason.SETTLED
            if reason is not None and self.certify is not None:
                return reason
            done = reason is not None
            items = iter(()) if done else self._questions(answers)
            question = yield Ask(items, self._reporter(answers, reason or StopReason.RUNNING), done=done, recall=recall)
            answers.fold(question)

    def _latest(self, answers: Answers) -> int:
        """After so many questions the score is fixed, if it is to be certified."""
        return min(LATEST, len(answers.free) // 3) if self.questions is None else self.questions

    def _questions(self, answers: Answers) -> Iterator[tuple[int, Note]]:
        """The items to ask, the best first."""
        while len(items := answers.candidates()):
            view, taken = self._view(answers, items)
            warm = not self.strategy.needs_model or answers.model is not None
            utility = self._utility(view) if warm else view.probability
            for k in spread(utility + 1e-9 * view.ties, view.members, taken):
                item = int(items[k])
                if answers.free[item]:
                    answers.put(item)
                    yield item, Note("model", -1, float(np.clip(view.rate * view.probability[k], 0.01, 0.99)))

    def _utility(self, view: View) -> NDArray[np.float64]:
        """What the strategy says of the candidates; refuses what is no worth at all."""
        utility = np.asarray(self.strategy.utility(view), np.float64)
        if utility.shape != view.probability.shape or not (np.isfinite(utility) & (utility >= -ROUNDING)).all():
            raise InvalidInput(
                f"A strategy must give a number, zero or more, for each of the {len(view.probability)} candidates, got "
                f"{checks.brief(utility.tolist())} from {self.strategy!r}."
            )
        return np.maximum(utility, 0.0)

    def _view(self, answers: Answers, items: NDArray[np.int64]) -> tuple[View, NDArray[np.float64]]:
        """The opinions of the candidates, and the members' of what waits for an answer."""
        lots, n = answers.lots(items), len(items)
        if not self.strategy.needs_model or len(answers.known) == 0 or (answers.alike and not answers.silent):
            return View(lots, lots[None, :], 0.5, lots), np.zeros((1, 0))
        if answers.model is None:
            members = answers.unlike(items)
            return View(members.mean(axis=0), members, 0.5, lots), members[:, :0]
        rows = answers.rows(np.concatenate([items, np.array(answers.waiting, np.int64)]))
        with answers.guarded():
            found = answers.model.opinions(rows)
        view = View(
            found.probability[:n],
            found.members[:, :n],
            answers.model.rate,
            lots,
            take(rows, slice(n)),
            *answers.all_known(),
        )
        return view, found.members[:, n:]

    def _reporter(self, answers: Answers, reason: str) -> Callable[[], Report]:
        return lambda: self._report(answers, reason)

    def _report(self, answers: Answers, reason: str) -> Report:
        """The model after these answers, with estimates from what else fits about as well."""
        rule, model, certificate = answers.rule(), answers.model, NO_CERTIFICATE
        if self.certify is not None:
            certificate = certificate.given(
                f"a cut is looked for once the model has settled, or after {self._latest(answers):,} questions "
                "(ModelLearner(…, questions=…) says after how many)"
            )
        if model is None:
            if answers.silent and len(answers):
                certificate = certificate.given(
                    "no positive is known yet; positives=… takes those that you know already"
                )
            return Report(None, rule, certificate, reason, model=rule)
        rows = answers.rows(answers.reference)
        with answers.guarded():
            p = model.probability(rows)
            rates, shares = model.plausible(rows, answers.draws.seed)
        return Report(
            None,
            rule,
            certificate,
            reason,
            rate=_estimate(rates, model.rate) if any(answers.revealed) or self.rate is not None else None,
            prior=_estimate(shares, float(p.mean())),
            model=rule,
            expected_error=float(np.minimum(p, 1 - p).mean()),
        )

    def _cut(self, answers: Answers) -> Steps:
        """Z-CAL on the score of the model, which is fixed from here on, and on the items that were not asked yet."""
        model, rule, draws = answers.model, answers.rule(), answers.draws
        assert model is not None
        rest = np.flatnonzero(answers.free)
        place = np.full(len(answers.free), -1)
        place[rest] = np.arange(len(rest))
        some = answers.rows(rest[:: -(-len(rest) // REFERENCE)])
        p = model.probability(some)
        inner = ZCal(Thresholds(model.ranking), self.epsilon, self.delta, rate=self.rate)
        steps = inner.steps(draws.part(inner.hypotheses, rest))
        limits = (
            f"it speaks of the {len(rest):,} items that had not been asked when the score was fixed, after "
            f'{len(answers):,} answers, and "a threshold" is a cut of the score that the model had then'
        )

        def on_top(report: Report) -> Report:
            expected = float(np.where(report.hypothesis.predict(some), 1 - p, p).mean())
            bound, assumed = report.certificate.error_bound, (*report.certificate.assumptions, limits)
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
                model=rule,
                spoken_of=place >= 0,
            )

        def outside(ask: Ask) -> Ask:
            items = ((int(rest[k]), note) for k, note in ask.items)
            return replace(ask, items=items, report=lambda: on_top(ask.report()), recall=lambda put: recall(ask, put))

        def recall(ask: Ask, question: Question) -> None:
            if ask.recall is not None and place[question.item] >= 0:
                ask.recall(replace(question, item=int(place[question.item])))

        ask = next(steps)
        while True:  # Z-CAL takes answers in to the last
            question = yield outside(ask)
            if place[question.item] >= 0:  # the others were put before the score was fixed
                ask = steps.send(replace(question, item=int(place[question.item])))


def _estimate(plausible: NDArray[np.float64], best: float) -> Bounds:
    low, high = np.quantile(plausible, WITHIN)
    return Bounds(min(float(low), best), max(float(high), best), 0.0, best)
