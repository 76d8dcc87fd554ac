"""Active PU learning when nothing is known: Algorithm 3S, the sharp form of the paper's Algorithm 3.

This file: intersection-closed classes, free of θ. Other classes need θ: `unknown_prior_general`.
Assumes ℓ ∈ H, i.i.d. rows and a continuous distribution. Measures on fresh samples what the paper bounds through θ.

    ω_lo, R ← EstRate(δ/8); V ← {h ⊇ R}; S1 one sample; u ← 1, b ← 0; α_i = δ/(8(i+1)(i+2)); for i = 0, 1, …
      T fresh: b, β_hi bound P(closure), Δ_hi bounds P(DIS V), each at α_i; u ← min(u, β_hi + Δ_hi)
      if u − b ≤ ε or Δ_hi ≤ ε: return the closure
      m = (u+b)/2; test the rate of reveals in the frozen DIS(V) against ρ0 = ω_lo (m − β_hi)/Δ_hi
      ask x ~ D | DIS until K are revealed (PRUNE) or the test rejects (CUT)
      CUT:   u ← m; V ← {h ⊇ R : |h ∩ S1| ≤ the (1−α_i)-quantile of Bin(|S1|, u)}
      PRUNE: V ← {h ⊇ R : |h ∩ S2| ≤ |closure ∩ S2| + the (1−α_i)-quantile of Bin(|S2|, a_K)}, S2 fresh from DIS

Why it is right: the closure lies inside ℓ and errs by π − P(closure) ≤ u − b. If π ≥ m, the rate of reveals in DIS is
ω(π − β)/Δ ≥ ρ0, and Ville bounds a wrong CUT by α_i. K positives of D | DIS ∩ ℓ leave at most a_K of D | DIS outside
their closure, but for α_i. At most 7 α_i per round, Σ α_i = δ/8, and δ/8 for ω: δ in all.
"""

from __future__ import annotations

import math

from activepu import checks
from activepu.errors import AssumptionsViolated, InvalidInput, PoolTooSmall
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import SCAR, Learner, questions
from activepu.learners.reveal_rate import measure_rate
from activepu.learners.unknown_prior_general import general_steps
from activepu.pools import Draws, Source
from activepu.records import Ask, Bounds, Gauges, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.theory.radii import closure_radius, positives_for_radius
from activepu.theory.rate_test import RateTest

SHARPER = 4
"""A CUT needs some 1/ω_lo questions, so that a sharper ω_lo than EstRate's factor of two pays for itself."""

RADIUS = 0.75
"""a_K of PRUNE. Few positives are enough to let the closure grow and to measure again; CUT makes the progress."""

CONTINUOUS = "no two items are exactly alike"


class UnknownPrior(Learner):
    """Algorithm 3S. `theta` only for classes that are not intersection-closed: an upper bound, or nothing holds."""

    needs_continuity = True
    phases_depend = True

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float, theta: float | None = None) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self.theta = None if theta is None else checks.at_least("theta", theta, 1)
        if theta is None and not hypotheses.intersection_closed:
            raise InvalidInput(
                f"UnknownPrior needs theta for {hypotheses.name}, which are not intersection-closed; pass an upper "
                "bound of the disagreement coefficient (theory.estimate_coefficient gives one), or use KnownPrior."
            )

    def level(self, i: int) -> float:
        """α_i."""
        return self.delta / (8 * (i + 1) * (i + 2))

    def rows_to_measure(self, i: int, epsilon: float) -> int:
        """|T|: then β_hi − b ≤ ε/4."""
        return math.ceil(32 * math.log(1 / self.level(i)) / epsilon**2)

    def check(self, source: Source, draws: Draws) -> None:
        """Also refuses a pool that cannot feed the fresh samples of ⌈log2 1/ε⌉ halvings of u − b."""
        super().check(source, draws)
        if draws.remaining is None:
            return

        def needed(epsilon: float) -> int:
            return sum(self.rows_to_measure(i, epsilon) for i in [0, *range(math.ceil(math.log2(1 / epsilon)) + 1)])

        if needed(self.epsilon) > draws.remaining:
            supported = next((e / 100 for e in range(1, 100) if needed(e / 100) <= draws.remaining), None)
            raise PoolTooSmall(
                f"UnknownPrior uses each row once and needs at least {needed(self.epsilon):,} of them for epsilon = "
                f"{self.epsilon:g}, but the pool has {draws.remaining:,}; "
                + (f"they support epsilon = {supported:g} or more" if supported else "no epsilon is in reach")
                + ", or use KnownPrior with an upper bound of the share of positives."
            )

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        H = draws.hypotheses
        if not H.intersection_closed:
            assert self.theta is not None
            return (yield from general_steps(self, draws, self.theta))

        V, rate = yield from measure_rate(self, draws, self.everything(draws), self.delta / 8, SHARPER)
        S1 = draws.unlabeled(self.rows_to_measure(0, self.epsilon), "the sample S1")
        u, b, region, i = 1.0, 0.0, 1.0, 0

        def report() -> Report:
            bound = min(u - b, region)
            reason = StopReason.TARGET if bound <= self.epsilon else StopReason.RUNNING
            prior = Bounds(b, u, 1 - self.delta, (u + b) / 2)
            certificate = self.certificate(draws, V, bound, SCAR, CONTINUOUS)
            return Report(V, V.smallest(S1), certificate, reason, rate, prior)

        while True:
            alpha = self.level(i)
            T = draws.unlabeled(self.rows_to_measure(i, self.epsilon), "the fresh sample T")
            closed, open_ = int(V.certain(T).sum()), int(V.disagrees(T).sum())
            b = max(b, binomial.lower(closed, len(T), alpha))
            beta = binomial.upper(closed, len(T), alpha)
            region = min(region, binomial.upper(open_, len(T), alpha))
            u = min(u, beta + region)
            if u < b or b > beta:
                raise AssumptionsViolated(
                    f"The measured bounds contradict each other: the share of positives would be at least {b:.3f} and "
                    f"at most {u:.3f}; the class '{H.name}' may not contain the truth, or the rows are not independent."
                )
            if min(u - b, region) <= self.epsilon:
                return report()

            frozen, phase, m = V, f"search {i}", (u + b) / 2  # m > β_hi, because β_hi − b ≤ ε/4 and u − b > ε
            test = RateTest(min(1.0, rate.low * (m - beta) / region), alpha)
            K = positives_for_radius(H, RADIUS, alpha)
            found = 0
            items = questions(draws, frozen.disagrees, phase)
            while found < K and not test.rejects:
                question = yield Ask(items, report, Gauges(region, u, b))
                if question.revealed:
                    V = V.require(draws.points([question.item]))
                if question.note.phase == phase:
                    found += question.revealed
                    test.update(question.revealed)
            if test.rejects:
                u = m
                V = V.cap_mass(S1, binomial.quantile(len(S1), u, 1 - alpha))
            else:
                S2 = draws.unlabeled_in(frozen.disagrees, 4 * K, "the fresh sample S2")
                slack = binomial.quantile(len(S2), min(1.0, closure_radius(H, K, alpha)), 1 - alpha)
                V = V.cap_mass(S2, int(V.certain(S2).sum()) + slack)
            i += 1
