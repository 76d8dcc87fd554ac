"""Errata of the paper's preliminaries: what its definitions say literally, and what the code uses instead."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import binom

import activepu as apu
from activepu.theory import binomial, budgets, coefficient, flip_costs
from activepu.theory.radii import passive_sizes


def test_the_printed_coefficient_of_intervals_is_infinite_and_the_one_at_the_truth_is_not():
    """P2: the sup over all h takes h → ∅, whose smallest balls hold every one-point interval."""

    def ratio(n: int, inside: int, least: int) -> float:
        """max over r ≥ least/n of Δ(B̂(h, r))/r, h an interval of `inside` of n points."""
        X = np.linspace(0, 1, n)[:, None]
        H = apu.Intervals().bind(1)
        h = H.closure(X[n // 3 : n // 3 + inside])
        costs = flip_costs(h, X).least(X)
        return max(np.mean(costs <= c) / (c / n) for c in range(least, n + 1))

    printed = [ratio(n, inside=1, least=1) for n in (100, 200, 400)]
    assert printed == [50.0, 100.0, 200.0]  # n/2: no bound for all n
    ours = [ratio(n, inside=int(0.3 * n), least=10) for n in (100, 200, 400)]
    assert max(ours) <= coefficient(apu.Intervals(), 0.3) * 1.2
    assert math.isfinite(coefficient(apu.Intervals(), 0.3))


def cells(seed: int, planes: int, dim: int) -> np.ndarray:
    """Which side of each plane a cell lies on, as one number per cell of a generic arrangement; exact.

    Every cell has a vertex, and around a vertex the planes through it take all sides.
    """
    rng = np.random.default_rng(seed)
    normals, offsets = rng.normal(size=(planes, dim)), rng.normal(size=planes)
    found = set()
    for through in combinations(range(planes), dim):
        vertex = np.linalg.solve(normals[list(through)], offsets[list(through)])
        side = normals @ vertex > offsets
        for corner in product([False, True], repeat=dim):
            side[list(through)] = corner
            found.add(int(side @ (1 << np.arange(planes))))
    return np.array(sorted(found))


def shatters(sets: np.ndarray, points: tuple[int, ...]) -> bool:
    return len(np.unique(sets & sum(1 << p for p in points))) == 2 ** len(points)


def test_differences_of_a_class_can_shatter_more_than_2d_plus_1_points():
    """H2: the cells of 9 planes in space have VC dimension 3, and their pairwise differences shatter all 9."""
    H = cells(seed=0, planes=9, dim=3)
    assert len(H) == 1 + 9 + 36 + 84
    d = max(size for size in (2, 3, 4) if any(shatters(H, points) for points in combinations(range(9), size)))
    assert d == 3
    differences = np.unique(H[:, None] ^ H[None, :])
    assert shatters(differences, tuple(range(9)))
    assert 2 * d + 1 < 9  # the printed bound
    assert len(differences) <= len(H) ** 2  # what holds: Π_{HΔH} ≤ Π_H²
    for centre in H[:20]:  # what the library uses: around one ℓ the growth is that of H itself
        assert len(np.unique(H ^ centre)) == len(H)


def test_the_inverted_passive_bound_is_used_from_d_positives_on_only():
    """P3: below k = d/2 the printed M1(d ln(2k/d) + ln 1/δ)/k is negative."""

    def printed(d: int, k: int, delta: float) -> float:
        return 21 * (d * math.log(2 * k / d) + math.log(1 / delta)) / k

    assert printed(20, 3, 0.1) < 0
    assert budgets.passive_radius(20, 3, 0.1) == math.inf
    assert budgets.passive_radius(20, 500, 0.1) == printed(20, 500, 0.1) > 0


def test_the_printed_chernoff_bound_is_false_for_large_deviations_and_true_up_to_one():
    """C1: P(p̂ ≥ (1+γ)p) ≤ exp(−mpγ²/3) fails at m = 100, p = 0.01, γ = 10; the paper uses γ ≤ 1 only. Exact."""

    def tail(m: int, p: float, gamma: float) -> float:
        return float(binom.sf(math.ceil((1 + gamma) * p * m - 1e-9) - 1, m, p))

    def printed(m: int, p: float, gamma: float) -> float:
        return math.exp(-m * p * gamma**2 / 3)

    assert 10 <= 1 / 0.01 - 1  # within the range that the lemma states
    assert tail(100, 0.01, 10) == pytest.approx(6.3e-9, rel=0.01)
    assert printed(100, 0.01, 10) == pytest.approx(3.3e-15, rel=0.02)
    for m, p, gamma in product((10, 100, 1000), (0.01, 0.1, 0.3, 0.5), np.linspace(0.05, 1, 20)):
        assert tail(m, p, gamma) <= printed(m, p, gamma)


def test_passive_questions_do_not_grow_with_one_over_the_prior():
    """O2: what is missed weighs π·a_K, so that K ~ πd/ε positives, d/(εω) questions, suffice for any π."""
    H, epsilon, delta, rate = apu.Boxes(2), 0.02, 0.1, 0.5

    def questions(prior: float) -> int:
        positives, _ = passive_sizes(H, epsilon, delta / 2, prior)
        return binomial.trials_for_successes(positives, prior * rate, delta / 2)

    asked = [questions(prior) for prior in (0.8, 0.4, 0.2, 0.1)]
    assert max(asked) < 1.5 * min(asked)  # "unavoidable 1/π": a factor of 8
