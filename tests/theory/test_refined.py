"""θ in place of θ²: each bound against the statement that it is proved for, by brute force, and how it grows."""

from __future__ import annotations

import doctest
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from activepu.hypotheses import Boxes, FiniteClass, Halfspaces, Intervals, Thresholds
from activepu.theory import binomial, budgets, refined, sharp
from activepu.theory.deviations import relative_deviation
from activepu.theory.radii import closure_radius, positives_for_radius

DELTA = 0.1
RULES = FiniteClass([lambda X: X[:, 0] > 0] * 30)
CLASSES = [Thresholds(), Intervals(), Boxes(2), Halfspaces(2), RULES]
AT = [(Thresholds(), 2), (Intervals(), 4), (Boxes(2), 8)]


def test_the_examples_of_the_docstrings_run():
    assert doctest.testmod(refined).failed == 0
    assert doctest.testmod(refined).attempted >= 6


# The block λ


@given(
    st.sampled_from(CLASSES),
    st.floats(0.005, 0.3),
    st.floats(1.0, 4.0),
    st.floats(0.05, 1.0),
    st.floats(0.001, 0.2),
    st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4),
)
@settings(max_examples=50)
def test_a_block_leaves_every_p_with_enough_positives(H, missed, factor, rate, share, quantiles):
    """For each p some K has p·a_K ≤ missed and P(Bin(λ, ωp) < K) ≤ share; by the binomial itself."""
    floor = min(0.9, factor * missed)
    asked = refined.block(H, missed, floor, rate, share)
    for p in (floor + (1 - floor) * q for q in (1e-9, *quantiles, 1.0)):
        most = int(binom.ppf(share, asked, rate * p))  # P(Bin < K) ≤ share for K ≤ most, and perhaps most + 1
        K = max(k for k in (most, most + 1) if binom.cdf(k - 1, asked, rate * p) <= share * (1 + 1e-9))
        assert p * closure_radius(H, K, share) <= missed * (1 + 1e-9)


@pytest.mark.parametrize("H", CLASSES, ids=repr)
@pytest.mark.parametrize("factor", [1, 3])
def test_a_block_is_the_supremum_over_p_within_two_percent(H, factor):
    """A fine grid of p, with points just above every step of K(p), where the supremum is approached."""
    missed, rate, share = 1 / 40, 0.7, 0.01
    floor = factor * missed
    steps = {missed / closure_radius(H, K, share) * (1 + 1e-9) for K in range(1, 400)}
    grid = [*np.linspace(floor, 1, 500)[1:], floor * (1 + 1e-9), *(p for p in steps if floor < p <= 1)]
    needed = [
        binomial.trials_for_successes(positives_for_radius(H, missed / p, share), rate * p, share)
        for p in map(float, grid)
    ]
    assert max(needed) <= refined.block(H, missed, floor, rate, share) <= 1.02 * max(needed)


@pytest.mark.parametrize("H", [Thresholds(), Intervals(), RULES], ids=repr)
def test_with_every_k_tried_one_question_fewer_is_too_few_for_some_p(H, monkeypatch):
    """The least λ for the least K: the supremum is attained as a limit from the right at a step."""
    monkeypatch.setattr(refined, "FINENESS", 10**9)
    missed, share = 1 / 40, 0.01
    asked = refined.block(H, missed, missed, 1.0, share)
    steps = [missed / closure_radius(H, K, share) for K in range(1, 500)]
    too_few = [
        binom.cdf(positives_for_radius(H, missed / p, share) - 1, asked - 1, p) > share
        for p in (step * (1 + 1e-9) for step in steps if missed <= step < 1)
    ]
    assert any(too_few)


def test_a_block_without_use_asks_nothing():
    assert refined.block(Thresholds(), 0.5, 1.0, 1.0, 0.1) == 0


# Growth in θ


def slope(xs: list[float], ys: list[float]) -> float:
    """The exponent of a power law, by least squares."""
    return float(np.polyfit(np.log(xs), np.log(ys), 1)[0])


THETAS = [2.0, 8.0, 32.0, 128.0]


@pytest.mark.parametrize("H", [Thresholds(), Intervals(), Boxes(2), Halfspaces(2)], ids=repr)
def test_refined_bounds_are_linear_in_theta_where_the_printed_ones_are_quadratic(H):
    d = H.vc_dimension
    printed = [budgets.known_prior_questions(d, t, 0.5, 0.05, DELTA) for t in THETAS]
    computed = [sharp.known_prior_questions(H, t, 0.5, 0.1, DELTA) for t in THETAS]
    known = [refined.known_prior_questions(H, t, 0.5, 0.1, DELTA) for t in THETAS]
    unknown = [refined.unknown_prior_questions(H, t, 0.5, 0.1, DELTA) for t in THETAS]
    assert slope(THETAS, printed) > 2.0
    assert slope(THETAS, computed) > 1.95
    assert 0.95 < slope(THETAS, known) < 1.1
    assert 0.95 < slope(THETAS, unknown) < 1.1


@pytest.mark.parametrize("H", [Halfspaces(2), RULES], ids=repr)
def test_estrate_is_linear_in_theta_and_in_one_over_pi_where_the_printed_one_is_quadratic(H):
    """Over factors of 64: its epochs double, so that single steps are coarse."""
    d = H.vc_dimension
    priors = [0.64 / 2**i for i in range(7)]
    refined_in_pi = [refined.estimate_rate_questions(H, 8.0, p, 0.5, DELTA) for p in priors]
    printed_in_pi = [budgets.estimate_rate_questions(d, 8.0, p, 0.5, DELTA) for p in priors]
    in_theta = [refined.estimate_rate_questions(H, t, 0.3, 0.5, DELTA) for t in THETAS]
    assert -1.15 < slope(priors, refined_in_pi) < -0.9
    assert slope(priors, printed_in_pi) < -1.9
    assert 0.9 < slope(THETAS, in_theta) < 1.3


@pytest.mark.parametrize(("H", "theta"), [*AT, (Halfspaces(2), 3), (RULES, 5)], ids=repr)
@pytest.mark.parametrize("epsilon", [0.3, 0.01])
def test_the_refined_bound_is_always_below_the_one_with_computed_radii_alone(H, theta, epsilon):
    for rate, delta in ((1.0, 0.1), (0.2, 0.01)):
        fewer = refined.known_prior_questions(H, theta, rate, epsilon, delta)
        assert fewer < sharp.known_prior_questions(H, theta, rate, epsilon, delta)
        assert fewer < refined.unknown_prior_questions(H, theta, rate, epsilon, delta)


def test_known_figures():
    """ε = δ = 0.1, ω = 1."""
    found = [refined.known_prior_questions(H, theta, 1.0, 0.1, DELTA) for H, theta in AT]
    assert found == [650, 1735, 4810]
    assert refined.known_prior_questions(Boxes(2), 128, 1.0, 0.1, DELTA) == 77_605
    assert [sharp.known_prior_questions(H, theta, 1.0, 0.1, DELTA) for H, theta in AT] == [2825, 14_635, 81_845]


@pytest.mark.parametrize(
    "bound", [refined.known_prior_questions, refined.unknown_prior_questions], ids=lambda f: f.__name__
)
def test_harder_problems_cost_more(bound):
    for H, theta in AT[:2]:
        base = bound(H, theta, 0.5, 0.1, 0.1)
        assert bound(H, 2 * theta, 0.5, 0.1, 0.1) > base
        assert bound(H, theta, 0.25, 0.1, 0.1) > base
        assert bound(H, theta, 0.5, 0.05, 0.1) > base
        assert bound(H, theta, 0.5, 0.1, 0.05) > base


def test_the_fresh_sample_of_a_round_is_the_smallest_that_serves():
    H, theta = Boxes(2), 8
    m, share = refined.unknown_prior_fresh(H, theta, 0.1, DELTA), refined.unknown_prior_share(0.1, DELTA)
    assert relative_deviation(H, m, share) <= refined.tolerance(theta) < relative_deviation(H, m - 1, share)
    assert 19 * refined.tolerance(theta) == pytest.approx(1 / (2 * theta))
    assert 4 * refined.rounds(0.1) * share + DELTA / 8 + DELTA / 8 <= DELTA


def test_the_ten_statements_of_all_epochs_cost_no_more_than_delta():
    assert sum(10 * refined.estimate_rate_share(j, DELTA) for j in range(100_000)) <= DELTA
    counts = [refined.estimate_rate_successes(j, DELTA) for j in range(12)]
    assert all(a <= b for a, b in pairwise(counts))


def test_enough_rounds_for_the_halting_test():
    for epsilon in (0.9, 0.5, 0.3, 0.125, 0.1, 0.01):
        N = refined.rounds(epsilon)
        assert 2.0**-N <= epsilon / 2 < 2.0 ** -(N - 1)


# The deterministic steps of the proofs, on sets of atoms


ATOMS = 10
MASKS = st.integers(1, 2**ATOMS - 1)


def mass(mask: int, weights: list[int]) -> float:
    return sum(w for x, w in enumerate(weights) if mask >> x & 1) / sum(weights)


def region(masks: list[int]) -> int:
    """DIS(V)."""
    meet, join = masks[0], 0
    for h in masks:
        meet, join = meet & h, join | h
    return join & ~meet


def coefficient(H: list[int], truth: int, weights: list[int]) -> float:
    """sup over r > 0 of Δ(B(ℓ, r))/r, and at least 1."""
    radii = {mass(h ^ truth, weights) for h in H} - {0.0}
    balls = {r: [h for h in H if mass(h ^ truth, weights) <= r] for r in radii}
    return max([1.0, *(mass(region(ball), weights) / r for r, ball in balls.items())])


@given(st.lists(MASKS, min_size=2, max_size=12, unique=True), st.floats(0.05, 0.9), st.data())
def test_theorem_a_few_missed_positives_and_a_light_version_space_halve_the_region(H, epsilon, data):
    """FN ≤ Δ/(8θ) for all of V, P(h) ≤ π + ε/(8θ), Δ > ε/2 at the start of the round."""
    truth, weights = H[0], [1] * ATOMS
    theta = coefficient(H, truth, weights)
    light = [h for h in H if mass(h, weights) <= mass(truth, weights) + epsilon / (8 * theta)]
    V = [truth, *data.draw(st.lists(st.sampled_from(light), max_size=8))]
    before = mass(region(V), weights)
    assume(before > epsilon / 2)
    assert mass(region(V) & truth, weights) / before >= 3 / (8 * theta) - 1e-12  # A3: the least p of the supremum
    survivors = [h for h in V if mass(truth & ~h, weights) <= before / (8 * theta)]
    assert truth in survivors
    assert mass(region(survivors), weights) <= before / 2 + 1e-12


def relative(p: float, q: float) -> float:
    """The least η² with p ≤ up(q, η²), that is p ≤ q + η√p."""
    return max(0.0, p - q) ** 2 / p if p > 0 else 0.0


@given(
    st.lists(st.tuples(st.integers(0, 2**3 - 1), st.integers(0, 2**5 - 1)), min_size=1, max_size=8),
    st.lists(st.integers(0, 12), min_size=3, max_size=3),
    st.lists(st.integers(30, 50), min_size=5, max_size=5),
)
@settings(max_examples=400)
def test_theorem_b_the_truth_meets_the_cap_and_what_survives_is_near(members, rare, common):
    """ℓ has three light atoms of the region, which S2 may hold too often; each g misses some and has some of the rest.

    B is as large as this V and S2 need: D_i(ℓ \\ g) ≤ B, and η² ≤ B for the deviations of ℓ \\ g and g Δ ℓ.
    """
    truth, mean = 2**3 - 1, [4] * 3 + [40] * 5
    V = [truth, *(truth & ~missed | extra << 3 for missed, extra in members)]
    weights, counts = ([w if region(V) >> x & 1 else 0 for x, w in enumerate(of)] for of in (mean, rare + common))
    m = sum(counts)
    assume(m > 0)
    deviations = [relative(mass(truth & ~g, counts), mass(truth & ~g, weights)) for g in V]
    deviations += [relative(mass(truth ^ g, weights), mass(truth ^ g, counts)) for g in V]
    B = max(*deviations, *(mass(truth & ~g, weights) for g in V))
    smallest = min(mass(g, counts) for g in V)
    cap = round(smallest * m) + math.floor(3 * B * m + 1e-9)
    assert mass(truth, counts) * m <= cap + 1e-9
    survivors = [g for g in V if mass(g, counts) * m <= cap + 1e-9]
    assert all(mass(truth ^ g, weights) <= 19 * B + 1e-9 for g in survivors)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**4 - 1)), min_size=1, max_size=10),
    st.lists(st.integers(1, 30), min_size=10, max_size=10),
    st.floats(1.0, 2.9),
)
def test_theorem_c_the_observed_ball_keeps_the_truth_and_what_survives_is_near(members, counts, factor):
    """ℓ has six of the ten atoms, each h misses one and has some others; a and η² as large as V and S need, or more."""
    truth, weights = 2**6 - 1, [1] * ATOMS
    V = [truth, *(truth & ~(1 << missed) | extra << 6 for missed, extra in members)]
    a = factor / 6
    h_star = min(V, key=lambda h: mass(h, counts))
    needed = [relative(mass(h, weights), mass(h, counts)) for h in V]
    needed += [relative(mass(truth & ~h, counts), mass(truth & ~h, weights)) for h in V]
    needed += [relative(mass(truth ^ h, weights), mass(truth ^ h, counts)) for h in V]
    eta2 = factor * max(needed)
    radius = refined.estimate_rate_ball(mass(h_star, counts), a, eta2)
    assert mass(truth ^ h_star, counts) <= radius + 1e-9
    survivors = [h for h in V if mass(h ^ h_star, counts) <= radius + 1e-9]
    gamma = (2 * mass(h_star, counts) + eta2) * a / (1 - a) + eta2  # as theorem C is stated
    assert radius <= 3 * gamma + 1e-9
    assert all(mass(truth ^ h, weights) <= 13 * gamma + 1e-9 for h in survivors)
