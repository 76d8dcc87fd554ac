"""Classifiers by name, and as plain values that a study keeps."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from activepu.errors import InvalidInput
from activepu.models import ChannelLogistic
from activepu.models.by_name import SHORT, again, described, named
from activepu.models.estimators import check_classifier

ESTIMATORS = [
    RandomForestClassifier(50, class_weight={"a": 1.0}, random_state=3),
    HistGradientBoostingClassifier(categorical_features=["a", "b"], max_iter=20),
    make_pipeline(SimpleImputer(missing_values=-1), StandardScaler(), LogisticRegression(C=0.3)),
    ColumnTransformer([("one", OneHotEncoder(), ["a"]), ("rest", "passthrough", ["b", "c"])]),
    VotingClassifier([("svc", SVC(probability=False)), ("bayes", GaussianNB())], voting="hard"),
    CalibratedClassifierCV(GaussianNB(), cv=3),
    ChannelLogistic(n_draws=10),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_an_estimator_comes_back_from_json_as_it_was(estimator):
    kept = json.loads(json.dumps(described(estimator)))
    assert repr(again(kept)) == repr(estimator)
    assert described(again(kept)) == kept


@pytest.mark.parametrize("name", SHORT)
def test_short_names_are_classifiers(name):
    check_classifier(named(name))
    assert described(named(name)) == SHORT[name]


class Mine(GaussianNB):
    """An estimator of another package."""


@pytest.mark.parametrize(
    "estimator",
    [
        Mine(),
        make_pipeline(FunctionTransformer(np.abs), GaussianNB()),
        RandomForestClassifier(random_state=np.random.RandomState(0)),
        RandomForestClassifier(max_features=np.inf),
        GaussianNB().fit([[0.0], [1.0]], [0, 1]),
        make_pipeline(StandardScaler().fit([[0.0], [1.0]]), GaussianNB()),
        np.abs,
        "GaussianNB",
    ],
    ids=["own", "function", "generator", "infinite", "fitted", "fitted within", "no estimator", "text"],
)
def test_what_holds_code_or_was_fitted_has_no_description(estimator):
    assert described(estimator) is None


@pytest.mark.parametrize("name", ["os.system", "subprocess.Popen", "sklearn.base.clone", "sklearn.no.Such", "Pipeline"])
def test_nothing_else_is_imported_for_a_description(name):
    with pytest.raises(InvalidInput, match="cannot be made again here"):
        again({"estimator": name, "parameters": {}})


def test_a_setting_that_this_version_does_not_know_is_named():
    with pytest.raises(InvalidInput, match=r"sklearn.svm.SVC cannot be made again here .*no_such"):
        again({"estimator": "sklearn.svm.SVC", "parameters": {"no_such": 1}})
