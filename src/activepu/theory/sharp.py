"""Sizes of the sharp algorithms: what they draw, and how many questions they are expected or proved to need.

- `H`         a bound class that contains ℓ
- `theta`     θ, the disagreement coefficient at ℓ
- `rate`      ω, the reveal rate
- `prior`     π, the share of positives
- `epsilon`   the error that is allowed
- `delta`     the probability that the statement is false
"""

from __future__ import annotations

import math

from scipy.special import gammaincinv

from activepu.hypotheses.base import HypothesisClass
from activepu.theory import binomial
from activepu.theory.deviations import smallest
from activepu.theory.radii import closure_radius, positives_for_radius, realizable_radius

GROWTH = 1.5
"""How far apart the looks of `UnknownPrior` are. Between 1.25 and 2.2 the questions hardly change."""

CAPPED = 150
"""How many rows of a sample S lie in ℓ \\ h, at most and on average: enough for its quantile to be near its mean."""

TWICE = 2.4
"""By how much the bound on the error exceeds that on P(ℓ \\ h), where false positives are possible too."""


def known_prior_unlabeled(prior: float, theta: float, epsilon: float, delta: float) -> int:
    """Return |S| of Algorithm 1S: 2π(1 − π) ln(4/δ) (8θ/ε)².

    The cap is a quantile of Bin(|S|, π), and its excess over π is about √(2π(1 − π) ln(4/δ)/|S|). This |S| makes it
    ε/(8θ). Any other |S| is valid too.

    Parameters
    ----------
    prior, theta, epsilon, delta : numbers
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.sharp.known_prior_unlabeled(prior=0.3, theta=2, epsilon=0.1, delta=0.1)
    39663
    """
    return max(1, math.ceil(2.0 * prior * (1.0 - prior) * math.log(4.0 / delta) * (8.0 * theta / epsilon) ** 2))


def known_prior_questions(H: HypothesisClass, theta: float, rate: float, epsilon: float, delta: float) -> int:
    """Return a proved bound for Algorithm 1 with γ = ε/(16θ) and computed radii; it holds with probability ≥ 1 − δ.

    While Δ(V) ≥ ε/2: P(ℓ=1 | DIS) ≥ 3/(8θ) (erratum A3), so n questions reveal K positives of DIS except with
    probability δ/(4N) once P(Bin(n, 3ω/(8θ)) < K) ≤ δ/(4N). If a_K ≤ 1/(8θ) at δ/(4N), then every h ∈ V misses at most
    Δ/(8θ) and has at most 2γ more false positives than negatives: ρ(h, ℓ) ≤ Δ/(4θ) + ε/(8θ) ≤ Δ/(2θ), and Δ is halved.
    N = ⌈log2(2/ε)⌉ halvings; the cap and the halting test take δ/4 each. Two factors of θ, one for the rate of reveals
    and one for the radius: `refined.known_prior_questions` is linear in θ, and always smaller. This one is for the
    tables of `docs/paper.md`, which show where the saving comes from.

    Parameters
    ----------
    H, theta, rate, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.sharp.known_prior_questions(apu.Thresholds(), theta=2, rate=1.0, epsilon=0.1, delta=0.1)
    2825
    """
    rounds = math.ceil(math.log2(2.0 / epsilon))
    share = delta / (4.0 * rounds)
    positives = positives_for_radius(H, 1.0 / (8.0 * theta), share)
    return rounds * binomial.trials_for_successes(positives, 3.0 * rate / (8.0 * theta), share)


def full_label_questions(H: HypothesisClass, theta: float, epsilon: float, delta: float) -> int:
    """Return a proved bound for CAL, whose expert also says no: N = ⌈log2(2/ε)⌉ rounds of m, a_m ≤ 1/(2θ) at δ/(2N).

    Parameters
    ----------
    H, theta, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.sharp.full_label_questions(apu.Thresholds(), theta=2, epsilon=0.1, delta=0.1)
    245

    References
    ----------
    Cohn, Atlas and Ladner, "Improving generalization with active learning", Machine Learning 15 (1994).
    """
    rounds = math.ceil(math.log2(2.0 / epsilon))
    share = delta / (2.0 * rounds)
    return rounds * smallest(lambda m: realizable_radius(H, m, share) <= 1.0 / (2.0 * theta))


class Looks:
    """When `UnknownPrior` looks at what it has: after n_j draws of D, at level α_j; Σ α_j ≤ δ.

    After n draws every h ∈ V has P(ℓ \\ h) ≤ a_n/ω_lo. Look 0 is where this is to reach the target, at 3δ/4. Looks −1,
    −2, … come before it, each after 1/GROWTH of the draws of the next, as long as they say anything. Looks 1, 2, … come
    after it, for classes with false positives, whose error may still be too large. Each side has δ/8: the i-th look
    from look 0 has δ/(8i(i+1)).

    Parameters
    ----------
    H : HypothesisClass
        A bound class that contains ℓ.
    low : float
        ω_lo, a lower bound of the reveal rate.
    epsilon, delta : float
        The error that is allowed, and the probability that some look is false.

    Attributes
    ----------
    draws : int
        The draws of look 0.
    first : int
        The first look, 0 or less.

    Examples
    --------
    >>> import activepu as apu
    >>> looks = apu.theory.sharp.Looks(apu.Thresholds(), low=0.5, epsilon=0.1, delta=0.1)
    >>> looks.first, [looks.n(j) for j in range(looks.first, 1)]
    (-2, [23, 34, 51])
    """

    def __init__(self, H: HypothesisClass, low: float, epsilon: float, delta: float) -> None:
        self.H, self.low, self.delta = H, low, delta
        goal = _goal(H, epsilon)
        self.draws = smallest(lambda n: self._missed(n, 0.75 * delta) <= goal)
        self.first = 0
        while self.missed(self.first - 1) <= 0.6:
            self.first -= 1

    def n(self, j: int) -> int:
        """Return how many draws look j takes."""
        return math.ceil(self.draws * (GROWTH**j if j <= 0 else 1.15**j))

    def missed(self, j: int) -> float:
        """Return the bound b_j on P(ℓ \\ h), for every h ∈ V at once; false with probability ≤ α_j."""
        alpha = 0.75 * self.delta if j == 0 else self.delta / (8.0 * abs(j) * (abs(j) + 1))
        return self._missed(self.n(j), alpha)

    def _missed(self, n: int, alpha: float) -> float:
        return min(1.0, closure_radius(self.H, n, alpha) / self.low)


def _goal(H: HypothesisClass, epsilon: float) -> float:
    return epsilon if H.intersection_closed else epsilon / TWICE


def capped_rows(H: HypothesisClass, missed: float) -> int:
    """Return |S| of a look that bounds P(ℓ \\ h) by `missed`.

    Where false positives are possible, S must also tell apart rules that are nearly as small.

    Parameters
    ----------
    H
        As at the head of this module.
    missed : float
        The bound of the look.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.sharp.capped_rows(apu.Thresholds(), missed=0.1)
    1500
    """
    return math.ceil((CAPPED if H.intersection_closed else 2 * CAPPED) / missed)


def rate_successes(H: HypothesisClass, epsilon: float, delta: float) -> int:
    """Return how many reveals `UnknownPrior` waits for before it trusts ω_lo, at δ/2.

    T reveals take T/ω questions and give ω_lo ≈ ω·G/T, G the δ/2-quantile of Gamma(T). The search takes about n/ω_lo
    draws, n = the draws at ω = 1, and asks about 0.4 of them. T minimises T + 0.4·n·T/G. Any T is valid.

    Parameters
    ----------
    H, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.sharp.rate_successes(apu.Thresholds(), epsilon=0.1, delta=0.1)
    8
    """
    goal = _goal(H, epsilon)
    n = smallest(lambda n: closure_radius(H, n, 0.75 * delta) <= goal)
    return min(range(4, 1000), key=lambda T: T + 0.4 * n * T / float(gammaincinv(T, delta / 2.0)))


def unknown_prior_rows(H: HypothesisClass, epsilon: float, delta: float, rate: float = 1.0) -> int:
    """Return the rows that `UnknownPrior` draws for its looks if ω_lo = ω.

    The reserved sample and the rows of EstRate come on top.

    Parameters
    ----------
    H, epsilon, delta, rate
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.sharp.unknown_prior_rows(apu.Thresholds(), epsilon=0.1, delta=0.1, rate=0.5)
    2574
    """
    looks = Looks(H, rate, epsilon, 3.0 * delta / 8.0)
    samples = sum(capped_rows(H, looks.missed(j)) for j in range(looks.first, 1))
    return samples + looks.draws


def known_prior_typical(H: HypothesisClass, theta: float, prior: float, rate: float, epsilon: float) -> float:
    """Return an estimate of the questions of Algorithm 1S, not a bound: 1/(πω) + d ln(π/ε)·θ/ω.

    The first reveal takes 1/(πω) questions. After it the positives still missed lie in d parts (sides). A reveal in one
    leaves a uniform fraction of it, 1/e in the geometric mean, so that d reveals shrink them all by e. A share of about
    1/θ of the disagreement region is positive.

    Parameters
    ----------
    H, theta, prior, rate, epsilon
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.sharp.known_prior_typical(apu.Thresholds(), theta=2, prior=0.3, rate=0.5, epsilon=0.1))
    11
    """
    return 1.0 / (prior * rate) + H.vc_dimension * max(0.0, math.log(prior / epsilon)) * theta / rate


def unknown_prior_typical(
    H: HypothesisClass, prior: float, rate: float, epsilon: float, delta: float
) -> tuple[float, float]:
    """Return estimates for `UnknownPrior`, not bounds: its questions, and the rows beside the reserved sample.

    EstRate comes first, and then the undecided among the draws between two looks: d + 1 positives, whose draws count
    for the search; T/ω coins, each of a certain positive; and after look j a share of about 2d·b_j is undecided, d·b_j
    in classes that are not intersection-closed.

    Parameters
    ----------
    H, prior, rate, epsilon, delta
        As at the head of this module.

    Examples
    --------
    >>> import activepu as apu
    >>> typical = apu.theory.sharp.unknown_prior_typical(apu.Thresholds(), prior=0.3, rate=0.5, epsilon=0.1, delta=0.1)
    >>> [round(number) for number in typical]
    [125, 2672]
    """
    d, share = H.vc_dimension, 3.0 * delta / 8.0
    successes = rate_successes(H, epsilon, share)
    low, _ = binomial.bounds_at_success(successes, max(successes, round(successes / rate)), share / 2.0)
    looks = Looks(H, low, epsilon, share)
    draws = (d + 1) / (prior * rate)
    sides = 2 * d if H.intersection_closed else d
    questions, undecided = draws + successes / rate, 1.0
    for j in range(looks.first, 1):
        questions += max(0.0, looks.n(j) - draws) * undecided
        draws, undecided = max(draws, looks.n(j)), min(1.0, sides * looks.missed(j))
    return questions, successes / (prior * rate) + unknown_prior_rows(H, epsilon, delta, low)
