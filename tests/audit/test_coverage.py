"""The audit over many runs: all that a rung says, at any moment, is false in a δ share of them at most.

Every run draws a truth, the expert's coins and a lot of its own. A run is bad on a rung if anything that the rung ever
said was false: where plans end, in mid-run, and when every item was asked.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from scipy.special import xlogy
from worlds import assert_holds

import activepu as apu
from activepu.audit import reachable
from activepu.audit.bet import SET_SHARE
from activepu.audit.classifiers import Judged
from activepu.audit.knowledge import Knowledge
from activepu.audit.likelihood import Counts
from activepu.audit.prediction import Predictions, log_gold
from activepu.audit.report import Audited
from activepu.audit.state import State, length
from activepu.audit.strata import Strata
from activepu.pools import Draws
from activepu.records import Steps

RUNS = int(os.environ.get("AUDIT_RUNS", "2000"))
DELTAS = (0.2, 0.05)
NEAR = 1e-9
"""How far a bound may be off by rounding."""
SLIGHTLY = 1e-3
"""By how much a target that is bet on is false."""


class Watched(apu.Audit):
    """An audit that lets what it knows be looked at without making a whole result."""

    state: State
    predictions: Predictions
    judged: Judged

    def steps_for(self, judged: Judged, draws: Draws) -> Steps:
        self.judged = judged
        return super().steps_for(judged, draws)

    def _state(self, strata: Strata, seed: int, predictions: Predictions, *others: Any) -> State:
        with patch.object(reachable, "check"):  # a target that cannot be certified must not be, whatever is asked
            self.state, self.predictions = super()._state(strata, seed, predictions, *others), predictions
        return self.state

    def audited(self, delta: float) -> Audited:
        """What is stated now at this δ, on which no question depends."""
        knowledge = Knowledge(self._low, self._high, self.purity, len(self.gold))
        return Audited(self.state, self.judged, self.predictions, delta, knowledge)


@dataclass(frozen=True)
class Cell:
    """A world, what the audit is told about it, and how the answers come.

    Attributes
    ----------
    rows : int
        How many different items the pool has.
    share : float
        The share of them that is asked before the last look; the looks before are where plans end.
    omega : float
        The reveal rate.
    rate : float, pair or None
        What the audit is told of it.
    bands : int
        Five, or two without any score.
    wrong : bool
        The model's probabilities fall where the truth's rise.
    gold : int
        How many known positives are asked.
    copies : int
        Every item stands for 1 to so many rows.
    batch : int
        How many questions are put at once; "yes" is told after all "can't tell" of a batch, the last one first.
    bet : str
        What is bet on, a little more than is true: "recall", "error", "precision", "confirmable recall" or nothing.
    sure : bool
        Whether all that is called positive is: the worst truth for a bet.
    """

    rows: int = 100
    share: float = 1.0
    omega: float = 0.5
    rate: Any = None
    bands: int = 5
    wrong: bool = False
    gold: int = 0
    copies: int = 1
    batch: int = 1
    bet: str = ""
    sure: bool = False


@dataclass
class World:
    """One draw of everything that is random but the lot."""

    score: np.ndarray
    truth: np.ndarray
    confirmed: np.ndarray
    copy_of: np.ndarray
    gold: np.ndarray

    @classmethod
    def drawn(cls, cell: Cell, rng: np.random.Generator) -> World:
        n = cell.rows
        score = rng.random(n)
        truth = rng.random(n) < (0.6 * (1 - score) if cell.wrong else score**3)
        truth |= (score > 0.5) & cell.sure
        confirmed = truth & (rng.random(n) < cell.omega)
        copy_of = np.repeat(np.arange(n), rng.integers(1, cell.copies + 1, n))
        first = np.searchsorted(copy_of, rng.permutation(np.flatnonzero(truth))[: cell.gold])
        return cls(score[copy_of], truth[copy_of], confirmed[copy_of], copy_of, first)

    @property
    def called(self) -> np.ndarray:
        return self.score > 0.5

    @property
    def audited(self) -> np.ndarray:
        """The rows that the audit speaks of: all but gold and what looks the same."""
        return ~np.isin(self.copy_of, self.copy_of[self.gold])

    def true(self, called: np.ndarray | None = None) -> dict[str, float]:
        """What an audit's statements are about, for the classifier or a cut."""
        f = (self.called if called is None else called)[self.audited]
        y, s = self.truth[self.audited], self.confirmed[self.audited]
        return {
            "recall": _share(f[y]),
            "confirmable recall": _share(f[s]),
            "error": float((f != y).mean()),
            "precision": _share(y[f]),
            "prior": float(y.mean()),
        }


def _share(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else 1.0


def outcome(cell: Cell, seed: int) -> frozenset[tuple[float, str]]:
    """Return at which δ which rung ever said something false."""
    world = World.drawn(cell, np.random.default_rng([seed, 11]))
    learner = _learner(cell, world)
    run = apu.Run(learner, np.column_stack([world.score, world.copy_of]), seed=seed)
    budget = round(cell.share * len(np.unique(world.copy_of)))
    bad: set[tuple[float, str]] = set()
    look = length(0)
    while not run.finished and len(run.questions) < budget:
        put = run.ask(min(cell.batch, budget - len(run.questions)))
        for question in sorted(put, key=lambda q: (world.confirmed[q.item], -q.number)):
            run.tell(question, bool(world.confirmed[question.item]))
            if (answered := learner.state.answered) >= look:
                look = answered + length(answered)
                if excluded(learner, world, cell.omega):
                    bad |= false(learner, world, cell.omega)
    bad |= false(learner, world, cell.omega, cuts=True)
    if cell.bet == "confirmable recall":  # a target that depends on the coins is fixed beforehand given these alone
        bad = {(delta, rung) for delta, rung in bad if rung == "0"}
    return frozenset(bad)


def _learner(cell: Cell, world: World) -> Watched:
    target: dict[str, Any] = {}
    if cell.bet:
        kind, value = cell.bet.split()[-1], world.true()[cell.bet]
        value += -SLIGHTLY if kind == "error" else SLIGHTLY
        target = {kind: float(np.clip(value, SLIGHTLY / 10, 1 - SLIGHTLY / 10))}
    score = world.score if cell.bands == 5 else None
    return Watched(world.called, score=score, delta=min(DELTAS), rate=cell.rate, gold=world.gold.tolist(), **target)


def excluded(learner: Watched, world: World, omega: float) -> bool:
    """Whether the truth lies outside a set of counts, or a bet is won: else nothing false can be said.

    It is quicker to find than all statements, which are made where this is so, and at the end of every run.
    """
    state, delta = learner.state, max(DELTAS)
    if state.bet is not None and state.bet.won(delta):
        return True
    strata, gold = state.strata, state.gold
    floor = math.log(delta if state.bet is None else SET_SHARE * delta)
    floor += learner.predictions.log_probability(state.counts)
    fits = []
    for values, rate in ((world.confirmed, 1.0), (world.truth, omega)):
        numbers = np.bincount(strata.stratum, values[strata.items], len(strata))
        fits.append(sum(fit(c, int(a), rate) for c, a in zip(state.counts, numbers, strict=True)))
    of_gold = float(xlogy(gold.revealed, omega) + xlogy(gold.asked - gold.revealed, 1 - omega))
    with_gold = fits[1] + of_gold - log_gold(gold.asked, gold.revealed)
    return min(*fits, with_gold) < floor


@cache
def fit(counts: Counts, positives: int, rate: float) -> float:
    """Return ln Λ, the sum over the silent positives j from the least number on."""
    N, n, r, s, A = counts.size, counts.asked, counts.revealed, counts.silent, positives
    least, most = max(0, s - (N - A)), min(s, A - r)
    if least > most or (rate == 1 and least > 0):
        return -math.inf
    ways = math.comb(s, least) * math.perm(A, r + least) * math.perm(N - A, s - least)
    total = term = 1.0
    for j in range(least, most):
        term *= (s - j) * (A - r - j) * (1 - rate) / ((j + 1) * (N - A - s + j + 1))
        total += term
    return math.log(ways) - math.log(math.perm(N, n)) + float(xlogy(r, rate) + xlogy(least, 1 - rate)) + math.log(total)


def false(learner: Watched, world: World, omega: float, cuts: bool = False) -> set[tuple[float, str]]:
    """Return which rungs say something false now, at which δ.

    Less is said at a smaller δ, so that it is looked at only where something was false.
    """
    true = world.true() | {"rate": omega}
    bad: set[tuple[float, str]] = set()
    for delta in DELTAS:
        now = learner.audited(delta)
        found = {s.rung for s in now.statements() if _outside(true[s.what], s.low, s.high)}
        for cut in now.cuts() if cuts else ():
            of_cut = world.true(cut.score <= (world.called if learner.score is None else world.score))
            found |= {"1"} if _outside(of_cut["recall"], *cut.recall) else set()
            found |= {now.rung("precision")} if _outside(of_cut["precision"], *cut.precision) else set()
        if not found:
            break
        bad |= {(delta, rung) for rung in found}
    return bad


def _outside(true: float, low: float, high: float) -> bool:
    return not low - NEAR <= true <= high + NEAR


CELLS = {
    "half asked, rate 1 known": Cell(rows=200, share=0.5, omega=1.0, rate=1.0),
    "wholly asked, rate 1 known": Cell(omega=1.0, rate=1.0),
    "wholly asked, rate 1 known, wrong model": Cell(omega=1.0, rate=1.0, wrong=True),
    "half asked, rate 0.5 known": Cell(rows=200, share=0.5, rate=0.5),
    "wholly asked, rate 0.5 known": Cell(rate=0.5),
    "wholly asked, rate 0.5 known, wrong model, two bands": Cell(rate=0.5, wrong=True, bands=2),
    "wholly asked, rate in a range": Cell(rate=(0.3, 0.7)),
    "wholly asked, rate at the end of its range, two bands": Cell(rate=(0.5, 0.9), bands=2),
    "wholly asked, rate unknown": Cell(),
    "wholly asked, rate unknown, wrong model, two bands": Cell(wrong=True, bands=2),
    "wholly asked, rate 1 unknown, two bands": Cell(omega=1.0, bands=2),
    "half asked, rate unknown": Cell(rows=200, share=0.5),
    "gold": Cell(gold=15),
    "gold, wrong model, two bands": Cell(gold=15, wrong=True, bands=2),
    "copies, rate 0.5 known": Cell(copies=3, rate=0.5),
    "copies, rate unknown, two bands": Cell(copies=3, bands=2),
    "reveals last in batches, rate 0.5 known": Cell(batch=17, rate=0.5),
    "reveals last in batches, rate unknown, wrong model": Cell(batch=17, wrong=True, bands=2),
}
BETS = {
    "recall, rate unknown": Cell(bet="recall"),
    "recall, rate 0.5 known, all called are": Cell(bet="recall", rate=0.5, sure=True),
    "recall of the confirmable": Cell(bet="confirmable recall"),
    "recall, wrong model, two bands": Cell(bet="recall", wrong=True, bands=2),
    "recall, reveals last in batches": Cell(bet="recall", batch=17, sure=True),
    "error, rate 1 known": Cell(bet="error", omega=1.0, rate=1.0),
    "error, rate 0.5 known, all called are": Cell(bet="error", rate=0.5, sure=True),
    "error, rate 0.5 known, wrong model": Cell(bet="error", rate=0.5, wrong=True),
    "error, rate in a range": Cell(bet="error", rate=(0.3, 0.5)),
    "precision, rate 0.5 known": Cell(bet="precision", rate=0.5),
    "precision, rate in a range, two bands": Cell(bet="precision", rate=(0.4, 0.5), bands=2),
}


def check(name: str, cell: Cell) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(outcome, (cell,) * RUNS, range(RUNS), chunksize=10))
    bad = Counter(found for run in seen for found in run)
    said = ", ".join(f"rung {rung} {count} (δ = {delta})" for (delta, rung), count in sorted(bad.items()))
    print(f"\nAudit, {name}: {RUNS} runs, false: {said or 'none'}")
    for (delta, _), count in bad.items():
        assert_holds(count, RUNS, delta)


@pytest.mark.filterwarnings("ignore:By the classifier")  # a wrong model expects half of the items to be positive
@pytest.mark.parametrize("cell", [*CELLS.values(), *BETS.values()], ids=[*CELLS, *BETS])
def test_one_run_of_every_cell_says_nothing_false(cell: Cell) -> None:
    assert not outcome(cell, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", CELLS)
def test_all_that_a_rung_ever_says_holds_in_a_share_of_one_minus_delta(name: str) -> None:
    check(name, CELLS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", BETS)
def test_a_target_that_is_missed_is_certified_in_a_share_of_delta_at_most(name: str) -> None:
    check(f"bet on {name}", BETS[name])


@pytest.mark.slow
def test_silence_does_not_tell_few_positives_from_a_tiny_rate() -> None:
    """All are positive and the rate is 1e-5, so that 8,000 questions stay without a reveal in 92% of the runs."""
    score = np.linspace(0, 1e-4, 8000)
    learner = Watched(score > 0.8e-4, score=score, delta=0.05)
    run = apu.Run(learner, score)
    while put := run.ask(100):
        for question in put:
            run.tell(question, False)
    now = learner.audited(0.05)
    assert now.bounds("prior")[1] == 1.0
    assert now.bounds("error")[1] >= 0.8
