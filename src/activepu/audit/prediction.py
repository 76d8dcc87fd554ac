"""Q, the probability that was given to the answers before they came: what every count has to compete with.

In each stratum Q is a mixture of Beta-binomials. Their means are what the classifier's own probabilities say, times a
reveal rate; their strengths run from almost nothing to hundreds of answers, so that a model that is wrong costs little.
The reveal rate is mixed over as well, for all strata together:

    Q = mean over ω and i of Π_k Σ_j v_ij · B(r_k + s_j p, n_k − r_k + s_j (1 − p)) / B(s_j p, s_j (1 − p)),

with p = ω times the mean of stratum k.

One strength s_i is meant for all strata, and each stratum may have another. The last component is Jeffreys', which
does without the model. Any Q that is fixed before the first question is valid. This one is wide where the model is
wrong, and never false.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from activepu.audit.likelihood import Counts

STRENGTHS = (600.0, 60.0, 6.0)
"""How many answers a prediction of the model is worth."""
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
"""The weights of these strengths, and of a mixture that knows nothing."""
RATES = (0.95, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08)
"""Reveal rates over which Q is mixed, where nothing is known about the rate."""
LEAST = 0.05
"""No component expects less than this many reveals, or silences, beside those that it has seen."""
SAME = 0.93
"""The weight in each stratum of the strength that is meant for all."""
_LOG_SHARED = np.log(SAME * np.eye(len(WEIGHTS)) + (1 - SAME) * WEIGHTS)

Floats = NDArray[np.float64]


class Predictions:
    """The predictions of one audit: the mean of each stratum's probabilities, and the reveal rates that are likely."""

    def __init__(self, means: Floats, rates: Sequence[float] = RATES) -> None:
        self._rates = np.array(rates)
        share = np.outer(rates, means)[:, :, None]
        known = np.maximum(share * STRENGTHS, LEAST), np.maximum((1 - share) * STRENGTHS, LEAST)
        self._yes, self._no = (np.append(part, np.full((*part.shape[:2], 1), 0.5), axis=2) for part in known)

    def only(self, strata: NDArray[np.bool_]) -> Predictions:
        """Return the predictions for some strata alone, with a mixture of their own."""
        part = copy.copy(self)
        part._yes, part._no = self._yes[:, strata], self._no[:, strata]
        return part

    def log_probability(self, counts: Sequence[Counts]) -> float:
        """Return ln Q of the answers so far."""
        return self._mixed(*_seen(counts))[0]

    def shares(self, counts: Sequence[Counts]) -> tuple[Floats, float]:
        """Return how likely the next answer in each stratum is a reveal, by Q, and the reveal rate that it expects."""
        r, s = _seen(counts)
        _, weights, chosen = self._mixed(r, s)
        next_ = (self._yes + r) / (self._yes + r + self._no + s)
        shares = np.einsum("wi,wkij,wkj->k", weights, chosen, next_)
        return shares, float(weights.sum(axis=1) @ self._rates)

    def _mixed(self, r: Floats, s: Floats) -> tuple[float, Floats, Floats]:
        """Return ln Q, the weights of (rate, strength for all), and those of the strengths in each stratum."""
        each = betaln(self._yes + r, self._no + s) - betaln(self._yes, self._no)  # rates × strata × strengths
        parts = each[:, :, None, :] + _LOG_SHARED
        mixed = _log_sum(parts, 3)
        together = mixed.sum(axis=1) + np.log(WEIGHTS / len(mixed))
        total = float(_log_sum(together.ravel(), 0))
        return total, np.exp(together - total), np.exp(parts - mixed[..., None])


def _log_sum(logs: Floats, axis: int) -> Floats:
    """Return ln Σ e^log along an axis; SciPy's function does more, and takes ten times as long."""
    top = logs.max(axis=axis, keepdims=True)
    return np.asarray(np.squeeze(top, axis) + np.log(np.exp(logs - top).sum(axis=axis)))


def _seen(counts: Sequence[Counts]) -> tuple[Floats, Floats]:
    revealed = np.array([c.revealed for c in counts], np.float64)[:, None]
    return revealed, np.array([c.asked for c in counts], np.float64)[:, None] - revealed


def log_gold(asked: int, revealed: int) -> float:
    """Return ln Q of the answers about known positives: Jeffreys' mixture over the rate."""
    return float(betaln(revealed + 0.5, asked - revealed + 0.5) - betaln(0.5, 0.5))
