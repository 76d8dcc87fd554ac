"""EstRate for intersection-closed classes: bounds on the reveal rate ω (the sharp form of the paper's Algorithm 2).

Assumes ℓ ∈ H and independent coins. No constants, no θ, no π: O((d + ln 1/δ)/(πω)) questions.

    ask x ~ D until K0 are revealed                       (their closure then covers about half of the positives)
    C ← closure(revealed); ask fresh x ~ D with x ∈ C until T are revealed, in n questions
    return the Clopper–Pearson bounds of ω from T successes in n trials (inverse binomial sampling, exact)

Why it is right: C ⊆ ℓ, so that every x ∈ C is positive and every answer in the second part is one coin of bias ω. K0
affects only the cost. Repeated rows are harmless, because rows that share a coin are asked once.
"""

from __future__ import annotations

from collections.abc import Generator

from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import SCAR, Learner, questions
from activepu.learners.phases import Tally, ask_until
from activepu.pools import Draws, everywhere
from activepu.records import Ask, Bounds, Question, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.theory.sharp import estimate_rate_sizes
from activepu.version_spaces import VersionSpace


class RevealRate(Learner):
    """Asks until ω is known within a factor of two either way; `result.rate` holds the bounds."""

    rests_on_chance = True
    phases_depend = True

    def __init__(self, hypotheses: HypothesisClass, delta: float) -> None:
        super().__init__(hypotheses, 0.5, delta)
        if not hypotheses.intersection_closed:
            raise InvalidInput(
                f"estimate_rate needs an intersection-closed class, got {hypotheses.name}; "
                "use activepu.paper.estimate_rate, which takes any class."
            )

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        V, rate = yield from measure_rate(self, draws, self.everything(draws), self.delta)
        return _report(self, draws, V, StopReason.RATE_FOUND, rate)


def measure_rate(
    learner: Learner, draws: Draws, V: VersionSpace, delta: float, sharper: int = 1
) -> Generator[Ask, Question, tuple[VersionSpace, Bounds]]:
    """The algorithm as a part of another: returns V with every reveal required, and the bounds on ω.

    `sharper` multiplies T: the bounds close in on ω like 1/√T.
    """
    wanted, successes = estimate_rate_sizes(draws.hypotheses, delta, sharper)

    rate: Bounds | None = None

    def report(V: VersionSpace) -> Report:
        return _report(learner, draws, V, StopReason.RUNNING, rate)

    items = questions(draws, everywhere, "find positives")
    V = yield from ask_until(Tally(wanted), items, "find positives", draws, V, report)
    coins = Tally(successes)
    items = questions(draws, V.certain, "measure rate")
    V = yield from ask_until(coins, items, "measure rate", draws, V, report)
    low, high = binomial.bounds_at_success(coins.revealed, coins.trials, delta / 2)
    rate = Bounds(low, high, 1 - delta, estimate=coins.revealed / coins.trials)  # reported even if the pool ends now
    return V, rate


def _report(learner: Learner, draws: Draws, V: VersionSpace, reason: str, rate: Bounds | None = None) -> Report:
    hypothesis = V.smallest(draws.positives)
    return Report(V, hypothesis, learner.certificate(draws, V, 1.0, SCAR), reason, rate)
