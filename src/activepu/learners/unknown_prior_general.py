"""Algorithm 3S for classes that are not intersection-closed; it needs an upper bound of the disagreement coefficient θ.

Assumes ℓ ∈ H, i.i.d. rows, a continuous distribution and Δ(B(ℓ, r)) ≤ θr for r ≥ ε/(4θ).

    ω_lo, R ← EstRate(δ/8); τ = ε/34; ε′ = 16τ; N = ⌈log2 1/ε′⌉ + ⌊log2 2/ε⌋ + 1; α = δ/(8N); ρ0 = ω_lo · 3/(13θ)
    S1 with sup_H |P̂ − P| ≤ τ but for δ/8; V ← {h ⊇ R}; u ← 1, b ← 0; loop:
      T fresh; b ← max(b, P̂_T(certain) − τ); if u − b ≤ ε′ or P̂_T(DIS) ≤ 3ε/4: return the smallest h ∈ V on S1
      ask x ~ D | the frozen DIS until K are revealed (PRUNE) or the test of ρ0 rejects (CUT)
      CUT:   u ← (u+b)/2; V ← {h ⊇ R : |h ∩ S1| ≤ |S1|(u + τ)}
      PRUNE: S2 fresh from DIS; h the smallest on S2 with R; V ← {h′ ⊇ R : |h′ ∩ S2| ≤ |h ∩ S2| + s|S2|}

Invariants: ℓ ∈ V, π ≤ u, P(h) ≤ u + 2τ for h ∈ V, b ≤ β ≤ b + 2τ. If π ≥ (u+b)/2 and u − b > 16τ, then
P(ℓ=1 | DIS) ≥ 3/(13θ), so that Ville bounds a wrong CUT by α. PRUNE: every h ⊇ R misses at most a_K of D | DIS, so that
P̂_{S2}(ℓ \\ h) ≤ s = up(a_K, η²) and ℓ stays; K is chosen so that Δ halves. Exit: error ≤ 2(u − b) + 2τ ≤ ε.
"""

from __future__ import annotations

import math
from collections.abc import Generator

from activepu.hypotheses import HypothesisClass
from activepu.learners.base import SCAR, Learner, questions
from activepu.pools import Draws, everywhere
from activepu.records import Ask, Bounds, Gauges, Question, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.theory.deviations import relative_deviation, uniform_sample_size, up
from activepu.theory.radii import realizable_radius
from activepu.theory.rate_test import RateTest
from activepu.version_spaces import VersionSpace


def general_steps(learner: Learner, draws: Draws, theta: float) -> Steps:
    """See the module's head."""
    H, epsilon, delta = draws.hypotheses, learner.epsilon, learner.delta
    tau = epsilon / 34
    N = math.ceil(math.log2(1 / (16 * tau))) + math.floor(math.log2(2 / epsilon)) + 1
    alpha = delta / (8 * N)
    K, n2, slack = prune_sizes(H, theta, alpha)

    V, rate = yield from measure_rate(learner, draws, learner.everything(draws), delta / 8)
    S1 = draws.unlabeled(uniform_sample_size(H, tau, delta / 8), "the sample S1")
    rows = math.ceil(max(math.log(2 / alpha) / (2 * tau**2), 32 / epsilon * math.log(1 / alpha)))
    u, b, small_region, undecided, i = 1.0, 0.0, False, 1.0, 0

    def report() -> Report:
        bound = epsilon if small_region else 2 * (u - b) + 2 * tau
        reason = StopReason.TARGET if bound <= epsilon else StopReason.RUNNING
        given = f"the disagreement coefficient is at most {theta:g}"
        certificate = learner.certificate(draws, V, bound, SCAR, "no two items are exactly alike", given)
        return Report(V, V.smallest(S1), certificate, reason, rate, Bounds(b, u, 1 - delta, (u + b) / 2))

    while True:
        T = draws.unlabeled(rows, "the fresh sample T")
        b = max(b, float(V.certain(T).mean()) - tau)
        undecided = float(V.disagrees(T).mean())
        small_region = undecided <= 0.75 * epsilon
        if u - b <= 16 * tau or small_region:
            return report()
        frozen, phase = V, f"search {i}"
        test = RateTest(rate.low * 3 / (13 * theta), alpha)
        found = 0
        items = questions(draws, frozen.disagrees, phase)
        while found < K and not test.rejects:
            question = yield Ask(items, report, Gauges(undecided, u, b))
            if question.revealed:
                V = V.require(draws.points([question.item]))
            if question.note.phase == phase:
                found += question.revealed
                test.update(question.revealed)
        if test.rejects:
            u = (u + b) / 2
            V = V.cap_mass(S1, math.floor(len(S1) * (u + tau)))
        else:
            S2 = draws.unlabeled_in(frozen.disagrees, n2, "the fresh sample S2")
            V = V.cap_mass(S2, int(V.smallest(S2).contains(S2).sum()) + math.floor(slack * n2))
        i += 1


def prune_sizes(H: HypothesisClass, theta: float, alpha: float) -> tuple[int, int, float]:
    """The smallest K (with |S2| = 16K) for which PRUNE halves Δ: up(3s, η²) ≤ 1/(2θ); returns (K, |S2|, s)."""

    def sizes(K: int) -> tuple[int, int, float, float]:
        n2 = 16 * K
        eta2 = relative_deviation(H, n2, alpha)
        s = up(realizable_radius(H, K, alpha), eta2)
        return K, n2, s, up(3 * s, eta2)

    low, high = 1, 2
    while sizes(high)[3] > 1 / (2 * theta):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sizes(middle)[3] <= 1 / (2 * theta) else (middle, high)
    K, n2, s, _ = sizes(high)
    return K, n2, s


def measure_rate(
    learner: Learner, draws: Draws, V: VersionSpace, delta: float
) -> Generator[Ask, Question, tuple[VersionSpace, Bounds]]:
    """EstRate for any class, with computed radii in place of constants, at level δ.

    Round i asks 2^i random rows, requires all reveals R so far, and caps a fresh S of the same size around the smallest
    h ⊇ R; ℓ stays in V but for δ_i/2 (δ_i = δ/((i+1)(i+2)), Σ ≤ δ; the halting round is random, hence one level per
    round). Once the certain region holds its share, fresh x in it are asked until T are revealed: coins of bias ω.
    """
    H = draws.hypotheses
    successes = binomial.successes_for_factor_two(delta)
    asked = revealed = i = 0

    def report() -> Report:
        return Report(V, V.smallest(draws.positives), learner.certificate(draws, V, 1.0, SCAR))

    items = questions(draws, everywhere, "find positives")
    while True:
        while asked < 2 ** (i + 1) - 1:
            question = yield Ask(items, report)
            asked += 1
            if question.revealed:
                V, revealed = V.require(draws.points([question.item])), revealed + 1
        level = delta / (4 * (i + 1) * (i + 2))
        S = draws.unlabeled(max(asked, 16 * revealed), "the sample of EstRate")
        slack = up(realizable_radius(H, revealed, level), relative_deviation(H, len(S), level)) if revealed else 1.0
        pruned = V.cap_mass(S, int(V.smallest(S).contains(S).sum()) + math.floor(slack * len(S)))
        if revealed and pruned.certain(S).mean() >= revealed / asked / 2:
            break
        i += 1

    V, trials, revealed = pruned, 0, 0
    items = questions(draws, pruned.certain, "measure rate")
    while revealed < successes:
        question = yield Ask(items, report)
        if question.note.phase == "measure rate":
            trials, revealed = trials + 1, revealed + question.revealed
        elif question.revealed:
            V = V.require(draws.points([question.item]))
    low, high = binomial.bounds_at_success(revealed, trials, delta / 4)
    return V, Bounds(low, high, 1 - delta, estimate=revealed / trials)
