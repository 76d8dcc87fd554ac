"""`Run`, the ask/tell driver of any learner, and `learn`, the loop around it.

Answers may be told in any order; they are folded into the learner in the order of *asking*. Folding them as they arrive
would be false whenever a "yes" takes longer than a "can't tell".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput, PoolExhausted
from activepu.experts import Expert, checked_answers
from activepu.hypotheses import HypothesisClass
from activepu.learners import Learner, RevealRate
from activepu.pools import Pool, Source
from activepu.records import SKIP, Answer, Ask, Bounds, Note, Question, Report, Steps, StopReason
from activepu.result import Result

MOST_SKIPS = 1000
"""Skips in a row after which `learn` gives up on an expert."""


class Run:
    """One run of a learner over a pool.

    Invariant: the learner has been sent exactly the answered, unskipped questions before the first open one.
    """

    def __init__(self, learner: Learner, pool: Source | Any, positives: Any = (), seed: int = 0) -> None:
        self.learner = learner
        self.source: Source = pool if isinstance(pool, Source) else Pool(pool)
        self.seed = checks.count("seed", seed)
        self.positives = positives
        self.questions: list[Question] = []
        self.n_answered = 0
        """Questions with an answer that is not a skip."""
        self._start()
        self.learner.check(self.source, self._draws)
        self._advance(None)

    def _start(self) -> None:
        """A fresh way through the pool and a fresh learner, before its first step."""
        self._draws = self.source.draws(self.learner.hypotheses, self.seed, self.positives)
        self._steps: Steps = self.learner.steps(self._draws)
        self._now: Ask | None = None
        self._final: Report | None = None
        self._failure: Exception | None = None
        self._folded = 0
        self._revealed = 0
        self._returned: deque[tuple[int, Note]] = deque()
        self.history: dict[str, list[Any]] = {
            name: [] for name in ("step", "item", "phase", "answer", "undecided", "u", "b")
        }
        known = self.positives if isinstance(self.source, Pool) else ()
        self._asked = {self._draws.coin(int(item)) for item in known}

    @property
    def finished(self) -> bool:
        """Whether the learner has returned, or nothing is left to ask."""
        return self._final is not None

    def ask(self, n: int = 1) -> list[Question]:
        """Up to n new questions; fewer, or none, when the pool ends or open answers are needed first."""
        checks.count("n", n, minimum=1)
        self._refuse_if_failed()
        put: list[Question] = []
        while len(put) < n and self._final is None:
            candidate = self._next()
            if candidate is None:
                break
            item, note = candidate
            coin = self._draws.coin(item)
            if coin not in self._asked:
                self._asked.add(coin)
                put.append(Question(len(self.questions), item, None, note))
                self.questions.append(put[-1])
        if put:
            rows = self._draws.rows([question.item for question in put])
            for k, question in enumerate(put):
                question.row = _row(rows, k)
        elif self._final is None and all(question.answer is not None for question in self.questions):
            self._final = replace(self.result_report(), stop_reason=StopReason.NO_CANDIDATES)
        return put

    def _next(self) -> tuple[int, Note] | None:
        assert self._now is not None
        candidate = next(self._now.items, None)
        if candidate is None and self._returned:
            candidate = self._returned.popleft()
        return candidate

    def tell(self, question: Question, answer: bool | Answer) -> None:
        """Takes one answer: True (revealed), False (★) or SKIP. The same answer twice counts once.

        Where the answers contradict each other it raises, as everything after it does, until `undo` takes one back.
        """
        self._check_mine(question)
        self._refuse_if_failed()
        if isinstance(answer, np.bool_):
            answer = bool(answer)
        if not (isinstance(answer, bool) or answer is SKIP):
            raise InvalidInput(f"An answer is True (revealed), False (can't tell) or SKIP, got {answer!r}.")
        if question.answer is not None:
            if question.answer == answer:
                return
            if question.answer is SKIP:
                raise InvalidInput(
                    f"Question {question.number} was skipped and went back to the pool, so it cannot take {answer}; "
                    "it will be asked again as a new question."
                )
            raise InvalidInput(
                f"Question {question.number} was already answered with {question.answer}, and now {answer}; "
                "take the first answer back with undo."
            )
        question.answer = answer
        if answer is SKIP:
            self._asked.discard(self._draws.coin(question.item))
            self._returned.append((question.item, question.note))
        else:
            self.n_answered += 1
        self._fold()

    def undo(self, question: Question) -> None:
        """Takes an answer back: the question is open again, later questions stay."""
        self._check_mine(question)
        if question.answer is None:
            raise InvalidInput(f"Question {question.number} has no answer yet, so there is nothing to take back.")
        if question.answer is SKIP:
            raise InvalidInput(f"Question {question.number} was skipped and went back to the pool; ask again instead.")
        later = (q for q in self.questions[question.number :] if q.note.phase != question.note.phase)
        if self.learner.phases_depend and (dependent := next(later, None)) is not None:
            raise InvalidInput(
                f"The answer to question {question.number} cannot be taken back: the phase '{dependent.note.phase}' of "
                f"{type(self.learner).__name__} already rests on it."
            )
        question.answer = None
        self.n_answered -= 1
        self._start()
        self._advance(None)  # before the rows of the questions count as drawn: its first samples are the same again
        for put in self.questions:
            self._draws.advance(put.note.position)
            if put.answer is SKIP:
                self._returned.append((put.item, put.note))
            else:
                self._asked.add(self._draws.coin(put.item))
        self._fold()

    def result(self) -> Result:
        """What is known now; as valid in the middle of a run as at its end."""
        return Result(self.result_report(), {name: list(column) for name, column in self.history.items()}, self.source)

    def result_report(self) -> Report:
        """The learner's report at this moment."""
        self._refuse_if_failed()
        if self._final is not None:
            return self._final
        assert self._now is not None
        return self._now.report()

    def progress_line(self) -> str:
        """Where the run is, in one line."""
        undecided = self.history["undecided"][-1] if self.history["undecided"] else None
        phase = self.history["phase"][-1] if self.history["phase"] else "starting"
        mass = "" if undecided is None else f", {100 * undecided:.1f}% undecided"
        return f"{self.n_answered:,} questions, {self._revealed:,} revealed{mass} ({phase})"

    def _check_mine(self, question: Question) -> None:
        number = question.number if isinstance(question, Question) else -1
        if not 0 <= number < len(self.questions) or self.questions[number] is not question:
            raise InvalidInput(f"This run never asked {question!r}; answer the questions that its own ask() returned.")

    def _refuse_if_failed(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _fold(self) -> None:
        """Sends every answer before the first open question to the learner."""
        while self._folded < len(self.questions) and self.questions[self._folded].answer is not None:
            question = self.questions[self._folded]
            self._folded += 1
            if question.answer is SKIP:
                continue
            self._advance(question)
            gauges = {"undecided": None, "u": None, "b": None} if self._now is None else asdict(self._now.gauges)
            record = {
                "step": len(self.history["step"]) + 1,
                "item": question.item,
                "phase": question.note.phase,
                "answer": int(question.revealed),
                **gauges,
            }
            self._revealed += question.revealed
            for name, value in record.items():
                self.history[name].append(value)

    def _advance(self, question: Question | None) -> None:
        """One step of the learner. Where the pool runs dry, what was certified before stands."""
        try:
            if question is None:
                self._now = next(self._steps)
            elif self._final is None:
                self._now = self._steps.send(question)
            elif question.revealed:
                self._final = self._with_late_reveal(self._final, question)
        except StopIteration as end:
            self._final = end.value
        except PoolExhausted as dry:
            if self._now is None:
                raise
            self._final = replace(self._now.report(), stop_reason=str(dry))
        except Exception as failure:
            self._failure = failure
            raise

    def _with_late_reveal(self, final: Report, question: Question) -> Report:
        """An answer that came after the end. A reveal never removes the truth from V, so what is certified stands."""
        x = self._draws.points([question.item])
        V = final.version_space.require(x)
        if not V.is_empty() and final.hypothesis.contains(x).all():
            return replace(final, version_space=V)
        sample = x[:0] if final.sample is None else final.sample
        return replace(final, version_space=V, hypothesis=V.smallest(sample))


def _row(rows: Any, k: int) -> Any:
    """Row k of a table of any kind."""
    if hasattr(rows, "iloc"):
        return rows.iloc[k]
    return rows.slice(k, 1).to_pylist()[0] if hasattr(rows, "to_pylist") else rows[k]


def learn(
    learner: Learner,
    pool: Source | Any,
    expert: Expert,
    positives: Any = (),
    seed: int = 0,
    budget: int | None = None,
    batch: int = 1,
    progress: bool | Callable[[Run], None] = False,
) -> Result:
    """Asks `expert` until the learner is done or the budget is used up; Ctrl-C ends it with what is known so far."""
    if not hasattr(expert, "answer"):
        raise InvalidInput(
            f"An expert has a method answer(items, rows), got {expert!r}; wrap a function in CallbackExpert."
        )
    limit = None if budget is None else checks.count("budget", budget, minimum=1)
    checks.count("batch", batch, minimum=1)
    run = Run(learner, pool, positives, seed)
    source = run.source
    labels = getattr(expert, "y", None)
    if isinstance(source, Pool) and labels is not None and len(labels) != len(source):
        raise InvalidInput(f"y must have one entry per row of the pool ({len(source)}), got {len(labels)}.")
    if labels is not None and not isinstance(source, Pool):
        raise InvalidInput("A Sampler has no rows to look y up in; give SimulatedExpert a function of features.")
    reason: str | None = None
    skips = 0
    with _progress(progress) as show:
        try:
            while not run.finished:
                room = batch if limit is None else min(batch, limit - run.n_answered)
                if room <= 0:
                    reason = StopReason.BUDGET
                    break
                put = run.ask(room)
                if put:
                    answered = _put_to(expert, run, put)
                    skips = 0 if answered else skips + len(put)
                if skips >= MOST_SKIPS:
                    reason = (
                        f"The expert skipped {skips} questions in a row; the certificate says what is known so far."
                    )
                    break
                show(run)
        except KeyboardInterrupt:
            reason = StopReason.INTERRUPTED
    result = run.result()
    if reason is not None and not run.finished:
        result.stop_reason = str(reason)
    return result


def _put_to(expert: Expert, run: Run, put: list[Question]) -> int:
    """Asks the expert and tells the run; how many of the answers were no skips."""
    items = np.array([question.item for question in put], np.int64)
    look = run._draws.features if getattr(expert, "sees_features", False) else run._draws.rows
    answers = checked_answers(expert.answer(items, look(items)), len(put))
    for question, answer in zip(put, answers, strict=True):
        run.tell(question, SKIP if answer == -1 else bool(answer))
    return int((answers != -1).sum())


@contextmanager
def _progress(progress: bool | Callable[[Run], None]) -> Iterator[Callable[[Run], None]]:
    """Something to call after every batch: the caller's own function, a line on the terminal, or nothing."""
    if callable(progress):
        yield progress
    elif not progress:
        yield lambda run: None
    else:
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with Progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as bar:
            task = bar.add_task("starting")
            yield lambda run: bar.update(task, description=run.progress_line())


def estimate_rate(
    hypotheses: HypothesisClass,
    pool: Source | Any,
    expert: Expert,
    delta: float,
    budget: int | None = None,
    seed: int = 0,
) -> Bounds:
    """Bounds on the reveal rate ω (Algorithm 2, sharp); 0 to 1 if the budget ends before anything is known."""
    rate = learn(RevealRate(hypotheses, delta), pool, expert, seed=seed, budget=budget).rate
    return rate or Bounds(0.0, 1.0, 1 - delta)
