"""The confidence set of an audit in which each expert has a reveal rate of their own.

In one stratum expert e was asked n_e of the N items, and revealed r_e. With s_e = n_e − r_e, r = Σ r_e, n = Σ n_e,

    Λ(A, ω₁ … ω_E) = Π_e ω_e^{r_e} · Σ_J c_J · (A)_{r+J} (N − A)_{n−r−J} / (N)_n,
    Σ_J c_J z^J = Π_e (1 + (1 − ω_e) z)^{s_e},

is the probability of the answers: J counts the silent positives. It does not depend on who was asked when, as long as
that did not depend on the items. ln Λ is concave in A: all roots of the polynomial

    Σ_A C(N, A) Λ(A) x^A = Π_e ω_e^{r_e} · x^r · Π_e (1 + (1 − ω_e) x)^{s_e} · (1 + x)^{N−n}

are real, so that its coefficients over C(N, A) are log-concave (Newton). For fixed rates the set is that of
`confidence`. Known positives (gold, overlap), of which expert e was asked g_e and revealed k_e, add the factor
ω_e^{k_e} (1 − ω_e)^{g_e − k_e}.

Over the rates: with q_e = 1 − ω_e the product of all Λ is Π ω_e^{R_e} times a polynomial in q with coefficients ≥ 0,
whose logarithm is convex in (ln q_1, …, ln q_E). So on a box of rates ln Π Λ(A, ·) is at most the largest of its values
at the 2^E corners, plus Σ_e R_e · (the height of ln ω_e over its chord). That is charged. A box in which no A fits is
dropped; the others are divided until the charge is small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from activepu.audit.confidence import ConfidenceSet, Gold, Pair, angle, at_least, over_chord
from activepu.audit.joint_likelihood import Seen, log_likelihood
from activepu.audit.likelihood import CHARGED, ROUNDING, Counts, Envelope, binomial_charge, under_lines

CHARGE = 0.15
"""What the grid of rates may cost for each expert, in nats."""
CORNERS = 4000
"""With more corners than this no box is divided: the set is then larger than it need be."""
STEP = 0.6
"""The distance of two counts at which ln Λ is computed, in standard deviations of a share."""
MOST = 240
"""The most such counts."""
LOWEST = 1e-9
"""No lower rate is tried for an expert who revealed something, where only a few are."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def envelope(seen: Seen, rates: Floats) -> Envelope:
    """Return a concave bound of ln Λ from above, one row per vector of rates; the counts are the same for all."""
    whole = seen.pooled
    if whole.revealed == whole.size:
        return Envelope(
            np.full((len(rates), 1), float(whole.size)), xlogy(np.array(seen.revealed), rates).sum(1)[:, None]
        )
    grid = _grid(whole)
    where = np.unique(np.concatenate([grid, grid + 1]))
    if (charge := binomial_charge(whole)) <= CHARGED:
        values = np.full((len(rates), len(where)), charge)
        for own, r, s in zip(rates.T, seen.revealed, seen.silent, strict=True):
            each, place = np.unique(own, return_inverse=True)  # the corners have few rates of one expert
            share = np.outer(each, where) / whole.size
            values += (xlogy(r, share) + xlog1py(s, -share))[place]
    else:
        values = log_likelihood(seen, where, rates)
    noise = 4e-15 * float(gammaln(whole.size + 1))  # what a slope may lack by rounding
    place = np.searchsorted(where, grid)
    at, beside = values[:, place] + ROUNDING, values[:, place + 1] + ROUNDING + noise
    at, beside = _extended(grid, at, beside)
    return under_lines(np.broadcast_to(grid, at.shape), at, beside)


def _grid(whole: Counts) -> Floats:
    """Return counts so dense that for every rate two neighbours are `STEP` standard deviations apart, or less."""
    least, most = whole.revealed, whole.size - 1
    points = min(MOST, max(24, math.ceil(math.pi * math.sqrt(whole.asked + 1) / STEP)))
    if most - least < points:
        return np.arange(least, most + 1.0)
    angles = np.linspace(math.asin(math.sqrt(least / whole.size)), math.pi / 2, points)
    return np.unique(np.round(whole.size * np.sin(angles) ** 2).clip(least, most))


def _extended(grid: Floats, at: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Replace what is lost by the line through the nearest values: a concave function lies below it."""
    lost = np.isnan(at) | np.isnan(beside)
    if not lost.any():
        return at, beside
    rows = np.arange(len(at))
    for end in ((~lost).argmax(axis=1), at.shape[1] - 1 - (~lost)[:, ::-1].argmax(axis=1)):
        slope = (beside - at)[rows, end][:, None]
        line = at[rows, end][:, None] + slope * (grid - grid[end][:, None])
        outside = lost & ((grid < grid[end][:, None]) == (end == (~lost).argmax(axis=1))[:, None])
        at, beside = np.where(outside, line, at), np.where(outside, line + slope, beside)
    unknown = np.isnan(at) | np.isnan(beside)
    return np.where(unknown, 0.0, at), np.where(unknown, 0.0, beside)  # no probability is above 1


@dataclass(frozen=True)
class Corners:
    """The corners of all boxes of rates that are possible, what is charged there, and the rates that they stand for."""

    values: Floats
    charges: Floats
    low: Floats
    high: Floats


class PerExpertSet(ConfidenceSet):
    """The numbers of positives and the rates of all experts that fit the answers so far.

    Parameters
    ----------
    seen : sequence of Seen
        The answers, by stratum.
    weights : array
        How many rows of the pool each item of a stratum stands for.
    floor : float
        ln(δ Q): no likelihood in the set is below it.
    known : sequence of Gold
        By expert: known positives that were asked and revealed.
    least : array, optional
        The fewest positives that each stratum has, where something is assumed about that.
    rates : array, shape (vectors, experts), optional
        Only these rates, without a charge: a part of the set, which is soon computed. Its bounds are no wider.
    """

    def __init__(
        self,
        seen: Sequence[Seen],
        weights: Floats,
        floor: float,
        known: Sequence[Gold],
        least: Floats | None = None,
        rates: Floats | None = None,
    ) -> None:
        self.weights = weights
        self._seen, self._known = seen, known
        self._least = np.zeros(len(seen)) if least is None else least
        shown = np.array([[*part.revealed] for part in seen]).sum(axis=0) + np.array([g.revealed for g in known])
        if rates is not None:
            rates = np.where(shown > 0, np.maximum(rates, LOWEST), rates)  # at a rate of 0 nothing is revealed
            parts, tops = self._at(rates)
            self.rates = Corners(rates, np.zeros(len(rates)), rates, rates)  # type: ignore[assignment]
            self._keep(parts, tops - floor)
            return
        self._divide(shown.astype(np.float64), floor)

    def _divide(self, revealed: Floats, floor: float) -> None:
        """Divide the box of all rates, drop what is impossible, and keep the corners of the rest."""
        E = len(revealed)
        some = np.maximum(revealed, 1.0)
        top = np.where(revealed > 0, np.exp(-CHARGE / some), 0.0)
        low = np.where(revealed > 0, np.exp(np.minimum(floor / some, 0.0)), 0.0)  # Π Λ ≤ ω_e^R
        low = np.minimum(low, top)
        boxes = np.stack([low, top])[None]
        sides = np.array(list(product((0, 1), repeat=E)))
        known: dict[tuple[float, ...], int] = {}
        values, tops, parts = np.empty((0, E)), np.empty(0), [list[Envelope]() for _ in self._seen]

        def numbers(corners: Floats) -> Ints:
            """Return the number of each corner; what is not known at one is computed."""
            nonlocal values, tops
            before, rows = len(known), list(map(tuple, corners.tolist()))
            found = np.array([known.setdefault(row, len(known)) for row in rows], np.int64)
            if fresh := list(known)[before:]:
                values = np.concatenate([values, fresh])
                made, heights = self._at(np.array(fresh))
                tops = np.append(tops, heights)
                for kept, part in zip(parts, made, strict=True):
                    kept.append(part)
            return found

        at = numbers(boxes[0, sides, np.arange(E)])[None]
        while True:
            each = _charges(boxes, revealed, top)
            keep = tops[at].max(axis=1) + each.sum(axis=1) >= floor
            boxes, at, each = boxes[keep], at[keep], each[keep]
            wide = each.max(axis=1, initial=0.0) > CHARGE * (1 + 1e-9)
            if not wide.any() or len(known) > CORNERS:
                break
            side = each[wide].argmax(axis=1)
            halves = _halves(boxes[wide], side)
            upper = sides.T[side] == 1  # the corners that the cut replaces in the lower half
            cut = halves[0][np.arange(len(side))[:, None, None], sides[None], np.arange(E)][upper]
            below, above = at[wide], at[wide]
            below[upper] = numbers(cut)
            above[~upper] = below[upper]
            boxes, at = np.concatenate([boxes[~wide], *halves]), np.concatenate([at[~wide], below, above])
        used, place = np.unique(at, return_inverse=True) if len(boxes) else (np.empty(0, np.int64), np.empty(0, int))
        place = place.reshape(len(boxes), len(sides))
        charges, lows, highs = np.zeros(len(used)), np.ones((len(used), E)), np.zeros((len(used), E))
        for corner in place.T:
            np.maximum.at(charges, corner, each.sum(axis=1))
            np.minimum.at(lows, corner, boxes[:, 0])
            np.maximum.at(highs, corner, np.where(boxes[:, 1] == top, 1.0, boxes[:, 1]))
        self.rates = Corners(values[used], charges, lows, highs)  # type: ignore[assignment]
        found = [
            Envelope(*(np.concatenate([getattr(p, name) for p in kept])[used] for name in ("positives", "values")))
            for kept in parts
        ]
        self._keep(found, tops[used] + charges - floor)

    def _at(self, rates: Floats) -> tuple[list[Envelope], Floats]:
        """Return the envelope of each stratum, and the largest ln Π Λ, at each vector of rates."""
        parts = [at_least(envelope(part, rates), least) for part, least in zip(self._seen, self._least, strict=True)]
        shown, asked = (np.array([getattr(g, name) for g in self._known]) for name in ("revealed", "asked"))
        tops = (xlogy(shown, rates) + xlog1py(asked - shown, -rates)).sum(axis=1)
        return parts, tops + sum(part.values.max(axis=1) for part in parts)

    def rate(self, expert: int = 0) -> Pair:
        """Return the lowest and the highest reveal rate of an expert in the set."""
        if not self.possible.any():
            return 0.0, 1.0
        low, high = self.rates.low[self.possible], self.rates.high[self.possible]
        return float(low[:, expert].min()), float(high[:, expert].max())


def _charges(boxes: Floats, revealed: Floats, top: Floats) -> Floats:
    """Return what must be charged for each side of each box."""
    low, high = boxes[:, 0], boxes[:, 1]
    heights = np.zeros(low.shape)
    for e in np.flatnonzero(revealed):
        wide = high[:, e] > low[:, e]
        heights[wide, e] = over_chord(high[wide, e], low[wide, e])
        alone = -np.log(np.where(wide, top[e], low[:, e]))  # up to a rate of 1 Λ grows at most by this
        heights[:, e] = np.where(high[:, e] == top[e], np.maximum(heights[:, e], alone), heights[:, e])
    return np.asarray(revealed * heights)


def _halves(boxes: Floats, side: Ints) -> list[Floats]:
    """Return the two halves of each box, cut across one side in the coordinate in which an even grid costs the same."""
    rows = np.arange(len(boxes))
    cut = 1 / np.cosh((angle(boxes[rows, 0, side]) + angle(boxes[rows, 1, side])) / 2) ** 2
    below, above = boxes.copy(), boxes.copy()
    below[rows, 1, side] = above[rows, 0, side] = cut
    return [below, above]
