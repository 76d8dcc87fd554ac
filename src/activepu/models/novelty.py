"""Cold start: what to ask while all answers are silence.

Before the first reveal there is nothing to learn a boundary from. But silence says something: where many stars are,
positives are few. So the model is fitted to tell the rows that were asked from a sample of those that were not, and its
score of a row is how much it is unlike all that was met with silence. This is the density ratio of "asked" and "not
asked" (Sugiyama, Suzuki and Kanamori 2012), by the user's own classifier; rows that were never asked are of use here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.models.committees import committee, take

SAMPLE = 100
"""At least so many rows stand for all that were not asked."""


def novelty(estimator: Any, X: Any, n_asked: int, seed: int) -> NDArray[np.float64]:
    """Scores of the rows after the first `n_asked`, which were all met with silence; one row per member."""
    others = np.arange(n_asked, X.shape[0])
    sample = np.random.default_rng(seed).permutation(others)[: max(SAMPLE, n_asked)]
    source = np.concatenate([np.arange(n_asked), sample])
    asked, n = source < n_asked, len(source)
    weight = np.where(asked, n / (2 * n_asked), n / (2 * len(sample)))
    fitted = committee(estimator, take(X, source), (~asked).astype(np.int64), weight, seed)
    scores = fitted.members(X)
    unseen = fitted.unseen(scores.shape, source)
    mean = np.average(scores, axis=0, weights=unseen)
    return np.where(unseen, scores, mean)[:, n_asked:]  # a member has no opinion of a row that it was told about
