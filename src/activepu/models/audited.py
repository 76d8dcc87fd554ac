"""Learn, then audit: the model is fixed, and an audit certifies how good it is on the items that were not asked yet.

    learn until the model has settled, or `questions` answers are in; fix the model
    when the first question of the lot is drawn:
        U = the rows that no question was put about, nor about one that looks the same; fix the bands of U
    audit U by lot (`activepu.audit`)

Why the audit stays valid although the model and the bands depend on answers: given all labels, all coins and the order
in which the answers came, U and its bands are fixed, and the lot orders the items of each band uniformly at random,
whatever they are. And the coins of U have not been tossed, so that they are independent of everything before.

A question of the learning that is still open when the audit begins is left out of U. Its answer changes neither the
model nor the bands: a reveal is counted as confirmed, and that is all. U is fixed with the first draw, and not when the
model is, so that it follows from the recorded questions alone: all of the learning come before all of the lot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from activepu.audit import Audit
from activepu.audit.classifiers import Judged, numbers
from activepu.errors import InvalidInput
from activepu.experts import TIMEOUT
from activepu.hypotheses import AuditedClassifier
from activepu.models.state import ModelState
from activepu.pools import Pool
from activepu.records import RECORDED, Ask, Note, Question, Report, Steps, StopReason

LEARNING = ("model", RECORDED)
"""The phases of the questions that the model may learn from."""
WHY = {
    StopReason.SETTLED: "until it had settled",
    StopReason.DRIED_UP: "until it expected no further positive",
    None: "the most that were meant for learning",
}
"""Why the learning ended, in words."""


def silent_in(audit: Audit, question: Question) -> bool:
    """Return whether a question that was not answered in time counts as a *can't tell* of the audit."""
    return question.note.phase not in LEARNING and audit.takes_as_silent(question)


def audited_steps(audit: Audit, state: ModelState, reason: StopReason | None, learned: Report) -> Steps:
    """Audit the model of this moment; `learned` is what is reported until the first question of the lot.

    `reason` says why the learning ended; None if only because enough was asked.
    """
    after = _Handover(audit, state, reason, learned)
    while True:
        question = yield after.now()
        after.fold(question)


class _Handover:
    """A run whose model is fixed: the audit, once it has begun."""

    def __init__(self, audit: Audit, state: ModelState, reason: StopReason | None, learned: Report) -> None:
        self._audit, self._state, self._reason, self._learned = audit, state, reason, learned
        self._rule = state.rule()
        unanswered = [*state.timed_out, *state.waiting]
        self._open = [Question(-1, item, None, Note(LEARNING[0], -1)) for item in unanswered]
        self._early: list[Question] = []
        self._late = self._told = self._rows = 0
        self._own: set[int] = set()  # questions of the caller's own choice since the audit began
        self._refused = False
        self._steps: Steps | None = None
        self._ask: Ask | None = None

    def now(self) -> Ask:
        """What to ask, and what is known."""
        if self._ask is not None:
            return replace(self._ask, report=self.report, recall=self._recall)
        return Ask(self._first(), self.report, done=self._refused, recall=self._recall)

    def _first(self) -> Iterator[tuple[int, Note]]:
        """The questions of the lot, which begins with the first of them."""
        if self._begin() and self._ask is not None:
            yield from self._ask.items

    def _begin(self) -> bool:
        """Fix the bands, if this was not done yet; return whether there is an audit."""
        if self._ask is None and not self._refused:
            self._steps = self._audit.steps_for(self._judged(), self._state.draws)
            try:
                self._ask = next(self._steps)
                self._catch_up()
            except InvalidInput as error:  # the answers are too good to lose
                why = f"{self._reason or ''} The model was not audited: {error}".strip()
                self._learned, self._refused = replace(self._learned, stop_reason=why), True
        return self._ask is not None

    def _catch_up(self) -> None:
        """Tell the audit of the learning questions without an answer when the model was fixed, and what came since.

        Where what was found is audited, they are questions of the caller's own choice, like any others.
        """
        assert self._ask is not None
        assert self._steps is not None
        if self._audit.of_found and self._ask.recall is not None:
            for question in self._open:
                self._ask.recall(question)
        for question in self._early:
            self._ask = self._steps.send(question)

    def _judged(self) -> Judged:
        state, pool = self._state, self._state.draws.source
        assert isinstance(pool, Pool)
        answered = np.array(state.items, np.int64)
        self._rows = int((state.unanswered if self._audit.of_found else state.free).sum())
        with state.guarded():
            p = self._rule.predict_proba(pool.features())[:, 1]
        scores = p if self._audit.score is None else numbers(self._audit.score, pool)
        return Judged(
            AuditedClassifier(self._rule.predict, f"the model ({self._rule.description})", self._rule),
            p >= 0.5,
            scores,
            p,
            before=answered if self._audit.of_found else np.flatnonzero(~state.free),
            asked=np.array([*state.items, *(question.item for question in self._open)], np.int64),
            confirmed=answered[state.revealed],
            in_run=True,
        )

    def _recall(self, question: Question) -> None:
        """Note a question that was put before or elsewhere."""
        if question.note.phase not in LEARNING:
            if not self._begin():
                raise InvalidInput(self._learned.stop_reason)
            assert self._ask is not None
            assert self._ask.recall is not None
            self._ask.recall(question)
        elif self._ask is None:
            self._state.put(question.item)
            self._open.append(question)
        elif self._audit.of_found and self._ask.recall is not None:
            self._own.add(question.number)
            self._ask.recall(question)

    def fold(self, question: Question) -> None:
        """Take in an answer: of the lot, or a late one to a question of the learning."""
        if question.answer is TIMEOUT and not silent_in(self._audit, question):
            return  # it is no evidence, and the model is fixed
        late = question.note.phase in LEARNING and question.number not in self._own
        self._late, self._told = self._late + late, self._told + (not late)
        if self._ask is not None and self._steps is not None:
            self._ask = self._steps.send(question)
        else:
            self._early.append(question)

    def report(self) -> Report:
        """What the audit states, with the model and how the questions were split; before it begins, what is learned."""
        if self._ask is None:
            return self._learned
        report = self._ask.report()
        assert report.findings is not None
        n, r = len(self._state), sum(self._state.revealed)
        told = f"{self._told:,} questions by lot audit it, on the {self._rows:,} items that were not asked before."
        if self._audit.of_found:
            told = f"{self._told:,} further questions are about the {self._rows:,} items without an answer then."
        split = (
            f"The model learned from {n:,} answers ({r:,} revealed), {WHY[self._reason]}, and was then fixed. {told}"
        )
        if self._late:
            split += f" {self._late:,} answers to earlier questions came later and did not change the model."
        learned = self._learned.estimates
        return replace(report, model=self._rule, estimates=learned, findings=replace(report.findings, split=split))
