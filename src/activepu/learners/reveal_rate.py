"""EstRate: bounds on the reveal rate ω, for any class (the sharp form of the paper's Algorithm 2).

Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Theorem 5.3.
Assumes ℓ ∈ H and independent coins. `RevealRate` describes it; `measure_rate` is its use within another algorithm.
"""

from __future__ import annotations

from collections.abc import Generator

from activepu.hypotheses import HypothesisClass
from activepu.learners.base import SCAR, Learner, questions
from activepu.learners.phases import Passed, Tally, ask_until, search
from activepu.pools import Draws
from activepu.records import Ask, Bounds, Question, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.version_spaces import VersionSpace

FIRST_LOOK = 8
"""C is measured for the first time after this many rows, and then at every doubling."""

COUNTED = "the sample on which certain positives are counted"


class RevealRate(Learner):
    """Bounds on the reveal rate ω: asks until it is known within a factor of two either way.

    `result.rate` has the bounds; no error is certified. With probability 1 − δ they hold if

    - the truth is in the class,
    - an item that is revealed is truly positive,
    - a positive is revealed with the same unknown probability whatever it is, independently of all others.

    It needs neither the share of positives nor the disagreement coefficient. Repeated rows are harmless, because rows
    that share a coin are asked once.

    Parameters
    ----------
    hypotheses : HypothesisClass
        A class that contains the truth.
    delta : float
        The probability with which the bounds may be wrong.

    See Also
    --------
    estimate_rate : The same in one call.

    Notes
    -----
    With V the hypotheses that contain all reveals::

        V ← H; draw x ~ D, and ask where V is undecided; a reveal: V ← {h ∈ V : x ∈ h}
        until C = ∩V, the points that lie in every h ∈ V, holds its share of a fresh unlabeled sample
        ask fresh x ~ D with x ∈ C until T are revealed, in n questions
        return the Clopper–Pearson bounds of ω from T successes in n trials (inverse binomial sampling, exact)

    Why it is right: the truth ℓ contains every revealed item, so ℓ ∈ V and C ⊆ ℓ, whatever the class. So every x ∈ C is
    positive, and every answer in the second part is one coin of bias ω. When the first part ends affects only the cost.
    For intersection-closed classes C is the closure of the reveals; for halfspaces it contains their convex hull. If V
    is only sampled (halfspaces beyond the plane), C may be too large: the bounds then have confidence 0.

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Algorithm 2 and
    Theorem 5.3, of which this is a sharper form (`activepu.paper.EstRate` is the printed one).

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.random.default_rng(0).random(2000)
    >>> result = apu.learn(apu.RevealRate(apu.Thresholds(), delta=0.1), x, apu.SimulatedExpert(x > 0.5, rate=0.6))
    >>> result.rate.low < 0.6 < result.rate.high, result.rate.confidence
    (True, 0.9)
    """

    rests_on_chance = True
    phases_depend = True

    def __init__(self, hypotheses: HypothesisClass, delta: float) -> None:
        super().__init__(hypotheses, 0.5, delta)

    def steps(self, draws: Draws) -> Steps:
        """Run EstRate; the notes of the class describe it."""
        successes = binomial.successes_for_factor_two(self.delta)
        V, rate, _ = yield from measure_rate(self, draws, self.everything(draws), self.delta, successes)
        return _report(self, draws, V, StopReason.RATE_FOUND, rate)


def measure_rate(
    learner: Learner, draws: Draws, V: VersionSpace, delta: float, successes: int
) -> Generator[Ask, Question, tuple[VersionSpace, Bounds, int]]:
    """Run EstRate as a part of another algorithm, with T = `successes`.

    Returns the hypotheses of V that contain every reveal, the bounds on ω, and how many draws of D the first part dealt
    with: each of them was asked, or every h ∈ V has the same label there (`phases.Passed`).
    """
    rate: Bounds | None = None

    def report(V: VersionSpace) -> Report:
        return _report(learner, draws, V, StopReason.RUNNING, rate)

    found, wanted = Passed("find"), FIRST_LOOK
    S = draws.unlabeled(8 * wanted, COUNTED)

    def decided(V: VersionSpace) -> bool:
        return not V.disagrees(S).any()

    while True:
        V = yield from search(found, wanted, "positives", draws, V, report, decided)
        S = draws.unlabeled(8 * wanted, COUNTED)
        if V.certain(S).mean() >= max(1, found.revealed) / max(1, found.rows) / 2:
            break
        wanted *= 2

    coins = Tally(successes)
    items = questions(draws, V.certain, "measure rate")
    V = yield from ask_until(coins, items, "measure rate", draws, V, report)
    low, high = binomial.bounds_at_success(coins.revealed, coins.trials, delta / 2)
    confidence = 1 - delta if V.method == "exact" else 0.0
    rate = Bounds(low, high, confidence, estimate=coins.revealed / coins.trials)  # reported even if the pool ends now
    return V, rate, found.rows


def _report(learner: Learner, draws: Draws, V: VersionSpace, reason: str, rate: Bounds | None = None) -> Report:
    hypothesis = V.smallest(draws.positives)
    return Report(V, hypothesis, learner.certificate(draws, V, 1.0, SCAR), reason, rate)
