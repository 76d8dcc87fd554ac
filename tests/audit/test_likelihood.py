"""The likelihood of counts, against the sum over all orders in which the items can be asked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.audit.likelihood import Counts, binomial_charge, envelope, log_likelihood


def probability(answers: tuple[bool, ...], positives: int, negatives: int, rate: float) -> float:
    """P(the answers come in this order), one drawn item at a time."""
    if not answers:
        return 1.0
    left, total = positives + negatives, 0.0
    if positives:
        odds = rate if answers[0] else 1 - rate
        total += positives / left * odds * probability(answers[1:], positives - 1, negatives, rate)
    if negatives and not answers[0]:
        total += negatives / left * probability(answers[1:], positives, negatives - 1, rate)
    return total


@pytest.mark.parametrize("size", [1, 4, 7])
@pytest.mark.parametrize("rate", [0.3, 0.97, 1.0])
def test_is_the_sum_over_all_orders(size: int, rate: float) -> None:
    every = np.arange(size + 1.0)
    for asked in range(size + 1):
        for answers in itertools.product((False, True), repeat=asked):
            found = np.exp(log_likelihood(Counts(size, asked, sum(answers)), every, np.array(rate)))
            expected = [probability(answers, int(a), size - int(a), rate) for a in every]
            assert found == pytest.approx(expected, abs=1e-12)


@st.composite
def counts(draw: st.DrawFn) -> Counts:
    size = draw(st.integers(1, 3000))
    asked = draw(st.integers(0, min(size, 400)))
    return Counts(size, asked, draw(st.integers(0, asked)))


@given(counts(), st.floats(0.02, 0.999))
def test_leaves_out_no_term_that_matters(seen: Counts, rate: float) -> None:
    """The window around the largest term gives the same sum as all terms do."""
    some = np.unique(np.linspace(0, seen.size, 15).astype(int)).astype(float)
    found = log_likelihood(seen, some, np.array(rate))
    assert found == pytest.approx([_all_terms(seen, a, rate) for a in some], abs=1e-6)


def _all_terms(seen: Counts, positives: float, rate: float) -> float:
    from scipy.special import gammaln, logsumexp

    N, n, r, s = seen.size, seen.asked, seen.revealed, seen.silent
    j = np.arange(s + 1.0)
    j = j[(positives - r - j >= 0) & (N - positives - s + j >= 0)]
    if not len(j):
        return -np.inf
    terms = gammaln(s + 1) - gammaln(j + 1) - gammaln(s - j + 1) + j * np.log1p(-rate)
    terms += gammaln(positives + 1) - gammaln(positives - r - j + 1)
    terms += gammaln(N - positives + 1) - gammaln(N - positives - s + j + 1)
    return float(logsumexp(terms) - gammaln(N + 1) + gammaln(N - n + 1) + r * np.log(rate))


@given(counts(), st.lists(st.floats(0.02, 0.999), min_size=1, max_size=3))
def test_the_envelope_is_concave_and_above(seen: Counts, rates: list[float]) -> None:
    _check_envelope(seen, np.array(rates))
    _check_envelope(seen, np.array([1.0]))


def _check_envelope(seen: Counts, rates: np.ndarray) -> None:
    bound = envelope(seen, rates)
    every = np.arange(seen.size + 1.0)
    for k, rate in enumerate(rates):
        exact = log_likelihood(seen, every, np.array(rate))
        x, y = bound.positives[k], bound.values[k]
        possible = np.isfinite(exact)
        assert (every[possible] >= x[0]).all()
        assert (every[possible] <= x[-1]).all()
        assert (np.interp(every[possible], x, y) >= exact[possible]).all()
        wide = np.diff(x) > 1e-6
        slopes = np.diff(y)[wide] / np.diff(x)[wide]
        assert (np.diff(slopes) <= 1e-5 * (1 + np.abs(slopes[1:]))).all()


def test_the_envelope_is_close_where_it_matters() -> None:
    """Within fifteen nats of the top it is less than a tenth of a nat too high."""
    seen = Counts(20_000, 300, 20)
    every = np.arange(20_001.0)
    exact = log_likelihood(seen, every, np.array(0.5))
    bound = envelope(seen, np.array([0.5]))
    over = np.interp(every, bound.positives[0], bound.values[0]) - exact
    assert over[exact > exact.max() - 15].max() < 0.1


@given(counts(), st.floats(0.02, 1.0))
def test_the_binomial_form_lacks_at_most_its_charge(seen: Counts, rate: float) -> None:
    from scipy.special import xlogy

    every = np.arange(seen.size + 1.0)
    share = rate * every / seen.size
    binomial = xlogy(seen.revealed, share) + xlogy(seen.silent, 1 - share)
    exact = log_likelihood(seen, every, np.array(rate))
    possible = np.isfinite(exact)
    assert (exact[possible] <= binomial[possible] + binomial_charge(seen) + 1e-6).all()
