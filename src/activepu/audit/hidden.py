"""How many items would this expert confirm? Bounds from draws by lot, with any other questions in between.

Toss all of the expert's coins beforehand: of the N items of a band S are confirmable, whichever these are. Before a
draw let n items of the band be asked, r of them revealed, by whatever questions: of the lot, of a model, of the user.
The item that is drawn is uniform among the M that are left, so that given the coins and everything before it

    P(revealed) = (S − r) / M,          P(silent) = 1 − (S − r) / M.

L(S) is the product of these over the draws of the lot alone. Other questions contribute no factor: they only change r
and M. Let Q be any product of predictions that are fixed before each draw. Q/L(S) is a nonnegative martingale at the
true S, so by Ville's inequality {S : Π L_k(S_k) ≥ δ·Q} contains the truth at all times with probability 1 − δ. The
band of a draw, and the other questions, may depend on everything before it: on answers, on features, on a model.

Q is Σ_S prior(S)·L(S), with a prior on the confirmable items that are left when the lot begins.

A drawn item that was skipped is out of the lot and has no answer. With s such items the S − r confirmable ones that
remain may be any number of these s and the rest of M, so that the factor is replaced by its largest possible value.

Ville, *Étude critique de la notion de collectif*, 1939. Waudby-Smith and Ramdas, "Confidence sequences for sampling
without replacement", 2020.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

DENSE, RATIO = 4096, 1.002
"""Up to this count L is computed at every S, from there on at counts that grow by this factor."""
ROUNDING = 1e-9
"""What is added to a computed ln L, so that rounding excludes no count."""
TRUST = 0.7
"""The weight of the prior that follows the expected number; the rest goes to 1/((h + 1)(h + 2))."""
SHAPE = 2.0
"""The shape of that prior, a negative binomial: its standard deviation is at most μ/√2 + √μ."""

Floats = NDArray[np.float64]


class Band:
    """The evidence about S, the number of confirmable items in one band.

    Parameters
    ----------
    size : int
        N, how many items the band has.
    weight : int
        How many rows an item stands for.
    """

    def __init__(self, size: int, weight: int = 1) -> None:
        self.size, self.weight = size, weight
        self.asked = self.revealed = 0
        self._counts = _grid(size)
        self._dense = len(self._counts) == size + 1
        self._at = np.zeros(len(self._counts))  # ln L at these counts, and at the next ones
        self._next = np.zeros(len(self._counts))
        self._fit = np.zeros(len(self._counts))  # the components of Q: the same where nothing was skipped
        self._prior: Floats | None = None

    @property
    def silent(self) -> int:
        """How many were asked and not revealed."""
        return self.asked - self.revealed

    def expect(self, hidden: float) -> None:
        """Fix the prior, once, before the first draw: the number of items left that may be confirmable."""
        if self._prior is None:
            self._prior = log_prior(self._counts - self.revealed, self.size - self.asked, hidden)

    def note(self, revealed: bool) -> None:
        """Take in the answer to a question that was not drawn by lot."""
        self.asked += 1
        self.revealed += revealed

    def draw(self, left: int, revealed: bool) -> None:
        """Take in the answer to a draw by lot, made when `left` items were in the lot, this one included."""
        missing = self.size - self.asked - left  # skipped: out of the lot, without an answer
        with np.errstate(divide="ignore"):
            for values, counts in ((self._at, self._counts), (self._next, self._counts + 1)):
                hidden = counts - self.revealed
                most = hidden / left if revealed else 1 - np.maximum(hidden - missing, 0) / left
                values += np.log(np.clip(most, 0.0, 1.0))
            share = np.clip((self._counts - self.revealed) / (left + missing), 0.0, 1.0)
            self._fit += np.log(share if revealed else 1 - share)
        self.note(revealed)

    @property
    def log_q(self) -> float:
        """Return ln Q of the draws so far."""
        return 0.0 if self._prior is None else float(logsumexp(self._prior + self._fit))

    def corners(self) -> tuple[Floats, Floats]:
        """Return a concave, piecewise linear upper bound of ln L on the counts that are possible, by its corners."""
        low, high = self.revealed, self.size - self.silent
        if self._dense:
            return self._counts[low : high + 1], self._at[low : high + 1] + ROUNDING
        inside = (self._counts >= low) & (self._counts < high)
        if not inside.any():
            return np.array([low, high], np.float64), np.zeros(2)
        at, value, slope = self._counts[inside], self._at[inside], self._next[inside] - self._at[inside]
        meet = _meeting(at, value, slope)
        x = np.concatenate([[low], meet, [high]])
        line = np.append(np.searchsorted(at, meet, side="right") - 1, len(at) - 1)  # the line left of each corner
        line = np.concatenate([[0], line])
        return x, value[line] + slope[line] * (x - at[line]) + ROUNDING


def _grid(size: int) -> Floats:
    if size <= DENSE:
        return np.arange(size + 1.0)
    steps = math.ceil(math.log(size / DENSE) / math.log(RATIO))
    far = np.floor(DENSE * RATIO ** np.arange(steps + 1.0))
    return np.unique(np.concatenate([np.arange(DENSE + 0.0), far[far < size]]))


def _meeting(at: Floats, value: Floats, slope: Floats) -> Floats:
    """Return where each line, through `value` with `slope`, meets the next one: between the two counts."""
    left, right = at[:-1], at[1:]
    falls = slope[:-1] - slope[1:]
    gap = value[1:] - value[:-1] - slope[1:] * (right - left)  # the next line at the count before, minus this one
    straight = falls <= 1e-15
    return np.asarray(np.where(straight, right, left + gap / np.where(straight, 1.0, falls)).clip(left, right))


def log_prior(hidden: Floats, left: int, expected: float) -> Floats:
    """Return ln of a prior on how many of the items that are left are confirmable; −∞ at impossible numbers.

    A negative binomial with the expected number for its mean, mixed with 1/((h + 1)(h + 2)), which knows nothing. Any
    prior is valid; a good one saves questions.
    """
    possible = (hidden >= 0) & (hidden <= left)
    h, mean = np.where(possible, hidden, 0.0), max(expected, 1e-3)
    known = np.cumsum(np.log1p((SHAPE - 1) / np.arange(1.0, h.max() + 1))) if SHAPE != 1 else np.zeros(int(h.max()))
    rising = np.concatenate([[0.0], known])[h.astype(np.int64)]  # ln C(h + shape − 1, h)
    trusted = rising + h * math.log(mean / (mean + SHAPE)) + SHAPE * math.log(SHAPE / (mean + SHAPE))
    wide = -np.log((h + 1) * (h + 2))
    mixed = np.where(possible, np.logaddexp(math.log(TRUST) + trusted, math.log(1 - TRUST) + wide), -np.inf)
    return np.asarray(mixed - logsumexp(mixed))


def extremes(bands: Sequence[Band], delta: float) -> tuple[float, float]:
    """Return the least and the largest number of confirmable rows, Σ w_k S_k, in the confidence set.

    Every ln L_k is concave. From the top of all of them, the cheapest steps to either side are taken until their costs
    use up what the set allows. An empty set, which has probability δ at most, gives all that is possible.
    """
    possible = [(b.weight * b.revealed, b.weight * (b.size - b.silent)) for b in bands]
    corners = [band.corners() for band in bands]
    allowed = sum(float(values.max()) for _, values in corners)
    allowed -= math.log(delta) + sum(band.log_q for band in bands)
    if not allowed >= 0:
        return sum(low for low, _ in possible), sum(high for _, high in possible)
    found = [_reach(corners, bands, allowed, side) for side in (-1, 1)]
    return math.ceil(found[0] - 1e-9), math.floor(found[1] + 1e-9)


def _reach(corners: Sequence[tuple[Floats, Floats]], bands: Sequence[Band], allowed: float, side: int) -> float:
    """Return how far Σ w_k S_k can go to one side if ln L may fall by so much."""
    start, steps = 0.0, []
    for (x, y), band in zip(corners, bands, strict=True):
        x, y = (x, y) if side > 0 else (-x[::-1], y[::-1])
        top = len(y) - 1 - int(np.argmax(y[::-1]))
        start += band.weight * x[top]
        steps.append(np.stack([band.weight * np.diff(x[top:]), -np.diff(y[top:])]))
    length, cost = np.concatenate(steps, axis=1) if steps else np.empty((2, 0))
    keep = length > 0
    length, cost = length[keep], np.maximum(cost[keep], 0.0)
    order = np.argsort(cost / length, kind="stable")
    length, cost = length[order], cost[order]
    spent = np.cumsum(cost)
    whole = int(np.searchsorted(spent, allowed, side="right"))
    total = start + float(length[:whole].sum())
    if whole < len(cost) and math.isfinite(cost[whole]):
        total += float(length[whole] * (allowed - (spent[whole - 1] if whole else 0.0)) / cost[whole])
    return side * total
