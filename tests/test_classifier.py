"""All of it as one scikit-learn estimator."""

import numpy as np
import pandas as pd
import pytest
from models.scenes import NEW, NEW_TRUTH, PLANE, TRUTH, forest
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import activepu as apu

EXPERT = apu.SimulatedExpert(TRUTH, rate=0.5)
OTHER_LABELS = "its y holds labels other than 1 (revealed), 0 (★) and -1 (not asked), which must be refused"
EXPECTED = dict.fromkeys(
    [
        "check_estimators_dtypes",
        "check_classifier_data_not_an_array",
        "check_classifiers_classes",
        "check_fit2d_1feature",
    ],
    OTHER_LABELS,
)


def classifier(estimator=None, **settings):
    return apu.ActivePUClassifier(forest(10) if estimator is None else estimator, random_state=0, **settings)


def collected(n=300):
    """Answers to the first n rows, collected elsewhere."""
    y = np.full(len(PLANE), -1)
    y[:n] = EXPERT.answer(np.arange(n), None)
    return y


@pytest.mark.filterwarnings("ignore")
def test_it_is_a_scikit_learn_estimator_with_few_expected_failures():
    seen = check_estimator(classifier(), expected_failed_checks=EXPECTED, on_fail=None, on_skip=None)
    assert [run["check_name"] for run in seen if run["status"] == "failed"] == []
    assert {run["check_name"] for run in seen if run["status"] == "xfail"} == set(EXPECTED)
    assert sum(run["status"] == "passed" for run in seen) > 40


def test_it_asks_an_expert_and_predicts():
    clf = classifier(budget=120, batch=20).fit(PLANE, EXPERT)
    assert (clf.n_queries_, list(clf.classes_)) == (120, [0, 1])
    others = [clone(clf).set_params(random_state=seed).fit(PLANE, EXPERT) for seed in (1, 2)]
    assert np.mean([one.score(NEW, NEW_TRUTH) for one in (clf, *others)]) > 0.88  # one run alone tells little
    assert clf.predict_proba(NEW).shape == (2000, 2)
    assert clf.rate_.confidence == clf.prior_.confidence == 0
    assert clf.feature_importances_.shape == (2,)
    assert clf.certificate_.method == "estimate"
    again = clone(clf).fit(PLANE, EXPERT)
    assert (again.predict(NEW) == clf.predict(NEW)).all()


@pytest.mark.parametrize(
    "estimator",
    ["boxes", apu.Orthants(), apu.ZCal(apu.Orthants(), 0.2, 0.2, check=0), apu.KnownPrior(apu.Boxes(), 0.2, 0.2, 0.35)],
)
def test_a_hypothesis_class_by_name_or_object_or_a_learner(estimator):
    clf = classifier(estimator, epsilon=0.2, delta=0.2, budget=400).fit(PLANE, EXPERT)
    assert clf.certificate_.method == "exact"
    assert (clf.predict(PLANE) != TRUTH).mean() <= max(0.35, clf.certificate_.error_bound)
    assert not hasattr(clf, "predict_proba")
    assert not hasattr(clf, "feature_importances_")


@pytest.mark.parametrize("estimator", [None, LogisticRegression()])
def test_answers_that_were_collected_elsewhere(estimator):
    clf = classifier(estimator).fit(PLANE, collected())
    assert clf.n_queries_ == 300
    assert clf.result_.stop_reason == apu.StopReason.RECORDED
    assert clf.score(NEW, NEW_TRUTH) > 0.8


def test_a_certificate_from_answers_that_were_collected_elsewhere_covers_the_truth():
    clf = classifier(apu.Orthants(), epsilon=0.3, delta=0.2, rate=0.5).fit(PLANE, collected(400))
    assert clf.certificate_.error_bound < 0.6
    assert (clf.predict(PLANE) != TRUTH).mean() <= clf.certificate_.error_bound


def test_rows_that_look_the_same_have_one_answer():
    twice, y = np.repeat(PLANE[:100], 2, axis=0), np.repeat(collected()[:100], 2)
    assert classifier().fit(twice, y).n_queries_ == 100


def test_in_a_pipeline_the_expert_sees_the_raw_rows():
    table = pd.DataFrame(PLANE * [1, 100], columns=["size", "age"])
    seen = []

    def analyst(rows):
        seen.append(rows["age"].max())
        return ((rows["size"] > 0.45) & (rows["age"] > 45)).to_numpy()

    pipe = make_pipeline(StandardScaler(), classifier(budget=60, batch=20)).set_output(transform="pandas")
    pipe.fit(table, apu.CallbackExpert(analyst, rows=table))
    assert max(seen) > 50
    assert pipe.score(table, TRUTH) > 0.8
    assert list(pipe[-1].feature_names_in_) == ["size", "age"]


def test_a_search_over_a_live_expert_is_refused_and_over_answers_it_works():
    for search in (
        lambda: GridSearchCV(classifier(), {"strategy": ["margin", "random"]}).fit(PLANE, EXPERT),
        lambda: cross_val_score(classifier(), PLANE, EXPERT),
    ):
        with pytest.raises(apu.InvalidInput, match="would ask again"):
            search()
    search = GridSearchCV(classifier(), {"rate": [None, 0.5]}, cv=2, scoring="roc_auc")
    asked = collected() >= 0
    search.fit(PLANE[asked], collected()[asked])
    assert search.best_score_ > 0.6


BAD = {
    "other values": (lambda: classifier().fit(PLANE, np.where(TRUTH, 2, 0)), "got np.int64\\(2\\)|got 2"),
    "words": (lambda: classifier().fit(PLANE, np.where(TRUTH, "yes", "no")), "'yes'|'no'"),
    "a hole": (lambda: classifier().fit(PLANE, np.array([1, 0, None] * 200)), "got None in row 2"),
    "a function": (lambda: classifier().fit(PLANE, lambda rows: rows[:, 0] > 0), "wrap it in CallbackExpert"),
    "another length": (lambda: classifier().fit(PLANE, [1, 0]), r"600.*\(2,\)"),
    "no target": (lambda: classifier().fit(PLANE), "requires y to be passed"),
    "an unknown class": (lambda: classifier("balls").fit(PLANE, EXPERT), "thresholds, .*'balls'"),
    "a number": (lambda: classifier(3).fit(PLANE, EXPERT), "3"),
    "an epsilon": (lambda: classifier("boxes", epsilon=2).fit(PLANE, EXPERT), "epsilon.*2"),
    "a budget": (lambda: classifier(budget=-3).fit(PLANE, collected()), "budget.*-3"),
    "a batch": (lambda: classifier(batch=0).fit(PLANE, collected()), "batch.*0"),
    "infinity": (lambda: classifier().fit(np.full((600, 2), np.inf), collected()), "infinity"),
    "a gap": (lambda: classifier(LogisticRegression()).fit(np.full((600, 2), np.nan), collected()), "NaN.\nFill"),
    "no rows": (lambda: classifier().fit(PLANE[:0], []), "0 sample"),
    "a column too few": (lambda: classifier().fit(PLANE, collected()).predict(PLANE[:, :1]), "1 features.*expecting 2"),
    "a name too few": (
        lambda: (
            classifier().fit(pd.DataFrame(PLANE, columns=["a", "b"]), collected()).predict(pd.DataFrame({"a": [1.0]}))
        ),
        "yet now missing:\n- b",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(case):
    make, words = BAD[case]
    with pytest.raises(apu.InvalidInput, match=words):
        make()


def test_a_search_over_answers_is_judged_through_the_channel():
    X, y = PLANE, collected()
    search = GridSearchCV(classifier(), {"estimator__max_depth": [1, None]}, cv=2, scoring=apu.answer_likelihood)
    search.fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert (search.predict(NEW) == NEW_TRUTH).mean() > 0.8
    with pytest.raises(apu.InvalidInput, match=r"scoring=activepu\.answer_likelihood"):
        search.best_estimator_.score(X, y)
    assert search.best_estimator_.score(NEW, NEW_TRUTH.astype(int)) > 0.8


def test_nan_among_the_answers_gets_a_sentence():
    y = collected().astype(float)
    y[7] = np.nan
    with pytest.raises(apu.InvalidInput, match="got NaN in row 7"):
        classifier().fit(PLANE, y)


def test_answers_to_nothing_get_a_sentence():
    with pytest.raises(apu.InvalidInput, match="no answer, all 5 are -1"):
        classifier().fit(PLANE[:5], np.full(5, -1))


def test_reveals_beside_rows_that_were_not_asked_get_a_warning():
    y = np.where(collected() == 1, 1, -1)
    with pytest.warns(UserWarning, match="no 0.*write 0 instead"):
        assert classifier().fit(PLANE, y).predict(NEW).all()
    with pytest.warns(UserWarning, match="no 0.*write 0 instead"):
        classifier("boxes").fit(PLANE, y)
    assert 0 < classifier().fit(PLANE, np.maximum(y, 0)).predict(NEW).mean() < 1


def test_a_model_that_fills_its_own_gaps_takes_arrays_with_gaps():
    holed = PLANE.copy()
    holed[::50, 0] = np.nan
    filled = classifier(make_pipeline(SimpleImputer(), forest(10))).fit(holed, collected())
    assert filled.predict(holed).shape == (600,)


def test_of_rows_that_look_the_same_the_first_answer_counts():
    """If any yes counted, a row asked five times would be revealed almost surely, whatever the rate is."""
    X = np.repeat(np.linspace(0, 1, 30), 5)[:, None]
    y = np.tile([0, 0, 1, 0, 0], 30)
    with pytest.warns(UserWarning, match="30 row.s. of X look the same as an earlier one"):
        fitted = apu.ActivePUClassifier("thresholds", random_state=0).fit(X, y)
    assert (fitted.n_queries_, fitted.result_.n_revealed) == (30, 0)
