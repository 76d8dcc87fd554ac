import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from activepu.errors import InvalidInput
from activepu.hypotheses.finite import FiniteClass, Member

X = np.array([[0.0], [1.0], [2.0]])


def above_half(X):
    return X[:, 0] > 0.5


class Predicts:
    """Something with predict() and, if given, classes_."""

    def __init__(self, answer, classes=None):
        self.answer = answer
        self.calls = 0
        if classes is not None:
            self.classes_ = np.array(classes)

    def predict(self, X):
        self.calls += 1
        return np.asarray(self.answer)


def test_points_hold_one_bit_per_predictor():
    points = FiniteClass([above_half, lambda X: X[:, 0] > 1.5]).encode(X)
    assert points.dtype == np.uint64
    assert points.tolist() == [[0], [1], [3]]


@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_each_member_reads_its_own_bit(size):
    rng = np.random.default_rng(size)
    matrix = rng.random((size, 7)) < 0.5
    hypotheses = FiniteClass([Predicts(row) for row in matrix])
    points = hypotheses.encode(np.zeros((7, 2)))
    assert points.shape == (7, size // 64 + 1)  # room for ∅
    for index in range(size):
        assert np.array_equal(Member(hypotheses, index).contains(points), matrix[index])
    assert not hypotheses.member(size).contains(points).any()
    assert all(predictor.calls == 1 for predictor in hypotheses.predictors)


def test_a_classifier_is_positive_at_its_last_class():
    model = LogisticRegression().fit(X, ["no", "yes", "yes"])
    hypotheses = FiniteClass([model, Predicts([2, 0, 2], classes=[0, 2]), Predicts([1, 0, 1])])
    points = hypotheses.encode(X)
    assert np.array_equal(hypotheses.member(0).contains(points), model.predict(X) == "yes")
    assert hypotheses.member(1).contains(points).tolist() == [True, False, True]
    assert hypotheses.member(2).contains(points).tolist() == [True, False, True]


def test_prediction_calls_one_predictor_only():
    chosen, other = Predicts([1, 1, 0]), Predicts([0, 0, 0])
    hypotheses = FiniteClass([other, chosen])
    assert hypotheses.member(1).predict(X).tolist() == [True, True, False]
    assert other.calls == 0
    assert not hypotheses.member(2).predict(X).any()


def test_members_are_named_after_their_predictors_and_survive_a_round_trip():
    hypotheses = FiniteClass([above_half, lambda X: X[:, 0] > 1, LogisticRegression(C=2.0)])
    names = [str(hypotheses.member(index)) for index in range(4)]
    assert names == ["above_half", "predictor 1", "LogisticRegression(C=2.0)", "nothing"]
    assert hypotheses.hypothesis_from_dict(hypotheses.member(1).to_dict()) == hypotheses.member(1)
    assert hypotheses.to_dict()["predictors"] == names[:3]


def test_growth_counts_the_empty_member():
    hypotheses = FiniteClass([above_half] * 3)
    assert hypotheses.vc_dimension == 2
    assert hypotheses.log_growth(1) == pytest.approx(math.log(2))
    assert hypotheses.log_growth(100) == pytest.approx(math.log(4))
    assert FiniteClass([above_half]).vc_dimension == 1  # {everything, ∅} shatters one point


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([1, 0], r"Predictor 1 .*\(2,\)"),
        ([[1], [0], [1]], r"Predictor 1 .*\(3, 1\)"),
        ([1, math.nan, 0], "Predictor 1 .*nan in row 1|Predictor 1 .*nan.* in row 1"),
        ([0, 1, 2], "Predictor 1 .* in row 2"),
        ([0.5, 0, 1], "Predictor 1 .* in row 0"),
        (["a", "b", "a"], "Predictor 1 .* in row 0"),
    ],
)
def test_a_bad_answer_names_its_predictor(answer, message):
    with pytest.raises(InvalidInput, match=message):
        FiniteClass([above_half, Predicts(answer)]).encode(X)


def test_bad_lists_are_refused():
    with pytest.raises(InvalidInput, match="at least one"):
        FiniteClass([])
    with pytest.raises(InvalidInput, match="Predictor 1"):
        FiniteClass([above_half, 3])
    with pytest.raises(InvalidInput, match="one class only"):
        FiniteClass([Predicts([0, 0, 0], classes=[0])]).encode(X)
    with pytest.raises(InvalidInput, match="members 0 to 1"):
        FiniteClass([above_half]).member(2)


def test_a_predictor_that_raises_is_named():
    H = FiniteClass([lambda X: X[:, 0] > 0, lambda X: X["amount"] > 1]).bind(1)
    with pytest.raises(InvalidInput, match=r"Predictor 1 raised IndexError over 2 rows of 1 feature.*must be fitted"):
        H.encode(np.array([[0.1], [0.7]]))
