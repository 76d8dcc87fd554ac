"""Members, bags and scores of every kind of classifier."""

import numpy as np
import pandas as pd
import pytest
from models.scenes import PLANE, TRUTH, forest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from activepu.errors import InvalidInput
from activepu.models.committees import Bagged, Bagging, Forest, committee
from activepu.models.estimators import check_classifier
from activepu.pools.frames import taken

ONES = np.ones(len(PLANE))
Y = TRUTH.astype(np.int64)
ROWS = np.arange(len(PLANE))

KINDS = {
    "random forest": (RandomForestClassifier(12), Forest),
    "extra trees that see all rows": (ExtraTreesClassifier(12), Forest),
    "bagging": (BaggingClassifier(DecisionTreeClassifier(), n_estimators=12), Bagging),
    "a forest in a pipeline": (make_pipeline(StandardScaler(), RandomForestClassifier(12)), Forest),
    "logistic regression": (LogisticRegression(), Bagged),
    "neighbours, which take no weights": (KNeighborsClassifier(), Bagged),
    "scores without probabilities": (LinearSVC(), Bagged),
    "a model in a pipeline": (make_pipeline(StandardScaler(), GaussianNB()), Bagged),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_classifier_has_members_bags_and_scores(name):
    estimator, kind = KINDS[name]
    found = committee(estimator, PLANE, Y, ONES, seed=0)
    assert isinstance(found, kind)
    members = found.members(PLANE)
    assert members.shape == (len(found.bags()), len(PLANE))
    assert len(found.bags()) >= 10
    assert ((members >= 0) & (members <= 1)).all()
    assert np.allclose(found.score(PLANE), members.mean(axis=0))
    assert len({members[k].tobytes() for k in range(len(members))}) > 1
    assert ((found.score(PLANE) > 0.5) == TRUTH).mean() > 0.75
    again = committee(estimator, PLANE, Y, ONES, seed=0)
    assert (again.members(PLANE) == members).all()


def test_out_of_bag_scores_come_from_members_that_did_not_see_the_item():
    noise = np.random.default_rng(1).random(len(PLANE)) < 0.5  # nothing to learn: seen rows are known by heart
    found = committee(forest(60), PLANE, noise.astype(np.int64), ONES, seed=0)
    in_bag = (found.score(PLANE) > 0.5) == noise
    out_of_bag = (found.out_of_bag(PLANE, ROWS) > 0.5) == noise
    assert in_bag.mean() > 0.95
    assert 0.4 < out_of_bag.mean() < 0.6


def test_an_item_that_is_there_twice_is_out_of_bag_only_if_neither_row_was_drawn():
    source = np.concatenate([ROWS, ROWS])
    noise = np.random.default_rng(1).random(len(PLANE)) < 0.5
    labels = np.concatenate([noise, noise]).astype(np.int64)
    found = committee(forest(60), PLANE[source], labels, np.ones(len(source)), seed=0)
    for member, bag in enumerate(found.bags()):
        unseen = found.unseen((60, len(PLANE)), source)[member]
        assert not unseen[source[bag]].any()
    assert 0.4 < ((found.out_of_bag(PLANE, source) > 0.5) == noise).mean() < 0.6


def test_weights_count_in_bags_too():
    light = np.where(PLANE[:, 0] > 0.5, 1.0, 1e-9)
    found = committee(GaussianNB(), PLANE, Y, light, seed=0)
    drawn = np.concatenate(found.bags())
    assert (PLANE[drawn, 0] > 0.5).all()


def test_a_table_with_words_goes_through_the_users_pipeline():
    table = pd.DataFrame({"x": PLANE[:, 0], "y": PLANE[:, 1], "kind": np.where(TRUTH, "in", "out")})
    for last in (RandomForestClassifier(12), LogisticRegression()):
        encode = make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough")
        found = committee(make_pipeline(encode, last), table, Y, ONES, seed=0)
        assert ((found.score(table) > 0.5) == TRUTH).mean() > 0.99
        assert found.importances is not None
    assert list(taken(table, [2, 2]).index) == [2, 2]


def test_what_is_no_classifier_is_refused_in_a_sentence():
    for estimator, words in [
        (LinearRegression(), "regressor"),
        (NearestCentroid(), None),
        (Perceptron(), None),
        (StandardScaler(), "no classifier"),
        (LogisticRegression, "the class itself"),
        ("forest", "'forest'"),
    ]:
        if words is None:
            check_classifier(estimator)
            continue
        with pytest.raises(InvalidInput, match=words):
            check_classifier(estimator)


def test_a_model_without_scores_is_refused():
    class Mute(GaussianNB):
        predict_proba = property()

    with pytest.raises(InvalidInput, match="neither predict_proba nor decision_function"):
        check_classifier(Mute())
