"""What the paper's objects take: any labelling, any table, and one sentence for what is neither."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import activepu as apu
from activepu.errors import InvalidInput

paper = apu.paper


def sure(truth: np.ndarray) -> apu.SimulatedExpert:
    """An expert who reveals every positive."""
    return apu.SimulatedExpert(truth, rate=1.0)


def test_a_labelling_may_be_anything_that_says_which_rows_are_positive():
    X = np.random.default_rng(0).random((40, 2))
    truth = X[:, 0] >= 0.4
    frame = pd.DataFrame(X, columns=["a", "b"])
    tree = DecisionTreeClassifier().fit(X, truth)
    result = apu.learn(apu.ZCal(apu.Thresholds("a"), 0.1, 0.1, rate=1.0, check=0), apu.Pool(frame), sure(truth))
    for same in (truth, truth.tolist(), truth.astype(int), pd.Series(truth), lambda Z: Z[:, 0] >= 0.4, tree):
        for pool in (X, frame, apu.Pool(X), apu.Pool(frame)):
            assert paper.error(same, truth, pool) == 0
    for pool in (X, frame, apu.Pool(frame), frame.assign(text="more columns")):
        assert paper.error(result, truth, pool) == paper.error(result.hypothesis, truth, pool) <= 0.1
        assert np.array_equal(
            paper.disagreement_region(result, pool), paper.disagreement_region(result.version_space, pool)
        )


def test_a_result_speaks_of_the_features_that_its_pool_made():
    X = np.random.default_rng(1).random((60, 1))
    frame = pd.DataFrame({"a": X[:, 0]})
    pool = apu.Pool(frame, features=lambda table: table[["a"]].to_numpy() * 10)
    result = apu.learn(apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=1.0, check=0), pool, sure(X[:, 0] >= 0.5))
    assert paper.error(result, X[:, 0] >= 0.5, pool) == paper.error(result, X[:, 0] >= 0.5, frame) <= 0.1
    assert np.array_equal(paper.disagreement_region(result, pool), paper.disagreement_region(result, frame))
    assert np.flatnonzero(paper.disagreement_region(result, pool)).tolist() == result.items("undecided").tolist()


BAD = {
    "a labelling of another length": (lambda X: paper.error([True], [True] * 4, X), ["one boolean per row (4)"]),
    "labels that are no booleans": (lambda X: paper.prior([0, 1, 2, 3], X), ["truth", "one boolean per row"]),
    "labels of text": (lambda X: paper.prior(["yes", "no", "no", "no"], X), ["one boolean per row", "yes"]),
    "missing labels": (lambda X: paper.prior(pd.array([True, None, True, True]), X), ["one boolean per row"]),
    "a class by its name": (lambda X: paper.ball(X[:, 0] >= 1, 0.1, X, H="boxes"), ["H must be", "'boxes'"]),
    "a set that is one rule": (lambda X: paper.disagreement_rate(lambda X: X[:, 0] >= 1, X), ["V must be", "list"]),
    "an empty list": (lambda X: paper.disagreement_region([], X), ["V must be", "[]"]),
    "a stream": (
        lambda X: paper.prior([True], apu.Sampler(lambda n, rng: rng.random((n, 1)), dim=1)),
        ["has no end", "Pool(draw(n, rng))"],
    ),
    "a ball of no class": (lambda X: paper.ball(X[:, 0] >= 1, 0.1, X), ["H=Boxes()"]),
    "a negative radius": (lambda X: paper.ball(X[:, 0] >= 1, -0.1, X, H=apu.Boxes()), ["r must", "-0.1"]),
    "a center outside a closed class": (
        lambda X: paper.ball([True, False, False, True], 0.1, X, H=apu.Intervals()),
        ["member of 'intervals'", "4 rows"],
    ),
    "a center outside the halfspaces": (
        lambda X: paper.ball([True, False, False, True], 0.1, X, H=apu.Halfspaces()),
        ["member of 'halfspaces'"],
    ),
    "a center outside a finite class": (
        lambda X: paper.ball([True, False, False, True], 0.1, X, H=apu.FiniteClass([lambda X: X[:, 0] > 1])),
        ["member of 'finite'"],
    ),
    "a member of another class": (
        lambda X: paper.ball(X[:, 0] >= 1, 0.1, X, H=apu.Boxes()).allows(apu.Thresholds().empty),
        ["member of 'boxes'"],
    ),
    "a center without a pool": (
        lambda X: paper.disagreement_coefficient(apu.Boxes(2), center=X[:, 0] >= 1),
        ["pass pool="],
    ),
    "no mass for boxes": (lambda X: paper.disagreement_coefficient(apu.Boxes(2)), ["Boxes(dim=2)", "prior="]),
    "no closed form": (lambda X: paper.disagreement_coefficient(apu.Halfspaces(2)), ["closed form", "center="]),
    "no class": (lambda X: paper.disagreement_coefficient("boxes"), ["H must be", "'boxes'"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_answered_by_a_sentence(case):
    call, words = BAD[case]
    with pytest.raises(InvalidInput) as caught:
        call(np.arange(4.0)[:, None])
    assert [word for word in words if word not in str(caught.value)] == []
