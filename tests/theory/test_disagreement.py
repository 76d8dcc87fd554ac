from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from activepu.errors import InvalidInput
from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Halfspaces, Intervals, Orthants, Thresholds
from activepu.hypotheses.boxlike import Box
from activepu.hypotheses.halfspaces import Halfspace
from activepu.theory.disagreement import coefficient, estimate_coefficient
from activepu.theory.flips import BoxFlips, flip_costs

SIDE = 5


def brute_force(h: Box, T: np.ndarray, X: np.ndarray) -> np.ndarray:
    """The least |hΔh′ ∩ T| over all h′ with bounds on the grid that label x differently; ∅ counts as well."""
    tops = [np.inf] if isinstance(h.hypotheses, Thresholds) else range(SIDE)
    sides = [(low, high) for low in range(SIDE + 1) for high in tops if low <= high]
    best = np.where(h.contains(X), h.contains(T).sum(), len(T) + 1)
    for box in product(sides, repeat=T.shape[1]):
        low, high = np.array(box, float).T
        on_T, on_X = ((low <= T) & (high >= T)).all(axis=1), ((low <= X) & (high >= X)).all(axis=1)
        differs = on_X != h.contains(X)
        best[differs] = np.minimum(best[differs], (on_T != h.contains(T)).sum())
    return best


@st.composite
def scenes(draw, dim: int):
    """(low, high, T, X) on a small grid, so that ties are common."""
    coordinates = st.integers(0, SIDE - 1).map(float)
    T = draw(hnp.arrays(float, st.tuples(st.integers(0, 12), st.just(dim)), elements=coordinates))
    X = draw(hnp.arrays(float, st.tuples(st.integers(1, 6), st.just(dim)), elements=coordinates))
    bounds = np.sort(draw(hnp.arrays(float, (2, dim), elements=coordinates)), axis=0)
    return bounds[0], bounds[1], T, X


@given(scenes(1))
def test_flip_costs_of_thresholds_and_intervals_are_exact(scene):
    low, high, T, X = scene
    interval, threshold = Box(Intervals(), low, high), Box(Thresholds(), low, np.array([np.inf]))
    assert flip_costs(interval, T).least(X).tolist() == brute_force(interval, T, X).tolist()
    assert flip_costs(threshold, T).least(X).tolist() == brute_force(threshold, T, X).tolist()


@given(scenes(2))
def test_flip_costs_of_boxes_are_exact_and_rounding_only_lowers_them(scene):
    low, high, T, X = scene
    box = Box(Boxes(2), low, high)
    exact = brute_force(box, T, X)
    assert flip_costs(box, T).least(X).tolist() == exact.tolist()
    assert (BoxFlips(box, T, levels=2).least(X) <= exact).all()
    assert flip_costs(Boxes(2).empty, T).least(X).tolist() == brute_force(Boxes(2).empty, T, X).tolist()


@given(hnp.arrays(bool, (4, 9)))
def test_flip_costs_of_finite_classes_are_exact(table):
    H = FiniteClass([lambda X, row=row: row[X[:, 0].astype(int)] for row in table]).bind(1)
    members = np.vstack([table, np.zeros(9, bool)])
    T, X = np.arange(6.0)[:, None], np.arange(9.0)[:, None]
    for index in range(5):
        distances = (members[:, :6] != members[index, :6]).sum(axis=1)
        expected = [
            min((distances[j] for j in range(5) if members[j, x] != members[index, x]), default=7) for x in range(9)
        ]
        assert flip_costs(H.member(index), H.encode(T)).least(H.encode(X)).tolist() == expected


def test_the_closed_forms_of_the_table():
    assert coefficient(Thresholds(), 0.3) == 2
    assert coefficient(Intervals(), 0.3) == 4
    assert coefficient(Intervals(), 0.1) == 10
    assert coefficient(Boxes(2), 0.3) == 8
    assert coefficient(Boxes(2), 0.05) == 20
    assert coefficient(Boxes(3), 0.3) == pytest.approx(15.9)
    assert [coefficient(Orthants(dim), 0.5) for dim in (1, 2, 3)] == [2, 4, 6]
    assert coefficient(Orthants(2), 0.05) == 20
    assert coefficient(Orthants(4), 0.5) == pytest.approx(4 + 4 + 6 / 2 + 4 / 6 + 1 / 24)
    assert coefficient(Orthants(30), 0.5) == coefficient(Boxes(30), 0.5)
    assert coefficient(FiniteClass([lambda X: X[:, 0] > 0] * 6), 0.3) == pytest.approx(6)
    assert coefficient(Halfspaces(2), 0.3) is None
    assert coefficient(Conjunctions(10), 0.3, r0=0.05) == 20  # never above 1/r0
    assert coefficient(FiniteClass([lambda X: X[:, 0] > 0]), 0.3) == 1


@pytest.mark.parametrize(
    ("h", "dim"),
    [
        (Box(Thresholds(), np.array([0.6]), np.array([np.inf])), 1),
        (Box(Intervals(), np.array([0.3]), np.array([0.6])), 1),
        (Box(Intervals(), np.array([0.4]), np.array([0.55])), 1),
        (Box(Boxes(2), np.array([0.2, 0.2]), np.array([0.7, 0.8])), 2),
        (Box(Boxes(2), np.array([0.1, 0.4]), np.array([0.5, 0.6])), 2),
        (Box(Orthants(2), np.array([0.3, 0.4]), np.full(2, np.inf)), 2),
        (Box(Orthants(3), np.array([0.2, 0.3, 0.1]), np.full(3, np.inf)), 3),
        (Box(Orthants(4), np.full(4, 0.3), np.full(4, np.inf)), 4),
    ],
)
def test_measured_regions_stay_below_the_closed_form(h, dim):
    X = np.random.default_rng(5).random((4000, dim))  # stands for the distribution
    theta = coefficient(h.hypotheses, float(h.contains(X).mean()))
    costs = flip_costs(h, X).least(X[:2000])
    ratios = [(costs <= r * len(X)).mean() / r for r in (0.02, 0.05, 0.1, 0.2)]
    assert max(ratios) <= 1.1 * theta
    assert max(ratios) >= 0.4 * theta  # and the closed form is not idle


def test_the_estimate_bounds_the_true_coefficient_of_thresholds():
    rng = np.random.default_rng(6)
    h = Box(Thresholds(), np.array([0.5]), np.array([np.inf]))
    estimate = estimate_coefficient(Thresholds(), h, rng.random((100_000, 1)), rng.random((50_000, 1)), 0.1, 0.1)
    assert 2 <= estimate.value <= 6
    assert estimate.radius <= 0.1 / (4 * estimate.value)


def test_the_estimate_takes_the_worst_of_several_centres_and_pays_for_a_coarse_net():
    rng = np.random.default_rng(7)
    T, T_prime = rng.random((100_000, 1)), rng.random((50_000, 1))
    middle, end = (Box(Thresholds(), np.array([a]), np.array([np.inf])) for a in (0.5, 0.0))
    alone = estimate_coefficient(Thresholds(), end, T, T_prime, 0.1, 0.1).value
    both = estimate_coefficient(Thresholds(), [middle, end], T, T_prime, 0.1, 0.1).value
    near = estimate_coefficient(Thresholds(), end, T, T_prime, 0.1, 0.1, cover=0.002).value
    assert alone < both
    assert alone < near


def test_the_estimate_goes_through_finite_classes():
    rng = np.random.default_rng(8)
    H = FiniteClass([lambda X, a=a: X[:, 0] >= a for a in np.linspace(0, 1, 11)]).bind(1)
    estimate = estimate_coefficient(H, H.member(5), rng.random((20_000, 1)), rng.random((20_000, 1)), 0.5, 0.1)
    assert 1 <= estimate.value <= 4


@pytest.mark.parametrize(
    ("h", "true"),
    [
        (Box(Orthants(2), np.array([0.2, 0.3]), np.full(2, np.inf)), 4),
        (Halfspace(Halfspaces(2), np.ones(2), 1.0), 3.4),
    ],
    ids=repr,
)
def test_the_estimate_bounds_the_coefficient_of_other_classes(h, true):
    rng = np.random.default_rng(10)
    estimate = estimate_coefficient(h.hypotheses, h, rng.random((8000, 2)), rng.random((200, 2)), 0.9, 0.2)
    assert true <= estimate.value <= 8 * true


def test_too_small_samples_are_refused():
    h = Box(Thresholds(), np.array([0.5]), np.array([np.inf]))
    X = np.random.default_rng(9).random((3000, 1))
    with pytest.raises(InvalidInput, match="take more than"):
        estimate_coefficient(Thresholds(), h, X, X[:500], 0.1, 0.1)
    with pytest.raises(InvalidInput, match="T of 300 items"):
        estimate_coefficient(Thresholds(), h, X[:300], X, 0.1, 0.1)
