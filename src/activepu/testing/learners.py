"""The contract of every learner, whatever its algorithm.

The same seed and answers give the same questions. A learner holds settings only. Answers count in the order of
asking, in whatever order they are told. A result is valid in the middle of a run. A revealed item stays positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from activepu.errors import InvalidInput
from activepu.experts import SKIP, TIMEOUT, Expert, checked_answers
from activepu.learners import Learner
from activepu.pools import Pool
from activepu.records import Question
from activepu.result import Result
from activepu.run import Run
from activepu.testing.base import require


def check_learner(learner: Learner, pool: Pool, expert: Expert, seed: int = 0, budget: int = 60) -> None:
    """Check that a learner keeps its contract, in runs of up to `budget` questions.

    It runs the learner one question at a time, two runs at once, in batches that are told in every order, with a skip,
    with an answer that does not come in time and with answers that are taken back. It checks that results are valid at
    every moment, that answers count in the order of asking, and that the learner keeps nothing of a run in itself. It
    does not check the guarantee.

    Parameters
    ----------
    learner : Learner
        The learner to check.
    pool : Pool
        Items to ask about.
    expert : Expert
        Must give the same item the same answer, as `SimulatedExpert` does, and skip nothing.
    seed : int
        The seed of the runs.
    budget : int
        How many questions a run asks at most.

    Raises
    ------
    AssertionError
        Something is broken; the message says what.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.testing import check_learner
    >>> X = np.random.default_rng(0).random((200, 1))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0.7, rate=0.5)
    >>> check_learner(apu.PassivePU(apu.Thresholds(), epsilon=0.1, delta=0.1), apu.Pool(X), expert, budget=12)
    """

    def make() -> Run:
        return Run(learner, pool, seed=seed)

    plain = _drive(make(), expert, budget, watch=True)
    _check_two_at_once(make, expert, budget, plain)
    _check_batches(make, expert, budget)
    _check_skip(make, expert, budget)
    _check_timeout(make, expert, budget)
    _check_undo(make, expert, budget, plain)


def _answers(run: Run, expert: Expert, put: list[Question]) -> list[bool]:
    items = np.array([question.item for question in put], np.int64)
    shown = run.source.features(items) if getattr(expert, "sees_features", False) else run.source.rows(items)  # type: ignore[attr-defined]
    return [bool(answer) for answer in checked_answers(expert.answer(items, shown), len(put))]


def _drive(run: Run, expert: Expert, budget: int, batch: int = 1, order: Any = (0,), watch: bool = False) -> Run:
    """Ask in batches and tell each batch in `order`, until `budget` questions are answered or the run ends."""
    while not run.finished and run.n_answered < budget:
        put = run.ask(batch)
        answers = _answers(run, expert, put) if put else []
        for k in [k for k in order if k < len(put)]:
            run.tell(put[k], answers[k])
        if watch and run.n_answered % max(1, budget // 6) == 0:
            _check_result(run)
    _check_result(run)
    return run


def _check_result(run: Run) -> Result:
    """Return the result of a run after a check of all that it states."""
    name, pool = type(run.learner).__name__, run.source
    assert isinstance(pool, Pool)
    result, answered = run.result(), [q for q in run.questions if isinstance(q.answer, bool)]
    bound, confidence = result.certificate.error_bound, result.certificate.confidence
    require(0.0 <= bound <= 1.0, f"{name} certifies an error of at most {bound!r}, which is no share.")
    require(math.isclose(confidence, 1 - run.learner.delta), f"{name} states {confidence!r}, not 1 − δ.")
    for bounds in (result.rate, result.prior):
        require(bounds is None or 0 <= bounds.low <= bounds.high <= 1, f"{name} gives bounds out of order: {bounds}.")
    require(result.stop_reason and str(result.certificate), f"{name} must say why it stopped and what is certified.")
    columns = {len(column) for column in result.history.values()}
    require(columns == {len(answered)}, f"{name}: history must have one row per answered question ({len(answered)}).")
    require(result.history["item"] == [q.item for q in answered], f"{name}: history is not in the order of asking.")
    items = [q.item for q in run.questions if q.answer is not SKIP]
    require(all(0 <= item < len(pool) for item in items), f"{name} asked for an item that is not in the pool.")
    coins = pool.coins[items]
    require(len(np.unique(coins)) == len(coins), f"{name} asked twice for items that share a coin.")
    revealed = [q.item for q in answered if q.revealed]
    if result.version_space is None:
        return result  # a model decides nothing for good
    if revealed:
        features = pool.features(revealed)
        require(
            result.predict(features).all(), f"{name}: a revealed item is not in the hypothesis {result.hypothesis}."
        )
        require(
            (result.predict(features, abstain=True) == 1).all(), f"{name}: a revealed item is not certainly positive."
        )
    require(
        result.version_space.allows(result.hypothesis), f"{name}: the hypothesis is not in the version space itself."
    )
    return result


def _state(run: Run) -> dict[str, Any]:
    """Return all that a caller can see of a run, except what it will ask next."""
    result = run.result()
    bound = result.certificate.error_bound
    seen = {"history": result.history, "hypothesis": str(result.hypothesis), "error bound": bound}
    return seen | {"rate": result.rate, "prior": result.prior, "finished": run.finished}


def _asked(run: Run) -> list[int]:
    return [question.item for question in run.questions]


def _same(one: Run, other: Run, sentence: str) -> None:
    require(_asked(one) == _asked(other), f"{sentence}: the questions differ.")
    first, second = _state(one), _state(other)
    for what, value in first.items():
        require(value == second[what], f"{sentence}: {what} differs.")


def _check_two_at_once(make: Callable[[], Run], expert: Expert, budget: int, plain: Run) -> None:
    first, second = make(), make()
    for target in range(1, budget + 1):
        _drive_to(first, expert, target)
        _drive_to(second, expert, target)
    name = type(plain.learner).__name__
    _same(plain, first, f"{name} must do the same for the same seed and answers, and keep no state of a run in itself")
    _same(first, second, f"{name} must keep no state of a run in itself")


def _drive_to(run: Run, expert: Expert, target: int) -> None:
    while not run.finished and run.n_answered < target and (put := run.ask()):
        run.tell(put[0], _answers(run, expert, put)[0])


def _check_batches(make: Callable[[], Run], expert: Expert, budget: int) -> None:
    in_order = _drive(make(), expert, budget, batch=3, order=(0, 1, 2))
    for order in list(permutations(range(3)))[1:]:
        shuffled = _drive(make(), expert, budget, batch=3, order=order)
        _same(in_order, shuffled, f"{type(in_order.learner).__name__}, told in the order {order} instead of (0, 1, 2)")


def _check_skip(make: Callable[[], Run], expert: Expert, budget: int) -> None:
    run = make()
    put = run.ask()
    if not put:
        return
    before = _state(run)
    run.tell(put[0], SKIP)
    require(_state(run) == before, f"{type(run.learner).__name__}: a skipped question must count as never asked.")
    _drive(run, expert, budget)


def _check_timeout(make: Callable[[], Run], expert: Expert, budget: int) -> None:
    """A question that is not answered in time is no evidence, and a replay ends where the run did."""
    run = make()
    put = run.ask()
    if not put:
        return
    name, before = type(run.learner).__name__, _state(run)
    try:
        run.tell(put[0], TIMEOUT)
    except InvalidInput as refusal:
        require(len(str(refusal)) > 20, f"{name} refuses a timeout without a sentence that says why.")
        require(not run.learner.allows_timeouts, f"{name} refuses a timeout, but says that it allows them.")
        return
    after = _state(run)
    require(
        all(after[what] == value for what, value in before.items() if what != "finished"),
        f"{name}: a question that is not answered in time must count as never asked.",
    )
    _drive(run, expert, budget)
    if _answers(run, expert, put)[0]:
        run.tell(put[0], True)
        _check_result(run)
    before = _state(run)
    run.restore(run.questions)
    require(_state(run) == before, f"{name}: with an answer that came too late, a replay ends elsewhere.")


def _check_undo(make: Callable[[], Run], expert: Expert, budget: int, plain: Run) -> None:
    name = type(plain.learner).__name__
    answered = len(plain.questions)
    for number in sorted({0, answered // 2, answered - 1} - {-1}):
        run = make()
        _drive(run, expert, budget)
        question = run.questions[number]
        before = _state(run)
        answer = question.answer
        assert isinstance(answer, bool)
        try:
            run.undo(question)
        except InvalidInput as refusal:
            require(len(str(refusal)) > 20, f"{name} refuses an undo without a sentence that says why.")
            require(_state(run) == before, f"{name}: a refused undo must change nothing.")
            continue
        run.tell(question, answer)
        _drive_to(run, expert, budget)
        _same(plain, run, f"{name}: question {number} taken back and answered as before")
        _drive_to(run, expert, budget + 5)
        fresh = make()
        _drive_to(fresh, expert, budget + 5)
        _same(fresh, run, f"{name}: question {number} taken back, answered as before and gone on")
