"""What a study was made with is compared when it is loaded."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from studies.scenes import X, Y, pool

import activepu as apu
from activepu.models.strategies import Strategy
from activepu.studies import plain_settings


class Power(Strategy):
    """p(1 − p) to a power; the weights are another setting."""

    name = "power"

    def __init__(self, power, weights=()):
        self._power, self.weights = power, np.asarray(weights, float)

    def utility(self, view):
        return (view.probability * (1 - view.probability)) ** self._power


def test_a_strategy_with_another_setting_is_refused(tmp_path):
    url, weights = f"sqlite:///{tmp_path}/s.db", np.linspace(0, 1, 3000)
    other = weights.copy()
    other[1500] += 1e-12
    apu.Study.create(url, "s", pool(), apu.ModelLearner(strategy=Power(2, weights))).close()
    apu.Study.load(url, "s", pool(), apu.ModelLearner(strategy=Power(2, weights))).close()
    for changed in (Power(3, weights), Power(2, other)):
        with pytest.raises(apu.StudyDiffers, match="strategy"):
            apu.Study.load(url, "s", pool(), apu.ModelLearner(strategy=changed))


class Rings(apu.BoxLike):
    name, two_sided, fixed_dim, vc_dimension = "rings around", True, 1, 2

    def __init__(self, place=0.5):
        super().__init__()
        self.place = place

    def encode(self, X):
        return np.linalg.norm(super().encode(X) - self.place, axis=1)[:, None]

    def log_growth(self, n):
        return 2 * np.log(n + 1)


@pytest.mark.parametrize(
    ("passed", "difference"),
    [
        (Rings(0.4), "settings of rings around = {'place': 0.5}, but the learner that was passed has {'place': 0.4};"),
        (apu.Boxes(), "hypotheses = rings around, but the learner that was passed has boxes;"),
    ],
    ids=["another setting", "another class"],
)
def test_another_class_is_refused_in_words(tmp_path, passed, difference):
    url = f"sqlite:///{tmp_path}/s.db"
    apu.Study.create(url, "s", pool(), apu.ZCal(Rings(), 0.1, 0.1, check=0)).close()
    for again in ({"hypotheses": passed}, {"learner": apu.ZCal(passed, 0.1, 0.1, check=0)}):
        with pytest.raises(apu.StudyDiffers) as refused:
            apu.Study.load(url, "s", pool(), **again)
        assert str(refused.value).startswith(f"The study was made with {difference}")
    with pytest.raises(apu.InvalidInput, match=r"Study\.load\(…, hypotheses=…\)"):
        apu.Study.load(url, "s", pool())
    apu.Study.load(url, "s", pool(), hypotheses=Rings()).close()


def forest(trees=20):
    return RandomForestClassifier(trees, random_state=0)


@pytest.mark.parametrize("strategy", ["margin", "likely positive"])
def test_a_model_of_scikit_learn_is_made_again(tmp_path, strategy):
    url, settings = f"sqlite:///{tmp_path}/s.db", {"audit": {"recall": 0.4}, "questions": 30}
    with apu.Study.create(url, "s", pool(), apu.ModelLearner(forest(), strategy, **settings)) as study:
        study.record([(item, item % 3 == 0, "ann") for item in range(12)])
        before = study.result().predict(X[:400])
    with apu.Study.load(url, "s", pool()) as again:
        assert repr(again.learner.estimator) == repr(forest())
        assert (again.learner.strategy.name, again.learner.questions) == (strategy, 30)
        assert np.array_equal(again.result().predict(X[:400]), before)
    with pytest.raises(apu.StudyDiffers, match=r"made with estimator = .* 20, .* has .* 30, "):
        apu.Study.load(url, "s", pool(), apu.ModelLearner(forest(30), strategy, **settings))


def test_a_study_from_before_models_were_kept_takes_its_learner_again(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/s.db"
    with monkeypatch.context() as patch:
        learner = apu.ModelLearner(forest())
        patch.setattr(plain_settings.by_name, "described", lambda estimator: None)
        patch.setattr(plain_settings.strategies, "BY_NAME", {})
        apu.Study.create(url, "s", pool(), learner).close()
    with pytest.raises(apu.InvalidInput, match="holds code"):
        apu.Study.load(url, "s", pool())
    apu.Study.load(url, "s", pool(), apu.ModelLearner(forest())).close()
    with pytest.raises(apu.StudyDiffers, match="estimator"):
        apu.Study.load(url, "s", pool(), apu.ModelLearner(forest(30)))


def test_a_classifier_that_was_fitted_must_be_passed_again(tmp_path):
    url, model = f"sqlite:///{tmp_path}/s.db", GaussianNB().fit(X[:50], Y[:50])
    apu.Study.create(url, "s", pool(), apu.Audit(model, recall=0.3)).close()
    with pytest.raises(apu.InvalidInput, match="holds code"):
        apu.Study.load(url, "s", pool())
    apu.Study.load(url, "s", pool(), apu.Audit(model, recall=0.3)).close()
