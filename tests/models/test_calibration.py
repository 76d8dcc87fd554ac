"""Scores become probabilities of the label, and the rate is found, through the channel."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import entr, expit, logsumexp

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


def brute(score, revealed, rate):
    """The mean probability at every score and ln ∫ f, by the formula of the module's head on a fixed, fine grid."""
    z, (n, r) = log_odds(score), (len(revealed), revealed.sum())
    axes = [np.linspace(-2, 2, 25), np.linspace(-6, 6, 61), np.linspace(-5, 5, 61)]
    logits = axes[2] if rate is None else np.zeros(1)
    found, table = [], []
    for a in axes[0]:
        for b in axes[1]:
            p = expit(np.exp(a) * z + b)
            w = (expit(logits) if rate is None else np.array([rate]))[:, None]
            f = np.log(w * p)[:, revealed].sum(axis=1) + np.log1p(-w * p)[:, ~revealed].sum(axis=1)
            f += -0.5 * (a / 0.5) ** 2 - 0.5 * b**2
            if rate is None:
                h, of_mean = (entr(p) + entr(1 - p)).mean(), entr(p.mean()) + entr(1 - p.mean())
                f += 2 * np.log(w[:, 0]) + 2 * np.log(1 - w[:, 0])  # Beta(2, 2), and ω by its logit
                f -= 0.1 * min(n, 300) * min(1, r / 20) * (h - 0.5 * of_mean)
            found.append(f)
            table.append(p)
    weights = np.exp(np.array(found) - np.max(found)).sum(axis=1)
    cell = np.prod([axis[1] - axis[0] for axis in axes[: 3 if rate is None else 2]])
    return weights @ np.array(table) / weights.sum(), logsumexp(found) + np.log(cell)


@pytest.mark.parametrize("rate", [None, 0.5])
@pytest.mark.parametrize(("n", "seed"), [(30, 0), (120, 1)])
def test_the_mean_and_the_evidence_are_integrals(n, seed, rate):
    score, _, revealed = scene(0.5, n, seed=seed)
    score = np.round(score, 2)
    found, (mean, evidence) = calibrate(score, revealed, rate), brute(score, revealed, rate)
    assert np.abs(found(score) - mean).max() <= 0.01
    assert abs(found.evidence - evidence) <= 0.05


def test_from_few_reveals_the_mean_is_less_sure_than_any_one_calibration():
    score, _, revealed = scene(0.5, 25, seed=3)
    found = calibrate(score, revealed)
    lone = np.mean([np.abs(one(score) - 0.5).mean() for one in found.draws(200, seed=0)])
    assert np.abs(found(score) - 0.5).mean() < lone - 0.02


def test_draws_average_to_the_mean():
    score, _, revealed = scene(0.5, 60)
    found = calibrate(score, revealed)
    drawn = np.mean([one(score) for one in found.draws(3000, seed=0)], axis=0)
    assert np.abs(drawn - found(score)).max() <= 0.02


def test_the_score_that_tells_the_revealed_apart_has_more_evidence():
    score, _, revealed = scene(0.5, 200)
    shuffled = np.random.default_rng(1).permutation(score)
    assert calibrate(score, revealed).evidence > calibrate(shuffled, revealed).evidence + 5


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
