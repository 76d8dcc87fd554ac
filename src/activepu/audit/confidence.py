"""The confidence set of an audit: all numbers of positives per stratum, and reveal rates, that fit the answers.

    {(A, ω) : Π_k Λ_k(A_k, ω) · ω^{r_g} (1 − ω)^{g − r_g} ≥ δ · Q}                   (g gold questions, r_g revealed)

contains the truth at all times at once with probability 1 − δ (Ville's inequality). Every statement of an audit is an
extreme of this one set, so all of them hold together. For fixed ω the set is convex, and each statement is about two
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

from activepu.audit.likelihood import Counts, Envelope, envelope

CHARGE = 0.05
"""What the grid of rates may cost, in nats."""
CELLS = 400
"""The most rates of a grid."""

Floats = NDArray[np.float64]
Pair = tuple[float, float]


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
        cells = min(CELLS, max(1, math.ceil((last - first) / math.sqrt(2 * CHARGE / r))))
        values = 1 / np.cosh(np.linspace(first, last, cells + 1)) ** 2
        values[0], values[-1] = top, low
        gaps = np.concatenate([[math.log(high / top)], over_chord(values[:-1], values[1:]), [0.0]])
        charges = revealed * np.maximum(gaps[:-1], gaps[1:])
        return cls(values, charges, np.append(values[1:], low), np.concatenate([[high], values[:-1]]))


def angle(rate: Any) -> Any:
    """The coordinate in which an even grid costs the same everywhere: artanh √(1 − ω)."""
    return np.arctanh(np.sqrt(1 - rate))


def over_chord(upper: Floats, lower: Floats) -> Floats:
    """Return how far ln ω rises over its chord in ln(1 − ω) at most, between each two rates."""
    x, y = np.log1p(-upper), np.log(upper)
    slope = (np.log(lower) - y) / (np.log1p(-lower) - x)
    peak = 1 / (1 - slope)  # where the slope of ln ω, −(1 − ω)/ω, is that of the chord
    return np.asarray(np.log(peak) - (y + slope * (np.log1p(-peak) - x)))


@dataclass(frozen=True)
class Gold:
    """Known positives that were asked: how many, and how many of them were revealed."""

    asked: int = 0
    revealed: int = 0


NO_GOLD = Gold()


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
        self._parts = parts
        self._room = room

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which rates of the grid are not excluded."""
        return np.asarray(self._room >= 0)

    def rate(self) -> Pair:
        """Return the lowest and the highest reveal rate in the set."""
        if not self.possible.any():
            return 0.0, 1.0
        return float(self.rates.low[self.possible].min()), float(self.rates.high[self.possible].max())

    def extremes(self, inside: NDArray[np.bool_], value: Callable[[Floats, Floats], Floats], up: Pair) -> Pair:
        """Return the least and the greatest value of a statement about I and O over the set.

        Parameters
        ----------
        inside : array of bool
            The strata whose positives count in I; those of the others count in O.
        value : callable
            `value(I, O)`; it must be a quotient of linear functions.
        up : pair
            The signs (of I, of O) in which the value grows.
        """
        lowest = self._extreme(inside, value, (-up[0], -up[1]), min)
        return lowest, self._extreme(inside, value, up, max)

    def _extreme(
        self,
        inside: NDArray[np.bool_],
        value: Callable[[Floats, Floats], Floats],
        direction: Pair,
        better: Callable[..., float],
    ) -> float:
        sums_in, falls_in = self._curve(inside, direction[0])
        sums_out, falls_out = self._curve(~inside, direction[1])
        found = []
        for k in np.flatnonzero(self.possible):
            room = self._room[k]
            for a, fa, b, fb, swap in (
                (sums_in[k], falls_in[k], sums_out[k], falls_out[k], False),
                (sums_out[k], falls_out[k], sums_in[k], falls_in[k], True),
            ):  # at a corner of the border one of the two sums is at a corner of its curve
                reached = fa <= room
                here, there = a[reached], np.interp(room - fa[reached], fb, b)
                found.append(value(there, here) if swap else value(here, there))
        values = np.concatenate(found) if found else np.array([np.nan])
        return float(better(values))

    def _curve(self, strata: NDArray[np.bool_], sign: float) -> tuple[Floats, Floats]:
        """Return the sums of positives over some strata, and how far ln Π Λ falls for them, from the best one on.

        One row per rate. The cheapest steps of all strata are taken first: that is the best way to each sum, because
        every ln Λ_k is concave.
        """
        chosen = np.flatnonzero(strata)
        w = len(self.rates.values)
        start, steps, falls = np.zeros(w), [np.zeros((w, 0))], [np.zeros((w, 0))]
        for k in chosen:
            x, y = self._parts[k].positives, self._parts[k].values
            best = y.argmax(axis=1)
            start += self.weights[k] * x[np.arange(w), best]
            place = np.arange(x.shape[1] - 1)
            beyond = place >= best[:, None] if sign > 0 else place < best[:, None]
            steps.append(np.where(beyond, self.weights[k] * np.diff(x), 0.0))
            falls.append(np.where(beyond, np.maximum(-np.sign(sign) * np.diff(y), 0.0), 0.0))
        if not chosen.size or sign == 0:
            return start[:, None], np.zeros((w, 1))
        step, fall = np.concatenate(steps, axis=1), np.concatenate(falls, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            order = np.argsort(np.where(step > 0, fall / step, -1.0), axis=1, kind="stable")
        step, fall = np.take_along_axis(step, order, axis=1), np.take_along_axis(fall, order, axis=1)
        sums = start[:, None] + np.sign(sign) * np.cumsum(np.pad(step, ((0, 0), (1, 0))), axis=1)
        return sums, np.cumsum(np.pad(fall, ((0, 0), (1, 0))), axis=1)


@lru_cache(maxsize=256)
def _kept(counts: Counts, rates: tuple[float, ...]) -> Envelope:
    """The envelope of a stratum; between two looks at an audit most strata are the same."""
    return envelope(counts, np.array(rates))


def at_least(part: Envelope, least: float) -> Envelope:
    """Return the part of an envelope from `least` positives on."""
    x, y = part.positives, part.values
    if least <= x[0, 0]:
        return part
    at = np.array([np.interp(least, a, b) for a, b in zip(x, y, strict=True)])[:, None]
    return Envelope(np.maximum(x, least), np.where(x < least, at, y))
