"""Boxes, intervals, orthants and conjunctions: chains of a collapsed Gibbs sampler, one side at a time.

Given its other sides, the stars inside a member change only where the side passes a star that all the other sides hold.
So the law of one side is piecewise constant, with the weight of the star count (the rate is integrated out) on each
piece, and is sampled exactly, in all chains at once. See `sides` for reaches, needs and the prior.

After a reveal, chains that lack the point are grown until they hold it, and then all sweep a few times. A ★ at a point
that no chain holds tells them nothing, to within 1/chains: they stay as they are.

A move looks at the stars near its side: not at those beyond the longest reach of all chains on another side, nor at
those behind so many others that the law gives them nothing. (With an unknown rate and few reveals it gives all some.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.likelihood.rates import Floats, Rates
from activepu.likelihood.sides import Sides
from activepu.posteriors.base import Counts, Tally, group_of, with_group
from activepu.posteriors.chains import CHAINS, ChainPosterior

SWEEPS = 1
"""After an answer."""
SWEEPS_GROWN = 4
"""Where some chains had to grow, and at the start."""
NEAREST = 96
"""Stars beyond all chains that are looked at first."""


class BoxPosterior(ChainPosterior):
    """`reach` (sides, chains); `needs` (sides, stars)."""

    def __init__(self, sides: Sides, rates: Rates, positives: Points, seed: int, chains: int = CHAINS) -> None:
        super().__init__(rates, seed, chains)
        self.tally = Tally(rates)
        self.silent: Counts = np.zeros((1, chains), np.intp)
        self.sides = sides
        self.held = len(positives) > 0
        self.floor = sides.needs(positives).max(axis=0, initial=0.0)
        self.needs = np.empty((sides.count, 0))
        self.groups: Counts = np.empty(0, np.intp)
        self.reach = np.ones((sides.count, chains))
        self._sweep(SWEEPS_GROWN)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Weighs or grows, and sweeps."""
        if not revealed:
            self._weigh(x, [expert], revealed)
            if self.holds(x).any():
                self._draw()
                self._sweep(SWEEPS)
            return
        if self.holds(x).all():
            self._weigh(x, [expert], revealed)
            self._draw()
            self._sweep(SWEEPS)
            return
        self._draw()
        self._add(x, np.array([group_of(self.rates, expert)]), revealed)
        self.reach = np.maximum(self.reach, self.floor[:, None])
        self.silent = self._count(self.needs, self.groups)
        self._sweep(SWEEPS_GROWN)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """No side falls short."""
        needs = self.sides.needs(points).T
        held = np.zeros((len(points), self.chains), np.bool_)
        near = np.flatnonzero(_below(needs, self.reach.max(axis=1)))
        held[near] = _held(needs[:, near], self.reach)
        return held

    def _log_weight(self) -> Floats:
        return self.tally.log_weight(self.silent)

    def _mean_rate(self, group: int) -> Floats:
        return self.tally.mean_rate(group, self.silent)

    def _add(self, points: Points, groups: Counts, revealed: bool) -> None:
        needs = self.sides.needs(points)
        if revealed:
            self.held, self.floor = True, np.maximum(self.floor, needs.max(axis=0))
            for group in groups:
                self.tally = self.tally.reveal(int(group))
            return
        self.needs, self.groups = np.hstack([self.needs, needs.T]), np.append(self.groups, groups)
        self.silent = with_group(self.silent, int(groups.max(initial=0))) + 0
        self.silent += self._count(needs.T, groups)

    def _count(self, needs: Floats, groups: Counts) -> Counts:
        """How many of these stars each chain holds, by group."""
        near = np.flatnonzero(_below(needs, self.reach.max(axis=1)))
        held, count = _held(needs[:, near], self.reach), np.zeros_like(self.silent)
        for group in np.unique(groups[near]):
            count[group] = np.count_nonzero(held[groups[near] == group], axis=0)
        return count

    def _keep(self, drawn: Counts) -> None:
        self.reach, self.silent = self.reach[:, drawn], self.silent[:, drawn]

    def _sweep(self, times: int) -> None:
        """Every side once, in random order, and so on."""
        self.reach, self.silent = self.reach.copy(), self.silent.copy()
        rng = self._rng()
        for _ in range(times):
            for side in rng.permutation(self.sides.count):
                self._move(int(side), rng)

    def _move(self, side: int, rng: np.random.Generator) -> None:
        """Draws one side of all chains from its law given the others."""
        lower = np.full(self.chains, self.floor[side])
        if self.sides.opposed and not self.held:
            half = self.sides.count // 2
            lower = np.maximum(lower, self.sides.least(self.reach[(side + half) % self.sides.count]))
        furthest = self.reach.max(axis=1)
        furthest[side] = np.inf
        rows = np.flatnonzero((self.needs[side] > self.floor[side]) & _below(self.needs, furthest))
        rows = rows[np.argsort(self.needs[side, rows], kind="stable")]
        n = NEAREST + int(np.searchsorted(self.needs[side, rows], self.reach[side].max(), side="right"))
        edges, counts, mass = self._law(side, lower, rows[:n])
        while n < len(rows) and (mass[-1] != mass[-2]).any():  # what lies behind the first n is not nothing
            n *= 4
            edges, counts, mass = self._law(side, lower, rows[:n])
        chain = np.arange(self.chains)
        choice, place = rng.random((2, self.chains))
        piece = np.count_nonzero(mass <= choice * mass[-1], axis=0).clip(max=len(mass) - 1) - 1
        self.reach[side] = edges[piece, chain] + place * (edges[piece + 1, chain] - edges[piece, chain])
        self.silent = counts[:, piece, chain]

    def _law(self, side: int, lower: Floats, rows: Counts) -> tuple[Floats, Counts, Floats]:
        """Between these stars, which are in order and all that a chain holds here: edges, star counts, the law there.

        Edges and the law (up to a factor, the sum up to each edge) have one row more than the counts, by group.
        """
        others = np.arange(self.sides.count) != side
        free = _held(self.needs[np.ix_(others, rows)], self.reach[others])
        some = free.any(axis=1)
        free, rows = free[some], rows[some]
        need = self.needs[side, rows][:, None]
        edges = np.vstack([lower, np.maximum(need, lower), np.ones(self.chains)])
        length = np.diff(edges, axis=0)
        log_weight = np.zeros_like(length)
        counts = np.zeros((len(self.silent), *length.shape), np.intp)
        for group, (silent, count) in enumerate(zip(self.silent, counts, strict=True)):
            mine = free & (self.groups[rows] == group)[:, None]
            np.cumsum(mine, axis=0, out=count[1:])
            count += silent - np.count_nonzero(mine & (need <= self.reach[side]), axis=0)
            log_weight += self.tally.tables(group, int(silent.max()) + len(rows))[0][count]
        log_weight -= np.where(length > 0, log_weight, -np.inf).max(axis=0)
        mass = np.zeros_like(edges)
        np.cumsum(length * np.exp(log_weight), axis=0, out=mass[1:])
        return edges, counts, mass


def _below(needs: Floats, reach: Floats) -> NDArray[np.bool_]:
    """Which points, one a column, need no more than this on any side."""
    return np.asarray((needs <= reach[:, None]).all(axis=0))


def _held(needs: Floats, reach: Floats) -> NDArray[np.bool_]:
    """(points, chains): which chains fall short of a point on no side."""
    held = np.ones((needs.shape[1], reach.shape[1]), np.bool_)
    unsure = needs > reach.min(axis=1)[:, None]
    for side in np.flatnonzero(unsure.any(axis=1)):
        rows = np.flatnonzero(unsure[side])
        held[rows] &= needs[side, rows][:, None] <= reach[side]
    return held
