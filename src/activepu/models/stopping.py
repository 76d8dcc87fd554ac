"""When a model may stop asking: it is stable, or no positives are left.

At every review the rows that the model calls positive are compared with those of the review before. If few of them
changed, several times in a row, further questions are not expected to improve the model (stabilizing predictions:
Bloodgood and Vijay-Shanker 2009; here with the Jaccard distance in place of kappa, because rare positives do not
mislead it).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.models.state import ANSWERS_PER_REVIEW, ModelState
from activepu.records import StopReason

CHANGED = 0.05
"""The share of the rows called positive by either model that may have changed."""
LEAST_REVEALED = 5
"""No model counts as stable before this many reveals."""
LEAST_POSITIVES = 0.5
"""The positives have dried up if the model expects fewer than this among the rows without an answer."""


class StoppingRule:
    """Compares the model of each review with the one before.

    `patience` is how many times in a row they must agree; None for never.
    """

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self._before: NDArray[np.bool_] | None = None
        self._stable_reviews = 0

    def after(self, state: ModelState) -> StopReason | None:
        """The reason to stop after these answers, if there is one. Call it once after each answer."""
        if self.patience is None or len(state) % ANSWERS_PER_REVIEW or sum(state.revealed) < LEAST_REVEALED:
            return None
        if state.model is None or not state.unanswered.any():
            return None
        p = state.model.probability(state.rows(state.pool_sample))
        expected = p[state.unanswered[state.pool_sample]].sum() * len(state.unanswered) / len(p)
        if expected < LEAST_POSITIVES:
            return StopReason.DRIED_UP
        positive = p >= 0.5
        self._stable_reviews = self._stable_reviews + 1 if _stable(self._before, positive) else 0
        self._before = positive
        return StopReason.SETTLED if self._stable_reviews >= self.patience else None


def _stable(before: NDArray[np.bool_] | None, now: NDArray[np.bool_]) -> bool:
    """Whether both call nearly the same rows positive, and at least one."""
    if before is None:
        return False
    either = np.count_nonzero(now | before)
    return bool(either > 0 and np.count_nonzero(now != before) <= CHANGED * either)
