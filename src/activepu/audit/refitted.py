"""A ranking that learns: any scikit-learn classifier, fitted again on the answers as they come.

What is learned is which items this expert *confirms*, so that silence is simply the other class: no reveal rate enters.
Nothing that is certified rests on the model. It decides which items are read next, and so how many questions it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from activepu.pools import Pool

FIRST, GROWTH = 5, 0.05
"""The model is fitted again after five more answers, or after 5% of those so far if these are more."""

Floats = NDArray[np.float64]


class Refitted:
    """Scores for every row of a pool, by a classifier that is fitted again now and then.

    Parameters
    ----------
    estimator : scikit-learn classifier
        It is cloned; it needs `predict_proba` or `decision_function`.
    pool : Pool
        The items.
    """

    def __init__(self, estimator: Any, pool: Pool) -> None:
        self._estimator, self._pool = estimator, pool
        self._next = 0

    def __call__(self, items: Sequence[int], answers: Sequence[bool]) -> Floats | None:
        """Return new scores after these answers; None if the model stays as it is, or cannot be fitted yet."""
        if len(answers) < self._next or all(answers) or not any(answers):
            return None
        self._next = len(answers) + max(FIRST, int(GROWTH * len(answers)))
        model = clone(self._estimator).fit(self._pool.features(np.array(items)), np.array(answers))
        if hasattr(model, "decision_function"):
            return np.asarray(model.decision_function(self._pool.features()), np.float64)
        return np.asarray(model.predict_proba(self._pool.features())[:, -1], np.float64)


def learns(score: Any) -> bool:
    """Whether a score is a classifier to be fitted."""
    return hasattr(score, "fit") and (hasattr(score, "predict_proba") or hasattr(score, "decision_function"))
