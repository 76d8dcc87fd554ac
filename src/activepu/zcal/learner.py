"""Z-CAL: learning through a Z-channel, with the likelihood version space.

A question is one use of a Z-channel: P(reveal at x | h) = ω·h(x). With Q_t the product of the predictions that were
fixed when each question was put, Q_t / L_t(ℓ, ω) is a nonnegative supermartingale for *any* adaptive questions. So by
Ville, with probability ≥ 1 − δ and for all t at once, ℓ is among what stands (`activepu.zcal.confidence`):

    ℓ ∈ V_t = {h ⊇ R0 ∪ R : max_ω L_t(h, ω) ≥ δ·Q_t}.

In intersection-closed classes with one rate for all every h has a Q_t of its own (`confidence.known_rate_bets`
where that is known, `confidence.unknown_rate_bets` where it is not), and so it has in finite classes
(`confidence.floors`).

    loop: if every h that stands is within ε of ĥ on the pool: return ĥ
          ask the item whose answer promises most (`zcal.acquisition`); predict; fold the answers in the order of asking

Assumes ℓ ∈ H and one ω, or one per expert, for all items (SCAR); no continuity, no i.i.d. rows, no θ, no π. Everything
reported holds at every moment at once: the pool's error, its share of positives, and ω.

**The population.** A reserved sample T influences nothing but the report, or the stop. What stands at level δ/2 is kept
for it, and P(DIS) is bounded on T at δ/2 (Clopper–Pearson, for ε and its doublings: `theory.ladder`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.certificate import Certificate, Scope
from activepu.errors import InvalidInput
from activepu.hypotheses import FiniteClass, Halfspaces, Hypothesis, HypothesisClass
from activepu.learners.base import FOUND, GIVEN, IID, KNOWN, REVEALS, SCAR, Learner
from activepu.pools import Draws
from activepu.records import Ask, Bounds, Gauges, Note, Question, Report, Steps, StopReason
from activepu.theory import binomial
from activepu.theory.ladder import Ladder
from activepu.version_spaces import ClosedVersionSpace, Frontier, VersionSpace
from activepu.zcal.acquisition import Acquisition, Open
from activepu.zcal.confidence import ConfidenceSet, Rates, standing
from activepu.zcal.posteriors import posterior
from activepu.zcal.radius import Ball, ball
from activepu.zcal.sides import sides_of

STREAM = 20_000
"""Rows of an endless pool among which questions are chosen."""
SAMPLE = 4096
"""Rows that the posterior takes its ranks from."""
LATER = 50
"""A search for far members that came to no end is taken up again after one answer more for every so many."""


class ZCal(Learner):
    """Z-CAL. `rate` is None (unknown), a number, (low, high), or "per expert"; `false_reveal` bounds wrong reveals."""

    rests_on_chance = True
    when_dry = (
        "The positives have dried up: no further question can decide the items that are still undecided; each of them "
        "was asked, looks the same to the expert as one that was, or is kept for the population's certificate."
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
        if self.false_reveal and not isinstance(hypotheses, (FiniteClass, Halfspaces)):
            raise InvalidInput(
                f"false_reveal = {false_reveal:g} needs a FiniteClass or Halfspaces, got {hypotheses!r}, where a "
                "revealed item must lie inside the rule; pass a list of candidate rules, or false_reveal=0."
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
        V, table = self.everything(draws), draws.table()
        endless = table is None
        if table is None:
            items = draws.unlabeled_items(STREAM, "the rows to choose from")
            T = draws.unlabeled_items(self._reserved(10**9), "the reserved sample")
            V = V.among(draws.points(items))
        else:
            T = draws.unlabeled_items(self._reserved(draws.remaining or 0), "the reserved sample")
            items = np.delete(np.arange(len(table)), T)
        points = table if table is not None and len(T) == 0 else draws.points(items)
        reserved = draws.points(T)
        level = self.delta / 2 if endless else self.delta
        sample = points[:: -(-len(points) // SAMPLE)]
        sides = sides_of(V.hypotheses, sample) if isinstance(V, ClosedVersionSpace) else None
        here = standing(V, points, self._rates, level, self.false_reveal, sides)
        there = standing(V, reserved, self._rates, self.delta / 2, self.false_reveal, sides)
        at_level = Frontier(reserved)  # T as part of the pool
        beliefs = posterior(draws.hypotheses, self._rates, sample, draws.positives, draws.seed, self.false_reveal)
        asked = np.zeros(len(points), bool)
        choice = Acquisition(points, asked, here, self.epsilon, draws.seed)
        ladder = Ladder(self.epsilon, self.delta / 2)
        experts: dict[Hashable, int] = {}
        waiting: list[Open] = []
        ended: Ball | None = None
        done = False
        measured: tuple[VersionSpace, int] | None = None
        kept, spoilt, answered, due = set(T.tolist()), False, 0, 0
        most_wrong = math.floor(self.epsilon * (len(points) + len(T)) + 1e-9)
        aim = math.floor(self.epsilon * len(points) + 1e-9)

        def who(name: Hashable) -> int:
            return experts.setdefault(name, len(experts)) if self._rates.per_expert else 0

        def next_group(name: Hashable) -> int:
            """His number, or the one that he will get with his first question."""
            return experts.get(name, len(experts)) if self._rates.per_expert else 0

        def rows_of(some: NDArray[np.int64]) -> NDArray[np.intp]:
            """Where these items stand among `items`; those of T do not."""
            rows = np.searchsorted(items, some).clip(max=len(items) - 1)
            return np.asarray(rows[items[rows] == some])

        def ask_no_more(item: int) -> None:
            asked[rows_of(draws.twins(item))] = True

        def questions() -> Iterator[tuple[int, Note]]:
            while (found := choice.best(beliefs, next_group(draws.asking), waiting)) is not None:
                row, q = found
                group = who(draws.asking)
                item = int(items[row])
                ask_no_more(item)
                waiting.append(Open(item, points[[row]], group, q))
                yield item, Note("search", -1, q)

        def recall(question: Question) -> None:
            row = rows_of(np.array([question.item]))
            if len(row) and question.note.prediction is not None:
                group = who(question.expert)
                waiting.append(Open(question.item, points[row], group, question.note.prediction))
            ask_no_more(question.item)

        def pool_ball(enough: int | None = None) -> Ball:
            """Around all rows of the pool; an endless one has those that were drawn."""
            V = here.version_space if enough is None else here.newest
            likely = next((h for h in beliefs.typical(sample) if V.allows(h)), None)
            if table is None or len(T) == 0:
                near = choice.around if likely is None else Ball(likely, len(points), exact=False)
                return ball(V, points, enough, near, here.undecided)
            at_level.update(here.settled)
            rows = np.concatenate([items[here.undecided], T[at_level.undecided]])
            return ball(V, table, enough, None if likely is None else Ball(likely, len(table), exact=False), rows)

        def smallest_ball() -> Ball:
            """Around V; the search that ended the run may have got further than one without an aim.

            Its ball holds for good: the truth was in V then, and what was decided is right.
            """
            found = pool_ball()
            better = ended is not None and ended.radius < found.radius and here.version_space.allows(ended.center)
            return ended if ended and better else found

        def population() -> float:
            """A bound on P(DIS) of what stands at level δ/2; none once a row of T was asked about elsewhere."""
            if spoilt:
                return 1.0
            return ladder.best(lambda bound, share: binomial.upper(there.n_undecided, len(T), share) <= bound)

        def gauges() -> Gauges:
            return Gauges(here.undecided_share)

        def report() -> Report:
            found = smallest_ball()
            n = len(points) + len(at_level)
            shared = there.settled.allows(found.center)  # or else the rule may err where δ/2 leaves nothing open
            n_positive, n_undecided = here.n_positive + at_level.n_positive, here.n_undecided + at_level.n_undecided
            region = population() if len(T) else 1.0
            wide = self._certificate(draws, here, region if shared else 1.0, "population") if len(T) else None
            if endless and wide:  # V itself has level δ/2 there
                certificate = replace(wide, abstains=region)
            else:
                certificate = self._certificate(draws, here, found.radius / n, "pool")
                certificate = replace(certificate, abstains=n_undecided / n)
            V = here.version_space
            from_below = isinstance(V, ClosedVersionSpace) and found.center == V.closure
            most = found.radius if from_below else n_undecided  # what all members contain, and the largest has more
            sure = 1 - self.delta if here.version_space.method == "exact" else 0.0
            prior = Bounds(n_positive / n, (n_positive + most) / n, sure)
            return Report(
                here.version_space,
                found.center,
                certificate,
                StopReason.TARGET if certificate.error_bound <= self.epsilon else StopReason.RUNNING,
                rate=None if self._rates.per_expert else self._rate(here, 0, found.center),
                prior=self._population_prior(there) if endless else prior,
                gauges=gauges(),
                population=None if endless else wide,
                rates={name: self._rate(here, g, found.center) for name, g in experts.items()}
                if self._rates.per_expert
                else None,
            )

        while True:
            V = here.newest
            if endless:
                done = done or population() <= self.epsilon
            elif not done and answered >= due and (measured is None or measured[0] is not V or measured[1] != aim):
                measured = V, aim  # many answers leave V as it is
                choice.around = ball(V, points, aim, choice.around, here.undecided)
                due = 0 if choice.around.settled else answered + 1 + answered // LATER
                if choice.around.radius <= aim:
                    ended = pool_ball(most_wrong)
                    done = ended.radius <= most_wrong
                    aim -= max(1, aim // 20)  # T may be less lucky than the rest, which must not learn whether it is
            question = yield Ask(iter(()) if done else questions(), report, gauges(), done, recall)
            x, q, group = draws.points([question.item]), question.note.prediction, who(question.expert)
            if q is None:
                raise InvalidInput(f"Question {question.number} has no prediction, so Z-CAL did not put it.")
            # Answers come in the order of asking: what was asked before and is still open was skipped.
            waiting[:] = waiting[1 + next((k for k, w in enumerate(waiting) if w.item == question.item), -1) :]
            ask_no_more(question.item)
            spoilt, answered = spoilt or question.item in kept, answered + 1
            here.fold(x, question.revealed, q, group)
            there.fold(x, question.revealed, q, group)
            beliefs.fold(x, question.revealed, group)

    def _rate(self, here: ConfidenceSet, group: int, rule: Hypothesis) -> Bounds:
        """Bounds for ω, and as an estimate the share of reveals among the questions inside the rule."""
        low, high = here.rate_bounds(group)
        revealed = here.revealed[group] if group < len(here.revealed) else 0
        inside = rule.contains(here.stars) & (here.star_groups == group)
        guess = revealed / (revealed + np.count_nonzero(inside)) if revealed else None
        sure = 1 - here.delta if here.version_space.method == "exact" else 0.0
        return Bounds(low, high, sure, None if guess is None else min(max(guess, low), high))

    def _population_prior(self, there: ConfidenceSet) -> Bounds:
        """π in the population: δ/2 for what stands, δ/4 for each side of it on T."""
        n, share = len(there.status), self.delta / 4
        low = binomial.lower(there.n_positive, n, share)
        high = binomial.upper(there.n_positive + there.n_undecided, n, share)
        return Bounds(low, high, 1 - self.delta if there.version_space.method == "exact" else 0.0)

    def _certificate(self, draws: Draws, here: ConfidenceSet, bound: float, scope: Scope) -> Certificate:
        wrong = (
            f"an item that is not positive is revealed with one and the same probability, {self.false_reveal:g} at most"
        )
        assumed = [
            f"the truth is one of the {draws.hypotheses.plural}",
            wrong if self.false_reveal else REVEALS,
            self._assumed_rate,
            *((GIVEN, FOUND) if len(draws.positives) else ()),
        ]
        if scope == "population":
            assumed += [IID, *((KNOWN,) if len(draws.positives) else ())]
        return Certificate(min(1.0, bound), 1 - self.delta, scope, here.version_space.method, tuple(assumed))

    @property
    def _assumed_rate(self) -> str:
        rates = self._rates
        independently = "whatever it is, independently of all others"
        if rates.per_expert:
            return f"each expert reveals a positive with a probability of his own {independently}"
        if rates.known:
            return f"a positive is revealed with probability {rates.low:g} {independently}"
        between = f", between {rates.low:g} and {rates.high:g}" if (rates.low, rates.high) != (0.0, 1.0) else ""
        return SCAR + between
