"""Version spaces of any class: with a closure, against boxes; with a list of members, against each member."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import activepu as apu
from activepu.hypotheses import Box, Boxes
from activepu.hypotheses.base import Hypothesis
from activepu.version_spaces import ClosedVersionSpace, MemberVersionSpace, from_dict, version_space

BOXES = Boxes(2)


class PlainBoxes(apu.ClosedClass):
    """Boxes of the plane that are known by their closure alone."""

    name = "plain boxes"
    vc_dimension = 4

    def closure(self, points):
        return PlainBox(self, BOXES.closure(points))

    def log_growth(self, n):
        return BOXES.log_growth(n)

    def hypothesis_from_dict(self, data):
        return PlainBox(self, BOXES.hypothesis_from_dict(data))


class PlainBox(apu.Closure):
    def __init__(self, hypotheses, box):
        self.hypotheses, self.box = hypotheses, box

    def contains(self, points):
        return self.box.contains(points)

    def within(self, other):
        return self.box.within(other.box)

    def to_dict(self):
        return self.box.to_dict()

    def __str__(self):
        return str(self.box)


class Listed(apu.HypothesisClass):
    """Some boxes, listed."""

    name = "listed"
    vc_dimension = 3

    def __init__(self, boxes=()):
        super().__init__(2)
        self.boxes = boxes

    def members(self):
        return self.boxes

    def log_growth(self, n):
        return min(n * np.log(2), np.log(len(self.boxes) + 1))

    def hypothesis_from_dict(self, data):
        return BOXES.hypothesis_from_dict(data)


point = st.tuples(st.integers(0, 3), st.integers(0, 3))
points = st.lists(point, max_size=6).map(lambda rows: np.array(rows, float).reshape(-1, 2))
weights = st.none() | st.integers(0, 2**31)
steps = st.lists(
    st.tuples(st.sampled_from(["require", "cap", "near"]), points, st.integers(-1, 5), weights), max_size=5
)
GRID = np.array([(a, b) for a in range(4) for b in range(4)], float)


def amounts(seed, n):
    return None if seed is None else np.random.default_rng(seed).integers(0, 3, n)


def taken(V, step):
    kind, some, limit, seed = step
    if kind == "require":
        return V.require(some)
    if kind == "cap":
        return V.cap_mass(some, limit, amounts(seed, len(some)))
    return V if V.is_empty() else V.cap_distance(V.smallest(GRID[:0]), some, limit)


@settings(max_examples=200)
@given(steps)
def test_a_closure_is_all_that_is_needed(path):
    plain, boxes = version_space(PlainBoxes(2)), version_space(BOXES)
    assert type(plain) is ClosedVersionSpace
    for step in path:
        plain, boxes = taken(plain, step), taken(boxes, step)
        assert plain.is_empty() == boxes.is_empty()
        if boxes.is_empty():
            return
        again = from_dict(plain.hypotheses, json.loads(json.dumps(plain.to_dict())))
        for V in (plain, again):
            assert np.array_equal(V.certain(GRID), boxes.certain(GRID))
            assert np.array_equal(V.possible(GRID), boxes.possible(GRID))
            assert V.least.box == boxes.least
        for x in GRID:
            box = boxes.closure.grow(x[None])
            assert plain.allows(PlainBox(plain.hypotheses, box)) == boxes.allows(box)


def meets(h: Hypothesis, path) -> bool:
    """Whether a member satisfies every step, straight from the definition."""
    for kind, some, limit, seed in path:
        inside = h.contains(some)
        if kind == "require" and not inside.all():
            return False
        weight = amounts(seed, len(some))
        if kind == "cap" and (inside.sum() if weight is None else weight[inside].sum()) > limit:
            return False
    return True


@settings(max_examples=200)
@given(st.lists(st.tuples(point, point), min_size=1, max_size=8), steps)
def test_a_list_of_members_is_followed_member_by_member(corners, path):
    boxes = [Box(BOXES, np.minimum(a, b).astype(float), np.maximum(a, b).astype(float)) for a, b in corners]
    H = Listed(boxes)
    V, path = version_space(H), [step for step in path if step[0] != "near"]
    assert isinstance(V, MemberVersionSpace)
    assert V.method == "exact"
    for n, step in enumerate(path):
        V = taken(V, step)
        left = [h for h in [*boxes, H.empty] if meets(h, path[: n + 1])]
        assert V.is_empty() == (not left)
        if not left:
            return
        labels = np.array([h.contains(GRID) for h in left])
        for same in (V, from_dict(H, json.loads(json.dumps(V.to_dict())))):
            assert np.array_equal(same.certain(GRID), labels.all(axis=0))
            assert np.array_equal(same.possible(GRID), labels.any(axis=0))
        assert V.smallest(GRID).contains(GRID).sum() == labels.sum(axis=1).min()
        assert all(V.allows(h) == meets(h, path[: n + 1]) for h in boxes)


@settings(max_examples=100)
@given(st.lists(st.tuples(point, point), min_size=1, max_size=6), points, st.integers(0, 6))
def test_a_distance_is_capped_by_its_definition(corners, some, limit):
    boxes = [Box(BOXES, np.minimum(a, b).astype(float), np.maximum(a, b).astype(float)) for a, b in corners]
    V = version_space(Listed(boxes))
    near = V.cap_distance(boxes[0], some, limit)
    for h in [*boxes, V.hypotheses.empty]:
        assert near.allows(h) == (np.count_nonzero(h.contains(some) != boxes[0].contains(some)) <= limit)


def test_each_point_is_grown_once_whatever_the_number_of_caps(monkeypatch):
    H, calls, grown = Boxes(dim=1), [], Boxes.grown
    monkeypatch.setattr(Boxes, "grown", lambda *args: calls.append(len(args[2])) or grown(*args))
    V = ClosedVersionSpace(H).require(np.array([[1.0]]))
    for far in (5.0, 6.0, 7.0):
        V = V.cap_mass(np.array([[far], [far + 1]]), 1)
    assert V.possible(np.array([[2.0], [5.5], [6.0], [7.0]])).tolist() == [True, True, False, False]
    assert calls == [4]
