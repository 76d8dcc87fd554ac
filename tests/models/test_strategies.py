"""Each strategy prefers what its reference says, and batches hold no two alike."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.errors import InvalidInput
from activepu.models.strategies import BY_NAME, Strategy, View, spread, strategy
from activepu.models.strategies.value_of_information import worth

P = np.linspace(0, 1, 101)
VOTES = (np.arange(100)[:, None] < 100 * P[None, :]).astype(float)


def view(rate=0.5, members=VOTES):
    return View(P, members, rate, np.random.default_rng(0).random(len(P)))


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("rate", [1.0, 0.5, 0.01])
def test_utilities_are_finite_and_never_negative(name, rate):
    utility = strategy(name).utility(view(rate))
    assert utility.shape == P.shape
    assert np.isfinite(utility).all()
    assert (utility >= 0).all()


def test_a_strategy_prints_with_its_settings():
    class Own(Strategy):
        name = "own"

        def __init__(self, power, seed=0):
            self.power, self._seed = power, seed

        def utility(self, view):
            return view.probability**self.power

    assert repr(Own(2)) == "Own(power=2, seed=0)"
    assert repr(strategy("margin")) == "Margin()"


def least_error(joint):
    """The chance to be wrong about y by the best rule that sees the answer; rows are y, columns are answers."""
    return sum(min(column) for column in zip(*joint, strict=True))


def after(stars, p, rate):
    """y by the answers to this many items of one kind: at least one reveal, or none."""
    hidden = (1 - rate) ** stars
    return [[0.0, 1 - p], [(1 - hidden) * p, hidden * p]]


@given(st.floats(0, 0.999), st.floats(0.02, 1))
def test_an_answer_is_worth_its_share_of_the_fall_of_the_least_error_by_the_best_number_of_them(p, rate):
    unseen = least_error([[1 - p], [p]])
    best = max((unseen - least_error(after(m, p, rate))) / m for m in range(1, 1 + int(10 / rate)))
    found = worth(p, rate)
    assert found <= best + 1e-12
    assert found >= 0.98 * best - 1e-12


@pytest.mark.parametrize("rate", [1.0, 0.5, 0.2, 0.01])
def test_below_the_middle_it_is_the_chance_of_a_reveal(rate):
    low = P[P <= 0.5]
    assert np.allclose(worth(low, rate), rate * low)


def test_where_all_positives_are_revealed_information_is_the_order_of_margin():
    p = np.random.default_rng(0).random(50)
    seen = View(p, p[None, :], 1.0, p)
    orders = [np.argsort(-strategy(name).utility(seen)) for name in ("information", "margin")]
    assert (orders[0] == orders[1]).all()


@pytest.mark.parametrize("rate", [0.5, 0.2, 0.01])
def test_where_they_are_not_what_looks_negative_comes_first_but_nothing_is_worthless(rate):
    utility = strategy("information").utility(view(rate))
    assert P[np.argmax(utility)] == 0.5
    assert (utility[1:50] > utility[99:50:-1]).all()
    assert (np.diff(utility[50:]) < 0).all()
    assert utility[-1] > 0
    assert utility[90] > rate * 0.001  # a likely positive comes before a sure negative


@pytest.mark.parametrize("name", ["margin", "entropy", "least confidence", "committee"])
def test_uncertainty_is_largest_in_the_middle_whatever_the_rate(name):
    for rate in (1.0, 0.2):
        assert P[np.argmax(strategy(name).utility(view(rate)))] == 0.5


def test_for_two_classes_margin_entropy_and_least_confidence_give_one_order():
    orders = [
        np.argsort(np.round(strategy(n).utility(view()), 12), kind="stable")
        for n in ("margin", "entropy", "least confidence")
    ]
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
