"""Algorithm 3S for classes that are not intersection-closed; it needs an upper bound of the disagreement coefficient θ.

Assumes ℓ ∈ H, i.i.d. rows, a continuous distribution and Δ(B(ℓ, r)) ≤ θr for r ≥ ε/(4θ).

    ω_lo, R ← EstRate(δ/8); τ = ε/34; ε′ = 16τ; ρ0 = ω_lo · 3/(13θ); α_i = δ/(8(i+1)(i+2))
    S1 with sup_H |P̂ − P| ≤ τ but for δ/8; V ← {h ⊇ R}; u ← 1, b ← 0; for i = 0, 1, …
      T fresh; b ← max(b, P̂_T(certain) − τ); if u − b ≤ ε′ or P̂_T(DIS) ≤ 3ε/4: return the smallest h ∈ V on S1
      ask x ~ D | the frozen DIS until K are revealed (PRUNE) or the test of ρ0 rejects (CUT)
      CUT:   u ← (u+b)/2; V ← {h ⊇ R : |h ∩ S1| ≤ |S1|(u + τ)}
      PRUNE: S2 fresh from DIS; h the smallest on S2 with R; V ← {h′ ⊇ R : |h′ ∩ S2| ≤ |h ∩ S2| + s|S2|}

Invariants: ℓ ∈ V, π ≤ u, P(h) ≤ u + 2τ for h ∈ V, b ≤ β ≤ b + 2τ. If π ≥ (u+b)/2 and u − b > 16τ, then
P(ℓ=1 | DIS) ≥ 3/(13θ), so that Ville bounds a wrong CUT by α_i. PRUNE: every h ⊇ R misses at most a_K of D | DIS, so
that P̂_{S2}(ℓ \\ h) ≤ s = up(a_K, η²) and ℓ stays, for any K: a small one (no halving of Δ in one round) needs fewer
questions in all, and more rounds. At most 6α_i per round, Σ α_i = δ/8. Exit: error ≤ 2(u − b) + 2τ ≤ ε.
"""

from __future__ import annotations

import math
from collections.abc import Generator

from activepu.hypotheses import HypothesisClass, Points
from activepu.learners.base import CONTINUOUS, SCAR, Learner, questions
from activepu.learners.phases import Tally, ask_until
from activepu.pools import Draws, everywhere
from activepu.records import Ask, Bounds, Gauges, Question, Report, Steps, StopReason
from activepu.theory import binomial, sharp
from activepu.theory.deviations import relative_deviation, uniform_sample_size, up
from activepu.theory.radii import closure_radius, positives_for_radius
from activepu.theory.rate_test import RateTest
from activepu.version_spaces import VersionSpace

RADIUS = 0.75
"""a_K of PRUNE. Few positives are enough to measure again; CUT makes the progress."""


def general_steps(learner: Learner, draws: Draws, theta: float) -> Steps:
    """See the module's head."""
    H, epsilon, delta = draws.hypotheses, learner.epsilon, learner.delta
    tau = epsilon / 34
    V, rate = yield from measure_rate(learner, draws, learner.everything(draws), delta / 8, sharp.SHARPER)
    S1 = draws.unlabeled(uniform_sample_size(H, tau, delta / 8), "the sample S1")
    u, b, small_region, undecided, i = 1.0, 0.0, False, 1.0, 0

    def gauges() -> Gauges:
        return Gauges(undecided, u, b)

    def report(V: VersionSpace) -> Report:
        bound = epsilon if small_region else 2 * (u - b) + 2 * tau
        reason = StopReason.TARGET if bound <= epsilon else StopReason.RUNNING
        given = f"the disagreement coefficient is at most {theta:g}"
        certificate = learner.certificate(draws, V, bound, SCAR, CONTINUOUS, given)
        prior = Bounds(b, u, 1 - delta if V.method == "exact" else 0.0, (u + b) / 2)
        return Report(V, V.smallest(S1), certificate, reason, rate, prior, S1, gauges())

    while True:
        alpha = sharp.level(i, delta)
        T = draws.unlabeled(sharp.fresh_items_general(i, epsilon, delta), "the fresh sample T")
        b = max(b, float(V.certain(T).mean()) - tau)
        undecided = float(V.disagrees(T).mean())
        small_region = undecided <= 0.75 * epsilon
        if u - b <= 16 * tau or small_region:
            return report(V)
        frozen = V
        test = RateTest(rate.low * 3 / (13 * theta), alpha)
        K = positives_for_radius(H, RADIUS, alpha)
        phase = f"search {i}"
        items = questions(draws, frozen.disagrees, phase)
        V = yield from ask_until(Tally(K, test), items, phase, draws, V, report, gauges())
        if test.rejects:
            u = (u + b) / 2
            V = V.cap_mass(S1, math.floor(len(S1) * (u + tau)))
        else:
            S2 = draws.unlabeled_in(frozen.disagrees, 16 * K, "the fresh sample S2")
            V = V.cap_mass(S2, smallest_mass(V, S2) + missed(H, K, len(S2), alpha))
        i += 1


def smallest_mass(V: VersionSpace, S: Points) -> int:
    """min_{h ∈ V} |h ∩ S|."""
    return int(V.smallest(S).contains(S).sum())


def missed(H: HypothesisClass, K: int, n: int, alpha: float) -> int:
    """How many of n fresh rows ℓ may hold beyond any h that contains K positives: ⌊up(a_K, η²) n⌋, but for 2α."""
    return math.floor(min(1.0, up(closure_radius(H, K, alpha), relative_deviation(H, n, alpha))) * n)


def measure_rate(
    learner: Learner, draws: Draws, V: VersionSpace, delta: float, sharper: int = 1
) -> Generator[Ask, Question, tuple[VersionSpace, Bounds]]:
    """EstRate for any class, with computed radii in place of constants, at level δ.

    Round i asks 2^i random rows, requires all reveals R so far, and caps a fresh S of the same size around the smallest
    h ⊇ R; ℓ stays in V but for δ_i/2 (δ_i = δ/((i+1)(i+2)), Σ ≤ δ; the halting round is random, hence one level per
    round). Once the certain region holds its share, fresh x in it are asked until T are revealed: coins of bias ω.
    """
    H = draws.hypotheses
    successes = sharper * binomial.successes_for_factor_two(delta)
    asked = revealed = i = 0

    rate: Bounds | None = None

    def report(V: VersionSpace) -> Report:
        return Report(V, V.smallest(draws.positives), learner.certificate(draws, V, 1.0, SCAR), rate=rate)

    items = questions(draws, everywhere, "find positives")
    while True:
        found = Tally(most=2**i)
        V = yield from ask_until(found, items, "find positives", draws, V, report)
        asked, revealed = asked + found.trials, revealed + found.revealed
        level = delta / (4 * (i + 1) * (i + 2))
        S = draws.unlabeled(max(asked, 16 * revealed), "the sample of EstRate")
        pruned = V.cap_mass(S, smallest_mass(V, S) + missed(H, revealed, len(S), level))
        if revealed and pruned.certain(S).mean() >= revealed / asked / 2:
            break
        i += 1

    coins = Tally(successes)
    items = questions(draws, pruned.certain, "measure rate")
    V = yield from ask_until(coins, items, "measure rate", draws, pruned, report)
    low, high = binomial.bounds_at_success(coins.revealed, coins.trials, delta / 4)
    confidence = 1 - delta if pruned.method == "exact" else 0.0
    rate = Bounds(low, high, confidence, estimate=coins.revealed / coins.trials)  # reported even if the pool ends now
    return V, rate
