"""Cold start: what to ask while all answers are silence.

Before the first reveal there is no boundary to learn. But silence says something: where there are many stars, there are
few positives. So the user's classifier is fitted to tell the rows that were asked from a sample of those that were not,
and its score says how unlike all silent rows a row is. This is the density ratio of "asked" and "not asked" (Sugiyama,
Suzuki and Kanamori 2012). It is the only use of rows that were never asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.models.committees import committee
from activepu.pools.frames import taken

SAMPLE = 100
"""The fewest rows that represent all those that were not asked."""


def novelty(estimator: Any, X: Any, n_asked: int, seed: int) -> NDArray[np.float64]:
    """Scores of the rows after the first `n_asked`, all of which were answered with silence; one row per member."""
    others = np.arange(n_asked, X.shape[0])
    sample = np.random.default_rng(seed).permutation(others)[: max(SAMPLE, n_asked)]
    source = np.concatenate([np.arange(n_asked), sample])
    asked, n = source < n_asked, len(source)
    weight = np.where(asked, n / (2 * n_asked), n / (2 * len(sample)))
    fitted = committee(estimator, taken(X, source), (~asked).astype(np.int64), weight, seed)
    scores = fitted.members(X)
    unseen = fitted.unseen(scores.shape, source)
    mean = np.average(scores, axis=0, weights=unseen)
    return np.where(unseen, scores, mean)[:, n_asked:]  # a member's score of a row that it was fitted to says nothing
