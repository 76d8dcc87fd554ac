"""Z-CAL: learning through a Z-channel, with the likelihood version space.

A question is one use of a Z-channel: P(reveal at x | h) = ω·h(x). With Q_t the product of the predictions that were fixed
when each question was put, Q_t / L_t(ℓ, ω) is a nonnegative supermartingale for *any* adaptive questions. So by Ville,
with probability ≥ 1 − δ and for all t at once, ℓ is among what stands (`activepu.likelihood`):

    ℓ ∈ V_t = {h ⊇ R0 ∪ R : max_ω L_t(h, ω) ≥ δ·Q_t}.

    loop: if every h that stands is within ε of ĥ on the pool: return ĥ
          ask the item whose answer promises most (`learners.choice`); predict; fold the answers in the order of asking

Assumes ℓ ∈ H and one ω, or one per expert, for all items (SCAR); no continuity, no i.i.d. rows, no θ, no π. Everything
reported holds at every moment at once: the pool's error, its share of positives, and ω.

**The population.** A reserved sample T influences nothing but the report, or the stop. What stands at level δ/2 is kept
for it, and P(DIS) is bounded on T at δ/2 (Clopper–Pearson, for ε and its doublings: `theory.ladder`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator

import numpy as np

from activepu import checks
from activepu.certificate import Certificate, Scope
from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.hypotheses.closed import ClosedClass
from activepu.learners.base import IID, KNOWN, REVEALS, SCAR, Learner
from activepu.learners.choice import Choice, Open
from activepu.likelihood import Rates, Standing, standing
from activepu.pools import Draws
from activepu.posteriors import posterior
from activepu.records import Ask, Bounds, Gauges, Note, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.theory.ladder import Ladder
from activepu.version_spaces.radius import Ball, ball

STREAM = 20_000
"""Rows of an endless pool among which questions are chosen."""
SAMPLE = 4096
"""Rows that the posterior takes its ranks from."""


class ZCal(Learner):
    """Z-CAL. `rate` is None (unknown), a number, (low, high), or "per expert"; `false_reveal` bounds wrong reveals."""

    rests_on_chance = True
    when_dry = (
        "The positives have dried up: no further question can decide the items that are still undecided; each of them "
        "was asked and answered with silence."
    )

    def __init__(
        self,
        hypotheses: HypothesisClass,
        epsilon: float,
        delta: float,
        rate: float | tuple[float, float] | str | None = None,
        false_reveal: float = 0.0,
    ) -> None:
        super().__init__(hypotheses, epsilon, delta)
        self._rates = Rates.parse(rate)
        self.rate = rate
        self.false_reveal = checks.share("false_reveal", false_reveal)
        if false_reveal and isinstance(hypotheses, ClosedClass):
            raise InvalidInput(
                f"false_reveal = {false_reveal:g} needs a finite class or halfspaces, got {hypotheses!r}: a wrong reveal "
                "has no place in a closure; use FiniteClass, or false_reveal=0."
            )
        if self.false_reveal and self.false_reveal >= self._rates.high:
            raise InvalidInput(f"false_reveal must be below the reveal rate, got {false_reveal!r} and rate = {rate!r}.")

    def _reserved(self, rows: int) -> int:
        """The size of T: a tenth of the pool at most, and none if that could not certify ε."""
        size = min(rows // 10, math.ceil(32 / self.epsilon * math.log(2 / self.delta)))
        alpha = Ladder(self.epsilon, self.delta / 2).rungs[0][1]
        return size if size and binomial.upper(0, size, alpha) <= self.epsilon else 0

    def steps(self, draws: Draws) -> Steps:
        """See the module's head."""
        V, points = self.everything(draws), draws.table()
        endless = points is None
        if points is None:
            items = draws.unlabeled_items(STREAM, "the rows to choose from")
            points, T = draws.points(items), draws.unlabeled_items(self._reserved(10**9), "the reserved sample")
        else:
            items, T = np.arange(len(points)), draws.unlabeled_items(self._reserved(len(points)), "the reserved sample")
        barred = np.zeros(len(points), bool)
        if not endless:
            barred[T] = True
        place = {} if not endless else {int(item): k for k, item in enumerate(items)}
        level = self.delta / 2 if endless else self.delta
        here = standing(V, points, self._rates, level, self.false_reveal)
        there = standing(V, draws.points(T), self._rates, self.delta / 2, self.false_reveal) if len(T) else None
        free = np.flatnonzero(~barred)
        sample = points[free[:: -(-len(free) // SAMPLE)]]
        beliefs = posterior(draws.hypotheses, self._rates, sample, draws.positives, draws.seed, self.false_reveal)
        choice = Choice(points, barred, here, self.epsilon, draws.seed)
        experts: dict[Hashable, int] = {}
        waiting: list[Open] = []
        around: Ball | None = None
        n = len(points)

        def who(name: Hashable) -> int:
            return experts.setdefault(name, len(experts)) if self._rates.per_expert else 0

        def questions() -> Iterator[tuple[int, Note]]:
            while (found := choice.best(beliefs, group := who(draws.asking), waiting)) is not None:
                row, q = found
                item = int(items[row])
                barred[[place.get(int(twin), int(twin)) for twin in draws.twins(item)]] = True
                waiting.append(Open(item, points[[row]], group, q))
                yield item, Note("search", -1, q)

        def gauges() -> Gauges:
            return Gauges(here.undecided_share)

        def population() -> float:
            """A bound on P(DIS), which holds for all members that stand at level δ/2."""
            if there is None:
                return 1.0
            T = there
            return Ladder(self.epsilon, self.delta / 2).best(
                lambda bound, share: binomial.upper(T.n_undecided, len(T.status), share) <= bound
            )

        def report() -> Report:
            found = ball(here.version_space, points[here.undecided], near=around)
            wide = self._certificate(draws, here, population(), "population") if there is not None else None
            near = self._certificate(draws, here, found.radius / n, "pool")
            certificate = wide if endless and wide is not None else near
            return Report(
                here.version_space,
                found.center,
                certificate,
                StopReason.TARGET if certificate.error_bound <= self.epsilon else StopReason.RUNNING,
                rate=None if self._rates.per_expert else self._rate(here, 0),
                prior=self._prior(here, there, found) if endless else self._share(here, found),
                gauges=gauges(),
                population=None if endless else wide,
                rates={name: self._rate(here, g) for name, g in experts.items()} if self._rates.per_expert else None,
            )

        while True:
            if endless:
                done = population() <= self.epsilon
            else:
                enough = math.floor(self.epsilon * n + 1e-9)
                around = ball(here.version_space, points[here.undecided], enough, around)
                done = around.radius <= enough
            question = yield Ask(iter(()) if done else questions(), report, gauges(), done)
            x, q = draws.points([question.item]), question.note.prediction
            if q is None:
                raise InvalidInput(f"Question {question.number} has no prediction, so Z-CAL did not put it.")
            group = who(question.expert)
            waiting[:] = waiting[1 + next((k for k, w in enumerate(waiting) if w.number == question.item), -1) :]
            here.fold(x, question.revealed, q, group)
            if there is not None:
                there.fold(x, question.revealed, q, group)
            beliefs.fold(x, question.revealed, group)

    def _rate(self, here: Standing, group: int) -> Bounds:
        low, high = here.rate_bounds(group)
        revealed = here.revealed[group] if group < len(here.revealed) else 0
        inside = here.version_space.certain(here.stars) & (here.star_groups == group)
        guess = revealed / (revealed + np.count_nonzero(inside)) if revealed else None
        return Bounds(low, high, 1 - here.delta, None if guess is None else min(max(guess, low), high))

    def _share(self, here: Standing, found: Ball) -> Bounds:
        """π on the pool: no less than the certain positives; no more than the largest member."""
        n = max(1, len(here.status))
        most = found.radius if found.center == here.version_space.smallest(here.stars[:0]) else here.n_undecided
        return Bounds(here.positive_share, (here.n_positive + most) / n, 1 - here.delta)

    def _prior(self, here: Standing, there: Standing | None, found: Ball) -> Bounds | None:
        """π in the population: δ/2 for what stands, δ/4 for each side of it on T."""
        if there is None:
            return None
        n, share = len(there.status), self.delta / 4
        low = binomial.lower(there.n_positive, n, share)
        high = binomial.upper(there.n_positive + there.n_undecided, n, share)
        return Bounds(low, high, 1 - self.delta)

    def _certificate(self, draws: Draws, here: Standing, bound: float, scope: Scope) -> Certificate:
        wrong = f"an item that is not positive is revealed with probability {self.false_reveal:g} at most"
        assumed = [
            f"the truth is one of the {draws.hypotheses.plural}",
            wrong if self.false_reveal else REVEALS,
            self._assumed_rate,
        ]
        if scope == "population":
            assumed += [IID, *((KNOWN,) if len(draws.positives) else ())]
        return Certificate(min(1.0, bound), 1 - self.delta, scope, here.version_space.method, tuple(assumed))

    @property
    def _assumed_rate(self) -> str:
        rates = self._rates
        if rates.per_expert:
            return "each expert reveals a positive with a probability of his own whatever it is, independently of all others"
        if rates.known:
            return f"a positive is revealed with probability {rates.low:g} whatever it is, independently of all others"
        between = f", between {rates.low:g} and {rates.high:g}" if (rates.low, rates.high) != (0.0, 1.0) else ""
        return SCAR + between
