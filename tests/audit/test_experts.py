"""Audits with a rate per expert: exactly over every sequence of answers, then in runs."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from audit import small, world
from scipy.special import xlog1py, xlogy

import activepu as apu
from activepu.audit.classifiers import Judged
from activepu.audit.confidence import Gold
from activepu.audit.experts import MOST_EXPERTS
from activepu.audit.joint_likelihood import Seen, log_likelihood
from activepu.audit.joint_prediction import JointPredictions
from activepu.audit.knowledge import Knowledge
from activepu.audit.prediction import Predictions, log_gold
from activepu.audit.report import Audited
from activepu.audit.state import State
from activepu.audit.targets import Target, quantities
from activepu.errors import InvalidInput
from activepu.records import GOLD, OVERLAP, Note, Question

DELTA = 0.3
SIZES, WEIGHTS = (2, 3), np.array([1.0, 2.0])
NAMES = ("ann", "bob")
_JUDGED = Judged(None, np.empty(0, bool), None, None, np.empty(0, np.int64))  # type: ignore[arg-type]


class Turns:
    """Who asks next, chosen from the answers so far and nothing else: the worse expert after each reveal."""

    def __init__(self) -> None:
        self.reveals = self.answers = 0

    def __call__(self) -> Hashable:
        return NAMES[(self.reveals + self.answers // 2) % 2]


@dataclass
class Node:
    """A moment: the counts, the known positives asked, and who is asked what next."""

    state: State
    stratum: int | None
    expert: int | None = None
    no: Node | None = None
    yes: Node | None = None

    @property
    def seen(self) -> list[Seen]:
        """The counts of ann and bob, in this order."""
        order = [self.state.answers.experts.index(name) for name in NAMES if name in self.state.answers.experts]
        missing = [name not in self.state.answers.experts for name in NAMES]

        def both(values: tuple[int, ...]) -> tuple[int, ...]:
            own = iter(order)
            return tuple(0 if gone else values[next(own)] for gone in missing)

        return [Seen(part.size, both(part.asked), both(part.revealed)) for part in self.state.answers.seen()]


def start(seed: int, gold: int) -> State:
    made = replace(small.strata(SIZES, (True, False), (0.8, 0.2)), weights=WEIGHTS)
    targets = [Target("recall", 0.7), Target("error", 0.4)]
    return State(made, seed, targets, Predictions(made.means), None, 90 + np.arange(gold), None, asking=Turns())


@cache
def tree(seed: int, gold: int) -> Node:
    return every_path(start(seed, gold))


def every_path(state: State) -> Node:
    """Walk through all sequences of answers."""
    before = copy.deepcopy(state)
    step = next(state.questions(), None)
    if step is None:
        return Node(before, None)
    (item, note), turns = step, state._known._asking
    assert isinstance(turns, Turns)
    who = turns()
    node = Node(before, None if note.phase != "lot" else int(state.strata.stratum[item]), NAMES.index(who))
    for answer in (False, True):
        later = copy.deepcopy(state)
        moved = later._known._asking
        assert isinstance(moved, Turns)
        moved.answers, moved.reveals = moved.answers + 1, moved.reveals + answer
        later.fold(Question(0, item, None, Note(note.phase, -1), answer, expert=who))
        if answer:
            node.yes = every_path(later)
        else:
            node.no = every_path(later)
    return node


@cache
def log(seen: Seen, positives: int, rates: tuple[float, float]) -> float:
    if positives < seen.pooled.revealed:
        return -math.inf
    return float(log_likelihood(seen, np.array([float(positives)]), np.array([rates]))[0, 0])


def ever(node: Node, positives: tuple[int, ...], rates: tuple[float, float], bad: Callable[[Node], bool]) -> float:
    """Return the exact probability that something bad is true at some moment."""
    if bad(node):
        return 1.0
    if node.yes is None or node.no is None or node.expert is None:
        return 0.0
    p, k = rates[node.expert], node.stratum
    if k is not None:
        p = math.exp(log(node.yes.seen[k], positives[k], rates) - log(node.seen[k], positives[k], rates))
    total = p * ever(node.yes, positives, rates, bad) if p > 0 else 0.0
    return total + (1 - p) * ever(node.no, positives, rates, bad) if p < 1 - 1e-12 else total


def phases(node: Node | None) -> set[str]:
    if node is None:
        return set()
    asked = {phase for phase in (GOLD, OVERLAP) if any(own.asked for own in node.state.answers.again(phase))}
    return asked | phases(node.no) | phases(node.yes)


@pytest.mark.parametrize("known", [False, True])
def test_the_truth_is_not_excluded_too_often(known: bool) -> None:
    """The set, with and without the known positives, for every truth; who is asked depends on the answers."""
    first = tree(seed=5, gold=1)
    assert phases(first) == {GOLD, OVERLAP}
    predictions = JointPredictions(np.array([0.8, 0.2]))
    worst = 0.0
    for positives in small.truths(SIZES):
        for rates in ((0.9, 0.3), (0.3, 0.9), (0.6, 0.6)):

            def excluded(
                node: Node, positives: tuple[int, ...] = positives, rates: tuple[float, float] = rates
            ) -> bool:
                value = sum(log(part, a, rates) for part, a in zip(node.seen, positives, strict=True))
                floor = math.log(0.6) + predictions.log_probability(node.seen)
                if known:
                    again = dict(zip(node.state.answers.experts, node.state.answers.again(GOLD, OVERLAP), strict=True))
                    for name, rate in zip(NAMES, rates, strict=True):
                        own = again.get(name, Gold())
                        value += float(xlogy(own.revealed, rate) + xlog1py(own.asked - own.revealed, -rate))
                        floor += log_gold(own.asked, own.revealed)
                return value < floor

            worst = max(worst, ever(first, positives, rates, excluded))
    assert 0.01 < worst <= 0.6


def test_no_statement_is_false_too_often() -> None:
    """What the audit states, weights and known positives included; δ is for all statements of a rung together."""
    first = tree(seed=2, gold=0)
    means = Predictions(np.array([0.8, 0.2]))
    found: dict[Any, dict[str, tuple[float, float]]] = {}

    def bounds(node: Node) -> dict[str, tuple[float, float]]:
        answers = node.state.answers
        key = (tuple(answers.experts), tuple(answers.seen()), tuple(answers.again(OVERLAP)))
        if key not in found:
            audited = Audited(node.state, _JUDGED, means, DELTA, Knowledge(per_expert=True))
            found[key] = {s.what: (s.low, s.high) for s in audited.statements()}
        return found[key]

    sizes = WEIGHTS * SIZES
    each = quantities(float(sizes.sum()), float(sizes[0]))
    worst: dict[bool, float] = {True: 0.0, False: 0.0}
    for positives in small.truths(SIZES):
        inside, outside = (np.array([w * a]) for w, a in zip(WEIGHTS, positives, strict=True))
        for rates in ((0.9, 0.3), (0.5, 1 - 1e-9)):
            true = {kind: float(q.value(inside, outside)[0]) for kind, q in each.items()}
            true |= {f"rate of {name}": rate for name, rate in zip(NAMES, rates, strict=True)}
            for recall in (True, False):

                def false(node: Node, true: dict[str, float] = true, recall: bool = recall) -> bool:
                    return any(
                        not low - 1e-9 <= true[kind] <= high + 1e-9
                        for kind, (low, high) in bounds(node).items()
                        if kind in true and (kind == "recall") == recall
                    )

                worst[recall] = max(worst[recall], ever(first, positives, rates, false))
    assert max(worst.values()) > 0.005
    assert max(worst.values()) <= DELTA


def experts(**rates: float) -> dict[Hashable, Any]:
    return {name: apu.SimulatedExpert(world.TRUTH, rate, seed=k) for k, (name, rate) in enumerate(rates.items(), 1)}


def test_two_experts_with_a_rate_each() -> None:
    audit = world.audit(rate="per expert", recall=0.5, error=0.45)
    result = apu.learn(audit, world.X, experts(ann=0.9, bob=0.4), budget=150, batch=10)
    assert result.recall.low <= world.RECALL <= result.recall.high
    assert set(result.rates) == {"ann", "bob"}
    assert result.rates["ann"].low <= 0.9 <= result.rates["ann"].high
    assert result.rates["bob"].low <= 0.4 <= result.rates["bob"].high
    assert result.rate is None
    stated = {s.what: s for s in result.statements()}
    assert "confirmable recall" not in stated  # who would be asked about the other items nobody knows
    assert stated["error"].rung == "2o"
    assert stated["recall"].rung == "1"
    assert any("does not depend on whether another did" in said for said in stated["rate of bob"].assumptions)
    phase, item, who = (result.history[name] for name in ("phase", "item", "expert"))
    first = {i: e for i, e, p in zip(item, who, phase, strict=True) if p == "lot"}
    again = [(i, e) for i, e, p in zip(item, who, phase, strict=True) if p == "overlap"]
    assert again
    assert all(first[i] != e for i, e in again)  # nobody is asked about their own item
    assert len(set(zip(item, who, strict=True))) == len(item)  # and nobody twice


def test_one_pooled_rate_names_the_assumption_that_experts_are_equal() -> None:
    result = apu.learn(world.audit(), world.X, experts(ann=0.9, bob=0.4), budget=40, batch=5)
    stated = {s.what: s for s in result.statements()}
    assert any("by any expert" in said for said in stated["recall"].assumptions)
    assert "confirmable recall" not in stated
    assert result.rates is None


def test_gold_goes_to_every_expert() -> None:
    gold = np.flatnonzero(world.TRUTH)[:3]
    audit = world.audit(rate="per expert", gold=gold)
    result = apu.learn(audit, world.X, experts(ann=1.0, bob=1.0), budget=60, batch=5)
    asked = [
        (int(i), e)
        for i, e, p in zip(*(result.history[c] for c in ("item", "expert", "phase")), strict=True)
        if p == GOLD
    ]
    assert sorted(asked) == sorted((int(i), name) for i in gold for name in NAMES)
    assert {s.what: s.rung for s in result.statements()}["error"] == "2g"


def test_an_expert_too_many_is_refused() -> None:
    run = apu.Run(world.audit(rate="per expert"), world.X)
    for k in range(MOST_EXPERTS):
        run.ask(1, f"expert {k}")
    with pytest.raises(InvalidInput, match="at most 4 experts apart, and 'one more' is one more"):
        run.ask(1, "one more")
    assert run.ask(1, "expert 0")


def run_to_overlap() -> tuple[apu.Run, Question]:
    """A run in which one expert revealed everything, up to the first question of the other about such an item."""
    run = apu.Run(world.audit(rate="per expert"), world.X)
    for turn in range(400):
        [question] = run.ask(1, NAMES[turn % 2])
        if question.note.phase == OVERLAP:
            return run, question
        run.tell(question, bool(world.TRUTH[question.item]))
    raise AssertionError("no overlap in 400 questions")


def _stated(run: apu.Run) -> dict[str, Any]:
    findings = run.result_report().findings
    assert findings is not None
    return findings.to_dict()


def test_a_reveal_on_which_an_overlap_question_rests_stays() -> None:
    run, question = run_to_overlap()
    first = next(q for q in run.questions if q.item == question.item)
    assert first.expert != question.expert
    with pytest.raises(InvalidInput, match=f"its item was put to '{question.expert}' as question {question.number}"):
        run.undo(first)
    run.tell(question, False)
    before = _stated(run)
    run.undo(question)
    assert question.answer is None
    run.tell(question, False)
    assert _stated(run) == before


def test_a_skipped_overlap_question_leaves_the_lot_alone() -> None:
    run, question = run_to_overlap()
    run.tell(question, apu.SKIP)
    later = []
    for k in range(12):
        later += run.ask(1, NAMES[k % 2])
        run.tell(later[-1], False)
    assert question.item not in [q.item for q in later if q.note.phase == "lot"]
    assert all((q.item, q.expert) != (question.item, question.expert) for q in later)


def test_recorded_questions_give_the_same_run() -> None:
    run, question = run_to_overlap()
    run.tell(question, True)
    again = apu.Run(run.learner, world.X)
    for asked in run.questions:
        put = again.recall(asked.item, asked.note, asked.expert)
        again.tell(put, asked.answer)
    assert _stated(again) == _stated(run)
    assert [q.item for q in again.ask(3, "ann")] == [q.item for q in run.ask(3, "ann")]
