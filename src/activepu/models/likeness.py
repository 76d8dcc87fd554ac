"""Which rows are like the known positives: the user's classifier, fitted to tell these from all other rows.

A negative is what most rows are where positives are rare, asked or not. So the known positives stand against the silent
rows and a sample of the candidates, none of which has an answer. Where each positive is as likely to be known as any
other, the score is an increasing function of P(y = 1 | x) (Elkan and Noto 2008, their lemma 1). It needs no silent row,
and it knows the rows that nobody would ask about; the model that is fitted to the answers does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.models.committees import committee
from activepu.pools.frames import taken

SAMPLE = 500
"""The most candidates that stand for all rows without an answer."""


def likeness(estimator: Any, X: Any, positive: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    """Scores of the candidates by each member; `positive` says of the rows before them which are known positives."""
    known = len(positive)
    drawn = known + np.random.default_rng(seed).permutation(X.shape[0] - known)[:SAMPLE]
    source = np.concatenate([np.arange(known), drawn])
    labels = np.concatenate([positive, np.zeros(len(drawn), bool)]).astype(np.int64)
    fitted = committee(estimator, taken(X, source), labels, np.ones(len(source)), seed)
    scores = fitted.members(X)
    unseen = fitted.unseen(scores.shape, source)
    mean = np.average(scores, axis=0, weights=unseen)
    return np.where(unseen, scores, mean)[:, known:]  # what a member was fitted to it has no opinion of
