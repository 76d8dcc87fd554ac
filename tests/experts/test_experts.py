import numpy as np
import pandas as pd
import pytest

from activepu.errors import InvalidInput
from activepu.experts import CallbackExpert, Expert, SimulatedExpert, checked_answers

ITEMS = np.arange(5000)


def test_one_coin_per_item_whatever_the_order_and_the_company():
    expert = SimulatedExpert(np.ones(5000, bool), rate=0.4, seed=1)
    together = expert.answer(ITEMS, None)
    assert np.array_equal(expert.answer(ITEMS[::-1], None), together[::-1])
    assert all(expert.answer(ITEMS[k : k + 1], None)[0] == together[k] for k in range(50))
    assert not np.array_equal(SimulatedExpert(np.ones(5000, bool), 0.4, seed=2).answer(ITEMS, None), together)


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
def test_positives_are_revealed_at_the_rate_and_negatives_never(rate):
    y = ITEMS % 2 == 0
    revealed = SimulatedExpert(y, rate).answer(ITEMS, None)
    assert not revealed[~y].any()
    assert abs(revealed[y].mean() - rate) <= 4 * np.sqrt(rate * (1 - rate) / 2500)


def test_labels_come_as_a_vector_or_as_a_function_of_features():
    X = np.random.default_rng(0).random((5000, 2))
    y = X[:, 0] > 0.5
    by_vector = SimulatedExpert(y, 0.5).answer(ITEMS, X)
    for labels in (list(y), y.astype(int), pd.Series(y, index=ITEMS[::-1]), y.astype(object), lambda X: X[:, 0] > 0.5):
        assert np.array_equal(SimulatedExpert(labels, 0.5).answer(ITEMS, X), by_vector)


def test_a_callback_sees_what_is_shown_or_rows_of_its_own():
    seen = []
    expert = CallbackExpert(lambda rows: seen.append(rows) or [True] * len(rows))
    expert.answer(np.array([1, 2]), "the rows")
    assert seen == ["the rows"]
    own = CallbackExpert(lambda rows: rows["y"] == 1, rows=pd.DataFrame({"y": [0, 1, 1]}, index=[5, 6, 7]))
    assert own.answer(np.array([2, 0]), None).tolist() == [True, False]
    assert CallbackExpert(lambda rows: rows > 1, rows=[1, 2, 3]).answer(np.array([2, 0]), None).tolist() == [
        True,
        False,
    ]


def test_anything_with_answer_is_an_expert():
    class Mine:
        def answer(self, items, rows):
            return [True]

    assert isinstance(Mine(), Expert)
    assert not isinstance(object(), Expert)


@pytest.mark.parametrize(
    "answers", [[True, False, True], np.array([1, 0, 1], np.int8), (1, 0, 1), pd.Series([True, False, True])]
)
def test_answers_are_booleans_or_small_numbers(answers):
    assert checked_answers(answers, 3).tolist() == [1, 0, 1]


def test_minus_one_is_a_skip():
    assert checked_answers([-1, 0, 1], 3).tolist() == [-1, 0, 1]


@pytest.mark.parametrize(
    ("answers", "got"),
    [
        ([True], r"shape \(1,\)"),
        (True, r"shape \(\)"),
        ([[True], [False]], r"shape \(2, 1\)"),
        ([[True], [True, False]], r"\[\[True\], \[True, False\]\]"),
        ([2, 0], "2"),
        ([1.0, 0.0], "float64 such as .*1.0"),
        ([np.nan, 0.0], "NaN"),
        (["yes", "no"], "yes"),
        ([None, True], "None"),
    ],
)
def test_strange_answers_are_refused_with_what_was_got(answers, got):
    with pytest.raises(InvalidInput, match=got):
        checked_answers(answers, 2)
