"""The ball around V against every member of small classes."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import Brute, constraints, problems

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.boxlike import BoxLike
from activepu.hypotheses.finite import FiniteClass
from activepu.hypotheses.halfspaces import Halfspaces
from activepu.hypotheses.thresholds import Thresholds
from activepu.version_spaces import version_space
from activepu.version_spaces.base import VersionSpace
from activepu.version_spaces.boxlike import BoxVersionSpace
from activepu.version_spaces.finite import FiniteVersionSpace
from activepu.zcal.radius import Ball, ball, bounding_ball, largest
from activepu.zcal.radius.largest import largest as find_largest

# The ways through large data, forced on small ones.
FORCED: dict[str, list[tuple[Any, str, int]]] = {
    "as shipped": [],
    "a sketch of every row": [(bounding_ball, "SAMPLE", 1), (bounding_ball, "CHUNK", 1)],
    "a sketch of some rows": [(bounding_ball, "SAMPLE", 3)],
    "too many pairs": [(largest, "PAIRS", 0)],
}
ENOUGH = st.one_of(st.none(), st.integers(0, 6))


@st.composite
def shrinking(draw: st.DrawFn) -> list[tuple[BoxVersionSpace, Any, Any]]:
    """A chain of closed version spaces, each with its undecided points and the labels of its members there."""
    hypotheses, brute, _ = draw(problems())
    X = hypotheses.encode(brute.points)
    V = BoxVersionSpace(hypotheses)
    chain = [described(V, X, brute)]
    for kind, items, *rest in draw(constraints(len(X))):
        if kind == "require":
            brute.require(items)
            V = V.require(X[items])
        else:
            limit, weights, _ = rest
            brute.cap(items, limit, weights)
            V = V.cap_mass(X[items], limit, None if weights is None else np.array(weights, np.int64))
        if brute.empty:
            break
        chain.append(described(V, X, brute))
    return chain


def described(V: BoxVersionSpace, X: Any, brute: Brute, repeats: int = 1) -> tuple[BoxVersionSpace, Any, Any]:
    undecided = np.repeat(brute.possible & ~brute.certain, repeats)
    return (
        V,
        np.repeat(X, repeats, axis=0)[undecided],
        np.repeat(brute.labels[brute.alive], repeats, axis=1)[:, undecided],
    )


def farthest(labels: Any, center: Any) -> int:
    return int((labels != center).sum(axis=1).max(initial=0))


def assert_holds(V: VersionSpace, found: Ball, undecided: Any, labels: Any, enough: int | None) -> None:
    """The radius is valid, the witness is where it is said to be, and what was asked is decided."""
    assert V.allows(found.center)
    assert found.witness is not None
    assert V.allows(found.witness)
    center = found.center.contains(undecided)
    away = int((found.witness.contains(undecided) != center).sum())
    assert away <= farthest(labels, center) <= found.radius <= len(undecided)
    if found.exact:
        assert found.radius == away
    else:
        assert enough is not None
        assert away > enough or found.radius <= enough


@pytest.mark.parametrize("name", FORCED)
@settings(max_examples=100)
@given(chain=shrinking(), enough=ENOUGH)
def test_a_closed_ball_holds_every_dichotomy(name: str, chain: list[Any], enough: int | None) -> None:
    near = None
    with ExitStack() as stack:
        for setting in FORCED[name]:
            stack.enter_context(patch.object(*setting))
        for V, undecided, labels in chain:
            for given_near in (None, near):
                found = ball(V, undecided, enough, given_near)
                assert_holds(V, found, undecided, labels, enough)
                among = np.repeat(undecided, 2, axis=0)
                among[::2] = np.inf
                odd = np.arange(1, len(among), 2)
                assert ball(V, among, enough, given_near, rows=odd) == found
            near = found


@settings(max_examples=150)
@given(chain=shrinking(), effort=st.integers(0, 40_000), pairs=st.sampled_from([0, 2**22]))
def test_the_bound_is_valid_when_the_effort_is_spent(chain: list[Any], effort: int, pairs: int) -> None:
    V, undecided, labels = chain[-1]
    most = farthest(labels, V.closure.contains(undecided))
    with patch.object(largest, "PAIRS", pairs):
        found = find_largest(V, undecided, effort=effort)
    assert found.value <= most <= found.bound <= len(undecided)
    assert found.value == int(found.member.contains(undecided).sum())
    assert V.allows(found.member)
    assert not found.complete or found.value == found.bound


def some_boxes(seed: int) -> tuple[BoxVersionSpace, Any]:
    rng = np.random.default_rng(seed)
    V = BoxVersionSpace(Boxes(3)).require(np.array([[0.3] * 3, [0.7] * 3]))
    stars = rng.random((40, 3))
    V = V.cap_mass(stars[~V.closure.contains(stars)], 3)
    X = rng.random((6000, 3))
    return V, X[V.disagrees(X)]


@pytest.mark.parametrize("seed", range(3))
def test_enough_is_decided_to_the_row(seed: int) -> None:
    V, undecided = some_boxes(seed)
    assert len(undecided) > bounding_ball.SAMPLE
    r = ball(V, undecided)
    assert r.exact
    assert r.radius < len(undecided)
    assert ball(V, undecided, r.radius).radius == r.radius
    assert ball(V, undecided, r.radius, near=r).radius == r.radius
    assert ball(V, undecided, r.radius - 1).radius >= r.radius


def test_a_sketch_answers_where_it_can() -> None:
    V, undecided = some_boxes(2)
    r = ball(V, undecided).radius
    with patch.object(bounding_ball, "largest", wraps=find_largest) as search:
        far = ball(V, undecided, r // 2)
        assert far.witness.contains(undecided).sum() > r // 2
        assert search.call_count == 1
        with patch.object(bounding_ball, "EFFORT", 0):
            gave_up = ball(V, undecided, r)
        assert (gave_up.radius, gave_up.exact) == (len(undecided), False)
        assert search.call_count == 2


@pytest.mark.parametrize("pairs", [0, largest.PAIRS])
@pytest.mark.parametrize("seed", range(12))
def test_many_stars_on_many_sides(seed: int, pairs: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((18, 2)).round(1)
    X[0], X[1] = 0.4, 0.6
    brute = Brute(X, two_sided=True, signs=np.ones(2))
    V = BoxVersionSpace(Boxes(2)).require(X[:2])
    brute.require([0, 1])
    stars = np.flatnonzero(~V.closure.contains(X))[:8].tolist()
    for items, limit in ((stars, 3), (stars[:5], 1)):
        V = V.cap_mass(X[items], limit)
        brute.cap(items, limit)
    V, undecided, labels = described(V, X, brute, repeats=3)
    with patch.object(largest, "PAIRS", pairs):
        assert_holds(V, ball(V, undecided), undecided, labels, None)


def test_giving_up_leaves_a_valid_radius() -> None:
    V, undecided = some_boxes(0)
    exact = find_largest(V, undecided)
    bounds = [find_largest(V, undecided, effort=effort).bound for effort in (0, 2 * 10**5, 10**6)]
    assert len(undecided) >= bounds[0] > bounds[1] > bounds[2] > exact.bound == exact.value


def test_a_witness_that_still_stands_answers_without_a_search() -> None:
    V, undecided = some_boxes(1)
    found = ball(V, undecided)
    with patch.object(bounding_ball, "largest", side_effect=AssertionError("searched")):
        assert ball(V, undecided, found.radius - 1, found).witness == found.witness
        reached = found.witness.contains(undecided)
        smaller = V.require(undecided[reached][:1])
        left = undecided[smaller.disagrees(undecided)]
        assert ball(smaller, left, 10, found).witness == found.witness
        part = V.closure.grow(undecided[reached][:50])
        beyond = undecided[reached & ~part.contains(undecided)][:1]
        smaller = V.require(beyond)
        left = undecided[smaller.disagrees(undecided)]
        assert ball(smaller, left, 10, replace(found, witness=part)).witness == part.grow(beyond)
        outlawed = V.cap_mass(undecided[reached][:1], 0)
        left = undecided[outlawed.disagrees(undecided)]
        with pytest.raises(AssertionError, match="searched"):
            ball(outlawed, left, 10, found)


@given(
    values=st.lists(st.integers(0, 6), min_size=1, max_size=12),
    revealed=st.lists(st.integers(5, 6), max_size=1),
    above=st.booleans(),
)
def test_the_middle_threshold_is_the_best_center(values: list[int], revealed: list[int], above: bool) -> None:
    H: BoxLike = Thresholds(above=above).bind(1)
    sign = 1 if above else -1
    V = BoxVersionSpace(H).require(H.encode(sign * np.array(revealed, float).reshape(-1, 1)))
    X = H.encode(sign * np.array(values, float)[:, None])
    undecided = X[V.disagrees(X)]
    cuts = [undecided[:, 0] >= a for a in [*undecided[:, 0], np.inf]]
    found = ball(V, undecided)
    assert_holds(V, found, undecided, np.array(cuts), None)
    assert found.radius == min(farthest(np.array(cuts), center) for center in cuts)
    if len(set(undecided[:, 0])) == len(undecided):
        assert found.radius == -(-len(undecided) // 2)


@st.composite
def finite(draw: st.DrawFn) -> tuple[FiniteVersionSpace, Any, Any]:
    """A finite class given by its labels, some of whose members are left, with ∅ as the last one."""
    n, m = draw(st.integers(0, 10)), draw(st.sampled_from([1, 3, 12, 70, 130]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    table = rng.random((n, m)) < rng.random(m) ** 2
    H = FiniteClass([lambda x, column=column: column[x[:, 0].astype(int)] for column in table.T]).bind(1)
    alive = rng.random(m + 1) < draw(st.sampled_from([0.1, 0.5, 1.0]))
    alive[rng.integers(m + 1)] = True
    V = FiniteVersionSpace.from_dict(H, {"alive": np.flatnonzero(alive).tolist()})
    X = H.encode(np.arange(float(n))[:, None])
    labels = np.vstack([table.T, np.zeros((1, n), bool)])[alive]
    return V, X, labels


@settings(max_examples=150)
@given(drawn=finite(), enough=ENOUGH, words=st.sampled_from([1, 8, 2**17]), data=st.data())
def test_a_finite_ball_has_the_best_center(drawn: Any, enough: int | None, words: int, data: st.DataObject) -> None:
    V, X, labels = drawn
    undecided, labels = X[V.disagrees(X)], labels[:, V.disagrees(X)]
    best = min(farthest(labels, center) for center in labels)
    with patch.object(bounding_ball, "WORDS", words):
        found = ball(V, undecided, enough)
    assert_holds(V, found, undecided, labels, enough)
    assert found.exact
    if enough is None and words == 2**17:
        assert found.radius == best
    if words == 2**17 and enough is not None:
        assert (found.radius <= enough) == (best <= enough)

    gone = data.draw(st.integers(0, len(labels) - 1))
    left = np.delete(V.indices, gone)
    if not len(left):
        with pytest.raises(AssumptionsViolated):
            ball(FiniteVersionSpace.from_dict(V.hypotheses, {"alive": []}), undecided, enough, found)
        return
    W = FiniteVersionSpace.from_dict(V.hypotheses, {"alive": left.tolist()})
    labels = np.delete(labels, gone, axis=0)
    undecided, labels = undecided[W.disagrees(undecided)], labels[:, W.disagrees(undecided)]
    later = ball(W, undecided, enough, found)
    assert_holds(W, later, undecided, labels, enough)
    best = min(farthest(labels, center) for center in labels)
    assert (later.radius == best) if enough is None else ((later.radius <= enough) == (best <= enough))


def test_an_empty_closed_version_space_has_no_ball() -> None:
    X = np.array([[0.0], [1.0]])
    V = BoxVersionSpace(Thresholds().bind(1)).require(X[1:]).cap_mass(X[1:], 0)
    with pytest.raises(AssumptionsViolated):
        ball(V, X)


def test_halfspaces_beyond_the_plane_have_a_center_and_no_more() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    truth = X[:, 0] > 0
    V = version_space(Halfspaces(3)).require(X[truth][:10]).cap_mass(X[~truth][:10], 1)
    undecided = X[V.disagrees(X)]
    found = ball(V, undecided, 1)
    assert V.allows(found.center)
    assert (found.radius, found.exact) == (len(undecided), False)
    W = V.cap_mass(undecided[~found.center.contains(undecided)][:1], 0)
    assert ball(W, undecided, 1, found).center is found.center
    nothing_left = ball(V, undecided[:0])
    assert (nothing_left.radius, nothing_left.exact) == (0, True)
