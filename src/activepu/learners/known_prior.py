"""Active PU learning with a known share of positives: Algorithm 1S, the sharp form of the paper's Algorithm 1.

Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Theorem 4.3.
Assumes ℓ ∈ H, i.i.d. rows, true reveals and π ≤ `prior`.
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
    """Active PU learning with a known upper bound of the share of positives π (Algorithm 1S).

    It excludes the hypotheses that are too large for this share, asks random items on which the others differ, and
    keeps those that contain every reveal. The bound that it certifies for the error on the population (ε, once it is
    done) holds with probability 1 − δ if

    - the truth is in the class,
    - an item that is revealed is truly positive,
    - at most the share `prior` of the population is positive,
    - the rows are independent draws, and the class was chosen without looking at them.

    It does not assume that reveals are random, nor that no two rows are alike: these only affect when it ends. With
    `Halfspaces` beyond the plane the hypotheses are sampled, and the certificate says that this is not a proof.

    Parameters
    ----------
    hypotheses : HypothesisClass
        The rules that are considered.
    epsilon, delta : float
        The claim: error ≤ ε with probability 1 − δ.
    prior : float
        π, or an upper bound of it; an underestimate breaks the guarantee. The bound should be tight: if it exceeds π by
        more than ε, the learner may ask thousands of questions and still not certify ε. Without such a bound use
        `ZCal`, `UnknownPrior` or `PassivePU`.

    Notes
    -----
    With T a reserved sample, V the hypotheses that are still possible and DIS(V) the points on which they differ::

        S ← every row but T (at most `VersionSpace.most_capped`, if it says so)
        V ← {h : |h ∩ S| ≤ q}, q the (1 − δ/4)-quantile of Bin(|S|, π)
        loop: if P(DIS V) ≤ ε on T, or (intersection-closed classes) π − P(closure) ≤ ε on T: return the smallest h ∈ V
              x ~ D until x ∈ DIS(V); ask; if revealed: V ← {h ∋ x}

    Why it is right: |ℓ ∩ S| ~ Bin(|S|, π) exactly for the truth ℓ, so ℓ ∈ V except with probability δ/4; a reveal never
    removes ℓ. Any two members of V differ only on DIS(V). A closure (the smallest member, of intersection-closed
    classes) lies inside ℓ, so that it errs by exactly π − P(closure). T influences nothing but the stop: one
    Clopper–Pearson level per statement, 3δ/8 each (3δ/4 if there is only one). The claim is "error ≤ ε", for ε and its
    doublings (`theory.ladder`). The disagreement coefficient and the VC dimension of the paper's analysis play no part.

    Any S is valid; a smaller one costs questions. The cap q exceeds π·|S| by about √(2π(1 − π) ln(4/δ)|S|), and what
    the excess leaves open has to be asked: at ε = 0.1 halfspaces of the plane took 43 questions with 30,000 rows or
    more, 46 with 10,000, 53 with 3,000 and 99 with 1,000. If the excess is far above ε, the loop may not end.

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Algorithm 1 and
    Theorem 4.3, of which this is a sharper form (`activepu.paper.KnownPrior` is the printed one).

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((5000, 2))
    >>> truth = (X > 0.45).all(axis=1)  # about 30% of all
    >>> learner = apu.KnownPrior(apu.Orthants(), epsilon=0.1, delta=0.05, prior=0.31)
    >>> result = apu.learn(learner, X, apu.SimulatedExpert(truth, rate=0.5))
    >>> result.certificate.error_bound, bool((result.predict(X) != truth).mean() <= 0.1)
    (0.1, True)
    """

    runs_ahead = ("search",)
    when_dry = "A tighter upper bound of the share of positives, a larger epsilon or a larger pool may help."

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float, prior: float) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self.prior = checks.rate("prior", prior)

    def _share(self, hypotheses: HypothesisClass) -> float:
        """Return the level of one statement on T."""
        return (3 / 8 if hypotheses.intersection_closed else 3 / 4) * self.delta

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return twice the size of the smallest reserved sample."""
        return rows_needed(epsilon, self._share(hypotheses))

    def _unlabeled_size(self, draws: Draws, most: int | None) -> int:
        """Return a size of S that makes the cap tight if θ is known in closed form, and no more than `most`."""
        theta = disagreement.coefficient(draws.hypotheses, self.prior, self.epsilon / 4) or 1 / self.epsilon
        size = known_prior_unlabeled(self.prior, theta, self.epsilon, self.delta)
        return min(max(size, math.ceil(32 / self.epsilon)), most or MOST_UNLABELED)

    def steps(self, draws: Draws) -> Steps:
        """Run Algorithm 1S; the notes of the class describe it."""
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
                pass  # ★ tells nothing here: V stays, and the next item is taken from the same order of rows
            V = V.require(draws.points([question.item]))
