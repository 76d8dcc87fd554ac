"""Where answers wait for one that is missing, the learner chooses with them; evidence keeps the order of asking."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import activepu as apu
from activepu.run import ahead

ROWS = np.random.default_rng(1).random((3000, 1))
TRUTH = ROWS[:, 0] > 0.63
COINS = np.random.default_rng(2).random(3000) < 0.5


def told(question: apu.Question) -> bool:
    return bool(TRUTH[question.item] and COINS[question.item])


def absent(run: apu.Run, others: int) -> tuple[apu.Question, int]:
    """One expert takes a question and does not answer; another answers so many. Returns how many they were asked."""
    [missing] = run.ask(expert="ann")
    for n in range(others):
        put = run.ask(expert="bea")
        if not put:
            return missing, n
        run.tell(put[0], told(put[0]))
    return missing, others


def to_the_end(run: apu.Run) -> int:
    while not run.finished and (put := run.ask(expert="bea")):
        run.tell(put[0], told(put[0]))
    return run.n_answered


def learner(**settings) -> apu.ZCal:
    return apu.ZCal(apu.Thresholds(), 0.02, 0.05, rate=0.5, check=0, **settings)


def test_an_absent_expert_costs_little():
    alone = to_the_end(apu.Run(learner(), ROWS))
    run = apu.Run(learner(), ROWS)
    missing, asked = absent(run, 300)
    assert asked <= 2 * alone  # then nothing more is of use
    assert run.ask(expert="bea") == []
    assert run.result().n_queries == 0
    run.tell(missing, apu.TIMEOUT)
    assert to_the_end(run) <= 2 * alone
    assert run.result().certificate.error_bound <= 0.02


def test_without_it_the_answers_would_be_of_little_use(monkeypatch):
    monkeypatch.setattr(ahead, "MANY", 10**9)
    alone = to_the_end(apu.Run(learner(), ROWS))
    run = apu.Run(learner(), ROWS)
    _, asked = absent(run, 300)
    assert asked > 2 * alone


def test_evidence_keeps_the_order_of_asking():
    run = apu.Run(learner(), ROWS)
    missing, asked = absent(run, 12)
    assert (run.result().n_queries, asked) == (0, 12)
    assert "12 answer(s) wait for the answer to question 0" in run.result().stop_reason
    run.tell(missing, told(missing))
    assert run.result().n_queries == 13
    assert run.result().history["item"] == [question.item for question in run.questions]
    before = str(run.result())
    run.restore(run.questions)
    assert str(run.result()) == before


def test_checks_by_lot_wait_for_the_certificate():
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.05, 0.05, rate=0.5), ROWS)
    absent(run, 300)
    assert {question.note.phase for question in run.questions} == {"search"}


def test_audits_do_not_choose_with_them():
    for other in (
        apu.Audit(ROWS[:, 0] > 0.6, score=ROWS[:, 0], recall=0.5),
        apu.ModelLearner(LogisticRegression(), audit={"recall": 0.5}, questions=3),
    ):
        run = apu.Run(other, ROWS)
        absent(run, 12)
        assert {question.note.phase for question in run.questions} <= {"lot", "model"}
        assert run._ahead is None or type(other) is apu.ModelLearner


OF_A_REGION = {
    "cal": apu.Cal(apu.Thresholds(), 0.02, 0.1),
    "known prior": apu.KnownPrior(apu.Thresholds(), 0.15, 0.1, prior=0.4),
    "passive": apu.PassivePU(apu.Thresholds(), 0.05, 0.1),
    "unknown prior": apu.UnknownPrior(apu.Thresholds(), 0.1, 0.1),
    "rate": apu.RevealRate(apu.Thresholds(), 0.1),
}


@pytest.mark.parametrize("kind", OF_A_REGION)
def test_who_would_only_be_asked_what_is_of_no_use_is_asked_nothing(kind, monkeypatch):
    """Learners that ask random items of a region, while an expert is away."""
    if kind == "cal":
        monkeypatch.setattr("runs.test_ahead.COINS", np.ones(len(ROWS), bool))
    alone = to_the_end(apu.Run(OF_A_REGION[kind], ROWS))
    run = apu.Run(OF_A_REGION[kind], ROWS)
    missing, asked = absent(run, 1500)
    assert ahead.MANY <= asked <= 1.2 * alone + 5
    assert run.ask(expert="bea") == []
    assert not run.finished
    run.tell(missing, apu.TIMEOUT)
    assert to_the_end(run) <= 1.2 * alone + 5
    assert run.finished
    again = apu.Run(OF_A_REGION[kind], ROWS)
    again.restore(run.questions)
    assert str(again.result()) == str(run.result())


@pytest.mark.parametrize("kind", ["passive", "unknown prior", "rate"])
def test_a_region_keeps_the_order_of_its_items(kind, monkeypatch):
    """What is put during an absence is what would have been put without a bound, as far as it goes."""
    run = apu.Run(OF_A_REGION[kind], ROWS)
    absent(run, 1500)
    monkeypatch.setattr(ahead, "MANY", 10**9)
    endless = apu.Run(OF_A_REGION[kind], ROWS)
    absent(endless, len(run.questions))
    put = [(question.item, question.note) for question in run.questions]
    assert put == [(question.item, question.note) for question in endless.questions[: len(put)]]


@pytest.mark.parametrize("rate", [None, 0.5])
def test_answers_that_contradict_each_other_are_said_when_their_turn_comes(rate):
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.02, 0.05, rate=1.0, check=0), ROWS)
    [missing] = run.ask(expert="ann")
    for n in range(8):
        for question in run.ask(expert="bea"):
            run.tell(question, n % 2 == 0)
    assert run.result().n_queries == 0
    with pytest.raises(apu.AssumptionsViolated):
        run.tell(missing, apu.TIMEOUT)


def test_skipped_questions_and_ones_of_the_callers_own_are_not_chosen_again():
    run = apu.Run(learner(), ROWS)
    [missing] = run.ask()
    for n in range(12):
        [question] = run.ask() if n % 3 else [run.put(int(1500 + n))]
        run.tell(question, apu.SKIP if n == 7 else told(question))
    items = [q.item for q in run.questions if q.answer is not apu.SKIP]
    assert len(set(items)) == len(items)
    run.tell(missing, False)
    assert run.result().n_queries == 12


def test_an_open_check_does_not_hold_back_the_other_checks():
    rows = np.random.default_rng(0).random((2000, 1))
    truth = rows[:, 0] > 0.7
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.05, 0.05, rate=0.5, check=30), rows)
    while (question := run.ask()[0]).note.phase == "search":
        run.tell(question, bool(truth[question.item] and question.item % 2 == 0))
    behind = 0
    while asked := run.ask(expert="bea"):
        run.tell(asked[0], bool(truth[asked[0].item] and asked[0].item % 2 == 0))
        behind += 1
    assert (question.note.phase, behind) == ("check", 29)


@pytest.mark.parametrize("seed", [0, 2])
def test_a_run_that_is_loaded_asks_what_the_one_that_was_left_would_have_asked(seed):
    """Questions that were passed over are answered later, in any order; then what was chosen with is made again."""
    rng, rows = np.random.default_rng(seed), ROWS[:800]
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.03, 0.1, check=0), rows, seed=seed)
    waiting: list[apu.Question] = []
    for turn in range(20):
        waiting += run.ask(int(rng.integers(1, 3)))
        rng.shuffle(waiting)
        while waiting and (len(waiting) > 6 or rng.random() < 0.55):
            question = waiting.pop()
            run.tell(question, apu.TIMEOUT if rng.random() < 0.1 else told(question))
        if turn % 5 == 4:
            loaded = apu.Run(run.learner, rows, seed=seed)
            loaded.restore(list(run.questions))
            following = run.ask()
            assert [question.item for question in loaded.ask()] == [question.item for question in following]
            waiting += following
