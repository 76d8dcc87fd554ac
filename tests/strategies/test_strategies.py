"""Each strategy prefers what its reference says, and batches hold no two alike."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu import channel
from activepu.errors import InvalidInput
from activepu.strategies import BY_NAME, View, spread, strategy
from activepu.strategies.information import about_the_model

P = np.linspace(0, 1, 101)
VOTES = (np.arange(100)[:, None] < 100 * P[None, :]).astype(float)


def view(rate=0.5, members=VOTES):
    return View(P, members, rate * members, rate, np.random.default_rng(0).random(len(P)))


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("rate", [1.0, 0.5, 0.01])
def test_utilities_are_finite_and_never_negative(name, rate):
    utility = strategy(name).utility(view(rate))
    assert utility.shape == P.shape
    assert np.isfinite(utility).all()
    assert (utility >= 0).all()


@pytest.mark.parametrize("rate", [1.0, 0.5, 0.2])
def test_an_answer_tells_most_about_the_model_at_the_best_input_of_the_channel(rate):
    best = P[np.argmax(about_the_model(view(rate).reveals))]
    assert abs(best - channel.best_input(rate)) <= 0.01


def told(joint):
    """Mutual information of rows and columns, in bits."""
    apart = joint.sum(axis=0) * joint.sum(axis=1, keepdims=True)
    some = joint > 0
    return (joint[some] * np.log2(joint[some] / apart[some])).sum()


@pytest.mark.parametrize("rate", [1.0, 0.4, 0.01])
def test_information_is_a_mean_of_the_margin_and_of_what_the_answer_tells_about_the_member(rate):
    """The geometric one, by ω and 1 − ω: where the answer is known to be the label it is the margin."""
    rng = np.random.default_rng(0)
    reveals, p = rng.random((7, 5)), rng.random(5)
    utility = strategy("information").utility(View(p, reveals, reveals, rate, P[:5]))
    for item in range(5):
        member = told(np.array([[chance, 1 - chance] for chance in reveals[:, item]]) / 7)
        margin = 2 * min(p[item], 1 - p[item])
        assert np.isclose(np.log(utility[item]), rate * np.log(margin) + (1 - rate) * np.log(member) / 2)


def test_a_batch_prefers_other_places_to_a_little_more_information():
    """Ten items move together and are told a third more by than two others: one of the ten, then the two."""
    rng = np.random.default_rng(0)
    one, two, three = rng.normal(size=(3, 60))
    together = np.stack([one + 0.9 * rng.normal(size=60) for _ in range(10)])
    reveals = 0.3 + np.concatenate([0.075 * together, 0.085 * np.stack([two, three])]).T.clip(-3, 3)
    seen = View(reveals.mean(axis=0), reveals, reveals.clip(0.01, 0.99), 0.5, np.zeros(12))
    utility = strategy("information").utility(seen)
    assert np.argmax(utility) < 10
    assert set(islice(spread(utility, reveals, reveals[:, :0]), 3)) > {10, 11}


@pytest.mark.parametrize("name", ["margin", "entropy", "least confidence", "committee"])
def test_uncertainty_is_largest_in_the_middle_whatever_the_rate(name):
    for rate in (1.0, 0.2):
        assert P[np.argmax(strategy(name).utility(view(rate)))] == 0.5


def test_for_two_classes_margin_entropy_and_least_confidence_give_one_order():
    orders = [np.argsort(np.round(strategy(n).utility(view()), 12), kind="stable") for n in list(BY_NAME)[1:4]]
    assert (orders[0] == orders[1]).all()
    assert (orders[0] == orders[2]).all()


def test_the_likeliest_positive_and_the_lot():
    assert np.argmax(strategy("likely positive").utility(view())) == 100
    assert (strategy("random").utility(view()) == view().ties).all()


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(InvalidInput, match=r"'information', 'margin'.*'best'"):
        strategy("best")


def test_a_batch_takes_twins_last():
    rng = np.random.default_rng(0)
    one, other, third = rng.random((3, 40))
    members = np.column_stack([one, one, one, other, third])
    utility = np.array([1.0, 0.99, 0.98, 0.7, 0.6])
    batch = list(spread(utility, members, members[:, :0]))
    assert sorted(batch) == [0, 1, 2, 3, 4]
    assert batch[0] == 0
    assert set(batch[:3]) == {0, 3, 4}


def test_what_is_being_asked_already_counts_as_taken():
    rng = np.random.default_rng(0)
    one, other = rng.random((2, 40))
    members = np.column_stack([one, other])
    assert next(spread(np.array([1.0, 0.5]), members, members[:, :1])) == 1


def test_agreement_of_all_members_is_no_redundancy():
    members = np.ones((10, 4))
    assert list(spread(np.array([0.1, 0.4, 0.3, 0.2]), members, members[:, :0])) == [1, 2, 3, 0]


@given(st.integers(1, 400), st.integers(0, 10**6))
def test_every_candidate_comes_once_and_the_best_first(n, seed):
    rng = np.random.default_rng(seed)
    utility, members = rng.random(n), rng.random((8, n))
    order = list(islice(spread(utility, members, members[:, :0]), n + 1))
    assert sorted(order) == list(range(n))
    assert order[0] == np.argmax(utility)
