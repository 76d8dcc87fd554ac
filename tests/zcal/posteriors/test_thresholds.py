import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zcal.making import posterior
from zcal.posteriors.brute import RATES, close, fold, predictions, questions

from activepu.hypotheses import Conjunctions, Orthants, Thresholds
from activepu.zcal.posteriors.base import FLOOR
from activepu.zcal.posteriors.thresholds import ThresholdPosterior
from activepu.zcal.rates import Rates


def members(column):
    """Every cut of the column, ∅ last; a value's rank is the mean place of its ties among n + 1."""
    values = np.unique(column)
    ranks = np.array([np.mean(np.flatnonzero(np.sort(column) == v) + 1) for v in values]) / (len(column) + 1)
    labels = np.vstack([column >= values[:, None], np.zeros(len(column), bool)])
    return labels, np.diff(np.concatenate([[0.0], ranks, [1.0]]))


@st.composite
def cases(draw):
    column = np.array(draw(st.lists(st.integers(0, 5).map(float), min_size=1, max_size=7)))
    return column, draw(questions(len(column))), draw(st.lists(st.integers(0, len(column) - 1), max_size=1))


def test_without_ties_every_cut_is_equally_likely():
    _, prior = members(np.array([3.0, 1.0, 2.0]))
    np.testing.assert_allclose(prior, 0.25)


@given(cases(), RATES, st.integers(0, 3))
def test_equals_the_sum_over_all_cuts(case, rates, expert):
    column, answers, known = case
    points = column[:, None]
    labels, prior = members(column)
    prior = prior * labels[:, known].all(axis=1)
    got = fold(posterior(Thresholds().bind(1), rates, points, points[known], 0), points, answers)
    close(got.predict(points, expert), predictions(labels, prior, answers, rates, expert))


@given(cases(), RATES, st.data())
def test_supposing_silence_is_folding_it_and_leaves_the_original(case, rates, data):
    column, answers, _ = case
    points = column[:, None]
    made = fold(posterior(Thresholds().bind(1), rates, points, points[:0], 0), points, answers)
    before = made.predict(points, 1)
    items = data.draw(st.lists(st.integers(0, len(column) - 1), max_size=3))
    experts = [data.draw(st.integers(0, 2)) for _ in items]
    supposed = made.supposing_silence(points[items], experts).predict(points, 1)
    close(made.predict(points, 1), (before.p, before.q, before.noise), 0)
    fold(made, points, [(item, False, expert) for item, expert in zip(items, experts, strict=True)])
    after = made.predict(points, 1)
    close(supposed, (after.p, after.q, after.noise), 1e-12)


def test_the_scale_of_a_column_does_not_matter():
    x = np.random.default_rng(0).normal(size=(30, 1))
    answers = [(i, bool(x[i, 0] > 1), 0) for i in range(10)]
    plain = fold(posterior(Thresholds().bind(1), Rates(), x, x[:0], 0), x, answers).predict(x)
    scaled = fold(posterior(Thresholds().bind(1), Rates(), np.exp(x), x[:0], 0), np.exp(x), answers).predict(np.exp(x))
    close(plain, (scaled.p, scaled.q, scaled.noise), 1e-12)


def test_points_beyond_the_sample_stay_apart():
    x = np.arange(5.0)[:, None]
    made = posterior(Thresholds().bind(1), Rates(), x, x[:0], 0)
    p = made.predict(np.array([[-1e300], [-9.0], [-2.0], [0.0], [0.5], [1.0], [4.0], [5.0], [70.0], [1e300]])).p
    assert np.all(np.diff(p[1:-1]) > 0)
    assert p[0] >= 0
    assert p[-1] <= 1


def test_an_impossible_answer_still_has_a_probability():
    x = np.arange(5.0)[:, None]
    made = posterior(Thresholds().bind(1), Rates.parse(1), x, x[2:3], 0)
    assert made.predict(x[4:]).q[0] == 1 - FLOOR
    for _ in range(80):
        made.fold(x[4:], False)
    made.fold(x[0:1], False)
    prediction = made.predict(x)
    assert np.isfinite([prediction.p, prediction.q, prediction.noise]).all()
    assert prediction.p[0] == pytest.approx(0.0, abs=1e-5)  # a star outside what is known is still believed


@pytest.mark.parametrize("kind", [Orthants(dim=1), Conjunctions(dim=1), Thresholds().bind(1)])
def test_every_class_with_one_side_is_exact(kind):
    x = np.array([[0.0], [1.0]])
    assert isinstance(posterior(kind, Rates(), x, x[:0], 0), ThresholdPosterior)
