"""CAL: disagreement-based active learning with full labels, the reference for a reveal rate of 1.

Cohn, Atlas and Ladner, "Improving generalization with active learning", Machine Learning 15, 1994.
Assumes ℓ ∈ H, i.i.d. rows, and an expert who reveals every positive.
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
    """CAL: active learning from an expert who always answers, yes or no. Here, and only here, silence means "negative".

    It draws random items and asks those on which the remaining hypotheses differ. The bound that it certifies for the
    error on the population (ε, once it is done) holds with probability 1 − δ if

    - the truth is in the class,
    - an item that is revealed is truly positive, and every positive that is asked is revealed (a reveal rate of 1),
    - the rows are independent draws, and the class was chosen without looking at them.

    An expert who only sometimes reveals a positive breaks the guarantee: use `ZCal` for such an expert.

    Parameters
    ----------
    hypotheses : HypothesisClass
        The rules that are considered.
    epsilon, delta : float
        The claim: error ≤ ε with probability 1 − δ.

    Notes
    -----
    ::

        draw x ~ D; if x ∈ DIS(V): ask; yes: V ← {h ∋ x}; no: V ← {h ∌ x}
        stop when P(DIS V) ≤ ε on a reserved sample T

    V are the hypotheses that fit all answers, DIS(V) the points on which they differ. The truth ℓ is in V, so that any
    h ∈ V errs only within DIS(V). T influences nothing but the stop, so one Clopper–Pearson level serves all looks at
    it (`theory.ladder`).

    References
    ----------
    Cohn, Atlas and Ladner, "Improving generalization with active learning", Machine Learning 15, 1994.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.random.default_rng(0).random(2000)
    >>> truth = x > 0.7
    >>> result = apu.learn(apu.Cal(apu.Thresholds(), epsilon=0.05, delta=0.05), x, apu.SimulatedExpert(truth, rate=1.0))
    >>> result.certificate.error_bound, bool((result.predict(x) != truth).mean() <= 0.05)
    (0.05, True)
    """

    runs_ahead = ("search",)

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return twice the size of the smallest reserved sample."""
        return rows_needed(epsilon, self.delta)

    def steps(self, draws: Draws) -> Steps:
        """Run CAL; the notes of the class describe it."""
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
