"""What answers identify: bounds of the rate, and positives by the rank of a row."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import beta
from sklearn.metrics import average_precision_score

from activepu.models.identified import DRAWS, Identified, Positives, Rows, guess, identified, least_rate

RNG = np.random.default_rng(0)


def scene(rate, n=400, seed=0):
    """Scores, labels and reveals; the classes overlap a little."""
    rng = np.random.default_rng(seed)
    z = rng.normal(-1, 2.5, n)
    y = rng.random(n) < expit(2 * z)
    return expit(z), y, y & (rng.random(n) < rate)


def rows_of(score, answer, probability=None):
    return Rows(score, score if probability is None else probability, answer.astype(np.int8), np.ones(len(score)))


def test_the_least_rate_is_the_largest_bound_of_the_groups():
    score, revealed = RNG.random(100), RNG.random(100) < 0.4
    best = revealed[np.argsort(-score, kind="stable")]
    bounds = [beta.ppf(0.05, best[:k].sum(), k - best[:k].sum() + 1) for k in (8, 16, 32, 64) if best[:k].any()]
    assert least_rate(score, revealed) == pytest.approx(max(bounds))
    assert least_rate(score, np.zeros(100, bool)) == 0
    assert 0 < least_rate(score[:3], np.ones(3, bool)) < 1


@pytest.mark.parametrize("rate", [1.0, 0.6, 0.3])
def test_the_least_rate_is_seldom_too_high_even_if_the_best_rows_are_all_positive(rate):
    tops = np.random.default_rng(1).random((400, 128)) < rate
    score = np.linspace(1, 0, 128)
    assert np.mean([least_rate(score, revealed) > rate for revealed in tops]) <= 0.2


def test_where_everything_is_known_nothing_is_estimated():
    score, y, _ = scene(1.0)
    found = identified(score, y, 1.0, 1.0, seed=0)
    rows = rows_of(score, y).ranked(score)
    positives = found.positives(rows, 1.0, at=100)
    assert (positives.among == positives.among[0]).all()  # a silent row is a negative, a revealed one positive
    best = y[np.argsort(-score, kind="stable")]
    assert (positives.among[0] == np.cumsum(best)[positives.depths.astype(int) - 1]).all()
    assert 100 in positives.depths
    assert positives.average_precision[0] == pytest.approx(average_precision_score(y, score), abs=0.01)
    assert positives.recall[0, -1] == 1


def test_the_lower_the_rate_the_more_positives():
    score, y, revealed = scene(0.5)
    asked = np.arange(400) < 250
    found = identified(score[asked], revealed[asked], None, 0.5, seed=0)
    rows = rows_of(score, np.where(asked, revealed, -1)).ranked(score)
    totals = [np.median(found.positives(rows, rate).among[:, -1]) for rate in (1.0, 0.6, found.least)]
    assert totals[0] < totals[1] < totals[2]
    assert revealed[asked].sum() <= totals[0] <= y.sum()
    assert totals[2] <= 400
    assert found.least <= 0.5 <= found.most == 1.0


def test_half_as_many_positives_revealed_twice_as_often_give_the_same_estimates():
    score, _, revealed = scene(0.5, 2000)
    again = identified(score, revealed, None, 0.9, seed=0)
    found = identified(score, revealed, None, 0.4, seed=0)
    assert (found.seen == again.seen).all()
    assert (found.least, found.most) == (again.least, again.most)


def test_a_stated_rate_leaves_only_the_curve_open():
    score, y, revealed = scene(0.5)
    asked = np.arange(400) < 250
    found = identified(score[asked], revealed[asked], 0.5, 0.5, seed=0)
    assert found.rates == (0.5, 0.5, 0.5)
    rows = rows_of(score, np.where(asked, revealed, -1)).ranked(score)
    told = guess({0.5: found.positives(rows, 0.5).among[:, -1]}, 0.5)
    assert told.low < 1.05 * y.sum() < 1.1 * told.high < 2 * told.low


def test_rows_that_stand_for_others_count_as_often():
    score, _, revealed = scene(0.5)
    asked = np.arange(400) < 200
    found = identified(score[asked], revealed[asked], 0.5, 0.5, seed=0)
    answer = np.where(asked, revealed, -1).astype(np.int8)
    many = np.concatenate([np.arange(400), *[np.arange(200, 400)] * 4])
    each = Rows(score[many], score[many], answer[many], np.ones(len(many))).ranked(score[many])
    weighted = Rows(score, score, answer, np.where(asked, 1.0, 5.0)).ranked(score)
    one, other = (np.median(found.positives(rows, 0.5).among[:, -1]) for rows in (each, weighted))
    assert one == pytest.approx(other, rel=0.02)


def test_the_models_own_probabilities_can_take_the_place_of_the_curve():
    flat = np.zeros((DRAWS, 99))
    found = Identified(flat, flat, 0.5, 0.5, 0.5, seed=0)
    rows = rows_of(np.full(50, 0.3), np.full(50, -1), np.full(50, 0.2))
    assert found.positives(rows, 0.5).among[:, -1].max() == 0
    assert found.positives(rows, 0.5, own=True).among[:, -1].mean() == pytest.approx(10, abs=1)


def test_precision_recall_and_their_average():
    positives = Positives(np.array([1.0, 2.0, 4.0]), np.array([[1.0, 1.0, 2.0]]))
    assert positives.precision.tolist() == [[1.0, 0.5, 0.5]]
    assert positives.recall.tolist() == [[0.5, 0.5, 1.0]]
    assert positives.average_precision.tolist() == [0.75]
