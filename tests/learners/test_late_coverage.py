"""Every learner over many runs in which everything is late: all that it says, at every moment, is false in a δ share.

Questions are put several at a time. Silences are told at once and reveals some questions later. When the run has ended
(the target is reached, the pool has run dry, a sample cannot be drawn any more, or the caller stops asking), open
questions are answered, and more rows are asked at random, rows of the reserved sample among them. After each of these
answers the result must hold. Where a learner takes repeated rows, the pool has atoms, and the rows of an atom share one
coin.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import binomtest

import activepu as apu

RUNS = 2000
DELTA = 0.2
SURPRISE = 1e-3
RATE = 0.5
AFTERWARDS = 8
"""Rows that are put after the end."""

LINE = (np.arange(20) + 0.5)[:, None] / 20
FINE = (np.arange(150) + 0.5)[:, None] / 150
GRID = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
RULES = [lambda X, a=a, b=b: (X[:, 0] >= a) & (X[:, 1] < b) for a in range(5) for b in range(1, 6)]


@dataclass(frozen=True)
class Cell:
    """A learner, its truth, and a pool of `rows` rows: drawn from the atoms `values`, or uniform if there are none."""

    learner: Callable[[], apu.Learner]
    truth: Callable[[np.ndarray], np.ndarray]
    rows: int
    values: np.ndarray | None = None
    rate: float = RATE
    most: int = 60
    """Questions before the end."""

    def pool(self, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows, the answer of each if asked, and the shares of the atoms of the population."""
        rng = np.random.default_rng([seed, 3])
        if self.values is None:
            rows = rng.random((self.rows, 1))
            return rows, self.truth(rows) & (rng.random(self.rows) < self.rate), np.empty(0)
        shares = rng.dirichlet(np.full(len(self.values), 0.7))
        atom = rng.choice(len(self.values), self.rows, p=shares)
        coins = rng.random(len(self.values)) < self.rate
        return self.values[atom], (self.truth(self.values) & coins)[atom], shares

    def broken(self, certificate: apu.Certificate, result: apu.Result, rows: np.ndarray, shares: np.ndarray) -> bool:
        """Whether the rule errs on more than the bound, or the rule that abstains errs at all or abstains too often."""
        points, mass = rows, np.full(len(rows), 1 / len(rows))
        if certificate.scope == "population":
            fine = (np.arange(4000) + 0.5)[:, None] / 4000
            points, mass = (fine, np.full(4000, 1 / 4000)) if self.values is None else (self.values, shares)
        y = self.truth(points)
        if mass @ (result.predict(points) != y) > certificate.error_bound + 1e-12:
            return True
        if certificate.abstains is None:
            return False
        said = result.predict(points, abstain=True)
        return bool((said == ~y).any() or mass @ (said == -1) > certificate.abstains + 1e-12)


def above(x: np.ndarray) -> np.ndarray:
    return x[:, 0] >= 0.6


def inside(x: np.ndarray) -> np.ndarray:
    return ((x >= 1) & (x <= 3)).all(axis=1)


CELLS = {
    "ZCal, thresholds": Cell(lambda: apu.ZCal(apu.Thresholds(), 0.1, DELTA, check=0), above, 200, LINE),
    "ZCal, thresholds, rate known": Cell(
        lambda: apu.ZCal(apu.Thresholds(), 0.1, DELTA, rate=RATE, check=0), above, 200, LINE
    ),
    "ZCal, boxes": Cell(lambda: apu.ZCal(apu.Boxes(), 0.2, DELTA, check=0), inside, 200, GRID),
    "ZCal, boxes, rate known": Cell(lambda: apu.ZCal(apu.Boxes(), 0.2, DELTA, rate=RATE, check=0), inside, 200, GRID),
    "ZCal, finite": Cell(lambda: apu.ZCal(apu.FiniteClass(RULES), 0.2, DELTA, check=0), RULES[13], 200, GRID),
    "ZCal, finite, rate known": Cell(
        lambda: apu.ZCal(apu.FiniteClass(RULES), 0.2, DELTA, rate=RATE, check=0), RULES[13], 200, GRID
    ),
    "KnownPrior": Cell(lambda: apu.KnownPrior(apu.Thresholds(), 0.2, DELTA, prior=0.95), above, 200, LINE),
    "KnownPrior, distinct rows": Cell(lambda: apu.KnownPrior(apu.Thresholds(), 0.1, DELTA, prior=0.4), above, 300),
    "Cal": Cell(lambda: apu.Cal(apu.Thresholds(), 0.2, DELTA), above, 100, LINE, rate=1.0),
    "RevealRate": Cell(lambda: apu.learners.RevealRate(apu.Thresholds(), DELTA), above, 400),
    "RevealRate, atoms": Cell(lambda: apu.learners.RevealRate(apu.Thresholds(), DELTA), above, 400, FINE),
    "PassivePU": Cell(lambda: apu.PassivePU(apu.Thresholds(), 0.1, DELTA), above, 400, most=300),
    "UnknownPrior": Cell(lambda: apu.UnknownPrior(apu.Thresholds(), 0.4, DELTA), above, 5000, most=400),
}


def run_of(cell: Cell, seed: int) -> tuple[bool, str]:
    """Whether anything that was said is false, and how the run ended."""
    rows, says, shares = cell.pool(seed)
    rng = np.random.default_rng([seed, 4])
    run = apu.Run(cell.learner(), apu.Pool(rows), seed=seed)

    def false() -> bool:
        result = run.result()
        certificates = [result.certificate, *([result.population] if result.population else [])]
        rate = result.rate is not None and not result.rate.low - 1e-9 <= cell.rate <= result.rate.high + 1e-9
        return rate or any(cell.broken(certificate, result, rows, shares) for certificate in certificates)

    try:
        late: deque[apu.Question] = deque()
        while not run.finished and len(run.questions) < cell.most:
            put = run.ask(int(rng.integers(1, 4)))
            for question in put:
                if says[question.item]:
                    late.append(question)
                else:
                    run.tell(question, False)
            while late and (not put or late[0].number + 5 < len(run.questions)):
                run.tell(late.popleft(), True)
        ended = "TARGET" if run.result().certificate.error_bound <= run.learner.epsilon else "before"
        ended = "dry" if "ran dry" in run.result().stop_reason else ended
        broken = false()
        while late:
            run.tell(late.popleft(), True)
            broken = broken or false()
        for item in rng.permutation(len(rows))[:AFTERWARDS]:
            if run.coin(int(item)) not in {run.coin(question.item) for question in run.questions}:
                run.record(int(item), bool(says[item]))
                broken = broken or false()
    except apu.AssumptionsViolated:
        return True, "raised"
    return broken, ended


def count(name: str, runs: int) -> tuple[int, Counter[str]]:
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(_one, [name] * runs, range(runs), chunksize=20))
    return sum(broken for broken, _ in seen), Counter(ended for _, ended in seen)


def _one(name: str, seed: int) -> tuple[bool, str]:
    return run_of(CELLS[name], seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_late_answers_break_no_bound_more_often_than_delta(name: str) -> None:
    broken, ends = count(name, RUNS)
    print(f"\n{name}: {broken} of {RUNS} runs broken at δ = {DELTA}; ended {dict(ends)}")
    surprise = binomtest(broken, RUNS, DELTA, alternative="greater").pvalue
    assert surprise > SURPRISE, f"{broken} of {RUNS} runs broken, which has probability {surprise:.1e}"


def endless(learner: apu.Learner, truth: Callable[[np.ndarray], np.ndarray], values: np.ndarray, seed: int) -> bool:
    """Whether what is said of a population with atoms is false."""
    shares = np.random.default_rng([seed, 5]).dirichlet(np.full(len(values), 0.7))
    cell = Cell(lambda: learner, truth, 0, values)
    sampler = apu.Sampler(lambda n, rng: values[rng.choice(len(values), n, p=shares)], values.shape[1])
    try:
        result = apu.learn(learner, sampler, apu.SimulatedExpert(truth, RATE, seed), seed=seed, batch=2)
    except apu.AssumptionsViolated:
        return True
    assert result.certificate.abstains is not None
    rate = not result.rate.low - 1e-9 <= RATE <= result.rate.high + 1e-9
    return rate or cell.broken(result.certificate, result, values, shares)


ENDLESS = {
    "thresholds": (apu.ZCal(apu.Thresholds(), 0.1, DELTA, check=0), above, LINE),
    "boxes, rate known": (apu.ZCal(apu.Boxes(), 0.2, DELTA, rate=RATE, check=0), inside, GRID),
}


def _endless(name: str, seed: int) -> bool:
    return endless(*ENDLESS[name], seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_said_of_a_population_with_atoms_holds(name: str) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        broken = sum(workers.map(_endless, [name] * RUNS, range(RUNS), chunksize=20))
    print(f"\nZCal, {name}, endless with atoms: {broken} of {RUNS} runs broken at δ = {DELTA}")
    assert binomtest(broken, RUNS, DELTA, alternative="greater").pvalue > SURPRISE


@pytest.mark.parametrize("name", CELLS)
def test_a_few_runs_with_late_answers(name: str) -> None:
    """The same with ten runs a learner, more than six of which are broken with probability 10⁻³ at most."""
    assert sum(_one(name, seed)[0] for seed in range(10)) <= 6


@pytest.mark.parametrize("name", ENDLESS)
def test_a_few_populations_with_atoms(name: str) -> None:
    assert sum(_endless(name, seed) for seed in range(4)) <= 3
