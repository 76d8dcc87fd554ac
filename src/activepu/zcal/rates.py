"""The reveal rates ω that are possible, and what the answers say about them.

With r reveals and s silences inside a hypothesis h, h matters only through L(ω) = ω^r (1 − ω)^s. A confidence set takes
the maximum over the possible rates; a prediction takes the mean. The mean is over the arcsine law, Beta(½, ½),
restricted to [low, high]. On [0, 1] it is a Beta function. Otherwise, with ω = sin²θ the law of θ is uniform, and the
mean is taken over the midpoints of an even division of θ. Any law would do: a prediction cannot break a guarantee.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, logsumexp, xlog1py, xlogy

from activepu import checks
from activepu.errors import InvalidInput

Floats = NDArray[np.float64]

NODES = 128
HALVINGS = 60
PER_EXPERT = "per expert"
PACE = 64
"""Answers about the rate alone are evaluated, at the latest, when their number has grown by a share of 1/PACE."""


@dataclass(frozen=True)
class Rates:
    """low ≤ ω ≤ high: one number for all experts, or one for each expert."""

    low: float = 0.0
    high: float = 1.0
    per_expert: bool = False

    @classmethod
    def parse(cls, rate: Any) -> Rates:
        """Return the rates from None (unknown), a number (known), a pair (known to lie between) or "per expert"."""
        if rate is None:
            return cls()
        if isinstance(rate, str) and rate == PER_EXPERT:
            return cls(per_expert=True)
        if isinstance(rate, (tuple, list)) and len(rate) == 2:
            low, high = checks.share("rate", rate[0]), checks.rate("rate", rate[1])
            if low > high:
                raise InvalidInput(f"rate = (low, high) needs low <= high, got {rate!r}; swap them.")
            return cls(low, high)
        if isinstance(rate, (str, tuple, list)):
            raise InvalidInput(f'rate must be None, a number, (low, high) or "{PER_EXPERT}", got {rate!r}.')
        known = checks.rate("rate", rate)
        return cls(known, known)

    @property
    def known(self) -> bool:
        """Whether only one rate is possible."""
        return self.low == self.high

    def log_likelihood(self, revealed: Any, silent: Any) -> Floats:
        """Return max_ω ln L, decreasing in s. With low = 0 and r = 0 it is 0 for all s: silence alone says nothing."""
        r, s = np.asarray(revealed, np.float64), np.asarray(silent, np.float64)
        return _log_likelihood(r, s, self._best(r, s))

    def _best(self, r: Floats, s: Floats) -> Floats:
        return np.asarray(np.clip(r / np.maximum(r + s, 1.0), self.low, self.high))

    def most_silent(self, revealed: int, floor: float, among: int) -> int:
        """Return the largest s ≤ `among` with max_ω ln L ≥ floor; −1 if there is none.

        ln L falls with s, so that a coarse grid of s tells where to look.
        """
        step = math.isqrt(among) + 1
        some = np.count_nonzero(self.log_likelihood(revealed, np.arange(0, among + 1, step)) >= floor)
        start = max(0, (int(some) - 1) * step)
        near = np.arange(start, min(start + step, among + 1))
        return start + int(np.count_nonzero(self.log_likelihood(revealed, near) >= floor)) - 1

    def intervals(self, moments: Sequence[tuple[Any, Any, Any]]) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of {ω : ln L(ω) ≥ floor} for each of these (reveals, silences, floor).

        Each set is an interval because ln L is concave; of arrays it is the hull of all their intervals. The ends are
        found by bisection; rounding can only widen it. Raises ValueError if a set is empty.
        """
        parts = [np.broadcast_arrays(*np.atleast_1d(*moment)) for moment in moments]
        r, s, floors = (np.concatenate(column) for column in zip(*parts, strict=True))
        of = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        possible = _log_likelihood(r, s, self._best(r, s)) >= floors
        if not np.bincount(of[possible], minlength=len(parts)).all():
            raise ValueError("no rate is possible")
        low, high = self.ends(r[possible], s[possible], floors[possible])
        lowest, highest = np.full(len(parts), np.inf), np.full(len(parts), -np.inf)
        np.minimum.at(lowest, of[possible], low)
        np.maximum.at(highest, of[possible], high)
        return lowest, highest

    def ends(self, r: Floats, s: Floats, floors: Floats) -> tuple[Floats, Floats]:
        """Return both ends of {ω : ln L(ω) ≥ floor} for each r, s and floor; ValueError if one of them is empty."""
        best = self._best(r, s)
        if not (_log_likelihood(r, s, best) >= floors).all():
            raise ValueError("no rate is possible")

        def end(limit: float) -> Floats:
            out, kept = np.full_like(best, limit), best
            kept = np.where(_log_likelihood(r, s, out) >= floors, out, kept)
            for _ in range(HALVINGS):
                middle = (out + kept) / 2
                fits = _log_likelihood(r, s, middle) >= floors
                out, kept = np.where(fits, out, middle), np.where(fits, middle, kept)
            return out

        return end(self.low), end(self.high)

    @property
    def is_any(self) -> bool:
        """Whether nothing is known about the rate."""
        return (self.low, self.high) == (0.0, 1.0)

    @cached_property
    def _nodes(self) -> Floats:
        if self.known:
            return np.array([self.low])
        ends = np.arcsin(np.sqrt([self.low, self.high]))
        return np.asarray(np.sin(ends[0] + (ends[1] - ends[0]) * (np.arange(NODES) + 0.5) / NODES) ** 2)

    def log_mean(self, revealed: Any, silent: Any) -> Floats:
        """Return ln of the mean of L over the possible rates: the weight of h with r reveals and s silences inside."""
        if self.is_any:
            return np.asarray(betaln(np.asarray(revealed) + 0.5, np.asarray(silent) + 0.5) - np.log(np.pi))
        if self.known:
            return self.log_likelihood(revealed, silent)
        return np.asarray(logsumexp(self._at_nodes(revealed, silent), axis=-1) - np.log(len(self._nodes)))

    def mean_rate(self, revealed: int, silent: Any) -> Floats:
        """Return the mean of ω given the answers inside a hypothesis; 0 if they exclude it."""
        if self.is_any:
            return np.asarray((revealed + 0.5) / (revealed + np.asarray(silent) + 1.0))
        weight = self._at_nodes(revealed, silent)
        top = weight.max(axis=-1, keepdims=True)
        weight = np.exp(weight - np.where(np.isfinite(top), top, 0.0))
        return np.asarray(weight @ self._nodes / np.maximum(weight.sum(axis=-1), 1e-300))

    def _at_nodes(self, revealed: Any, silent: Any) -> Floats:
        r, s = np.asarray(revealed, np.float64)[..., None], np.asarray(silent, np.float64)[..., None]
        return _log_likelihood(r, s, self._nodes)


def _log_likelihood(r: Any, s: Any, rate: Floats) -> Floats:
    """Return r ln ω + s ln (1 − ω), with 0·ln 0 = 0."""
    return np.asarray(xlogy(r, rate) + xlog1py(s, -rate))


def is_telling(n: int) -> bool:
    """Return whether to evaluate the state again after the n-th answer that tells about the rate alone.

    Such an answer moves the rate by about 1/n, so that not every one of many matters. Evaluate at those n that are
    divisible by the largest power of two up to n/64. The rule depends on the number of answers only, and not on when
    results were requested, so that a replay ends where the run did.
    """
    return n % (1 << max(0, (n // PACE).bit_length() - 1)) == 0
