"""Logistic regression with the channel in its likelihood."""

import numpy as np
import pytest
import scipy.sparse as sp
from models.scenes import answers
from sklearn.utils.estimator_checks import parametrize_with_checks

from activepu.errors import InvalidInput
from activepu.models import ChannelLogistic

RNG = np.random.default_rng(0)
WIDE = RNG.normal(size=(300, 400))
WIDE_TRUTH = WIDE[:, :3].sum(axis=1) > 0
LINE = RNG.normal(size=(2000, 2))
LINE_TRUTH = RNG.random(2000) < 1 / (1 + np.exp(-(3 * LINE[:, 0] - 1.5 * LINE[:, 1])))


@parametrize_with_checks([ChannelLogistic()])
def test_it_is_a_scikit_learn_classifier(estimator, check):
    check(estimator)


@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_coefficients_and_rate_are_found(rate):
    found = ChannelLogistic(scale=5, random_state=0).fit(LINE, answers(LINE_TRUTH, rate))
    assert np.allclose(found.coef_[0], [3, -1.5], rtol=0.6)  # at a low rate the slope is told from ω by few answers
    assert np.isclose(found.coef_[0, 0] / found.coef_[0, 1], -2, rtol=0.1)
    assert abs(found.rate_ - rate) <= 0.06
    assert abs(found.rates_.mean() - found.rate_) <= 2 * found.rates_.std()


def test_the_spread_is_that_of_many_repetitions():
    spreads, means = [], []
    for seed in range(30):
        revealed = answers(LINE_TRUTH[:500], 1.0, seed) & True
        rows = np.random.default_rng(seed).integers(0, 500, 500)
        found = ChannelLogistic(scale=5, rate=1.0, n_draws=200, random_state=seed).fit(LINE[rows], revealed[rows])
        spreads.append(found._weights[:, 0].std())
        means.append(found._weights[:, 0].mean())
    assert 0.6 < np.mean(spreads) / np.std(means) < 1.6


def test_wide_and_sparse_tables():
    revealed = answers(WIDE_TRUTH, 0.8)
    dense = ChannelLogistic(random_state=0).fit(WIDE[:250], revealed[:250])
    ranks = dense.predict_proba(WIDE[250:])[:, 1]
    truth = WIDE_TRUTH[250:]
    assert (ranks[truth][:, None] > ranks[~truth][None, :]).mean() > 0.65
    sparse = sp.csr_matrix(np.where(np.abs(WIDE) > 1, WIDE, 0))
    assert ChannelLogistic(random_state=0).fit(sparse, revealed).members(sparse).shape == (50, 300)


def test_three_kinds_of_answer_are_refused():
    with pytest.raises(InvalidInput, match="two values"):
        ChannelLogistic().fit(LINE[:6], [0, 1, 2, 0, 1, 2])


def test_draws_of_narrow_and_wide_tables_have_the_same_spread():
    """The two ways to draw, d × d and n × n, are of one Gaussian."""
    X, y = LINE[:300], answers(LINE_TRUTH[:300], 0.6)
    narrow = ChannelLogistic(n_draws=4000, random_state=0).fit(X, y)
    mode = np.concatenate([narrow.coef_[0] * narrow._scaler.scale_, [0.0, 0.0]])
    Z, nobody = narrow._scaler.transform(X), np.zeros(300, bool)
    mode[-2] = narrow.intercept_[0] + narrow.coef_[0] @ narrow._scaler.mean_
    padded = ChannelLogistic(n_draws=4000, random_state=0)
    wide = np.column_stack([Z, np.zeros((300, 400))])
    wide_mode = np.concatenate([mode[:2], np.zeros(400), mode[2:]])
    one, other = narrow._draws(Z, mode, nobody), padded._draws(wide, wide_mode, nobody)[:, [0, 1, -2, -1]]
    assert np.allclose(one.std(axis=0), other.std(axis=0), rtol=0.1)
    assert np.allclose(np.corrcoef(one.T), np.corrcoef(other.T), atol=0.1)
