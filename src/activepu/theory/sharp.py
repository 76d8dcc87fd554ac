"""Sizes of the sharp algorithms: what they draw, and how many questions they can be expected or are proved to need."""

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


class Looks:
    """When `UnknownPrior` looks at what it has: after n_j draws of D, at level α_j; Σ α_j ≤ δ.

    After n draws every h ∈ V has P(ℓ \\ h) ≤ a_n/ω_lo. Look 0 is where this is to reach the target, at 3δ/4. Looks −1,
    −2, … come before it, each after 1/GROWTH of the draws of the next, as long as they say anything; looks 1, 2, …
    after it, for classes with false positives, whose error may not be there yet. Each side has δ/8: the i-th look from
    look 0 has δ/(8i(i+1)).
    """

    def __init__(self, H: HypothesisClass, low: float, epsilon: float, delta: float) -> None:
        self.H, self.low, self.delta = H, low, delta
        goal = _goal(H, epsilon)
        self.draws = smallest(lambda n: self._missed(n, 0.75 * delta) <= goal)
        self.first = 0
        while self.missed(self.first - 1) <= 0.6:
            self.first -= 1

    def n(self, j: int) -> int:
        """How many draws look j takes."""
        return math.ceil(self.draws * (GROWTH**j if j <= 0 else 1.15**j))

    def missed(self, j: int) -> float:
        """The bound b_j on P(ℓ \\ h), for every h ∈ V at once; false with probability ≤ α_j."""
        alpha = 0.75 * self.delta if j == 0 else self.delta / (8.0 * abs(j) * (abs(j) + 1))
        return self._missed(self.n(j), alpha)

    def _missed(self, n: int, alpha: float) -> float:
        return min(1.0, closure_radius(self.H, n, alpha) / self.low)


def _goal(H: HypothesisClass, epsilon: float) -> float:
    return epsilon if H.intersection_closed else epsilon / TWICE


def capped_rows(H: HypothesisClass, missed: float) -> int:
    """|S| of a look. Where false positives are possible, S also has to tell apart rules that are nearly as small."""
    return math.ceil((CAPPED if H.intersection_closed else 2 * CAPPED) / missed)


def rate_successes(H: HypothesisClass, epsilon: float, delta: float) -> int:
    """How many coins must show a reveal before `UnknownPrior` trusts ω_lo, at δ/2: they pay for themselves.

    T reveals take T/ω questions and give ω_lo ≈ ω·G/T, G the δ/2-quantile of Gamma(T). The search takes about
    n/ω_lo draws, n = the draws at ω = 1, and asks about 0.4 of them: T + 0.4·n·T/G is made least.
    """
    goal = _goal(H, epsilon)
    n = smallest(lambda n: closure_radius(H, n, 0.75 * delta) <= goal)
    return min(range(4, 1000), key=lambda T: T + 0.4 * n * T / float(gammaincinv(T, delta / 2.0)))


def unknown_prior_rows(H: HypothesisClass, epsilon: float, delta: float, rate: float = 1.0) -> int:
    """Rows that `UnknownPrior` draws for its looks, with ω_lo = ω; the reserved sample and EstRate's come on top."""
    looks = Looks(H, rate, epsilon, 3.0 * delta / 8.0)
    samples = sum(capped_rows(H, looks.missed(j)) for j in range(looks.first, 1))
    return samples + looks.draws


def known_prior_typical(H: HypothesisClass, theta: float, prior: float, rate: float, epsilon: float) -> float:
    """An estimate for Algorithm 1S, not a bound: 1/(πω) + d ln(π/ε)·θ/ω.

    The first reveal takes 1/(πω) questions. After it the positives still missed lie in d parts (sides); a reveal in one
    leaves a uniform fraction of it, 1/e in the geometric mean, so that d reveals shrink them all by e. A share of about
    1/θ of the disagreement region is positive.
    """
    return 1.0 / (prior * rate) + H.vc_dimension * max(0.0, math.log(prior / epsilon)) * theta / rate


def unknown_prior_typical(
    H: HypothesisClass, prior: float, rate: float, epsilon: float, delta: float
) -> tuple[float, float]:
    """Estimates for `UnknownPrior`, not bounds: its questions, and the rows that it draws beside the reserved sample.

    EstRate, then the undecided among the draws between two looks. d + 1 positives, whose draws count for the search;
    T/ω coins, each of a certain positive; and after look j a share of about 2d·b_j is undecided, d·b_j in classes that
    are not intersection-closed.
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
