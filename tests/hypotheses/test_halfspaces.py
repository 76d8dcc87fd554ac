import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from activepu.errors import InvalidInput
from activepu.hypotheses.halfspaces import Frame, Halfspace, Halfspaces

H = Halfspaces(2)


def test_the_boundary_belongs_to_a_halfspace():
    half = Halfspace(H, [3.0, 4.0], 5.0)
    assert half.contains(np.array([[3.0, -1.0], [0.0, 0.0], [1.0, 1.0]])).tolist() == [True, False, True]
    assert half.predict([[0, 2]]).tolist() == [True]


def test_nothing_and_everything_are_members():
    points = np.array([[1e9, -1e9], [0.0, 0.0]])
    assert not H.nothing.contains(points).any()
    assert H.everything.contains(points).all()
    assert (str(H.nothing), str(H.everything)) == ("nothing", "everything")


def test_it_prints_as_a_rule_with_a_unit_normal():
    assert str(Halfspace(H, [8.0, 6.0], 3.1)) == "0.8*x0 + 0.6*x1 >= 0.31"
    assert str(Halfspace(Halfspaces().bind(2, ["age", "dose"]), [-3.0, -4.0], -10.0)) == "-0.6*age - 0.8*dose >= -2"
    assert str(Halfspace(H, [0.0, 2.0], 1.0)) == "1*x1 >= 0.5"


def test_it_survives_a_round_trip():
    half = Halfspace(H, [0.1, -0.3], 0.7)
    assert H.hypothesis_from_dict(half.to_dict()) == half
    assert H.hypothesis_from_dict(H.nothing.to_dict()) == H.nothing


@pytest.mark.parametrize(("dim", "n"), [(1, 1), (1, 4), (2, 3), (2, 5), (2, 6), (3, 5)])
def test_growth_is_the_number_of_dichotomies_in_general_position(dim, n):
    points = np.random.default_rng(n).normal(size=(n, dim))
    count = 0
    for labels in itertools.product([-1.0, 1.0], repeat=n):
        rows = -np.array(labels)[:, None] * np.column_stack([points, np.ones(n)])
        count += linprog(np.zeros(dim + 1), rows, -np.ones(n), bounds=[(None, None)] * (dim + 1)).status == 0
    assert Halfspaces(dim).log_growth(n) == pytest.approx(math.log(count))


def test_growth_of_no_points_and_vc_dimension():
    assert H.log_growth(0) == 0.0
    assert H.vc_dimension == 3
    assert Halfspaces(3).log_growth(4) == pytest.approx(4 * math.log(2))
    with pytest.raises(InvalidInput, match="dimension"):
        Halfspaces().vc_dimension  # noqa: B018


@pytest.mark.parametrize(("w", "b"), [([1.0], 0.0), ([1.0, math.nan], 0.0), ([1.0, 0.0], math.inf)])
def test_bad_parameters_are_refused(w, b):
    with pytest.raises(InvalidInput):
        Halfspace(H, w, b)


def test_a_frame_changes_coordinates_and_nothing_else():
    rng = np.random.default_rng(0)
    sites = rng.normal(size=(30, 3)) * [1, 1e3, 1e-3] + [5, -1e4, 0]
    frame = Frame.around(sites)
    lifted = frame.lift(sites)
    assert np.abs(lifted).max() == pytest.approx(1.0)
    g = rng.normal(size=(4, 4))
    w, b = frame.raw(g)
    assert np.array_equal(sites @ w.T >= b, lifted @ g.T >= 0)
    assert np.allclose(frame.framed(w, b), g / np.linalg.norm(g, axis=1, keepdims=True))
    assert np.array_equal(Frame.around(sites[:1]).scale, np.ones(3))
