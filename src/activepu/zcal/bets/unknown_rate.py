"""The evidence against a hypothesis of an intersection-closed class, side by side, where the reveal rate is not known.

As in `evidence` a bet against h cuts its sides off, at once or later (`cuts`), and leaves some h' ⊆ h. Here it also has
a rate ω' of its own, from the law of `Rates`, while h has the best rate that there is. With r reveals, s stars in the
closure, m_k stars in h beyond the closure on side k alone, and j_k ≤ m_k of them that h' held when they came,

    E(h) = mean over h' of B(r, s + Σ_k j_k)  /  max_ω ω^r (1 − ω)^{s + Σ_k m_k},

B(r, s) being the mean of ω^r (1 − ω)^s. If h is the truth then, whatever its rate, E(h) is at most a nonnegative
supermartingale that begins at 1. Only answers about points in the closure, or beyond it on one side alone, count at
all; that is known when it is their turn, before the answer. (The others are left out of r, too.)

The sides are coupled by the rate: a box that is too large on several sides, with a low rate, explains many silences at
once. A bound from below that is a sum over the sides makes it a cap again.

1. ln B(r, s + J) is convex in J. By its tangent at J_i, of slope ln ρ_i, and because sides are cut independently,

       mean over h' ≥ exp(T_i) · Π_k φ_k(ρ_i, m_k),    T_i = ln B(r, s + J_i) − J_i ln ρ_i,    φ_k(ρ, m) = E[ρ^{j_k}].

2. −max_ω ln L is concave in M = Σ_k m_k: on a cell a ≤ M ≤ b it lies above its chord α + β·M.

3. So ln E(h) ≥ T_i + α + Σ_k cost_k(m_k) in the cell, where cost_k(m) = ln φ_k(ρ_i, m) + β·m. With m or more stars,
   side k comes to env_k(m) = min over m' ≥ m of cost_k(m') at least. If h stands, and each cell has one i of its own,

       Σ_k (env_k(m_k) − env_k(0)) ≤ room,    room = ln(1/δ) − T_i − α − Σ_k env_k(0),

   in the cell of h. Cells with room < 0 are empty.

4. Let W_k(m) be the least of (env_k(m) − env_k(0)) / room over the other cells. Whatever stands has
   Σ_k W_k(m_k) ≤ 1: a cap on the stars, where the j-th of side k weighs W_k(j) − W_k(j − 1) ≥ 0.

The first stars of a side weigh nothing: they are worth less than the bet costs that cuts them off.
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
    """ln of the probability of the bets that hold what is known beforehand."""
    return float(np.log1p(-sides.share * _floor(sides, closure)).sum())


@lru_cache(maxsize=4)
def _floor(sides: Sides, closure: Box) -> Floats:
    return np.asarray(np.minimum(sides.reach(closure.low[None], closure.high[None])[0], 1.0 - 1e-12))


@lru_cache(maxsize=16)
def _spaced(first: int, last: int, n: int) -> Floats:
    """Whole numbers between these, n at most, each about so many times the one before."""
    return np.unique(np.geomspace(first, last, n).round())


@dataclass(frozen=True, eq=False)
class Row:
    """The stars of one side, at `outward`; `need` is that of the last one reached, by their number (0: closure)."""

    outward: Floats
    need: Floats

    def reached(self, outward: Floats) -> Counts:
        """How many stars are reached by what reaches so far."""
        return np.searchsorted(self.outward, outward, side="right")


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells with room: β, ln ρ, ln(1/δ) − T − α and the room of each, and `env` (cells, sides, 0 … stars)."""

    slope: Floats
    log_rho: Floats
    limit: Floats
    room: Floats
    env: Floats

    @property
    def widest(self) -> int:
        """Where most stars are missing; 0 if there is none."""
        return int(np.argmax(np.append(self.room / np.maximum(self.slope, 1e-9), -np.inf)))


class UnknownRateBets:
    """Against the members that contain `closure` and end before `stop` on each side.

    `stars` are those that count, `core` more of them in the closure, and `revealed` is the number of reveals that do.
    `points` are the stars beyond the closure that a member can reach, and `weights` what each weighs where more than 1
    excludes.
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
        """Stars have `numbers` in the order in which they came; the bets of `before` go on."""
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
        """With these stars, numbered from `first`, and so many reveals more; neither closure nor stops ever shrink."""
        numbers = np.append(self.numbers, first + np.arange(len(stars)))
        stars, r = np.concatenate([self.points, stars]), self.revealed + revealed
        return UnknownRateBets(self.bounds, closure, stop, stars, r, self.rates, self.enough, self.core, numbers, self)

    def asking(self, side: int, number: int) -> UnknownRateBets:
        """The same, with the bets that begin before an answer about something beyond this side alone."""
        other = copy.copy(self)
        silence = -float(np.log1p(-self.rates.mean_rate(self.revealed, self.core)))
        other.cuts = [*self.cuts]
        other.cuts[side] = self.cuts[side].anew(self.rows[side].need, silence, number)
        return other

    def supposing(self, revealed: int = 0, silent: int = 0) -> UnknownRateBets:
        """The same with so many more answers about certain positives."""
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
        """(sides, 0 … stars): that of the last star that is reached, or of a side's last one."""
        needs = np.empty((len(self.rows), int(self._sizes.max())))
        for row, need in zip(self.rows, needs, strict=True):
            need[: len(row.need)], need[len(row.need) :] = row.need, row.need[-1]
        return needs

    @cached_property
    def groups(self) -> tuple[Floats, Counts, Floats]:
        """The bets that cut a side off before each star, and how many stars they count (groups, sides, 0 … stars).

        Then those that leave a side alone which reaches so many (sides, 0 … stars).
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
        """Of each group Σ ρ^{stars that are left of those it counts}, over the bets that cut off before each star.

        With it ρ^{stars that it counts} and ρ^{those that it does not}; all (ρ, groups, sides, 0 … stars).
        """
        below, counted, _ = self.groups
        stars = np.arange(below.shape[-1])
        powers = np.exp(log_rho[:, None] * stars)
        held, older = powers[:, counted], powers[:, stars - counted]
        sums = np.zeros(held.shape)
        np.cumsum(np.diff(below, axis=-1) * held[..., :-1], axis=-1, out=sums[..., 1:])
        return sums, held, older

    def log_phi(self, log_rho: Floats) -> Floats:
        """(ρ, sides, 0 … stars): ln φ_k(ρ, m)."""
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
        """See the head."""
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
        """Whether nothing stands; the closure always does, but for rounding."""
        return len(self.cells.room) == 0

    @cached_property
    def tables(self) -> list[Floats]:
        """W_k, by the number of stars."""
        cells = self.cells
        with np.errstate(invalid="ignore"):
            weights = (cells.env - cells.env[..., :1]) / np.maximum(cells.room, 1e-300)[:, None, None]
        least = np.min(weights, axis=0, initial=np.inf)
        return [np.maximum.accumulate(least[k, :size]) for k, size in enumerate(self._sizes)]

    @cached_property
    def weights(self) -> Floats:
        """What each star weighs."""
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
        """Σ_k W_k of a member; more than 1 excludes it."""
        ends = member.ends
        return float(sum(table[row.reached(end)] for row, table, end in zip(self.rows, self.tables, ends, strict=True)))

    def excludes(self, low: Floats, high: Floats) -> Bools:
        """Whether, by these tangents, no member stands at a rate between low and high; for each pair of them."""
        _, tangent, log_phi = self._tangents
        silence = -np.log1p(-np.minimum(low, np.nextafter(1.0, 0.0)))
        cost = log_phi + silence[:, None, None, None] * np.arange(log_phi.shape[-1])
        fixed = self.core * silence - xlogy(self.revealed, high)
        least = tangent + fixed[:, None] + cost.min(axis=-1).sum(axis=-1)
        return np.asarray(least.max(axis=1) > self.enough)
