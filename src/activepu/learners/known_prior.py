"""Active PU learning with a known share of positives: Algorithm 1S, the sharp form of the paper's Algorithm 1.

Assumes ℓ ∈ H, i.i.d. rows, true reveals and π ≤ `prior`; not that reveals are random, nor that rows are distinct: these
affect only when it ends.

    S ← every row but T (of halfspaces a part); V ← {h : |h ∩ S| ≤ q}, q the (1 − δ/4)-quantile of Bin(|S|, π)
    loop: if P(DIS V) ≤ ε on T, or (intersection-closed classes) π − P(closure) ≤ ε on T: return the smallest h ∈ V
          x ~ D until x ∈ DIS(V); ask; if revealed: V ← {h ∋ x}

Why it is right: |ℓ ∩ S| ~ Bin(|S|, π) exactly, so that ℓ ∈ V but for probability δ/4; a reveal never removes ℓ. Any two
members of V differ only on DIS(V); and a closure lies inside ℓ, so that it errs by exactly π − P(closure). T influences
nothing but the stop: one Clopper–Pearson level per statement, 3δ/8 each (3δ/4 where there is only one).
The paper's θ and d play no part. The claim is "error ≤ ε", for ε and its doublings (`theory.ladder`).
"""

from __future__ import annotations

import math
from dataclasses import replace

from activepu import checks
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import Learner, questions
from activepu.learners.reserve import reserve, rows_needed
from activepu.pools import Draws
from activepu.records import Ask, Gauges, Report, Steps, StopReason
from activepu.theory import binomial, disagreement
from activepu.theory.ladder import Ladder
from activepu.theory.sharp import known_prior_unlabeled

MOST_UNLABELED = 1_000_000
"""The largest S that is drawn from an endless pool."""


class KnownPrior(Learner):
    """Algorithm 1S. `prior` is π or an upper bound of it; an underestimate breaks the guarantee.

    The bound should be tight: where it exceeds π by more than ε, the closure can never be certified, and the undecided
    region only with very many questions.

    Any S is valid; a smaller one costs questions. Its cap exceeds π·|S| by about √(2π(1 − π) ln(4/δ)|S|), and what the
    excess leaves open has to be asked: at ε = 0.1 halfspaces of the plane took 43 questions with 30,000 rows or more,
    46 with 10,000, 53 with 3,000 and 99 with 1,000. If the excess is far above ε, the loop may not end. Halfspaces take
    no more of a pool than 100,000 rows in the plane (about 0.13 s a question) and 3,000 beyond it (about 0.15 s)
    (`VersionSpace.most_capped`).
    """

    when_dry = "A tighter upper bound of the share of positives, a larger epsilon or a larger pool may help."

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float, prior: float) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self.prior = checks.rate("prior", prior)

    def _share(self, hypotheses: HypothesisClass) -> float:
        """The level of one statement on T."""
        return (3 / 8 if hypotheses.intersection_closed else 3 / 4) * self.delta

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Twice the smallest reserved sample."""
        return rows_needed(epsilon, self._share(hypotheses))

    def _unlabeled_size(self, draws: Draws, most: int | None) -> int:
        """Enough for the cap to be tight where θ is known in closed form, and no more than `most`."""
        theta = disagreement.coefficient(draws.hypotheses, self.prior, self.epsilon / 4) or 1 / self.epsilon
        size = known_prior_unlabeled(self.prior, theta, self.epsilon, self.delta)
        return min(max(size, math.ceil(32 / self.epsilon)), most or MOST_UNLABELED)

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        H = draws.hypotheses
        share, spread = self._share(H), self.prior * (1 - self.prior)
        T = reserve(draws, self.epsilon, share, wanted=math.ceil(32 * spread * math.log(1 / share) / self.epsilon**2))
        V, S = self.everything(draws), draws.rest()
        if S is None:
            S = draws.unlabeled(self._unlabeled_size(draws, V.most_capped), "the sample that is capped")
        S = S[: V.most_capped]  # any S is valid
        V = V.cap_mass(S, binomial.quantile(len(S), self.prior, 1 - self.delta / 4))
        ladder = Ladder(self.epsilon, share)
        assumed = f"at most {self.prior:g} of the population is positive"

        def small_region(level: float, alpha: float) -> bool:
            return binomial.upper(T.n_undecided, len(T), alpha) <= level

        def certified(level: float, alpha: float) -> bool:
            near_closure = H.intersection_closed and self.prior - binomial.lower(T.n_positive, len(T), alpha) <= level
            return near_closure or small_region(level, alpha)

        def gauges() -> Gauges:
            return Gauges(T.undecided_share)

        def error() -> float:
            bound = ladder.best(certified)
            return min(bound, self.prior) if H.intersection_closed else bound  # the closure lies inside ℓ

        def report() -> Report:
            bound = error()
            reason = StopReason.TARGET if bound <= self.epsilon else StopReason.RUNNING
            certificate = replace(self.certificate(draws, V, bound, assumed), abstains=ladder.best(small_region))
            return Report(V, V.smallest(S), certificate, reason, sample=S, gauges=gauges())

        while True:
            T.update(V)
            if error() <= self.epsilon:
                return report()
            items = questions(draws, V.disagrees, "search")
            while not (question := (yield Ask(items, report, gauges()))).revealed or question.item in draws.reserved:
                pass  # ★ says nothing here: V stays, and so does the way through the rows
            V = V.require(draws.points([question.item]))
