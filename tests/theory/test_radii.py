from __future__ import annotations

import math

import numpy as np
import pytest

from activepu.hypotheses import Boxes, Conjunctions, FiniteClass, Halfspaces, Intervals, Orthants, Thresholds
from activepu.theory import radii

CLOSED = [(Thresholds(), 1), (Intervals(), 2), (Boxes(2), 4), (Boxes(3), 6), (Orthants(3), 3), (Conjunctions(5), 5)]
OTHER = [FiniteClass([lambda X: X[:, 0] > 0] * 30), Halfspaces(2)]


@pytest.mark.parametrize(("H", "sides"), CLOSED, ids=lambda v: repr(v))
def test_the_closure_radius_is_below_the_textbook_form_for_the_class(H, sides):
    for K in (5, 50, 500):
        assert radii.closure_radius(H, K, 0.1) <= min(1.0, sides / K * math.log(sides / 0.1))


def test_thresholds_have_the_exact_radius():
    assert radii.closure_radius(Thresholds(), 40, 0.05) == pytest.approx(1 - 0.05 ** (1 / 40))


@pytest.mark.parametrize("H", [H for H, _ in CLOSED] + OTHER, ids=repr)
@pytest.mark.parametrize("radius", [0.5, 0.25, 0.07])
def test_positives_for_a_radius_are_the_fewest(H, radius):
    K = radii.positives_for_radius(H, radius, 0.1)
    assert radii.closure_radius(H, K, 0.1) <= radius < radii.closure_radius(H, K - 1, 0.1)


def test_no_positives_say_nothing():
    assert radii.closure_radius(Boxes(2), 0, 0.1) == 1.0
    assert radii.realizable_radius(Boxes(2), 0, 0.1) == 1.0
    assert radii.positives_for_radius(Boxes(2), 1.0, 0.1) == 0


def test_the_realizable_radius_solves_its_own_inequality():
    H, m, delta = Boxes(2), 400, 0.1
    a = radii.realizable_radius(H, m, delta)
    chances = []
    for ghosts in range(m // 2, 60 * m, m // 4):
        errors = math.floor(ghosts * a + 1e-9)
        chances.append(math.log(2) + H.log_growth(m + ghosts) - errors * math.log1p(m / ghosts))
    assert min(chances) <= math.log(delta) + 0.05  # some ghost sample proves a, up to the grid of their sizes


def test_finite_classes_take_the_union_bound():
    H = FiniteClass([lambda X: X[:, 0] > 0] * 30)
    assert radii.realizable_radius(H, 100, 0.1) == pytest.approx(1 - (0.1 / 31) ** (1 / 100))


@pytest.mark.parametrize(("H", "dim"), [(Thresholds(), 1), (Intervals(), 1), (Boxes(2), 2), (Orthants(2), 2)], ids=repr)
def test_closures_miss_more_than_the_radius_in_at_most_delta_of_the_samples(H, dim):
    rng = np.random.default_rng(3)
    K, delta, runs = 20, 0.2, 3000
    draws = rng.random((runs, K, dim))
    low = draws.min(axis=1)
    high = draws.max(axis=1) if H.two_sided else np.ones((runs, dim))
    missed = 1 - (high - low).prod(axis=1)
    failures = (missed > radii.closure_radius(H, K, delta)).mean()
    assert failures <= delta + 3 * math.sqrt(delta / runs)
    if isinstance(H, Thresholds):
        assert failures > 0.8 * delta  # exact, so not far below either


def test_conjunctions_keep_a_needless_feature_as_seldom_as_the_radius_says():
    rng = np.random.default_rng(4)
    K, delta, runs, n = 30, 0.2, 2000, 4
    absent = np.array([0.02, 0.05, 0.1, 0.3])
    kept = (rng.random((runs, K, n)) >= absent).all(axis=1)
    missed = 1 - np.where(kept, 1 - absent, 1.0).prod(axis=1)
    assert (missed > radii.closure_radius(Conjunctions(n), K, delta)).mean() <= delta


def test_passive_sizes_of_the_closed_classes_are_the_numbers_of_the_page():
    # ln(1/δ)/(ωε) = 23/ω random questions for thresholds and 148/ω for boxes at ε = δ = 0.1, whatever π.
    for H, questions in ((Thresholds(), 23), (Boxes(2), 148)):
        K, n = radii.passive_sizes(H, 0.1, 0.1, prior=0.01 * 10)
        assert n == 0
        assert radii.passive_error(H, 1000, 0, 0.1) == radii.closure_radius(H, 1000, 0.1)
        K, _ = radii.passive_sizes(H, 0.001, 0.1, prior=0.1)
        assert pytest.approx(100 * questions, rel=0.02) == K / 0.1


@pytest.mark.parametrize("H", OTHER, ids=repr)
def test_passive_sizes_reach_the_error_for_general_classes(H):
    K, n = radii.passive_sizes(H, 0.1, 0.1)
    assert n > K
    assert radii.passive_error(H, K, n, 0.1) <= 0.1 < radii.passive_error(H, K, n - 1, 0.1)
    assert radii.passive_sizes(H, 0.1, 0.1, prior=0.3)[0] < K
