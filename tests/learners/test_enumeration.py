"""Guarantees checked on every answer sequence that a truth allows, not on a sample of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import activepu as apu
from activepu.hypotheses import Box

DEPTH = 9


def paths(start: Callable[[], apu.Run], truth: Callable[[int], bool], depth: int) -> Iterator[tuple[apu.Run, int, int]]:
    """Every run of `depth` answers: a negative is silent, a positive is revealed or silent.

    Yields the run with its numbers of heads and tails; a run that ends earlier is yielded once.
    """
    stack: list[tuple[bool, ...]] = [()]
    while stack:
        coins = stack.pop()
        run, heads, tails = start(), 0, 0
        for coin in coins:
            (question,) = run.ask()
            positive = truth(question.item)
            heads, tails = heads + (positive and coin), tails + (positive and not coin)
            run.tell(question, positive and coin)
        asked = len(coins)
        while asked < depth and (put := run.ask()):  # answers without a choice
            if truth(put[0].item):
                stack += [(*coins, *(False,) * (asked - len(coins)), coin) for coin in (False, True)]
                break
            run.tell(put[0], False)
            asked += 1
        else:
            yield run, heads, tails


ROWS = np.random.default_rng(5).random((60, 1))

LEARNERS = {
    "Cal": lambda H: apu.Cal(H, 0.2, 0.2),
    "KnownPrior": lambda H: apu.KnownPrior(H, 0.2, 0.2, prior=0.5),
    "PassivePU": lambda H: apu.PassivePU(H, 0.3, 0.3),
}


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("H", "low", "high"), [(apu.Thresholds(), 0.6, np.inf), (apu.Intervals(), 0.3, 0.7)])
def test_the_truth_is_never_lost_by_any_answer(learner: str, H: apu.Thresholds, low: float, high: float) -> None:
    truth = Box(H.bind(1), np.array([low]), np.array([high]))
    labels = truth.contains(ROWS)
    made = LEARNERS[learner](H)

    def start() -> apu.Run:
        return apu.Run(made, ROWS, seed=2)

    assert start().result().version_space.allows(truth)
    seen = 0
    full_labels = learner == "Cal"
    for run, heads, tails in paths(start, lambda item: bool(labels[item]), DEPTH):
        if full_labels and tails:
            continue  # a silent positive is no answer that Cal's expert gives
        seen += 1
        result = run.result()
        assert result.version_space.allows(truth)
        assert not (result.hypothesis.contains(ROWS) & ~labels).any(), "a closure lies inside the truth"
        assert result.n_revealed == heads
        decided = result.predict(ROWS, abstain=True)
        assert (labels[decided >= 0] == decided[decided >= 0]).all()
    assert seen >= (1 if full_labels else 8)


@pytest.mark.parametrize("rate", [0.5, 0.8, 1.0])
def test_the_bounds_on_the_reveal_rate_fail_with_at_most_their_probability(rate: float) -> None:
    """All coin sequences of 11 questions, on a pool of positives; what is not decided by then counts as a failure."""
    delta = 0.5
    rows = np.random.default_rng(1).random((400, 1))
    learner = apu.RevealRate(apu.Thresholds(), delta)
    total = missed = 0.0
    for run, heads, tails in paths(lambda: apu.Run(learner, rows, seed=0), lambda item: True, 11):
        chance = rate**heads * (1 - rate) ** tails
        bounds = run.result().rate
        total += chance
        if bounds is None or not bounds.low <= rate <= bounds.high:
            missed += chance
    assert total == pytest.approx(1.0)
    assert missed <= delta


def test_the_history_ends_with_the_undecided_mass_at_the_end() -> None:
    rows = np.random.default_rng(0).random((2000, 2))
    expert = apu.SimulatedExpert((rows > 0.5).all(axis=1), rate=0.5)
    result = apu.learn(apu.KnownPrior(apu.Boxes(), 0.1, 0.1, prior=0.27), rows, expert)
    undecided = result.history["undecided"]
    assert undecided[-1] < undecided[0]
    assert undecided[-1] == pytest.approx(len(result.items("undecided")) / 2000, abs=0.05)


def test_a_skip_becomes_an_assumption_where_chance_matters() -> None:
    rows = np.random.default_rng(0).random((500, 1))
    for kind, matters in ((apu.PassivePU, True), (apu.Cal, False)):
        run = apu.Run(kind(apu.Thresholds(), 0.2, 0.2), rows)
        assert "skipped" not in str(run.result().certificate.assumptions)
        run.tell(run.ask()[0], apu.SKIP)
        assert ("items were skipped whatever they are" in run.result().certificate.assumptions) is matters


def test_the_rate_is_reported_although_the_pool_ends_once_it_is_known() -> None:
    rows = np.random.default_rng(0).random((123_000, 1))
    learner = apu.UnknownPrior(apu.Thresholds(), 0.1, 0.1)
    result = apu.learn(learner, rows, apu.SimulatedExpert(rows[:, 0] > 0.999, rate=0.9), batch=1000)
    assert "ran dry" in result.stop_reason
    assert result.rate is not None
    assert result.rate.low <= 0.9 <= result.rate.high
