"""What the printed algorithms refuse: repeated rows, budgets beyond the limit, pools that are too small."""

from __future__ import annotations

import json

import numpy as np
import pytest
from worlds import WORLDS

import activepu as apu
from activepu import paper

LEARNERS = [
    paper.KnownPrior(apu.Boxes(), 0.1, 0.1, prior=0.3, theta=8, limit=10**15),
    paper.EstRate(apu.Boxes(), 0.1),
    paper.UnknownPrior(apu.Boxes(), 0.1, 0.1, theta=8, limit=10**15),
    paper.KnownPrior(apu.Boxes(), 0.1, 0.1, prior=0.3, theta=8, limit=10**15, analysis="theta"),
    paper.EstRate(apu.Boxes(), 0.1, analysis="theta"),
    paper.UnknownPrior(apu.Boxes(), 0.1, 0.1, theta=8, limit=10**15, analysis="theta"),
]
NAMES = [f"{learner.algorithm}, {learner.analysis}" for learner in LEARNERS]


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
def test_repeated_rows_are_refused(learner):
    """Assumption 3.1 is no formality: rows that look the same share one coin."""
    rows = np.random.default_rng(0).random((50, 2))
    with pytest.raises(apu.InvalidInput, match="share one coin"):
        apu.Run(learner, np.concatenate([rows, rows[:1]]))


def test_conjunctions_are_refused():
    with pytest.raises(apu.InvalidInput, match="continuous"):
        apu.Run(paper.EstRate(apu.Conjunctions(), 0.1), np.eye(4))


@pytest.mark.parametrize(
    ("learner", "questions"),
    [
        (paper.UnknownPrior(apu.Thresholds(), 0.1, 0.1, theta=2), "1.9e9 questions"),
        (paper.KnownPrior(apu.Thresholds(), 0.1, 0.1, prior=0.3, theta=2), "unlabeled rows"),
    ],
    ids=["Algorithm 3", "Algorithm 1"],
)
def test_the_papers_constants_are_refused_with_their_figures_before_the_first_question(learner, questions):
    with pytest.raises(apu.BudgetRefused, match=questions) as refusal:
        apu.Run(learner, WORLDS["thresholds"].sampler)
    message = str(refusal.value)
    assert "1,000,000" in message
    assert "raise limit" in message
    assert learner.instead in message


def test_the_figures_are_those_of_the_formulas_at_a_reveal_rate_of_one():
    learner = paper.UnknownPrior(apu.Thresholds(), 0.1, 0.1, theta=2)
    needs = learner.needs(apu.Thresholds().bind(1), 0.1)
    budgets = apu.theory.budgets
    block = budgets.rate_test_questions(2, 1.0, 0.1, 0.1) + budgets.prune_questions(1, 2, 1.0, 0.1, 0.1)
    assert needs.questions == 12 * block
    assert 3.3e4 < needs.unlabeled < 7e4


def test_a_raised_limit_lets_it_start():
    learner = paper.UnknownPrior(apu.Thresholds(), 0.1, 0.1, theta=2, limit=10**10)
    assert len(apu.Run(learner, WORLDS["thresholds"].sampler).ask(1)) == 1


def test_a_limit_that_the_found_rate_exceeds_ends_the_run_with_the_rate():
    """λ1 and λ2 grow like 1/ω̂, which nobody knows before EstRate."""
    world, constants = WORLDS["thresholds"], paper.Constants(M3=2000, scale=0.05)
    planned = paper.UnknownPrior(world.hypotheses, 0.1, 0.1, 2, constants).needs(world.hypotheses.bind(1), 0.1)
    learner = paper.UnknownPrior(world.hypotheses, 0.1, 0.1, 2, constants, limit=planned.questions)
    result = apu.learn(learner, world.sampler, world.expert(0.3, 0), batch=64)
    assert result.rate is not None
    assert "raise limit" in result.stop_reason
    assert result.certificate.error_bound == 1


def test_a_pool_that_is_too_small_is_refused_with_the_epsilon_that_it_supports():
    rows = np.random.default_rng(0).random((3000, 1))
    learner = paper.UnknownPrior(apu.Thresholds(), 0.1, 0.1, 2, paper.Constants(M3=2000, scale=0.01))
    with pytest.raises(apu.PoolTooSmall, match=r"has 3,000; it supports epsilon = 0\.\d+"):
        apu.Run(learner, rows)


def test_a_pool_that_runs_dry_ends_the_run_with_what_is_known():
    X = np.random.default_rng(0).random((3000, 1))
    result = apu.learn(paper.EstRate(apu.Thresholds(), 0.1), X, apu.SimulatedExpert(X[:, 0] >= 0.99, 0.05))
    assert result.rate is None
    assert "ran dry" in result.stop_reason


@pytest.mark.parametrize("bad", [{"scale": 0.0}, {"M1": -1.0}, {"M3": float("nan")}])
def test_constants_must_be_positive_numbers(bad):
    with pytest.raises(apu.InvalidInput):
        paper.Constants(**bad)


def test_constants_of_the_theory_are_taken_unscaled_and_anything_else_is_refused():
    learner = paper.EstRate(apu.Thresholds(), 0.1, apu.theory.Constants(M1=5.0))
    assert learner.constants == paper.Constants(M1=5.0, scale=1.0)
    with pytest.raises(apu.InvalidInput, match="constants must be"):
        paper.EstRate(apu.Thresholds(), 0.1, {"M1": 5.0})  # type: ignore[arg-type]


def test_theta_below_one_is_refused():
    with pytest.raises(apu.InvalidInput, match="theta"):
        paper.UnknownPrior(apu.Thresholds(), 0.1, 0.1, theta=0.5)


@pytest.mark.parametrize("learner", LEARNERS, ids=NAMES)
def test_settings_are_plain_values(learner):
    settings = json.loads(json.dumps(learner.to_dict()))
    assert settings["constants"]["M1"] == 21
    assert settings["learner"].startswith("paper.")


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("analysis", ["printed", "theta"])
def test_answers_told_in_batches_or_taken_back_change_no_conclusion(analysis, name):
    """A round ends when its own questions are answered; an answer of the current phase can be given again."""
    world = WORLDS[name]
    expert = world.expert(0.5, 0)
    run = apu.Run(paper.EstRate(world.hypotheses, 0.1, analysis=analysis), world.sampler, seed=0)
    undone = 0
    while not run.finished:
        put = run.ask(7)
        for question in put:
            run.tell(question, bool(expert.answer(np.array([question.item]), question.row[None])[0]))
        if put and undone < 5 and not run.finished and run.questions[-1].note.phase == put[-1].note.phase:
            last = put[-1]
            run.undo(last)
            run.tell(last, bool(expert.answer(np.array([last.item]), last.row[None])[0]))
            undone += 1
    assert undone == 5
    rate = run.result().rate
    assert rate is not None
    assert rate.low <= 0.5 <= rate.high
    items = [question.item for question in run.questions]
    assert len(set(items)) == len(items)
