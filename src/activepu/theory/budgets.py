"""The paper's sample sizes and label bounds, one function per formula, with the errata of `docs/paper.md` repaired.

They are for study: the sharp algorithms (`sharp`) need a thousandth of them or less. Some of the functions only serve
the reader of the paper and the tables of `docs/constants.md`; the learners of `activepu.paper` use the others.

- `d`           the VC dimension
- `theta`       θ, the disagreement coefficient at ℓ, at least 1
- `rate`        ω, the reveal rate, or its estimate ω̂
- `prior`       π, the share of positives
- `epsilon`     the error that is allowed
- `delta`       the probability that the statement is false
- `constants`   `Constants`, the paper's M1, M2 and M3

All formulas assume ℓ ∈ H, i.i.d. rows and a continuous distribution. Sizes are rounded up to whole items.

Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026).
Liu, Lee, Yu and Li, "Partially supervised classification of text documents", ICML 2002.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from activepu.hypotheses.base import HypothesisClass
from activepu.theory.deviations import relative_deviation, smallest


@dataclass(frozen=True)
class Constants:
    """The paper's unnamed constants.

    The defaults are the largest values that a grid of d, θ, ε and δ needed: they are not proved.

    Attributes
    ----------
    M1 : float
        Of passive PU learning (Liu et al. 2002).
    M2 : float
        Of ρ_D against 2ρ_S + …, for all pairs of hypotheses; 6 suffices around ℓ.
    M3 : float
        Of λ2, the questions of a pruning step.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.Constants()
    Constants(M1=21.0, M2=10.0, M3=4700000.0)
    """

    M1: float = 21.0
    M2: float = 10.0
    M3: float = 4.7e6


GRID_MAXIMA = Constants()


# Passive PU learning (Theorem 1 of Liu et al. 2002)


def passive_positives(d: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """Return k = M1(d ln(1/ε) + ln(1/δ))/ε: the positives that passive PU learning needs, and as many unlabeled items.

    Parameters
    ----------
    d, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.passive_positives(1, epsilon=0.1, delta=0.1)
    968

    See Also
    --------
    activepu.theory.passive_sizes : the computed sizes, which are proved.
    """
    return math.ceil(constants.M1 * (d * math.log(1.0 / epsilon) + math.log(1.0 / delta)) / epsilon)


def _radius(constant: float, d: int, k: int, log_term: float) -> float:
    """Return constant·(d ln(2k/d) + log term)/k; infinite below k = d, where it is not valid (errata P3, R1, U12)."""
    return constant * (d * math.log(2.0 * k / d) + log_term) / k if k >= d and k > 0 else math.inf


def passive_radius(d: int, k: int, delta: float, constants: Constants = GRID_MAXIMA) -> float:
    """Return the same inverted: error ≤ M1(d ln(2k/d) + ln(1/δ))/k, for k ≥ d positives (erratum P3).

    Parameters
    ----------
    d, k, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> round(budgets.passive_radius(1, k=10_000, delta=0.1), 4)
    0.0256
    """
    return _radius(constants.M1, d, k, math.log(1.0 / delta))


# Algorithm 1: known π


def margin(theta: float, epsilon: float, printed: bool = False) -> float:
    """Return γ = ε/(16θ); the printed ε/(8θ) leaves nothing for a halting test on a sample (erratum A2).

    Parameters
    ----------
    theta, epsilon : numbers
        As at the head of this module.
    printed : bool
        Return the printed value instead.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.margin(2, 0.1), budgets.margin(2, 0.1, printed=True)
    (0.003125, 0.00625)
    """
    return epsilon / ((8.0 if printed else 16.0) * theta)


def known_prior_unlabeled(d: int, gamma: float, delta: float) -> int:
    """Return k = 128(d ln(128/γ) + ln(8/δ))/γ², the rows with which sup_H |P̂ − P| < γ except with probability δ.

    It is valid, and 80 to 1,000 times what is needed (erratum A6).

    Parameters
    ----------
    d, delta : numbers
        As at the head of this module.
    gamma : float
        γ, from `margin`.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.known_prior_unlabeled(1, budgets.margin(2, 0.1), 0.1 / 4)
    214809605
    """
    return math.ceil(128.0 * (d * math.log(128.0 / gamma) + math.log(8.0 / delta)) / gamma**2)


def halvings(epsilon: float) -> int:
    """Return N = max(1, ⌈log2 1/ε⌉): how often Δ is halved until it is ≤ ε.

    Pass ε/2 where the halting test is run on a sample (erratum A5).

    Parameters
    ----------
    epsilon : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.halvings(0.1)
    4
    """
    return max(1, math.ceil(math.log2(1.0 / epsilon)))


def known_prior_block(d: int, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return λ = 128θ²(4d ln(192θ) + ln(8N/δ))/ω, the questions that halve Δ once.

    The theorem's d ln θ vanishes at θ = 1, where its proof has 4d ln(192θ) (erratum A7).

    Parameters
    ----------
    d, theta, rate, epsilon, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.known_prior_block(1, theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    15141
    """
    log_term = math.log(8.0 * halvings(epsilon) / delta)
    return math.ceil(128.0 * theta**2 * (4.0 * d * math.log(192.0 * theta) + log_term) / rate)


def known_prior_questions(d: int, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return λN, the label bound of the theorem for known π.

    Parameters
    ----------
    d, theta, rate, epsilon, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.known_prior_questions(1, theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    60564

    See Also
    --------
    activepu.theory.refined.known_prior_questions : linear in θ, with computed constants.
    """
    return known_prior_block(d, theta, rate, epsilon, delta) * halvings(epsilon)


# Algorithm 2: EstRate


def estimate_rate_level(i: int, delta: float) -> float:
    """Return δ_i = δ/((i+1)(i+2)): the union bound over iterations that the proof lacks (erratum R2).

    Parameters
    ----------
    delta : numbers
        As at the head of this module.
    i : int
        The iteration, from 0.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> round(budgets.estimate_rate_level(0, 0.1), 4)
    0.05
    """
    return delta / ((i + 1) * (i + 2))


def estimate_rate_radius(d: int, revealed: int, delta: float, constants: Constants = GRID_MAXIMA) -> float:
    """Return γ = (M1 + M2)(d ln(2|R|/d) + ln(4/δ))/|R|; infinite below |R| = d, where no ball is taken (erratum R1).

    Parameters
    ----------
    d, delta, constants : numbers
        As at the head of this module.
    revealed : int
        |R|.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> round(budgets.estimate_rate_radius(1, revealed=10_000, delta=0.1), 4)
    0.0421
    """
    return _radius(constants.M1 + constants.M2, d, revealed, math.log(4.0 / delta))


def estimate_rate_successes(delta: float) -> int:
    """Return 8 ln(8/δ), the reveals at which EstRate stops.

    Parameters
    ----------
    delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.estimate_rate_successes(0.1)
    36
    """
    return math.ceil(8.0 * math.log(8.0 / delta))


def estimate_rate_form(d: int, theta: float, prior: float, rate: float, delta: float, M: float) -> float:
    """Return 4Mθ(d ln(14θ/π) + ln(4/δ))/(π²ω), the printed label bound of EstRate.

    M ≥ 28(M1 + M2) is asked for, which is too little (erratum R6). The first line of the printed proof drops the factor
    ln(θ/π) (erratum R8).

    Parameters
    ----------
    d, theta, prior, rate, delta : numbers
        As at the head of this module.
    M : float
        The constant of the printed bound.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> round(budgets.estimate_rate_form(1, theta=2, prior=0.3, rate=1.0, delta=0.1, M=868))
    634609
    """
    return 4.0 * M * theta * (d * math.log(14.0 * theta / prior) + math.log(4.0 / delta)) / (prior**2 * rate)


def estimate_rate_questions(
    d: int, theta: float, prior: float, rate: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """Return the label bound of EstRate, solved: 4·2^i for the first i at which it has halted with probability 1 − δ.

    Half the expected reveals, 2^i πω/2, must bring γ below π/(16θ) (erratum R5) at level δ_i, so that half the
    positives are certain; and 2^i ≥ 48 ln(4/δ)/(πω) then gives r ≥ 8 ln(8/δ). Iteration j asks at most 2·2^j questions.

    Parameters
    ----------
    d, theta, prior, rate, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.estimate_rate_questions(1, theta=2, prior=0.3, rate=1.0, delta=0.1)
    2097152
    """
    i = math.ceil(math.log2(48.0 * math.log(4.0 / delta) / (prior * rate)))
    while True:
        revealed = int(2**i * prior * rate / 2.0)
        if estimate_rate_radius(d, revealed, estimate_rate_level(i, delta), constants) <= prior / (16.0 * theta):
            return int(4 * 2**i)
        i += 1


# Algorithm 3: unknown π


def iterations(epsilon: float) -> int:
    """Return N = 2⌈log2(6/ε)⌉, the iterations of Algorithm 3 (erratum U4).

    Parameters
    ----------
    epsilon : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.iterations(0.1)
    12
    """
    return 2 * math.ceil(math.log2(6.0 / epsilon))


def rate_test_questions(theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return λ1 = 768θ ln(8N/δ)/ω̂, the questions of a rate test.

    Parameters
    ----------
    theta, rate, epsilon, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.rate_test_questions(theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    10548
    """
    return math.ceil(768.0 * theta * math.log(8.0 * iterations(epsilon) / delta) / rate)


def prune_questions(
    d: int, theta: float, rate: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """Return λ2 = M3θ²(d ln(eθ) + ln(8N/δ))/ω̂, the questions of a pruning step.

    The printed d ln θ vanishes at θ = 1 (erratum U5), and the printed ln(N/δ) lacks the 8 (U13).

    Parameters
    ----------
    d, theta, rate, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.prune_questions(1, theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    160929513
    """
    log_term = math.log(8.0 * iterations(epsilon) / delta)
    return math.ceil(constants.M3 * theta**2 * (d * math.log(math.e * theta) + log_term) / rate)


def prune_positives(d: int, theta: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """Return the smallest |R2| with (5M1 + 3M2)(d ln(2|R2|/d) + ln(8N/δ))/|R2| ≤ 1/(2θ), as the proof of Claim 3 needs.

    Parameters
    ----------
    d, theta, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.prune_positives(1, theta=2, epsilon=0.1, delta=0.1)
    9000
    """
    constant = 5.0 * constants.M1 + 3.0 * constants.M2
    log_term = math.log(8.0 * iterations(epsilon) / delta)
    return smallest(lambda k: _radius(constant, d, k, log_term) <= 1.0 / (2.0 * theta), start=d)


def prune_questions_solved(
    d: int, theta: float, rate: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """Return λ2 without M3: 2048θ·|R2|/ω̂, as |R2| > λ2 ω/(1024θ) by Claim 3 and ω̂ ≤ 2ω.

    Parameters
    ----------
    d, theta, rate, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.prune_questions_solved(1, theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    36864000
    """
    return math.ceil(2048.0 * theta * prune_positives(d, theta, epsilon, delta, constants) / rate)


def prune_radius(d: int, revealed: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> float:
    """Return γ_{i+1} = (2M1 + M2)(d ln(2|R2|/d) + ln(8N/δ))/|R2|; infinite below |R2| = d (erratum U12).

    Parameters
    ----------
    d, epsilon, delta, constants : numbers
        As at the head of this module.
    revealed : int
        |R2|.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> round(budgets.prune_radius(1, revealed=10_000, epsilon=0.1, delta=0.1), 4)
    0.0872
    """
    log_term = math.log(8.0 * iterations(epsilon) / delta)
    return _radius(2.0 * constants.M1 + constants.M2, d, revealed, log_term)


def unknown_prior_unlabeled(d: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """Return |S1| as printed: (3M2 + 96)(d ln(3/ε) + ln(16N/δ))/ε. It is too small for a large M2 (erratum U10).

    Parameters
    ----------
    d, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.unknown_prior_unlabeled(1, epsilon=0.1, delta=0.1)
    13812
    """
    log_term = math.log(16.0 * iterations(epsilon) / delta)
    return math.ceil((3.0 * constants.M2 + 96.0) * (d * math.log(3.0 / epsilon) + log_term) / epsilon)


def unknown_prior_unlabeled_solved(d: int, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA) -> int:
    """Return the smallest |S1| that meets what the proof uses (erratum U10).

    M2(d ln(2|S1|/d) + ln(8/δ))/|S1| ≤ ε/3, the same with ln(16N/δ) ≤ 2ε/3, and |S1| ≥ 96 ln(16N/δ)/ε.

    Parameters
    ----------
    d, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.unknown_prior_unlabeled_solved(1, epsilon=0.1, delta=0.1)
    7258
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
    """Return |S1| for an intersection-closed class that reuses S1 in every iteration (erratum U11).

    η²(|S1|, δ/16) ≤ ε/48.

    Parameters
    ----------
    epsilon, delta : numbers
        As at the head of this module.
    H : HypothesisClass
        A bound class.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.budgets.unknown_prior_unlabeled_closed(apu.Thresholds(), epsilon=0.1, delta=0.1)
    33757
    """
    return smallest(lambda n: relative_deviation(H, n, delta / 16.0) <= epsilon / 48.0)


def unknown_prior_questions(
    d: int, theta: float, rate: float, epsilon: float, delta: float, constants: Constants = GRID_MAXIMA
) -> int:
    """Return N(λ1 + λ2) with λ2 solved: the label bound for unknown π, without EstRate.

    Parameters
    ----------
    d, theta, rate, epsilon, delta, constants : numbers
        As at the head of this module.

    Examples
    --------
    >>> from activepu.theory import budgets
    >>> budgets.unknown_prior_questions(1, theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    442494576

    See Also
    --------
    activepu.theory.refined.unknown_prior_questions : linear in θ, with computed constants.
    """
    block = rate_test_questions(theta, rate, epsilon, delta)
    block += prune_questions_solved(d, theta, rate, epsilon, delta, constants)
    return iterations(epsilon) * block
