"""The probability of the answers in one stratum, where each expert has a reveal rate of their own.

Λ(A, ω₁ … ω_E) of `per_expert`, as a function of the number of positives, at many rates at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from activepu.audit.likelihood import Counts

HALVINGS = 14
"""How often ln z is halved: a tilt may be a little off."""
TINY = 1e-290
"""What is smaller than this was rounded too much."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Seen:
    """What was seen of one stratum: its size, and by expert how many items were asked and how many revealed."""

    size: int
    asked: tuple[int, ...]
    revealed: tuple[int, ...]

    @property
    def pooled(self) -> Counts:
        """The counts of all experts together."""
        return Counts(self.size, sum(self.asked), sum(self.revealed))

    @property
    def silent(self) -> tuple[int, ...]:
        """How many items each expert was asked and did not reveal."""
        return tuple(n - r for n, r in zip(self.asked, self.revealed, strict=True))


def log_likelihood(seen: Seen, positives: Floats, rates: Floats) -> Floats:
    """Return ln Λ, one row per vector of rates and one column per number of positives.

    With the binomials of `_silent_positives`, for any z > 0,

        Λ = Π_e ω_e^{r_e} (1 + q_e z)^{s_e} · Σ_J P_z(J) g(J) z^{−J},      g(J) = (A)_{r+J} (N − A)_{n−r−J} / (N)_n,

    which is one product of two matrices. z puts the middle of P_z where J is likely; with many silent answers several z
    are tried, so that all parts of the sum that matter are far from underflow.

    Parameters
    ----------
    seen : Seen
        The answers in the stratum.
    positives : array
        Numbers of positives A, integers from r to N.
    rates : array, shape (vectors, experts)
        Reveal rates, in [0, 1).

    Returns
    -------
    array
        NaN where the sum is lost to rounding: hundreds of nats below the largest value of its row.
    """
    whole, A, q = seen.pooled, positives, 1 - rates
    r, s, silent = whole.revealed, whole.silent, np.array(seen.silent, np.float64)
    first, last = np.maximum(0.0, s - (whole.size - A)), np.minimum(float(s), A - r)
    log_g, found = _log_falling(whole, tuple(A.tolist())), np.full((len(rates), len(A)), np.nan)
    for share in (0.3,) if s <= 400 else (0.03, 0.3, 0.8) if s <= 3000 else (0.01, 0.08, 0.25, 0.5, 0.75, 0.95):
        z = float(np.median(_tilt(silent, q, share * s)))
        chance = _silent_positives(seen.silent, z * q)
        log_k = log_g - np.arange(s + 1.0) * math.log(z)
        top = log_k.max(axis=1)
        k = np.exp(log_k - top[:, None])
        total = chance @ k.T
        with np.errstate(divide="ignore"):
            value = np.log(total) + top + xlog1py(silent, z * q).sum(axis=1)[:, None]
        found = np.where(np.isnan(found) & _whole(chance, k, total, first, last), value, found)
    return np.asarray(found + xlogy(np.array(seen.revealed), rates).sum(axis=1)[:, None])


@lru_cache(maxsize=16)
def _log_falling(whole: Counts, positives: tuple[float, ...]) -> Floats:
    """Return ln g(J) for J = 0 … s, one row per A; the same for all rates, and so for all boxes of a set."""
    N, n, A, J = whole.size, whole.asked, np.array(positives)[:, None], np.arange(whole.silent + 1.0)
    yes, no = A - whole.revealed - J, N - A - whole.silent + J  # positives and others that were not asked
    possible = (yes >= 0) & (no >= 0)
    asked = gammaln(A + 1) + gammaln(N - A + 1) - gammaln(N + 1) + gammaln(N - n + 1)
    left = gammaln(np.where(possible, yes, 0.0) + 1) + gammaln(np.where(possible, no, 0.0) + 1)
    return np.asarray(np.where(possible, asked - left, -np.inf))


def _whole(f: Floats, h: Floats, total: Floats, first: Floats, last: Floats) -> NDArray[np.bool_]:
    """Return where no term that matters was lost: terms are log-concave, so it is enough to look at the outermost."""
    ends = [(first, *(_ends(part, 1) for part in (f, h))), (last, *(_ends(part, -1) for part in (f, h)))]
    fine = total > TINY
    for (true, of_f, of_h), outer in zip(ends, (np.maximum, np.minimum), strict=True):
        at = outer(of_f[:, None], of_h[None, :])
        term = np.take_along_axis(f, at, axis=1) * h[np.arange(len(h))[None, :], at]
        fine &= (at == true[None, :]) | (term <= 1e-13 * total)
    return fine


def _ends(part: Floats, step: int) -> Ints:
    """Return the first column (the last, for step −1) of each row that is not lost."""
    kept = (part > TINY)[:, ::step]
    at = kept.argmax(axis=1)
    return np.asarray(at if step > 0 else part.shape[1] - 1 - at)


def _log_choose(n: Floats | np.float64, k: Floats | np.float64) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def _silent_positives(silent: Sequence[int], odds: Floats) -> Floats:
    """Return P_z(J) for J = 0 … s, one row per vector of odds q_e z: the number of positives among the silent items.

    P_z(J) = c_J z^J / Π (1 + q_e z)^{s_e} is the probability that binomials with p_e = q_e z / (1 + q_e z) add up to J.
    The corners of boxes have few rates of each expert. So every binomial is computed once, and so is what the first
    experts add up to.
    """
    chance, of_row = np.ones((1, 1)), np.zeros(len(odds), np.int64)
    for own, m in zip(odds.T, silent, strict=True):
        each, place = np.unique(own, return_inverse=True)
        _, first, row = np.unique(of_row * len(each) + place, return_index=True, return_inverse=True)
        k = np.arange(m + 1.0)
        log = _log_choose(np.float64(m), k) + xlogy(k, each[:, None]) - m * np.log1p(each[:, None])
        chance, of_row = _convolved(chance[of_row[first]], np.exp(log), place[first]), row
    return chance[of_row]


def _tilt(silent: Floats, q: Floats, mean: float) -> Floats:
    """Return z with Σ s_e q_e z / (1 + q_e z) = mean, nearly, by halving ln z."""
    low, high = np.full(len(q), -30.0), np.full(len(q), 30.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        odds = q * np.exp(middle)[:, None]
        less = (silent * odds / (1 + odds)).sum(axis=1) < mean
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return np.asarray(np.exp((low + high) / 2))


def _convolved(a: Floats, b: Floats, of_b: Ints) -> Floats:
    """Return the convolution of each row of a with its row of b: for each row of b, one product of two matrices."""
    lag, length = a.shape[1] - 1, a.shape[1] + b.shape[1] - 1
    found, padded = np.empty((len(a), length)), np.pad(b, ((0, 0), (lag, lag)))
    for k, row in enumerate(padded):
        shifted = np.lib.stride_tricks.sliding_window_view(row, length)[::-1]  # row i holds b from place i on
        found[of_b == k] = a[of_b == k] @ shifted.copy()
    return found
