"""`Audit`: how good is a classifier? Certified without assuming anything about what makes an item positive.

fix the strata: bands of the score, on either side of the classifier
loop: plan in which strata to ask, from the answers so far
      draw a stratum by the plan, then a random item of it, and ask
      stop when the confidence set (or the bet on the one target) shows every target
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.audit import reachable
from activepu.audit.alarm import Cells
from activepu.audit.bet import Bet
from activepu.audit.classifiers import Judged, judge, numbers
from activepu.audit.forewarning import forewarning
from activepu.audit.found import Ranking, found_steps, ranking
from activepu.audit.groups import read as read_groups
from activepu.audit.knowledge import CONFIRMED_IN_TIME, RATE_IN_TIME, Knowledge, rate_of
from activepu.audit.prediction import RATES, Predictions
from activepu.audit.refitted import Refitted, learns
from activepu.audit.report import Audited
from activepu.audit.sentence import as_bounds, certificate
from activepu.audit.settings import bands as checked_bands
from activepu.audit.settings import rate_range, refuse, share
from activepu.audit.state import State, planned_from
from activepu.audit.stopping import Stopping
from activepu.audit.strata import Strata, stratify
from activepu.audit.targets import Target
from activepu.errors import InvalidInput
from activepu.experts import SKIP
from activepu.hypotheses import Classifiers
from activepu.learners.base import FOUND, GIVEN, Learner
from activepu.pools import Draws, Pool, Source
from activepu.pools.known import listed, row_numbers
from activepu.records import AGAIN, OVERLAP, Ask, Question, Report, Steps, StopReason

PER_EXPERT = "per expert"

FOUND_SO_FAR = "found"
"""In place of a classifier: what was confirmed so far."""


class Audit(Learner):
    """Certify how good a classifier is, on data where no rule is known to be right.

    The classifier is fixed beforehand. Items are drawn *by lot* within bands of its score, and shown to the expert. The
    answers give bounds on recall, error, precision and the share of positives, which hold at every moment of the run.
    Nothing is assumed about the classifier or about what makes an item positive. Recall needs no knowledge of the
    reveal rate ω; the others need some, by `rate`, `gold` or `purity`.

    Parameters
    ----------
    classifier : classifier, Result, callable, array of bool or str
        What is audited: a fitted scikit-learn classifier, the result of an earlier run, a function of the features, one
        prediction per row, or the name of a column with predictions. A classifier that was fitted on columns with names
        is given the columns of these names. It must not have seen the answers to come. Or "found": what was confirmed
        so far, to know when to stop; it takes `recall`, `delta`, `score` and `bands`.
    recall, precision, error : float, optional
        Targets: at least this recall or precision, at most this error. The run ends when all are certified; without
        targets it goes on to its budget. A single target is bet on, which needs the fewest questions.
    delta : float
        The probability with which the statements may be wrong.
    rate : float, (float, float) or "per expert", optional
        The reveal rate ω or a range of it, where it is known. By default it is unknown, and the same for all experts.
        With "per expert" each of up to four experts has a rate of their own. Up to a fifth of the questions then shows
        an expert, like any other item, what another one revealed, which tells their rates. Nobody is asked about an
        item twice, and no question says what it is for.
    gold : sequence of int, bool or str
        Known positives: row numbers, a mask over all rows, or keys of the pool's id column. They are asked blind among
        the others, and tell the rate; with a rate per expert each is asked of every expert.
    purity : float, optional
        At least this share of the band with the highest scores is positive.
    score : str, array or callable, optional
        What makes the bands: a column, one number per row, or a function of the features; higher is more likely
        positive. By default the classifier's probability or decision function, if it has one. A fitted classifier is
        such a function, too. For "found" it ranks the items, and may also be the result of an earlier run, whose
        questions and answers then count, or a classifier that is not fitted, which is then fitted on the answers as
        they come. A fitted one is never fitted again: pass `sklearn.base.clone` of it to let it learn.
    bands : int or sequence of float, optional
        How many bands, or the scores at which a new band begins. By default two where the classifier says yes and three
        where it says no, and a single one for "found".
    groups : str or array, optional
        A column, or one value per row, that divides every band. Each of its values has its own statements, which hold
        together with those about all items.

    Raises
    ------
    InvalidInput
        If the classifier or the score does not fit the pool, or a setting is out of range.

    See Also
    --------
    ZCal : Learns a rule and certifies it, if the truth is in its class.
    ModelLearner : Learns a model, which can be audited afterwards.

    References
    ----------
    Ville, *Étude critique de la notion de collectif*, 1939. Waudby-Smith and Ramdas, "Estimating means of bounded
    random variables by betting", 2024. Spertus, Sridhar and Stark, "Sequential stratified inference for the mean",
    2024.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> rng = np.random.default_rng(0)
    >>> score = rng.random(2_000)
    >>> truth = rng.random(2_000) < score**3                      # no cut of the score is right
    >>> audit = apu.Audit(score > 0.5, score=score, recall=0.7)
    >>> result = apu.learn(audit, score, apu.SimulatedExpert(truth, rate=0.6), batch=10)
    >>> bool(result.recall.low >= 0.7), bool(truth[score > 0.5].sum() >= 0.7 * truth.sum())
    (True, True)
    >>> result.stop_reason
    'Every target is certified.'

    May we stop? Of all that the expert would confirm, at least 90% is in hand:

    >>> result = apu.learn(apu.Audit("found", recall=0.9, score=score), score, apu.SimulatedExpert(truth, rate=0.6))
    >>> bool(result.recall.low >= 0.9), result.n_queries < 2_000, len(result.found) == result.n_revealed
    (True, True, True)
    """

    rests_on_chance = True
    engine = "auto"
    """"set" never bets, even on a single target; for comparisons."""
    when_dry = "Every item was asked, or looks the same to the expert as one that was."

    def __init__(
        self,
        classifier: Any,
        *,
        recall: float | None = None,
        error: float | None = None,
        precision: float | None = None,
        delta: float = 0.05,
        rate: float | tuple[float, float] | str | None = None,
        gold: Sequence[int] | Sequence[str] | NDArray[Any] = (),
        purity: float | None = None,
        score: Any = None,
        bands: int | Sequence[float] | None = None,
        groups: Any = None,
    ) -> None:
        self.hypotheses = Classifiers()
        self.classifier, self.score, self.bands, self.groups = classifier, score, checked_bands(bands), groups
        self.recall = None if recall is None else share("recall", recall)
        self.error = None if error is None else share("error", error)
        self.precision = None if precision is None else share("precision", precision)
        self.delta = checks.delta("delta", delta)
        self.epsilon = 1.0 if self.error is None else self.error
        self.rate = rate
        self._given_gold = listed("gold", gold)
        self.gold = np.flatnonzero(self._given_gold) if self._given_gold.dtype == bool else self._given_gold
        self.purity = None if purity is None else share("purity", purity)
        self.of_found = isinstance(classifier, str) and classifier == FOUND_SO_FAR
        self.in_any_way, self.rests_on_chance = self.of_found, not self.of_found
        self.hears_timeouts = self.of_found
        if self.of_found:
            self.in_time = ""
            others = {"error": error, "precision": precision, "rate": rate, "purity": purity, "groups": groups}
            refuse(name for name, value in others.items() if value is not None)
            refuse(["gold"] if len(self.gold) else [])
        self._per_expert = isinstance(rate, str) and rate == PER_EXPERT
        self._low, self._high = (0.0, 1.0) if self._per_expert else rate_range(rate)
        if not self.of_found:  # whose bounds hold whatever an item without an answer is
            self.in_time = CONFIRMED_IN_TIME + RATE_IN_TIME * (self._low > 0)

    @property
    def targets(self) -> list[Target]:
        """The targets that were given."""
        given = {"recall": self.recall, "error": self.error, "precision": self.precision}
        return [Target(kind, value) for kind, value in given.items() if value is not None]

    @property
    def rates(self) -> tuple[float, float]:
        """The lowest and the highest reveal rate that are possible, as far as it was given."""
        return self._low, self._high

    def pool(self, table: Any) -> Source:
        """A pool with columns of every kind: the classifier reads them as they are."""
        return Pool(table, raw=True)

    def check_pool(self, source: Source, draws: Draws) -> None:
        """Before the first question: refuses a classifier that is to learn and cannot read the pool."""
        super().check_pool(source, draws)
        if self.of_found and learns(self.score):
            Refitted(self.score, _pool(draws)).check()

    def steps(self, draws: Draws) -> Steps:
        """The algorithm at the head of the module; of what was found so far, that of `activepu.audit.found`."""
        if self.of_found:
            pool = _pool(draws)
            opinion = Refitted(self.score, pool) if learns(self.score) else None
            return found_steps(self, draws, ranking(self.score, pool, draws.seed), opinion)
        return self.steps_for(judge(self.classifier, self.score, _pool(draws)), draws)

    def steps_for(self, judged: Judged, draws: Draws) -> Steps:
        """Run the algorithm for a classifier that has judged the pool.

        Where what was found so far is audited, only its scores count, and what was asked and confirmed before.
        """
        if self.of_found:
            known = Ranking(judged.scores, judged.before, np.isin(judged.before, judged.confirmed))
            return (yield from found_steps(self, draws, known))
        strata = self.strata_of(judged, draws)
        knowledge = Knowledge(self._low, self._high, self.purity, len(self.gold), self._per_expert)
        predictions = Predictions(strata.means, (self._low,) if knowledge.known else RATES)
        state = self._state(strata, draws, predictions, self._cells(draws, judged, strata))
        stopping = Stopping(state, self.targets, self.delta)
        confirmed = {int(item): len(draws.twins(int(item))) for item in judged.confirmed}

        def look() -> Audited:
            return Audited(state.at_rest(), judged, predictions, self.delta, knowledge)

        def report() -> Report:
            known = stopping.found()
            audited = Audited(state, judged, predictions, self.delta, knowledge, *known, confirmed=confirmed)
            return self._report(audited, stopping.done, bool(draws.given_coins))

        while True:
            stopping.look(look)
            items = iter(()) if stopping.done else state.questions()
            question = yield Ask(items, report, done=stopping.done, recall=state.recall)
            if state.knows(question.item):
                state.fold(question)
            elif question.revealed:  # it was asked before the audit, and answered late
                confirmed[question.item] = len(draws.twins(question.item))

    def takes_as_silent(self, question: Question) -> bool:
        """Return whether a timeout is a *can't tell*: what is confirmed is then what is confirmed in time."""
        return not self.of_found

    def with_deadlines(self, rate_in_time: bool = False) -> Self:
        """Return the audit for answers before a deadline: of the positives, fewer are confirmed in time than at all.

        They are also fewer than the share of *yes* among the answers in time, because the others count as silent.
        """
        if self.of_found or self._low == 0:
            return self
        again = copy(self)
        again._low, again.in_time = 0.0, CONFIRMED_IN_TIME
        return again

    def check_put(self, questions: Sequence[Question]) -> None:
        """Refuse a question of the caller's own choice: every one is drawn by lot, unless what was found is audited."""
        if not self.in_any_way:
            raise InvalidInput(
                f"{self.title} draws every question by lot, and one of your own choice would bias it; take its "
                "questions from ask()."
            )

    def check_undo(self, question: Question, questions: Sequence[Question]) -> None:
        """Refuse to take an answer back on which the plan of a later question rests.

        None does for what was found so far: there the questions may be chosen in any way.
        """
        if self.of_found:
            return
        if question.note.phase in AGAIN:
            return  # no plan rests on it
        again = (q for q in questions if q.note.phase == OVERLAP and q.item == question.item and q.answer is not SKIP)
        if (rests := next(again, None)) is not None:
            raise InvalidInput(
                f"The answer to question {question.number} cannot be taken back: because it was a reveal, its item was "
                f"put to {rests.expert!r} as question {rests.number}; take that one back and skip it first."
            )
        drawn = list(dict.fromkeys(q.item for q in questions if q.note.phase == "lot"))
        firm = planned_from(len(drawn))
        if question.item in drawn[:firm]:
            raise InvalidInput(
                f"The answer to question {question.number} cannot be taken back: where later questions were drawn "
                f"rests on it. Only the last {len(drawn) - firm} answers of the lot can be."
            )

    def strata(self, draws: Draws) -> tuple[Judged, Strata]:
        """Return what the classifier says, and the strata that follow from it; both before the first question."""
        judged = judge(self.classifier, self.score, _pool(draws))
        return judged, self.strata_of(judged, draws)

    def check(self, draws: Draws) -> None:
        """Refuse a classifier, a score or bands that do not fit the pool; before the first question."""
        if self.of_found:
            next(self.steps(draws))
        else:
            self.strata(draws)

    def forewarning(self, draws: Draws) -> str:
        """Say which targets need more than is known about the rate, which need nothing, and what rows alike cost."""
        if self.of_found:
            return ""
        rated = self._per_expert or self.rate is not None or len(self.gold) > 0 or self.purity is not None
        return forewarning(self.targets, lambda: self.strata(draws), _pool(draws).coins, self.delta, rated)

    def check_settings(self, draws: Draws) -> None:
        """Refuse gold, groups or a score that do not fit the pool."""
        pool = _pool(draws)
        self.gold_rows(draws)
        read_groups(self.groups, pool)
        if self.score is not None:
            numbers(self.score, pool)

    def strata_of(self, judged: Judged, draws: Draws) -> Strata:
        """Return the strata that follow from what a classifier says."""
        pool = _pool(draws)
        audited = np.ones(len(pool), bool)
        known = np.array(sorted(draws.given_coins), np.int64)
        gold = pool.coins[self.gold_rows(draws)]
        if (again := np.isin(gold, pool.coins[judged.asked])).any():
            raise InvalidInput(
                f"Item {self.gold_rows(draws)[again][0]} is gold, but it was asked before, while the classifier "
                "learned; what was said then would only be said again. Take gold that nobody was asked about."
            )
        for coins in (known, gold, pool.coins[judged.before]):
            audited &= ~np.isin(pool.coins, coins)
        groups = read_groups(self.groups, pool)
        return stratify(
            judged.predictions, judged.scores, judged.probabilities, pool.coins, audited, self.bands, groups
        )

    def gold_rows(self, draws: Draws) -> NDArray[np.int64]:
        """Return the rows that are gold; refuse those that are not in the pool or that cannot be asked."""
        pool = _pool(draws)
        gold = row_numbers("gold", self._given_gold, pool)
        coins = pool.coins[gold]
        if len(np.unique(coins)) < len(coins):
            raise InvalidInput("Two gold items are the same row, or look the same to the expert; name each once.")
        if (given := np.isin(coins, sorted(draws.given_coins))).any():
            raise InvalidInput(
                f"Item {gold[given][0]} is both gold, which is asked, and among the given positives, which never "
                "are; leave it out of one of the two."
            )
        return gold

    def _cells(self, draws: Draws, judged: Judged, strata: Strata) -> Cells:
        """Return the cells in which the rates of known positives are compared."""
        assert isinstance(draws.source, Pool)
        return Cells(read_groups(self.groups, draws.source), judged.scores, strata.borders)

    def _state(self, strata: Strata, draws: Draws, predictions: Predictions, cells: Cells) -> State:
        targets, bet = self.targets, None
        for target in targets:
            if target.kind != "error" and not strata.called:
                raise InvalidInput(
                    f"The classifier calls none of these {strata.rows:,} items positive, so that no {target.kind} can "
                    "be certified; audit its error, or another cut."
                )
            pure = self.purity is not None
            if self._per_expert and target.kind != "recall":
                continue  # how many items two experts will be asked, which tells their rates, is not known yet
            reachable.check(target, strata, self._low, self._high, len(self.gold), pure, self.delta)
        reachable.check_groups(strata, self._low, self._high, self.delta)
        known = self._low if self._low == self._high else None
        plain = (strata.weights == 1).all() and not len(self.gold) and self.purity is None and self.groups is None
        plain = plain and not self._per_expert
        fits = len(targets) == 1 and plain and (targets[0].kind == "recall" or self.rate is not None)
        if fits and self.engine != "set":
            c, limit = targets[0].coefficients(strata), targets[0].limit(strata)
            rates = (0.0, 1.0) if targets[0].kind == "recall" else (self._low, self._high)  # recall is of rung 1
            bet = Bet(c, strata.sizes.astype(np.float64), limit, rates)
        asking = (lambda: draws.asking) if self._per_expert else None
        return State(strata, draws.seed, targets, predictions, known, self.gold_rows(draws), bet, cells, asking)

    def _report(self, audited: Audited, done: bool, given: bool) -> Report:
        findings = audited.findings()
        for assumption in (GIVEN, FOUND) if given else ():
            findings = findings.given(assumption)
        bounds = {s.what: as_bounds(s) for s in findings.statements.about()}
        experts = audited.state.answers.experts
        return Report(
            None,
            audited.judged.rule,
            certificate(findings.statements, self.targets, audited),
            StopReason.CERTIFIED if done else StopReason.RUNNING,
            rate=bounds.get("rate"),
            prior=bounds["prior"],
            rates={expert: bounds[rate_of(expert)] for expert in experts} if self._per_expert else None,
            findings=findings,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings in plain values, for JSON."""
        settings = {k: v for k, v in vars(self).items() if isinstance(v, (int, float, str, type(None))) and k[0] != "_"}
        return {"learner": type(self).__name__, "hypotheses": self.hypotheses.to_dict(), **settings}

    def __repr__(self) -> str:
        given = {"delta": self.delta, "rate": self.rate, **{t.kind: t.value for t in self.targets}}
        return f"Audit({checks.brief(self.classifier)}, {', '.join(f'{k}={v!r}' for k, v in given.items())})"


def _pool(draws: Draws) -> Pool:
    if not isinstance(draws.source, Pool):
        raise InvalidInput(
            "An audit speaks of the items of a table, and a Sampler has none; draw some: Pool(draw(n, rng))."
        )
    return draws.source
