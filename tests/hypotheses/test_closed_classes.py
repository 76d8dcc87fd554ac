"""Thresholds, intervals, boxes, orthants and conjunctions against brute force over all bounds on small point sets."""

import json
import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from activepu import hypotheses as classes
from activepu.errors import InvalidInput
from activepu.hypotheses import Box, Boxes, BoxLike, Conjunctions, Intervals, Orthants, Thresholds
from activepu.hypotheses.base import sauer

KINDS = {
    "thresholds": (lambda dim: Thresholds().bind(1), 1),
    "below": (lambda dim: Thresholds(above=False).bind(1), 1),
    "intervals": (lambda dim: Intervals(), 1),
    "boxes": (Boxes, 2),
    "orthants": (Orthants, 3),
    "orthants-signs": (lambda dim: Orthants(signs=[1, -1, -1][:dim]), 3),
    "conjunctions": (Conjunctions, 3),
}


def labellings(kind, X):
    """Every labelling of X by the class, from all bounds at the values of X and beyond; ∅ included."""
    found = {(False,) * len(X)}
    if kind == "conjunctions":
        sides = [[lambda c: np.ones(len(c), bool), lambda c: c == 1]] * X.shape[1]
    else:
        sides = []
        for axis in range(X.shape[1]):
            values = [-np.inf, *np.unique(X[:, axis]), np.inf]
            less = kind == "below" or (kind == "orthants-signs" and axis > 0)
            if kind in ("intervals", "boxes"):
                sides.append([lambda c, a=a, b=b: (c >= a) & (c <= b) for a in values for b in values])
            elif less:
                sides.append([lambda c, a=a: c <= a for a in values])
            else:
                sides.append([lambda c, a=a: c >= a for a in values])
    columns = [{tuple(side(X[:, axis]).tolist()) for side in sides[axis]} for axis in range(X.shape[1])]
    for chosen in product(*columns):
        found.add(tuple(np.logical_and.reduce(chosen).tolist()))
    return found


@st.composite
def point_sets(draw, kinds=tuple(KINDS), most=6):
    kind = draw(st.sampled_from(kinds))
    dim = draw(st.integers(1, KINDS[kind][1]))
    value = st.integers(0, 1) if kind == "conjunctions" else st.integers(-2, 3)
    n = draw(st.integers(1, most))
    X = draw(st.lists(st.tuples(*[value] * dim), min_size=n, max_size=n))
    return kind, KINDS[kind][0](dim), np.array(X, float)


@settings(max_examples=300, deadline=None)
@given(point_sets(), st.data())
def test_the_closure_is_the_least_member_that_contains_the_rows(problem, data):
    kind, H, X = problem
    chosen = data.draw(st.lists(st.integers(0, len(X) - 1), max_size=4))
    members = np.array(sorted(labellings(kind, X)))
    least = members[members[:, chosen].all(axis=1)].all(axis=0)
    closure = H.closure(H.encode(X[chosen]))
    assert np.array_equal(closure.predict(X), least)
    assert np.array_equal(closure.contains(H.encode(X)), least)
    assert closure.is_empty == (not chosen)


@settings(max_examples=200, deadline=None)
@given(point_sets())
def test_the_growth_function_bounds_the_number_of_labellings(problem):
    kind, H, X = problem
    assert H.log_growth(len(X)) >= math.log(len(labellings(kind, X))) - 1e-9
    assert H.log_growth(len(X)) <= len(X) * math.log(2) + 1e-9


@settings(max_examples=200, deadline=None)
@given(point_sets())
def test_nothing_larger_than_the_vc_dimension_is_shattered(problem):
    kind, H, X = problem
    assert len(X) <= H.vc_dimension or len(labellings(kind, X)) < 2 ** len(X)


@pytest.mark.parametrize(
    ("kind", "X"),
    [
        ("thresholds", [[0]]),
        ("below", [[0]]),
        ("intervals", [[0], [1]]),
        ("boxes", [[1, 0], [-1, 0], [0, 1], [0, -1]]),
        ("orthants", [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
        ("orthants-signs", [[0, -1, -1], [1, 0, -1], [1, -1, 0]]),
        ("conjunctions", [[0, 1, 1], [1, 0, 1], [1, 1, 0]]),
    ],
)
def test_as_many_points_as_the_vc_dimension_are_shattered(kind, X):
    X = np.array(X, float)
    H = KINDS[kind][0](X.shape[1])
    assert len(X) == H.vc_dimension
    assert len(labellings(kind, X)) == 2 ** len(X)
    every = {tuple(H.closure(H.encode(X[list(c)])).predict(X)) for k in range(len(X) + 1) for c in _subsets(X, k)}
    assert len(every) == 2 ** len(X)


def _subsets(X, size):
    return combinations(range(len(X)), size)


@pytest.mark.parametrize("kind", ["thresholds", "below", "intervals"])
@pytest.mark.parametrize("n", range(8))
def test_the_growth_function_is_exact_on_the_line(kind, n):
    X = np.arange(float(n))[:, None]
    count = len(labellings(kind, X)) if n else 1
    assert KINDS[kind][0](1).log_growth(n) == pytest.approx(math.log(count), abs=1e-12)


@pytest.mark.parametrize("d", [1, 2, 4, 7])
@pytest.mark.parametrize("n", [0, 1, 3, 7, 8, 40])
def test_sauers_sum(d, n):
    assert sauer(d, n) == pytest.approx(math.log(sum(math.comb(n, i) for i in range(d + 1))), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(point_sets(), st.data())
def test_hypotheses_and_classes_survive_json(problem, data):
    _, H, X = problem
    chosen = data.draw(st.lists(st.integers(0, len(X) - 1), max_size=3))
    h = H.bind(X.shape[1], [f"c{k}" for k in range(X.shape[1])]).closure(H.encode(X[chosen]))
    again = classes.from_dict(json.loads(json.dumps(h.hypotheses.to_dict())))
    copy = again.hypothesis_from_dict(json.loads(json.dumps(h.to_dict(), allow_nan=False)))
    assert copy == h
    assert hash(copy) == hash(h)
    assert str(copy) == str(h)
    assert np.array_equal(copy.predict(X), h.predict(X))


@pytest.mark.parametrize(
    ("H", "rows", "rule"),
    [
        (Thresholds().bind(1, ["age"]), [[30.0], [40.0]], "age >= 30"),
        (Thresholds(above=False).bind(1), [[30.0], [40.0]], "x0 <= 40"),
        (Thresholds(above=False).bind(1), [[0.0]], "x0 <= 0"),
        (Thresholds("b").bind(2, ["a", "b"]), [[1.0, 2.5]], "b >= 2.5"),
        (Thresholds(1).bind(2, ["a", "b"]), [[1.0, 2.5]], "b >= 2.5"),
        (Thresholds(lambda X: X.sum(axis=1)).bind(2), [[1.0, 2.5]], "score >= 3.5"),
        (Intervals().bind(1, ["age"]), [[30.0], [40.0]], "30 <= age <= 40"),
        (Boxes().bind(2, ["a", "b"]), [[1.0, 2.0], [0.0, 5.0]], "0 <= a <= 1 and 2 <= b <= 5"),
        (Orthants().bind(2), [[1.0, 2.0]], "x0 >= 1 and x1 >= 2"),
        (Orthants(signs=[-1, 1]).bind(2, ["a", "b"]), [[0.0, 2.0]], "a <= 0 and b >= 2"),
        (Conjunctions().bind(3, ["wings", "beak", "fur"]), [[1.0, 1.0, 0.0]], "wings and beak"),
        (Conjunctions().bind(2), [[0.0, 0.0]], "everything"),
        (Boxes().bind(1), [], "nothing"),
    ],
)
def test_rules_print_with_the_columns_of_the_user(H, rows, rule):
    X = np.array(rows, float).reshape(len(rows), H.dim)
    assert str(H.closure(H.encode(X))) == rule


def test_thresholds_on_a_model_follow_its_score():
    X = np.random.default_rng(0).random((200, 2))
    model = LogisticRegression().fit(X, X[:, 0] > 0.5)
    H = Thresholds(model).bind(2)
    assert np.array_equal(H.encode(X)[:, 0], model.predict_proba(X)[:, 1])
    assert H.encode(X[:0]).shape == (0, 1)
    assert H.to_dict()["code"]
    with pytest.raises(InvalidInput, match="pass it again"):
        classes.from_dict(H.to_dict())


def test_binding_takes_the_dimension_from_the_pool_and_leaves_the_original_alone():
    H = Boxes()
    bound = H.bind(3, ["a", "b", "c"])
    assert bound.vc_dimension == 6
    assert bound.column(2) == "c"
    assert H.dim is None
    with pytest.raises(InvalidInput, match="no dimension yet"):
        _ = H.vc_dimension
    with pytest.raises(InvalidInput, match=r"made for 2 column\(s\), but the pool has 3"):
        Boxes(dim=2).bind(3)


@settings(max_examples=100, deadline=None)
@given(point_sets(), st.data())
def test_growing_step_by_step_is_growing_at_once(problem, data):
    _, H, X = problem
    assert isinstance(H, BoxLike)
    points = H.encode(X)
    cut = data.draw(st.integers(0, len(X)))
    once, stepwise = H.closure(points), H.closure(points[:cut]).grow(points[cut:])
    assert once == stepwise
    assert H.closure(points[:cut]).within(once)
    assert H.empty.within(H.closure(points[:cut]))
    assert (once == H.empty) == (len(X) == 0)
    assert once != "something else"


def test_minus_zero_is_zero():
    H = Boxes(dim=1)
    one, other = H.closure(np.array([[0.0]])), H.closure(np.array([[-0.0]]))
    assert one == other
    assert hash(one) == hash(other)
    assert str(other) == "0 <= x0 <= 0"
    assert isinstance(one, Box)


def test_large_numbers_are_read_whole():
    rule = Intervals().bind(1).closure(np.array([[1_721_000_123.0], [1_798_000_456.7]]))
    assert str(rule).startswith("1721000123 <=")
    assert str(rule).endswith("<= 1798000457")
    assert str(Intervals().bind(1).closure(np.array([[0.123456], [9_999.4]]))).count("0.1235") == 1
