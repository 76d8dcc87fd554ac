"""pulearn: labels out, probabilities in."""

import numpy as np
import pulearn
import pytest
from models.scenes import NEW, NEW_TRUTH, PLANE, TRUTH, answers, forest

import activepu as apu
from activepu.adapters.pulearn import PulearnClassifier, labels


def test_answers_as_labels():
    result = apu.learn(apu.ModelLearner(forest(10)), PLANE, apu.SimulatedExpert(TRUTH), budget=40, batch=20)
    items, s = labels(result)
    assert set(s) == {1, -1}
    assert (s == 1).sum() == result.n_revealed
    everyone, all_s = labels(result, len(PLANE))
    assert len(everyone) == len(all_s) == 600
    assert (all_s[items] == s).all()
    assert (all_s == 1).sum() == result.n_revealed


@pytest.mark.filterwarnings("ignore")
def test_elkan_noto_keeps_to_the_unit_interval():
    s = np.where(answers(TRUTH, 0.5), 1, -1)
    clf = PulearnClassifier(pulearn.ElkanotoPuClassifier(forest(20), hold_out_ratio=0.2), random_state=0).fit(PLANE, s)
    p = clf.predict_proba(NEW)
    assert clf.fitted_.predict_proba(NEW).max() > 1
    assert (p.min(), p.max()) == (0, 1)
    assert (clf.predict(NEW) != NEW_TRUTH).mean() < 0.15
    bagging = PulearnClassifier(pulearn.BaggingPuClassifier(forest(5), n_estimators=5), random_state=0).fit(PLANE, s)
    assert bagging.predict_proba(NEW).shape == (2000, 2)


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_work_is_refused():
    one = np.where(np.arange(600) == 5, 1, -1)
    with pytest.raises(apu.InvalidInput, match="from 1 positives"):
        PulearnClassifier(pulearn.ElkanotoPuClassifier(forest(3)), random_state=0).fit(PLANE, one)
    with pytest.raises(apu.InvalidInput, match="got only -1"):
        PulearnClassifier(pulearn.ElkanotoPuClassifier(forest(3))).fit(PLANE, np.full(600, -1))
    weighted = pulearn.WeightedElkanotoPuClassifier(forest(3), labeled=10, unlabeled=20)
    with pytest.raises(apu.InvalidInput, match="by the rows beside it"):
        PulearnClassifier(weighted).fit(PLANE, one)
