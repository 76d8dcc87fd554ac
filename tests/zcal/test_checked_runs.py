"""Runs whose class is checked: what is asked, when a wrong class is noticed, and what the certificate says."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from worlds import assert_holds
from zcal.scenes import scene, tell

import activepu as apu


def test_over_all_coins_of_a_small_pool_a_true_class_is_refused_in_a_share_delta_at_most() -> None:
    rows, delta, omega = np.arange(16.0), 0.6, 0.5
    for cut, rate in product((11, 13), (None, 0.5)):
        y, refused, runs = rows >= cut, 0.0, 0
        learner = apu.ZCal(apu.Thresholds(), 0.4, 0.5, rate=rate, check=4)
        learner.delta = delta  # larger than users may choose, so that true classes are refused at times
        for coins in product((False, True), repeat=int(y.sum())):
            answers = np.zeros(16, bool)
            answers[y] = coins
            expert = apu.SimulatedExpert(answers, rate=1.0)
            try:
                runs += apu.learn(learner, rows, expert).n_checks > 0
            except apu.AssumptionsViolated:
                refused += omega ** int(y.sum())
        assert refused <= delta
        assert runs > 0


@pytest.mark.parametrize("name", ["thresholds", "orthants", "conjunctions", "finite", "halfspaces"])
@pytest.mark.parametrize("rate", [None, 0.6, (0.4, 0.8), "per expert"])
def test_checks_follow_the_search_and_ask_what_is_decided(name: str, rate: object) -> None:
    world = scene(name)
    known = np.flatnonzero(world.y)[:5]
    learner = world.learner(rate, check=12)
    run = apu.Run(learner, world.rows, positives=known)
    expert, before = world.expert(0.6), None
    while not run.finished:
        for question in run.ask(3):
            if question.note.phase == "check" and before is None:
                before = run.result()
                assert before.certificate.error_bound <= world.epsilon
            run.tell(question, bool(expert.answer([question.item], None)[0]))
    asked = [question.item for question in run.questions]
    checks = [question.item for question in run.questions if question.note.phase == "check"]
    result = run.result()
    assert len(checks) == result.n_checks == 12
    assert len(set(asked)) == len(asked)
    assert not set(asked) & set(known.tolist())
    assert not np.isin(checks, result.items("undecided")).any()  # what is decided stays decided
    assert asked[-12:] == checks
    assert "12 checks" in str(result)
    assert before is not None
    open_ = (
        set(range(len(world.rows))) - set(before.items("undecided").tolist()) - set(asked[:-12]) - set(known.tolist())
    )
    assert set(checks) <= open_
    size = re.search(r"12 checks by lot among the ([\d,]+) decided items that were not asked before", str(result))
    assert size is not None
    assert 12 <= int(size[1].replace(",", "")) <= len(open_)
    world.check(result, 0.6)


def test_items_that_look_the_same_count_once_in_the_lot() -> None:
    rows = np.repeat(np.arange(30.0), 4)
    learner = apu.ZCal(apu.Thresholds(), 0.1, 0.05, rate=1.0, check=4)
    run = apu.Run(learner, rows, positives=[119])
    expert = apu.SimulatedExpert(rows > 20, rate=1.0)
    while not run.finished:
        tell(run, expert, run.ask())
    result, search = run.result(), [question for question in run.questions if question.note.phase != "check"]
    out = {29.0} | {rows[question.item] for question in search} | set(rows[result.items("undecided")])
    assert f"4 checks by lot among the {30 - len(out)} decided items" in str(result.certificate)


@pytest.mark.parametrize("rate", [0.5, (0.4, 0.7), None])
def test_a_hole_in_an_interval_is_found(rate: object) -> None:
    rows = np.random.default_rng(0).random((1000, 1))
    ring = (np.abs(rows[:, 0] - 0.4) <= 0.4) & (np.abs(rows[:, 0] - 0.5) > 0.15)
    learner = apu.ZCal(apu.Intervals(), 0.2, 0.05, rate=rate, check=250)
    with pytest.raises(
        apu.AssumptionsViolated, match="contradict the assumption that the truth is one of the intervals"
    ):
        apu.learn(learner, rows, apu.SimulatedExpert(ring, rate=0.5), batch=5)


def to_the_end(run: apu.Run, expert: apu.SimulatedExpert) -> None:
    while not run.finished:
        tell(run, expert, run.ask())


def test_positives_beyond_a_threshold_are_found() -> None:
    rows = np.linspace(0, 1, 1000)
    two = (rows > 0.8) | (rows < 0.3)
    run = apu.Run(apu.ZCal(apu.Thresholds(above=False), 0.1, 0.05, rate=0.9), rows)
    expert = apu.SimulatedExpert(two, rate=0.9)
    with pytest.raises(apu.AssumptionsViolated, match=r"thresholds: item \d+ was revealed"):
        to_the_end(run, expert)
    run.undo(run.questions[-1])
    assert run.failure is None
    run.tell(run.questions[-1], False)
    assert run.result().n_checks > 0


def test_wrong_reveals_are_no_contradiction_while_they_are_rare() -> None:
    world = scene("finite")
    coins = np.random.default_rng(1).random(1000)

    def answered(wrong: float) -> apu.Result:
        expert = apu.SimulatedExpert(coins < np.where(world.y, 0.8, wrong), rate=1.0)
        return apu.learn(world.learner(0.8, false_reveal=0.05, check=60), world.rows, expert)

    assert answered(0.03).n_checks == 60
    with pytest.raises(apu.AssumptionsViolated, match="outside all of them"):
        answered(0.4)


def test_without_checks_the_certificate_says_so() -> None:
    world = scene("thresholds")
    result = apu.learn(world.learner(0.6, check=0), world.rows, world.expert(0.6))
    assert result.n_checks == 0
    assert result.certificate.remarks[0] == "The class was not checked."
    assert apu.Certificate.from_dict(result.certificate.to_dict()) == result.certificate


def test_a_budget_that_ends_before_the_checks_leaves_a_certificate_that_says_so_first() -> None:
    world = scene("thresholds")
    result = apu.learn(world.learner(0.6, check=20), world.rows, world.expert(0.6), budget=3)
    assert result.n_checks == 0
    assert str(result.certificate).startswith("Not checked yet: ")
    assert result.certificate.error_bound < 1


def test_a_budget_that_ends_among_the_checks_says_how_many_there_were() -> None:
    world = scene("thresholds")
    search = apu.learn(world.learner(0.6, check=20), world.rows, world.expert(0.6))
    budget = search.n_queries - search.n_checks + 7
    result = apu.learn(world.learner(0.6, check=20), world.rows, world.expert(0.6), budget=budget)
    assert result.n_checks == 7
    assert "7 checks by lot" in str(result)
    assert result.stop_reason == apu.StopReason.BUDGET


def test_a_skipped_check_is_asked_again() -> None:
    world = scene("thresholds")
    run, expert, skipped = apu.Run(world.learner(0.6, check=5), world.rows), world.expert(0.6), 0
    while not run.finished:
        for question in run.ask():
            skip = question.note.phase == "check" and skipped < 3
            skipped += skip
            run.tell(question, apu.SKIP if skip else bool(expert.answer([question.item], None)[0]))
    assert (skipped, run.result().n_checks) == (3, 5)


def test_a_small_pool_may_hold_fewer_decided_items_than_checks() -> None:
    result = apu.learn(
        apu.ZCal(apu.Thresholds(), 0.1, 0.05, rate=1.0, check=500),
        np.arange(30.0),
        apu.SimulatedExpert(np.arange(30) > 20, rate=1.0),
    )
    assert 0 < result.n_checks < 30
    assert result.stop_reason == apu.StopReason.TARGET


def test_endless_pools_are_checked_too() -> None:
    stream = apu.Sampler(lambda n, rng: rng.random((n, 1)), dim=1)
    expert = apu.SimulatedExpert(lambda X: X[:, 0] > 0.6, rate=0.8)
    result = apu.learn(apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=0.8), stream, expert)
    assert result.n_checks == 40
    assert "40 checks" in str(result.certificate)
    assert apu.ZCal(apu.Thresholds(), 0.1, 0.1).check == 100
    inside = apu.SimulatedExpert(lambda X: (X[:, 0] > 0.3) & (X[:, 0] < 0.6), rate=0.8)
    with pytest.raises(apu.AssumptionsViolated, match="contradict"):
        apu.learn(apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=0.8), stream, inside)


def test_an_absurd_rate_or_few_reveals_are_doubtful() -> None:
    rows = np.linspace(0, 1, 1000)
    rare = (rows > 0.2) & (rows < 0.8) & (np.random.default_rng(1).random(1000) < 0.02)
    learner = apu.ZCal(apu.Intervals(), 0.3, 0.05)
    result = apu.learn(learner, rows, apu.SimulatedExpert(rare), positives=[210, 790], budget=150)
    assert result.certificate.error_bound < 1
    assert str(result.certificate).startswith("Doubtful: ")
    assert "revealed, and an unknown reveal rate then explains almost any silence" in result.certificate.doubt


def test_an_epsilon_above_the_share_of_positives_is_warned_of() -> None:
    rows = np.linspace(0, 1, 1000)
    learner = apu.ZCal(apu.Thresholds(), 0.1, 0.05, rate=0.9, check=0)
    rare = apu.learn(learner, rows, apu.SimulatedExpert(rows > 0.97, rate=0.9)).certificate
    assert "calling nothing positive would do as well" in str(rare)
    half = apu.learn(learner, rows, apu.SimulatedExpert(rows > 0.5, rate=0.9)).certificate
    assert "calling nothing positive" not in str(half)


def test_a_check_is_a_whole_number() -> None:
    for wrong in (-1, 2.5, True, "many"):
        with pytest.raises(apu.InvalidInput, match="check must be"):
            apu.ZCal(apu.Boxes(), 0.1, 0.05, check=wrong)


FORMS = {"told": 0.5, "range": (0.3, 0.7), "unknown": None, "given": None}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thresholds", "boxes", "halfspaces", "conjunctions", "finite"])
@pytest.mark.parametrize("form", FORMS)
def test_true_classes_are_refused_in_a_share_delta_at_most(name: str, form: str) -> None:
    world, delta = scene(name, n=150), 0.2
    rows, y, runs = world.rows[:100], world.y[:100], 40
    refused = doubted = 0
    for seed in range(runs):
        learner = apu.ZCal(world.hypotheses, 0.3, delta, rate=FORMS[form])
        given = np.random.default_rng(seed).permutation(np.flatnonzero(y))[:8] if form == "given" else ()
        try:
            result = apu.learn(
                learner, rows, apu.SimulatedExpert(y, 0.5, seed), positives=given, seed=seed, batch=4, budget=150
            )
        except apu.AssumptionsViolated:
            refused += 1
        else:
            doubted += bool(result.certificate.doubt)
    print(f"{name}, {form}: {refused} refused, {doubted} marked, of {runs}")
    assert_holds(refused, runs, delta)
