"""The paper's own numbers, as the repaired formulas give them, at π = 0.3 and δ = 0.1."""

from __future__ import annotations

import math
from itertools import product

import pytest

from activepu.hypotheses import Boxes, Intervals, Thresholds
from activepu.theory import binomial, budgets, sharp
from activepu.theory.radii import positives_for_radius

DELTA = 0.1
THRESHOLDS, BOX = (1, 2.0), (4, 4.0)  # (d, θ); θ = 4 is the paper's style of choice, too small for boxes
COLUMNS = [(THRESHOLDS, 0.1), (THRESHOLDS, 0.05), (BOX, 0.1), (BOX, 0.05)]


def two_digits(value: float) -> str:
    return f"{value:.1e}"


@pytest.mark.parametrize(("column", "k"), list(zip(COLUMNS, [4.7e7, 2.0e8, 6.1e8, 2.6e9], strict=True)))
def test_unlabeled_items_of_algorithm_1_as_printed(column, k):
    (d, theta), epsilon = column
    gamma = budgets.margin(theta, epsilon, printed=True)
    assert two_digits(budgets.known_prior_unlabeled(d, gamma, DELTA)) == two_digits(k)
    assert budgets.margin(theta, epsilon) == gamma / 2


@pytest.mark.parametrize(("column", "bound"), list(zip(COLUMNS, [6.1e4, 7.6e4, 9.2e5, 1.1499e6], strict=True)))
def test_label_bound_of_algorithm_1(column, bound):
    (d, theta), epsilon = column
    assert two_digits(budgets.known_prior_questions(d, theta, 1.0, epsilon, DELTA)) == two_digits(bound)


@pytest.mark.parametrize(
    ("column", "n", "test", "prune", "total"),
    [
        (COLUMNS[0], 12, 1.1e4, 3.7e7, 4.4e8),
        (COLUMNS[1], 14, 1.1e4, 3.7e7, 5.2e8),
        (COLUMNS[2], 12, 2.1e4, 4.2e8, 5.0e9),
        (COLUMNS[3], 14, 2.2e4, 4.2e8, 5.9e9),
    ],
)
def test_numbers_of_algorithm_3(column, n, test, prune, total):
    (d, theta), epsilon = column
    assert budgets.iterations(epsilon) == n
    assert two_digits(budgets.rate_test_questions(theta, 1.0, epsilon, DELTA)) == two_digits(test)
    assert two_digits(budgets.prune_questions_solved(d, theta, 1.0, epsilon, DELTA)) == two_digits(prune)
    assert two_digits(budgets.unknown_prior_questions(d, theta, 1.0, epsilon, DELTA)) == two_digits(total)


def test_questions_scale_with_one_over_the_rate():
    full, tenth = (budgets.unknown_prior_questions(1, 2.0, rate, 0.1, DELTA) for rate in (1.0, 0.1))
    assert tenth == pytest.approx(10 * full, rel=1e-6)


@pytest.mark.parametrize(
    ("H", "epsilon", "size"),
    [(Thresholds(), 0.1, 3.4e4), (Thresholds(), 0.05, 7.1e4), (Boxes(2), 0.1, 1.0e5), (Boxes(2), 0.05, 2.2e5)],
    ids=repr,
)
def test_the_enlarged_sample_of_algorithm_3(H, epsilon, size):
    assert budgets.unknown_prior_unlabeled_closed(H, epsilon, DELTA) == pytest.approx(size, rel=0.04)


def test_m3_covers_the_solved_prune_size_on_a_grid_and_is_not_far_above_it():
    grid = product((1, 2, 4, 10, 100, 1000), (1.0, 1.5, 2.0, 4.0, 100.0), (0.9, 0.1, 0.01), (0.5, 0.1, 1e-6))
    ratios = [
        budgets.prune_questions_solved(d, theta, 1.0, epsilon, delta)
        / budgets.prune_questions(d, theta, 1.0, epsilon, delta)
        for d, theta, epsilon, delta in grid
    ]
    assert 0.9 < max(ratios) <= 1.0


def test_the_printed_sample_meets_its_condition_only_for_small_constants():
    def met(constants: budgets.Constants) -> bool:
        n = budgets.unknown_prior_unlabeled(4, 0.1, DELTA, constants)
        return constants.M2 * (4 * math.log(2 * n / 4) + math.log(8 / DELTA)) / n <= 0.1 / 3

    assert met(budgets.Constants(M2=10))
    assert not met(budgets.Constants(M2=1000))
    solved = budgets.unknown_prior_unlabeled_solved(4, 0.1, DELTA, budgets.Constants(M2=1000))
    assert 1000 * (4 * math.log(2 * solved / 4) + math.log(80)) / solved <= 0.1 / 3
    assert solved > budgets.unknown_prior_unlabeled(4, 0.1, DELTA, budgets.Constants(M2=1000))


def test_radii_of_the_paper_are_infinite_below_d_and_fall_above_it():
    for radius in (
        lambda k: budgets.estimate_rate_radius(4, k, DELTA),
        lambda k: budgets.prune_radius(4, k, 0.1, DELTA),
        lambda k: budgets.passive_radius(4, k, DELTA),
    ):
        assert radius(0) == radius(3) == math.inf
        assert math.inf > radius(4) > radius(40) > radius(4000)


def test_the_rate_estimate_halts_where_its_ball_is_small_enough():
    questions = budgets.estimate_rate_questions(1, 2.0, 0.3, 1.0, DELTA)
    i = round(math.log2(questions / 4))
    small = [
        budgets.estimate_rate_radius(1, int(2**j * 0.3 / 2), budgets.estimate_rate_level(j, DELTA)) <= 0.3 / 32
        for j in (i - 1, i)
    ]
    assert small == [False, True]
    assert budgets.estimate_rate_form(1, 2.0, 0.3, 1.0, DELTA, M=28 * 31) < questions


def test_passive_positives_are_the_theorem():
    assert budgets.passive_positives(1, 0.1, 0.1) == math.ceil(21 * 2 * math.log(10) / 0.1)


# Sharper, still valid


def test_sharp_sizes_of_the_page():
    assert two_digits(sharp.known_prior_unlabeled(0.3, 2, 0.1, DELTA)) == two_digits(4.0e4)
    assert two_digits(sharp.known_prior_unlabeled(0.3, 8, 0.1, DELTA)) == two_digits(6.3e5)
    assert budgets.estimate_rate_successes(0.1) == 36
    assert budgets.estimate_rate_successes(0.0125) == 52
    assert budgets.rate_test_questions(2.0, 1.0, 0.1, DELTA) == 10548


def test_positives_to_prune_of_the_page():
    # |R2| at M1 = 21, M2 = 10: 9 000 for thresholds, 51 000 for boxes; closures need a few dozen to some hundreds.
    assert budgets.prune_positives(1, 2.0, 0.1, DELTA) == pytest.approx(9000, rel=0.01)
    assert budgets.prune_positives(4, 4.0, 0.1, DELTA) == pytest.approx(51_000, rel=0.01)
    assert positives_for_radius(Thresholds(), 0.25, DELTA / 96) < 30


def test_the_sharp_bound_for_a_known_prior_is_far_below_the_papers():
    for H, theta in ((Thresholds(), 2.0), (Intervals(), 4.0), (Boxes(2), 8.0)):
        paper = budgets.known_prior_questions(H.vc_dimension, theta, 0.5, 0.1, DELTA)
        assert sharp.known_prior_questions(H, theta, 0.5, 0.1, DELTA) < paper / 15


def test_the_sharp_bound_is_made_of_its_parts():
    rounds, share = 5, DELTA / 20
    K = positives_for_radius(Thresholds(), 1 / 16, share)
    expected = rounds * binomial.trials_for_successes(K, 0.5 * 3 / 16, share)
    assert sharp.known_prior_questions(Thresholds(), 2.0, 0.5, 0.1, DELTA) == expected


def test_typical_runs_are_estimated_within_a_factor_of_the_measured_ones():
    # Mean questions of 200 runs at ε = δ = 0.1, π = 0.3 (docs/measurements.md).
    measured = {(1, 1.0): 41, (1, 0.5): 95, (2, 1.0): 67, (2, 0.5): 161, (4, 1.0): 103, (4, 0.5): 244}
    for H in (Thresholds(), Intervals(), Boxes(2)):
        for rate in (1.0, 0.5):
            estimate, _ = sharp.unknown_prior_typical(H, 0.3, rate, 0.1, DELTA)
            assert 0.5 < estimate / measured[H.vc_dimension, rate] < 2
