"""Q, the probability that was given to the answers before they came: what every count has to compete with.

In each stratum Q is a mixture of Beta-binomials. Their means are what the classifier's own probabilities say, times a
reveal rate; their strengths run from almost nothing to hundreds of answers, so that a model that is wrong costs little.
The reveal rate is mixed over as well, for all strata together:

    Q = Σ_ω w_ω Π_k Σ_i v_i · B(r_k + s_i p, n_k − r_k + s_i (1 − p)) / B(s_i p, s_i (1 − p)),      p = ω · mean of k.

Any Q that is fixed before the first question is valid. This one is wide where the model is wrong, and never false.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp

from activepu.audit.likelihood import Counts

STRENGTHS = (1.0, 10.0, 80.0, 600.0)
"""How many answers a prediction of the model is worth; each is as likely as the others."""
RATES = (0.95, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08)
"""Reveal rates over which Q is mixed, where nothing is known about the rate."""
EXTREME = 0.002
"""No prediction is nearer to 0 or 1."""

Floats = NDArray[np.float64]


class Predictions:
    """The predictions of one audit: the mean of each stratum's probabilities, and the reveal rates that are likely."""

    def __init__(self, means: Floats, rates: Sequence[float] = RATES) -> None:
        share = np.outer(rates, means).clip(EXTREME, 1 - EXTREME)[:, :, None]
        self._yes, self._no = share * STRENGTHS, (1 - share) * STRENGTHS  # rates × strata × strengths

    def log_probability(self, counts: Sequence[Counts]) -> float:
        """Return ln Q of the answers so far."""
        r = np.array([c.revealed for c in counts], np.float64)[:, None]
        s = np.array([c.silent for c in counts], np.float64)[:, None]
        each = betaln(self._yes + r, self._no + s) - betaln(self._yes, self._no)
        strata = logsumexp(each, axis=2) - np.log(len(STRENGTHS))
        return float(logsumexp(strata.sum(axis=1)) - np.log(len(strata)))


def log_gold(asked: int, revealed: int) -> float:
    """Return ln Q of the answers about known positives: Jeffreys' mixture over the rate."""
    return float(betaln(revealed + 0.5, asked - revealed + 0.5) - betaln(0.5, 0.5))
