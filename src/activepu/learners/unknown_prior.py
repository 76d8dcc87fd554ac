"""Active PU learning when nothing is known, for every class: prune. It replaces the paper's Algorithm 3.

Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Theorem 5.5.
Assumes ℓ ∈ H, i.i.d. rows, independent coins and a continuous distribution. Needs neither π nor θ.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from activepu import checks
from activepu.errors import AssumptionsViolated, PoolExhausted
from activepu.hypotheses import Hypothesis, HypothesisClass, Points
from activepu.learners.base import CONTINUOUS, SCAR, Learner
from activepu.learners.phases import Passed, required, search
from activepu.learners.reserve import reserve, rows_needed
from activepu.learners.reveal_rate import measure_rate
from activepu.pools import Draws
from activepu.records import Ask, Bounds, Gauges, Report, Steps, StopReason
from activepu.theory import binomial, sharp
from activepu.theory.ladder import Ladder
from activepu.version_spaces import VersionSpace


class UnknownPrior(Learner):
    """Active PU learning without the share of positives π or the reveal rate ω; it bounds both.

    It measures ω, then asks random items on which the remaining hypotheses differ, and excludes hypotheses by reveals
    and by silence. The bound that it certifies for the error on the population (ε, once it is done) and its bounds on ω
    (`result.rate`) and π (`result.prior`) all hold with probability 1 − δ if

    - the truth is in the class,
    - an item that is revealed is truly positive,
    - a positive is revealed with the same unknown probability whatever it is, independently of all others,
    - no two items are exactly alike (a pool with repeated rows is refused),
    - the rows are independent draws, and the class was chosen without looking at them.

    With `Halfspaces` beyond the plane the hypotheses are sampled, and the certificate says that this is not a proof.
    The pool must be large: for ε = 0.1 some 5,000 to 15,000 rows, and 10,000 to 60,000 for finite classes and
    halfspaces. `ZCal` takes pools of any size.

    Parameters
    ----------
    hypotheses : HypothesisClass
        The rules that are considered.
    epsilon, delta : float
        The claim: error ≤ ε with probability 1 − δ.
    theta : float, optional
        Without effect: the algorithm measures what it used to take from the disagreement coefficient.

    Notes
    -----
    With R the revealed items, V the hypotheses that are still possible and DIS(V) the points on which they differ::

        ω_lo ← EstRate; V ← {h ⊇ R}; n ← the draws that EstRate has dealt with; looks n_1 < n_2 < …, fixed from here on
        loop: draw x ~ D; n ← n + 1; if x ∈ DIS(V): ask, and if it is revealed: V ← {h ∈ V : x ∈ h}
          at n = n_j:  b ← a_n/ω_lo, a_n the radius for n draws at α_j     (every h ∈ V then has P(ℓ \\ h) ≤ b)
            S fresh, m rows of D; h the smallest of V on the sample before; Q the (1−α)-quantile of Bin(m, b)
            f ← 0 for intersection-closed classes, else CP_hi(|h ∩ S| − min_V |g ∩ S| + Q, m)    (P(h \\ ℓ) ≤ f)
            V ← {g ∈ V : |g ∩ S| ≤ |h ∩ S| + Q}
            if b + f ≤ ε, or P(DIS V) ≤ ε on the reserved sample T: return h

    Why it is right, as long as the truth ℓ ∈ V:

    - P(ℓ \\ h) ≤ b. Let every draw x_t have its coin c_t, tossed even if nobody asks. R* = {x_t ∈ ℓ : c_t = 1, t ≤ n}
      lies in every h ∈ V: such an x_t was asked and required, or all of V had its label, that of ℓ. The pairs
      (x_t, c_t) are i.i.d., an h ⊇ R* is one whose set (ℓ \\ h) × {1}, of mass ωP(ℓ \\ h), no pair hit, and these sets
      have the growth function, and for intersection-closed classes the sides, of H: ωP(ℓ \\ h) ≤ a_n for all h ⊇ R*,
      except with probability α_j. The share of positives does not occur, and silence prunes as well as reveals do. The
      looks depend on ω_lo alone, that is on the coins of other rows: their n_j are as good as fixed beforehand. Only
      n_j and α_j enter, not what was revealed.
    - ℓ survives the cap. h was chosen before S was drawn, so |(ℓ \\ h) ∩ S| ~ Bin(m, ≤ b) is at most Q,
      except with probability α, and |ℓ ∩ S| ≤ |h ∩ S| + |(ℓ \\ h) ∩ S|. No uniform convergence is needed.
    - P(h \\ ℓ) ≤ f. |(h \\ ℓ) ∩ S| = |h ∩ S| − |ℓ ∩ S| + |(ℓ \\ h) ∩ S| ≤ |h ∩ S| − min_V |g ∩ S| + Q, and h \\ ℓ does
      not depend on S: Clopper–Pearson, except with probability α. A closure lies inside ℓ.
    - P(DIS V) on T: T influences nothing but the stop, one level suffices (`theory.ladder`).

    How δ is shared: 3/8 for ω, 3/8 for the looks (Σ α_j), 1/8 for all statements on S (four each: Q, f, π from both
    sides), 1/8 for T.

    References
    ----------
    Mansouri, Zilles and Ben-David, "Active learning from positive and unlabeled examples" (2026), Algorithm 3 and
    Theorem 5.5, which this replaces (`activepu.paper.UnknownPrior` is the printed one).

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((20_000, 1))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0.7, rate=0.5)
    >>> result = apu.learn(apu.UnknownPrior(apu.Thresholds(), 0.1, 0.1), X, expert)
    >>> result.certificate.error_bound <= 0.1
    True
    >>> result.rate.low <= 0.5 <= result.rate.high, result.prior.low <= 0.3 <= result.prior.high
    (True, True)
    """

    when_dry = "KnownPrior, with an upper bound of the share of positives, and PassivePU need fewer rows."
    needs_continuity = True
    rests_on_chance = True
    phases_depend = True

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float, theta: float | None = None) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self.theta = None if theta is None else checks.at_least("theta", theta, 1)

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return the size of the smallest reserved sample, plus the draws and samples of the looks if ω were 1."""
        return rows_needed(epsilon, self.delta / 8) + sharp.unknown_prior_rows(hypotheses, epsilon, self.delta)

    def steps(self, draws: Draws) -> Steps:
        """Run the algorithm; the notes of the class describe it."""
        H, epsilon = draws.hypotheses, self.epsilon
        T = reserve(draws, epsilon, self.delta / 8)
        ladder = Ladder(epsilon, self.delta / 8)
        successes = sharp.rate_successes(H, epsilon, 3 * self.delta / 8)
        V, rate, rows = yield from measure_rate(self, draws, self.everything(draws), 3 * self.delta / 8, successes)
        looks, passed = sharp.Looks(H, rate.low, epsilon, 3 * self.delta / 8), Passed("search", rows)
        learned = _Learned(draws, self.delta / 8, 1 - self.delta if V.method == "exact" else 0.0)

        dry = ""

        def report(V: VersionSpace) -> Report:
            T.update(V)
            region = ladder.best(lambda level, alpha: binomial.upper(T.n_undecided, len(T), alpha) <= level)
            hypothesis, bound = learned.best(V, region)
            reason = StopReason.TARGET if bound <= epsilon else dry or StopReason.RUNNING
            certificate = replace(self.certificate(draws, V, bound, SCAR, CONTINUOUS), abstains=region)
            return Report(V, hypothesis, certificate, reason, rate, learned.prior, gauges=gauges())

        def gauges() -> Gauges:
            return Gauges(T.undecided_share, learned.prior.high, learned.prior.low)

        def done(V: VersionSpace) -> bool:
            return report(V).certificate.error_bound <= epsilon

        def now() -> Report:
            return report(V)

        j = looks.first
        while not done(V) and not dry:
            while looks.n(j + 1) <= passed.rows:
                j += 1
            V = yield from search(passed, looks.n(j), f"{j - looks.first}", draws, V, report, done, gauges)
            if passed.rows >= looks.n(j) and not done(V):
                learned.missed = min(learned.missed, looks.missed(j))
                try:
                    V = learned.look(V)
                except PoolExhausted as end:
                    dry = str(end)
                j += 1

        while True:  # answers to questions that are still open
            question = yield Ask(iter(()), now, gauges(), done=True)
            before, V = V, required(V, question, draws)
            if V is not before and not done(V):  # the rule may have left V: measure another one if rows are left
                with suppress(PoolExhausted):
                    V = learned.look(V)


class _Learned:
    """What the looks of one run have shown: b with P(ℓ \\ h) ≤ b for all h ∈ V, a rule and its error, bounds on π.

    The i-th look has the level δ/((i+1)(i+2)), in four equal parts.
    """

    def __init__(self, draws: Draws, delta: float, confidence: float) -> None:
        self.missed = 1.0
        self.prior = Bounds(0.0, 1.0, confidence)
        self._draws, self._delta, self._looks = draws, delta, 0
        self._closed = draws.hypotheses.intersection_closed
        self._before = draws.unlabeled(sharp.capped_rows(draws.hypotheses, 1.0), "the first sample")
        self._error = 1.0
        self._rule: Hypothesis | None = None

    def look(self, V: VersionSpace) -> VersionSpace:
        """Measure the smallest h of V on a fresh sample S, and return V capped on S."""
        b, alpha = self.missed, self._delta / (4 * (self._looks + 1) * (self._looks + 2))
        m = sharp.capped_rows(self._draws.hypotheses, b)
        S = self._draws.unlabeled(m, "the fresh sample S")
        h = V.smallest(self._before)
        undecided = S[V.disagrees(S)]  # all of V agrees about the others
        held = _count(h, undecided)
        Q = binomial.quantile(m, b, 1 - alpha)
        f = 0.0
        if not self._closed:
            excess = held - _count(V.smallest(undecided), undecided)
            f = binomial.upper(min(m, excess + Q), m, alpha)
        if b + f <= self._error or not self._possible(V):
            self._error, self._rule = b + f, h
        self._bound_prior(_count(h, S), m, alpha, f)
        self._before, self._looks = S, self._looks + 1
        return V.cap_mass(undecided, held + Q)

    def best(self, V: VersionSpace, region: float) -> tuple[Hypothesis, float]:
        """Return a member of V and a bound on its error; `region` bounds P(DIS V), and so the error of every member.

        What a look shows is about one rule, which a later reveal may exclude; a closure may grow.
        """
        if self._error <= region and self._possible(V):
            assert self._rule is not None
            return V.smallest(self._before) if self._closed else self._rule, self._error
        return V.smallest(self._before), region

    def _possible(self, V: VersionSpace) -> bool:
        """Whether the measured rule is still in V, or is a closure, which only grows."""
        return self._rule is not None and (self._closed or V.allows(self._rule))

    def _bound_prior(self, count: int, m: int, alpha: float, f: float) -> None:
        """Bound π = P(h) − P(h \\ ℓ) + P(ℓ \\ h)."""
        low = max(self.prior.low, binomial.lower(count, m, alpha) - f)
        high = min(self.prior.high, binomial.upper(count, m, alpha) + self.missed)
        if low > high:
            raise AssumptionsViolated(
                f"The measured bounds contradict each other: the share of positives would be at least {low:.3f} and at "
                f"most {high:.3f}; the class '{self._draws.hypotheses.name}' may not contain the truth, the rows are "
                "not independent, or the sample was unlucky (the delta of the certificate)."
            )
        self.prior = Bounds(low, high, self.prior.confidence, (low + high) / 2)


def _count(h: Hypothesis, points: Points) -> int:
    return int(h.contains(points).sum())
