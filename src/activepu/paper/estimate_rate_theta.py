"""EstRate with 1/π in place of 1/π²: the reveal rate ω within a factor of two, for any class (Theorem C).

With probability ≥ 1 − δ, ω/2 ≤ ω̂ ≤ 2ω after O(θ(d ln(eθ) + ln(1/δ))/(πω)) questions, if π ≥ ε/2 for the ε at which θ
is valid (P2). Assumes ℓ ∈ H, i.i.d. rows and a continuous distribution. Knows neither θ nor π, nor any constant.

    for j = 0, 1, …:  δ_j = δ/((j+1)(j+2)), every statement at δ_j/10
      ask x ~ D until K = 2^j·d are revealed in all, R, in n questions; a ← a_K; if a ≥ 1/2: continue
      S ← enough draws for η² ≤ aK/(2n); h* ← argmin_{h ⊇ R} |h ∩ S|; F ← up(P̂_S(h*), η²)·a/(1 − a)
      V′ ← {h ⊇ R} ∩ B̂_S(h*, 2 up(F, η²))
      P ← {x ∈ n fresh draws : every h ∈ V′ contains x}; ask P until T_j are revealed
      if T_j are: return T_j over the number of questions in P

Why it is right: K positives leave P(ℓ \\ h) ≤ πa for every h ⊇ R. So π ≤ P(h*) + πa, and πa ≤ F, a number that can be
*observed*: the paper's γ compares a with 1 instead of π. P̂_S(ℓ \\ h*) ≤ up(F, η²), P̂_S(h* \\ ℓ) is no larger as h* is
smallest, and ℓ ∈ V′. Hence P ⊆ ℓ, and its answers are coins of bias ω that nothing before has seen; T_j of them give ω
within a factor of two except with probability δ_j/10. When it ends: `theory.refined.estimate_rate_questions`.
"""

from __future__ import annotations

import math
from collections.abc import Generator

from activepu.learners.base import questions
from activepu.learners.phases import Tally, ask_until
from activepu.paper.base import PaperLearner
from activepu.pools import Draws, everywhere
from activepu.records import Ask, Bounds, Note, Question, Report
from activepu.theory import refined
from activepu.theory.deviations import relative_deviation
from activepu.theory.radii import closure_radius
from activepu.version_spaces import VersionSpace


def estimate_theta(
    learner: PaperLearner, draws: Draws, V: VersionSpace, delta: float
) -> Generator[Ask, Question, tuple[VersionSpace, Bounds | None]]:
    """Run the algorithm as a part of another one.

    It returns V with every reveal required, and ω̂, or None if the limit came first.
    """
    H = draws.hypotheses
    asked = n = K = j = 0  # n of the questions are for R

    def report(V: VersionSpace) -> Report:
        return learner.nothing_yet(draws, V)

    while True:
        share, wanted = refined.estimate_rate_share(j, delta), refined.estimate_rate_positives(H, j)
        phase = f"EstRate R {j}"
        R = Tally(wanted - K, most=learner.limit - asked)  # it never halts if πω = 0 (R7)
        V = yield from ask_until(R, questions(draws, everywhere, phase), phase, draws, V, report)
        asked, n, K = asked + R.trials, n + R.trials, K + R.revealed
        if R.revealed < R.wanted:
            return V, None
        a = closure_radius(H, K, share)
        if a < 0.5:
            certain = _ball(learner, draws, V, n, K, a, share)
            if certain is None:
                return V, None
            items = draws.unlabeled_items(n, "the fresh rows of EstRate")
            P = items[certain.certain(draws.points(items))]  # raises if no hypothesis is left (R1)
            phase, successes = f"EstRate P {j}", refined.estimate_rate_successes(j, delta)
            notes = ((int(item), Note(phase, -1)) for item in P)  # from the back of the row order: no position
            coins = Tally(successes, most=min(len(P), learner.limit - asked))
            V = yield from ask_until(coins, notes, phase, draws, V, report)
            asked += coins.trials
            if coins.revealed == successes:
                rate, exact = successes / coins.trials, certain.method == "exact"
                return V, Bounds(rate / 2, min(1.0, 2 * rate), 1 - delta if exact else 0.0, rate)
        j += 1


def _ball(
    learner: PaperLearner, draws: Draws, V: VersionSpace, n: int, K: int, a: float, share: float
) -> VersionSpace | None:
    """Return V′, or None if S would exceed the limit; V where H is intersection-closed, as ∩V′ is the closure."""
    H = draws.hypotheses
    if H.intersection_closed:
        return V
    rows = refined.estimate_rate_unlabeled(H, a, K, n, share)
    if rows > learner.limit:
        return None
    S = draws.unlabeled(rows, "the sample S of EstRate")
    h = V.smallest(S)
    radius = refined.estimate_rate_ball(float(h.contains(S).mean()), a, relative_deviation(H, rows, share))
    return V if radius >= 1 else V.cap_distance(h, S, math.floor(radius * rows))
