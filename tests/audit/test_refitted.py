"""A classifier as score: fitted, it ranks as it is; unfitted, it learns from the answers of a search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import activepu as apu
from activepu.errors import InvalidInput, StudyDiffers

N = 400
RNG = np.random.default_rng(5)
SCORE = RNG.random(N)
TRUTH = RNG.random(N) < SCORE**6
X = np.column_stack([SCORE, RNG.random(N)])
EXPERT = apu.SimulatedExpert(TRUTH, rate=0.8, seed=1)
CONFIRMABLE = np.flatnonzero(EXPERT.answer(np.arange(N), None))


def found(**settings: Any) -> apu.Audit:
    return apu.Audit("found", **{"recall": 0.8, "delta": 0.1} | settings)


def test_a_classifier_is_fitted_on_the_answers_as_they_come() -> None:
    result = apu.learn(found(score=LogisticRegression()), X, EXPERT)
    assert len(result.found) >= 0.8 * len(CONFIRMABLE)
    blind = apu.learn(found(score=None), X, EXPERT)
    assert result.n_queries < blind.n_queries


def _old() -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(0).random((60, 2)), np.arange(60) % 2 == 0


@pytest.mark.parametrize("model", [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_a_classifier_that_is_fitted_ranks_as_it_is(model: Any) -> None:
    fitted = clone(model).fit(*_old())
    as_numbers = apu.learn(found(score=fitted.decision_function(X)), X, EXPERT, budget=60)
    as_model = apu.learn(found(score=fitted), X, EXPERT, budget=60)
    learning = apu.learn(found(score=model), X, EXPERT, budget=60)
    assert as_model.history["item"] == as_numbers.history["item"]
    assert as_model.history["item"] != learning.history["item"]
    assert apu.learn(found(score=clone(fitted)), X, EXPERT, budget=60).history == learning.history


def test_a_fitted_classifier_is_a_score_of_other_audits_and_an_unfitted_one_is_refused() -> None:
    fitted = LogisticRegression().fit(*_old())
    by_model = apu.learn(apu.Audit(SCORE > 0.5, score=fitted), X, EXPERT, budget=30)
    by_numbers = apu.learn(apu.Audit(SCORE > 0.5, score=fitted.decision_function(X)), X, EXPERT, budget=30)
    assert by_model.history["item"] == by_numbers.history["item"]
    with pytest.raises(InvalidInput, match="score = LogisticRegression is not fitted; fit it first"):
        apu.Run(apu.Audit(SCORE > 0.5, score=LogisticRegression()), X)
    with pytest.raises(InvalidInput, match="score = LogisticRegression is not fitted; fit it first"):
        apu.Run(apu.ModelLearner(audit={"recall": 0.8, "score": LogisticRegression()}), X)
    with pytest.raises(InvalidInput, match=r"score = LogisticRegression cannot score the rows of the pool \("):
        apu.Run(found(score=fitted), X[:, :1])
    learner = apu.ModelLearner(LogisticRegression(), audit={"classifier": "found", "score": fitted}, questions=20)
    assert apu.learn(learner, X, EXPERT, budget=40).n_queries == 40


def test_a_study_tells_a_fitted_classifier_from_another_and_from_one_that_learns(tmp_path: Path) -> None:
    x, y = _old()
    fitted, other, unfitted = (
        LogisticRegression().fit(x, y),
        LogisticRegression().fit(x, x[:, 0] > 0.5),
        LogisticRegression(),
    )
    for model, others in ((fitted, (other, unfitted)), (unfitted, (fitted,))):
        url = f"sqlite:///{tmp_path}/{model is fitted}.db"
        with apu.Study.create(url, "found", X, found(score=model)) as study:
            for question in study.ask("ann", n=5):
                study.tell(question.token, question.item in CONFIRMABLE)
        with apu.Study.load(
            url, "found", pool=X, learner=found(score=clone(model).fit(x, y) if model is fitted else model)
        ):
            pass
        for wrong in others:
            with pytest.raises(
                StudyDiffers, match=r"say something else about this pool|an unfitted LogisticRegression"
            ):
                apu.Study.load(url, "found", pool=X, learner=found(score=wrong))


def test_a_classifier_that_cannot_read_the_pool_is_refused_before_the_first_question() -> None:
    missing = X.copy()
    missing[200, 1] = np.nan
    texts = pd.DataFrame({"text": [f"word {i}" for i in range(N)]})
    one_column = make_pipeline(FunctionTransformer(lambda rows: np.asarray(rows)[:, [5]]), LogisticRegression())
    for table, model, why in (
        (missing, LogisticRegression(), "contains NaN"),
        (texts.to_numpy(), LogisticRegression(), "could not convert string to float"),
        (X, one_column, "out of bounds"),
    ):
        with pytest.raises(InvalidInput, match=rf"^score = \w+ cannot be fitted to the rows of the pool \(.*{why}"):
            apu.Run(found(score=model), apu.Pool(table, raw=True))
    apu.Run(
        found(score=make_pipeline(make_column_transformer((TfidfVectorizer(), "text")), LogisticRegression())), texts
    )
    apu.Run(found(score=LogisticRegression()), X[:1])


class Moody(LogisticRegression):
    """It cannot be fitted to 20 to 39 answers."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Moody:
        if 20 <= len(y) < 40:
            raise ArithmeticError("it did not converge.\nTry again")
        return super().fit(X, y, sample_weight)


def test_a_fit_that_fails_in_mid_run_loses_nothing() -> None:
    run, said = apu.Run(found(score=Moody()), X), {}
    while run.n_answered < 80:
        [question] = run.ask()
        run.tell(question, question.item in CONFIRMABLE)
        said[run.n_answered] = str(run.result())
    failed = [
        n for n, text in said.items() if "could not be fitted to the last answers (it did not converge), " in text
    ]
    assert 20 <= min(failed) < 26
    assert 39 <= max(failed) < 46
    assert len(failed) > 10
    assert run.result().n_revealed > 10
