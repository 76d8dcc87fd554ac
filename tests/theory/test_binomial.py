from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from activepu.errors import InvalidInput
from activepu.theory import binomial

counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.3, 0.1, 0.0125, 1e-6])


@given(counts, levels)
def test_the_upper_bound_is_the_rate_at_which_so_few_successes_have_probability_alpha(pair, alpha):
    k, n = pair
    bound = binomial.upper(k, n, alpha)
    if k == n:
        assert bound == 1.0
    else:
        assert stats.binom.cdf(k, n, bound) == pytest.approx(alpha, rel=1e-6)


@given(counts, levels)
def test_the_lower_bound_mirrors_the_upper_one(pair, alpha):
    k, n = pair
    assert binomial.lower(k, n, alpha) == pytest.approx(1.0 - binomial.upper(n - k, n, alpha), abs=1e-9)


def test_coverage_is_exact_for_every_rate():
    n, alpha = 25, 0.1
    uppers = np.array([binomial.upper(k, n, alpha) for k in range(n + 1)])
    for p in np.linspace(0.01, 0.99, 99):
        missed = stats.binom.pmf(np.arange(n + 1), n, p)[uppers < p].sum()
        assert missed <= alpha + 1e-12


@given(st.integers(0, 300), st.floats(0, 1), st.floats(0.001, 0.999999))
def test_the_quantile_is_the_smallest_count_that_reaches_the_level(n, p, level):
    q = binomial.quantile(n, p, level)
    assert stats.binom.sf(q, n, p) <= 1.0 - level + 1e-12
    if q > 0:
        assert stats.binom.sf(q - 1, n, p) > 1.0 - level - 1e-12


@pytest.mark.parametrize("level", [0.5, 0.975, 1 - 1e-9])
def test_the_quantile_of_ten_million_trials_is_exact(level):
    n, p = 10_000_000, 0.3
    q = binomial.quantile(n, p, level)
    assert stats.binom.sf(q, n, p) <= 1.0 - level < stats.binom.sf(q - 1, n, p)


def test_the_quantile_at_the_ends():
    assert binomial.quantile(10, 0.0, 0.9) == 0
    assert binomial.quantile(10, 1.0, 0.9) == 10
    assert binomial.quantile(0, 0.5, 0.9) == 0


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.8, 1.0])
def test_bounds_at_the_last_success_cover_for_inverse_sampling(rate):
    successes, alpha = 5, 0.05
    trials = np.arange(successes, 1200)
    chances = stats.nbinom.pmf(trials - successes, successes, rate)
    bounds = np.array([binomial.bounds_at_success(successes, int(n), alpha) for n in trials])
    assert chances[bounds[:, 0] > rate].sum() <= alpha
    assert chances[bounds[:, 1] < rate].sum() <= alpha


def test_all_trials_successful_leave_the_rate_unbounded_above():
    low, high = binomial.bounds_at_success(7, 7, 0.05)
    assert high == 1.0
    assert low == pytest.approx(0.05 ** (1 / 7))


def failure(successes: int, rate: float) -> float:
    """P(T/N outside [ω/2, 2ω]) for inverse sampling, exactly: N < T/(2ω) or N > 2T/ω."""
    fewest, most = successes / (2 * rate), 2 * successes / rate
    few = stats.nbinom.cdf(np.ceil(fewest - 1e-9) - 1 - successes, successes, rate)
    many = stats.nbinom.sf(np.floor(most + 1e-9) - successes, successes, rate)
    return float(few + many)


@pytest.mark.parametrize(("delta", "successes"), [(0.1, 7), (0.0125, 15)])
def test_seven_and_fifteen_successes_replace_thirty_six_and_fifty_two(delta, successes):
    assert binomial.successes_for_factor_two(delta) == successes


@pytest.mark.parametrize("delta", [0.3, 0.1, 0.05, 0.0125, 0.001])
def test_the_smallest_rates_are_the_worst_case_of_the_factor_two(delta):
    successes = binomial.successes_for_factor_two(delta)
    rates = np.concatenate([np.geomspace(1e-5, 1.0, 400), np.linspace(0.01, 1.0, 500)])
    assert max(failure(successes, rate) for rate in rates) <= delta
    assert failure(successes - 1, 1e-5) > delta


@given(st.integers(1, 40), st.floats(0.02, 1.0), levels)
def test_trials_for_successes_are_enough_and_one_less_is_not(successes, rate, delta):
    n = binomial.trials_for_successes(successes, rate, delta)
    assert stats.binom.cdf(successes - 1, n, rate) <= delta * (1 + 1e-9)
    assert n == successes or stats.binom.cdf(successes - 1, n - 1, rate) > delta * (1 - 1e-9)


def test_impossible_counts_are_refused():
    with pytest.raises(InvalidInput, match="3 of 2"):
        binomial.upper(3, 2, 0.1)
    with pytest.raises(InvalidInput, match="at least 1"):
        binomial.bounds_at_success(0, 5, 0.1)
