"""θ instead of θ²: label bounds of the paper's algorithms that answer its first open problem, with computed constants.

**The idea.** Let V be the version space at the start of a round, Δ = P(DIS V) and p = P(ℓ=1 | DIS V). What a hypothesis
can still miss lies in the *positive* part of DIS V: h ∈ V that contains K positives of it misses a mass of at most
pΔ·a_K, where a_K is the radius of K positives. The paper drops the factor p here, and pays for it with θ ≥ 1/p once
more in the number of questions. But p drives both: λ questions reveal about K = λωp positives, a_K ~ 1/K, and p·a_K ~
1/(λω) whatever p is. And where p is small nothing has to be known: h misses at most pΔ.

Nobody knows p, so λ is the largest number of questions that any p needs (`block`). δ is split as each function says.
`budgets` has the printed bounds, `sharp` those with computed radii that still have θ².

- `H`         a bound class that contains ℓ
- `theta`     θ, with Δ(B(ℓ, r)) ≤ θr for r ≥ ε/(4θ)
- `rate`      ω, the reveal rate, or a lower bound of it
- `prior`     π, the share of positives
- `epsilon`   the error that is allowed
- `delta`     the probability that the statement is false
- `j`         an epoch of EstRate, from 0

All bounds assume ℓ ∈ H, i.i.d. rows and a continuous distribution. The proofs are Theorems A, B and C of
`docs/paper.md`; the algorithms are those of Mansouri, Zilles and Ben-David, "Active learning from positive and
unlabeled examples" (2026).
"""

from __future__ import annotations

import math

from activepu.hypotheses.base import HypothesisClass
from activepu.theory import binomial, budgets
from activepu.theory.deviations import relative_deviation, smallest, uniform_sample_size, up
from activepu.theory.radii import closure_radius

FINENESS = 64
"""K grows by 1/64 from one number of positives that `block` tries to the next; a finer step gains a percent or two."""


def rounds(epsilon: float) -> int:
    """Return N = ⌈log2(2/ε)⌉: the rounds that halve Δ until it is ≤ ε/2, where the halting test stops (erratum A5).

    Parameters
    ----------
    epsilon : numbers
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.rounds(0.1)
    5
    """
    return budgets.halvings(epsilon / 2.0)


def block(H: HypothesisClass, missed: float, floor: float, rate: float, share: float) -> int:
    """Return λ: for every p in (floor, 1], λ answers leave p·a_K ≤ `missed`, except with probability 2·`share`.

    Take any K_1 < K_2 < …, and p_i = missed/a_{K_i} where that is a new maximum. For p in (p_{i−1}, p_i] K_i positives
    are enough. They are revealed at the rate ωp > ωp_{i−1}, so that n questions suffice once P(Bin(n, ωp_{i−1}) < K_i)
    ≤ `share`; the number is a limit from the right, so that nothing smaller serves all of the interval. The intervals
    cover (floor, 1], and λ is the largest n. The K_i need not be all numbers: leaving some out makes λ larger, never
    too small.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    missed : float
        The share of DIS V that a hypothesis may miss.
    floor : float
        The least p = P(ℓ=1 | DIS V) of interest.
    rate : float
        ω, or less.
    share : float
        Half the probability of failure.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.block(apu.Thresholds(), missed=1 / 16, floor=3 / 16, rate=1.0, share=0.005)
    130
    """
    most, p, K = 0, floor, 1
    while p < 1.0:
        reach = missed / closure_radius(H, K, share)
        if reach > p:
            most = max(most, binomial.trials_for_successes(K, rate * p, share))
            p = reach
        K += max(1, K // FINENESS)
    return most


# Theorem A: known π


def known_prior_questions(H: HypothesisClass, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return a proved bound for Algorithm 1 with γ = ε/(16θ), linear in θ; it holds with probability 1 − δ (Theorem A).

    While Δ = Δ(V) > ε/2: p ≥ 3/(8θ) (erratum A3), and with p·a_K ≤ 1/(8θ) every h ∈ V that contains the reveals misses
    at most pΔ·a_K ≤ Δ/(8θ). It has at most 2γ more false positives than negatives, so ρ(h, ℓ) ≤ Δ/(4θ) + ε/(8θ)
    ≤ Δ/(2θ), a radius ≥ ε/(4θ), and Δ is halved. N rounds of λ questions, δ/(4N) for either statement of a round, δ/4
    each for the cap and the halting tests.

    The algorithm needs no rounds: it asks in DIS(V_t) ⊆ DIS(V) as V_t shrinks. A positive of DIS(V) outside DIS(V_t) is
    in every member of V_t already, so that asking about it would change nothing: the bound holds, with fewer questions.

    Parameters
    ----------
    H, theta, rate, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.known_prior_questions(apu.Thresholds(), theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    650
    >>> apu.theory.budgets.known_prior_questions(d=1, theta=2, rate=1.0, epsilon=0.05, delta=0.1)
    76275
    """
    N = rounds(epsilon)
    return N * block(H, 1.0 / (8.0 * theta), 3.0 / (8.0 * theta), rate, delta / (4.0 * N))


def known_prior_unlabeled(H: HypothesisClass, theta: float, epsilon: float, delta: float) -> int:
    """Return |S| of Algorithm 1: sup_H |P̂_S − P| ≤ γ = ε/(16θ) with probability 1 − δ/4.

    It is computed from the growth function (erratum A6).

    Parameters
    ----------
    H, theta, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.known_prior_unlabeled(apu.Thresholds(), theta=2, epsilon=0.1, delta=0.1)
    224360
    """
    return uniform_sample_size(H, budgets.margin(theta, epsilon), delta / 4.0)


# Theorem B: unknown π


def tolerance(theta: float) -> float:
    """Return B = 1/(38θ), the share of DIS(V) that a hypothesis may miss after a round.

    Parameters
    ----------
    theta : numbers
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.refined.tolerance(2), 4)
    0.0132
    """
    return 1.0 / (38.0 * theta)


def unknown_prior_share(epsilon: float, delta: float) -> float:
    """Return e^{−L} = δ/(8N), the level of each of the four statements of a round.

    Parameters
    ----------
    epsilon, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.unknown_prior_share(0.1, 0.1)
    0.0025
    """
    return delta / (8.0 * rounds(epsilon))


def unknown_prior_block(H: HypothesisClass, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return λ: the questions in DIS(V) after which no h ∈ V misses more than B of it.

    If p = P(ℓ=1 | DIS V) ≤ B that is so at once, otherwise p·a_K ≤ B. `rate` is ω or less.

    Parameters
    ----------
    H, theta, rate, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.unknown_prior_block(apu.Thresholds(), theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    800
    """
    B = tolerance(theta)
    return block(H, B, B, rate, unknown_prior_share(epsilon, delta))


def unknown_prior_fresh(H: HypothesisClass, theta: float, epsilon: float, delta: float) -> int:
    """Return m = |S2|, the rows of DIS(V) with which η²(m, e^{−L}) ≤ B.

    Parameters
    ----------
    H, theta, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.unknown_prior_fresh(apu.Thresholds(), theta=2, epsilon=0.1, delta=0.1)
    5046
    """
    B, share = tolerance(theta), unknown_prior_share(epsilon, delta)
    return smallest(lambda m: relative_deviation(H, m, share) <= B)


def unknown_prior_questions(H: HypothesisClass, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return Nλ, the questions of Theorem B after EstRate, with probability ≥ 1 − δ.

    `rate` is the ω_lo ≤ ω that the algorithm uses, ω/4 at worst.

    Parameters
    ----------
    H, theta, rate, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.unknown_prior_questions(apu.Thresholds(), theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    4000
    """
    return rounds(epsilon) * unknown_prior_block(H, theta, rate, epsilon, delta)


# Theorem C: EstRate


def estimate_rate_share(j: int, delta: float) -> float:
    """Return δ_j/10 = δ/(10(j+1)(j+2)), the level of each of the ten statements of epoch j.

    Four of them are for ω̂, and six for the label bound.

    Parameters
    ----------
    j, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.refined.estimate_rate_share(0, 0.1), 4)
    0.005
    """
    return budgets.estimate_rate_level(j, delta) / 10.0


def estimate_rate_positives(H: HypothesisClass, j: int) -> int:
    """Return K = 2^j·d, the positives revealed in epochs 0 to j together.

    Parameters
    ----------
    H, j
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.estimate_rate_positives(apu.Boxes(dim=2), 3)
    32
    """
    return int(2**j) * max(1, H.vc_dimension)


def estimate_rate_successes(j: int, delta: float) -> int:
    """Return T_j, the reveals among certain positives that give ω within a factor of two.

    There is a T for each epoch, as the halting epoch is random.

    Parameters
    ----------
    j, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.estimate_rate_successes(0, 0.1)
    19
    """
    return binomial.successes_for_factor_two(estimate_rate_share(j, delta))


def estimate_rate_unlabeled(H: HypothesisClass, radius: float, positives: int, asked: int, share: float) -> int:
    """Return |S| with η² ≤ a·K/(2n). As K/n is about πω, η² is small beside πa, the mass that may be missed.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    radius : float
        a, the radius of K positives.
    positives, asked : int
        K, and the n questions that revealed them.
    share : float
        The probability that the deviation is larger.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.estimate_rate_unlabeled(apu.Thresholds(), 0.3, positives=16, asked=50, share=0.01)
    1144
    """
    target = radius * positives / (2.0 * asked)
    return smallest(lambda n: relative_deviation(H, n, share) <= target)


def estimate_rate_ball(frequency: float, radius: float, eta2: float) -> float:
    """Return the radius around h* that keeps ℓ: 2 up(F, η²) with F = up(P̂_S(h*), η²)·a/(1 − a), for a < 1.

    π ≤ P(h*) + πa and P(h*) ≤ up(P̂_S(h*), η²), so that P(ℓ \\ h*) ≤ πa ≤ F and P̂_S(ℓ \\ h*) ≤ up(F, η²). As h* is
    smallest on S, P̂_S(h* \\ ℓ) is no larger.

    Parameters
    ----------
    frequency : float
        P̂_S(h*).
    radius : float
        a, the radius of K positives.
    eta2 : float
        η² on S.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.refined.estimate_rate_ball(0.3, radius=0.1, eta2=0.001), 4)
    0.0836
    """
    return 2.0 * up(up(frequency, eta2) * radius / (1.0 - radius), eta2)


def estimate_rate_questions(H: HypothesisClass, theta: float, prior: float, rate: float, delta: float) -> int:
    """Return a proved label bound of Theorem C's EstRate, linear in θ/π where the paper has θ/π².

    The bound holds except with probability δ. The algorithm halts in the first epoch J in which (i) n ≥ K/(2πω), since
    e^{−K/6} ≤ share, hence η² ≤ aπω; (ii) survivors lie within π/(2θ) of ℓ, so that P(certain) ≥ π/2; (iii) K/(2πω)
    fresh rows then hold T_J reveals of certain positives.

    For (ii): P̂_S(h*) ≤ P̂_S(ℓ) ≤ up(π, η²) bounds the ball's radius r, and ρ_D(h, ℓ) ≤ up(2r, η²). In an
    intersection-closed class the certain positives are the closure, of mass ≥ (1 − a)π: a ≤ 1/2 is enough, without θ.

    Parameters
    ----------
    H, theta, prior, rate, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.refined.estimate_rate_questions(apu.Thresholds(), theta=2, prior=0.3, rate=1.0, delta=0.1)
    1303
    """
    J = 0
    while not _halts(H, theta, prior, rate, delta, J):
        J += 1
    asked = binomial.trials_for_successes(estimate_rate_positives(H, J), prior * rate, estimate_rate_share(J, delta))
    for j in range(J + 1):
        successes = estimate_rate_successes(j, delta)
        asked += binomial.trials_for_successes(successes, rate, estimate_rate_share(j, delta))
    return asked


def _halts(H: HypothesisClass, theta: float, prior: float, rate: float, delta: float, j: int) -> bool:
    K, share = estimate_rate_positives(H, j), estimate_rate_share(j, delta)
    a = closure_radius(H, K, share)
    if a >= 0.5 or math.exp(-K / 6.0) > share:
        return False
    least = K / (2.0 * prior * rate)
    if binomial.trials_for_successes(estimate_rate_successes(j, delta), prior * rate / 2.0, share) > least:
        return False
    eta2 = a * prior * rate
    apart = up(2.0 * estimate_rate_ball(up(prior, eta2), a, eta2), eta2)
    return H.intersection_closed or apart <= prior / (2.0 * theta)
