from __future__ import annotations

import itertools
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


GRID = np.array([[x, y] for x in range(4) for y in range(2)], float)
RULES = [lambda X, k=k: (3 * X[:, 0] + 5 * X[:, 1] + k) % 7 < 3 for k in range(7)] + [lambda X: X[:, 0] >= 0]
ATOMS = {
    "thresholds": (Thresholds(), GRID[::2, :1]),
    "intervals": (Intervals(), GRID[::2, :1]),
    "boxes": (Boxes(2), GRID),
    "orthants": (Orthants(2), GRID),
    "conjunctions": (Conjunctions(3), np.array([[i >> j & 1 for j in range(3)] for i in range(8)], float)),
    "finite": (FiniteClass(RULES).bind(2), GRID),
}


def largest_miss(H, rows, mass, revealed):
    """sup P(ℓ \\ h) over h ⊇ revealed, for a truth that holds all rows."""
    if isinstance(H, FiniteClass):
        inside = np.array([H.predictions(k, rows) for k in range(H.size)])
        return max(float(mass[~held].sum()) for held in inside[inside[:, revealed].all(axis=1)])
    held = H.bind(rows.shape[1]).empty.grow(rows[revealed]).contains(rows)
    return float(mass[~held].sum())


@pytest.mark.parametrize("rate", [1.0, 0.4])
@pytest.mark.parametrize("name", ATOMS)
def test_questions_miss_more_than_their_radius_with_at_most_delta_exactly(name, rate):
    """n questions of D, whose positives are revealed at `rate`: ω P(ℓ \\ h) ≤ a_n for every h ⊇ R, but for δ.

    D has atoms; which of them are revealed decides everything, and its probability is known by inclusion–exclusion.
    """
    H, rows = ATOMS[name]
    mass = np.random.default_rng(2).dirichlet(np.ones(len(rows) + 1))[:-1]  # the last atom is negative
    sets = np.array(list(itertools.product([False, True], repeat=len(rows))))
    missed = np.array([largest_miss(H, rows, mass, revealed) for revealed in sets])
    contains = (sets[:, None] >= sets[None]).all(axis=2)
    signs = np.where((sets[:, None].sum(axis=2) - sets[None].sum(axis=2)) % 2, -1.0, 1.0)
    worst = 0.0
    for n in range(1, 60):
        within = (1 - rate * (~sets * mass).sum(axis=1)) ** n  # P(nothing outside this set is revealed)
        chance = (contains * signs * within).sum(axis=1)
        assert chance.sum() == pytest.approx(1)
        for delta in (0.5, 0.2, 0.05):
            failure = chance[rate * missed > radii.closure_radius(H, n, delta) + 1e-12].sum()
            assert failure <= delta + 1e-9
            worst = max(worst, failure / delta)
    assert worst > 0.04  # the bound is not idle


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
    least = 0.8 if isinstance(H, (Thresholds, Intervals)) else 0.4  # exact for the first two, and not far off for all
    assert failures > least * delta


def test_conjunctions_keep_a_needless_feature_as_seldom_as_the_radius_says():
    rng = np.random.default_rng(4)
    K, delta, runs, n = 30, 0.2, 2000, 4
    absent = np.array([0.02, 0.05, 0.1, 0.3])
    kept = (rng.random((runs, K, n)) >= absent).all(axis=1)
    missed = 1 - np.where(kept, 1 - absent, 1.0).prod(axis=1)
    assert (missed > radii.closure_radius(Conjunctions(n), K, delta)).mean() <= delta


def test_passive_sizes_of_the_closed_classes_are_the_numbers_of_the_page():
    # ln(1/δ)/(ωε) = 23/ω random questions for thresholds and 67/ω for boxes at ε = δ = 0.1, whatever π.
    for H, questions in ((Thresholds(), 23), (Boxes(2), 66.8)):
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
