"""Algorithm 3S for classes that are not intersection-closed: it needs θ, and gives the same certificate."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from worlds import assert_holds

import activepu as apu
from activepu.learners.unknown_prior_general import general_steps
from activepu.pools import Draws
from activepu.records import Steps

EPSILON = DELTA = 0.1
CUT = 0.7**0.5
SAMPLER = apu.Sampler(lambda n, rng: rng.beta(2, 1, size=(n, 1)), 1)  # P(x ≤ t) = t², so that P(x ≥ CUT) = 0.3

# Mean label counts that were seen when the specification was tried out: ε = .1, D = Beta(2, 1), 60 runs a cell.
MEAN_QUESTIONS = {1.0: 609, 0.5: 1858, 0.2: 4843}


def above_cut(X: np.ndarray) -> np.ndarray:
    return np.asarray(X[:, 0] >= CUT)


class WithTheta(apu.UnknownPrior):
    """The general form on thresholds, although they are intersection-closed: the truth is then known exactly."""

    def steps(self, draws: Draws) -> Steps:
        return general_steps(self, draws, 2.0)


def outcome(rate: float, seed: int) -> tuple[float, bool, int]:
    learner = WithTheta(apu.Thresholds(), EPSILON, DELTA, theta=2)
    result = apu.learn(learner, SAMPLER, apu.SimulatedExpert(above_cut, rate, seed), seed=seed)
    assert result.certificate.error_bound <= EPSILON
    assert result.prior is not None
    assert result.rate is not None
    holds = result.prior.low <= 0.3 <= result.prior.high and result.rate.low <= rate <= result.rate.high
    low = min(result.hypothesis.low[0], 1.0)
    return abs(low**2 - CUT**2), holds, result.n_queries


@pytest.mark.parametrize("rate", MEAN_QUESTIONS)
def test_thresholds_with_theta(rate: float) -> None:
    error, holds, questions = outcome(rate, seed=0)
    assert error <= EPSILON
    assert holds
    assert questions <= 2 * MEAN_QUESTIONS[rate]


@pytest.mark.slow
@pytest.mark.parametrize("rate", MEAN_QUESTIONS)
def test_thresholds_with_theta_over_60_seeds(rate: float) -> None:
    runs = 60
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(outcome, (rate,) * runs, range(runs)))
    assert_holds(sum(error > EPSILON for error, _, _ in seen), runs, DELTA)
    assert_holds(sum(not holds for _, holds, _ in seen), runs, DELTA)
    counts = sorted(questions for _, _, questions in seen)
    print(f"\n3S with θ, thresholds, rate {rate}: mean {np.mean(counts):.0f}, {counts[0]} to {counts[-1]} questions")
    assert np.mean(counts) <= MEAN_QUESTIONS[rate]


def test_a_finite_class_is_learned_with_theta() -> None:
    cuts = np.linspace(0, 1, 101)
    rules = apu.FiniteClass([lambda X, cut=cut: X[:, 0] >= cut for cut in cuts])
    expert = apu.SimulatedExpert(lambda X: X[:, 0] >= 0.7, 0.5, seed=1)
    uniform = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
    result = apu.learn(apu.UnknownPrior(rules, 0.2, 0.2, theta=2), uniform, expert, seed=1)
    assert result.certificate.error_bound <= 0.2
    assert result.certificate.method == "exact"
    assert "disagreement coefficient is at most 2" in str(result.certificate)
    learned = float(cuts[result.hypothesis.index])
    assert abs(learned - 0.7) <= 0.2


def test_theta_is_asked_for_where_it_is_needed() -> None:
    with pytest.raises(apu.InvalidInput, match="needs theta for halfspaces"):
        apu.UnknownPrior(apu.Halfspaces(), 0.1, 0.1)
