"""A question that is not answered in time is over: no evidence, never asked again, and a later yes is required."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import activepu as apu

ROWS = np.random.default_rng(0).random((2000, 1))
TRUTH = ROWS[:, 0] > 0.7


def a_run(**settings) -> apu.Run:
    return apu.Run(apu.ZCal(apu.Thresholds(), 0.05, 0.05, **settings), ROWS)


def answer(run: apu.Run, n: int) -> None:
    """Answer n questions, as an expert does who reveals every positive with an even row number."""
    for _ in range(n):
        for question in run.ask():
            run.tell(question, bool(TRUTH[question.item] and question.item % 2 == 0))


def test_it_is_no_evidence_and_its_item_is_never_asked_again():
    run = a_run(rate=0.5, check=0)
    answer(run, 4)
    before = run.result()
    [question] = run.ask()
    run.tell(question, apu.TIMEOUT)
    run.tell(question, apu.TIMEOUT)
    after = run.result()
    assert after.certificate.error_bound == before.certificate.error_bound
    assert (after.n_queries, run.n_answered) == (before.n_queries, 4)
    answer(run, 30)
    assert [q.item for q in run.questions].count(question.item) == 1
    assert run.finished


def test_answers_behind_it_count_at_once():
    run = a_run(rate=0.5)
    late, *others = run.ask(4)
    for question in others:
        run.tell(question, bool(TRUTH[question.item]))
    assert run.result().n_queries == 0
    run.tell(late, apu.TIMEOUT)
    assert run.result().n_queries == 3


@pytest.mark.parametrize("before_its_turn", [False, True])
def test_a_later_yes_makes_its_item_positive_and_counts_nowhere(before_its_turn):
    run = a_run(rate=0.5)
    first, late = run.ask(2)
    if not before_its_turn:
        run.tell(first, False)
    run.tell(late, apu.TIMEOUT)
    run.tell(late, False)  # adds nothing
    run.tell(late, True)
    run.tell(late, True)
    if before_its_turn:
        run.tell(first, False)
    assert late.late
    assert late.answer is apu.TIMEOUT
    result = run.result()
    assert (result.n_queries, result.n_revealed) == (1, 0)
    assert result.predict(ROWS[[late.item]], abstain=True)[0] == 1


def test_a_later_yes_can_be_taken_back_and_the_deadline_cannot():
    run = a_run(rate=0.5)
    [question] = run.ask()
    run.tell(question, apu.TIMEOUT)
    with pytest.raises(apu.InvalidInput, match="deadline of question 0 has passed, which cannot be taken back"):
        run.undo(question)
    before = run.result().predict(ROWS, abstain=True)
    run.tell(question, True)
    assert not np.array_equal(run.result().predict(ROWS, abstain=True), before)
    run.undo(question)
    assert (question.answer, question.late) == (apu.TIMEOUT, False)
    np.testing.assert_array_equal(run.result().predict(ROWS, abstain=True), before)


def test_an_answer_that_came_in_time_stands():
    run = a_run(rate=0.5)
    [question] = run.ask()
    run.tell(question, True)
    with pytest.raises(apu.InvalidInput, match="already answered"):
        run.tell(question, apu.TIMEOUT)


def test_the_certificate_says_what_it_assumes_about_them():
    run = a_run()
    answer(run, 5)
    assert "in time" not in str(run.result().certificate)
    run.tell(run.ask()[0], apu.TIMEOUT)
    assert "the reveal rate is that of the positives that are answered in time" in str(run.result().certificate)


def test_a_check_that_is_not_answered_in_time_is_replaced_by_another():
    run = a_run(rate=0.5, check=6)
    timed_out = 0
    while not run.finished:
        for question in run.ask():
            over = question.note.phase == "check" and timed_out < 3
            timed_out += over
            run.tell(question, apu.TIMEOUT if over else bool(TRUTH[question.item] and question.item % 2 == 0))
    assert (timed_out, run.result().n_checks) == (3, 6)
    assert run.result().stop_reason == apu.StopReason.TARGET


def test_a_contradicting_yes_raises_and_can_be_taken_back():
    run = apu.Run(apu.ZCal(apu.Thresholds(above=False), 0.05, 0.05, rate=1.0, check=0), ROWS)
    questions = run.ask(2)
    low, high = sorted(questions, key=lambda q: ROWS[q.item, 0])
    run.tell(low, False)
    run.tell(high, apu.TIMEOUT)
    with pytest.raises(apu.AssumptionsViolated):
        run.tell(high, True)
    run.undo(high)
    assert run.result().n_queries == 1


LEARNERS = [
    apu.ZCal(apu.Thresholds(), 0.1, 0.1),
    apu.ZCal(apu.Boxes(), 0.1, 0.1, rate="per expert"),
    apu.Cal(apu.Thresholds(), 0.1, 0.1),
    apu.KnownPrior(apu.Thresholds(), 0.1, 0.1, prior=0.3),
    apu.PassivePU(apu.Thresholds(), 0.1, 0.1),
    apu.Audit(ROWS[:, 0] > 0.6, score=ROWS[:, 0], recall=0.5),
    apu.Audit("found", recall=0.5, score=ROWS[:, 0]),
    apu.ModelLearner(LogisticRegression()),
    apu.ModelLearner(LogisticRegression(), audit={"recall": 0.5}, questions=10),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_every_learner_goes_on_and_a_replay_ends_where_the_run_did(learner):
    run = apu.Run(learner, ROWS)
    for turn in range(30):
        for question in run.ask(2, expert="ann"):
            if turn % 3 == 1:
                run.tell(question, apu.TIMEOUT)
                if turn % 2 and TRUTH[question.item]:
                    run.tell(question, True)
            else:
                run.tell(question, bool(TRUTH[question.item] and question.item % 2 == 0))
    before = run.result()
    run.restore(run.questions)
    after = run.result()
    assert str(after) == str(before)
    assert after.history == before.history
    items = [question.item for question in run.questions]
    assert len(set(items)) == len(items)


def test_a_model_learns_from_a_later_yes():
    run = apu.Run(apu.ModelLearner(LogisticRegression(), rate=0.5), ROWS)
    answer(run, 15)
    before = run.result().predict_proba(ROWS)[:, 1]
    positive = next(q for q in iter(lambda: run.ask()[0], None) if TRUTH[q.item] or run.tell(q, False))
    run.tell(positive, apu.TIMEOUT)
    run.tell(positive, True)
    assert run.result().predict_proba(ROWS)[positive.item, 1] > before[positive.item]


def test_only_a_question_that_was_put_can_time_out():
    with pytest.raises(apu.InvalidInput, match="Only a run can be told TIMEOUT"):
        a_run().record(3, apu.TIMEOUT)
    with pytest.raises(apu.InvalidInput, match=r"is True \(revealed\), False \(can't tell\) or SKIP, got 'yes'\.$"):
        a_run().record(3, "yes")


@pytest.mark.parametrize("audit", [{"recall": 0.5}, {"classifier": "found", "recall": 0.9}], ids=["model", "found"])
def test_a_later_yes_after_the_audit_has_begun_does_not_change_what_is_audited(audit):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(260, 2))
    truth = rows.sum(axis=1) > 0.5
    run = apu.Run(apu.ModelLearner(LogisticRegression(), audit=audit, questions=20), rows)
    late = []
    while len(run.questions) < 180 and (asked := run.ask()):
        question = asked[0]
        if question.note.phase == "model" and truth[question.item] and question.number > 5 and len(late) < 8:
            run.tell(question, apu.TIMEOUT)
            late.append(question)
        else:
            run.tell(question, bool(truth[question.item]))
    assert len(late) == 8
    before = str(run.result())
    for question in late:
        run.tell(question, True)
    assert str(run.result()) == before
    run.restore(run.questions)
    assert str(run.result()) == before


def test_the_printed_violation_says_what_it_assumes_about_checks_that_were_not_answered_in_time():
    run = a_run(rate=0.5, check=30)
    said = []
    while not run.finished:
        for question in run.ask():
            over = question.note.phase == "check" and len(said) < 2
            said += [question] if over else []
            run.tell(question, apu.TIMEOUT if over else bool(TRUTH[question.item] and question.item % 2 == 0))
    sentence = "2 checks were not answered in time; this probability assumes that positives are late as often as other"
    assert sentence in str(run.result().certificate)
    run.restore(run.questions)
    assert sentence in str(run.result().certificate)


def test_a_replay_takes_in_a_later_yes_when_it_came():
    run = apu.Run(apu.ModelLearner(LogisticRegression(), rate=0.5), ROWS)
    answer(run, 12)
    first, second = run.ask(2)
    run.tell(first, apu.TIMEOUT)
    run.tell(second, apu.TIMEOUT)
    answer(run, 3)
    run.tell(second, True)
    run.tell(first, True)
    answer(run, 3)
    moments = [(q.number, q.came) for q in (second, first)]
    before = run.result().predict_proba(ROWS)
    run.restore(run.questions)
    np.testing.assert_array_equal(run.result().predict_proba(ROWS), before)
    assert [(q.number, q.came) for q in (second, first)] == moments
    assert first.late
    assert second.late
