"""`learn`, the loop that puts a run's questions to an expert, and `estimate_rate` on top of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.experts import SKIP, CallbackExpert, Expert, checked_answers
from activepu.hypotheses import HypothesisClass
from activepu.learners import Learner, RevealRate
from activepu.pools import Pool, Source
from activepu.records import Bounds, Question, StopReason
from activepu.result import Result
from activepu.run.driver import Run

MOST_SKIPS = 1000
"""Skips in a row after which `learn` gives up on an expert."""


def learn(
    learner: Learner,
    pool: Source | Any,
    expert: Expert | Mapping[Hashable, Expert],
    positives: Any = (),
    seed: int = 0,
    budget: int | None = None,
    batch: int = 1,
    progress: bool | Callable[[Run], None] = False,
) -> Result:
    """Asks `expert` until the learner is done or the budget is used up; Ctrl-C ends it with what is known so far.

    Several experts are given by name, {"ann": …, "bob": …}: they take the questions in turn, `batch` of them at a time.
    """
    experts = _by_name(expert)
    limit = None if budget is None else checks.count("budget", budget, minimum=1)
    checks.count("batch", batch, minimum=1)
    run = Run(learner, pool, positives, seed)
    for one in experts.values():
        _check_rows(one, run.source)
    with _progress(progress) as show:
        try:
            reason = _ask_all(run, experts, limit, batch, show)
        except KeyboardInterrupt:
            reason = StopReason.INTERRUPTED
        except Exception as error:
            _attach_answers(error, run)
            raise
    result = run.result()
    if reason is not None and not run.finished:
        result.stop_reason = str(reason)
    return result


def _by_name(expert: Expert | Mapping[Hashable, Expert]) -> Mapping[Hashable, Expert]:
    """The experts by name; a single expert has the name None."""
    experts: Mapping[Hashable, Expert] = expert if isinstance(expert, Mapping) else {None: expert}
    if not experts:
        raise InvalidInput("learn needs an expert to ask, got an empty mapping.")
    for one in experts.values():
        if not hasattr(one, "answer"):
            raise InvalidInput(
                f"An expert has a method answer(items, rows), got {checks.brief(one)}; wrap a function in "
                "CallbackExpert; the order is learn(learner, pool, expert)."
            )
    return experts


def _check_rows(expert: Expert, source: Source) -> None:
    """Refuses an expert whose own labels or rows are not one per item of the pool."""
    labels = getattr(expert, "y", None)
    rows = expert.table if isinstance(expert, CallbackExpert) else None
    if not isinstance(source, Pool):
        if labels is not None:
            raise InvalidInput("A Sampler has no rows to look y up in; give SimulatedExpert a function of features.")
        return
    if labels is not None and len(labels) != len(source):
        raise InvalidInput(f"y must have one entry per row of the pool ({len(source)}), got {len(labels)}.")
    if rows is not None and len(rows) != len(source):
        raise InvalidInput(
            f"CallbackExpert's rows must be those of the pool, one per item, got {len(rows)} for "
            f"{len(source)} items; pass rows=… of the same table."
        )


def _ask_all(
    run: Run, experts: Mapping[Hashable, Expert], limit: int | None, batch: int, show: Callable[[Run], None]
) -> str | None:
    """Puts questions and tells the answers until the run is finished; returns the reason if it ends before that."""
    turns = cycle(experts)
    skips = 0
    while not run.finished:
        room = batch if limit is None else min(batch, limit - run.n_answered)
        if room <= 0:
            return StopReason.BUDGET
        put = run.ask(room, next(turns)) if len(experts) == 1 else _deal(run, room, turns)
        if put:
            answered = sum(
                _put_to(one, run, own)
                for name, one in experts.items()
                if (own := [question for question in put if question.expert == name])
            )
            skips = 0 if answered else skips + len(put)
        if skips >= MOST_SKIPS:
            return f"The expert skipped {skips} questions in a row; this is what is known so far."
        show(run)
    return None


def _attach_answers(error: Exception, run: Run) -> None:
    """Keeps what was answered with an error that ends the run, unless the error has it already."""
    if run.n_answered and not hasattr(error, "answers"):
        kept = {q.item: q.answer for q in run.questions if isinstance(q.answer, bool)}
        error.answers = kept  # type: ignore[attr-defined]
        error.add_note(f"The {len(kept)} answers so far are kept in this error's .answers, one per item.")


def _deal(run: Run, room: int, turns: Iterator[Hashable]) -> list[Question]:
    """Up to `room` questions, one for each expert in turn."""
    put: list[Question] = []
    while len(put) < room and (one := run.ask(1, next(turns))):
        put += one
    return put


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
