"""The reveal rates against plain formulas, a fine grid of rates, and the Beta integrals."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betainc, betaln

from activepu.errors import InvalidInput
from activepu.zcal.rates import Rates, is_telling

FORMS = [Rates(), Rates(0.3, 0.7), Rates(0.5, 0.5), Rates(1.0, 1.0), Rates(0.0, 0.4), Rates(0.25, 1.0)]
forms, counts = st.sampled_from(FORMS), st.integers(0, 12)


def interval(rates, revealed, silent, floor):
    """The rates that reach a floor at one moment."""
    low, high = rates.intervals([(revealed, silent, floor)])
    return float(low[0]), float(high[0])


def likelihood(r, s, rate):
    return rate**r * (1 - rate) ** s


def test_a_rate_is_read_from_what_a_user_writes():
    assert Rates.parse(None) == Rates(0.0, 1.0)
    assert Rates.parse(0.5) == Rates(0.5, 0.5)
    assert Rates.parse(1) == Rates(1.0, 1.0)
    assert Rates.parse((0, 0.5)) == Rates(0.0, 0.5)
    assert Rates.parse([0.2, 0.2]).known
    assert Rates.parse("per expert") == Rates(0.0, 1.0, per_expert=True)
    assert not Rates.parse("per expert").known


@pytest.mark.parametrize("bad", [0, -0.1, 1.1, (0.6, 0.4), (0.1, 0.2, 0.3), "often", (0.0, 0.0), True, math.nan])
def test_what_is_no_rate_is_refused_in_a_sentence(bad):
    with pytest.raises(InvalidInput, match=r"rate.* got "):
        Rates.parse(bad)


@given(forms, counts, counts)
def test_the_log_likelihood_is_the_maximum_over_the_possible_rates(rates, r, s):
    grid = np.linspace(rates.low, rates.high, 2001)
    best = likelihood(r, s, grid).max()
    found = np.exp(rates.log_likelihood(r, s))
    assert best <= found * (1 + 1e-9)
    assert found <= best * 1.001 + 1e-12


def test_it_falls_with_silence_and_silence_alone_says_nothing_if_the_rate_may_be_0():
    for rates in FORMS:
        assert np.all(np.diff(rates.log_likelihood(3, np.arange(30))[: 1 if rates.low == 1 else 30]) < 0)
    assert np.all(Rates().log_likelihood(0, np.arange(30)) == 0)
    assert np.all(Rates(0.0, 0.4).log_likelihood(0, np.arange(30)) == 0)
    np.testing.assert_allclose(Rates(0.25, 1.0).log_likelihood(0, 2), 2 * np.log(0.75))


@given(forms, counts, st.floats(-20, 0), counts)
def test_most_silent_is_the_last_that_reaches_the_floor(rates, r, floor, among):
    reached = [s for s in range(among + 1) if rates.log_likelihood(r, s) >= floor]
    assert rates.most_silent(r, floor, among) == (max(reached) if reached else -1)


@given(forms, st.lists(st.tuples(counts, counts, st.floats(-15, 0)), min_size=1, max_size=4))
def test_the_interval_is_the_hull_of_all_rates_that_reach_the_floor(rates, rows):
    r, s, floor = np.array(rows).T
    if np.all(rates.log_likelihood(r, s) < floor):
        with pytest.raises(ValueError, match="no rate"):
            interval(rates, r, s, floor)
        return
    low, high = interval(rates, r, s, floor)
    assert rates.low <= low <= high <= rates.high
    grid = np.linspace(rates.low, rates.high, 1001)
    with np.errstate(divide="ignore"):
        reach = grid[(np.log(likelihood(r[:, None], s[:, None], grid)) >= floor[:, None]).any(axis=0)]
    assert np.all((reach >= low) & (reach <= high))
    # Just inside the ends some row reaches its floor, and just outside none does.
    for end, limit, out in ((low, rates.low, -1e-7), (high, rates.high, 1e-7)):
        if abs(end - limit) > 1e-6:
            assert np.all(likelihood(r, s, end + out) < np.exp(floor))
            inside = likelihood(r, s, end - out) >= np.exp(floor) * (1 - 1e-12)
            assert inside.any() or high - low < 1e-6


def test_the_interval_of_plain_numbers():
    assert interval(Rates(0.5, 0.5), 3, 2, -10.0) == (0.5, 0.5)
    assert interval(Rates(), 0, 0, 0.0) == (0.0, 1.0)
    low, high = interval(Rates(), 1, 0, math.log(0.2))
    assert (low, high) == (pytest.approx(0.2), 1.0)
    low, high = interval(Rates(), 0, 2, math.log(0.25))
    assert (low, high) == (0.0, pytest.approx(0.5))
    low, high = interval(Rates(), 2, 1, math.log(4 / 27))  # equality at 2/3 only
    assert (low, high) == (pytest.approx(2 / 3, abs=1e-6), pytest.approx(2 / 3, abs=1e-6))


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_mean_over_unknown_rates_is_the_beta_integral(r, s):
    omega = np.sin(np.pi / 2 * (np.arange(500) + 0.5) / 500) ** 2  # exact below degree 1,000 (Gauss and Chebyshev)
    likelihood = omega**r * (1 - omega) ** s
    np.testing.assert_allclose(Rates().log_mean(r, s), np.log(likelihood.mean()), atol=1e-9)
    np.testing.assert_allclose(Rates().mean_rate(r, s), (omega * likelihood).mean() / likelihood.mean(), rtol=1e-9)


@given(st.integers(0, 12), st.integers(0, 12))
def test_the_mean_over_a_range_is_the_incomplete_one(r, s):
    rates = Rates(0.3, 0.7)

    def share(a, b):
        return betainc(a, b, 0.7) - betainc(a, b, 0.3)

    a, b = r + 0.5, s + 0.5
    expected = betaln(a, b) + np.log(share(a, b)) - betaln(0.5, 0.5) - np.log(share(0.5, 0.5))
    np.testing.assert_allclose(rates.log_mean(r, s), expected, atol=1e-3)
    np.testing.assert_allclose(rates.mean_rate(r, s), a / (a + b) * share(a + 1, b) / share(a, b), atol=1e-3)


def test_the_mean_over_one_rate_is_that_rate_unless_the_answers_exclude_it():
    np.testing.assert_allclose(Rates(0.3, 0.3).mean_rate(4, np.array([0, 5])), 0.3)
    np.testing.assert_allclose(Rates(0.3, 0.3).log_mean(4, 5), 4 * np.log(0.3) + 5 * np.log(0.7))
    np.testing.assert_array_equal(Rates(1.0, 1.0).mean_rate(2, np.array([0, 1])), [1.0, 0.0])
    np.testing.assert_array_equal(Rates(1.0, 1.0).log_mean(2, np.array([0, 1])), [0.0, -np.inf])


@given(forms, st.lists(st.tuples(counts, counts, st.floats(-15, 0)), min_size=1, max_size=4))
def test_intervals_of_many_moments_are_those_of_each(rates, rows):
    moments = [(r, [s, s + 1], floor) for r, s, floor in rows if rates.log_likelihood(r, s) >= floor]
    if moments:
        low, high = rates.intervals(moments)
        assert list(zip(low, high, strict=True)) == [interval(rates, *moment) for moment in moments]
    if len(moments) < len(rows):
        with pytest.raises(ValueError, match="no rate"):
            rates.intervals(rows)


def test_the_first_answers_about_the_rate_are_all_telling_and_then_one_in_a_share_of_them():
    telling = [n for n in range(1, 100_000) if is_telling(n)]
    assert telling[:128] == list(range(1, 129))
    assert all(b - a <= max(1, a / 64) for a, b in pairwise(telling))
    assert len(telling) < 64 * 12
