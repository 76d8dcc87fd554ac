"""The paper's objects by name: each against the definition, over an enumerated class, on small pools."""

from __future__ import annotations

import doctest
import re
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import activepu as apu
from activepu.hypotheses.boxlike import Box
from activepu.hypotheses.halfspaces import Halfspace
from activepu.paper import objects

paper = apu.paper
OBJECTS = ["error", "distance", "disagreement_region", "disagreement_rate", "ball"]
OBJECTS += ["disagreement_coefficient", "positive_disagreement", "prior"]


def grid(side: int, dim: int) -> np.ndarray:
    return np.array(list(product(range(side), repeat=dim)), float)


def closures(H, side: int, dim: int) -> list:
    H = H.bind(dim)
    tops = range(side) if H.two_sided else [np.inf]
    sides = [(low, high) for low in range(side) for high in tops if low <= high]
    return [H.empty, *(Box(H, *np.array(box, float).T) for box in product(sides, repeat=dim))]


def halfplanes(side: int) -> list:
    H, points = apu.Halfspaces(2), grid(side, 2)
    made = {}
    for w in product(range(-7, 8), repeat=2):
        heights = points @ np.array(w)
        for b in [*np.unique(heights), heights.max() + 1]:
            made.setdefault((heights >= b).tobytes(), Halfspace(H, np.array(w, float), float(b)))
    return list(made.values())


RULES = [lambda X, a=a: X[:, 0] + 2 * X[:, 1] >= a for a in (1, 3, 4)] + [lambda X: X[:, 0] == 1]
FINITE = apu.FiniteClass(RULES).bind(2)
CLASSES = {
    "thresholds": (grid(7, 1), closures(apu.Thresholds(), 7, 1)),
    "intervals": (grid(7, 1), closures(apu.Intervals(), 7, 1)),
    "boxes": (grid(3, 3), closures(apu.Boxes(), 3, 3)),
    "orthants": (grid(3, 3), closures(apu.Orthants(), 3, 3)),
    "conjunctions": (grid(2, 4), closures(apu.Conjunctions(), 2, 4)),
    "halfspaces": (grid(4, 2), halfplanes(4)),
    "finite": (grid(3, 2), [FINITE.member(index) for index in range(FINITE.size)]),
}
TABLES = {name: np.array([h.predict(X) for h in members]) for name, (X, members) in CLASSES.items()}


@st.composite
def scenes(draw, name: str):
    """A pool with repeated rows, a member, and which rows all members contain, one line per member."""
    X, members = CLASSES[name]
    rows = draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=12))
    index = draw(st.integers(0, len(members) - 1))
    return X[rows], members[index], TABLES[name][:, rows], TABLES[name][index, rows]


def sure(truth: np.ndarray) -> apu.SimulatedExpert:
    """An expert who reveals every positive."""
    return apu.SimulatedExpert(truth, rate=1.0)


def region(table: np.ndarray) -> np.ndarray:
    """DIS of the rules whose labels these are."""
    return np.array([len(set(column)) > 1 for column in table.T])


def test_every_object_has_its_name_and_its_example_runs():
    assert set(OBJECTS) <= set(paper.__all__)
    assert [name for name in OBJECTS if ">>>" not in getattr(paper, name).__doc__] == []
    assert doctest.testmod(objects).failed == 0


def test_the_page_has_a_row_for_every_object_with_a_test_of_this_file():
    page = (Path(__file__).parents[2] / "docs" / "paper.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| [^|]* \| `paper\.(\w+)\([^`]*`( \|.*) \|$", page, re.MULTILINE))
    assert list(rows) == [name for name in rows if name in OBJECTS]
    assert set(OBJECTS) <= set(rows)
    named = set(re.findall(r"`(test_\w+)`", "".join(rows[name] for name in OBJECTS)))
    assert [name for name in named if name not in globals()] == []
    assert [name for name in OBJECTS if "`test_" not in rows[name] and "the same" not in rows[name]] == []


@given(scenes("boxes"), st.data())
def test_error_and_distance_are_the_share_of_rows_that_differ(scene, data):
    pool, h, _, labels = scene
    other = np.array(data.draw(st.lists(st.booleans(), min_size=len(pool), max_size=len(pool))))
    share = sum(a != b for a, b in zip(labels, other, strict=True)) / len(pool)
    assert paper.error(h, other, pool) == paper.distance(other, h, pool) == share
    assert paper.distance(h, h, pool) == 0
    assert paper.prior(other, pool) == sum(other) / len(pool)


@pytest.mark.parametrize("name", CLASSES)
def test_the_region_of_a_list_is_where_its_members_differ(name):
    @given(scenes(name), st.data())
    def check(scene, data):
        pool, _, table, truth = scene
        some = data.draw(st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=4))
        rules = [CLASSES[name][1][index] for index in some]
        expected = region(table[some])
        assert paper.disagreement_region(rules, pool).tolist() == expected.tolist()
        assert paper.disagreement_rate(rules, pool) == sum(expected) / len(pool)
        positive = [bool(d and t) for d, t in zip(expected, truth, strict=True)]
        assert paper.positive_disagreement(rules, truth, pool).tolist() == positive

    check()


@pytest.mark.parametrize("name", ["thresholds", "intervals", "boxes", "orthants", "conjunctions", "finite"])
def test_the_region_of_a_version_space_is_where_its_members_differ(name):
    @given(scenes(name), st.data())
    def check(scene, data):
        pool, h, table, labels = scene
        H = h.hypotheses
        points = H.encode(pool)
        limit = data.draw(st.integers(int(labels.sum()), len(pool)))
        V = apu.version_space(H).require(points[labels]).cap_mass(points, limit)
        inside = table[(table[:, labels]).all(axis=1) & (table.sum(axis=1) <= limit)]
        assert paper.disagreement_region(V, pool).tolist() == region(inside).tolist()
        assert paper.disagreement_region(H, pool).tolist() == region(table).tolist()

    check()


@pytest.mark.parametrize("name", CLASSES)
def test_a_ball_holds_the_members_near_its_center(name):
    @given(scenes(name), st.integers(0, 12))
    def check(scene, away):
        pool, h, table, labels = scene
        r = min(1.0, away / len(pool))
        near = (table != labels).mean(axis=1) <= r
        B = paper.ball(h, r, pool)
        points = h.hypotheses.encode(pool)
        assert isinstance(B, paper.EmpiricalBall)
        assert B.method == "exact"
        assert B.disagrees(points).tolist() == region(table[near]).tolist()
        assert B.certain(points).tolist() == table[near].all(axis=0).tolist()
        assert B.possible(points).tolist() == table[near].any(axis=0).tolist()
        assert [B.allows(g) for g in CLASSES[name][1]] == near.tolist()
        assert paper.disagreement_rate(B, pool) == region(table[near]).mean()
        # The labels of a member are as good as the member, and so is a new array with the same rows.
        again = paper.ball(labels, r, apu.Pool(pool), H=h.hypotheses)
        assert paper.disagreement_region(again, pool).tolist() == B.disagrees(points).tolist()

    check()


def test_a_ball_decides_points_that_are_not_in_its_pool():
    B = paper.ball(lambda X: (X[:, 0] >= 2) & (X[:, 0] <= 5), 0.125, np.arange(8.0)[:, None], H=apu.Intervals())
    # One row may change: the interval may end just short of 0 or 7, or begin just past 2 or end just short of 5.
    assert B.possible(np.array([[-0.5], [0.5], [6.5], [7.5]])).tolist() == [False, True, True, False]
    assert B.certain(np.array([[2.5], [3.5], [4.5]])).tolist() == [False, True, False]


def test_radii_are_read_as_shares_without_rounding():
    pool = np.arange(100.0)[:, None]
    B = paper.ball(lambda X: X[:, 0] >= 50, 0.29, pool, H=apu.Thresholds())
    assert paper.disagreement_rate(B, pool) == 0.58  # 0.29 * 100 is below 29 in floating point


@pytest.mark.parametrize("name", CLASSES)
def test_the_coefficient_is_the_largest_slope_over_all_radii(name):
    @given(scenes(name), st.sampled_from([0.0, 0.1, 0.5]))
    def check(scene, r0):
        pool, h, table, labels = scene
        away = (table != labels).mean(axis=1)
        radii = {r0, *away[away >= r0]} - {0.0}
        slopes = [region(table[away <= r]).mean() / r for r in radii]
        theta = paper.disagreement_coefficient(h.hypotheses, pool, center=h, r0=r0)
        assert theta.value == pytest.approx(max([1.0, *slopes]))
        assert (theta.method, theta.upper, theta.r0) == ("exact", theta.value, r0)
        assert float(theta) == theta.value

    check()


def test_the_coefficient_of_a_result_is_that_of_its_rule():
    X = np.random.default_rng(2).random((80, 1))
    result = apu.learn(apu.ZCal(apu.Intervals(), 0.1, 0.1, rate=1.0, check=0), X, sure(abs(X[:, 0] - 0.5) <= 0.3))
    theta = paper.disagreement_coefficient(result, X)
    assert theta == paper.disagreement_coefficient(apu.Intervals(), X, center=result.hypothesis)
    assert theta.value == pytest.approx(4, abs=1.5)


def test_measured_coefficients_approach_the_closed_forms():
    rng = np.random.default_rng(3)
    line, plane = rng.random((2000, 1)), rng.random((2000, 2))
    cases = [
        (apu.Thresholds(), line, lambda X: X[:, 0] >= 0.6),
        (apu.Intervals(), line, lambda X: abs(X[:, 0] - 0.5) <= 0.2),
        (apu.Boxes(), plane, lambda X: (abs(X - 0.5) <= 0.3).all(axis=1)),
        (apu.Orthants(), plane, lambda X: (X >= 0.3).all(axis=1)),
    ]
    for H, pool, truth in cases:
        closed = paper.disagreement_coefficient(H, pool, prior=paper.prior(truth, pool), r0=0.05)
        measured = paper.disagreement_coefficient(H, pool, center=truth, r0=0.05)
        assert closed.method == "closed form"
        assert 0.85 * closed.value <= measured.value <= 1.05 * closed.value


def test_where_the_search_is_incomplete_it_is_said_and_the_coefficient_lies_between():
    rng = np.random.default_rng(4)
    space = rng.random((80, 3))
    truth = space.sum(axis=1) >= 1.5
    theta = paper.disagreement_coefficient(apu.Halfspaces(), space, center=truth, r0=0.05)
    assert theta.method == "sampled"
    assert 1 <= theta.value < theta.upper <= 20
    B = paper.ball(truth, 0.1, space, H=apu.Halfspaces())
    assert B.method == "sampled"
    # What it calls undecided is: the center and a halfspace that was found differ there. A wider ball holds more.
    wider = paper.ball(truth, 0.2, space, H=apu.Halfspaces())
    rates = [paper.disagreement_rate(ball, space) for ball in (B, wider)]
    assert all(a <= b for a, b in pairwise([0.1, *rates]))
