"""Which classifier reads a pool as it is, and which is given features; and a whole run on a table as it comes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, LabelBinarizer, OneHotEncoder, OrdinalEncoder
from sklearn.svm import SVC

import activepu as apu
from activepu.features import reading as home
from activepu.features.reading import reading
from activepu.pools import frames
from activepu.studies.saved_model import write_model

TableFeatures_fit = home.TableFeatures.fit
RNG = np.random.default_rng(1)
N = 240
KINDS = np.array(["grocery", "fuel", "wire transfer", "gift card"])


def scene(n=N):
    """Transactions: the large ones by wire and by gift card are fraud."""
    kind = RNG.integers(0, 4, n)
    amount = np.exp(RNG.normal(3, 1, n))
    place = RNG.choice(["north", "south"], n)
    table = pd.DataFrame(
        {
            "key": [f"T{k:05d}" for k in range(n)],
            "amount": amount,
            "country": RNG.choice(["DE", "FR", "GB"], n),
            "merchant": [f"{KINDS[k]} {where} {row}" for row, (k, where) in enumerate(zip(kind, place, strict=True))],
            "age": np.where(RNG.random(n) < 0.15, np.nan, RNG.integers(18, 90, n)),
            "when": pd.Timestamp("2026-01-01") + pd.to_timedelta(RNG.integers(0, 9000, n), unit="h"),
            "note": None,
        }
    )
    return table, (kind >= 2) & (amount > 12)


TABLE, FRAUD = scene()
EXPERT = apu.SimulatedExpert(FRAUD, rate=0.7)
MODELS = {
    "forest": (RandomForestClassifier(30), "trees"),
    "nothing": (None, "trees"),
    "logistic": (LogisticRegression(max_iter=500), "linear"),
    "channel": (apu.models.ChannelLogistic(), "linear"),
    "histogram": (HistGradientBoostingClassifier(max_iter=8, min_samples_leaf=5), "native"),
    "bayes": (GaussianNB(), "linear"),
    "vectors": (SVC(), "linear"),
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_kind_of_classifier_learns_from_a_table_as_it_comes(kind):
    estimator, way = MODELS[kind]
    learner = apu.ModelLearner(estimator)
    assert learner.features(TABLE).way == way
    known = np.flatnonzero(FRAUD)[:10]
    result = apu.learn(learner, TABLE, EXPERT, positives=known, budget=60, batch=30)
    new, truth = scene()
    new.loc[:20, "country"] = "a new one"
    new.loc[10:30, ["amount", "merchant", "when"]] = None
    p = result.predict_proba(new)[:, 1]
    assert np.isfinite(p).all()
    assert roc_auc_score(truth, p) > 0.6
    used = TABLE.head(5).drop(columns=["key", "note"]).iloc[:, ::-1].assign(more=1)
    assert (result.predict(TABLE)[:5] == result.predict(used)).all()
    with pytest.raises(apu.InvalidInput, match="no column 'amount', which was a feature"):
        result.predict(used.drop(columns="amount"))
    assert "note (empty)" in str(result)
    assert "key (a key, different in every row)" in str(result)


def test_a_file_gives_the_same_run_as_a_data_frame_with_or_without_pandas(tmp_path, monkeypatch):
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    learner = apu.ModelLearner(ExtraTreesClassifier(10))
    runs = [apu.learn(learner, table, EXPERT, budget=40, batch=20) for table in (TABLE, tmp_path / "t.csv")]
    monkeypatch.setattr(frames, "_frame_of", lambda table: table)
    runs.append(apu.learn(learner, tmp_path / "t.csv", EXPERT, budget=40, batch=20))
    assert runs[0].history == runs[1].history == runs[2].history


def test_importances_carry_the_names_of_columns_categories_and_terms():
    known = np.flatnonzero(FRAUD)[:20]
    for estimator in (ExtraTreesClassifier(30), LogisticRegression()):
        result = apu.learn(apu.ModelLearner(estimator), TABLE, EXPERT, positives=known, budget=60, batch=20)
        found = result.model.importances()
        assert {"amount", "country = DE", 'merchant: "wire transfer"', "when: hour"} < set(found)
        assert set(list(found)[:8]) & {"amount", 'merchant: "wire transfer"', 'merchant: "gift card"'}
        assert list(found.values()) == sorted(found.values(), reverse=True)
        assert list(result.model.importances(most=3)) == list(found)[:3]
    boosting = apu.learn(apu.ModelLearner(MODELS["histogram"][0]), TABLE, EXPERT, positives=known, budget=20, batch=20)
    with pytest.raises(apu.InvalidInput, match="HistGradientBoostingClassifier has no feature importances"):
        boosting.model.importances()


def test_names_go_through_the_users_own_pipeline_where_it_tells_them():
    columns = make_column_transformer((OneHotEncoder(), ["country"]), ("passthrough", ["amount"]))
    known = np.flatnonzero(FRAUD)[:10]
    for last in (RandomForestClassifier(10), LogisticRegression(), apu.models.ChannelLogistic()):
        learner = apu.ModelLearner(make_pipeline(columns, last))
        result = apu.learn(learner, TABLE, EXPERT, positives=known, budget=20, batch=20)
        assert set(result.model.importances()) == {
            "onehotencoder__country_DE",
            "onehotencoder__country_FR",
            "onehotencoder__country_GB",
            "passthrough__amount",
        }
    nameless = make_pipeline(columns, FunctionTransformer(), RandomForestClassifier(10))
    result = apu.learn(apu.ModelLearner(nameless), TABLE, EXPERT, positives=known, budget=20, batch=20)
    assert set(result.model.importances()) == {"x0", "x1", "x2", "x3"}


class ReadsTexts(LogisticRegression):
    """A classifier of another library, which reads texts by itself."""

    def fit(self, X, y):
        return super().fit(self.lengths(X), y)

    def predict_proba(self, X):
        return super().predict_proba(self.lengths(X))

    @staticmethod
    def lengths(X):
        return np.column_stack([X["merchant"].str.len(), X["amount"]])


NUMBERS = TABLE[["amount"]]
AS_THEY_ARE = {
    "numbers": (LogisticRegression(), NUMBERS),
    "numbers with gaps for a forest": (RandomForestClassifier(5), TABLE[["amount", "age"]]),
    "a pipeline": (make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()), TABLE),
    "what holds a pipeline": (
        CalibratedClassifierCV(make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())),
        TABLE,
    ),
    "another library's": (ReadsTexts(), TABLE),
    "an array": (RandomForestClassifier(5), NUMBERS.to_numpy()),
}


@pytest.mark.parametrize("case", AS_THEY_ARE)
def test_what_a_classifier_can_read_is_read_as_it_is(case):
    estimator, table = AS_THEY_ARE[case]
    read = reading(estimator, apu.Pool(table, raw=True))
    assert read.features is None
    assert read.estimator is estimator
    assert type(read.rows([0])) is type(table)


def test_numbers_with_gaps_are_filled_for_a_classifier_that_takes_none():
    read = reading(LogisticRegression(), apu.Pool(TABLE[["amount", "age"]], raw=True))
    assert read.features.get_feature_names_out().tolist() == ["amount", "age", "age is missing"]
    assert np.isfinite(read.rows()).all()


def test_the_features_of_a_pool_are_made_once(monkeypatch):
    made = []
    monkeypatch.setattr(home.TableFeatures, "fit", lambda self, X: made.append(1) or TableFeatures_fit(self, X))
    pool = apu.Pool(TABLE, raw=True)
    for _ in range(2):
        run = apu.Run(apu.ModelLearner(RandomForestClassifier(5)), pool)
        for question in run.ask(3):
            run.tell(question, False)
        run.undo(run.questions[1])
    apu.Run(apu.Audit("found", score=RandomForestClassifier(5)), pool)
    assert len(made) == 1


RARE = pd.DataFrame({"amount": np.arange(N) % 11, "country": ["DE", "FR"] * (N // 2)})
RARE.loc[N - 3, "country"] = "LI"
ENCODERS = {
    "one column each": make_column_transformer((OneHotEncoder(), ["country"]), remainder="passthrough"),
    "numbered": make_column_transformer((OrdinalEncoder(), ["country"]), remainder="passthrough"),
    "nested": make_pipeline(make_column_transformer((make_pipeline(OrdinalEncoder()), ["country"]))),
    "united": make_pipeline(make_union(OneHotEncoder(), OrdinalEncoder())),
    "with labels": make_pipeline(OrdinalEncoder(), SelectKBest(chi2, k=1)),
}


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_pipeline_is_told_the_categories_of_the_whole_pool(encoder):
    learner = apu.ModelLearner(make_pipeline(ENCODERS[encoder], RandomForestClassifier(5)))
    result = apu.learn(learner, RARE, apu.SimulatedExpert(RARE["amount"] > 7), budget=20, batch=10)
    assert result.predict(RARE).shape == (N,)
    with pytest.raises(apu.InvalidInput, match="unknown categories"):
        result.predict(RARE.assign(country="never seen"))


def test_a_pipeline_that_cannot_be_told_is_refused_before_the_first_question():
    class Binarizer(LabelBinarizer):
        def fit(self, X, y=None):
            self.known_ = set(X["country"])
            return self

        def fit_transform(self, X, y=None):
            return self.fit(X).transform(X)

        def transform(self, X):
            if strange := set(X["country"]) - self.known_:
                raise ValueError(f"y contains previously unseen labels: {strange}")
            return X[["amount"]].to_numpy()

    learner = apu.ModelLearner(make_pipeline(Binarizer(), LogisticRegression()))
    with pytest.raises(apu.InvalidInput, match=r"Pipeline cannot judge rows with values .*unseen.*'country', or"):
        apu.Run(learner, RARE)


def test_a_study_is_replayed_with_the_same_features(tmp_path):
    place, learner = f"sqlite:///{tmp_path}/s.db", apu.ModelLearner(ExtraTreesClassifier(10, random_state=0))
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    with apu.Study.create(place, "fraud", apu.Pool(tmp_path / "t.csv", raw=True, id="key"), learner) as study:
        for _ in range(15):
            [question] = study.ask("ann")
            study.tell(question.token, bool(FRAUD[question.item]))
        study.undo("ann")
        said = study.result().predict_proba(TABLE)
    with apu.Study.load(place, "fraud", learner=learner) as study:
        assert (study.result().predict_proba(TABLE) == said).all()
        assert study.status().answered == 14


def test_a_model_with_features_is_saved_and_loaded(tmp_path):
    skops = pytest.importorskip("skops.io")
    known = np.flatnonzero(FRAUD)[:10]
    for estimator in (RandomForestClassifier(5), LogisticRegression()):
        result = apu.learn(apu.ModelLearner(estimator), TABLE, EXPERT, positives=known, budget=20, batch=20)
        write_model(tmp_path / "m.skops", result)
        needed = skops.get_untrusted_types(file=tmp_path / "m.skops")
        again = skops.load(tmp_path / "m.skops", trusted=needed)
        assert (again.predict_proba(TABLE) == result.predict_proba(TABLE)).all()
        assert again.model.importances() == result.model.importances()


def test_the_estimator_of_scikit_learn_takes_a_table_as_it_comes():
    clf = apu.ActivePUClassifier(budget=40, batch=20, random_state=0).fit(TABLE, EXPERT)
    assert clf.predict_proba(TABLE).shape == (N, 2)
    y = np.full(N, -1)
    y[:60] = EXPERT.answer(np.arange(60), None)
    again = apu.ActivePUClassifier(LogisticRegression(), random_state=0).fit(TABLE, y)
    assert again.predict(TABLE.assign(key="T1"))[FRAUD].mean() > 0.5


def test_the_ranking_of_an_audit_learns_from_a_table_as_it_comes():
    known = np.flatnonzero(FRAUD)[:10]
    audit = apu.Audit("found", recall=0.5, score=LogisticRegression())
    result = apu.learn(audit, apu.Pool(TABLE, raw=True), EXPERT, positives=known, budget=100, batch=10)
    assert result.n_revealed > 100 * 0.7 * FRAUD.mean()


def test_learning_is_followed_by_an_audit_and_a_curve():
    learner = apu.ModelLearner(ExtraTreesClassifier(10), audit={"recall": 0.3, "delta": 0.2}, questions=40)
    result = apu.learn(learner, TABLE, EXPERT, positives=np.flatnonzero(FRAUD)[:10], batch=10, budget=80)
    assert result.history["phase"].count("model") == 40
    plain = apu.ModelLearner(ExtraTreesClassifier(10))
    result = apu.learn(plain, TABLE, EXPERT, budget=40, batch=20)
    assert apu.learning_curve(plain, result, points=2)["questions"] == [20, 40]
