"""The paper's sample sizes and label bounds, one function a formula, with the errata of `docs/paper.md` repaired.

They are for study: the sharp algorithms (`sharp`) need a thousandth of them or less. d is the VC dimension, θ the
disagreement coefficient, `rate` ω or its estimate ω̂. Sizes are rounded up to whole items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from activepu.hypotheses.base import HypothesisClass
from activepu.theory.deviations import relative_deviation, smallest


@dataclass(frozen=True)
class Constants:
    """The paper's unnamed constants. The values are the largest ones that a grid of d, θ, ε, δ needed; not proved.

    M1: passive PU learning. M2: ρ_D against 2ρ_S + …, for all pairs of hypotheses (6 suffices around ℓ). M3: λ2.
    """

    M1: float = 21.0
    M2: float = 10.0
    M3: float = 4.7e6


GRID_MAXIMA = Constants()


# Passive PU learning (Theorem 1 of Liu et al. 2002)


def passive_positives(d: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """k = M1(d ln(1/ε) + ln(1/δ))/ε positives, and as many unlabeled items."""
    return math.ceil(constants.M1 * (d * math.log(1.0 / epsilon) + math.log(1.0 / delta)) / epsilon)


def _radius(constant: float, d: int, k: int, log_term: float) -> float:
    """constant·(d ln(2k/d) + log term)/k; infinite below k = d, where it is not valid (errata P3, R1, U12)."""
    return constant * (d * math.log(2.0 * k / d) + log_term) / k if k >= d and k > 0 else math.inf


def passive_radius(d: int, k: int, delta: float, constants: Constants = GRID_MAXIMA) -> float:
    """The same inverted: error ≤ M1(d ln(2k/d) + ln(1/δ))/k for k ≥ d."""
    return _radius(constants.M1, d, k, math.log(1.0 / delta))


# Algorithm 1: known π


def margin(theta: float, epsilon: float, printed: bool = False) -> float:
    """γ = ε/(16θ); the printed ε/(8θ) leaves nothing for a halting test on a sample (erratum A2)."""
    return epsilon / ((8.0 if printed else 16.0) * theta)


def known_prior_unlabeled(d: int, gamma: float, delta: float) -> int:
    """k = 128(d ln(128/γ) + ln(8/δ))/γ²: sup_H |P̂ − P| < γ; valid, 80 to 1,000 times what is needed (erratum A6)."""
    return math.ceil(128.0 * (d * math.log(128.0 / gamma) + math.log(8.0 / delta)) / gamma**2)


def halvings(epsilon: float) -> int:
    """N = max(1, ⌈log2 1/ε⌉): how often Δ is halved until it is ≤ ε; pass ε/2 where a test on a sample halts (A5)."""
    return max(1, math.ceil(math.log2(1.0 / epsilon)))


def known_prior_block(d: int, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """λ = 128θ²(4d ln(192θ) + ln(8N/δ))/ω questions halve Δ once; the theorem's d ln θ vanishes at θ = 1 (A7)."""
    log_term = math.log(8.0 * halvings(epsilon) / delta)
    return math.ceil(128.0 * theta**2 * (4.0 * d * math.log(192.0 * theta) + log_term) / rate)


def known_prior_questions(d: int, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """λN, the label bound of the theorem for known π."""
    return known_prior_block(d, theta, rate, epsilon, delta) * halvings(epsilon)


# Algorithm 2: EstRate


def estimate_rate_level(i: int, delta: float) -> float:
    """δ_i = δ/((i+1)(i+2)): the union bound over iterations that the proof lacks (erratum R2)."""
    return delta / ((i + 1) * (i + 2))


def estimate_rate_radius(d: int, revealed: int, delta: float, constants: Constants = GRID_MAXIMA) -> float:
    """γ = (M1 + M2)(d ln(2|R|/d) + ln(4/δ))/|R|; infinite below |R| = d: then no ball is taken (erratum R1)."""
    return _radius(constants.M1 + constants.M2, d, revealed, math.log(4.0 / delta))


def estimate_rate_successes(delta: float) -> int:
    """EstRate stops at r ≥ 8 ln(8/δ)."""
    return math.ceil(8.0 * math.log(8.0 / delta))


def estimate_rate_form(d: int, theta: float, prior: float, rate: float, delta: float, M: float) -> float:
    """4Mθ(d ln(14θ/π) + ln(4/δ))/(π²ω), the printed bound; M ≥ 28(M1 + M2) is asked for, too little (erratum R6).

    The first line of the printed proof drops the factor ln(θ/π) (erratum R8).
    """
    return 4.0 * M * theta * (d * math.log(14.0 * theta / prior) + math.log(4.0 / delta)) / (prior**2 * rate)


def estimate_rate_questions(
    d: int, theta: float, prior: float, rate: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """4·2^i for the first iteration i at which EstRate has halted with probability ≥ 1 − δ: its label bound, solved.

    Half the expected reveals, 2^i πω/2, must bring γ below π/(16θ) (erratum R5) at level δ_i, so that half the
    positives are certain; and 2^i ≥ 48 ln(4/δ)/(πω) then gives r ≥ 8 ln(8/δ). Iteration j asks at most 2·2^j questions.
    """
    i = math.ceil(math.log2(48.0 * math.log(4.0 / delta) / (prior * rate)))
    while True:
        revealed = int(2**i * prior * rate / 2.0)
        if estimate_rate_radius(d, revealed, estimate_rate_level(i, delta), constants) <= prior / (16.0 * theta):
            return int(4 * 2**i)
        i += 1


# Algorithm 3: unknown π


def iterations(epsilon: float) -> int:
    """N = 2⌈log2(6/ε)⌉ (erratum U4)."""
    return 2 * math.ceil(math.log2(6.0 / epsilon))


def rate_test_questions(theta: float, rate: float, epsilon: float, delta: float) -> int:
    """λ1 = 768θ ln(8N/δ)/ω̂."""
    return math.ceil(768.0 * theta * math.log(8.0 * iterations(epsilon) / delta) / rate)


def prune_questions(
    d: int, theta: float, rate: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """λ2 = M3θ²(d ln(eθ) + ln(8N/δ))/ω̂; the printed d ln θ vanishes at θ = 1 (U5), and ln(N/δ) lacks the 8 (U13)."""
    log_term = math.log(8.0 * iterations(epsilon) / delta)
    return math.ceil(constants.M3 * theta**2 * (d * math.log(math.e * theta) + log_term) / rate)


def prune_positives(d: int, theta: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """The smallest |R2| with (5M1 + 3M2)(d ln(2|R2|/d) + ln(8N/δ))/|R2| ≤ 1/(2θ): what the proof of Claim 3 needs."""
    constant = 5.0 * constants.M1 + 3.0 * constants.M2
    log_term = math.log(8.0 * iterations(epsilon) / delta)
    return smallest(lambda k: _radius(constant, d, k, log_term) <= 1.0 / (2.0 * theta), start=d)


def prune_questions_solved(
    d: int, theta: float, rate: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """λ2 without M3: 2048θ·|R2|/ω̂, as |R2| > λ2 ω/(1024θ) by Claim 3 and ω̂ ≤ 2ω."""
    return math.ceil(2048.0 * theta * prune_positives(d, theta, epsilon, delta, constants) / rate)


def prune_radius(d: int, revealed: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> float:
    """γ_{i+1} = (2M1 + M2)(d ln(2|R2|/d) + ln(8N/δ))/|R2|; infinite below |R2| = d (erratum U12)."""
    log_term = math.log(8.0 * iterations(epsilon) / delta)
    return _radius(2.0 * constants.M1 + constants.M2, d, revealed, log_term)


def unknown_prior_unlabeled(d: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """|S1| as printed: (3M2 + 96)(d ln(3/ε) + ln(16N/δ))/ε."""
    log_term = math.log(16.0 * iterations(epsilon) / delta)
    return math.ceil((3.0 * constants.M2 + 96.0) * (d * math.log(3.0 / epsilon) + log_term) / epsilon)


def unknown_prior_unlabeled_solved(d: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """The smallest |S1| that meets what the proof uses (erratum U10).

    M2(d ln(2|S1|/d) + ln(8/δ))/|S1| ≤ ε/3, the same with ln(16N/δ) ≤ 2ε/3, and |S1| ≥ 96 ln(16N/δ)/ε.
    """
    log_term = math.log(16.0 * iterations(epsilon) / delta)

    def enough(n: int) -> bool:
        return (
            _radius(constants.M2, d, n, math.log(8.0 / delta)) <= epsilon / 3.0
            and _radius(constants.M2, d, n, log_term) <= 2.0 * epsilon / 3.0
            and n >= 96.0 * log_term / epsilon
        )

    return smallest(enough, start=d)


def unknown_prior_unlabeled_closed(H: HypothesisClass, epsilon: float, delta: float) -> int:
    """|S1| for an intersection-closed class with S1 reused in every iteration (erratum U11): η²(|S1|, δ/16) ≤ ε/48."""
    return smallest(lambda n: relative_deviation(H, n, delta / 16.0) <= epsilon / 48.0)


def unknown_prior_questions(
    d: int, theta: float, rate: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """N(λ1 + λ2) with λ2 solved: the label bound for unknown π, EstRate apart."""
    block = rate_test_questions(theta, rate, epsilon, delta)
    block += prune_questions_solved(d, theta, rate, epsilon, delta, constants)
    return iterations(epsilon) * block
