from functools import cache

import numpy as np
import pytest
from zcal.making import posterior
from zcal.posteriors.brute import fold, predictions

from activepu.hypotheses import Halfspaces
from activepu.zcal.posteriors.halfspaces import HalfspacePosterior
from activepu.zcal.rates import Rates

SAMPLE = np.array([[-1.0, -1.0], [1.0, 1.0], [0.3, -0.6], [-0.7, 0.5], [0.6, 0.1], [-0.2, -0.3]])
ANSWERS = [(0, False, 0), (1, True, 1), (2, False, 1), (3, False, 0), (4, True, 0)]
H = Halfspaces(2)


@cache
def dichotomies():
    """The labellings of the sample, and how often halfspaces from the uniform sphere make them (the frame is the square
    itself)."""
    g = np.random.default_rng(0).normal(size=(200_000, 3))
    codes = 2 ** np.arange(len(SAMPLE)) @ (SAMPLE @ g[:, :2].T + g[:, 2] >= 0)
    codes, counts = np.unique(codes, return_counts=True)
    return (codes[:, None] >> np.arange(len(SAMPLE)) & 1).astype(bool), counts


@pytest.mark.parametrize(("rate", "eta"), [(0.5, 0.0), (None, 0.0), ("per expert", 0.0), (0.6, 0.1), (None, 0.05)])
def test_the_chains_average_to_the_mean_over_the_sphere(rate, eta):
    rates = Rates.parse(rate)
    labels, counts = dichotomies()
    prior = counts * labels[:, 5]
    want = predictions(labels, prior, ANSWERS, rates, 1, eta)
    made = HalfspacePosterior(H, rates, SAMPLE, SAMPLE[5:], 1, eta, chains=1000)
    fold(made, SAMPLE, ANSWERS)
    got = []
    for _ in range(16):
        made._walk(3)
        prediction = made.predict(SAMPLE, 1)
        got.append([prediction.p, prediction.q, prediction.noise])
    np.testing.assert_allclose(np.mean(got, axis=0), want, atol=0.015)


def test_every_member_holds_what_is_known_and_revealed():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(300, 5)) * [1, 10, 100, 1, 1e-3] + [0, 0, 1e4, 0, 0]
    made = posterior(Halfspaces(5), Rates.parse(0.5), points, points[points[:, 0] > 2], 0)
    revealed = points[:, 0] > 2
    for i in range(40):
        answer = bool(points[i, 0] > 0.5 and rng.random() < 0.5)
        made.fold(points[i : i + 1], answer)
        revealed[i] |= answer
        members = made.members
        assert (points[revealed] @ members[:, :-1].T >= members[:, -1]).all()
    p = made.predict(points).p
    assert p[points[:, 0] > 1.5].mean() > 0.8
    assert p[points[:, 0] < -1].mean() < 0.2


def test_a_reveal_that_no_chain_holds_starts_them_from_the_whole_space():
    made = HalfspacePosterior(H, Rates.parse(1), SAMPLE, SAMPLE[:0], 0, chains=16)
    made.members = np.tile([1.0, 0.0, 0.5], (16, 1))
    made.fold(SAMPLE[:1], True)
    assert made.holds(SAMPLE[:1]).all()
    assert made.effective == pytest.approx(16)


def test_silent_counts_the_stars_inside_each_member():
    made = fold(posterior(H, Rates.parse("per expert"), SAMPLE, SAMPLE[5:], 7), SAMPLE, ANSWERS)
    labels = made.members[:, 2] <= SAMPLE @ made.members[:, :2].T
    assert np.array_equal(made.silent, [labels[[0, 3]].sum(axis=0), labels[2].astype(int)])


def test_chains_are_carried_and_reproducible(monkeypatch):
    one, two = (fold(posterior(H, Rates(), SAMPLE, SAMPLE[:0], 7), SAMPLE, ANSWERS) for _ in range(2))
    assert np.array_equal(one.members, two.members)
    other = fold(posterior(H, Rates(), SAMPLE, SAMPLE[:0], 8), SAMPLE, ANSWERS)
    assert not np.array_equal(one.members, other.members)
    monkeypatch.setattr("activepu.zcal.posteriors.halfspaces.MOVES", 0)
    before = {tuple(row) for row in one.members.round(9)}
    one.fold(SAMPLE[5:], False)
    assert {tuple(row) for row in one.members.round(9)} <= before


def test_supposing_silence_only_weighs():
    made = fold(posterior(H, Rates.parse(0.5), SAMPLE, SAMPLE[:0], 0), SAMPLE, ANSWERS)
    members, before = made.members.copy(), made.predict(SAMPLE)
    supposed = made.supposing_silence(SAMPLE[[3, 5]], [0, 0])
    held = made.holds(SAMPLE[[3, 5]]).sum(axis=0)
    np.testing.assert_allclose(supposed.weight, 0.5**held / (0.5**held).sum())
    supposed.fold(SAMPLE[:1], False)
    assert np.array_equal(made.members, members)
    assert np.array_equal(made.predict(SAMPLE).q, before.q)
