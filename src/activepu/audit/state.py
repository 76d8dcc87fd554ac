"""The state of one audit: what was drawn by lot and answered, and the plan that the next draws follow.

A question is drawn in two steps, first its stratum, with the probabilities of the plan, then a random item of it. Plans
change at fixed question numbers. Each rests on the answers to all questions of the plans before the last one, and on
nothing else: not on which items were drawn, and not on which answers came first. While such an answer is missing,
nothing is drawn.

A question that was put before, by another process or another version, is taken in as it was recorded. The order of a
stratum is made of integers, so that its item is checked exactly: it is the next one of its stratum. Which stratum was
drawn follows from plans in floating point, whose last digits may differ elsewhere; it is not drawn again. It was chosen
before its answer, from earlier answers, and that is all that the set of counts needs. The bet divides by the weight
with which the stratum was drawn. The weights of a replay are made from earlier answers alone, like those of the run,
and its weight of the stratum must be the one that was recorded: up to `AGREE`, by which the mean of a factor may then
be off. Where it is not, the bet is void from the start, and all that is certified comes from the set.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activepu import hashing
from activepu.audit.alarm import Cells, Known
from activepu.audit.allocation import with_floor, worst_case
from activepu.audit.bet import Bet
from activepu.audit.confidence import Gold
from activepu.audit.experts import Answers, Asking, KnownPositives
from activepu.audit.likelihood import Counts
from activepu.audit.prediction import Predictions
from activepu.audit.strata import Strata
from activepu.audit.targets import Target
from activepu.errors import InvalidInput
from activepu.records import AGAIN, GOLD, OVERLAP, Note, Question

FIRST, GROWTH = 10, 0.05
"""A plan holds for ten questions, or for 5% of the questions so far if these are more."""
AGREE = 1e-8
"""How far a recorded weight may be from that of the replay, as a share of it: far more than a last digit."""
NO_CELLS = Cells()

Floats = NDArray[np.float64]


def length(begin: int) -> int:
    """Return for how many questions a plan holds that begins with this one."""
    return max(FIRST, int(GROWTH * begin))


def planned_from(drawn: int) -> int:
    """Return on how many answers, the first of the lot, the plan of the last of so many questions rests."""
    before, begin = 0, 0
    while begin + length(begin) < drawn:
        before, begin = begin, begin + length(begin)
    return before


@dataclass(frozen=True)
class Plan:
    """How questions are drawn: the probability of each stratum, and the nearest shares of reveals to be excluded."""

    weights: Floats
    guesses: Floats


@dataclass
class Drawn:
    """One question of the lot: what was drawn, with which probabilities, and the answer.

    `late` marks an answer that came after the question was skipped: it counts, but no plan rests on it. `recorded` is
    the probability of the stratum when the question was put, if the plan of this replay gives another one, or another
    stratum.
    """

    item: int
    stratum: int
    weights: Floats
    plan: Plan
    answer: bool | None = None
    skipped: bool = False
    late: bool = False
    recorded: float | None = None

    @property
    def fair(self) -> bool:
        """Whether the stratum was drawn with the probability that the plan gives."""
        weight = float(self.weights[self.stratum])
        return self.recorded is None or abs(self.recorded - weight) <= AGREE * self.recorded


def make_plan(
    strata: Strata, targets: Sequence[Target], counts: Sequence[Counts], predictions: Predictions, rate: float | None
) -> Plan:
    """Return the plan after these answers: the mean of the best plans for all targets.

    `rate` is the reveal rate that the limits of the targets are multiplied with; None for a guess.
    """
    p, guess = predictions.shares(counts)
    rate = guess if rate is None else rate
    targets = targets or near(strata, p / max(rate, float(p.max())))
    left = np.array([c.size - c.asked for c in counts])
    revealed = np.array([c.revealed for c in counts], np.float64)
    cases, pulls = [], np.zeros(len(strata))
    for target in targets:
        c = target.coefficients(strata)
        m = rate * target.limit(strata) - float(c @ revealed)
        most = 1.0 if target.kind == "recall" else max(rate, float(p.max()))
        cases.append(worst_case(p, c * left, m, most))
        pulls = np.maximum(pulls, np.abs(c * left))
    weights = np.mean([case.questions for case in cases], axis=0)
    return Plan(with_floor(weights, left, pulls), cases[0].shares)


def near(strata: Strata, shares: Floats) -> list[Target]:
    """Return targets a little short of what seems true, to plan for where none is given; `shares` are of positives."""
    positives = strata.sizes * strata.weights * shares
    inside, total = positives[strata.inside].sum(), positives.sum()
    error = (strata.called - inside + total - inside) / strata.rows
    found = [Target("error", float(np.clip(error + 0.03, 0.001, 0.999)))]
    return [*found, Target("recall", float(np.clip(inside / total - 0.05, 0.001, 0.999)))]


class State:
    """What was drawn and answered in one run.

    Parameters
    ----------
    strata : Strata
        The items, by stratum.
    seed : int
        It fixes the lot.
    targets : sequence of Target
        What the questions are planned for; if there are none, for error and recall alike.
    predictions : Predictions
        How likely a reveal seems in each stratum.
    rate : float or None
        The reveal rate that the plans reckon with, where one is given.
    gold : array of int
        Known positives, to be asked among the others.
    bet : Bet or None
        The bet on the target, if it is only one.
    cells : Cells
        The cells of the known positives, whose rates are compared.
    asking : callable, optional
        Tells who asks, if each expert has a reveal rate of their own.
    """

    def __init__(
        self,
        strata: Strata,
        seed: int,
        targets: Sequence[Target],
        predictions: Predictions,
        rate: float | None,
        gold: NDArray[np.int64],
        bet: Bet | None,
        cells: Cells = NO_CELLS,
        asking: Asking | None = None,
    ) -> None:
        self.strata, self.seed, self.targets, self.bet, self.cells = strata, seed, targets, bet, cells
        self.counts = [Counts(int(size)) for size in strata.sizes]
        self.gold = Gold()
        self.known: list[Known] = []
        """The answers about known positives, in the order of asking; those about gold, and any others."""
        self.drawn: list[Drawn] = []
        self._rate = rate
        self._predictions = predictions
        self._lot = strata.lot(seed)
        self._next = np.zeros(len(strata), np.int64)
        self._number: dict[int, int] = {}
        self._resolved = 0
        self.answers = Answers(strata.sizes.tolist())
        self._known = KnownPositives(seed, gold, asking)
        self._gold_set = set(self._known.gold)
        self._plan: Plan | None = None
        self.plans: list[Plan] = []
        """All plans so far, in their order."""
        self.folded = 0
        """How many answers were taken in, those about gold included."""
        self._ends = 0
        self._begins = 0
        """The first question of the plan that is in force; the next plan rests on the answers before it."""
        self._planned = list(self.counts)
        self._planned_to = 0

    @property
    def answered(self) -> int:
        """How many questions of the lot were answered or skipped, up to the last answer."""
        return self._resolved

    @property
    def gold_items(self) -> list[int]:
        """The known positives that are asked among the others, in the order of their lot."""
        return list(self._known.gold)

    def only(self, group: str) -> State:
        """Return what was seen of one group, to be read only: its strata, their counts, and its gold."""
        part = copy.copy(self)
        part.strata, part.targets, part.bet = self.strata.by_group[group], (), None
        part.counts = [c for c, mine in zip(self.counts, self.strata.in_group(group), strict=True) if mine]
        part.known = [answer for answer in self.known if answer.cells["group"] == group]
        part.gold = Gold(len(part.known), sum(answer.revealed for answer in part.known))
        part.answers = self.answers.only(
            self.strata.in_group(group), lambda item: self.cells.of(item)["group"] == group
        )
        part._known = self._known.only(lambda item: self.cells.of(item)["group"] == group)
        return part

    def at_rest(self) -> State:
        """Return what was seen until now, to be read only: later answers do not change it."""
        part = copy.copy(self)
        part.counts, part.known = list(self.counts), list(self.known)
        part.answers = self.answers.only(np.ones(len(self.counts), bool), lambda item: True)
        return part

    def questions(self) -> Iterator[tuple[int, Note]]:
        """Return the questions that the lot gives, until an answer is missing on which the next plan rests."""
        return Lot(self)

    def next_question(self) -> tuple[int, Note] | None:
        """Return the next question for the expert who asks, if there is one."""
        self._known.join()
        if (known := self._known.next(len(self.drawn), self._ends_everywhere())) is not None:
            return known[0], Note(known[1], -1)
        if (drawn := self._draw()) is not None:
            return drawn.item, Note("lot", -1, float(drawn.weights[drawn.stratum]))
        return None

    def _ends_everywhere(self) -> bool:
        return bool((self._next >= self.strata.sizes).all())

    def _draw(self) -> Drawn | None:
        """Draw the next question of the lot, if its plan is known and items are left."""
        weights = self._weights()
        return None if weights is None else self._take(self._stratum(weights), weights)

    def _weights(self) -> Floats | None:
        """Return the probability of each stratum for the next question, if its plan is known and items are left."""
        if self._ends_everywhere() or not self._plan_ahead():
            return None
        assert self._plan is not None
        left = self._next < self.strata.sizes
        weights = np.where(left, self._plan.weights, 0.0)
        return np.asarray(weights / weights.sum() if weights.sum() > 0 else left / left.sum())

    def _stratum(self, weights: Floats) -> int:
        """Draw a stratum."""
        u = hashing.uniforms(self.strata.salted(self.seed), "stratum", [len(self.drawn)])[0]
        return int(min(np.searchsorted(np.cumsum(weights), u, side="right"), np.flatnonzero(weights)[-1]))

    def _take(self, k: int, weights: Floats) -> Drawn:
        assert self._plan is not None
        drawn = Drawn(int(self._lot[k][self._next[k]]), k, weights, self._plan)
        self._next[k] += 1
        self._number[drawn.item] = len(self.drawn)
        self.drawn.append(drawn)
        return drawn

    def _plan_ahead(self) -> bool:
        """Make the plan for the next question; return whether the answers that it rests on are there."""
        number = len(self.drawn)
        if self._plan is not None and number < self._ends:
            return True
        rests_on = self._begins
        if self._resolved < rests_on:
            return False
        for drawn in self.drawn[self._planned_to : rests_on]:
            if drawn.answer is not None and not drawn.late:
                self._planned[drawn.stratum] = self._planned[drawn.stratum].after(drawn.answer)
        self._planned_to = rests_on
        self._plan = make_plan(self.strata, self.targets, self._planned, self._predictions, self._rate)
        self.plans.append(self._plan)
        self._begins = number
        self._ends = number + length(number)
        return True

    def recall(self, question: Question) -> None:
        """Take in a question that was put before; refuse an item that is not the next one of its stratum."""
        self._known.met(question.expert)
        if question.item in (self._number if question.note.phase == OVERLAP else self._gold_set):
            self._known.put(question)
            return
        if question.item in self._number:
            return
        weights = self._weights()
        follows = (k for k, at in enumerate(self._next) if at < len(self._lot[k]) and self._lot[k][at] == question.item)
        k = next(follows, None)
        if weights is None or k is None:
            raise InvalidInput(
                f"Question {question.number} was recorded for item {question.item}, which the lot did not give; pass "
                "the original pool, audit and seed."
            )
        drawn_here, weight = self._stratum(weights), question.note.prediction
        drawn = self._take(k, weights)
        drawn.recorded = 0.0 if weight is None else weight  # 0 is the weight of no plan: nothing is bet on it
        if k == drawn_here and (weight is None or drawn.fair):
            drawn.recorded = None

    def knows(self, item: int) -> bool:
        """Whether this audit put a question about the item."""
        return item in self._number or item in self._gold_set

    def fold(self, question: Question) -> None:
        """Take in an answer. Answers come in the order of asking, so draws before it without an answer were skipped."""
        self.folded += 1
        if question.note.phase in AGAIN:
            self._known.put(question)
            self.answers.count_again(question)
            self.known.append(Known(self.cells.of(question.item, question.expert), question.revealed))
            if question.note.phase == GOLD:
                self.gold = Gold(self.gold.asked + 1, self.gold.revealed + question.revealed)
            return
        number = self._number[question.item]
        for earlier in self.drawn[self._resolved : number]:
            earlier.skipped = earlier.answer is None
        self._resolved = max(self._resolved, number + 1)
        drawn = self.drawn[number]
        drawn.answer, drawn.late = question.revealed, drawn.skipped
        if self.bet is not None:
            self._bet(self.bet, drawn, question.revealed)
        self.counts[drawn.stratum] = self.counts[drawn.stratum].after(question.revealed)
        self.answers.count(question.expert, drawn.stratum, question.revealed)
        if question.revealed:
            self._known.revealed(question.item, question.expert)

    def _bet(self, bet: Bet, drawn: Drawn, revealed: bool) -> None:
        """Bet on the answer, unless its stratum was not drawn by lot, or one with items left could not be."""
        if not drawn.fair:
            bet.end()
        if bet.void or drawn.late or ((drawn.weights <= 0) & (bet.left > 0)).any():
            bet.note(drawn.stratum, revealed)
        else:
            shares = self._predictions.shares(self.counts)[0]
            bet.fold(drawn.stratum, revealed, drawn.weights, drawn.plan.guesses, shares)


class Lot(Iterator[tuple[int, Note]]):
    """The questions of an audit. What one expert cannot be asked another may: after an end it may go on."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __next__(self) -> tuple[int, Note]:
        if (question := self._state.next_question()) is None:
            raise StopIteration
        return question
