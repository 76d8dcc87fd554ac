"""Groups: each is audited by itself, all statements hold together, and unequal rates raise the alarm."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from audit import small
from audit.world import CALLED, SCORE, TRUTH, N, X, audit
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlogy

import activepu as apu
from activepu.audit.alarm import Cells, Known
from activepu.audit.confidence import Gold
from activepu.audit.groups import GROUPED, Groups
from activepu.audit.knowledge import Knowledge
from activepu.audit.likelihood import Counts, log_likelihood
from activepu.audit.prediction import Predictions, log_gold
from activepu.audit.report import QUANTITIES, Audited
from activepu.audit.state import State
from activepu.audit.targets import Target, quantities
from activepu.errors import InvalidInput

JUDGED: Any = None  # what the classifier says of every row plays no part in bounds
TOPIC = np.where(np.arange(N) % 3 == 0, "north", "south")
GOLD = np.flatnonzero(TRUTH)[::3][:110]
GROUPS, INSIDE, MEANS = ("a", "a", "b", "b"), (True, False) * 2, (0.8, 0.1, 0.6, 0.2)


class Uneven:
    """An expert who confirms three in ten in the north and nine in ten in the south."""

    def answer(self, items: Any, rows: Any) -> np.ndarray:
        rate = np.where(TOPIC[items] == "north", 0.3, 0.9)
        return TRUTH[items] & (np.random.default_rng(3).random(N)[items] < rate)


@pytest.fixture(scope="module")
def uneven() -> apu.Result:
    return apu.learn(audit(groups=TOPIC, gold=GOLD), X, Uneven(), budget=400, batch=10)


def whole(counts: list[Counts], delta: float, gold: tuple[int, int] = (0, 0), means: Any = MEANS) -> Audited:
    """What follows from counts in two groups, and from gold of the first."""
    made = small.strata([c.size for c in counts], INSIDE, means, GROUPS)
    predictions, cells = Predictions(made.means), Cells(Groups(("a", "b"), np.zeros(8, np.int64)))
    state = State(made, 0, [], predictions, None, np.arange(gold[0]), None, cells)
    state.counts = counts
    state.known = [Known(cells.of(item), item < gold[1]) for item in range(gold[0])]
    return Audited(state, JUDGED, predictions, delta, Knowledge(gold=gold[0]))


@given(small.answers(4, most=4), st.sampled_from([(0, 0), (2, 1), (3, 0)]))
@settings(max_examples=40)
def test_a_group_has_the_bounds_of_its_own_set(counts: list[Counts], gold: tuple[int, int]) -> None:
    """No (A, ω) of the group that fits its answers is left out, whatever was seen of the other group."""
    part = whole(counts, 0.4, gold).alone("a")
    floor = math.log(0.4 * GROUPED / 2) + Predictions(np.array(MEANS[:2])).log_probability(counts[:2])
    sizes = [c.size for c in counts[:2]]
    each = quantities(float(sum(sizes)), float(sizes[0]))
    bounds = {what: part.bounds(what) for what in QUANTITIES}
    silent = not any(c.revealed for c in counts[:2])
    for rate in (0.3, 0.7, 1.0):
        tables = [log_likelihood(c, np.arange(c.size + 1.0), np.array(rate)) for c in counts[:2]]
        of_gold = float(xlogy(gold[1], rate) + xlogy(gold[0] - gold[1], 1 - rate)) - log_gold(*gold)
        for found, lost in itertools.product(*(range(size + 1) for size in sizes)):
            value = float(tables[0][found] + tables[1][lost])
            true = {what: float(q.value(*np.array([found, lost], float))) for what, q in each.items()} | {"rate": rate}
            fits = {"recall"} if value >= floor else set()
            fits |= {"error", "precision", "prior", "rate"} if value + of_gold >= floor else set()
            fits |= {"confirmable recall"} if rate == 1.0 and value >= floor else set()
            for what in fits:
                assert bounds[what][0] - 1e-9 <= true[what.split()[-1]] <= bounds[what][1] + 1e-9
    assert not silent or bounds["recall"] == (0.0, 1.0)


def test_bounds_of_a_group_are_those_of_an_audit_of_it_alone() -> None:
    """The same questions in a pool that holds nothing else, at the group's part of δ."""
    counts = [Counts(40, 20, 12), Counts(60, 30, 2), Counts(50, 10, 1), Counts(30, 0, 0)]
    here = whole(counts, 0.2, (8, 5)).alone("a")
    made = small.strata([40, 60], INSIDE[:2], MEANS[:2])
    alone = small.state(made, 0, [], None)
    alone.counts, alone.gold = counts[:2], Gold(8, 5)
    there = Audited(alone, JUDGED, Predictions(made.means), 0.2 * GROUPED / 2, Knowledge(gold=8))
    for what in QUANTITIES:
        assert here.bounds(what) == there.bounds(what)
        assert here.bounds(what) != (0.0, 1.0)


SIZES = (2, 3, 2, 3)
WRONG = (0.05, 0.9, 0.1, 0.95)
"""What a wrong model expects: the truth is then excluded more often."""


@pytest.fixture(scope="module")
def tree() -> small.Node:
    made = small.strata(SIZES, INSIDE, WRONG, GROUPS)
    return small.every_path(small.state(made, 3, [Target("recall", 0.6)], None))


def ever_excluded(tree: small.Node, rates: tuple[float, ...], parts: tuple[str | None, ...], delta: float) -> float:
    """The largest exact probability, over all truths, that the truth ever leaves the set of a part."""
    mine = {None: range(4), "a": range(2), "b": range(2, 4)}

    @cache
    def floors(counts: tuple[Counts, ...]) -> list[float]:
        audited = whole(list(counts), delta, means=WRONG)
        return [(audited if part is None else audited.alone(part))._floor for part in parts]

    worst = 0.0
    for positives in small.truths(SIZES):

        def excluded(counts: tuple[Counts, ...], positives: tuple[int, ...] = positives) -> bool:
            logs = [small.log(c, a, rate) for c, a, rate in zip(counts, positives, rates, strict=True)]
            return any(
                sum(logs[k] for k in mine[part]) < floor for part, floor in zip(parts, floors(counts), strict=True)
            )

        worst = max(worst, small.ever(tree, positives, rates, excluded))
    return worst


def test_sets_of_groups_need_equal_rates_only_within_them(tree: small.Node) -> None:
    """Exactly: the truth about some group is ever excluded with probability at most half of δ."""
    assert 0.01 < ever_excluded(tree, (0.3, 0.3, 0.9, 0.9), ("a", "b"), 0.8) <= GROUPED * 0.8


def test_what_would_be_confirmed_in_a_group_needs_no_rate(tree: small.Node) -> None:
    """Rung 0: with every coin tossed before, confirmable items are positives at rate 1. The group's level is 0.6."""
    assert 0.01 < ever_excluded(tree, (1.0,) * 4, ("b",), 4 * 0.6) <= 0.6


def test_statements_about_groups_and_about_all_hold_together(tree: small.Node) -> None:
    """Exactly: with one rate the truth is ever excluded from some set with probability at most δ."""
    assert 0.01 < ever_excluded(tree, (0.6,) * 4, (None, "a", "b"), 0.8) <= 0.8


def test_every_group_has_its_statements(uneven: apu.Result) -> None:
    found = uneven.findings
    assert found.statements.groups == ("north", "south")
    audited = ~np.isin(np.arange(N), GOLD)
    for group in found.statements.groups:
        mine = audited & (group == TOPIC)
        true = {
            "recall": (TRUTH & CALLED & mine).sum() / (TRUTH & mine).sum(),
            "error": (TRUTH != CALLED)[mine].mean(),
            "precision": TRUTH[mine & CALLED].mean(),
            "prior": TRUTH[mine].mean(),
            "rate": {"north": 0.3, "south": 0.9}[group],
        }
        for what, value in true.items():
            statement = found.find(what, group)
            assert statement is not None
            assert statement.group == group
            assert statement.low <= value <= statement.high
            assert any("of the group" in assumed for assumed in statement.assumptions)
        assert found.find("confirmable recall", group).rung == "0"
    assert found.find("rate", "north").high < found.find("rate", "south").high
    assert found.find("recall") == next(iter(found))
    assert found.find("no such quantity", "north") is None
    for refused in (lambda: found.find("recall", group="typo"), lambda: found.statements.about("typo")):
        with pytest.raises(InvalidInput, match="There is no group 'typo'; the groups are 'north', 'south'"):
            refused()
    assert "Recall in group north: " in str(uneven)
    columns = uneven.statements().columns()
    assert columns["group"] == [None] * 6 + ["north"] * 6 + ["south"] * 6


def test_unequal_rates_are_told_first(uneven: apu.Result, tmp_path: Any) -> None:
    said = str(uneven)
    assert said.startswith(
        "Doubtful: the answers contradict that each positive is equally likely to be confirmed. Gold "
    )
    assert "in group north was confirmed in" in said.splitlines()[0]
    assert "; if all were equally likely, an audit would say this with a probability of at most 5%. With " in said
    for statement in uneven.statements():
        doubtful = statement.group is None and statement.rung != "0"
        assert str(statement).startswith("Doubtful, as not all seem equally likely to be confirmed. ") == doubtful
    uneven.save(tmp_path / "audit.json")
    again = apu.load_result(tmp_path / "audit.json")
    assert str(again) == said
    assert again.certificate.doubt == uneven.certificate.doubt
    assert again.statements() == uneven.statements()


def test_equal_rates_raise_no_alarm() -> None:
    expert = apu.SimulatedExpert(TRUTH, rate=0.6, seed=2)
    result = apu.learn(audit(groups=TOPIC, gold=GOLD), X, expert, budget=400, batch=10)
    assert not result.certificate.doubt
    assert "Doubtful" not in str(result)


def test_rates_that_differ_within_a_group_make_its_statements_doubtful() -> None:
    """Confirmed where the score is high, and silent elsewhere: in the north only."""
    run = apu.Run(audit(groups=TOPIC, gold=GOLD, delta=0.2, bands=[0.5, 0.8]), X)
    while run.n_answered < 300:
        for q in run.ask(20):
            run.tell(q, bool(TRUTH[q.item]) and (TOPIC[q.item] == "south" or SCORE[q.item] > 0.8))
    found = run.result().findings
    assert found.find("recall", "north").doubt
    assert not found.find("recall", "south").doubt
    assert not found.find("confirmable recall", "north").doubt


def test_gold_alone_may_be_of_a_group() -> None:
    groups = TOPIC.astype(object)
    groups[GOLD[:40]] = None
    result = apu.learn(audit(groups=groups, gold=GOLD), X, Uneven(), budget=200, batch=10)
    assert result.statements().groups == ("north", "south")
    assert {answer[0]["group"] for answer in result.findings.evidence["known"]} == {"(missing)", "north", "south"}


def test_purity_is_of_the_highest_band_of_all() -> None:
    """A group without items in the highest band is not taken to be pure in its own highest band."""
    low = np.where(SCORE < 0.3, "low", "high")

    def least(purity: float | None) -> list[float]:
        learner = audit(groups=low, purity=purity, bands=[0.2, 0.5, 0.9])
        result = apu.learn(learner, X, Uneven(), budget=120, batch=10)
        return [s.low for s in result.statements() if s.what == "prior"]

    pure, plain = least(0.7), least(None)
    assert pure[1] > plain[1]
    assert pure[2] == plain[2]


def test_of_many_groups_only_the_recall_is_printed() -> None:
    result = apu.learn(audit(groups=np.arange(N) % 6), X, Uneven(), budget=60, batch=20)
    lines = str(result.statements()).splitlines()
    assert len(lines) == 6 + 6 + 3
    assert lines[6].startswith("Recall in group 0: ")
    assert lines[-2] == "More about each of the 6 groups is in the table of statements().columns()."
    assert len(result.statements()) == 42
    assert result.findings.find("error", 3) == result.findings.find("error", "3")


def test_groups_that_divide_nothing_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"groups has 1,500 different values, .* at most 50, for example weeks"):
        apu.Run(audit(groups=np.arange(N)), X)
    rows = np.column_stack([SCORE, X[:, 1]])[np.repeat(np.arange(N // 2), 2)]
    learner = apu.Audit(rows[:, 0] > 0.5, score=rows[:, 0], groups=TOPIC)
    with pytest.raises(InvalidInput, match="look the same to the expert as a row of another group"):
        apu.Run(learner, rows)
