"""When a model may stop asking: it has settled, or no positives are left.

Every WINDOW answers the rows that the model calls positive are compared with those of one window before. If so few
moved, several times in a row, further questions are not expected to improve it (stabilizing predictions: Bloodgood and
Vijay-Shanker 2009, with the Jaccard distance, which is not fooled by rare positives, in place of kappa).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.models.answers import WINDOW, Answers
from activepu.records import StopReason

MOVED = 0.05
"""The share of the positives of either model that may differ."""
LEAST_REVEALED = 5
"""Before so many reveals nothing counts as settled."""


class Settled:
    """Compares models, one window apart; `patience` is how many times in a row they must agree, None for never."""

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self._before: NDArray[np.bool_] | None = None
        self._agreed = 0

    def after(self, answers: Answers) -> str | None:
        """The reason to stop after these answers, if there is one."""
        if self.patience is None or len(answers) % WINDOW or sum(answers.revealed) < LEAST_REVEALED:
            return None
        if answers.model is None or not answers.free.any():
            return None
        p = answers.model.probability(answers.rows(answers.reference))
        free = answers.free[answers.reference]
        if p[free].sum() * len(answers.free) / len(p) < 0.5:
            return StopReason.DRIED_UP
        now, before = p >= 0.5, self._before
        self._before = now
        either = 0 if before is None else np.count_nonzero(now | before)
        agree = before is not None and either and np.count_nonzero(now != before) <= MOVED * either
        self._agreed = self._agreed + 1 if agree else 0
        return StopReason.SETTLED if self._agreed >= self.patience else None
