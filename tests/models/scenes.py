"""A plane with a true region, and answers from it."""

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

RNG = np.random.default_rng(0)
PLANE = RNG.random((600, 2))
TRUTH = (PLANE > 0.45).all(axis=1)
NEW = RNG.random((2000, 2))
NEW_TRUTH = (NEW > 0.45).all(axis=1)


def forest(trees=30, **settings):
    return ExtraTreesClassifier(trees, bootstrap=True, random_state=0, **settings)


def answers(y, rate, seed=0):
    return y & (np.random.default_rng(seed).random(len(y)) < rate)


def nobody(n):
    return np.zeros(n, bool)
