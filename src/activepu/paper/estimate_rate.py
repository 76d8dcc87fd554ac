"""Algorithm 2, EstRate: the reveal rate ω within a factor of two either way, for any class; as printed, repaired.

Mansouri, Zilles and Ben-David (2026), Theorem 5.3: ω/2 ≤ EstRate(H, δ) ≤ 2ω with probability ≥ 1 − δ, after
O(θ(d ln(θ/π) + ln(1/δ))/(π²ω)) questions. Assumes ℓ ∈ H, i.i.d. rows and a continuous distribution.

    for i = 0, 1, …:  δ_i = δ/((i+1)(i+2))
      U ← 2^i draws, ask them all, R ← the revealed; V ← {h ⊇ R}
      S ← 2^i draws; h* ← argmin_{h ∈ V} |h ∩ S|; γ ← (M1+M2)(d ln(2|R|/d) + ln(4/δ_i))/|R|
      V′ ← V ∩ B̂_S(h*, 3γ), or V if |R| < d or 3γ ≥ 1
      P ← {x ∈ S : every h ∈ V′ contains x}; ask P, r ← the number of reveals
      if r ≥ 8 ln(8/δ): return r/|P|

Why it is right: if ℓ ∈ V′ then P ⊆ ℓ, and its answers are coins of bias ω that nothing before has seen: r given P is
Bin(|P|, ω). For intersection-closed classes P lies in the closure of R, so in ℓ surely, whatever M1 and M2 are.

`analysis="theta"` runs another algorithm, which needs a factor 1/π less: `estimate_rate_theta`.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any

from activepu.experts import Expert
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import CONTINUOUS, SCAR
from activepu.learners.phases import Tally, ask_until
from activepu.paper.base import LIMIT, TOO_MANY, Analysis, Constants, PaperLearner, first
from activepu.paper.estimate_rate_theta import estimate_theta
from activepu.pools import Draws, Source, everywhere
from activepu.records import Ask, Bounds, Note, Question, Report, Steps, StopReason
from activepu.run import learn
from activepu.theory import budgets
from activepu.version_spaces import VersionSpace


class EstRate(PaperLearner):
    """Algorithm 2 of the paper as a learner: the reveal rate ω within a factor of two either way.

    `result.rate` holds r/|P| and the factor of two around it, or is None if the limit came first. The bounds are false
    with probability ≤ δ. They assume ℓ ∈ H, i.i.d. rows without repeats and one reveal rate for all positives (SCAR);
    for classes that are not intersection-closed also that M1 and M2 are large enough, which `rate.confidence` = 0 says.

    Parameters
    ----------
    hypotheses : HypothesisClass
        H.
    delta : float
        The probability that the bounds are false.
    constants : Constants
        M1 and M2 set the radii of the balls.
    limit : int
        The most questions, and rows of a sample. It never halts by itself if πω = 0.
    analysis : {"printed", "theta"}
        "theta" runs Theorem C's form of it, which is proved for every class with computed constants.

    Examples
    --------
    >>> import activepu as apu
    >>> sampler = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
    >>> expert = apu.SimulatedExpert(lambda X: X[:, 0] >= 0.7, rate=0.5)
    >>> result = apu.learn(apu.paper.EstRate(apu.Thresholds(), 0.1), sampler, expert, batch=64)
    >>> result.rate.low <= 0.5 <= result.rate.high
    True

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026),
    Algorithm 2 and Theorem 5.3.
    """

    algorithm = "Algorithm 2"
    instead = "activepu.estimate_rate"

    def __init__(
        self,
        hypotheses: HypothesisClass,
        delta: float,
        constants: budgets.Constants = Constants(),  # noqa: B008 (frozen)
        limit: int = LIMIT,
        analysis: Analysis = "printed",
    ) -> None:
        super().__init__(hypotheses, 0.5, delta, constants, limit, analysis)

    def steps(self, draws: Draws) -> Steps:
        """Run the algorithm at the head of this module."""
        algorithm = estimate_theta if self.analysis == "theta" else estimate
        V, rate = yield from algorithm(self, draws, self.everything(draws), self.delta)
        reason = StopReason.RATE_FOUND if rate else TOO_MANY
        return Report(V, V.smallest(draws.positives), self.claim(draws, V, 1.0, True, SCAR, CONTINUOUS), reason, rate)


def estimate(
    learner: PaperLearner, draws: Draws, V: VersionSpace, delta: float
) -> Generator[Ask, Question, tuple[VersionSpace, Bounds | None]]:
    """Run the algorithm as a part of another one.

    It returns V with every reveal required, and ω̂, or None if the limit came first.
    """
    d = draws.hypotheses.vc_dimension
    asked = i = 0

    def report(V: VersionSpace) -> Report:
        return learner.nothing_yet(draws, V)

    while asked + 2 ** (i + 1) <= learner.limit:  # it never halts if πω = 0 (R7)
        n, phase = 2**i, f"EstRate U {i}"
        R = Tally(most=n)
        V = yield from ask_until(R, first(draws, everywhere, n, phase), phase, draws, V, report)

        items = draws.unlabeled_items(n, "the sample S of EstRate")
        S = draws.points(items)
        level = budgets.estimate_rate_level(i, delta)  # a level per round, as the halting round is random (R2)
        gamma = budgets.estimate_rate_radius(d, R.revealed, level, learner.constants)  # ∞ if |R| < d (R1)
        ball = V if 3 * gamma >= 1 else V.cap_distance(V.smallest(S), S, math.floor(3 * gamma * n))
        P = items[ball.certain(S)]  # raises if no hypothesis is left, rather than taking all of S (R1)

        phase = f"EstRate P {i}"
        notes = ((int(item), Note(phase, -1)) for item in P)  # S came from the back of the row order: no position
        coins = Tally(most=len(P))
        V = yield from ask_until(coins, notes, phase, draws, V, report)  # earlier reveals stay required
        r, asked, i = coins.revealed, asked + n + len(P), i + 1
        if r >= budgets.estimate_rate_successes(delta):
            rate = r / len(P)
            # In an intersection-closed class P lies in the closure of reveals, whatever M1 and M2 are.
            confidence = 1 - delta if draws.hypotheses.intersection_closed else 0.0
            return V, Bounds(rate / 2, min(1.0, 2 * rate), confidence, rate)
    return V, None


def estimate_rate(
    hypotheses: HypothesisClass,
    pool: Source | Any,
    expert: Expert,
    delta: float,
    constants: budgets.Constants = Constants(),  # noqa: B008 (frozen)
    budget: int | None = None,
    seed: int = 0,
    limit: int = LIMIT,
    analysis: Analysis = "printed",
) -> Bounds:
    """Estimate the reveal rate of an expert by Algorithm 2 of the paper, EstRate(H, δ).

    It assumes what `EstRate` assumes. `activepu.estimate_rate` needs far fewer questions.

    Parameters
    ----------
    hypotheses : HypothesisClass
        H, which must contain the truth.
    pool : Pool, Sampler or table
        Where items come from.
    expert : Expert
        Who answers.
    delta : float
        The probability that the bounds are false.
    constants : Constants
        M1 and M2 set the radii of the balls.
    budget : int, optional
        The most questions that may be asked.
    seed : int
        The order of the rows.
    limit : int
        The most questions, and rows of a sample, whatever the budget is.
    analysis : {"printed", "theta"}
        "theta" runs Theorem C's form of it.

    Returns
    -------
    Bounds
        Within a factor of two of r/|P|; 0 to 1 if the budget or the limit ended it first.

    Examples
    --------
    >>> import activepu as apu
    >>> sampler = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
    >>> expert = apu.SimulatedExpert(lambda X: X[:, 0] >= 0.7, rate=0.5)
    >>> rate = apu.paper.estimate_rate(apu.Thresholds(), sampler, expert, 0.1, analysis="theta")
    >>> rate.low <= 0.5 <= rate.high
    True

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026),
    Algorithm 2 and Theorem 5.3.
    """
    learner = EstRate(hypotheses, delta, constants, limit, analysis)
    rate = learn(learner, pool, expert, seed=seed, budget=budget).rate
    return rate or Bounds(0.0, 1.0, 1 - delta)
