"""Which label of a classifier is positive must be plain; and what a user should hear before the first question."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import activepu as apu

X = np.random.default_rng(0).normal(size=(600, 2))
Y = X.sum(axis=1) > 1


@pytest.mark.parametrize("labels", [np.where(Y, "fraud", "ok"), np.where(Y, 1, 2), np.arange(600) % 3])
@pytest.mark.parametrize("model", [LogisticRegression(), make_pipeline(StandardScaler(), RidgeClassifier())])
def test_labels_that_do_not_say_what_is_positive_are_refused(model, labels):
    model = model.fit(X, labels)
    for audit in (apu.Audit(model, recall=0.5), apu.Audit(Y, score=model, recall=0.5)):
        with pytest.raises(apu.InvalidInput, match=r"fitted on the labels .* which do not say what is positive"):
            apu.Run(audit, X)


def test_a_cut_of_such_a_score_is_refused_too():
    model = LogisticRegression().fit(X, np.where(Y, "fraud", "ok"))
    with pytest.raises(apu.InvalidInput, match="which do not say what is positive"):
        apu.Run(apu.ZCal(apu.Thresholds(model), 0.1, 0.1), X)


@pytest.mark.parametrize("labels", [Y, Y.astype(int), Y.astype(float), 2 * Y.astype(int) - 1])
def test_zero_and_one_minus_one_and_one_and_booleans_do(labels):
    model = LogisticRegression().fit(X, labels)
    result = apu.learn(apu.Audit(model, rate=1.0), X, apu.SimulatedExpert(Y, 1.0), budget=600)
    assert result.recall.low > 0.9


def test_rows_alike_are_told_of_before_the_first_question_because_nothing_is_bet_then():
    table = np.repeat(X[:, :1], 2, axis=0)
    with pytest.warns(UserWarning, match=r"^600 rows look the same to the expert as an earlier one\. So the target"):
        apu.Run(apu.Audit(table[:, 0] > 0, recall=0.5), table)
    apu.Run(apu.Audit(X[:, 0] > 0, recall=0.5), X)  # no warning, which would be an error here


def test_a_yes_that_comes_too_late_is_found():
    run = apu.Run(apu.Audit("found", recall=0.9, score=X[:, 0]), X)
    late, never, *others = run.ask(40)
    for question in (late, never):
        run.tell(question, apu.TIMEOUT)
    for question in others:
        run.tell(question, bool(Y[question.item]))
    before = run.result()
    run.tell(late, True)
    after = run.result()
    assert late.item in after.found
    assert never.item not in after.found
    assert len(after.found) == len(before.found) + 1
    assert after.missing == before.missing
    assert "in time" not in str(after.certificate)
    run.restore(run.questions)
    assert str(run.result()) == str(after)


def test_what_a_late_yes_found_is_not_missing_as_well():
    run = apu.Run(apu.Audit("found", delta=0.5), np.arange(60), seed=1)
    late, *others = run.ask(40)
    run.tell(late, apu.TIMEOUT)
    for question in others:
        run.tell(question, True)
    run.tell(late, True)
    result = run.result()
    assert len(result.found) == 40
    assert result.missing[0] > 1
    assert result.recall.high == pytest.approx(40 / (40 + result.missing[0] - 1))
