"""scikit-activeml, both ways."""

import numpy as np
import pytest
from models.scenes import NEW, NEW_TRUTH, PLANE, TRUTH, answers, forest
from skactiveml.classifier import SklearnClassifier
from skactiveml.pool import UncertaintySampling
from sklearn.naive_bayes import GaussianNB

import activepu as apu
from activepu.adapters.skactiveml import ChannelQuery, PeerStrategy

pytestmark = pytest.mark.filterwarnings("ignore")
Y = np.full(len(PLANE), np.nan)
Y[:150] = answers(TRUTH[:150], 0.5)


def test_our_strategy_in_their_loop():
    query = ChannelQuery(forest(20), random_state=0)
    picks, utilities = query.query(PLANE, Y, batch_size=3, return_utilities=True)
    assert len(set(picks)) == 3
    assert (picks >= 150).all()
    assert utilities.shape == (3, len(PLANE))
    assert np.isnan(utilities[:, :150]).all()
    assert picks[0] == np.nanargmax(utilities[0])
    assert np.isnan(utilities[1, picks[0]])


def test_candidates_are_kept_to_and_asked_silent_items_stay_out():
    picks = ChannelQuery(forest(20), random_state=0).query(PLANE, Y, candidates=[200, 300, 400], batch_size=2)
    assert set(picks) <= {200, 300, 400}
    direct = ChannelQuery(forest(20), random_state=0).query(PLANE, Y, candidates=NEW[:20], batch_size=2)
    assert (direct < 20).all()


def test_a_cold_start_draws_by_lot():
    assert len(set(ChannelQuery(forest(20), random_state=0).query(PLANE, np.full(600, np.nan), batch_size=5))) == 5


def test_other_labels_are_refused():
    with pytest.raises(apu.InvalidInput, match="Labels are 1"):
        ChannelQuery(forest(20)).query(PLANE, np.where(np.isnan(Y), np.nan, 2))


def test_their_strategy_in_our_run():
    peer = PeerStrategy(UncertaintySampling(random_state=0), clf=SklearnClassifier(GaussianNB(), classes=[0, 1]))
    learner, expert = apu.ModelLearner(forest(20), peer), apu.SimulatedExpert(TRUTH)
    results = [apu.learn(learner, PLANE, expert, budget=80, batch=20, seed=seed) for seed in range(4)]
    assert np.mean([result.predict(NEW) != NEW_TRUTH for result in results]) < 0.25
    with pytest.raises(apu.InvalidInput, match="PeerStrategy takes"):
        PeerStrategy("margin")
