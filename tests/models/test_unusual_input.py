"""What a model learner does with answers, rates and tables that are out of the ordinary."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from models.scenes import NEW, PLANE, TRUTH, forest
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import activepu as apu
from activepu.models.fitted import FittedModel
from activepu.models.strategies import Strategy
from activepu.pools import frames

EXPERT = apu.SimulatedExpert(TRUTH, rate=0.5)


def quick(strategy="information", **settings):
    return apu.ModelLearner(forest(20), strategy, **settings)


@pytest.mark.parametrize("estimator", [forest(20), apu.models.ChannelLogistic()])
def test_positives_given_beforehand_say_nothing_about_the_rate(estimator):
    given = np.flatnonzero(TRUTH)[:40]
    quiet = apu.SimulatedExpert(TRUTH, rate=0.25, seed=3)
    result = apu.learn(apu.ModelLearner(estimator, patience=None), PLANE, quiet, positives=given, budget=120, batch=20)
    assert result.rate.estimate < 0.6
    silent = apu.CallbackExpert(lambda rows: np.zeros(len(rows), bool))
    result = apu.learn(apu.ModelLearner(estimator, patience=None), PLANE, silent, positives=given, budget=20, batch=20)
    assert result.rate is None  # nobody has revealed anything


@pytest.mark.parametrize("estimator", [forest(20), apu.models.ChannelLogistic()])
def test_a_rate_that_is_known_is_used(estimator):
    learner = apu.ModelLearner(estimator, rate=0.3, patience=None)
    assert apu.learn(learner, PLANE, EXPERT, budget=60, batch=20).rate.estimate == 0.3


def test_seeds_next_to_each_other_ask_other_items():
    asked = [[question.item for question in apu.Run(quick("random"), PLANE, seed=seed).ask(40)] for seed in (0, 1)]
    assert len(set(asked[0][1:]) & set(asked[1][:-1])) < 20


def test_an_expert_who_fails_does_not_take_the_answers_with_him():
    calls = []

    def fails_later(rows):
        calls.append(len(rows))
        if len(calls) == 3:
            raise RuntimeError("the line is dead")
        return np.ones(len(rows), bool)

    with pytest.raises(RuntimeError, match="the line is dead") as caught:
        apu.learn(quick(), PLANE, apu.CallbackExpert(fails_later), batch=10)
    assert len(caught.value.answers) == 20


def test_experts_rows_must_be_those_of_the_pool():
    with pytest.raises(apu.InvalidInput, match="one per item, got 10 for"):
        apu.learn(quick(), PLANE, apu.CallbackExpert(lambda rows: rows[:, 0] > 0, rows=PLANE[:10]))
    with pytest.raises(apu.InvalidInput, match="row numbers from 0 to"):
        apu.Run(quick(), PLANE).record(10**6, True)


def test_a_saved_result_is_read_with_its_rule(tmp_path):
    result = apu.learn(quick(patience=None), PLANE, EXPERT, budget=60, batch=20)
    result.save(tmp_path / "model.json")
    again = apu.load_result(tmp_path / "model.json", result.hypothesis)
    assert (again.predict(NEW) == result.predict(NEW)).all()
    with pytest.raises(apu.InvalidInput, match="or a rule of it"):
        apu.load_result(tmp_path / "model.json", [1])


CANNOT_READ = [
    (NEW[:, :1], "cannot read this table"),
    (NEW[0], "one row per item"),
    (NEW[0].tolist(), "one row per item"),
    ([[0.1, 0.2], [0.3]], "rows of different lengths"),
]


@pytest.mark.parametrize(("table", "says"), CANNOT_READ)
def test_a_table_that_the_model_cannot_read_gets_a_sentence(table, says):
    result = apu.learn(quick(patience=None), PLANE, EXPERT, budget=40, batch=20)
    with pytest.raises(apu.InvalidInput, match=says):
        result.predict(table)


def test_a_nested_list_is_read_as_the_array_of_its_rows():
    rule = apu.learn(quick(patience=None), PLANE, EXPERT, budget=40, batch=20).hypothesis
    assert (rule.predict_proba(NEW[:5].tolist()) == rule.predict_proba(NEW[:5])).all()
    assert FittedModel(None, "nothing", None).predict_proba(NEW[:5].tolist()).tolist() == [[1.0, 0.0]] * 5


def test_where_nothing_is_certified_nothing_is_assumed():
    run = apu.Run(quick(rate=0.5), PLANE)
    for item in range(20):
        run.record(item, bool(TRUTH[item]))
    assert str(run.result().certificate) == "No bound on the error is certified."
    assert "Reveal rate: 0.5 (given)." in str(run.result())


def test_a_table_that_the_model_cannot_take_is_refused_before_the_first_question():
    texts = [[country, kind] for country, kind in zip(["de", "at"] * 300, ["x", "y"] * 300, strict=True)]
    with pytest.raises(apu.InvalidInput, match=r"Forest.*could not convert.*columns 0, 1, or pass a DataFrame, whose"):
        apu.Run(apu.ModelLearner(RandomForestClassifier(5)), texts)
    negative = pd.DataFrame(PLANE, columns=["a", "b"]).assign(country=["de", "at"] * 300)
    with pytest.raises(apu.InvalidInput, match=r"NB cannot.*Negative values.*features made .* the column 'country'\.$"):
        apu.Run(apu.ModelLearner(MultinomialNB()), negative)
    encoded = make_pipeline(OneHotEncoder(handle_unknown="ignore"), RandomForestClassifier(5))
    assert apu.Run(apu.ModelLearner(encoded), negative).ask()


@pytest.mark.parametrize(("gap", "kind"), [(None, object), (np.inf, float), (np.nan, np.float32)])
def test_a_gap_in_a_late_row_is_met_before_the_first_question_if_the_model_cannot_take_it(gap, kind):
    table = np.column_stack([PLANE[:, 0], np.ones(len(PLANE))]).astype(kind)
    table[-2, 1] = gap
    with pytest.raises(apu.InvalidInput, match=r"Regression.*X contains|fills the column 1, or pass a DataFrame"):
        apu.Run(apu.ModelLearner(LogisticRegression()), table)
    if gap is not np.inf and gap is not None:
        filled = make_pipeline(SimpleImputer(), LogisticRegression())
        assert apu.Run(apu.ModelLearner(filled), table).ask()


def test_a_model_that_wants_more_rows_than_it_is_tried_on_is_not_refused_for_a_gap():
    table = np.random.default_rng(0).normal(size=(400, 150))
    table[399, 4] = np.nan
    wide = make_pipeline(SimpleImputer(), PCA(120), LogisticRegression())
    assert apu.Run(apu.ModelLearner(wide), table).ask()


def test_a_model_that_raises_over_a_row_which_it_scores_keeps_the_answers():
    class Picky(RandomForestClassifier):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight)
            self.estimators_[0] = None
            return self

    expert = apu.SimulatedExpert(TRUTH, rate=0.5)
    with pytest.raises(apu.ModelFailed, match=r"Picky raised AttributeError after \d+ answers?: ") as failed:
        apu.learn(apu.ModelLearner(Picky(5)), PLANE, expert, budget=60)
    assert len(failed.value.answers) >= 1


def test_a_sparse_pool_gets_a_sentence():
    with pytest.raises(apu.InvalidInput, match=r"sparse matrix; pass X\.toarray"):
        apu.Run(quick(), sp.csr_array(PLANE))


@pytest.mark.parametrize("kind", ["Int64", "boolean", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_forests_take_gaps_in_columns_of_every_kind_of_number(kind):
    column = pd.array([True, None, False] * 200, dtype="boolean").astype(kind)
    table = pd.DataFrame({"a": PLANE[:, 0], "b": PLANE[:, 1], "c": column})
    result = apu.learn(quick(), table, EXPERT, budget=40, batch=20)
    assert result.predict(table).shape == (600,)


def test_a_forest_is_not_asked_about_infinity():
    result = apu.learn(quick(), PLANE, EXPERT, budget=40, batch=20)
    with pytest.raises(apu.InvalidInput, match="infinite"):
        result.predict(np.full((1, 2), np.inf))


def test_the_default_for_wide_tables_takes_gaps():
    table = np.column_stack([PLANE, np.random.default_rng(0).normal(size=(600, 120))])
    table[::7, 5] = np.nan
    result = apu.learn(apu.ModelLearner(), table, EXPERT, budget=40, batch=20)
    assert "ChannelLogistic" in str(result)
    assert result.predict(table).shape == (600,)


@pytest.mark.parametrize("said", [np.full((600, 2), 3.0), np.full((600, 2), np.nan), np.zeros(600)])
def test_scores_that_are_no_probabilities_are_named(said):
    class Odd(LogisticRegression):
        def predict_proba(self, X):
            return said[: len(X)]

    with pytest.raises(apu.ModelFailed, match="predict_proba must give one row per item and numbers from 0 to 1, got"):
        apu.learn(apu.ModelLearner(Odd()), PLANE, EXPERT, budget=40, batch=20)


class Odd(Strategy):
    """Gives every candidate the same, or one number for all."""

    name = "odd"

    def __init__(self, said):
        self.said = said

    def utility(self, view):
        return np.asarray(self.said) if isinstance(self.said, list) else np.full(len(view.probability), self.said)


def test_a_strategy_may_be_off_by_rounding():
    assert apu.learn(apu.ModelLearner(forest(5), Odd(-1e-16)), PLANE, EXPERT, budget=40, batch=20).n_queries == 40


@pytest.mark.parametrize("said", [np.nan, -1.0, [1.0]])
def test_a_strategy_that_gives_no_utilities_is_named(said):
    with pytest.raises(apu.InvalidInput, match=r"A strategy must give a number, zero or more, for each .* Odd\("):
        apu.learn(apu.ModelLearner(forest(5), Odd(said)), PLANE, EXPERT, budget=60, batch=20)


def test_without_any_reveal_it_says_that_known_positives_may_be_passed():
    silent = apu.SimulatedExpert(np.zeros(600, bool))
    result = apu.learn(quick(), PLANE, silent, budget=20, batch=20)
    assert "No bound on the error is certified: no positive is known yet; positives=" in str(result)


def test_a_file_is_learned_from_without_pandas(tmp_path, monkeypatch):
    """Its columns stay an Arrow table, of which rows are taken by numbers and by slices."""
    made = pd.DataFrame(PLANE[:150], columns=["a", "b"])
    made.to_csv(tmp_path / "t.csv", index=False)
    expert = apu.SimulatedExpert(TRUTH[:150], rate=0.8)
    learner = quick()
    with_pandas = apu.learn(learner, tmp_path / "t.csv", expert, budget=30, batch=3)
    monkeypatch.setattr(frames, "_frame_of", lambda table: table)
    without = apu.learn(learner, tmp_path / "t.csv", expert, budget=30, batch=3)
    assert without.history == with_pandas.history
