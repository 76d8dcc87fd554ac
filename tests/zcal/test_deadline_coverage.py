"""Experts who are away, and a yes that takes longer than silence: Z-CAL is wrong in a δ share of the runs at most.

The test turns the clock. Three experts answer side by side, each one question at a time. A "can't tell" takes one
minute on average, a yes three; before some questions the expert is away for longer than the deadline. What is not
answered in time is told to be TIMEOUT, and a yes that comes later is told when it comes.
"""

from __future__ import annotations

import heapq
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from worlds import assert_holds
from zcal.test_zcal_coverage import EPSILON, ROWS, truth_of

import activepu as apu

RUNS = int(os.environ.get("DEADLINE_RUNS", "300"))
DELTA = 0.1
BUDGET = 80
DEADLINE, AWAY = 4.0, 0.2
SLOW = {"yes": 3.0, "silent": 1.0}
OMEGA = 0.5
IN_TIME = OMEGA * (1 - np.exp(-DEADLINE / SLOW["yes"]))
IN_TIME /= IN_TIME + (1 - OMEGA) * (1 - np.exp(-DEADLINE / SLOW["silent"]))
"""The reveal rate of the positives that are answered in time."""
FORMS: dict[str, Any] = {
    "in time": float(IN_TIME),
    "at most": (0.0, OMEGA),
    "unknown": None,
    "per expert": "per expert",
}


class Outcome(NamedTuple):
    lost: bool
    untrue: bool
    timeouts: int
    late: int


def outcome(name: str, form: str, by_item: bool, seed: int) -> Outcome:
    truth, rng = truth_of(name), np.random.default_rng([seed, 23])
    rows = rng.random((ROWS, 1 if name == "thresholds" else 2))
    y = truth.predict(rows)
    run = apu.Run(apu.ZCal(truth.hypotheses, EPSILON[name], DELTA, rate=FORMS[form], check=0), rows, seed=seed)
    hard = rows[:, 0] < 0.8 if by_item else np.zeros(ROWS, bool)
    try:
        timeouts, late = clocked(run, y, hard, rng)
    except apu.AssumptionsViolated:
        return Outcome(True, True, 0, 0)
    result = run.result()
    lost = not result.version_space.allows(truth) or bool((result.predict(rows, abstain=True) == 1 - y).any())
    wrong = (result.predict(rows) != y).mean() > result.certificate.error_bound + 1e-12
    rates = [result.rate] if result.rates is None else result.rates.values()
    missed = any(not bounds.low - 1e-9 <= IN_TIME <= bounds.high + 1e-9 for bounds in rates)
    return Outcome(lost, lost or wrong or missed, timeouts, late)


def clocked(run: apu.Run, y: np.ndarray, hard: np.ndarray, rng: np.random.Generator) -> tuple[int, int]:
    """Turn the clock until the budget is used up. Positives that are `hard` take five times as long."""
    events: list[tuple[float, int, apu.Question | None, Any, str]] = [(0.0, k, None, None, f"e{k}") for k in range(3)]
    timeouts = late = 0
    number = 3
    while events:
        now, _, question, answer, expert = heapq.heappop(events)
        if question is not None:
            timeouts += answer is apu.TIMEOUT
            late += question.answer is apu.TIMEOUT and answer is True
            run.tell(question, answer)
            if question.late:
                continue  # the expert went on long ago
        if len(run.questions) >= BUDGET or run.finished or not (put := run.ask(expert=expert)):
            if len(run.questions) < BUDGET and not run.finished and run.open:
                heapq.heappush(events, (now + 1.0, number, None, None, expert))
                number += 1
            continue
        [question] = put
        reveals = bool(y[question.item] and rng.random() < OMEGA)
        takes = rng.exponential(SLOW["yes" if reveals else "silent"]) * (5 if reveals and hard[question.item] else 1)
        takes += 10 * DEADLINE * (rng.random() < AWAY)
        in_time = takes <= DEADLINE
        events_of = [(takes, reveals)] if in_time else [(DEADLINE, apu.TIMEOUT), *([(takes, True)] if reveals else [])]
        for after, told in events_of:
            heapq.heappush(events, (now + after, number, question, told, expert))
            number += 1
    return timeouts, late


def counted(name: str, form: str, by_item: bool = False) -> list[Outcome]:
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(partial(outcome, name, form, by_item), range(RUNS), chunksize=10))
    lost, untrue, timeouts, late = (sum(column) for column in zip(*seen, strict=True))
    print(
        f"\nZ-CAL with deadlines, {name}, rate {form}{', lateness by item' if by_item else ''}: {RUNS} runs, ℓ lost "
        f"{lost}, something false {untrue}, {timeouts / RUNS:.1f} timeouts and {late / RUNS:.1f} late yeses a run"
    )
    return seen


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["thresholds", "boxes", "finite"])
def test_one_run_says_nothing_false(name: str, form: str) -> None:
    found = outcome(name, form, False, seed=0)
    assert not found.untrue
    assert found.timeouts > 2


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["thresholds", "boxes", "finite"])
def test_what_is_said_is_false_in_a_share_of_delta_at_most(name: str, form: str) -> None:
    assert_holds(sum(run.untrue for run in counted(name, form)), RUNS, DELTA)


@pytest.mark.slow
def test_lateness_that_depends_on_the_item_is_only_reported() -> None:
    assert len(counted("thresholds", "unknown", by_item=True)) == RUNS
