"""Active learning with any classifier: from the first question to a cut with a certificate."""

import numpy as np
import pandas as pd
import pytest
from models.scenes import NEW, NEW_TRUTH, PLANE, TRUTH, forest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import activepu as apu
from activepu.models import committees, stopping
from activepu.models.state import CANDIDATE_ROWS
from activepu.models.strategies import BY_NAME
from activepu.testing import check_learner

EXPERT = apu.SimulatedExpert(TRUTH, rate=0.5)


def error(result):
    return (result.predict(NEW) != NEW_TRUTH).mean()


def quick(strategy="information", **settings):
    return apu.ModelLearner(forest(20), strategy, **settings)


def test_it_learns_from_reveals_and_says_what_it_is():
    result = apu.learn(quick(patience=None), PLANE, EXPERT, budget=160, batch=10)
    assert error(result) <= 0.1
    assert (result.n_queries, result.version_space) == (160, None)
    p = result.predict_proba(NEW)
    assert np.allclose(p.sum(axis=1), 1)
    assert ((p[:, 1] >= 0.5) == result.predict(NEW)).all()
    assert result.certificate.method == "estimate"
    assert str(result.certificate) == "No bound on the error is certified."
    with pytest.raises(apu.InvalidInput, match=r"no items\(…\).* use predict\(table\)"):
        result.items("positive")
    for bounds in (result.rate, result.prior):
        assert bounds.confidence == 0.0
        assert bounds.low < bounds.estimate < bounds.high
    assert "by ExtraTreesClassifier" in str(result)
    assert "not proved" in str(result)
    assert result.estimates.rows == len(PLANE)
    assert result.model.feature_importances.shape == (2,)


@pytest.mark.parametrize("name", BY_NAME)
def test_every_strategy_asks_in_batches_and_never_twice(name):
    run = apu.Run(quick(name), PLANE)
    for _ in range(4):
        for question in run.ask(10):
            run.tell(question, bool(EXPERT.answer([question.item], None)[0]))
    items = [question.item for question in run.questions]
    assert len(set(items)) == 40


@pytest.mark.parametrize(
    "estimator", [GaussianNB(), HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3), None]
)
def test_other_classifiers_are_bagged_and_there_is_a_default(estimator):
    learner = apu.ModelLearner(estimator)
    result = apu.learn(learner, PLANE, EXPERT, budget=120, batch=20)
    assert error(result) <= 0.15


def test_wide_tables_get_the_linear_model_with_the_channel():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(300, 120))
    learner = apu.ModelLearner()
    result = apu.learn(learner, wide, apu.SimulatedExpert(wide[:, 0] > 0), budget=40, batch=20)
    assert "ChannelLogistic" in str(result.hypothesis)
    assert result.model.feature_importances.shape == (120,)


def test_the_contract_of_learners_holds(monkeypatch):
    monkeypatch.setattr(stopping, "ANSWERS_PER_REVIEW", 4)
    monkeypatch.setattr(stopping, "LEAST_REVEALED", 1)
    monkeypatch.setattr(committees, "MEMBERS", 4)
    pool, expert = apu.Pool(PLANE[:40]), apu.SimulatedExpert(TRUTH[:40], rate=0.8)
    check_learner(apu.ModelLearner(GaussianNB(), patience=2), pool, expert, budget=14)


@pytest.mark.parametrize("answer", [True, False])
def test_a_cold_start_asks_on_without_a_model(answer):
    run = apu.Run(quick(), PLANE[:80])
    before = run.result()
    assert (before.predict(NEW) == False).all()  # noqa: E712
    for _ in range(3):
        for question in run.ask(5):
            run.tell(question, answer)
    result = run.result()
    assert result.n_queries == 15
    assert (result.predict(NEW) == answer).all()
    assert result.rate is None


def test_one_per_cent_of_positives():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(3000, 3))
    rare = rows[:, 0] > 2.3
    assert 0.005 < rare.mean() < 0.015
    result = apu.learn(quick(patience=None), rows, apu.SimulatedExpert(rare, rate=0.8), budget=300, batch=20)
    random = apu.learn(quick("random"), rows, apu.SimulatedExpert(rare, rate=0.8), budget=300, batch=20)
    assert result.n_revealed > 2 * random.n_revealed
    assert (result.predict(rows) & rare).sum() > 0.5 * rare.sum()


def test_repeated_rows_share_a_question():
    twice = np.repeat(PLANE[:40], 3, axis=0)
    result = apu.learn(quick(patience=None), twice, apu.SimulatedExpert(np.repeat(TRUTH[:40], 3)), batch=7)
    assert result.n_queries == 40
    assert "ran dry" in result.stop_reason


def test_a_budget_beyond_the_pool_ends_with_the_pool():
    result = apu.learn(quick(patience=None), PLANE[:30], apu.SimulatedExpert(TRUTH[:30]), budget=1000, batch=10)
    assert result.n_queries == 30
    assert "Every item was asked" in result.stop_reason


def test_it_stops_by_itself_once_it_has_settled():
    easy = np.concatenate([np.zeros((400, 1)), np.ones((200, 1))]) + np.random.default_rng(0).random((600, 1)) / 4
    y = easy[:, 0] > 0.6
    result = apu.learn(quick(), easy, apu.SimulatedExpert(y, rate=0.8), batch=10)
    assert result.stop_reason == apu.StopReason.SETTLED
    assert 60 <= result.n_queries < 300
    assert (result.predict(easy) == y).mean() > 0.97


def test_it_stops_when_the_positives_have_dried_up():
    far = np.concatenate([np.zeros((300, 1)), np.full((8, 1), 5.0)]) + np.random.default_rng(0).random((308, 1))
    y = np.arange(308) >= 300
    result = apu.learn(quick(rate=1.0), far, apu.SimulatedExpert(y, rate=1.0), batch=10)
    assert result.stop_reason in (apu.StopReason.DRIED_UP, apu.StopReason.SETTLED)
    assert result.n_queries < 300


def test_positives_given_beforehand_start_the_model():
    known = np.flatnonzero(TRUTH)[:10]
    result = apu.learn(quick(), PLANE, EXPERT, positives=known, budget=60, batch=20)
    assert not set(known) & set(result.history["item"])
    assert error(result) <= 0.15


def test_words_categories_and_missing_values_through_the_users_own_pipeline():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "size": np.where(rng.random(400) < 0.1, np.nan, rng.random(400)),
            "colour": rng.choice(["red", "blue"], 400),
            "text": rng.choice(["wire to the bank", "gift", "gift for the bank"], 400),
        }
    )
    y = table["text"].str.contains("bank").to_numpy()
    read = make_column_transformer((CountVectorizer(), "text"), ("passthrough", ["size"]), sparse_threshold=0)
    learner = apu.ModelLearner(make_pipeline(read, forest(20)))
    by_text = apu.Pool(table, raw=True, show=["text"])  # three texts, three coins
    assert apu.learn(learner, by_text, apu.CallbackExpert(lambda rows: rows["text"] != "gift"), batch=5).n_queries == 3
    result = apu.learn(learner, table, apu.SimulatedExpert(y, rate=0.7), budget=80, batch=20)
    assert (result.predict(table) == y).mean() > 0.9


def test_a_learning_curve_of_estimates():
    learner = quick(patience=None)
    result = apu.learn(learner, PLANE, EXPERT, budget=80, batch=20)
    curve = pd.DataFrame(apu.learning_curve(learner, result, points=4))
    assert list(curve["questions"]) == [20, 40, 60, 80]
    assert curve["revealed"].iloc[-1] == result.n_revealed
    assert curve["rate"].iloc[-1] == pytest.approx(result.rate.estimate)
    assert curve["average_precision"].iloc[-1] == pytest.approx(result.estimates.average_precision.likely)


def test_a_result_is_saved_and_read_with_the_model_beside_it(tmp_path):
    result = apu.learn(quick(), PLANE, EXPERT, budget=40, batch=20)
    result.save(tmp_path / "r.json")
    with pytest.raises(apu.InvalidInput, match="holds code"):
        apu.load_result(tmp_path / "r.json")
    again = apu.load_result(tmp_path / "r.json", hypotheses=result.hypothesis.hypotheses)
    assert (again.predict(NEW) == result.predict(NEW)).all()
    assert again.estimates == result.estimates
    assert again.rate == result.rate


def test_candidates_of_a_large_pool_are_drawn_again_each_time():
    rows = np.random.default_rng(0).random((3 * CANDIDATE_ROWS, 2))
    truth = (rows > 0.45).all(axis=1)
    result = apu.learn(quick(), rows, apu.SimulatedExpert(truth), budget=60, batch=20)
    assert len(set(result.history["item"])) == 60
    assert (result.predict(rows) != truth).mean() < 0.2


class Broken(GaussianNB):
    """Fails at the third reveal."""

    def fit(self, X, y, sample_weight=None):
        if (np.asarray(y) == 1).sum() > 2:
            raise ValueError("no thanks.")
        return super().fit(X, y, sample_weight)


def test_a_classifier_that_fails_is_named_and_the_answers_are_kept():
    with pytest.raises(apu.ModelFailed, match=r"Broken raised ValueError after \d+ answers: no thanks") as e:
        apu.learn(apu.ModelLearner(Broken()), PLANE, EXPERT, budget=100, batch=10)
    answers = e.value.answers
    assert len(answers) >= 10
    assert sum(answers.values()) >= 2
    assert all(TRUTH[item] for item, revealed in answers.items() if revealed)


BAD = {
    "a regressor": (lambda: apu.ModelLearner(LinearRegression()), "regressor"),
    "an unknown strategy": (lambda: apu.ModelLearner(strategy="best"), "'best'"),
    "a rate": (lambda: apu.ModelLearner(rate=1.5), "rate.*1.5"),
    "patience": (lambda: apu.ModelLearner(patience=0), "patience.*0"),
    "questions without an audit": (lambda: apu.ModelLearner(questions=10), "questions = 10"),
    "a sampler": (
        lambda: apu.Run(quick(), apu.Sampler(lambda n, rng: rng.random((n, 2)), dim=2)),
        "Sampler has none",
    ),
    "abstaining": (lambda: apu.Run(quick(), PLANE).result().predict(NEW, abstain=True), "certain of no single item"),
    "items": (lambda: apu.Run(quick(), PLANE).result().items("positive"), "certain of no single item"),
    "probabilities of a rule": (
        lambda: apu.Run(apu.Cal(apu.Boxes(), 0.1, 0.1), PLANE).result().predict_proba(NEW),
        "Only models have probabilities",
    ),
    "asked elsewhere twice": (lambda: answered_twice(), "Item 1 was asked already"),
}


def answered_twice():
    run = apu.Run(quick(), PLANE)
    run.record(1, True)
    run.record(1, False)


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(case):
    make, words = BAD[case]
    with pytest.raises(apu.InvalidInput, match=words):
        make()
