"""What people do first, and what they then expect."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import activepu as apu

ROWS = np.random.default_rng(0).random((2000, 2))
TRUTH = (ROWS > 0.5).all(axis=1)
LEARNER = apu.KnownPrior(apu.Boxes(), 0.1, 0.1, prior=0.27)


def test_answers_that_wait_for_an_earlier_one_are_named():
    run = apu.Run(LEARNER, ROWS)
    first, *others = run.ask(5)
    for question in others:
        run.tell(question, bool(TRUTH[question.item]))
    assert run.open == [first]
    waiting = run.result()
    assert waiting.n_queries == 0
    assert "4 answer(s) wait for the answer to question 0" in waiting.stop_reason
    run.tell(first, False)
    assert run.open == []
    assert run.result().n_queries == 5
    assert "wait" not in run.result().stop_reason


def test_answers_that_wait_are_named_after_the_end_too():
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.1, rate=0.9, check=0), ROWS[:, :1])
    while not run.finished:
        put = run.ask(8)
        for question in put:
            if not run.finished:
                run.tell(question, bool(ROWS[question.item, 0] > 0.5))
    assert len(run.open) > 1
    assert run.result().stop_reason == apu.StopReason.TARGET
    run.tell(run.open[1], True)
    assert f"1 answer(s) wait for the answer to question {run.open[0].number}" in run.result().stop_reason


def test_a_bound_on_the_error_is_never_above_the_bound_on_the_positives():
    assert apu.Run(LEARNER, ROWS).result().certificate.error_bound == 0.27


def test_a_loose_prior_is_named_when_the_pool_runs_dry():
    loose = apu.KnownPrior(apu.Boxes(), 0.1, 0.1, prior=0.9)
    result = apu.learn(loose, ROWS, apu.SimulatedExpert(TRUTH))
    assert "tighter upper bound of the share of positives" in result.stop_reason
    assert (result.predict(ROWS) != TRUTH).mean() <= result.certificate.error_bound


def test_a_question_carries_the_users_own_key():
    table = pd.DataFrame({"key": [f"k{i}" for i in range(2000)], "a": ROWS[:, 0], "b": ROWS[:, 1]})
    pool = apu.Pool(table, id="key")
    question = apu.Run(LEARNER, pool).ask()[0]
    assert question.id == f"k{question.item}"


def test_an_expert_may_skip_by_name():
    answers = iter([apu.SKIP, True, False])
    expert = apu.CallbackExpert(lambda rows: [next(answers, False) for _ in rows])
    result = apu.learn(LEARNER, ROWS, expert, budget=3)
    assert (result.n_queries, result.n_revealed) == (3, 1)


def test_a_class_in_place_of_a_learner_is_refused_in_a_sentence():
    with pytest.raises(apu.InvalidInput, match="must be an object such as ZCal"):
        apu.learn(apu.KnownPrior, ROWS, apu.SimulatedExpert(TRUTH))
    with pytest.raises(apu.InvalidInput, match=r"the order is learn\(learner, pool, expert\)"):
        apu.learn(ROWS, LEARNER, apu.SimulatedExpert(TRUTH))


def test_predict_takes_the_whole_table():
    table = pd.DataFrame({"key": np.arange(2000).astype(str), "a": ROWS[:, 0], "b": ROWS[:, 1]})
    result = apu.learn(LEARNER, apu.Pool(table, features=["a", "b"]), apu.SimulatedExpert(TRUTH))
    assert (result.predict(table) == result.predict(ROWS)).all()
    assert (result.predict(table, abstain=True) == result.predict(ROWS, abstain=True)).all()


def test_a_model_that_was_fitted_on_names_scores_arrays_without_a_word():
    table = pd.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1]})
    model = LogisticRegression().fit(table, TRUTH)
    for H in (apu.Thresholds(model), apu.FiniteClass([model])):
        assert len(H.bind(2).encode(ROWS)) == 2000


def test_what_is_certain_never_contradicts_the_rule_even_where_members_are_sampled():
    rows = np.random.default_rng(1).normal(size=(1500, 3))
    truth = rows.sum(axis=1) > 0.5
    learner = apu.KnownPrior(apu.Halfspaces(), 0.2, 0.2, prior=0.42)
    result = apu.learn(learner, rows, apu.SimulatedExpert(truth), budget=12)
    assert result.certificate.method == "sampled"
    decided = result.predict(rows, abstain=True)
    assert (decided[decided >= 0] == result.predict(rows)[decided >= 0]).all()
    assert sum(len(result.items(kind)) for kind in ("positive", "undecided", "negative")) == 1500


def test_an_item_that_was_given_as_positive_cannot_be_recorded():
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.1), np.arange(100.0), positives=[90])
    with pytest.raises(apu.InvalidInput, match="Item 90 was given as positive"):
        run.record(90, True)
