"""A ranking that learns: any scikit-learn classifier, fitted again on the answers as they come.

What is learned is which items this expert *confirms*, so that silence is simply the other class: no reveal rate enters.
Nothing that is certified rests on the model. It decides which items are read next, and so how many questions it takes.
So a model that cannot be fitted to some answers ends nothing: the last ranking stays, and the remarks say why.

A classifier that is fitted already is not fitted again. It ranks as it is, like the numbers that it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from activepu.errors import InvalidInput
from activepu.features.reading import reading
from activepu.pools import Pool

FIRST, GROWTH = 5, 0.05
"""The model is fitted again after five more answers, or after 5% of those so far if these are more."""
TRIED = 50
"""The model is fitted to so many rows before the first question, spread over the pool, with made-up answers."""

Floats = NDArray[np.float64]


class Refitted:
    """Scores for every row of a pool, by a classifier that is fitted again now and then.

    Parameters
    ----------
    estimator : scikit-learn classifier
        It is cloned; it needs `predict_proba` or `decision_function`. Columns of a table that it cannot read are made
        features of (`activepu.features.reading`).
    pool : Pool
        The items.

    Attributes
    ----------
    failure : str
        Why the model could not be fitted to the newest answers that it was shown, or "".
    """

    def __init__(self, estimator: Any, pool: Pool) -> None:
        self._read = reading(estimator, pool)
        self._next = 0
        self.failure = ""

    def __call__(self, items: Sequence[int], answers: Sequence[bool]) -> Floats | None:
        """Return new scores after these answers; None if the model stays as it is, or cannot be fitted."""
        if len(answers) < self._next or all(answers) or not any(answers):
            return None
        self._next = len(answers) + max(FIRST, int(GROWTH * len(answers)))
        try:
            found = self._fitted(np.array(items), np.array(answers))
            self.failure = ""
        except Exception as error:  # of any estimator, and no answer may be lost
            found, self.failure = None, reason(error)
        return found

    def check(self) -> None:
        """Refuse a classifier that cannot read this pool; before the first question.

        It is fitted to some rows, every second of which counts as confirmed, and must score the whole pool.
        """
        rows = np.unique(np.linspace(0, len(self._read.pool) - 1, TRIED).astype(np.int64))
        if len(rows) < 2:
            return
        try:
            self._fitted(rows, np.arange(len(rows)) % 2 == 0)
        except Exception as error:
            name = type(self._read.estimator).__name__
            raise InvalidInput(
                f"score = {name} cannot be fitted to the rows of the pool ({reason(error)}); pass a pipeline that "
                "turns them into numbers, or the pool with fewer columns: Pool(table, features=[…])."
            ) from error

    def _fitted(self, items: NDArray[np.int64], answers: NDArray[np.bool_]) -> Floats:
        model = clone(self._read.estimator).fit(self._read.rows(items), answers)
        found = np.concatenate([opinion(model, rows) for rows in self._read.blocks()])
        if found.shape != (len(self._read.pool),) or not np.isfinite(found).all():
            raise ValueError("it does not give one number for every row")
        return found


def opinion(model: Any, X: Any) -> Floats:
    """Return how likely a fitted classifier thinks each row to be."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), np.float64)
    return np.asarray(model.predict_proba(X), np.float64)[:, -1]


def reason(error: Exception) -> str:
    """Return the first line of what an error says."""
    return str(error).strip().partition("\n")[0].rstrip(".:") or type(error).__name__


def classifies(score: Any) -> bool:
    """Whether a score is a classifier, fitted or not."""
    return hasattr(score, "fit") and (hasattr(score, "predict_proba") or hasattr(score, "decision_function"))


def learns(score: Any) -> bool:
    """Whether a score is a classifier that is still to be fitted."""
    if not classifies(score) or not hasattr(score, "get_params"):  # without parameters it cannot be cloned
        return False
    try:
        check_is_fitted(score)
    except NotFittedError:
        return True
    return False
