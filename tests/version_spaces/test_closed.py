from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import Brute, constraints, plain_counts, problems

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.boxlike import BoxLike
from activepu.hypotheses.halfspaces import Halfspaces
from activepu.hypotheses.intervals import Intervals
from activepu.hypotheses.orthants import Orthants
from activepu.hypotheses.thresholds import Thresholds
from activepu.version_spaces import dominance
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.version_spaces.caps import Cap
from activepu.version_spaces.dominance import Dominance

# Every way through the stages, forced on data that would otherwise be compared directly.
ENGINES = {
    "as shipped": {},
    "all stages": {"DIRECT": -1, "GROUP": 1, "CELLS": 9, "LEVELS": 2, "CHUNK": 1, "VALUES": 6},
    "fine grids": {"DIRECT": -1, "GROUP": 1},
    "bitsets": {"DIRECT": -1, "GROUP": 10**9, "LEVELS": 3},
    "one level": {"DIRECT": -1, "GROUP": 10**9, "BITS": 1},
}


def engine(name: str) -> AbstractContextManager[Any]:
    return patch.multiple(dominance, **ENGINES[name]) if ENGINES[name] else nullcontext()


def apply(V: BoxVersionSpace, brute: Brute, step: tuple[Any, ...], X: Any, centers: list[Any]) -> BoxVersionSpace:
    """One constraint to both; `centers` remembers every closure on the way with its labels."""
    if step[0] == "require":
        brute.require(step[1])
        return V.require(X[step[1]])
    kind, items, limit, weights, which = step
    if kind == "distance":
        center, labels = centers[which % len(centers)]
        brute.cap_distance(labels, items, limit)
        return V.cap_distance(center, X[items], limit)
    brute.cap(items, limit, weights)
    return V.cap_mass(X[items], limit, None if weights is None else np.array(weights, np.int64))


def assert_same(V: BoxVersionSpace, brute: Brute, X: Any) -> None:
    assert V.is_empty() == brute.empty
    if brute.empty:
        for question in (V.certain, V.possible, V.disagrees, V.smallest):
            with pytest.raises(AssumptionsViolated):
                question(X)
        return
    np.testing.assert_array_equal(V.certain(X), brute.certain)
    np.testing.assert_array_equal(V.possible(X), brute.possible)
    np.testing.assert_array_equal(V.disagrees(X), brute.possible & ~brute.certain)
    smallest = V.smallest(X)
    np.testing.assert_array_equal(smallest.contains(X), brute.certain)
    assert V.allows(smallest)
    assert smallest.contains(X).sum() == brute.labels[brute.alive].sum(axis=1).min()


@pytest.mark.parametrize("name", ENGINES)
@settings(max_examples=200)
@given(data=st.data())
def test_every_answer_equals_that_of_all_dichotomies(name: str, data: st.DataObject) -> None:
    hypotheses, brute, signs = data.draw(problems())
    X = hypotheses.encode(brute.points)
    members = brute.closures(hypotheses, signs)
    V = BoxVersionSpace(hypotheses)
    centers: list[Any] = []
    with engine(name):
        assert_same(V, brute, X)
        for step in data.draw(constraints(len(X))):
            centers.append((V.closure, brute.least()))
            V = apply(V, brute, step, X, centers)
            assert_same(V, brute, X)
            small = V.compact()
            assert_same(small, brute, X)
            assert_same(BoxVersionSpace.from_dict(hypotheses, json.loads(json.dumps(V.to_dict()))), brute, X)
            for i in [*range(0, len(members), 1 + len(members) // 8), len(members) - 1]:
                assert V.allows(members[i]) == small.allows(members[i]) == brute.alive[i]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("hypotheses", [Boxes, Orthants])
@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5])
def test_stages_bracket_the_plain_count_and_agree_with_it(dim: int, hypotheses: type[BoxLike], weighted: bool) -> None:
    rng = np.random.default_rng(dim)
    decimals = 1 + dim % 3
    X, S = rng.random((3000, dim)).round(decimals), rng.random((500, dim)).round(decimals)
    R = (0.35 + 0.3 * rng.random((4, dim))).round(decimals)
    weights = rng.integers(0, 9, len(S)) if weighted else None
    H = hypotheses(dim)
    low, high = R.min(axis=0), R.max(axis=0) if H.two_sided else np.full(dim, np.inf)
    counts = plain_counts(X, S, low, high, weights)
    assert len(np.unique(counts)) > 10
    with engine("all stages"), patch.multiple(dominance, VALUES=3000, CELLS=64, GROUP=5, CHUNK=2**16):
        for limit in np.quantile(counts, [0.05, 0.5, 0.95]).astype(int):
            V = BoxVersionSpace(H).require(R).cap_mass(S, int(limit), weights)
            if V.is_empty():
                continue
            np.testing.assert_array_equal(V.possible(X), counts <= limit)
            index = Dominance(Cap(S, int(limit), weights), low, high)
            held = counts - (limit - index.limit)
            codes = index._encode(X)
            for stage in (index._by_grid, index._by_bitset, index._directly):
                lower, upper = stage(codes)
                assert np.all(lower <= held)
                assert np.all(
                    (held <= upper) | (lower > index.limit)
                )  # no upper count is needed where the lower decides
            np.testing.assert_array_equal(lower, upper)


@pytest.mark.parametrize("dim", [2, 4])
def test_most_points_are_decided_by_grids_and_all_exactly(dim: int) -> None:
    rng = np.random.default_rng(dim)
    X, S = rng.random((40_000, dim)), rng.random((2_000, dim))
    R = 0.3 + 0.4 * rng.random((10, dim))
    limit = int(np.quantile(plain_counts(X[:500], S, R.min(axis=0), R.max(axis=0)), 0.6))
    V = BoxVersionSpace(Boxes(dim)).require(R).cap_mass(S, limit)
    left = {}
    for name in ("_by_bitset", "_directly"):
        stage = getattr(Dominance, name)

        def counted(self: Dominance, codes: Any, stage: Any = stage, name: str = name) -> Any:
            left[name] = codes.shape[1]
            return stage(self, codes)

        setattr(V._indices[0], name, counted.__get__(V._indices[0]))
    with patch.object(dominance, "DIRECT", 2**12):  # so that few points left over pass through every stage
        possible = V.possible(X)
    assert 0 < left["_directly"] < left["_by_bitset"] < len(X) / 4
    np.testing.assert_array_equal(possible[:3000], plain_counts(X[:3000], S, R.min(axis=0), R.max(axis=0)) <= limit)


def test_caps_beyond_sixteen_bits_and_thirty_one_axes_are_exact() -> None:
    rng = np.random.default_rng(0)
    for dim, n, k in ((2, 40_000, 300), (33, 200, 200)):
        X, S = rng.random((k, dim)), rng.random((n, dim))
        R = rng.random((6, dim))
        counts = plain_counts(X, S, R.min(axis=0), R.max(axis=0))
        V = BoxVersionSpace(Boxes(dim)).require(R).cap_mass(S, int(np.median(counts)))
        with engine("all stages"):
            np.testing.assert_array_equal(V.possible(X), counts <= np.median(counts))


def test_order_is_compared_and_never_a_rounded_difference() -> None:
    # 1 − 1e-17 == 1 − 2e-17 in floating point, but the point 2e-17 does not reach the cap point 1e-17.
    V = BoxVersionSpace(Thresholds().bind(1)).require([[1.0]]).cap_mass([[1e-17]], 0)
    assert V.possible(np.array([[2e-17], [1e-17], [0.0]])).tolist() == [True, False, False]


def test_minus_zero_is_zero_to_a_box_around_nothing() -> None:
    V = BoxVersionSpace(Boxes(2)).cap_mass([[0.0, 1.0], [-0.0, 1.0]], 1)
    assert V.possible(np.array([[-0.0, 1.0], [0.0, 1.0], [0.0, 2.0]])).tolist() == [False, False, True]


def test_caps_that_cannot_bind_are_dropped_and_zero_caps_merge() -> None:
    V = BoxVersionSpace(Intervals())
    assert V.cap_mass([[1.0], [2.0]], 2) is V
    assert V.cap_mass([[1.0], [2.0]], 2, np.array([0, 2])) is V
    V = V.cap_mass([[1.0]], 0).cap_mass([[2.0]], 0).cap_mass([[3.0], [4.0]], 0)
    assert [len(cap.points) for cap in V.caps] == [4]


def test_require_of_what_is_required_returns_the_same_version_space() -> None:
    V = BoxVersionSpace(Boxes(2)).require([[0.0, 0.0], [1.0, 1.0]])
    assert V.require([[0.5, 1.0]]) is V
    assert V.require(np.empty((0, 2))) is V


def test_repeated_questions_prepare_the_caps_once() -> None:
    V = BoxVersionSpace(Boxes(2)).require([[0.0, 0.0]]).cap_mass(np.ones((5, 2)), 3)
    with patch.object(BoxVersionSpace, "_index", autospec=True, side_effect=BoxVersionSpace._index) as index:
        for _ in range(3):
            V.possible(np.zeros((4, 2)))
    assert index.call_count == 1


def test_compact_keeps_every_verdict_with_fewer_points() -> None:
    rng = np.random.default_rng(3)
    X, S = rng.random((2000, 3)), rng.random((1500, 3))
    V = BoxVersionSpace(Boxes(3)).require(0.3 + 0.4 * rng.random((8, 3))).cap_mass(S, 90)
    V = V.cap_mass(rng.random((400, 3)), 30, rng.integers(0, 3, 400))
    small = V.compact()
    np.testing.assert_array_equal(small.possible(X), V.possible(X))
    assert 0 < V.disagrees(X).sum() < len(X)
    assert sum(len(cap.points) for cap in small.caps) < sum(len(cap.points) for cap in V.caps) / 2
    assert small.closure == V.closure


@pytest.mark.parametrize("weights", [[0.5, 1.0], [-1, 1], [np.nan, 1], [1], [True, False], ["1", "2"], [2**53, 1]])
def test_weights_that_are_not_whole_and_nonnegative_are_refused(weights: list[Any]) -> None:
    with pytest.raises(InvalidInput, match="weights must"):
        BoxVersionSpace(Intervals()).cap_mass([[1.0], [2.0]], 1, np.array(weights))


@pytest.mark.parametrize("limit", [1.5, "2", True, None])
def test_limits_that_are_not_whole_are_refused(limit: Any) -> None:
    with pytest.raises(InvalidInput, match="limit must be a whole number"):
        BoxVersionSpace(Intervals()).cap_mass([[1.0], [2.0]], limit)


def test_distance_to_a_center_outside_the_closure_is_refused() -> None:
    H = Intervals()
    V = BoxVersionSpace(H).require([[0.0], [1.0]])
    with pytest.raises(InvalidInput, match="inside the closure"):
        V.cap_distance(H.closure(np.array([[0.5], [2.0]])), [[3.0]], 0)


def test_points_of_another_dimension_and_other_classes_are_refused() -> None:
    V = BoxVersionSpace(Boxes(2))
    for operation in (V.require, lambda points: V.cap_mass(points, 0)):
        with pytest.raises(InvalidInput, match="2 column"):
            operation(np.zeros((1, 3)))
    with pytest.raises(InvalidInput, match="intersection-closed"):
        BoxVersionSpace.from_dict(Halfspaces(2), V.to_dict())


def test_repr_names_the_class_the_closure_and_the_caps() -> None:
    V = BoxVersionSpace(Intervals()).require([[1.0]]).cap_mass([[2.0], [3.0]], 1)
    assert repr(V) == "<version space of intervals ⊇ 1 <= x0 <= 1; ≤ 1 of 2>"
