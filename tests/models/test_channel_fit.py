"""Any classifier learns P(y = 1 | x) from reveals, never with ★ as negative."""

import numpy as np
import pytest
from models.scenes import NEW, NEW_TRUTH, PLANE, TRUTH, answers, forest, nobody
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from activepu.models import ChannelLogistic, channel_fit, fit
from activepu.models.blend import Blend

MODELS = {
    "forest": forest(),
    "logistic": make_pipeline(StandardScaler(), PolynomialFeatures(3), LogisticRegression()),
    "channel": make_pipeline(StandardScaler(), PolynomialFeatures(3), ChannelLogistic(random_state=0)),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("rate", "error"), [(1.0, 0.03), (0.5, 0.05), (0.3, 0.12)])
def test_the_label_is_learned_at_every_reveal_rate(name, rate, error):
    model = fit(MODELS[name], PLANE, answers(TRUTH, rate), nobody(len(PLANE)), None, seed=0)
    p = model.probability(NEW)
    assert ((p >= 0.5) != NEW_TRUTH).mean() <= error
    assert abs(model.rate - rate) <= 0.35 * rate
    assert abs(p.mean() - NEW_TRUTH.mean()) <= 0.08


def test_reading_stars_as_negatives_is_what_fails():
    revealed = answers(TRUTH, 0.3)
    naive = forest().fit(PLANE, revealed).predict(NEW)
    through = fit(forest(), PLANE, revealed, nobody(len(PLANE)), None, seed=0).probability(NEW) >= 0.5
    assert (through != NEW_TRUTH).mean() < 0.5 * (naive != NEW_TRUTH).mean()


@pytest.mark.parametrize("name", MODELS)
def test_members_are_many_opinions_of_the_same_thing(name):
    model = fit(MODELS[name], PLANE, answers(TRUTH, 0.5), nobody(len(PLANE)), None, seed=0)
    probability, members = model.opinions(NEW[:50])
    assert ((members >= 0) & (members <= 1)).all()
    assert members.shape[1] == 50
    assert np.allclose(probability, model.probability(NEW[:50]))
    assert np.allclose(members, model.members(NEW[:50]))
    assert np.corrcoef(members.mean(axis=0), probability)[0, 1] > 0.9
    order = np.argsort(model.ranking(NEW[:50]))
    assert (np.diff(probability[order]) >= -1e-12).all()


def test_positives_known_beforehand_teach_the_label_and_not_the_rate():
    rows = np.concatenate([np.flatnonzero(TRUTH)[:60], np.arange(300, 600)])
    known = np.arange(len(rows)) < 60
    revealed = known | answers(TRUTH[rows], 0.3)
    told = fit(forest(), PLANE[rows], revealed, known, None, seed=0)
    asked = fit(forest(), PLANE[rows], revealed, nobody(len(rows)), None, seed=0)
    assert abs(told.rate - 0.3) < abs(asked.rate - 0.3)


def test_a_known_rate_is_used():
    model = fit(forest(), PLANE, answers(TRUTH, 0.5), nobody(len(PLANE)), 0.5, seed=0)
    assert model.rate == 0.5


@pytest.fixture
def both(monkeypatch):
    """A model in which either committee has its weight, whatever it is."""
    monkeypatch.setattr(channel_fit, "LEAST_SHARE", 0.0)
    return fit(forest(), PLANE[:60], answers(TRUTH[:60], 0.5), nobody(60), None, seed=0)


def test_two_committees_are_averaged_by_how_well_they_explain_the_answers(both):
    assert isinstance(both, Blend)
    first, second = both.parts
    odds = np.exp(second.calibration.evidence - first.calibration.evidence)
    assert np.isclose(both.share, odds / (1 + odds))
    p, q = first.probability(NEW), second.probability(NEW)
    assert np.allclose(both.probability(NEW), (p + odds * q) / (1 + odds))
    assert np.allclose(both.importances, (first.importances + odds * second.importances) / (1 + odds))
    assert min(part.rate for part in both.parts) <= both.rate <= max(part.rate for part in both.parts)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_in_an_average_every_member_counts_alike(both, share):
    blend = Blend(*both.parts, share)
    probability, members = blend.opinions(NEW[:40])
    of_second = both.parts[1].members(NEW[:40])
    assert len(members) == len(of_second)
    assert (members == blend.members(NEW[:40])).all()
    assert sum((row == of_second).all(axis=1).any() for row in members) == round(share * len(members))
    assert np.allclose(probability, blend.probability(NEW[:40]))


def test_in_between_only_the_second_committee_is_fitted_again(both, monkeypatch):
    fitted = []
    monkeypatch.setattr(channel_fit, "committee", lambda *said: fitted.append(said[-1]) or original(*said))
    later = fit(forest(), PLANE[:70], answers(TRUTH[:70], 0.5), nobody(70), None, 0, earlier=both)
    assert fitted == [1]  # the seed of the second
    assert later.first.committee is both.first.committee
    assert len(later.first.scores) == 70
    assert (later.first.scores[:60] == both.first.scores).all()


original = channel_fit.committee


def test_a_committee_of_hardly_any_weight_is_left_out(monkeypatch):
    monkeypatch.setattr(channel_fit, "LEAST_SHARE", 0.49)
    model = fit(forest(), PLANE, answers(TRUTH, 0.3), nobody(len(PLANE)), None, seed=0)
    assert isinstance(model, channel_fit.Calibrated)
    assert model.first is not None  # the second sees through silence
