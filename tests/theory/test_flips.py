"""Flip costs against an enumeration of the class on a small grid."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.errors import InvalidInput
from activepu.hypotheses import Boxes, Conjunctions, Halfspaces, Orthants
from activepu.hypotheses.base import Hypothesis
from activepu.hypotheses.boxlike import Box
from activepu.hypotheses.halfspaces import Halfspace
from activepu.theory.disagreement import estimate_coefficient
from activepu.theory.flips import BoxFlips, flip_costs
from activepu.theory.flips import conjunctions as conjunction_flips


def grid(side: int, dim: int) -> np.ndarray:
    return np.array(list(product(range(side), repeat=dim)), float)


def boxes(side: int, dim: int) -> list[Hypothesis]:
    sides = [(low, high) for low in range(side) for high in range(low, side)]
    bounds = [np.array(box, float).T for box in product(sides, repeat=dim)]
    return [Boxes(dim).empty, *(Box(Boxes(dim), low, high) for low, high in bounds)]


def orthants(side: int, dim: int) -> list[Hypothesis]:
    lows = np.array(list(product(range(side), repeat=dim)), float)
    return [Orthants(dim).empty, *(Box(Orthants(dim), low, np.full(dim, np.inf)) for low in lows)]


def conjunctions(dim: int) -> list[Hypothesis]:
    lows = grid(2, dim)
    return [Conjunctions(dim).empty, *(Box(Conjunctions(dim), low, np.full(dim, np.inf)) for low in lows)]


def halfspaces(side: int, dim: int, largest: int, scale: float = 1.0) -> list[Hypothesis]:
    """One halfspace for each dichotomy of the grid that whole normals of at most this size make."""
    points = grid(side, dim)
    made: dict[bytes, Hypothesis] = {}
    for w in product(range(-largest, largest + 1), repeat=dim):
        heights = points @ np.array(w)
        for b in [*np.unique(heights), heights.max() + 1]:
            middle = scale * (float(b) - 0.5)  # heights are whole
            made.setdefault((heights >= b).tobytes(), Halfspace(Halfspaces(dim), np.array(w, float), middle))
    return list(made.values())


CLASSES = {
    "boxes in the plane": (grid(4, 2), boxes(4, 2)),
    "boxes in space": (grid(3, 3), boxes(3, 3)),
    "orthants in the plane": (grid(4, 2), orthants(4, 2)),
    "orthants in space": (grid(4, 3), orthants(4, 3)),
    "orthants in four dimensions": (grid(3, 4), orthants(3, 4)),
    "orthants on the line": (grid(8, 1), orthants(8, 1)),
    "conjunctions": (grid(2, 5), conjunctions(5)),
    "halfspaces on the line": (grid(6, 1), halfspaces(6, 1, 1)),
    "halfspaces in the plane": (grid(4, 2), halfspaces(4, 2, 7)),
    "halfspaces among rounded items": (grid(7, 2) * 0.1, halfspaces(7, 2, 13, 0.1)),
    "halfspaces in space": (grid(2, 3), halfspaces(2, 3, 3)),
}
TABLES = {name: np.array([h.contains(points) for h in members]) for name, (points, members) in CLASSES.items()}


def test_larger_normals_make_no_more_dichotomies():
    assert len(halfspaces(4, 2, 10)) == len(CLASSES["halfspaces in the plane"][1])
    assert len(CLASSES["halfspaces in space"][1]) == 104  # threshold functions of three variables


def true_costs(name: str, index: int, T: list[int], X: list[int]) -> np.ndarray:
    table = TABLES[name]
    distances = (table[:, T] != table[index, T]).sum(axis=1)
    differs = table[:, X] != table[index, X]
    return np.where(differs, distances[:, None], len(T) + 1).min(axis=0)


@st.composite
def scenes(draw, name: str):
    """A member, T with repeats, X, and the true flip costs."""
    points, members = CLASSES[name]
    items = st.integers(0, len(points) - 1)
    index = draw(st.integers(0, len(members) - 1))
    T, X = draw(st.lists(items, max_size=14)), draw(st.lists(items, min_size=1, max_size=6))
    return members[index], points[T], points[X], true_costs(name, index, T, X)


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "halfspaces in space"])
def test_flip_costs_are_those_of_the_enumerated_class(name):
    @given(scenes(name))
    def check(scene):
        h, T, X, true = scene
        least, found = flip_costs(h, T).bounds(X)
        assert least.tolist() == found.tolist() == true.tolist()
        assert flip_costs(h, T).least(X).tolist() == true.tolist()

    check()


@pytest.mark.parametrize("name", ["boxes in the plane", "boxes in space", "orthants in space"])
def test_with_too_few_cells_the_true_cost_lies_between(name):
    @given(scenes(name), st.sampled_from([1, 4, 9]))
    def check(scene, cells):
        h, T, X, true = scene
        least, found = BoxFlips(h, T, cells).bounds(X)
        assert (least <= true).all()
        assert (true <= found).all()

    check()


@given(scenes("conjunctions"))
def test_with_too_many_features_the_true_cost_lies_between(scene):
    h, T, X, true = scene
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conjunction_flips, "EXACT_DIM", 2)
        least, found = flip_costs(h, T).bounds(X)
    assert (least <= true).all()
    assert (true <= found).all()


@given(scenes("halfspaces in space"))
def test_beyond_the_plane_the_cost_of_a_halfspace_found_is_never_below_the_true_one(scene):
    h, T, X, true = scene
    least, found = flip_costs(h, T).bounds(X)
    assert (least <= true).all()
    assert (true <= found).all()


@given(scenes("halfspaces in the plane"), st.integers(0, 1000))
def test_rounding_of_coordinates_changes_no_flip_cost_of_a_halfspace(scene, seed):
    h, T, X, true = scene
    rng = np.random.default_rng(seed)
    T, X = (points + rng.uniform(-1e-13, 1e-13, points.shape) for points in (T, X))
    for axis, far in product(range(2), (-9.0, 12.0)):  # items far away, so that no axis is rounding alone
        corner = np.full((1, 2), 1.5)
        corner[0, axis] = far
        X = np.concatenate([X, corner])
    assert flip_costs(h, T).bounds(X)[1][: len(true)].tolist() == true.tolist()


def test_the_searches_beyond_what_is_exact_do_well_on_random_items():
    """At least nine in ten of all random items get their true cost: a search that gives up would not."""
    rng = np.random.default_rng(0)
    points = rng.random((60, 3))
    box = Box(Boxes(3), np.full(3, 0.2), np.full(3, 0.9))
    low, exact = BoxFlips(box, points, cells=1 << 20).bounds(points)
    assert low.tolist() == exact.tolist()
    least, found = BoxFlips(box, points, cells=16).bounds(points)
    assert np.mean(found == exact) >= 0.9
    assert (least <= exact).all()
    assert (least < exact).any()
    bits = (rng.random((60, 8)) < 0.7).astype(float)
    rule = Box(Conjunctions(8), np.array([1.0, 1, 0, 0, 0, 0, 0, 0]), np.full(8, np.inf))
    exact = flip_costs(rule, bits).bounds(bits)[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conjunction_flips, "EXACT_DIM", 2)
        assert np.mean(flip_costs(rule, bits).bounds(bits)[1] == exact) >= 0.9


def test_the_search_for_halfspaces_finds_the_planes_costs_in_a_flat_space():
    """Items of a plane in space have the costs of the plane: the third coordinate tells nothing."""
    rng = np.random.default_rng(1)
    flat = rng.random((40, 2))
    tilted = np.column_stack([flat, flat @ [0.5, -0.25]])
    exact = flip_costs(Halfspace(Halfspaces(2), np.ones(2), 1.0), flat).bounds(flat)[1]
    found = flip_costs(Halfspace(Halfspaces(3), np.array([1.0, 1, 0]), 1.0), tilted).bounds(tilted)[1]
    assert (found >= exact).all()
    assert np.mean(found == exact) >= 0.9


def test_classes_with_nothing_useful_from_below_are_refused_with_the_way_out():
    space = np.random.default_rng(2).random((30, 3))
    h = Halfspace(Halfspaces(3), np.ones(3), 1.5)
    with pytest.raises(InvalidInput, match="FiniteClass"):
        flip_costs(h, space).least(space)
    with pytest.raises(InvalidInput, match="FiniteClass"):
        estimate_coefficient(Halfspaces(3), h, space, space, 0.5, 0.1)
    bits = np.ones((3, 21))
    with pytest.raises(InvalidInput, match="FiniteClass"):
        flip_costs(Conjunctions(21).empty, bits).least(bits)
