"""`Run`, the ask/tell driver of any learner.

Answers may be told in any order; they are folded into the learner in the order of *asking*. Folding them as they arrive
would be false whenever a "yes" takes longer than a "can't tell".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.experts import SKIP
from activepu.learners import Learner
from activepu.learners.base import Questions
from activepu.pools import Pool, Source
from activepu.pools.frames import row_of
from activepu.records import RECORDED, Answer, Ask, Note, Question, Report, StopReason
from activepu.result import Result
from activepu.run import moves
from activepu.run.late import to_the_last

MOST_REPEATS = 100_000
"""Rows in a row that look like one that was asked, after which an endless pool is taken to have no others."""


class Run:
    """One run of a learner over a pool.

    Invariant: the learner has been sent exactly the answered, unskipped questions before the first open one.
    """

    def __init__(self, learner: Learner, pool: Source | Any, positives: Any = (), seed: int = 0) -> None:
        if not isinstance(learner, Learner):
            wrap = f"pass ModelLearner({type(learner).__name__}(…))" if hasattr(learner, "fit") else ""
            raise InvalidInput(
                f"The learner must be an object such as ZCal(Boxes(), 0.05, 0.05), got {checks.brief(learner)}; "
                f"{wrap or 'the order is learn(learner, pool, expert)'}."
            )
        self.learner = learner
        self.source: Source = pool if isinstance(pool, Source) else learner.pool(pool)
        self.seed = checks.count("seed", seed)
        self.positives = () if positives is None else positives if np.ndim(positives) else [positives]
        self._ids = self.source.ids if isinstance(self.source, Pool) else None
        self.questions: list[Question] = []
        self.n_answered = 0
        """Questions with an answer that is not a skip."""
        self._start()
        self.learner.check(self.source, self._draws)
        self._advance(None)

    def _start(self) -> None:
        """A fresh way through the pool and a fresh learner, before its first step."""
        self._draws = self.source.draws(self.learner.hypotheses, self.seed, self.positives)
        self._steps = to_the_last(self.learner.steps(self._draws), self._draws)
        self._now: Ask | None = None
        self._dry = False
        self._last: Report | None = None
        self._failure: Exception | None = None
        self._folded = 0
        self._revealed = 0
        self.history: dict[str, list[Any]] = {
            name: [] for name in ("step", "item", "phase", "answer", "undecided", "u", "b")
        }
        self._asked = set(self._draws.given_coins)

    @property
    def finished(self) -> bool:
        """Whether the learner is done, or nothing is left to ask; late answers are taken in all the same."""
        return self._dry or (self._now is not None and self._now.done)

    @property
    def failure(self) -> Exception | None:
        """Why the answers so far cannot be; every call but undo raises it."""
        return self._failure

    @property
    def open(self) -> list[Question]:
        """The questions that wait for an answer, the oldest first: later answers count only once it is told."""
        return [question for question in self.questions if question.answer is None]

    def ask(self, n: int = 1, expert: Hashable = None) -> list[Question]:
        """Up to n new questions for one expert; fewer, or none, when the pool ends or open answers are needed first."""
        checks.count("n", n, minimum=1)
        self._refuse_if_failed()
        self._draws.asking = expert
        put: list[Question] = []
        repeated = 0
        while len(put) < n and not self.finished and repeated < MOST_REPEATS:
            assert self._now is not None
            found = next(self._now.items, None)
            candidate = self._skipped(self._now.items) if found is None else found
            if candidate is None:
                break
            item, note = candidate
            coin = self._draws.coin(item)
            repeated = repeated + 1 if coin in self._asked else 0
            if not repeated:
                self._asked.add(coin)
                put.append(Question(len(self.questions), item, None, note, expert=expert))
                self.questions.append(put[-1])
                if found is None:
                    self._note(put[-1])
        if put:
            rows = self._draws.rows([question.item for question in put])
            for k, question in enumerate(put):
                question.row = row_of(rows, k)
                question.id = self.id_of(question.item)
        else:
            self.dry()
        return put

    def dry(self, drawn: int = 0) -> None:
        """Nothing was found to ask, and rows up to `drawn` are gone: the end, if no answer is open."""
        self._draws.advance(drawn - 1)
        if not self.finished and not self.open:
            self._refuse_if_failed()
            self._dry = True

    def _skipped(self, items: Iterator[tuple[int, Note]]) -> tuple[int, Note] | None:
        back = (q for q in self.questions if q.answer is SKIP and self._draws.coin(q.item) not in self._asked)
        return next(moves.asked_again(back, items), None)

    def tell(self, question: Question, answer: bool | Answer) -> None:
        """Takes one answer: True (revealed), False (★) or SKIP. The same answer twice counts once.

        Where the answers contradict each other it raises, as everything after it does, until `undo` takes one back.
        """
        self._check_mine(question)
        if (told := moves.checked_answer(question, answer)) is not None:
            question.answer = told
            if told is SKIP:
                self._asked.discard(self._draws.coin(question.item))
            else:
                self.n_answered += 1
        self._refuse_if_failed()
        self._fold()

    def record(self, item: int, answer: bool) -> Question:
        """Takes an answer that was collected elsewhere, as if the question had been put here."""
        told = moves.checked(answer)
        question = self.put(item)
        self.tell(question, told)
        return question

    def put(self, item: int, expert: Hashable = None) -> Question:
        """Puts a question of the caller's own choice, made without looking at its answer.

        The prediction that Z-CAL needs is the share of reveals so far, (r + ½)/(n + 1).
        """
        self._refuse_if_failed()
        if self._ids is not None:
            checks.item(item, len(self._ids))
        if self._draws.coin(item) in self._asked:
            raise InvalidInput(f"Item {item} was asked already, or looks the same to the expert as one that was.")
        note = Note(RECORDED, -1, (self._revealed + 0.5) / (self._folded + 1))
        return self.recall(item, note, expert)

    def recall(self, item: int, note: Note, expert: Hashable = None, drawn: int = 0) -> Question:
        """Takes in a question that was put before, as it was recorded: nothing is chosen."""
        question = Question(len(self.questions), item, None, note, id=self.id_of(item), expert=expert)
        if self._now is not None and not self.finished and isinstance(self._now.items, Questions):
            self._now.items.check(question)
        self.questions.append(question)
        self._asked.add(self._draws.coin(item))
        self._note(question)
        self._draws.advance(max(note.position, drawn - 1))
        return question

    def _note(self, question: Question) -> None:
        """The learner notes what it would have noted if it had put the question itself."""
        if question.note.phase == RECORDED:
            self._draws.set_aside(question.item)
        if self._now is not None and self._now.recall is not None:
            self._now.recall(question)

    @property
    def drawn(self) -> int:
        """How far into the row order questions were sought."""
        return self._draws.position

    def undo(self, question: Question) -> None:
        """Takes an answer or a skip back: the question is open again, later questions stay."""
        self._check_mine(question)
        self.check_undo(question)
        question.answer = None
        self.restore(self.questions)

    def check_undo(self, question: Question) -> None:
        """Refuses what `undo` would refuse."""
        coin = self._draws.coin(question.item)
        again = (q for q in self.questions[question.number + 1 :] if self._draws.coin(q.item) == coin)
        moves.check_undo(question, self.questions, self.learner, next(again, None))

    def restore(self, questions: list[Question]) -> None:
        """Starts anew from questions that were put before and the answers that they have."""
        self.questions = questions
        self.n_answered = sum(isinstance(question.answer, bool) for question in questions)
        self._start()
        self._advance(None)  # before the rows of the questions count as drawn: its first samples are the same again
        for put in questions:
            self._draws.advance(put.note.position)
            if put.answer is not SKIP:
                self._asked.add(self._draws.coin(put.item))
        for put in questions:  # a learner hears of a question in the phase in which it was put
            self._note(put)
            self._fold(put.number + 1)

    def result(self) -> Result:
        """What is known now; as valid in the middle of a run as at its end."""
        report = self.result_report()
        waiting = sum(question.answer is not None for question in self.questions[self._folded :])
        if waiting:
            wait = f"{waiting} answer(s) wait for the answer to question {self.open[0].number}, which was asked before."
            report = replace(report, stop_reason=f"{report.stop_reason} {wait}")
        return Result(report, {name: list(column) for name, column in self.history.items()}, self.source)

    def result_report(self) -> Report:
        """The learner's report at this moment."""
        self._refuse_if_failed()
        report = self._last
        if report is None:
            assert self._now is not None
            report = self._now.report()
            if self._dry and report.stop_reason == StopReason.RUNNING:
                report = replace(report, stop_reason=f"{StopReason.NO_CANDIDATES} {self.learner.when_dry}")
            self._last = report if self.finished else None  # until the next answer
        return moves.with_assumptions(report, self.questions, self.learner)

    def id_of(self, item: int) -> Any:
        """The user's own key of an item."""
        return item if self._ids is None else self._ids[item]

    def coin(self, item: int) -> int:
        """The number of the coin that answers for this item: rows that look the same to the expert share one."""
        return self._draws.coin(item)

    def __repr__(self) -> str:
        return f"<Run of {type(self.learner).__name__}: {self.progress_line()}>"

    def progress_line(self) -> str:
        """Where the run is, in one line."""
        undecided = self.history["undecided"][-1] if self.history["undecided"] else None
        phase = self.history["phase"][-1] if self.history["phase"] else "starting"
        mass = "" if undecided is None else f", {100 * undecided:.1f}% undecided"
        return f"{self.n_answered:,} questions, {self._revealed:,} revealed{mass} ({phase})"

    def _check_mine(self, question: Question) -> None:
        number = question.number if isinstance(question, Question) else -1
        if not 0 <= number < len(self.questions) or self.questions[number] is not question:
            named = f"this question {number}" if isinstance(question, Question) else checks.brief(question)
            raise InvalidInput(f"This run never asked {named}; answer the questions that its own ask() returned.")

    def _refuse_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _fold(self, before: int | None = None) -> None:
        """Sends every answer before the first open question to the learner, or before that of this number."""
        end = len(self.questions) if before is None else before
        while self._folded < end and self.questions[self._folded].answer is not None:
            question = self.questions[self._folded]
            self._folded += 1
            if question.answer is SKIP:
                continue
            self._advance(question)
            assert self._now is not None
            record = {
                "step": len(self.history["step"]) + 1,
                "item": question.item,
                "phase": question.note.phase,
                "answer": int(question.revealed),
                **asdict(self._now.gauges),
            }
            self._revealed += question.revealed
            for name, value in record.items():
                self.history[name].append(value)

    def _advance(self, question: Question | None) -> None:
        """One step of the learner."""
        self._last = None
        try:
            self._now = next(self._steps) if question is None else self._steps.send(question)
        except Exception as failure:
            self._failure = failure
            raise
