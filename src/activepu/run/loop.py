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
"""After this many skips, one after the other, `learn` stops asking."""


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
    """Put the learner's questions to an expert until it is done, and return what was found.

    It also ends when the budget is used up, when the pool has nothing left to ask, when an expert skips 1,000 questions
    in a row, or on Ctrl-C: the result then states what is certified so far, and why the run ended. If anything raises
    (an expert, a model), the exception carries the answers so far in its attribute `answers`.

    Parameters
    ----------
    learner : Learner
        What to ask, and what follows from the answers, for example `ZCal(Boxes(), epsilon=0.1, delta=0.05)`.
    pool : Pool, Sampler or table
        The items; a table is wrapped in a `Pool`.
    expert : Expert, or mapping of name to Expert
        Who answers. Several experts are given by name, {"ann": …, "bob": …}, and take the questions in turn.
    positives : sequence of int
        What is known to be positive beforehand: row numbers, a mask over all rows, or keys of the pool's id column
        (rows of features for a `Sampler`). They are never asked.
    seed : int
        The same seed and the same answers give the same run.
    budget : int, optional
        The most questions that may be answered; skips do not count.
    batch : int
        How many questions are put at once.
    progress : bool or callable
        True shows a line on the terminal; a function is called with the `Run` after every batch.

    Returns
    -------
    Result
        The rule, its certificate, and how it was found.

    Raises
    ------
    PoolTooSmall
        Before the first question, if the pool cannot certify the learner's epsilon.
    AssumptionsViolated
        If no hypothesis fits the answers.

    See Also
    --------
    Run : The same by hand, question by question.
    plan : How many questions it will take.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.random.default_rng(0).random(2000)
    >>> expert = apu.SimulatedExpert(x > 0.7, rate=0.5)
    >>> result = apu.learn(apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05), x, expert)
    >>> result.certificate.error_bound <= 0.1
    True
    >>> print(result.stop_reason)
    The error is certified to be at most epsilon.
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
        result.end(reason)
    return result


def _by_name(expert: Expert | Mapping[Hashable, Expert]) -> Mapping[Hashable, Expert]:
    """Return the experts by name; a single expert has the name None."""
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
    """Refuse an expert whose own labels or rows are not one per item of the pool."""
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
    """Ask and tell until the run is finished; return the reason if it ends before that."""
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
    """Attach the answers so far to an error that ends the run, unless it has them already."""
    if run.n_answered and not hasattr(error, "answers"):
        kept = {q.item: q.answer for q in run.questions if isinstance(q.answer, bool)}
        error.answers = kept  # type: ignore[attr-defined]
        error.add_note(f"The {len(kept)} answers so far are kept in this error's .answers, one per item.")


def _deal(run: Run, room: int, turns: Iterator[Hashable]) -> list[Question]:
    """Ask for up to `room` questions, one for each expert in turn."""
    put: list[Question] = []
    while len(put) < room and (one := run.ask(1, next(turns))):
        put += one
    return put


def _put_to(expert: Expert, run: Run, put: list[Question]) -> int:
    """Ask the expert and tell the run; return how many of the answers were not skips."""
    items = np.array([question.item for question in put], np.int64)
    look = run._draws.features if getattr(expert, "sees_features", False) else run._draws.rows
    answers = checked_answers(expert.answer(items, look(items)), len(put))
    for question, answer in zip(put, answers, strict=True):
        run.tell(question, SKIP if answer == -1 else bool(answer))
    return int((answers != -1).sum())


@contextmanager
def _progress(progress: bool | Callable[[Run], None]) -> Iterator[Callable[[Run], None]]:
    """Provide what is called after every batch: the caller's function, a line on the terminal, or nothing."""
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
    """Bound the reveal rate ω of an expert, by asking.

    It first finds a region that is certainly positive, by its reveals, and then counts reveals in that region until ω
    is known within a factor of two either way. The bounds hold with probability 1 − δ if the truth is in the class and
    every positive is revealed with the same probability, independently of all others. Neither the share of positives
    nor a disagreement coefficient is needed. With `Halfspaces` of three features or more nothing is proved, and
    `confidence` is 0.

    Parameters
    ----------
    hypotheses : HypothesisClass
        A class that contains the truth.
    pool : Pool, Sampler or table
        The items; some hundred at least, or `PoolExhausted` is raised.
    expert : Expert
        Who answers.
    delta : float
        The probability with which the bounds may be wrong.
    budget : int, optional
        The most questions that may be answered.
    seed : int
        The same seed and the same answers give the same run.

    Returns
    -------
    Bounds
        0 to 1 if the budget or the pool ends before anything is known.

    See Also
    --------
    RevealRate : The learner behind it.
    ZCal : Bounds ω as well while it learns.

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Algorithm 2, of which
    this is a sharper form.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.random.default_rng(0).random(2000)
    >>> bounds = apu.estimate_rate(apu.Thresholds(), x, apu.SimulatedExpert(x > 0.5, rate=0.6), delta=0.1)
    >>> bounds.low < 0.6 < bounds.high, bounds.confidence
    (True, 0.9)
    """
    rate = learn(RevealRate(hypotheses, delta), pool, expert, seed=seed, budget=budget).rate
    return rate or Bounds(0.0, 1.0, 1 - delta)
