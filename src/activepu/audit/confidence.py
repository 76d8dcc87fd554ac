"""The confidence set of an audit: all numbers of positives per stratum, and reveal rates, that fit the answers.

    {(A, ω) : Π_k Λ_k(A_k, ω) · ω^{r_g} (1 − ω)^{g − r_g} ≥ δ · Q}                   (g gold questions, r_g revealed)

contains the truth at all times at once with probability 1 − δ (Ville's inequality). Every statement of a rung is an
extreme of one such set, so all of them hold together. For fixed ω the set is convex, and each statement is about two
sums: I = positives where the classifier says yes, O = positives where it says no. How much ln Π Λ must fall for I or O
to move by so much is a convex curve; where the two falls add up to what the set allows is its border.

Between two rates ω₁ < ω < ω₂ of the grid, ln Π Λ(A, ω) = r ln ω + (a convex function of ln(1 − ω)), so that it is at
most the larger of its values at ω₁ and ω₂, plus r times the height of ln ω over its chord. That is charged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from activepu.audit.likelihood import ROUNDING, Counts, Envelope, binomial_charge, envelope

CHARGE = 0.04
"""What the grid of rates may cost, in nats."""
FEWEST, CELLS = 40, 400
"""The fewest and the most rates of a grid."""

Floats = NDArray[np.float64]
Pair = tuple[float, float]


@dataclass(frozen=True)
class Gold:
    """Known positives that were asked: how many, and how many of them were revealed."""

    asked: int = 0
    revealed: int = 0


NO_GOLD = Gold()


@dataclass(frozen=True)
class Rates:
    """A grid of reveal rates, and what must be charged so that it speaks for all rates of a range."""

    values: Floats
    charges: Floats
    low: Floats
    high: Floats

    @classmethod
    def one(cls, rate: float) -> Rates:
        """The rate itself, where it is known."""
        value = np.array([rate])
        return cls(value, np.zeros(1), value, value)

    @classmethod
    def between(cls, low: float, high: float, revealed: int) -> Rates:
        """Rates from low to high, so dense that `revealed` reveals are charged at most `CHARGE` (or `CELLS` rates)."""
        if low == high:
            return cls.one(low)
        r = 2.0 ** math.ceil(math.log2(max(revealed, 1)))  # the same grid for many counts, so that it can be kept
        top = min(high, math.exp(-CHARGE / r))  # from here to `high` Λ grows by at most r ln(high/top)
        if top <= low:  # ω^r g(ω) ≤ high^r g(low), with g falling
            at = np.array([low])
            return cls(at, np.array([revealed * math.log(high / low)]), at, np.array([high]))
        first, last = float(angle(top)), float(angle(low))
        cells = min(CELLS, max(FEWEST, math.ceil((last - first) / math.sqrt(2 * CHARGE / r))))
        values = 1 / np.cosh(np.linspace(first, last, cells + 1)) ** 2
        values[0], values[-1] = top, low
        gaps = np.concatenate([[math.log(high / top)], over_chord(values[:-1], values[1:]), [0.0]])
        charges = revealed * np.maximum(gaps[:-1], gaps[1:])
        return cls(values, charges, np.append(values[1:], low), np.concatenate([[high], values[:-1]]))


def possible_range(counts: Sequence[Counts], floor: float, low: float, high: float, gold: Gold = NO_GOLD) -> Pair:
    """Return a part of a range of rates outside which no rate fits the answers, by a bound that needs no counts A.

    Every p = ωA/N is at most ω, so that Λ is at most the largest p^r (1 − p)^s over p ≤ ω, plus `binomial_charge`. The
    ends are of few values, so that grids can be kept.
    """
    revealed = sum(c.revealed for c in counts) + gold.revealed
    if low == high or not revealed:
        return (low, high) if low > 0 else (1e-3 * high, high)
    octaves = -floor / revealed / math.log(2)  # Λ ≤ ω^r
    edges = high * 2.0 ** (-np.arange(math.ceil(4 * max(1e-3, octaves)) + 1) / 4)
    upper, lower = edges[:-1], edges[1:]
    n, r = (np.array([[getattr(c, name)] for c in counts], np.float64) for name in ("asked", "revealed"))
    share = np.minimum(upper, (r / np.maximum(n, 1)))
    charges = np.array([[binomial_charge(c)] for c in counts])
    bound = np.minimum(xlogy(r, share) + xlogy(n - r, 1 - share) + charges, xlogy(r, upper)).sum(axis=0)
    seen = np.clip(gold.revealed / max(gold.asked, 1), lower, upper)
    bound += xlogy(gold.revealed, seen) + xlogy(gold.asked - gold.revealed, 1 - seen)
    fits = (bound >= floor - ROUNDING) & (upper >= low)
    return (max(low, float(lower[fits].min())), float(upper[fits].max())) if fits.any() else (max(low, lower[-1]), high)


def angle(rate: Any) -> Any:
    """The coordinate in which an even grid costs the same everywhere: artanh √(1 − ω)."""
    return np.arccosh(1 / np.sqrt(rate))  # the same, and finite for the smallest rates


def over_chord(upper: Floats, lower: Floats) -> Floats:
    """Return how far ln ω rises over its chord in ln(1 − ω) at most, between each two rates."""
    x, y = np.log1p(-upper), np.log(upper)
    slope = (np.log(lower) - y) / (np.log1p(-lower) - x)
    peak = 1 / (1 - slope)  # where the slope of ln ω, −(1 − ω)/ω, is that of the chord
    return np.asarray(np.log(peak) - (y + slope * (np.log1p(-peak) - x)))


class ConfidenceSet:
    """The numbers of positives and the rates that fit the answers so far.

    Parameters
    ----------
    counts : sequence of Counts
        The answers, by stratum.
    weights : array
        How many rows of the pool each item of a stratum stands for.
    floor : float
        ln(δ Q): no likelihood in the set is below it.
    rates : Rates
        The reveal rates that are possible.
    gold : Gold
        What is known from gold.
    least : array, optional
        The fewest positives that each stratum has, where something is assumed about that.
    """

    def __init__(
        self,
        counts: Sequence[Counts],
        weights: Floats,
        floor: float,
        rates: Rates,
        gold: Gold = NO_GOLD,
        least: Floats | None = None,
    ) -> None:
        self.counts = counts
        self.weights = weights
        self.rates = rates
        self._floor = floor
        self._gold = gold
        least = np.zeros(len(counts)) if least is None else least
        grid = tuple(rates.values.tolist())
        parts = [at_least(_kept(c, grid), a) for c, a in zip(counts, least, strict=True)]
        w, g = rates.values, gold
        tops = sum(part.values.max(axis=1) for part in parts)
        of_gold = xlogy(g.revealed, w) + xlogy(g.asked - g.revealed, 1 - w)
        self._keep(parts, tops + of_gold + rates.charges - floor)

    def _keep(self, parts: list[Envelope], room: Floats) -> None:
        """Keep the envelopes of the strata, and how far the likelihood may fall, by rate; below 0 it is excluded."""
        self.possible: NDArray[np.bool_] = room >= 0
        """Which rates of the grid are not excluded."""
        self._room = room[self.possible]
        """How far the likelihood may fall, by possible rate."""
        self._parts = [Envelope(part.positives[self.possible], part.values[self.possible]) for part in parts]
        self._sorted = {sign: self._steps(sign) for sign in (-1, 1)}
        self._curves: dict[tuple[bytes, float], tuple[Floats, Floats]] = {}

    @property
    def empty(self) -> bool:
        """Whether nothing fits the answers: an assumption is wrong, or an event of a small probability has happened."""
        return not self.possible.any()

    def rate(self) -> Pair:
        """Return the lowest and the highest reveal rate in the set."""
        if self.empty:
            return 0.0, 1.0
        return float(self.rates.low[self.possible].min()), float(self.rates.high[self.possible].max())

    def extremes(self, inside: NDArray[np.bool_], value: Callable[[Floats, Floats], Floats], up: Pair) -> Pair:
        """Return the least and the greatest value of a statement about I and O over the set; NaN if it is empty.

        Parameters
        ----------
        inside : array of bool
            The strata whose positives count in I; those of the others count in O.
        value : callable
            `value(I, O)`; it must be a quotient of linear functions.
        up : pair
            The signs (of I, of O) in which the value grows.
        """
        if not len(self._room):
            return math.nan, math.nan
        lowest = value(*self._border(inside, (-up[0], -up[1]))[:2]).min()
        return float(lowest), float(value(*self._border(inside, up)[:2]).max())

    def binding(self, inside: NDArray[np.bool_], value: Callable[[Floats, Floats], Floats], up: Pair) -> Floats:
        """Return the rates at which a statement has its least and its greatest value; none if the set is empty."""
        values = self.rates.values[self.possible]
        if not len(values):
            return values
        at = []
        for sign in (-1, 1):
            in_, out, row = self._border(inside, (sign * up[0], sign * up[1]))
            at.append(int(row[(sign * value(in_, out)).argmax()]))
        return np.asarray(values[at])

    def _border(self, inside: NDArray[np.bool_], direction: Pair) -> tuple[Floats, Floats, NDArray[np.intp]]:
        """Return I and O at the corners of the set's border, in a direction (of I, of O), and the row of their rate."""
        at_in, falls_in = self._curve(inside, direction[0])
        at_out, falls_out = self._curve(~inside, direction[1])
        room = self._room[:, None]
        in_, out = falls_in <= room, falls_out <= room
        # at a corner of the border one of the two sums is at a corner of its curve
        beside_in = _interpolated(room - falls_in, falls_out, at_out)
        beside_out = _interpolated(room - falls_out, falls_in, at_in)
        row = np.concatenate([np.nonzero(in_)[0], np.nonzero(out)[0]])
        return np.concatenate([at_in[in_], beside_out[out]]), np.concatenate([beside_in[in_], at_out[out]]), row

    def _curve(self, strata: NDArray[np.bool_], sign: float) -> tuple[Floats, Floats]:
        """Return the sums of positives over some strata, and how far ln Π Λ falls for them, from the best one on.

        One row per rate. The cheapest steps of all strata are taken first: that is the best way to each sum, because
        every ln Λ_k is concave.
        """
        key = strata.tobytes(), sign
        if key not in self._curves:
            best, owner, step, fall = self._sorted[-1 if sign < 0 else 1]
            start = best[:, strata].sum(axis=1, keepdims=True)
            chosen = strata[owner] if sign else np.zeros(owner.shape, bool)  # as many in each row
            curve = np.zeros((2, len(start), 1 + np.count_nonzero(chosen[0])))
            for each, sums in zip((step, fall), curve, strict=True):
                np.cumsum(each[chosen].reshape(len(start), -1), axis=1, out=sums[:, 1:])
            self._curves[key] = start + sign * curve[0], curve[1]
        return self._curves[key]

    def _steps(self, sign: int) -> tuple[Floats, NDArray[np.intp], Floats, Floats]:
        """Return how many positives each stratum has at best, and all steps away from there in one direction.

        Of each step, the cheapest first: its stratum, the positives, and how far ln Λ falls. A row per rate. Steps that
        leave the set by themselves are left out.
        """
        rows = np.arange(len(self._room))
        best = np.zeros((len(rows), len(self._parts)))
        steps, falls, owners = [], [], []
        for k, part in enumerate(self._parts):
            x, y = (each[:, ::sign] for each in (part.positives, part.values))
            at = y.argmax(axis=1)
            best[:, k] = self.weights[k] * x[rows, at]
            first = int(at.min(initial=0))
            beyond = np.arange(first, x.shape[1] - 1) >= at[:, None]
            step = np.where(beyond, self.weights[k] * np.abs(np.diff(x[:, first:])), 0.0)
            fall = np.where(beyond, np.maximum(-np.diff(y[:, first:]), 0.0), 0.0)
            over = np.cumsum(fall, axis=1) - self._room[:, None]
            with np.errstate(divide="ignore", invalid="ignore"):
                kept = np.where(over <= 0, 1.0, np.nan_to_num(1 - over / fall).clip(0, 1))
            used = (kept * step > 0).any(axis=0)
            steps.append((kept * step)[:, used])
            falls.append(np.where(kept * step > 0, kept * fall, 0.0)[:, used])
            owners.append(np.full(np.count_nonzero(used), k))
        step, fall = np.concatenate(steps, axis=1), np.concatenate(falls, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(np.where(step > 0, fall / step, -1.0), axis=1, kind="stable")
        owner = np.concatenate(owners)[order]
        return best, owner, np.take_along_axis(step, order, axis=1), np.take_along_axis(fall, order, axis=1)


def _interpolated(at: Floats, x: Floats, y: Floats) -> Floats:
    """Return y at some x, row by row; the x of a row rise from 0, and beyond its last one y stays the same."""
    ends = x[:, -1:]
    offset = np.concatenate([[[0.0]], np.cumsum(ends[:-1] + 1, axis=0)])  # all rows behind one another
    found = np.interp((at.clip(0, ends) + offset).ravel(), (x + offset).ravel(), y.ravel())
    return np.asarray(found.reshape(at.shape))


@lru_cache(maxsize=256)
def _kept(counts: Counts, rates: tuple[float, ...]) -> Envelope:
    """The envelope of a stratum; between two looks at an audit most strata are the same."""
    return envelope(counts, np.array(rates))


def at_least(part: Envelope, least: float) -> Envelope:
    """Return the part of an envelope from `least` positives on."""
    x, y = part.positives, part.values
    if least <= x[0, 0]:
        return part
    from_first = x - x[:, :1]
    at = _interpolated(least - x[:, :1], from_first, y)
    return Envelope(np.maximum(x, least), np.where(x < least, at, y))
