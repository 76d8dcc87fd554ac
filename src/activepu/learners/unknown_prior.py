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
from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.learners.base import CONTINUOUS, SCAR, Learner, questions
from activepu.learners.phases import Tally, ask_until
from activepu.learners.reveal_rate import measure_rate
from activepu.learners.unknown_prior_general import RADIUS, general_steps
from activepu.pools import Draws
from activepu.records import Bounds, Gauges, Report, Steps, StopReason
from activepu.theory import binomial, sharp
from activepu.theory.deviations import uniform_sample_size
from activepu.theory.radii import closure_radius, positives_for_radius
from activepu.theory.rate_test import RateTest
from activepu.version_spaces import VersionSpace


class UnknownPrior(Learner):
    """Algorithm 3S. `theta` only for classes that are not intersection-closed: an upper bound, or nothing holds."""

    when_dry = "KnownPrior, with an upper bound of the share of positives, and PassivePU need far fewer rows."
    needs_continuity = True
    rests_on_chance = True
    phases_depend = True

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float, theta: float | None = None) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self.theta = None if theta is None else checks.at_least("theta", theta, 1)
        if theta is None and not hypotheses.intersection_closed:
            raise InvalidInput(
                f"UnknownPrior needs theta for {hypotheses.name}, which are not intersection-closed; pass an upper "
                "bound of the disagreement coefficient (theory.estimate_coefficient finds one for finite classes), or "
                "use KnownPrior."
            )

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """S1 and the fresh samples T of ⌈log2 1/ε⌉ halvings of u − b; what is asked comes on top."""
        rounds = range(math.ceil(math.log2(1 / epsilon)) + 1)
        if hypotheses.intersection_closed:
            return sum(sharp.fresh_items(i, epsilon, self.delta) for i in [0, *rounds])
        S1 = uniform_sample_size(hypotheses, epsilon / 34, self.delta / 8)
        return S1 + sum(sharp.fresh_items_general(i, epsilon, self.delta) for i in rounds)

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        H = draws.hypotheses
        if not H.intersection_closed:
            assert self.theta is not None
            return (yield from general_steps(self, draws, self.theta))

        V, rate = yield from measure_rate(self, draws, self.everything(draws), self.delta / 8, sharp.SHARPER)
        S1 = draws.unlabeled(sharp.fresh_items(0, self.epsilon, self.delta), "the sample S1")
        u, b, region, i = 1.0, 0.0, 1.0, 0

        def gauges() -> Gauges:
            return Gauges(region, u, b)

        def report(V: VersionSpace) -> Report:
            bound = min(u - b, region)
            reason = StopReason.TARGET if bound <= self.epsilon else StopReason.RUNNING
            prior = Bounds(b, u, 1 - self.delta, (u + b) / 2)
            certificate = self.certificate(draws, V, bound, SCAR, CONTINUOUS)
            return Report(V, V.smallest(S1), certificate, reason, rate, prior, gauges=gauges())

        while True:
            alpha = sharp.level(i, self.delta)
            T = draws.unlabeled(sharp.fresh_items(i, self.epsilon, self.delta), "the fresh sample T")
            closed, open_ = int(V.certain(T).sum()), int(V.disagrees(T).sum())
            b = max(b, binomial.lower(closed, len(T), alpha))
            beta = binomial.upper(closed, len(T), alpha)
            region = min(region, binomial.upper(open_, len(T), alpha))
            u = min(u, beta + region)
            if u < b or b > beta:
                raise AssumptionsViolated(
                    f"The measured bounds contradict each other: the share of positives would be at least {b:.3f} and "
                    f"at most {u:.3f}; the class '{H.name}' may not contain the truth, the rows are not "
                    f"independent, or chance was unkind (probability at most {self.delta:g})."
                )
            if min(u - b, region) <= self.epsilon:
                return report(V)

            frozen, m = V, (u + b) / 2  # m > β_hi, because β_hi − b ≤ ε/4 and u − b > ε
            test = RateTest(min(1.0, rate.low * (m - beta) / region), alpha)
            K = positives_for_radius(H, RADIUS, alpha)
            phase = f"search {i}"
            items = questions(draws, frozen.disagrees, phase)
            V = yield from ask_until(Tally(K, test), items, phase, draws, V, report, gauges())
            if test.rejects:
                u = m
                V = V.cap_mass(S1, binomial.quantile(len(S1), u, 1 - alpha))
            else:
                S2 = draws.unlabeled_in(frozen.disagrees, 4 * K, "the fresh sample S2")
                slack = binomial.quantile(len(S2), min(1.0, closure_radius(H, K, alpha)), 1 - alpha)
                V = V.cap_mass(S2, int(V.certain(S2).sum()) + slack)
            i += 1
