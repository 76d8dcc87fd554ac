"""Algorithm 1, active PU learning with a known share of positives π: as printed, repaired.

Mansouri, Zilles and Ben-David (2026), Theorem 4.3: error ≤ ε with probability ≥ 1 − δ, after
O(ln(1/ε) θ²(d ln θ + ln ln(1/ε) + ln(1/δ))/ω) questions. Assumes ℓ ∈ H, i.i.d. rows and a continuous distribution.

    γ ← ε/(16θ); S ← k(γ, δ/4) draws; V ← {h : P̂_S(h) ≤ π + γ}
    loop: if V changed: T fresh; if P̂_T(DIS V) ≤ 3ε/4: return any h ∈ V
          x ~ D until x ∈ DIS(V); ask; if revealed: V ← {h ∋ x}

Why it is right: sup_H |P̂_S − P| < γ, so that ℓ ∈ V (and P(h) ≤ π + 2γ in V); a reveal never removes ℓ; members of V
differ on DIS(V) only, and the c-th check is wrong with probability ≤ δ_c. θ only decides when it ends:
P(ℓ=1 | DIS V) ≥ 3/(8θ) while Δ > ε (erratum A3), and every block of reveals halves Δ.

`analysis="theta"`: the same algorithm, line by line. Its questions are bounded by O(ln(2/ε) θ(d ln(eθ) + ln ln(e/ε) +
ln(1/δ))/ω) instead (Theorem A of `theory.refined`), and k is computed from the growth function.
"""

from __future__ import annotations

import math

from activepu import checks
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import questions
from activepu.paper.base import LIMIT, SCALED, Analysis, Constants, Needs, PaperLearner, stop_check_rows
from activepu.pools import Draws
from activepu.records import Ask, Gauges, Report, Steps, StopReason
from activepu.theory import budgets, refined


class KnownPrior(PaperLearner):
    """Algorithm 1 of the paper, active PU learning with a known share of positives, repaired.

    Where it stops by itself, the error is ≤ ε with probability ≥ 1 − δ. It assumes ℓ ∈ H, i.i.d. rows without repeats,
    true reveals and π ≤ `prior`. What is certified holds whatever θ is, and for an upper bound of π, unless `constants`
    scale k down. The bounds on questions need θ, and π itself (errata A1, P2). To learn something from an expert use
    `activepu.KnownPrior`, which needs far fewer rows and no θ.

    Parameters
    ----------
    hypotheses : HypothesisClass
        H.
    epsilon, delta : float
        The claim: error ≤ ε with probability ≥ 1 − δ.
    prior : float
        π, or an upper bound of it.
    theta : float
        The disagreement coefficient at ℓ, at least 1.
    constants : Constants
        `scale` multiplies k and the bound on questions; below 1 nothing is guaranteed.
    limit : int
        A run that would ask or draw more than this raises `BudgetRefused` before the first question.
    analysis : {"printed", "theta"}
        It changes the sizes, not the algorithm: the paper's k and λN, or those of Theorem A (`theory.refined`), linear
        in θ. `needs` compares them with `limit`.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Thresholds()
    >>> for analysis in ("printed", "theta"):
    ...     print(apu.paper.KnownPrior(H, 0.1, 0.1, prior=0.3, theta=2, analysis=analysis).needs(H.bind(1), 0.1))
    Needs(questions=76275, unlabeled=214811008)
    Needs(questions=650, unlabeled=225763)

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026),
    Algorithm 1 and Theorem 4.3.
    """

    algorithm = "Algorithm 1"
    instead = "activepu.KnownPrior"

    def __init__(
        self,
        hypotheses: HypothesisClass,
        epsilon: float,
        delta: float,
        prior: float,
        theta: float,
        constants: budgets.Constants = Constants(),  # noqa: B008 (frozen)
        limit: int = LIMIT,
        analysis: Analysis = "printed",
    ) -> None:
        super().__init__(hypotheses, epsilon, delta, constants, limit, analysis)
        self.prior = checks.rate("prior", prior)
        self.theta = checks.at_least("theta", theta, 1)

    def level(self, check: int) -> float:
        """Return δ_c = δ/(4(c+1)(c+2)), the level of check c; Σ δ_c = δ/4."""
        return self.delta / (4 * (check + 1) * (check + 2))

    def capped_rows(self, H: HypothesisClass, epsilon: float) -> int:
        """Return |S|, scaled."""
        if self.analysis == "theta":
            return self.constants.size(refined.known_prior_unlabeled(H, self.theta, epsilon, self.delta))
        gamma = budgets.margin(self.theta, epsilon)
        return self.constants.size(budgets.known_prior_unlabeled(H.vc_dimension, gamma, self.delta / 4))

    def needs(self, H: HypothesisClass, epsilon: float) -> Needs:
        """Return the rows of S and of the first T, and the theorem's bound λN.

        No number of questions is fixed beforehand.
        """
        if self.analysis == "theta":
            asked = refined.known_prior_questions(H, self.theta, 1.0, epsilon, self.delta)
        else:  # the check lets Δ fall to ε/2 only: one halving more than printed (A5)
            asked = budgets.known_prior_questions(H.vc_dimension, self.theta, 1.0, epsilon / 2, self.delta)
        rows = self.capped_rows(H, epsilon) + stop_check_rows(epsilon, self.level(0))
        return Needs(self.constants.size(asked), rows)

    def steps(self, draws: Draws) -> Steps:
        """Run the algorithm at the head of this module."""
        gamma = budgets.margin(self.theta, self.epsilon)  # half of the printed one: the check certifies ε/2 only (A2)
        S = draws.unlabeled(self.capped_rows(draws.hypotheses, self.epsilon), "the sample S of Algorithm 1")
        V = self.everything(draws).cap_mass(S, math.floor(len(S) * (self.prior + gamma)))
        proved = self.constants.scale >= 1
        given = f"at most {self.prior:g} of the population is positive"
        check = 0

        def report() -> Report:
            return Report(V, V.smallest(S), self.claim(draws, V, 1.0, proved, given))

        while True:
            rows = stop_check_rows(self.epsilon, self.level(check))  # tested first (A2)
            undecided = float(V.disagrees(draws.unlabeled(rows, "the fresh sample T of a check")).mean())
            if undecided <= 0.75 * self.epsilon:
                certificate = self.claim(draws, V, self.epsilon, proved, given)
                return Report(V, V.smallest(S), certificate, StopReason.TARGET if proved else SCALED)
            check += 1
            frozen, items = V, questions(draws, V.disagrees, "search")
            while V is frozen:  # until V changes; ★ says nothing
                question = yield Ask(items, report, Gauges(undecided))
                if question.revealed:
                    V = V.require(draws.points([question.item]))
