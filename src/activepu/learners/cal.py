"""CAL: disagreement-based active learning with full labels, the ω = 1 reference.

Cohn, Atlas and Ladner, "Improving generalization with active learning", Machine Learning 15, 1994.

Assumes ℓ ∈ H and an expert who always tells the truth: a silent answer *means* negative here.

    draw x ~ D; if x ∈ DIS(V): ask; yes: V ← {h ∋ x}; no: V ← {h ∌ x}; stop when P(DIS V) ≤ ε on a reserved sample T.

T influences nothing but the stop, so one Clopper–Pearson level serves all looks at it (see `theory.ladder`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from activepu.hypotheses import HypothesisClass
from activepu.learners.base import Learner, questions
from activepu.learners.reserve import reserve, rows_needed
from activepu.pools import Draws
from activepu.records import Ask, Gauges, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.theory.ladder import Ladder

FULL_LABELS = "every positive that is asked is revealed (a reveal rate of 1)"


class Cal(Learner):
    """Full labels: silence is read as "negative"."""

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Twice the smallest reserved sample."""
        return rows_needed(epsilon, self.delta)

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        ladder = Ladder(self.epsilon, self.delta)
        T = reserve(draws, self.epsilon, self.delta)
        start = V = self.everything(draws)
        negatives = draws.positives[:0]

        def gauges() -> Gauges:
            return Gauges(T.undecided_share)

        def report() -> Report:
            bound = ladder.best(lambda level, share: binomial.upper(T.n_undecided, len(T), share) <= level)
            reason = StopReason.TARGET if bound <= self.epsilon else StopReason.RUNNING
            certificate = replace(self.certificate(draws, V, bound, FULL_LABELS), abstains=bound)
            return Report(V, V.smallest(negatives), certificate, reason, gauges=gauges())

        while True:
            T.update(V)
            if (now := report()).certificate.error_bound <= self.epsilon:
                return now
            question = yield Ask(questions(draws, V.disagrees, "search"), report, gauges())
            if question.item in draws.reserved:
                continue
            x = draws.points([question.item])
            if question.revealed:
                start = start.require(x)
            else:
                negatives = np.concatenate([negatives, x])
            V = start.cap_mass(negatives, 0)
