"""Scores become probabilities of the label, and the rate is found, through the channel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from activepu.models.calibration import calibrate, log_odds


def scene(rate, n=4000, slope=2.0, intercept=-1.0, seed=0):
    """Scores with P(y = 1 | score) = σ(slope·logit(score) + intercept), and reveals."""
    rng = np.random.default_rng(seed)
    score = expit(rng.normal(0, 2, n))
    p = expit(slope * log_odds(score) + intercept)
    return score, p, (rng.random(n) < p) & (rng.random(n) < rate)


@pytest.mark.parametrize("rate", [1.0, 0.5, 0.2])
def test_the_truth_is_found_from_many_answers(rate):
    score, p, revealed = scene(rate)
    found = calibrate(score, revealed)
    assert abs(found.rate - rate) <= 0.12 * rate
    assert np.abs(found(score) - p).mean() <= 0.03


@pytest.mark.parametrize("seed", range(4))
def test_seldom_revealed_positives_of_one_kind_are_all_positives(seed):
    rng = np.random.default_rng(seed)
    positive = rng.random(300) < 0.4
    score = np.clip(np.where(positive, 0.5, 0.05) + rng.normal(0, 0.05, 300), 0, 1)
    found = calibrate(score, positive & (rng.random(300) < 0.2))
    assert ((found(score) >= 0.5) == positive).mean() >= 0.95
    assert abs(found.rate - 0.2) <= 0.1


def test_a_score_that_tells_nothing_makes_neither_everything_positive_nor_nothing():
    shares = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        positive = rng.random(60) < 0.35
        score = np.clip(np.where(positive, 0.55, 0.45) + rng.normal(0, 0.15, 60), 0, 1)
        shares.append((calibrate(score, positive & (rng.random(60) < 0.6))(score) >= 0.5).mean())
    assert np.mean([0.05 < share < 0.95 for share in shares]) >= 0.8


def test_a_star_read_as_a_negative_would_halve_the_probabilities():
    score, p, revealed = scene(0.5)
    through, as_negative = calibrate(score, revealed), calibrate(score, revealed, rate=1.0)
    assert abs(through(score).mean() - p.mean()) <= 0.03
    assert as_negative(score).mean() <= 0.6 * p.mean()


def test_a_known_rate_is_kept_and_has_no_spread():
    score, _, revealed = scene(0.5)
    found = calibrate(score, revealed, rate=0.5)
    assert found.rate == 0.5
    assert {one.rate for one in found.draws(20, seed=0)} == {0.5}
    assert len({one.intercept for one in found.draws(20, seed=0)}) == 20


def test_more_answers_narrow_what_is_plausible():
    widths = []
    for n in (200, 5000):
        score, _, revealed = scene(0.5, n)
        widths.append(np.ptp([one.rate for one in calibrate(score, revealed).draws(200, seed=0)]))
    assert widths[1] < 0.5 * widths[0]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=30),
    st.sampled_from([None, 0.3, 1.0]),
)
def test_probabilities_are_finite_increase_with_the_score_and_stay_in_the_unit_interval(pairs, rate):
    score, revealed = np.array([s for s, _ in pairs]), np.array([r for _, r in pairs])
    found = calibrate(score, revealed, rate)
    p = found(np.linspace(0, 1, 50))
    assert ((p >= 0) & (p <= 1)).all()
    assert (np.diff(p) >= 0).all()
    assert 0 < found.rate <= 1
