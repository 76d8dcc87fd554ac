"""The Z-channel: what one question can tell.

A question about x is one use of a channel with input h(x) ∈ {0, 1} and P(reveal) = ω·h(x): a 0 always arrives as ★, a 1
arrives with probability ω. Information is in bits. All functions take numbers or arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

_LN2 = np.log(2.0)

Values = NDArray[np.float64]
"""Of the shape of the arguments; 0-dimensional for plain numbers."""


def entropy(p: Any) -> Values:
    """H_b(p) = −p log2 p − (1 − p) log2(1 − p), with 0 log 0 = 0."""
    p = np.asarray(p, np.float64)
    return np.asarray((entr(p) + entr(1.0 - p)) / _LN2)


def information(p: Any, rate: Any) -> Values:
    """I(p) = H_b(ωp) − p·H_b(ω): bits from asking an item that is positive with probability p."""
    p, rate = np.asarray(p, np.float64), np.asarray(rate, np.float64)
    return np.asarray(entropy(rate * p) - p * entropy(rate))


def best_input(rate: Any) -> Values:
    """p* = 1/(ω(1 + 2^{H_b(ω)/ω})), where I is largest: 0.5, 0.4, 0.379 at ω = 1, 0.5, 0.2; → 1/e as ω → 0."""
    rate = np.asarray(rate, np.float64)
    # ω·2^{H_b(ω)/ω} = (1 − ω)^{−(1−ω)/ω}: this form neither overflows nor loses digits for small ω.
    return np.asarray(1.0 / (rate + np.exp(-_log_survival(rate))))


def capacity(rate: Any) -> Values:
    """C_Z = log2(1 + ω(1 − ω)^{(1−ω)/ω}) bits per question: 1, 0.3219, 0.1136 at ω = 1, 0.5, 0.2."""
    rate = np.asarray(rate, np.float64)
    return np.asarray(np.log1p(rate * np.exp(_log_survival(rate))) / _LN2)


def _log_survival(rate: NDArray[np.float64]) -> NDArray[np.float64]:
    """((1 − ω)/ω)·ln(1 − ω), with its limit 0 at ω = 1."""
    safe = np.where(rate < 1.0, rate, 0.5)
    return np.where(rate < 1.0, (1.0 - safe) / safe * np.log1p(-safe), 0.0)
