"""Active learning with any scikit-learn classifier, through the channel.

    loop: fit the model to all answers so far (`models.channel_fit`): p(x) = P(y = 1 | x) and ω, estimates both
          if it is stable, or no positives are left (`models.stopping`): stop
          ask what the strategy values most (`models.strategies`), and in a batch no two items alike

While no positive is known several detectors of odd rows ask by turns (`models.novelty`), and after some dozens of
silences it is said what would help (`models.silence`). While only positives are known, questions are drawn at random.

Nothing about a model is certified while it learns. With `audit={…}` it is fixed once it is stable, and an audit of the
items that were not asked certifies how good it is (`models.audited`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

from activepu import checks
from activepu.audit import Audit
from activepu.audit.targets import Target
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.estimates import Guess
from activepu.experts import TIMEOUT
from activepu.features import TableFeatures
from activepu.features.reading import reading
from activepu.features.trial import check_reads
from activepu.learners.base import Learner
from activepu.models import strategies
from activepu.models.audited import LEARNING, audited_steps, silent_in
from activepu.models.estimators import check_classifier
from activepu.models.fitted import Models
from activepu.models.logistic import ChannelLogistic
from activepu.models.outlook import estimates
from activepu.models.silence import FEW
from activepu.models.state import ModelState
from activepu.models.stopping import StoppingRule
from activepu.models.strategies import Strategy, View, spread
from activepu.pools import Draws, Pool, Source
from activepu.pools.frames import taken
from activepu.records import RECORDED, Ask, Bounds, Note, Question, Report, Steps, StopReason

WIDE = 100
"""A table with more columns than this gets a linear model, unless the user chose one."""
ROUNDING = 1e-9
"""How far below zero a strategy's number may lie."""
LATEST = 200
"""The model is fixed after this many questions at the latest, if it is to be audited."""
NO_CERTIFICATE = Certificate(1.0, 0.0, "pool", "estimate")


class ModelLearner(Learner):
    """Active learning with any scikit-learn classifier, through the channel.

    The classifier is fitted so that it estimates P(y = 1 | x): ★ is never read as "negative". The next question goes
    where the strategy expects most of the answer. What comes out are estimates; nothing is certified. They assume that
    a revealed item is truly positive, and that every positive is revealed with the same probability ω. Without `rate`
    they also assume that the classes can mostly be told apart: where these truly overlap, ω comes out too low and the
    share of positives too high.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        With `predict_proba` or `decision_function`, alone or at the end of a pipeline. By default a forest of 100
        trees, and for more than 100 columns a `ChannelLogistic`. Without a pipeline, columns with names that the
        classifier cannot read are made features of: `features(table)` says how.
    strategy : str or Strategy
        Which item to ask: "auto", "likely positive", "information", "margin", "entropy", "least confidence",
        "committee", "random", or a `Strategy` of your own. By default rows like the known positives and answers that
        are worth most, by turns.
    rate : float, optional
        The reveal rate ω, where it is known.
    patience : int, optional
        The run ends by itself when the model was stable in this many reviews in a row, one review every 20 answers, or
        when it expects no further positive. None for never.
    audit : dict, optional
        Settings of `Audit` without its classifier, for example ``audit={"recall": 0.9, "delta": 0.05}``. Once the
        model is stable it is fixed, and the further questions of the run are drawn by lot and audit it. What is
        certified speaks of the items that were not asked while the model learned. `rate` is passed on, if the audit
        has no other. With ``{"classifier": "found", "recall": 0.95}`` it is certified in place of the model how much of
        all that the expert would confirm is in hand.
    questions : int, optional
        With `audit`: fix the model after this many answers at the latest. By default 200, or a third of the pool if
        that is less. All further questions of the budget are for the audit.

    Raises
    ------
    InvalidInput
        If the estimator is no classifier with scores, or a setting is out of range. At the start of a run: if the
        classifier cannot be fitted to the columns of the pool.
    ModelFailed
        During a run, if the classifier raises. The answers so far are in its `answers`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> positive = X.sum(axis=1) > 0                            # only the expert knows
    >>> expert = apu.SimulatedExpert(positive, rate=0.7)        # three in ten positives stay silent
    >>> result = apu.learn(apu.ModelLearner(LogisticRegression()), X, expert, budget=60, batch=20)
    >>> result.n_queries, bool((result.predict(X) == positive).mean() > 0.85)
    (60, True)
    >>> result.predict_proba(X).shape
    (300, 2)

    Learn with at most 40 questions, then audit the model with the others:

    >>> learner = apu.ModelLearner(LogisticRegression(), audit={"recall": 0.6}, questions=40)
    >>> result = apu.learn(learner, X, expert, budget=200, batch=10)
    >>> result.history["phase"].count("model"), bool(result.recall.low >= 0.6)
    (40, True)

    References
    ----------
    C. Elkan and K. Noto (2008), Learning classifiers from only positive and unlabeled data, KDD.
    M. Bloodgood and K. Vijay-Shanker (2009), A method for stopping active learning based on stabilizing predictions,
    CoNLL.

    See Also
    --------
    activepu.Audit : Certifies how good any classifier is.
    activepu.ZCal : Certifies its error, for a hypothesis class.
    activepu.ActivePUClassifier : The same behind `fit` and `predict`.
    activepu.learning_curve : What the model would have said after fewer answers.
    """

    phases_depend = True
    hears_timeouts = True
    runs_ahead = ("model",)
    when_dry = "Every item was asked, or looks the same to the expert as one that was."

    def __init__(
        self,
        estimator: Any = None,
        strategy: str | Strategy = "auto",
        *,
        rate: float | None = None,
        patience: int | None = 3,
        audit: Mapping[str, Any] | None = None,
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
        self.audit = None if audit is None else _settings(audit)
        self._audit = None if self.audit is None else _audit(self.audit, self.rate)
        self.epsilon, self.delta = (1.0, 1.0) if self._audit is None else (self._audit.epsilon, self._audit.delta)
        self.rests_on_chance = self._audit is not None
        self.in_time = self.in_time if self._audit is None else self._audit.in_time
        if self._audit is None and questions is not None:
            raise InvalidInput(
                f"questions = {questions} says when the model is fixed, which only audit={{…}} does; "
                "learn(…, budget=…) limits the questions."
            )

    @property
    def targets(self) -> list[Target]:
        """What the audit is to certify; nothing without one."""
        return [] if self._audit is None else self._audit.targets

    def pool(self, table: Any) -> Source:
        """A pool with columns of every kind: the classifier, or the pipeline around it, reads them as they are."""
        return Pool(table, raw=True)

    def check_pool(self, source: Source, draws: Draws) -> None:
        """Before the first question: refuses columns that the classifier cannot take."""
        super().check_pool(source, draws)
        if isinstance(source, Pool):
            check_reads(reading(self.classifier(source), source))
            if self._audit is not None:
                self._audit.check_settings(draws)

    def features(self, table: Any) -> TableFeatures | None:
        """Return what would be made of the columns of a table; None if the classifier reads them as they are.

        Examples
        --------
        >>> import pandas as pd
        >>> from sklearn.linear_model import LogisticRegression
        >>> import activepu as apu
        >>> table = pd.DataFrame({"age": [31.0, None, 58.0, 44.0], "country": ["FR", "DE", "DE", "FR"]})
        >>> print(apu.ModelLearner(LogisticRegression()).features(table))
        age      a number; gaps in 25% of the rows, filled with the median
        country  2 categories, a column for each
        """
        source = table if isinstance(table, Source) else self.pool(table)
        if not isinstance(source, Pool):
            raise InvalidInput("Features are made of a table, and a Sampler has none; draw some rows.")
        return reading(self.classifier(source), source).features

    def check_put(self, questions: Sequence[Question]) -> None:
        """Refuse a question of the caller's own choice once the audit has begun."""
        if self._audit is not None and any(question.note.phase not in LEARNING for question in questions):
            self._audit.check_put(questions)

    def check_undo(self, question: Question, questions: Sequence[Question]) -> None:
        """Refuse to take back an answer of the learning once the audit has begun, and one on which the audit rests.

        A question of the caller's own choice after the first of the audit is one of the audit.
        """
        begun = next((q.number for q in questions if q.note.phase not in LEARNING), None)
        if self._audit is None or begun is None:
            return
        if question.number < begun:
            raise InvalidInput(
                f"The answer to question {question.number} cannot be taken back: it was asked before the audit, which "
                "has begun and rests on what was asked and learned until then."
            )
        self._audit.check_undo(question, questions)

    def classifier(self, source: Source) -> Any:
        """The classifier for a pool, unfitted."""
        if self.estimator is not None:
            return self.estimator
        if source.dim <= WIDE:
            return ExtraTreesClassifier(100, bootstrap=True)
        return ChannelLogistic() if source.names is not None else make_pipeline(SimpleImputer(), ChannelLogistic())

    def steps(self, draws: Draws) -> Steps:
        """The algorithm at the head of the module."""
        state = ModelState(draws, self.classifier(draws.source), self.rate)
        if self._audit is not None:
            state.leave_out(self._audit.gold_rows(draws))
        reason = yield from self._learn(state)
        assert self._audit is not None
        learned = replace(self._report(state, StopReason.RUNNING), certificate=NO_CERTIFICATE)
        return (yield from audited_steps(self._audit, state, reason, learned))

    def takes_as_silent(self, question: Question) -> bool:
        """Return whether a timeout is a *can't tell*: not while the model learns."""
        return self._audit is not None and silent_in(self._audit, question)

    def with_deadlines(self, rate_in_time: bool = False) -> Self:
        """Return the learner for answers before a deadline: what is stated of the rate holds for fewer in the audit."""
        audit = None if self._audit is None else self._audit.with_deadlines(rate_in_time)
        if audit is self._audit:
            return self
        again = copy(self)
        again._audit = audit
        again.in_time = self.in_time if audit is None else audit.in_time
        return again

    def _learn(self, state: ModelState) -> Generator[Ask, Question, StopReason | None]:
        """Ask until the model is to be fixed, and return the reason, None if it is only that enough was asked.

        Without `audit`, ask and take in answers to the end.

        Answers from elsewhere cost no question: the model learns from all that come before it is fixed.
        """
        stopping, latest = StoppingRule(self.patience), self._latest(state)
        reason: StopReason | None = None
        question: Question | None = None

        def recall(question: Question) -> None:
            state.put(question.item)

        while True:
            reason = stopping.after(state) or reason  # a run that ended stays so, whatever is told later
            if self._audit is not None:
                asked = question is not None and question.note.phase != RECORDED
                if asked and state.model is not None and (reason is not None or len(state) >= latest):
                    return reason
            done = reason is not None and self._audit is None
            items = iter(()) if done else self._questions(state)
            question = yield Ask(items, self._reporter(state, reason or StopReason.RUNNING), done=done, recall=recall)
            if question.answer is TIMEOUT:
                state.time_out(question, audited=self._audit is not None)
            else:
                state.fold(question)

    def _latest(self, state: ModelState) -> int:
        """The number of answers after which the model is fixed at the latest, if it is to be audited."""
        return min(LATEST, len(state.free) // 3) if self.questions is None else self.questions

    def _questions(self, state: ModelState) -> Iterator[tuple[int, Note]]:
        """The items to ask, the best first; every other one by the search, as long as hardly any positive is known."""
        ranked, known = self._ranked(state), int(state.known_positive.sum())
        searching = self.strategy.needs_model and known < FEW
        while state.free.any():
            if searching and (known == 0 or state.turn % 2):
                item, prediction = state.search.next(state.free, state.turn // min(known + 1, 2)), None
            else:
                item, prediction = next(ranked)
            state.put(item)
            yield item, Note("model", -1, prediction)

    def _ranked(self, state: ModelState) -> Iterator[tuple[int, float]]:
        """Free items by the strategy, with the chance of a reveal. Put each before the next one is taken."""
        while len(items := state.candidates()):
            view, waiting = self._view(state, items)
            ready = not self.strategy.needs_model or state.model is not None
            utility = self._utility(view) if ready else view.probability
            for k in spread(utility + 1e-9 * view.ties, view.members, waiting):
                if state.free[items[k]]:
                    yield int(items[k]), float(np.clip(view.rate * view.probability[k], 0.01, 0.99))

    def _utility(self, view: View) -> NDArray[np.float64]:
        """The strategy's numbers for the candidates; refuses what are no such numbers."""
        utility = np.asarray(self.strategy.utility(view), np.float64)
        if utility.shape != view.probability.shape or not (np.isfinite(utility) & (utility >= -ROUNDING)).all():
            raise InvalidInput(
                f"A strategy must give a number, zero or more, for each of the {len(view.probability)} candidates, got "
                f"{checks.brief(utility.tolist())} from {checks.brief(self.strategy)}."
            )
        return np.maximum(utility, 0.0)

    def _view(self, state: ModelState, items: NDArray[np.int64]) -> tuple[View, NDArray[np.float64]]:
        """What is thought of the candidates, and the members' opinions of the items that wait for an answer."""
        ties, n = state.uniforms(items), len(items)
        if self.strategy.needs_model and state.model is not None:
            rows = state.rows(np.concatenate([items, np.array(state.waiting, np.int64)]))
            with state.guarded():
                probability, members = state.model.opinions(rows)
            candidates, asked = taken(rows, slice(n)), state.rows(state.known)
            rate, alike = state.model.rate, np.zeros(0)
            if self.strategy.needs_likeness:
                alike = state.likeness(items).mean(axis=0)
            known = (state.known_positive, len(state.given))
            view = View(probability[:n], members[:, :n], rate, ties, candidates, asked, *known, alike)
            return view, members[:, n:]
        if self.strategy.needs_likeness and not state.silent:
            members = state.likeness(items)
            return View(members.mean(axis=0), members, 0.5, ties), members[:, :0]
        return View(ties, ties[None, :], 0.5, ties), np.zeros((1, 0))

    def _reporter(self, state: ModelState, reason: str) -> Callable[[], Report]:
        return lambda: self._report(state, reason)

    def _report(self, state: ModelState, reason: str) -> Report:
        """The model after these answers, with estimates from what else fits about as well."""
        rule, model, certificate = state.rule(), state.model, NO_CERTIFICATE
        if said := state.advice(self.strategy.needs_model):
            certificate = replace(certificate, remarks=(said,))
        if self._audit is not None:
            certificate = certificate.given(
                f"the audit begins once the model has settled, or after {self._latest(state):,} questions "
                "(ModelLearner(…, questions=…) says after how many)"
            )
        if model is None:
            if state.silent and len(state):
                certificate = certificate.given(
                    "no positive is known yet; positives=… takes those that you know already"
                )
            return Report(None, rule, certificate, reason, model=rule)
        with state.guarded():
            found = estimates(state, model)
        return Report(
            None,
            rule,
            certificate,
            reason,
            rate=_unproved(found.rate) if any(state.revealed) or self.rate is not None else None,
            prior=_unproved(found.prior),
            model=rule,
            estimates=found,
        )


def _settings(audit: Any) -> dict[str, Any]:
    """Check that these are settings of an audit, by name."""
    known = [name for name in inspect.signature(Audit).parameters if name != "classifier"]
    if isinstance(audit, Mapping) and audit.get("classifier", "found") != "found":
        got = checks.brief(audit["classifier"])
        raise InvalidInput(f"audit takes no classifier but 'found', because it audits the model, got {got}.")
    if not isinstance(audit, Mapping):
        raise InvalidInput(f"audit takes a dictionary such as {{'recall': 0.9}}, got {checks.brief(audit)}.")
    if (unknown := next((name for name in audit if name not in (*known, "classifier")), None)) is not None:
        raise InvalidInput(f"audit takes settings named {', '.join(known)}, got {checks.brief(unknown)}.")
    return dict(audit)


def _audit(settings: Mapping[str, Any], rate: float | None) -> Audit:
    """The audit of whatever model will be learned."""
    found = "classifier" in settings  # how much is in hand does not depend on the rate
    return Audit(**(dict(settings) if found else {"classifier": None, "rate": rate, **settings}))


def _unproved(guess: Guess) -> Bounds:
    return Bounds(guess.low, guess.high, 0.0, guess.likely)
