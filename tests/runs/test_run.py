"""The driver: what it sends a learner, and when."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs.recorder import Recorder, number_pool, run_of

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.experts import SKIP, CallbackExpert, SimulatedExpert
from activepu.hypotheses import Boxes, FiniteClass, Thresholds
from activepu.learners import Cal, KnownPrior, RevealRate
from activepu.pools import Pool, Sampler
from activepu.records import StopReason
from activepu.run import Run, learn


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_answers_told_in_any_order_are_folded_in_the_order_of_asking(order):
    run, sent = run_of()
    put = run.ask(4)
    for k in order:
        run.tell(put[k], k % 2 == 0)
        prefix = next((j for j in range(4) if put[j].answer is None), 4)
        assert sent == [(j, j % 2 == 0) for j in range(prefix)]
    assert run.history["item"] == [question.item for question in put]
    assert run.history["answer"] == [1, 0, 1, 0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["ask", "yes", "no", "skip", "undo", "again"]), st.integers(0, 30))))
def test_the_learner_is_always_sent_the_answered_prefix_without_skips(moves):
    run = Run(Recorder(), number_pool(12))
    for kind, k in moves:
        open_ = [q for q in run.questions if q.answer is None]
        told = [q for q in run.questions if isinstance(q.answer, bool)]
        if kind == "ask":
            run.ask(1 + k % 4)
        elif kind == "undo" and told:
            run.undo(told[k % len(told)])
        elif kind == "again" and told:
            question = told[k % len(told)]
            run.tell(question, question.answer)
        elif kind in ("yes", "no", "skip") and open_:
            run.tell(open_[k % len(open_)], {"yes": True, "no": False, "skip": SKIP}[kind])
        prefix = []
        for question in run.questions:
            if question.answer is None:
                break
            if question.answer is not SKIP:
                prefix.append((question.number, question.answer))
        assert run.learner.log[-1] == prefix
        assert run.history["answer"] == [int(answer) for _, answer in prefix]
        unskipped = [q.item for q in run.questions if q.answer is not SKIP]
        assert len(set(unskipped)) == len(unskipped)
        assert run.n_answered == sum(isinstance(q.answer, bool) for q in run.questions)
        assert run.result().n_queries == len(prefix)


def test_a_skipped_item_comes_back_as_a_new_question_when_the_others_are_asked():
    run, sent = run_of(n=3)
    first = run.ask()[0]
    run.tell(first, SKIP)
    assert sent == []
    others = run.ask(3)
    assert [q.item for q in others][-1] == first.item
    assert sorted(q.item for q in others) == [0, 1, 2]
    for question in others:
        run.tell(question, False)
    assert [number for number, _ in sent] == [1, 2, 3]
    assert run.ask() == []
    assert run.finished
    assert run.result().stop_reason.startswith(StopReason.NO_CANDIDATES)


def test_a_skip_in_the_middle_does_not_hold_up_the_others():
    run, sent = run_of()
    put = run.ask(3)
    run.tell(put[2], True)
    run.tell(put[0], False)
    run.tell(put[1], SKIP)
    assert sent == [(0, False), (2, True)]


def test_an_answer_that_is_refused_leaves_no_question_behind():
    run, sent = run_of()
    with pytest.raises(InvalidInput, match="got 1"):
        run.record(3, 1)
    assert run.questions == []
    run.record(3, True)
    assert sent == [(0, True)]  # the number of the question


def test_the_same_answer_twice_counts_once_and_another_is_refused():
    run, sent = run_of()
    (question,) = run.ask()
    run.tell(question, True)
    run.tell(question, np.True_)
    assert sent == [(0, True)]
    with pytest.raises(InvalidInput, match="Question 0 was already answered with True, and now False"):
        run.tell(question, False)
    (skipped,) = run.ask()
    run.tell(skipped, SKIP)
    run.tell(skipped, SKIP)
    with pytest.raises(InvalidInput, match="Question 1 was skipped and went back"):
        run.tell(skipped, True)
    run.undo(skipped)
    run.tell(skipped, False)
    assert run.learner.log[-1] == [(0, True), (1, False)]


def test_a_skip_is_not_taken_back_once_the_item_was_asked_again():
    run, _ = run_of(2)
    skipped, _ = run.ask(2)
    run.tell(skipped, SKIP)
    (again,) = run.ask()
    assert again.item == skipped.item
    with pytest.raises(InvalidInput, match="asked again as question 2"):
        run.undo(skipped)


def test_a_question_of_another_run_is_refused():
    run, _ = run_of()
    other, _ = run_of()
    run.ask()
    (foreign,) = other.ask()
    for do in (lambda: run.tell(foreign, True), lambda: run.undo(foreign), lambda: run.tell("question", True)):
        with pytest.raises(InvalidInput, match="never asked"):
            do()
    assert foreign.answer is None


@pytest.mark.parametrize("answer", [1, 0, None, "yes", np.nan, -1])
def test_an_answer_is_true_false_or_skip(answer):
    run, _ = run_of()
    (question,) = run.ask()
    with pytest.raises(InvalidInput, match=f"got {answer!r}"):
        run.tell(question, answer)


def test_undo_opens_the_question_again_and_replays_the_rest():
    learner = Recorder()
    run = Run(learner, number_pool())
    put = run.ask(3)
    for question in put:
        run.tell(question, True)
    run.undo(put[1])
    assert put[1].answer is None
    assert learner.log[-1] == [(0, True)]
    assert run.n_answered == 2
    with pytest.raises(InvalidInput, match="Question 1 has no answer yet"):
        run.undo(put[1])
    run.tell(put[1], False)
    assert learner.log[-1] == [(0, True), (1, False), (2, True)]
    assert run.ask()[0].item not in {question.item for question in put}


def in_box(X):
    return (np.abs(X - 0.5) <= 0.3).all(axis=1)


def test_undo_and_another_answer_leave_no_trace_of_the_first():
    pool = Pool(np.random.default_rng(0).random((800, 2)))
    run = Run(KnownPrior(Boxes(), 0.1, 0.1, prior=0.36), pool)
    for _ in range(20):
        (question,) = run.ask()
        run.tell(question, bool(in_box(question.row[None])[0]))
    corrected = [question for question in run.questions[:10] if question.revealed]
    assert corrected
    for question in corrected:
        run.undo(question)
        run.tell(question, False)
    revealed = [question.item for question in run.questions if question.revealed]
    assert run.result().hypothesis == Boxes(2).closure(pool.features(revealed))
    assert sum(run.history["answer"][:10]) == 0


def test_phases_that_rest_on_an_answer_keep_it():
    pool = Pool(np.random.default_rng(0).random((3000, 2)))
    run = Run(RevealRate(Boxes(), 0.3), pool)
    expert = SimulatedExpert(in_box, 1.0)
    while not run.questions or run.questions[-1].note.phase != "measure rate":
        (question,) = run.ask()
        run.tell(question, bool(expert.answer(np.array([question.item]), question.row[None])[0]))
    with pytest.raises(InvalidInput, match="'find positives, 1 revealed' of RevealRate already rests on it"):
        run.undo(run.questions[0])
    last = run.questions[-1]
    run.undo(last)
    run.tell(last, True)


def test_after_a_contradiction_everything_raises_until_the_answer_is_taken_back():
    run = Run(Cal(Thresholds(), 0.1, 0.3), number_pool(200))
    low, high = put = sorted(run.ask(2), key=lambda question: question.item)
    answers = {low: True, high: False}  # the larger number is negative although the smaller one is positive
    run.tell(put[0], answers[put[0]])
    with pytest.raises(AssumptionsViolated, match="'thresholds'"):
        run.tell(put[1], answers[put[1]])
    for do in (run.ask, run.result, lambda: run.tell(put[1], answers[put[1]])):
        with pytest.raises(AssumptionsViolated):
            do()
    run.undo(high)
    run.tell(high, True)
    assert run.result().n_revealed == 2
    assert run.ask()


def test_reveals_that_no_hypothesis_contains_are_named_as_such():
    everyone = CallbackExpert(lambda rows: np.ones(len(rows), bool))
    learner = KnownPrior(FiniteClass([lambda X: X[:, 0] < 25, lambda X: X[:, 0] >= 25]), 0.3, 0.3, prior=0.9)
    with pytest.raises(AssumptionsViolated, match="a revealed item may be wrong"):
        learn(learner, number_pool(200), everyone, batch=8)


def test_the_pool_running_dry_in_mid_run_is_a_result():
    result = learn(Recorder(sample=5), number_pool(33), SimulatedExpert(np.ones(33, bool), 1.0))
    assert result.n_queries == 6
    assert result.stop_reason.startswith("The pool ran dry: the recorder needs 5 fresh rows and 2 are left")
    assert result.hypothesis.predict(np.array(result.history["item"], float)).all()


def test_after_an_undo_samples_still_keep_clear_of_what_was_asked():
    expert = SimulatedExpert(np.ones(33, bool), 1.0)
    plain = learn(Recorder(sample=5), number_pool(33), expert)
    run = Run(Recorder(sample=5), number_pool(33))
    while not run.finished:
        for question in run.ask():
            run.tell(question, True)
    run.undo(run.questions[1])
    run.tell(run.questions[1], True)
    assert run.result().history == plain.history
    assert run.result().stop_reason == plain.stop_reason


def test_a_reveal_told_after_the_end_is_in_the_hypothesis():
    run, sent = run_of(enough=2)
    put = run.ask(4)
    for question in put:
        run.tell(question, True)
    assert sent == [(0, True), (1, True)]
    assert run.finished
    result = run.result()
    assert result.n_queries == result.n_revealed == 4
    assert result.predict(np.array([[q.item] for q in put], float)).all()
    assert result.version_space.allows(result.hypothesis)


def test_known_positives_are_required_and_never_asked():
    pool = Pool(np.array([0.0, 1.0, 2.0, 2.0, 3.0, 9.0]))
    run = Run(Recorder(), pool, positives=[2, 5])
    assert str(run.result().hypothesis) == "2 <= x0 <= 9"
    assert sorted(q.item for q in run.ask(10)) == [0, 1, 4]  # 3 shares the coin of 2
    learner = KnownPrior(Boxes(), 0.3, 0.3, prior=0.4)
    result = learn(
        learner, np.random.default_rng(0).random((500, 2)), SimulatedExpert(in_box, 1.0), positives=np.array([4, 8])
    )
    assert not {4, 8} & set(result.history["item"])
    assert "given beforehand" in str(result.certificate)


def test_known_positives_of_a_sampler_are_rows():
    sampler = Sampler(lambda n, rng: rng.random((n, 2)), dim=2)
    run = Run(KnownPrior(Boxes(), 0.2, 0.2, prior=0.36), sampler, positives=[[0.4, 0.4], [0.6, 0.5]])
    assert run.result().predict([[0.5, 0.45]]).all()


def test_twins_are_asked_once():
    X = np.repeat(np.arange(20.0), 10)
    result = learn(Recorder(), Pool(X), SimulatedExpert(lambda X: X[:, 0] > 5, 1.0))
    assert result.n_queries == 20
    assert len(set(X[result.history["item"]])) == 20
    assert result.stop_reason.startswith(StopReason.NO_CANDIDATES)


def test_rows_are_shown_as_the_user_gave_them():
    table = pd.DataFrame({"x": [1.0, 2.0], "name": ["ann", "bob"]})
    (question,) = Run(Recorder(), Pool(table, features=["x"])).ask()
    assert question.row["name"] == table["name"][question.item]
    (question,) = Run(Recorder(), Pool(table, features=["x"], show=["name"])).ask()
    assert question.row.to_dict() == {"name": table["name"][question.item]}


def test_ask_needs_a_whole_number():
    run, _ = run_of()
    with pytest.raises(InvalidInput, match="n must be at least 1, got 0"):
        run.ask(0)
