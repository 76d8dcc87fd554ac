from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.errors import InvalidInput
from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Intervals, Orthants, Thresholds
from activepu.theory import deviations
from activepu.theory.deviations import relative_deviation, uniform_deviation, uniform_sample_size, up

CLASSES = [Thresholds(), Intervals(), Boxes(2), Orthants(3), Conjunctions(4), FiniteClass([lambda X: X[:, 0] > 0] * 5)]


@given(st.floats(0, 0.5), st.floats(0, 0.2))
def test_up_solves_its_inequality_with_equality(p, eta2):
    q = up(p, eta2)
    assert q <= 2 * p + eta2 + 1e-12
    if q < 1.0:
        assert q == pytest.approx(p + math.sqrt(eta2 * q), abs=1e-12)


@pytest.mark.parametrize("H", CLASSES, ids=repr)
def test_the_sample_size_is_the_smallest_that_reaches_the_deviation(H):
    n = uniform_sample_size(H, 0.05, 0.1)
    assert uniform_deviation(H, n, 0.1) <= 0.05 < uniform_deviation(H, n - 1, 0.1)


@pytest.mark.parametrize("H", CLASSES, ids=repr)
def test_deviations_shrink_with_the_sample_and_grow_with_the_confidence(H):
    sizes = [10, 100, 1000, 10_000]
    for bound in (uniform_deviation, relative_deviation, deviations.vc_deviation):
        values = [bound(H, n, 0.1) for n in sizes]
        assert values == sorted(values, reverse=True)
        assert bound(H, 1000, 0.01) > bound(H, 1000, 0.1)


def test_thresholds_take_massarts_constant():
    gamma = 0.1 / (8 * 2)
    assert uniform_sample_size(Thresholds(), gamma, 0.05) == math.ceil(math.log(40) / (2 * gamma**2))


def test_finite_classes_take_hoeffdings_bound_and_infinite_ones_have_no_size():
    H = FiniteClass([lambda X: X[:, 0] > 0] * 9)
    assert math.exp(deviations.log_size(H)) == pytest.approx(10)
    assert uniform_deviation(H, 1000, 0.1) == pytest.approx(math.sqrt(math.log(2 * 10 / 0.1) / 2000))
    assert deviations.log_size(Boxes(3)) is None
    assert deviations.log_size(Thresholds()) is None


def test_half_lines_deviate_by_more_than_the_bound_in_at_most_delta_of_the_samples():
    rng = np.random.default_rng(1)
    n, delta, runs = 200, 0.2, 2000
    samples = np.sort(rng.random((runs, n)), axis=1)
    steps = np.arange(n + 1) / n
    worst = np.maximum(np.abs(samples - steps[1:]), np.abs(samples - steps[:-1])).max(axis=1)
    failures = (worst > uniform_deviation(Thresholds(), n, delta)).mean()
    assert 0.5 * delta < failures <= delta + 3 * math.sqrt(delta / runs)


def test_intervals_stay_within_the_computed_vc_bounds():
    rng = np.random.default_rng(2)
    n, runs = 300, 300
    points = np.sort(rng.random((runs, n)), axis=1)
    excess = np.arange(1, n + 1) / n - points  # F̂ − F at the points; an interval's deviation is a difference of two
    before = excess - 1 / n
    widest = excess.max(axis=1) - before.min(axis=1)
    assert (widest > uniform_deviation(Intervals(), n, 0.1)).mean() <= 0.1


def test_no_sample_reaches_a_deviation_of_zero():
    with pytest.raises(InvalidInput, match="tau"):
        uniform_sample_size(Thresholds(), 0.0, 0.1)
