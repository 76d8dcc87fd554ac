"""Passive PU learning: the baseline that asks at random.

Liu, Lee, Yu and Li, "Partially supervised classification of text documents", ICML 2002, Theorem 1.
Assumes ℓ ∈ H, i.i.d. rows, reveals that are selected completely at random, and a continuous distribution.
"""

from __future__ import annotations

import math

from activepu import checks
from activepu.hypotheses import HypothesisClass
from activepu.hypotheses.base import Points
from activepu.learners.base import CONTINUOUS, SCAR, Learner, questions
from activepu.learners.phases import Tally, ask_until
from activepu.pools import Draws, everywhere
from activepu.records import Bounds, Report, Steps, StopReason
from activepu.theory.ladder import Ladder
from activepu.theory.observed_prior import PriorLooks
from activepu.theory.radii import passive_positives, passive_sizes
from activepu.version_spaces import VersionSpace

OBSERVING = 0.1
"""The share of δ that pays for an observed bound of π. It costs 3% more questions if nearly all items are positive."""


class PassivePU(Learner):
    """Passive PU learning: random questions until enough positives are revealed.

    The baseline for questions that cost little. The bound that it certifies for the error on the population (ε, once it
    is done) holds with probability 1 − δ if

    - the truth is in the class,
    - an item that is revealed is truly positive,
    - a positive is revealed with the same unknown probability whatever it is, independently of all others,
    - no two items are exactly alike (a pool with repeated rows is refused),
    - at most the share `prior` of the population is positive, if a prior is given,
    - the rows are independent draws, and the class was chosen without looking at them.

    Parameters
    ----------
    hypotheses : HypothesisClass
        The rules that are considered.
    epsilon, delta : float
        The claim: error ≤ ε with probability 1 − δ.
    prior : float, optional
        An upper bound of π, the share of positives. The certificate assumes it; an underestimate breaks the guarantee.
        Without it π is bounded from what is observed, which takes up to 1.5 times the questions of a true prior, and
        2.5 times if π is about ε. A prior of 1 assumes nothing and observes nothing.

    Notes
    -----
    With R the revealed items, K their number, and V the hypotheses that contain R::

        S fresh; u ← `prior`, or 1
        ask x ~ D until passive_error(K, |S|, u) ≤ ε; V ← {h ⊇ R}
            at a look (only without `prior`; K = K_1, K_2, …): u ← min(u, P(h)_hi/(1 − a_K)), h the smallest member of V
        return the h ∈ V with the fewest rows of S

    The revealed rows are an i.i.d. sample of the positives. A member of V misses at most the share a_K of the positives
    (`theory.radii`), so at most π·a_K of the population: rare positives need few reveals. For intersection-closed
    classes h is the closure, and no S is needed.

    Why it is right. Let N_j(p) be the least K with passive_error(K, |S|, p) ≤ ε_j at the share δ_j, for ε and its
    doublings (`theory.ladder`). V only shrinks, so with probability ≥ 1 − δ_j the h of *every* K ≥ N_j(π) errs by at
    most ε_j: this is one statement about one fixed K, however often it is looked at. N_j grows with p, so that on this
    event a claim "≤ ε_j" at K ≥ N_j(u) is true as long as u ≥ π. That is assumed of a `prior`, and proved, at the level
    `OBSERVING`·δ, of what is observed instead (`theory.observed_prior`), on S or on a reserved sample T that serves
    nothing else.

    References
    ----------
    Liu, Lee, Yu and Li, "Partially supervised classification of text documents", ICML 2002, Theorem 1.

    Examples
    --------
    Rare positives need few reveals, if it is known or observed that they are rare:

    >>> import activepu as apu
    >>> rare = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
    >>> expert = apu.SimulatedExpert(lambda X: X[:, 0] > 0.95, rate=0.5)
    >>> learners = [apu.PassivePU(apu.Thresholds(), 0.02, 0.1, prior) for prior in (1, None, 0.05)]
    >>> [apu.learn(learner, rare, expert).n_revealed for learner in learners]
    [129, 13, 6]
    """

    needs_continuity = True
    rests_on_chance = True
    when_dry = (
        "Part of the pool is kept to bound the share of positives, unless prior=… is given. A larger pool or a larger "
        "epsilon may help."
    )

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float, prior: float | None = None) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self.prior = None if prior is None else checks.rate("prior", prior)

    def _rungs(self, epsilon: float) -> list[tuple[float, float]]:
        """Return ε and its doublings, with their shares of δ."""
        return Ladder(epsilon, self.delta * (1 - OBSERVING if self.prior is None else 1)).rungs

    def _unlabeled(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return |S|; 0 for intersection-closed classes."""
        return max(passive_sizes(hypotheses, *rung, self.prior or 1.0)[1] for rung in self._rungs(epsilon))

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return |S| plus the rows that hold K positives on average if π equals its bound; a smaller π needs more."""
        u, n = self.prior or 1.0, self._unlabeled(hypotheses, epsilon)
        level, share = self._rungs(epsilon)[0]
        return math.ceil(passive_positives(hypotheses, level, n, share, u) / u) + n

    def steps(self, draws: Draws) -> Steps:
        """Run the algorithm; the notes of the class describe it."""
        H, rungs, u = draws.hypotheses, self._rungs(self.epsilon), self.prior or 1.0
        assumed = () if self.prior is None else (f"at most {self.prior:g} of the population is positive",)
        S = draws.unlabeled(self._unlabeled(H, self.epsilon), "the unlabeled sample")
        tally, V, items = Tally(), self.everything(draws), questions(draws, everywhere, "random")

        def positives() -> list[int]:
            return [passive_positives(H, level, len(S), share, u) for level, share in rungs]

        def report(V: VersionSpace) -> Report:
            certified = [level for (level, _), K in zip(rungs, needed, strict=True) if tally.revealed >= K]
            bound = min(certified, default=1.0)
            if not tally.revealed and H.intersection_closed:  # the rule lies inside ℓ
                bound = min(bound, u)
            enough = StopReason.POSITIVES_FOUND if tally.revealed else StopReason.TARGET
            reason = enough if tally.revealed >= needed[0] else StopReason.RUNNING
            certificate = self.certificate(draws, V, bound, SCAR, CONTINUOUS, *assumed)
            share = Bounds(0.0, u, 1 - OBSERVING * self.delta) if self.prior is None else None
            return Report(V, V.smallest(S), certificate, reason, prior=share, sample=S)

        needed = positives()
        looks = PriorLooks(H, needed[0], self.epsilon, OBSERVING * self.delta)
        T = S if self.prior is not None or len(S) else self._reserved(draws, looks.rows, needed[0])
        while tally.revealed < needed[0]:
            tally.wanted = min(needed[0], looks.after(tally.revealed)) if self.prior is None else needed[0]
            V = yield from ask_until(tally, items, "random", draws, V, report)
            if tally.revealed < needed[0]:
                u = min(u, looks.bound(tally.revealed, int(V.smallest(T).contains(T).sum()), len(T)))
                needed = positives()
        return report(V)

    def _reserved(self, draws: Draws, ideal: int, most: int) -> Points:
        """Draw T: at most half of the rows that need not be kept for questions."""
        rows = draws.remaining
        return draws.unlabeled(ideal if rows is None else min(ideal, max(0, rows - most) // 2), "the observed prior")
