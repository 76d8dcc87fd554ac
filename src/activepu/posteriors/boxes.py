"""Boxes, intervals, orthants and conjunctions: chains of a collapsed Gibbs sampler, one side at a time.

Given its other sides, the stars inside a member change only where the side passes a star that all the other sides hold.
So the law of one side is piecewise constant, with the weight of the star count (the rate is integrated out) on each
piece, and is sampled exactly, in all chains at once. See `sides` for reaches, needs and the prior.

After a reveal, chains that lack the point are grown until they hold it, and all sweep a few times.
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
"""After a ★."""
SWEEPS_GROWN = 4
"""After a reveal, and at the start."""


BLOCK = 256
"""Points that are looked at together: what a core's cache holds."""


class BoxPosterior(ChainPosterior):
    """`reach` (sides, chains); `needs` (stars, sides); `blocked` (stars, chains) is how many sides cut a star off."""

    def __init__(self, sides: Sides, rates: Rates, positives: Points, seed: int, chains: int = CHAINS) -> None:
        super().__init__(rates, seed, chains)
        self.tally = Tally(rates)
        self.silent: Counts = np.zeros((1, chains), np.intp)
        self.sides = sides
        self.held = len(positives) > 0
        self.floor = sides.needs(positives).max(axis=0, initial=0.0)
        self.needs = np.empty((0, sides.count))
        self.groups: Counts = np.empty(0, np.intp)
        self.blocked = np.empty((0, chains), np.int16)
        self.reach = np.ones((sides.count, chains))
        self._sweep(SWEEPS_GROWN)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Weighs or grows, and sweeps."""
        if not revealed:
            self._weigh(x, [expert], revealed)
            self._draw()
            self._sweep(SWEEPS)
            return
        self._draw()
        self._add(x, np.array([group_of(self.rates, expert)]), revealed)
        self.reach = np.maximum(self.reach, self.floor[:, None])
        self.blocked = _shortfalls(self.needs, self.reach)
        self.silent = np.zeros_like(self.silent)
        np.add.at(self.silent, self.groups, self.blocked == 0)
        self._sweep(SWEEPS_GROWN)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """No side falls short."""
        held = np.ones((len(points), self.chains), np.bool_)
        needs = self.sides.needs(points)
        for start in range(0, len(points), BLOCK):
            block = slice(start, start + BLOCK)
            for need, reach in zip(needs[block].T, self.reach, strict=True):
                held[block] &= need[:, None] <= reach
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
        blocked = _shortfalls(needs, self.reach)
        self.needs, self.groups = np.concatenate([self.needs, needs]), np.append(self.groups, groups)
        self.blocked = np.concatenate([self.blocked, blocked])
        self.silent = with_group(self.silent, int(groups.max(initial=0))).copy()
        np.add.at(self.silent, groups, blocked == 0)

    def _keep(self, drawn: Counts) -> None:
        self.reach, self.blocked, self.silent = self.reach[:, drawn], self.blocked[:, drawn], self.silent[:, drawn]

    def _sweep(self, times: int) -> None:
        """Every side once, in random order, and so on."""
        self.reach, self.blocked, self.silent = self.reach.copy(), self.blocked.copy(), self.silent.copy()
        rng = self._rng()
        order = np.argsort(self.needs, axis=0)
        tables = [self.tally.tables(group, len(self.needs))[0] for group in range(len(self.silent))]
        for _ in range(times):
            for side in rng.permutation(self.sides.count):
                self._move(int(side), order[:, side], tables, rng)

    def _move(self, side: int, order: Counts, tables: list[Floats], rng: np.random.Generator) -> None:
        """Draws one side of all chains from its law given the others."""
        lower = np.full(self.chains, self.floor[side])
        if self.sides.opposed and not self.held:
            half = self.sides.count // 2
            lower = np.maximum(lower, self.sides.least(self.reach[(side + half) % self.sides.count]))
        rows = order[np.searchsorted(self.needs[order, side], self.floor[side], side="right") :]
        need, blocked = self.needs[rows, side][:, None], self.blocked[rows]
        shut = need > self.reach[side]
        free = blocked == shut  # held by all the other sides
        some = free.any(axis=1)
        free, near = free[some], rows[some]
        edges = np.vstack([lower, np.maximum(need[some], lower), np.ones(self.chains)])
        length = np.diff(edges, axis=0)
        log_weight = np.zeros_like(length)
        counts = []
        for group, table in enumerate(tables):
            mine = free & (self.groups[near] == group)[:, None]
            count = np.zeros(length.shape, np.intp)
            np.cumsum(mine, axis=0, out=count[1:])
            count += self.silent[group] - np.count_nonzero(mine & ~shut[some], axis=0)
            log_weight += table[count]
            counts.append(count)
        log_weight -= np.where(length > 0, log_weight, -np.inf).max(axis=0)
        mass = np.cumsum(length * np.exp(log_weight), axis=0)
        chain = np.arange(self.chains)
        choice, place = rng.random((2, self.chains))
        piece = np.count_nonzero(mass <= choice * mass[-1], axis=0).clip(max=len(mass) - 1)
        self.reach[side] = edges[piece, chain] + place * length[piece, chain]
        for group, count in enumerate(counts):
            self.silent[group] = count[piece, chain]
        self.blocked[rows] = blocked - shut + (need > self.reach[side])


def _shortfalls(needs: Floats, reach: Floats) -> NDArray[np.int16]:
    """How many sides fall short of each point, in each chain."""
    total = np.zeros((len(needs), reach.shape[1]), np.int16)
    for need, here in zip(needs.T, reach, strict=True):
        total += need[:, None] > here
    return total
