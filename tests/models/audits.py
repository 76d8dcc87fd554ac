"""A model that is audited after a few questions."""

from models.scenes import PLANE, TRUTH
from sklearn.naive_bayes import GaussianNB

import activepu as apu

EXPERT = apu.SimulatedExpert(TRUTH, rate=0.8)
SMALL = PLANE[:220]
SMALL_EXPERT = apu.SimulatedExpert(TRUTH[:220], rate=0.8)
RECALL = {"recall": 0.5, "delta": 0.2}


def learner(audit=RECALL, questions=20, **settings):
    return apu.ModelLearner(GaussianNB(), audit=audit, questions=questions, patience=None, **settings)
