"""How many items would this expert confirm? Bounds from draws by lot, with any other questions in between.

Toss all of the expert's coins beforehand: of the N items of a band S are confirmable, whichever these are. Before a
draw let n items of the band be asked, r of them revealed, by whatever questions: of the lot, of a model, of the user.
The item that is drawn is uniform among the M that are left, so that given the coins and everything before it

    P(revealed) = (S − r) / M,          P(silent) = 1 − (S − r) / M.

L(S) is the product of these over the draws of the lot alone. Other questions contribute no factor: they only change r
and M. Let Q be any product of predictions that are fixed before each draw. Q/L(S) is a nonnegative martingale at the
true S, so by Ville's inequality {S : Π L_k(S_k) ≥ δ·Q} contains the truth at all times with probability 1 − δ. The
band of a draw, and the other questions, may depend on everything before it: on answers, on features, on a model.

Q is Σ_S prior(S)·L(S), with a prior on S that is fixed before the first draw.

**Skips.** Nothing is assumed about why an item was skipped. Complete the answers by a c that says for each skipped item
whether it is confirmable, and write L_c and Q_c for what L and Q would then be. The true c belongs to a run without any
skip, so that {S : L_c(S) ≥ δ·Q_c for some c} contains the truth at all times with probability 1 − δ, even if somebody
skips who knows every coin. There are too many c to try each. Let c¹ call every skipped item confirmable, and c⁰ none.
Where a c calls one item more confirmable, L(S) is multiplied by

    (S − r)/(M − S + r) if it was drawn by lot, by 1 + 1/(M − S + r) for every later silence of the lot and by
    1 − 1/(S − r) for every later reveal: each rises with S.

So L_c¹/L_c and L_c/L_c⁰ rise with S. With Q_c = Σ prior(S′)·L_c(S′), for every c and every S that c leaves possible,

    Q_c/L_c(S) ≥ Σ_{S′ ≤ S} prior(S′)·L_c¹(S′)/L_c¹(S) + Σ_{S′ > S} prior(S′)·L_c⁰(S′)/L_c⁰(S).

`Band` computes the right side: where nothing was skipped it is Q/L(S) itself, and skips cost nothing. A sum whose
divisor is 0 is left out, except for its term prior(S) at S′ = S. An item that is answered after all is no longer
skipped: its draw counts with that answer.

Q must be a probability in the run without any skip: its prior may depend on earlier answers, but not on which of them
are missing. Several questions may be open at once, so that somebody may skip an item after having seen the draws behind
it, and would choose the prior by that. (Of 10 items let 1 be confirmable; who may choose an expected number of 0.05 or
of 3 after seeing all draws excludes the truth in 50% of all cases at δ = 0.46.) So once any item was skipped before
the first draw of a band, a prior is taken that is nowhere larger than that of any completion (`careful_prior`). With
less weight Q is smaller, which excludes less.

Ville, *Étude critique de la notion de collectif*, 1939. Waudby-Smith and Ramdas, "Confidence sequences for sampling
without replacement", 2020.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

DENSE, RATIO = 4096, 1.002
"""Up to this count L is computed at every S, from there on at counts that grow by this factor."""
ROUNDING = 1e-9
"""What is added to a computed ln L, so that rounding excludes no count."""
UNBOUNDED = 1000.0
"""A bound of ln L/Q that excludes nothing."""
TRUST = 0.7
"""The weight of the prior that follows the expected number; the rest goes to 1/((h + 1)(h + 2))."""
SHAPE = 2.0
"""The shape of that prior, a negative binomial: its standard deviation is at most μ/√2 + √μ."""

Floats = NDArray[np.float64]


class Case:
    """ln L on a grid of counts, for one completion of the answers."""

    def __init__(self, counts: Floats) -> None:
        self.confirmed = 0
        self.counts = np.stack([counts, counts + 1])
        self.log = np.zeros(self.counts.shape)
        """ln L at these counts, and at the next ones."""

    def take(self, left: int | None, confirmable: bool) -> None:
        """Take in an item; `left` were in the lot if it was drawn by lot."""
        if left is not None:
            share = np.clip((self.counts - self.confirmed) / left, 0.0, 1.0)
            with np.errstate(divide="ignore"):
                self.log += np.log(share if confirmable else 1 - share)
        self.confirmed += confirmable


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
        """How many items have an answer, and how many of these were revealed."""
        self._counts = _grid(size)
        self._dense = len(self._counts) == size + 1
        self._taken: list[tuple[int | None, bool | None]] = []
        self._cases = [Case(self._counts)]  # c⁰ and, once something was skipped, c¹
        self._prior: Floats | None = None
        self._corners: tuple[Floats, Floats] | None = None

    @property
    def silent(self) -> int:
        """How many were asked and not revealed."""
        return self.asked - self.revealed

    @property
    def skipped(self) -> int:
        """How many were asked and have no answer."""
        return len(self._taken) - self.asked

    def expect(self, hidden: float, careful: bool = False) -> None:
        """Fix the prior, once, before the first draw.

        Parameters
        ----------
        hidden : float
            How many of the items left may be confirmable.
        careful : bool
            Whether anything was skipped before, in this band or in another: `hidden` is then not used.
        """
        if self._prior is None:
            rest, left = self._counts - self.revealed, self.size - self.asked
            self._prior = careful_prior(rest, left, self.skipped) if careful else log_prior(rest, left, hidden)

    def take(self, left: int | None, revealed: bool | None) -> int:
        """Take in a question, in the order of asking, and return its place.

        Parameters
        ----------
        left : int or None
            How many items were in the lot if it was drawn by lot, this one included; None if it was not.
        revealed : bool or None
            The answer; None if it was skipped.
        """
        self._taken.append((left, revealed))
        self._apply(left, revealed)
        return len(self._taken) - 1

    def settle(self, place: int, revealed: bool) -> None:
        """Take in the answer to a question that was skipped."""
        taken, self._taken = self._taken, []
        taken[place] = (taken[place][0], revealed)
        self.asked = self.revealed = 0
        self._cases = [Case(self._counts)]
        for left, answer in taken:
            self.take(left, answer)

    def _apply(self, left: int | None, revealed: bool | None) -> None:
        if revealed is None and len(self._cases) == 1:
            self._cases.append(copy.deepcopy(self._cases[0]))
        for confirmable, case in zip((False, True), self._cases, strict=False):
            case.take(left, confirmable if revealed is None else revealed)
        self.asked += revealed is not None
        self.revealed += bool(revealed)
        self._corners = None

    def corners(self) -> tuple[Floats, Floats]:
        """Return a concave, piecewise linear upper bound of ln L/Q on the counts that are possible, by its corners."""
        if self._corners is None:
            low, high = self.revealed, self.size - self.silent
            if self._prior is None:
                self._corners = np.array([low, high], np.float64), np.zeros(2)
            else:
                found = self._completed if len(self._cases) > 1 else self._as_answered
                x, y = found(self._prior, low, high)
                self._corners = x, y + ROUNDING
        return self._corners

    def _as_answered(self, prior: Floats, low: int, high: int) -> tuple[Floats, Floats]:
        """Return the corners where nothing was skipped."""
        log_q = logsumexp(prior + self._cases[0].log[0])
        if log_q == -np.inf:  # a careful prior may have left out all that is possible by now
            return np.array([low, high], np.float64), np.full(2, UNBOUNDED)
        here, after = self._cases[0].log - log_q
        if self._dense:
            return self._counts[low : high + 1], here[low : high + 1]
        inside = (self._counts >= low) & (self._counts < high)
        if not inside.any():
            return np.array([low, high], np.float64), np.full(2, UNBOUNDED)
        at, value, slope = self._counts[inside], here[inside], after[inside] - here[inside]
        meet = _meeting(at, value, slope)
        x = np.concatenate([[low], meet, [high]])
        line = np.append(np.searchsorted(at, meet, side="right") - 1, len(at) - 1)  # the line left of each corner
        line = np.concatenate([[0], line])
        return x, value[line] + slope[line] * (x - at[line])

    def _completed(self, prior: Floats, low: int, high: int) -> tuple[Floats, Floats]:
        """Return the corners of the least concave function above the bound that the head of the module proves.

        Between two counts of the grid both sums stay the same. There the bound is concave in S, and below the line
        through its values at the first of the two and at the next integer.
        """
        none, every = self._cases
        at, last = self._counts, np.minimum(np.append(self._counts[1:] - 1, self.size), high)
        least, most = every.confirmed, self.size - self.silent - self.skipped  # if all were, and if none was
        below = np.logaddexp.accumulate(np.where(at >= least, prior + every.log[0], -np.inf))
        above = np.where(at <= most, prior + none.log[0], -np.inf)
        above = np.append(np.logaddexp.accumulate(above[::-1])[::-1][1:], -np.inf)
        inverse = [
            np.logaddexp(
                _quotient(below, every.log[k], prior if k == 0 else -np.inf),
                _quotient(above, none.log[k], -np.inf),
            )
            for k in (0, 1)
        ]
        here, after = (np.minimum(-each, UNBOUNDED) for each in inverse)
        with np.errstate(invalid="ignore"):
            end = np.where(after >= UNBOUNDED, UNBOUNDED, here + (after - here) * (last - at))
        here_in, end_in = (at >= low) & (at <= high), (at >= low) & (last > at)
        x, y = np.concatenate([at[here_in], last[end_in]]), np.concatenate([here[here_in], end[end_in]])
        if low not in at:
            x, y = np.append(x, low), np.append(y, UNBOUNDED)
        order = np.argsort(x, kind="stable")
        return _hull(x[order], y[order])


def _quotient(total: Floats, divisor: Floats, otherwise: Floats | float) -> Floats:
    """Return ln of a sum over its divisor; something else where either is 0."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isfinite(total) & np.isfinite(divisor), total - divisor, otherwise)


def _hull(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the corners of the least concave function above these points, which are in the order of x."""
    kept: list[int] = []
    for k in range(len(x)):
        while len(kept) > 1 and (y[k] - y[kept[-1]]) * (x[kept[-1]] - x[kept[-2]]) >= (y[kept[-1]] - y[kept[-2]]) * (
            x[k] - x[kept[-1]]
        ):
            kept.pop()
        kept.append(k)
    return x[kept], y[kept]


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


def careful_prior(hidden: Floats, left: int, skipped: int) -> Floats:
    """Return ln of what `log_prior` is at least, if any of the items that were skipped are confirmable, or none.

    With j of them confirmable, h − j of `left` − `skipped` items are hidden, and 1/((h − j + 1)(h − j + 2)) falls with
    h. The expected number may be any, so that the part that follows it counts nothing.
    """
    possible = (hidden >= skipped) & (hidden <= left - skipped)
    h = np.where(possible, hidden, 0.0)
    return np.where(possible, math.log(1 - TRUST) - np.log((h + 1) * (h + 2)), -np.inf)


def extremes(bands: Sequence[Band], delta: float) -> tuple[float, float]:
    """Return the least and the largest number of confirmable rows, Σ w_k S_k, in the confidence set.

    The bounds of ln L_k/Q_k are concave. From the top of all of them, the cheapest steps to either side are taken until
    their costs use up what the set allows. An empty set, which has probability δ at most, gives all that is possible.
    """
    possible = [(b.weight * b.revealed, b.weight * (b.size - b.silent)) for b in bands]
    corners = [band.corners() for band in bands]
    allowed = sum(float(values.max()) for _, values in corners)
    allowed -= math.log(delta)
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
