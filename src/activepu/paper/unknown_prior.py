"""Algorithm 3, active PU learning when the share of positives is unknown: as printed, repaired.

Mansouri, Zilles and Ben-David (2026), Theorem 5.5: error ≤ ε with probability ≥ 1 − δ, after EstRate and
O(ln(1/ε) θ²(d ln θ + ln ln(1/ε) + ln(1/δ))/ω) questions. Assumes ℓ ∈ H, i.i.d. rows and a continuous distribution.

    ω̂ ← EstRate(H, δ/8); N ← 2⌈log2(6/ε)⌉; u ← 1; V ← {h ⊇ R_est}; S1 one sample
    λ1 ← 768θ ln(8N/δ)/ω̂; λ2 ← M3 θ²(d ln(eθ) + ln(8N/δ))/ω̂
    at most N times:
      b ← P̂_S1(certain) if intersection-closed, else max(b, P̂_T(certain) − slack) on a fresh T
      if u − b ≤ ε/6 or P̂_T(DIS V) ≤ 3ε/4 on a fresh T: return the smallest h ∈ V on S1
      V0 ← V; ask λ1 draws of DIS(V0); R1 ← the revealed
      if |R1| < λ1 ω̂/(128θ): u ← (u+b)/2; V ← {h ⊇ R1 : P̂_S1(h) ≤ u}
      else: ask λ2 more of DIS(V0); R ← R1 and the revealed; V ← {h ⊇ R}; if |R| < d: continue
            S2 ← |R| fresh draws of DIS(V0); h ← argmin_V |h ∩ S2|
            V ← V ∩ B̂_S2(h, (2M1+M2)(d ln(2|R|/d) + ln(8N/δ))/|R|)

Guaranteed for intersection-closed classes only: there ∩V ∈ H, so that uniform convergence on S1 covers b although V was
made from S1 (erratum U11). A wrong cut of u has probability ≤ δ/(8N), since P(ℓ=1 | DIS V) ≥ 1/(32θ) if π̂ ≥ (u+b)/2.

`analysis="theta"` runs another algorithm, without a binary search and linear in θ: `unknown_prior_theta`.
"""

from __future__ import annotations

import math

from activepu import checks
from activepu.hypotheses import HypothesisClass, Points
from activepu.learners.base import CONTINUOUS, SCAR
from activepu.learners.phases import Tally, ask_until
from activepu.paper.base import (
    LIMIT,
    SCALED,
    TOO_MANY,
    Analysis,
    Constants,
    Needs,
    PaperLearner,
    first,
    stop_check_rows,
)
from activepu.paper.estimate_rate import estimate
from activepu.paper.unknown_prior_theta import needs_theta, steps_theta
from activepu.pools import Draws
from activepu.records import Bounds, Gauges, Report, Steps, StopReason
from activepu.theory import budgets
from activepu.version_spaces import VersionSpace

NOT_CLOSED = (
    "Stopped where the algorithm stops, but it is proved for intersection-closed classes only: nothing is guaranteed."
)
NO_HALT = "All N iterations ended without a stop: theta or the constants may be too small, or the δ-event happened."
SLACK = 1 / 24
"""By how much b on a fresh T is lowered, in units of ε, for classes that are not intersection-closed (U11)."""


class UnknownPrior(PaperLearner):
    """Algorithm 3 of the paper, active PU learning with an unknown share of positives, repaired.

    Where it stops by itself, the error is ≤ ε with probability ≥ 1 − δ. It assumes ℓ ∈ H, an intersection-closed H,
    i.i.d. rows without repeats, one reveal rate for all positives (SCAR), a true bound `theta`, and constants that are
    large enough; too small a `theta` breaks it (errata P2, U4). To learn something from an expert use
    `activepu.UnknownPrior`, which needs far fewer questions and no θ.

    Parameters
    ----------
    hypotheses : HypothesisClass
        H.
    epsilon, delta : float
        The claim: error ≤ ε with probability ≥ 1 − δ.
    theta : float
        An upper bound of the disagreement coefficient at ℓ, at least 1.
    constants : Constants
        The paper's M1, M2, M3, and `scale`; below the defaults nothing is guaranteed.
    limit : int
        A run that would ask or draw more than this raises `BudgetRefused` before the first question, or ends once ω̂ is
        known.
    analysis : {"printed", "theta"}
        "theta" runs Theorem B's algorithm in its place, which is proved for every class with computed constants. Too
        small a `theta` then only keeps it from halting.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Thresholds()
    >>> for analysis in ("printed", "theta"):
    ...     print(apu.paper.UnknownPrior(H, 0.1, 0.1, theta=2, analysis=analysis).needs(H.bind(1), 0.1))
    Needs(questions=1931280732, unlabeled=62669)
    Needs(questions=4000, unlabeled=37086)

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026),
    Algorithm 3 and Theorem 5.5.
    """

    algorithm = "Algorithm 3"
    instead = "activepu.UnknownPrior"

    def __init__(
        self,
        hypotheses: HypothesisClass,
        epsilon: float,
        delta: float,
        theta: float,
        constants: budgets.Constants = Constants(),  # noqa: B008 (frozen)
        limit: int = LIMIT,
        analysis: Analysis = "printed",
    ) -> None:
        super().__init__(hypotheses, epsilon, delta, constants, limit, analysis)
        self.theta = checks.at_least("theta", theta, 1)

    def rate_test_questions(self, rate: float, epsilon: float) -> int:
        """Return λ1, scaled."""
        return self.constants.size(budgets.rate_test_questions(self.theta, rate, epsilon, self.delta))

    def prune_questions(self, H: HypothesisClass, rate: float, epsilon: float) -> int:
        """Return λ2, scaled."""
        d = H.vc_dimension
        return self.constants.size(
            budgets.prune_questions(d, self.theta, rate, epsilon, self.delta, self.constants)  # d ln(eθ) (U5)
        )

    def all_questions(self, H: HypothesisClass, rate: float, epsilon: float) -> int:
        """Return N(λ1 + λ2), scaled."""
        block = self.rate_test_questions(rate, epsilon) + self.prune_questions(H, rate, epsilon)
        return budgets.iterations(epsilon) * block

    def sample_rows(self, H: HypothesisClass, epsilon: float) -> int:
        """Return |S1|, scaled: solved for what the proof uses (U10), and for b on S1 where that is allowed (U11)."""
        rows = budgets.unknown_prior_unlabeled_solved(H.vc_dimension, epsilon, self.delta, self.constants)
        if H.intersection_closed:
            rows = max(rows, budgets.unknown_prior_unlabeled_closed(H, epsilon, self.delta))
        return self.constants.size(rows)

    def fresh_rows(self, H: HypothesisClass, epsilon: float) -> int:
        """Return |T|, at level δ/(8(N+1)).

        It serves the check of DIS(V), and b within its slack where b is not measured on S1.
        """
        level = self.delta / (8 * (budgets.iterations(epsilon) + 1))
        rows = stop_check_rows(epsilon, level)
        if not H.intersection_closed:
            rows = max(rows, math.ceil(math.log(2 / level) / (2 * (SLACK * epsilon) ** 2)))
        return rows

    def needs(self, H: HypothesisClass, epsilon: float) -> Needs:
        """Return N(λ1 + λ2) questions at ω̂ = 1, and the rows of S1 and of a T per check.

        EstRate comes on top: its cost depends on π and ω.
        """
        if self.analysis == "theta":
            return needs_theta(self, self.theta, H, epsilon)
        checks_of_dis = budgets.iterations(epsilon) + 1
        rows = self.sample_rows(H, epsilon) + checks_of_dis * self.fresh_rows(H, epsilon)
        return Needs(self.all_questions(H, 1.0, epsilon), rows)

    @property
    def full_constants(self) -> bool:
        """Whether no constant is below the default."""
        least, c = Constants(), self.constants
        return c.M1 >= least.M1 and c.M2 >= least.M2 and c.M3 >= least.M3 and c.scale >= least.scale

    def _report(
        self, draws: Draws, V: VersionSpace, S: Points, bound: float, rate: Bounds | None, reason: str
    ) -> Report:
        c, closed = self.constants, draws.hypotheses.intersection_closed
        if reason == StopReason.TARGET:
            reason = SCALED if not self.full_constants else StopReason.TARGET if closed else NOT_CLOSED
        assumed = (
            SCAR,
            CONTINUOUS,
            f"the disagreement coefficient is at most {self.theta:g}",
            f"the constants M1 = {c.M1:g}, M2 = {c.M2:g} and M3 = {c.M3:g} are large enough (the defaults are the "
            "largest that a numerical grid needed, not proved)",
        )
        certificate = self.claim(draws, V, bound, self.full_constants and closed, *assumed)
        return Report(V, V.smallest(S), certificate, reason, rate)

    def steps(self, draws: Draws) -> Steps:
        """Run the algorithm at the head of this module."""
        if self.analysis == "theta":
            return (yield from steps_theta(self, self.theta, draws))
        H, epsilon, delta = draws.hypotheses, self.epsilon, self.delta
        V, rate = yield from estimate(self, draws, self.everything(draws), delta / 8)
        if rate is None or rate.estimate is None:
            return self._report(draws, V, draws.positives, 1.0, None, TOO_MANY)
        omega = rate.estimate
        if (asked := self.all_questions(H, omega, epsilon)) > self.limit:
            too_many = f"At the reveal rate {omega:.3g} Algorithm 3 would ask {asked:,} questions; raise limit=…."
            return self._report(draws, V, draws.positives, 1.0, rate, too_many)

        N = budgets.iterations(epsilon)  # whole (U4)
        lambda1, lambda2 = self.rate_test_questions(omega, epsilon), self.prune_questions(H, omega, epsilon)
        S1 = draws.unlabeled(self.sample_rows(H, epsilon), "the sample S1 of Algorithm 3")
        u, b = 1.0, 0.0

        def report(V: VersionSpace) -> Report:
            return self._report(draws, V, S1, 1.0, rate, StopReason.RUNNING)

        for i in range(N + 1):
            T = draws.unlabeled(self.fresh_rows(H, epsilon), "the fresh sample T of Algorithm 3")  # not S1 (U11)
            if H.intersection_closed:
                b = float(V.certain(S1).mean())  # before the test that reads it, in every iteration (U1)
            else:
                b = max(b, float(V.certain(T).mean()) - SLACK * epsilon)
            undecided = float(V.disagrees(T).mean())
            if u - b <= epsilon / 6 or undecided <= 0.75 * epsilon:
                return self._report(draws, V, S1, epsilon, rate, StopReason.TARGET)  # some h ∈ V (U3)
            if i == N:
                break

            V0, gauges, phase = V, Gauges(undecided, u, b), f"rate test {i}"
            items = first(draws, V0.disagrees, lambda1, phase)
            R1 = Tally(most=lambda1)
            V = yield from ask_until(R1, items, phase, draws, V, report, gauges)
            if R1.revealed < lambda1 * omega / (128 * self.theta):  # few: π̂ < (u+b)/2 (U6, U7)
                u = (u + b) / 2
                V = V.cap_mass(S1, math.floor(u * len(S1)))
                continue
            phase = f"prune {i}"  # many; u stays (U2)
            items = first(draws, V0.disagrees, lambda2, phase)
            R2 = Tally(most=lambda2)
            V = yield from ask_until(R2, items, phase, draws, V, report, gauges)
            n = R1.revealed + R2.revealed  # given their number, R1 and R2 are i.i.d. positives of DIS(V0)
            if n < H.vc_dimension:  # the radius means nothing (U12)
                continue
            S2 = draws.unlabeled_in(V0.disagrees, n, "the fresh sample S2 of Algorithm 3")
            gamma = budgets.prune_radius(H.vc_dimension, n, epsilon, delta, self.constants)
            V = V.cap_distance(V.smallest(S2), S2, math.floor(gamma * n))
        return self._report(draws, V, S1, 1.0, rate, NO_HALT)
