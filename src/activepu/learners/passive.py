"""Passive PU learning: the baseline that asks at random.

Liu, Lee, Yu and Li, "Partially supervised classification of text documents", ICML 2002, Theorem 1.

Assumes ℓ ∈ H, i.i.d. rows and a continuous distribution (the revealed rows are then an i.i.d. sample of the positives).

    ask x ~ D until K are revealed; V ← {h ⊇ R}; S fresh; return the h ∈ V with the fewest rows of S

K and |S| are computed (`theory.radii.passive_sizes`): for intersection-closed classes the closure of K positives errs
by at most its radius and no S is needed. ε and its doublings share δ (`theory.ladder`): K positives serve all of them.
"""

from __future__ import annotations

from activepu.hypotheses import HypothesisClass
from activepu.learners.base import CONTINUOUS, SCAR, Learner, questions
from activepu.learners.phases import Tally, ask_until
from activepu.pools import Draws, everywhere
from activepu.records import Report, Steps, StopReason
from activepu.theory.ladder import Ladder
from activepu.theory.radii import passive_sizes
from activepu.version_spaces import VersionSpace


class PassivePU(Learner):
    """Random questions until enough positives are known."""

    needs_continuity = True
    rests_on_chance = True

    def _sizes(self, hypotheses: HypothesisClass, epsilon: float) -> list[tuple[float, int, int]]:
        """ε_j, K and |S| for ε and its doublings."""
        rungs = Ladder(epsilon, self.delta).rungs
        return [(level, *passive_sizes(hypotheses, level, share)) for level, share in rungs]

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """K questions if every one is answered with a reveal, and S."""
        sizes = self._sizes(hypotheses, epsilon)
        return sizes[0][1] + max(n for _, _, n in sizes)

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        sizes = self._sizes(draws.hypotheses, self.epsilon)
        S = draws.unlabeled(max(n for _, _, n in sizes), "the unlabeled sample")
        tally = Tally(max(sizes[0][1], 1))

        def report(V: VersionSpace) -> Report:
            bound = min((level for level, needed, _ in sizes if tally.revealed >= needed), default=1.0)
            reason = StopReason.POSITIVES_FOUND if tally.enough else StopReason.RUNNING
            return Report(V, V.smallest(S), self.certificate(draws, V, bound, SCAR, CONTINUOUS), reason, sample=S)

        items = questions(draws, everywhere, "random")
        V = yield from ask_until(tally, items, "random", draws, self.everything(draws), report)
        return report(V)
