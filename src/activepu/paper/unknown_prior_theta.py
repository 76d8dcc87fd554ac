"""Active PU learning when the share of positives is unknown, with θ in place of θ² and no binary search (Theorem B).

With probability ≥ 1 − δ error ≤ ε, after EstRate and O(ln(2/ε) θ(d ln(eθ) + ln ln(e/ε) + ln(1/δ))/ω) questions. Assumes
ℓ ∈ H, i.i.d. rows and a continuous distribution; any class. Every constant is computed (`theory.refined`).

    ω_lo ← EstRate(H, δ/8)/2; V ← {h ⊇ R_est}; N ← ⌈log2(2/ε)⌉; B ← 1/(38θ); every statement at δ/(8N)
    λ ← the questions at rate ω_lo after which no h ∈ V misses more than B of DIS(V); m ← rows with η²(m) ≤ B
    at most N times:
      if P̂_T(DIS V) ≤ 3ε/4 on a fresh T: return any h ∈ V
      V0 ← V; ask λ draws of DIS(V0), R ← the revealed; V ← {h ∈ V ⊇ R}
      S2 ← m fresh draws of DIS(V0); h ← argmin_V |h ∩ S2|; V ← {g ∈ V : |g ∩ S2| ≤ |h ∩ S2| + ⌊3Bm⌋}

Why it is right. Let D_i be D given DIS(V0), p = D_i(ℓ=1), g ∈ V with g ⊇ R. Then D_i(ℓ \\ g) ≤ B: trivially if p ≤ B,
and else because λ answers hold K positives with p·a_K ≤ B (few reveals are no reason to stop: they say that p is
small). So |(ℓ \\ g) ∩ S2| ≤ (2B + η²)m ≤ 3Bm for all such g, and ℓ meets the cap. A survivor g has |(g \\ ℓ) ∩ S2| ≤
|(ℓ \\ g) ∩ S2| + 3Bm ≤ 6Bm, so ρ_S2(g, ℓ) ≤ 9B, D_i(g Δ ℓ) ≤ 18B + η² ≤ 19B = 1/(2θ): V lies in the ball of radius
Δ/(2θ) around ℓ, and Δ is halved. Four statements a round, δ/2 in all; δ/8 for EstRate, δ/8 for the N + 1 checks.

θ only decides when it ends. That ℓ stays in V rests on B alone, and the check measures Δ. So the certificate is true
whatever the coefficient is.
"""

from __future__ import annotations

import math

from activepu.hypotheses import HypothesisClass, Points
from activepu.learners.base import CONTINUOUS, SCAR
from activepu.learners.phases import Tally, ask_until
from activepu.paper.base import SCALED, TOO_MANY, Needs, PaperLearner, first, stop_check_rows
from activepu.paper.estimate_rate_theta import estimate_theta
from activepu.pools import Draws
from activepu.records import Bounds, Gauges, Report, Steps, StopReason
from activepu.theory import refined
from activepu.version_spaces import VersionSpace

NO_HALT = "All N rounds ended without a stop: theta may be too small, the constants scaled, or the δ-event happened."


def questions_theta(learner: PaperLearner, theta: float, H: HypothesisClass, rate: float, epsilon: float) -> int:
    """Return λ, scaled; `rate` is ω_lo."""
    return learner.constants.size(refined.unknown_prior_block(H, theta, rate, epsilon, learner.delta))


def fresh_theta(learner: PaperLearner, theta: float, H: HypothesisClass, epsilon: float) -> int:
    """Return m, scaled."""
    return learner.constants.size(refined.unknown_prior_fresh(H, theta, epsilon, learner.delta))


def checked_rows(learner: PaperLearner, epsilon: float) -> int:
    """Return |T|, at level δ/(8(N+1))."""
    return stop_check_rows(epsilon, learner.delta / (8 * (refined.rounds(epsilon) + 1)))


def needs_theta(learner: PaperLearner, theta: float, H: HypothesisClass, epsilon: float) -> Needs:
    """Return Nλ questions at ω_lo = 1, and the rows of an S2 per round and a T per check.

    EstRate comes on top, and rows outside DIS(V).
    """
    N = refined.rounds(epsilon)
    rows = N * fresh_theta(learner, theta, H, epsilon) + (N + 1) * checked_rows(learner, epsilon)
    return Needs(N * questions_theta(learner, theta, H, 1.0, epsilon), rows)


def steps_theta(learner: PaperLearner, theta: float, draws: Draws) -> Steps:
    """Run the algorithm at the head of this module."""
    H, epsilon, delta = draws.hypotheses, learner.epsilon, learner.delta
    proved = learner.constants.scale >= 1
    rate: Bounds | None = None

    def report(
        V: VersionSpace, S: Points = draws.positives, bound: float = 1.0, why: str = StopReason.RUNNING
    ) -> Report:
        return Report(V, V.smallest(S), learner.claim(draws, V, bound, proved, SCAR, CONTINUOUS), why, rate)

    V, rate = yield from estimate_theta(learner, draws, learner.everything(draws), delta / 8)
    if rate is None:
        return report(V, why=TOO_MANY)
    N, B = refined.rounds(epsilon), refined.tolerance(theta)
    questions, m = questions_theta(learner, theta, H, rate.low, epsilon), fresh_theta(learner, theta, H, epsilon)
    if N * questions > learner.limit:
        why = f"At a reveal rate of {rate.low:.3g} or more up to {N * questions:,} questions follow; raise limit=…."
        return report(V, why=why)

    for i in range(N + 1):
        T = draws.unlabeled(checked_rows(learner, epsilon), "the fresh sample T of a check")
        undecided = float(V.disagrees(T).mean())
        if undecided <= 0.75 * epsilon:
            return report(V, T, epsilon, StopReason.TARGET if proved else SCALED)
        if i == N:
            break
        V0, phase = V, f"round {i}"
        R = Tally(most=questions)
        items = first(draws, V0.disagrees, questions, phase)
        V = yield from ask_until(R, items, phase, draws, V, report, Gauges(undecided))
        S2 = draws.unlabeled_in(V0.disagrees, m, "the fresh sample S2 of a round")
        h = V.smallest(S2)  # raises if no hypothesis is left
        V = V.cap_mass(S2, int(h.contains(S2).sum()) + math.floor(3 * B * m))
    return report(V, why=NO_HALT)
