"""Bets against a hypothesis of a box-like class, one side at a time, when the reveal rate is not known.

As in `bets.known_rate`, a bet against h cuts its sides off, at once or later (`bets.restarted`), and leaves some
h' ⊆ h. Here the bet also has its own rate ω', drawn from the law of `Rates`, while h has the rate that fits it best.
With r reveals, s stars in the closure, m_k stars in h beyond the closure on side k alone, and j_k ≤ m_k of these that
h' held when they came,

    E(h) = mean over h' of B(r, s + Σ_k j_k)  /  max_ω ω^r (1 − ω)^{s + Σ_k m_k},

where B(r, s) is the mean of ω^r (1 − ω)^s. If h is the truth then, whatever its rate is, E(h) is bounded above by a
nonnegative supermartingale that starts at 1. Only answers about points in the closure, or beyond it on one side alone,
count. Whether an answer counts is known at its turn, before it is given. (The others are left out of r, too.)

The unknown rate couples the sides: a box that is too large on several sides, with a low rate, explains many silences at
once. A lower bound of ln E(h) that is a sum over the sides turns the confidence set into a cap again.

1. ln B(r, s + J) is convex in J. By its tangent at J_i, of slope ln ρ_i, and because sides are cut independently,

       mean over h' ≥ exp(T_i) · Π_k φ_k(ρ_i, m_k),    T_i = ln B(r, s + J_i) − J_i ln ρ_i,    φ_k(ρ, m) = E[ρ^{j_k}].

2. −max_ω ln L is concave in M = Σ_k m_k: on a cell a ≤ M ≤ b it lies above its chord α + β·M.

3. So ln E(h) ≥ T_i + α + Σ_k cost_k(m_k) in the cell, where cost_k(m) = ln φ_k(ρ_i, m) + β·m. With m or more stars,
   side k contributes at least env_k(m) = min over m' ≥ m of cost_k(m'). Choose one tangent i for each cell. If h is not
   excluded, then in the cell of h

       Σ_k (env_k(m_k) − env_k(0)) ≤ room,    room = ln(1/δ) − T_i − α − Σ_k env_k(0).

   Cells with room < 0 are empty.

4. Let W_k(m) be the least of (env_k(m) − env_k(0)) / room over the other cells. Every h that is not excluded has
   Σ_k W_k(m_k) ≤ 1: a cap on the stars, where the j-th star of side k weighs W_k(j) − W_k(j − 1) ≥ 0.

The first stars of a side weigh nothing: they are worth less than the cost of the bet that cuts them off.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.zcal.bets.restarted import Counts, RestartedBets
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.sides import Sides
from activepu.zcal.tuning import TUNING

Bools = NDArray[np.bool_]


def log_bets(sides: Sides, closure: Box) -> float:
    """Return ln of the probability of the bets that hold all positives known beforehand."""
    return float(np.log1p(-sides.share * _floor(sides, closure)).sum())


@lru_cache(maxsize=4)
def _floor(sides: Sides, closure: Box) -> Floats:
    return np.asarray(np.minimum(sides.reach(closure.low[None], closure.high[None])[0], 1.0 - 1e-12))


@lru_cache(maxsize=16)
def _spaced(first: int, last: int, n: int) -> Floats:
    """Return at most n whole numbers between these, about evenly spaced on a log scale."""
    return np.unique(np.geomspace(first, last, n).round())


@dataclass(frozen=True, eq=False)
class Row:
    """The stars of one side, at `outward`. `need` is that of the last star reached, by number (0: the closure)."""

    outward: Floats
    need: Floats

    def reached(self, outward: Floats) -> Counts:
        """Return how many stars a side that ends here reaches."""
        return np.searchsorted(self.outward, outward, side="right")


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells with room ≥ 0: β, ln ρ, ln(1/δ) − T − α and the room of each, and `env` (cells, sides, 0 … stars)."""

    slope: Floats
    log_rho: Floats
    limit: Floats
    room: Floats
    env: Floats

    @property
    def widest(self) -> int:
        """The cell in which most stars are missing; 0 if there is no cell."""
        return int(np.argmax(np.append(self.room / np.maximum(self.slope, 1e-9), -np.inf)))


class UnknownRateBets:
    """The bets against the members that contain `closure` and end before `stop` on each side.

    `stars` are the stars that count, `core` is the number of further ones in the closure, and `revealed` is the number
    of reveals that count. `points` are the stars beyond the closure that a member can reach, and `weights` their
    weights: a total of more than 1 excludes a member.
    """

    def __init__(
        self,
        sides: Sides,
        closure: Box,
        stop: Floats,
        stars: Points,
        revealed: int,
        rates: Rates,
        enough: float,
        core: int = 0,
        numbers: Counts | None = None,
        before: UnknownRateBets | None = None,
    ) -> None:
        """Stars have `numbers` in the order in which they came. `before`: the bets so far, which go on."""
        self.bounds, self.closure, self.rates, self.revealed, self.enough = sides, closure, rates, revealed, enough
        self.cuts: list[RestartedBets] = before.cuts if before else [RestartedBets.at_once(sides.share)] * sides.count
        beyond = closure.beyond(stars)
        self.core = core + int(len(stars) - np.count_nonzero(beyond.any(axis=1)))
        places = closure.hypotheses.outward(stars)
        rows = np.flatnonzero((beyond & (places < stop)).any(axis=1))
        self.numbers = rows if numbers is None else numbers[rows]
        self.points, side, places = stars[rows], np.argmax(beyond[rows], axis=1), places[rows]
        needs = sides.needs(self.points)
        self.rows: list[Row] = []
        self._order: list[Counts] = []
        for k, floor in enumerate(_floor(sides, closure)):
            mine = np.flatnonzero(side == k)
            mine = mine[np.argsort(places[mine, k], kind="stable")]
            need = np.append(floor, np.maximum.accumulate(np.maximum(needs[mine, k], floor)))
            self.rows.append(Row(places[mine, k], need))
            self._order.append(mine)

    def after(self, closure: Box, stop: Floats, stars: Points, first: int, revealed: int = 0) -> UnknownRateBets:
        """Return the bets after more stars, numbered from `first`, and `revealed` more reveals.

        The closure and the set of points beyond a stop may only grow.
        """
        numbers = np.append(self.numbers, first + np.arange(len(stars)))
        stars, r = np.concatenate([self.points, stars]), self.revealed + revealed
        return UnknownRateBets(self.bounds, closure, stop, stars, r, self.rates, self.enough, self.core, numbers, self)

    def asking(self, side: int, number: int) -> UnknownRateBets:
        """Return the bets when a point beyond this side alone is asked: some bets begin before the answer."""
        other = copy.copy(self)
        silence = -float(np.log1p(-self.rates.mean_rate(self.revealed, self.core)))
        other.cuts = [*self.cuts]
        other.cuts[side] = self.cuts[side].restarted(self.rows[side].need, silence, number)
        return other

    def supposing(self, revealed: int = 0, silent: int = 0) -> UnknownRateBets:
        """Return the bets after this many more answers about certain positives."""
        other = copy.copy(self)
        for name in ("_tangents", "cells", "tables", "weights"):
            other.__dict__.pop(name, None)
        other.revealed, other.core = self.revealed + revealed, self.core + silent
        return other

    @cached_property
    def _sizes(self) -> Counts:
        return np.array([len(row.need) for row in self.rows])

    @cached_property
    def needs(self) -> Floats:
        """(sides, 0 … stars): the need of the last star that is reached, or of a side's last star."""
        needs = np.empty((len(self.rows), int(self._sizes.max())))
        for row, need in zip(self.rows, needs, strict=True):
            need[: len(row.need)], need[len(row.need) :] = row.need, row.need[-1]
        return needs

    @cached_property
    def groups(self) -> tuple[Floats, Counts, Floats]:
        """The share of bets that cut a side off before each star, and how many stars they count.

        Both are (groups, sides, 0 … stars). Then (sides, 0 … stars): the share of bets that do not cut off a side that
        reaches 0, 1, … stars.
        """
        shape = max(len(cuts.share) for cuts in self.cuts), *self.needs.shape
        below, counted, spared = np.zeros(shape), np.zeros(shape, np.intp), np.empty(shape[1:])
        for k, (cuts, mine) in enumerate(zip(self.cuts, self._order, strict=True)):
            some = slice(len(cuts.share)), k
            below[some] = cuts.up_to(self.needs[k])
            counted[*some, : len(mine) + 1] = number = cuts.counted(self.numbers[mine])
            counted[*some, len(mine) + 1 :] = number[:, -1:]
            spared[k] = cuts.spared(below[some])
        return below, counted, spared

    def cut_off(self, log_rho: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Σ ρ^{counted stars that are left}, over the bets of each group that cut off before each star.

        Also ρ^{stars that the group counts} and ρ^{stars that it does not count}; all (ρ, groups, sides, 0 … stars).
        """
        below, counted, _ = self.groups
        stars = np.arange(below.shape[-1])
        powers = np.exp(log_rho[:, None] * stars)
        held, older = powers[:, counted], powers[:, stars - counted]
        sums = np.zeros(held.shape)
        np.cumsum(np.diff(below, axis=-1) * held[..., :-1], axis=-1, out=sums[..., 1:])
        return sums, held, older

    def log_phi(self, log_rho: Floats) -> Floats:
        """Return (ρ, sides, 0 … stars): ln φ_k(ρ, m)."""
        sums, _, older = self.cut_off(log_rho)
        spared = self.groups[2]
        with np.errstate(divide="ignore"):
            kept = np.log(spared) + log_rho[:, None, None] * np.arange(spared.shape[-1])
            return np.asarray(np.logaddexp(kept, np.log(np.einsum("tgkm,tgkm->tkm", sums, older))))

    @cached_property
    def _tangents(self) -> tuple[Floats, Floats, Floats]:
        """ln ρ_i, T_i, and ln φ_k(ρ_i, m) with ∞ where a side has no m stars (tangents, sides, 0 … stars)."""
        r, s, total = self.revealed, self.core, len(self.points)
        at = np.append(0.0, _spaced(1, max(1, total), TUNING.tangents - 1))
        log_mean = self.rates.log_mean(r, s + at)
        log_rho = np.log1p(-self.rates.mean_rate(r, s + at))  # ln B(r, s + 1) − ln B(r, s), without their rounding
        log_phi = self.log_phi(log_rho)
        log_phi[:, np.arange(log_phi.shape[-1]) >= self._sizes[:, None]] = np.inf
        return log_rho, log_mean - at * log_rho, log_phi

    @cached_property
    def cells(self) -> Cells:
        """The cells of the bound; see the head of this module."""
        r, s, total = self.revealed, self.core, len(self.points)
        log_rho, tangent, log_phi = self._tangents
        ends = _spaced(s + 1, s + 1 + total, TUNING.cells + 1) - (s + 1)
        height = -self.rates.log_likelihood(r, s + ends)
        slope = np.diff(height) / np.diff(ends) if total else np.zeros(1)
        limit = (self.enough - height[: len(slope)] + slope * ends[: len(slope)])[:, None] - tangent
        cost = log_phi + slope[:, None, None, None] * np.arange(log_phi.shape[-1])
        env = np.minimum.accumulate(cost[..., ::-1], axis=-1)[..., ::-1]
        room = limit - env[..., 0].sum(axis=-1)
        last = np.take_along_axis(env, (self._sizes - 1)[None, None, :, None], axis=-1)[..., 0]
        rise = (last - env[..., 0]).sum(axis=-1)
        tightest = np.argmax(np.where(room < 0, np.inf, rise / np.maximum(room, 1e-300)), axis=1)
        which = np.arange(len(slope))
        some = which[room[which, tightest] >= 0]
        best = tightest[some]
        return Cells(slope[some], log_rho[best], limit[some, best], room[some, best], env[some, best])

    @property
    def is_empty(self) -> bool:
        """Whether no member is possible; up to rounding the closure always is."""
        return len(self.cells.room) == 0

    @cached_property
    def tables(self) -> list[Floats]:
        """W_k for each side, by the number of stars."""
        cells = self.cells
        with np.errstate(invalid="ignore"):
            weights = (cells.env - cells.env[..., :1]) / np.maximum(cells.room, 1e-300)[:, None, None]
        least = np.min(weights, axis=0, initial=np.inf)
        return [np.maximum.accumulate(least[k, :size]) for k, size in enumerate(self._sizes)]

    @cached_property
    def weights(self) -> Floats:
        """The weight of each star."""
        weights = np.zeros(len(self.points))
        for rows, table in zip(self._order, self.tables, strict=True):
            weights[rows] = np.diff(table)
        return weights

    @property
    def by_side(self) -> list[tuple[Floats, Floats]]:
        """Where the stars of each side lie, and what it costs to reach 0, 1, … of them in the widest cell."""
        env = self.cells.env[self.cells.widest]
        return [(row.outward, env[k, : len(row.need)]) for k, row in enumerate(self.rows)]

    def against(self, member: Box) -> float:
        """Return Σ_k W_k of a member; more than 1 excludes it."""
        ends = member.ends
        return float(sum(table[row.reached(end)] for row, table, end in zip(self.rows, self.tables, ends, strict=True)))

    def excludes(self, low: Floats, high: Floats) -> Bools:
        """Return whether these tangents exclude every member at a rate between low and high, for each pair."""
        _, tangent, log_phi = self._tangents
        silence = -np.log1p(-np.minimum(low, np.nextafter(1.0, 0.0)))
        cost = log_phi + silence[:, None, None, None] * np.arange(log_phi.shape[-1])
        fixed = self.core * silence - xlogy(self.revealed, high)
        least = tangent + fixed[:, None] + cost.min(axis=-1).sum(axis=-1)
        return np.asarray(least.max(axis=1) > self.enough)
