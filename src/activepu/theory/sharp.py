"""Sizes of the sharp algorithms: what they draw, and how many questions they can be expected or are proved to need."""

from __future__ import annotations

import math

from activepu.hypotheses.base import HypothesisClass
from activepu.theory import binomial
from activepu.theory.deviations import smallest
from activepu.theory.radii import positives_for_radius, realizable_radius
from activepu.theory.rate_test import RateTest

SHARPER = 4
"""How much more often than for a factor of two Algorithm 3S measures ω: a CUT needs some 1/ω_lo questions, so that a
sharper ω_lo pays for itself."""


def known_prior_unlabeled(prior: float, theta: float, epsilon: float, delta: float) -> int:
    """|S| of Algorithm 1S: 2π(1 − π) ln(4/δ) (8θ/ε)².

    The cap is a quantile of Bin(|S|, π), and its excess over π is about √(2π(1 − π) ln(4/δ)/|S|): this makes it ε/(8θ).
    """
    return max(1, math.ceil(2.0 * prior * (1.0 - prior) * math.log(4.0 / delta) * (8.0 * theta / epsilon) ** 2))


def known_prior_questions(H: HypothesisClass, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """A proved bound for Algorithm 1 with γ = ε/(16θ) and computed radii; holds with probability ≥ 1 − δ.

    While Δ(V) ≥ ε/2: P(ℓ=1 | DIS) ≥ 3/(8θ) (erratum A3), so n questions reveal K positives of DIS except with
    probability δ/(4N) once P(Bin(n, 3ω/(8θ)) < K) ≤ δ/(4N). If a_K ≤ 1/(8θ) at δ/(4N), then every h ∈ V misses at most
    Δ/(8θ) and has at most 2γ more false positives than negatives: ρ(h, ℓ) ≤ Δ/(4θ) + ε/(8θ) ≤ Δ/(2θ), and Δ is halved.
    N = ⌈log2(2/ε)⌉ halvings; the cap and the halting test take δ/4 each. Two factors of θ, one for the rate of reveals
    and one for the radius: `refined.known_prior_questions` is linear in θ, and always smaller.
    """
    rounds = math.ceil(math.log2(2.0 / epsilon))
    share = delta / (4.0 * rounds)
    positives = positives_for_radius(H, 1.0 / (8.0 * theta), share)
    return rounds * binomial.trials_for_successes(positives, 3.0 * rate / (8.0 * theta), share)


def full_label_questions(H: HypothesisClass, theta: float, epsilon: float, delta: float) -> int:
    """A proved bound for CAL, whose expert also says no: N = ⌈log2(2/ε)⌉ rounds of m, a_m ≤ 1/(2θ) at δ/(2N)."""
    rounds = math.ceil(math.log2(2.0 / epsilon))
    share = delta / (2.0 * rounds)
    return rounds * smallest(lambda m: realizable_radius(H, m, share) <= 1.0 / (2.0 * theta))


def level(i: int, delta: float) -> float:
    """α_i = δ/(8(i+1)(i+2)): the level of each statement in round i of Algorithm 3S; Σ α_i = δ/8."""
    return delta / (8.0 * (i + 1) * (i + 2))


def fresh_items(i: int, epsilon: float, delta: float) -> int:
    """|T| of round i, intersection-closed: ⌈32 ln(1/α_i)/ε²⌉. Both bounds on P(certain) are then within ε/8 of P̂_T."""
    return math.ceil(32.0 * math.log(1.0 / level(i, delta)) / epsilon**2)


def fresh_items_general(i: int, epsilon: float, delta: float) -> int:
    """|T| of round i with θ: P̂_T(certain) is within τ = ε/34 of P, and StopCheck tells ε/2 from ε, each but for α_i."""
    alpha, tau = level(i, delta), epsilon / 34.0
    return math.ceil(max(math.log(2.0 / alpha) / (2.0 * tau**2), 32.0 / epsilon * math.log(1.0 / alpha)))


def estimate_rate_sizes(H: HypothesisClass, delta: float, sharper: int = 1) -> tuple[int, int]:
    """(K0, T) of EstRate, intersection-closed: positives whose closure holds half of all, then successes inside it.

    T makes T/n right within a factor of two either way; `sharper` multiplies it.
    """
    return positives_for_radius(H, 0.5, delta / 2.0), sharper * binomial.successes_for_factor_two(delta)


def known_prior_typical(H: HypothesisClass, theta: float, prior: float, rate: float, epsilon: float) -> float:
    """An estimate for Algorithm 1S, not a bound: 1/(πω) + d ln(π/ε)·θ/ω.

    The first reveal takes 1/(πω) questions. After it the positives still missed lie in d parts (sides); a reveal in one
    leaves a uniform fraction of it, 1/e in the geometric mean, so that d reveals shrink them all by e. A share of about
    1/θ of the disagreement region is positive.
    """
    return 1.0 / (prior * rate) + H.vc_dimension * max(0.0, math.log(prior / epsilon)) * theta / rate


def unknown_prior_typical(H: HypothesisClass, prior: float, rate: float, epsilon: float, delta: float) -> float:
    """An estimate for Algorithm 3S, intersection-closed, not a bound: EstRate, then a CUT per halving of u − b.

    EstRate: K0/(πω) + T/ω. A region that may grow on any of s sides by u − β has mass ≈ s(u − β), and m − β is half of
    u − β: ρ0 ≈ ω_lo/(2s). A CUT is taken to be tested where reveals come at ρ1 = ρ0/4. PRUNE rounds come on top.
    """
    positives, successes = estimate_rate_sizes(H, delta / 8.0, SHARPER)
    low, _ = binomial.bounds_at_success(successes, max(successes, round(successes / rate)), delta / 16.0)
    questions = positives / (prior * rate) + successes / rate
    for i in range(math.ceil(math.log2(1.0 / epsilon))):
        test = RateTest(low / (2.0 * H.vc_dimension), level(i, delta))
        questions += test.expected_questions(test.rho1)
    return questions


def unknown_prior_general_typical(
    H: HypothesisClass, theta: float, prior: float, rate: float, epsilon: float, delta: float
) -> float:
    """The same for classes that are not intersection-closed, with ρ0 = ω_lo·3/(13θ); an estimate, not a bound.

    EstRate goes on until about half the positives are certain: a region of Δ ≤ θ·6a within π/2 for the radius a of its
    K positives, K/(πω) questions. Then ⌈log2(17/(8ε))⌉ CUTs.
    """
    positives = positives_for_radius(H, prior / (12.0 * theta), delta / 32.0)
    successes = SHARPER * binomial.successes_for_factor_two(delta / 8.0)
    low, _ = binomial.bounds_at_success(successes, max(successes, round(successes / rate)), delta / 32.0)
    cuts = math.ceil(math.log2(34.0 / (16.0 * epsilon)))
    questions = positives / (prior * rate) + successes / rate
    for i in range(cuts):
        test = RateTest(low * 3.0 / (13.0 * theta), level(i, delta))
        questions += test.expected_questions(test.rho1)
    return questions
