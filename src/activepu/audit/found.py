"""`Audit("found")`: may we stop? How much of all that this expert would confirm is in hand.

fix the bands of the items that were not asked before
loop: read the likeliest item, or draw one by lot (`depth` says which is cheaper), and ask
      a draw by lot is evidence about how many confirmable items are hidden (`hidden`); any other answer is not
      stop when what is in hand is the target's share of all that the expert would confirm

With F items found before, r revealed since and S confirmable ones among those not asked before, the recall in hand is
(F + r)/(F + S). Nothing is assumed about which items are confirmed (rung 0): no equal rates, no model, no ranking.
Questions of the caller's own choice are welcome at any time; they are counted, and are no evidence.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks, hashing
from activepu.audit.classifiers import OTHER_ROWS, asked_before, numbers, supposed_of
from activepu.audit.depth import floor
from activepu.audit.refitted import Refitted, learns
from activepu.audit.rest import Rest
from activepu.audit.sentence import unshown
from activepu.audit.strata import LISTED, Strata, nothing, stratify
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.experts import TIMEOUT
from activepu.findings import Findings, Statement, Statements, percent
from activepu.hypotheses import AuditedClassifier
from activepu.learners.base import GIVEN
from activepu.pools import Draws, Pool
from activepu.records import Ask, Question, Report, Steps, StopReason
from activepu.result import Result

if TYPE_CHECKING:
    from activepu.audit.learner import Audit

FIXED = "what this expert would say about an item does not depend on when it is asked, or after which others"
UNASSUMED = "Nothing is assumed about what makes an item positive, or about the ranking."

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Ranking:
    """What is known before the first question: how likely each row is, and what was asked before.

    Attributes
    ----------
    scores : array or None
        One number per row of the pool: the larger, the likelier. None if nothing is known.
    asked : array of int
        Rows that were asked and answered before.
    answers : array of bool
        Whether each of these was revealed.
    column : str or None
        The column that the scores are, if they are one.
    """

    scores: Floats | None
    asked: Ints
    answers: Bools
    column: str | None = None
    supposed: tuple[str, ...] = ()
    """What is assumed about the items of an earlier run, where nothing shows it."""


def ranking(score: Any, pool: Pool, seed: int) -> Ranking:
    """Return the ranking that a score gives: a column, numbers, a function, or the result of an earlier run.

    A classifier that is still to be fitted has no opinion yet: it starts with a random order. One that is fitted ranks
    as it is.
    """
    if learns(score):
        start = hashing.uniforms(seed, "start", np.arange(len(pool)))
        return Ranking(start, np.empty(0, np.int64), np.empty(0, bool))
    if isinstance(score, Result):
        return _earlier(score, pool)
    scores = None if score is None else numbers(score, pool)
    column = score if isinstance(score, str) else None
    return Ranking(scores, np.empty(0, np.int64), np.empty(0, bool), column)


def _earlier(result: Result, pool: Pool) -> Ranking:
    """Return what an earlier run says: its model's probabilities or its rule, and its questions and answers."""
    asked, answers = asked_before(result, pool)
    supposed = supposed_of(result, pool)
    if result.model is not None:
        return Ranking(result.predict_proba(pool.features())[:, 1], asked, answers, supposed=supposed)
    if isinstance(result.hypothesis, AuditedClassifier):  # an audit: it has no opinion of its own
        before = np.array(result.findings.evidence.get("asked_before", ()), np.int64)
        before = before[:0] if OTHER_ROWS in supposed else before
        known = np.isin(before, result.found) if len(before) else np.empty(0, bool)
        return Ranking(None, np.concatenate([before, asked]), np.concatenate([known, answers]), supposed=supposed)
    return Ranking(np.asarray(result.predict(pool.features()), np.float64), asked, answers, supposed=supposed)


def found_steps(audit: Audit, draws: Draws, known: Ranking, opinion: Refitted | None = None) -> Steps:
    """Run the algorithm at the head of the module.

    Parameters
    ----------
    audit : Audit
        Its `recall`, `delta` and `bands`.
    draws : Draws
        The draws of the run; the pool must be a `Pool`.
    known : Ranking
        How likely each row is, and what was asked and answered before. Questions that are still open are left out of
        it: their answers are sent later.
    opinion : Refitted, optional
        A model that learns: `opinion(items, answers)` is called after every answer with all of the run so far, and
        returns one number per row, or None if nothing changes.
    """
    found = Found(audit, draws, known, opinion)
    while True:
        items = iter(()) if found.done else found.rest.questions(found.in_hand, audit.recall)
        question = yield Ask(items, found.report, done=found.done, recall=found.rest.recall)
        if question.answer is TIMEOUT:
            found.time_out(question)
            continue
        found.fold(question)
        if opinion is not None and not found.done:
            asked, said = [*known.asked.tolist(), *found.rest.asked], [*known.answers.tolist(), *found.rest.said]
            if (scores := opinion(asked, said)) is not None:
                found.rest.rank(scores)


class Found:
    """What is in hand, and what that is of all that the expert would confirm."""

    def __init__(self, audit: Audit, draws: Draws, known: Ranking, opinion: Refitted | None = None) -> None:
        pool = draws.source
        assert isinstance(pool, Pool)
        self._audit, self._known, self._coins, self._opinion = audit, known, pool.coins, opinion
        self._given = np.array(sorted(draws.given_coins), np.int64)
        asked = pool.coins[known.asked]
        self._before = np.isin(pool.coins, np.concatenate([self._given, asked[known.answers]]))
        self._audited = audited = ~np.isin(pool.coins, np.concatenate([self._given, asked]))
        self._late = 0
        """How many rows came to be in hand by a yes that was too late, and still count as not read."""
        strata = _strata(pool, audited, known.scores, audit.bands)
        self.rest = Rest(strata, pool.coins, known.scores, draws.seed, audit.delta)
        self._experts: set[Hashable] = set()

    def fold(self, question: Question) -> None:
        """Take in an answer."""
        self._experts.add(question.expert)
        self.rest.fold(question, self.misses)

    def time_out(self, question: Question) -> None:
        """Take in a yes that came too late: its rows are in hand. For the rest the item is one that was skipped."""
        if question.late:
            rows = self._coins == self._coins[question.item]
            self._late += int((rows & self._audited & ~self._before).sum())
            self._before |= rows

    @property
    def in_hand(self) -> int:
        """How many rows are in hand."""
        return int(self._before.sum()) + self.rest.revealed

    @property
    def recall(self) -> tuple[float, float]:
        """Bounds on the share of all confirmable rows that is in hand; none if the answers are of several experts.

        What another expert would have said about an item nobody knows, so there is no such thing as all that they would
        confirm.
        """
        if len(self._experts) > 1:
            return 0.0, 1.0
        least, most = self.rest.missing
        return _share(self.in_hand, most), _share(self.in_hand, max(0, least - self._late))

    @property
    def misses(self) -> float:
        """How many rows may be missing if the target is to hold for what is in hand."""
        wanted = self._audit.recall
        return math.inf if wanted is None else (1 - wanted) / wanted * self.in_hand

    @property
    def done(self) -> bool:
        """Whether the target is certified."""
        return self._audit.recall is not None and self.recall[0] >= self._audit.recall

    def report(self) -> Report:
        """Return what is certified now."""
        low, high = self.recall
        confidence, most = 1 - self._audit.delta, self.rest.missing[1]
        whose = (
            "were given as positive or that this expert would confirm"
            if len(self._given)
            else "this expert would confirm"
        )
        claim = (
            f"at least {percent(low)} of all items that {whose} are in hand: {self.in_hand:,} found, at most {most:,} "
            f"missing among the {self.rest.unread:,} not read"
        )
        assumed = (FIXED, *((GIVEN,) if len(self._given) else ()), *self._known.supposed)
        statement = Statement("recall", low, high, confidence, "0", assumed, remark=self._remark(most))
        claimed, several = statement.at_least is not None, len(self._experts) > 1
        missed = () if self.done or self._audit.recall is None else (unshown(self._audit.targets[0], statement),)
        return Report(
            None,
            AuditedClassifier(None, "what was confirmed"),
            Certificate(
                1.0,
                confidence,
                "pool",
                "exact",
                assumed,
                claim=claim if claimed else "",
                remarks=(UNASSUMED,) if claimed else (statement.remark,) if several else (),
                unshown=missed,
            ),
            StopReason.CERTIFIED if self.done else StopReason.RUNNING,
            findings=Findings(Statements([statement]), (), self._evidence()),
        )

    def _remark(self, most: int) -> str:
        if len(self._experts) > 1:
            return (
                f"{len(self._experts)} experts answered, and nobody knows what one of them would confirm among the "
                "items that another read; make a run for each expert."
            )
        given = "was given as positive or that " if len(self._given) else ""
        said = (
            f"Of all that {given}this expert has confirmed or would confirm if shown everything: {self.in_hand:,} are "
            f"in hand, at most {most:,} are missing. Of all positives it cannot be more than the share that this "
            "expert confirms."
        )
        skipped, by_lot = self.rest.skipped
        if skipped:
            items = "1 item was" if skipped == 1 else f"{skipped:,} items were"
            said += (
                f" {items} skipped ({by_lot:,} drawn by lot); the bounds hold whatever the answers would have been, "
                "and whatever the reason to skip."
            )
        if (self.rest.strata.weights > 1).any():
            said += " Rows that look the same share one answer, and each of them counts."
        if self._opinion is not None and self._opinion.failure:
            said += (
                f" The classifier could not be fitted to the last answers ({self._opinion.failure}), so that its "
                "ranking is an earlier one."
            )
        if self.done or self._audit.recall is None:
            return said
        misses = math.floor(self.misses + 1e-9)
        share = percent(floor(self._audit.delta, misses))
        return f"{said} With {misses:,} misses allowed, at least {share} of the rest must be drawn by lot."

    def _evidence(self) -> dict[str, object]:
        """Return what is needed to check the statement, in plain values."""
        rest, strata = self.rest, self.rest.strata
        return {
            "engine": "found",
            "seed": rest.seed,
            "delta": self._audit.delta,
            "recall": self._audit.recall,
            "sizes": strata.sizes.tolist(),
            "weights": strata.weights.astype(int).tolist(),
            "bands": strata.bands.tolist(),
            "borders": strata.borders.tolist(),
            "expected": rest.expected,
            "put": [list(each) for each in rest.put],
            "answers": [list(each) for each in zip(rest.asked, rest.said, strict=True)],
            "asked": [band.asked for band in rest.bands],
            "revealed": [band.revealed for band in rest.bands],
            "confirmable": list(rest.total),
            "moments": list(rest.moments),
            "before": int(self._before.sum()),
            "asked_before": self._known.asked.tolist(),
            "found": np.flatnonzero(self._before | np.isin(self._coins, rest.found)).tolist(),
            "missing": list(rest.missing),
            "column": self._known.column,
            "items": strata.packed if len(strata.items) > LISTED else strata.members,
            "digest": strata.digest,
        }


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 1.0


def _strata(pool: Pool, audited: Bools, scores: Floats | None, bands: Any) -> Strata:
    """Return the bands of the items without an answer: a single one, unless others are asked for.

    Where all draws are silent, a hidden item costs least in the band with the smallest share of draws. So bands do
    not save questions; reading the top of the ranking does, and needs no bands.
    """
    if bands is not None and scores is None:
        raise InvalidInput(f"bands = {bands!r} needs a score to make bands of; pass score=…, or leave bands out.")
    if bands is not None and scores is not None and not np.ndim(bands):
        parts = checks.count("bands", bands, minimum=1)
        bands = np.unique(np.quantile(scores[audited], np.arange(1, parts) / parts)) if audited.any() else None
    if not audited.any():
        return nothing()
    return stratify(np.zeros(len(pool), bool), None if bands is None else scores, None, pool.coins, audited, bands)
