"""Z-CAL over many runs: all that it says at once is false in a δ share of them at most, however the answers arrive."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest
from worlds import WORLDS, assert_holds

import activepu as apu
from activepu.hypotheses import Hypothesis

RUNS = 400
DELTA = 0.1
BUDGET = 80
"""Questions a run: what is said holds at every moment, and so when the budget ends as well."""
DELAY = 5
"""Questions that are put before a reveal is told, where reveals come late."""
ROWS = 600
EPSILON = {"thresholds": 0.06, "boxes": 0.15, "finite": 0.1}
RULES = [lambda X, a=a, b=b: X[:, 0] + a * X[:, 1] >= b for a in (0.5, 1.0, 2.0) for b in np.arange(0.5, 2.5, 0.1)]


def truth_of(name: str) -> Hypothesis:
    return apu.FiniteClass(RULES).bind(2).member(27) if name == "finite" else WORLDS[name].truth


def population_error(name: str, h: Hypothesis) -> float:
    """P(h Δ ℓ) under the uniform law: in closed form, or on a fine grid."""
    if name != "finite":
        return WORLDS[name].error(h)
    side = (np.arange(200) + 0.5) / 200
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    return float((h.predict(grid) != truth_of(name).predict(grid)).mean())


class Outcome(NamedTuple):
    lost: bool
    rate_missed: bool
    prior_missed: bool
    error_missed: bool
    population_missed: bool
    done: bool
    questions: int

    @property
    def untrue(self) -> bool:
        """Of the pool and the rate, which share one δ."""
        return self.lost or self.rate_missed or self.prior_missed or self.error_missed


def outcome(name: str, omega: float, known: bool, late: bool, seed: int) -> Outcome:
    truth = truth_of(name)
    rng = np.random.default_rng([seed, 7])
    rows = rng.random((ROWS, 1 if name == "thresholds" else 2))
    y, coins = truth.predict(rows), rng.random(ROWS) < omega
    learner = apu.ZCal(truth.hypotheses, EPSILON[name], DELTA, rate=omega if known else None, check=0)
    run = apu.Run(learner, rows, seed=seed)
    try:
        answer_all(run, y & coins, DELAY if late else 0)
    except apu.AssumptionsViolated:
        return Outcome(True, False, False, False, False, False, run.n_answered)
    result = run.result()
    decided = result.predict(rows, abstain=True)
    return Outcome(
        lost=not result.version_space.allows(truth) or bool((decided == 1 - y).any()),
        rate_missed=not result.rate.low - 1e-9 <= omega <= result.rate.high + 1e-9,
        prior_missed=not result.prior.low <= y.mean() <= result.prior.high,
        error_missed=(result.predict(rows) != y).mean() > result.certificate.error_bound + 1e-12,
        population_missed=population_error(name, result.hypothesis) > result.population.error_bound,
        done=result.stop_reason == apu.StopReason.TARGET,
        questions=result.n_queries,
    )


def answer_all(run: apu.Run, answers: np.ndarray, delay: int) -> None:
    """Silences at once, reveals only after so many further questions."""
    late: deque[apu.Question] = deque()
    while len(run.questions) < BUDGET and not run.finished:
        put = run.ask()
        for question in put:
            if answers[question.item]:
                late.append(question)
            else:
                run.tell(question, False)
        while late and (not put or late[0].number + delay < len(run.questions)):
            run.tell(late.popleft(), True)
    for question in late:
        run.tell(question, True)


def check(name: str, omega: float, known: bool, late: bool = False) -> None:
    cells = [(value,) * RUNS for value in (name, omega, known, late)]
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(outcome, *cells, range(RUNS), chunksize=10))
    totals = {field: sum(getattr(run, field) for run in seen) for field in (*Outcome._fields, "untrue")}
    cell = f"{name}, rate {omega} {'known' if known else 'unknown'}{', reveals late' if late else ''}"
    print(
        f"\nZCal, {cell}: {RUNS} runs, "
        f"ℓ lost {totals['lost']}, ω missed {totals['rate_missed']}, π missed {totals['prior_missed']}, error on the "
        f"pool missed {totals['error_missed']}, on the population {totals['population_missed']}; "
        f"{totals['done']} done, mean {totals['questions'] / RUNS:.1f} questions"
    )
    assert_holds(totals["untrue"], RUNS, DELTA)
    assert_holds(totals["population_missed"], RUNS, DELTA)


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("omega", [1.0, 0.5, 0.2])
@pytest.mark.parametrize("name", ["thresholds", "boxes", "finite"])
def test_all_that_is_said_holds_in_a_share_of_one_minus_delta(name: str, omega: float, known: bool) -> None:
    check(name, omega, known)


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", ["thresholds", "boxes", "finite"])
def test_so_it_does_when_reveals_arrive_late(name: str, known: bool) -> None:
    check(name, 0.5, known, late=True)


def endless(name: str, omega: float, seed: int) -> tuple[bool, bool, bool, int]:
    world = WORLDS[name]
    learner = apu.ZCal(world.hypotheses, 0.2, DELTA, rate=omega, check=0)
    result = apu.learn(learner, world.sampler, world.expert(omega, seed), seed=seed, budget=BUDGET)
    missed = world.error(result.hypothesis) > result.certificate.error_bound
    prior_missed = not result.prior.low <= world.prior <= result.prior.high
    return missed, prior_missed, result.certificate.error_bound <= 0.2, result.n_queries


@pytest.mark.slow
@pytest.mark.parametrize("omega", [1.0, 0.5])
@pytest.mark.parametrize("name", ["thresholds", "boxes"])
def test_what_is_said_of_an_endless_pool_holds(name: str, omega: float) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(endless, (name,) * RUNS, (omega,) * RUNS, range(RUNS), chunksize=10))
    missed, prior_missed, done, questions = map(sum, zip(*seen, strict=True))
    print(
        f"\nZCal, {name}, endless, rate {omega} known: {RUNS} runs, error missed {missed}, π missed {prior_missed}; "
        f"{done} done, mean {questions / RUNS:.1f} questions"
    )
    assert_holds(missed, RUNS, DELTA)
    assert_holds(prior_missed, RUNS, DELTA)
