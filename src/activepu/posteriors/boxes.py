"""Boxes, intervals, orthants and conjunctions: chains of a collapsed Gibbs sampler, one side at a time.

Given its other sides, the stars inside a member change only where the side passes a star that all the other sides hold.
So the law of one side is piecewise constant, with the weight of the star count (the rate is integrated out) on each
piece, and is sampled exactly, in all chains at once. See `sides` for reaches, needs and the prior.

The chains go on from answer to answer. A ★ weighs them anew, they are drawn again by weight, and sweep. A reveal does
so with those that hold the point; if they are few the others are grown until they hold it too, and all sweep longer.

Chains that all hold a point, or none, prove nothing: predictions count one chain more, which holds it with
probability ½.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.likelihood.rates import Floats, Rates
from activepu.posteriors.base import Counts, Posterior, Prediction, Tally, entropy, normalised, with_group
from activepu.posteriors.sides import Sides

CHAINS = 128
SWEEPS = 1
"""After a ★."""
SWEEPS_GROWN = 4
"""After a reveal, and at the start."""


class BoxPosterior(Posterior):
    """`reach` (sides, chains); `needs` (stars, sides); `blocked` (stars, chains) is how many sides cut a star off."""

    def __init__(self, sides: Sides, rates: Rates, positives: Points, seed: int, chains: int = CHAINS) -> None:
        self.sides = sides
        self.tally = Tally(rates)
        self.seed, self.steps = seed, 0
        self.held = len(positives) > 0
        self.floor = sides.needs(positives).max(axis=0, initial=0.0)
        self.needs = np.empty((0, sides.count))
        self.groups = np.empty(0, np.intp)
        self.blocked = np.empty((0, chains), np.int16)
        self.silent: Counts = np.zeros((1, chains), np.intp)
        self.weight = np.full(chains, 1.0 / chains)
        self.reach = np.ones((sides.count, chains))
        self._sweep(SWEEPS_GROWN)

    @property
    def chains(self) -> int:
        """How many."""
        return len(self.weight)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Weighs, draws again and sweeps."""
        if revealed:
            self._reveal(x, expert)
        else:
            self._silent(x, [expert])
            self._draw()
            self._sweep(SWEEPS)

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Means over the chains, and the one that is unsure."""
        rate = self.tally.mean_rate(self.tally.group(expert), self.silent)
        sums = self.weight * np.stack([np.ones(self.chains), rate, entropy(rate)])
        unsure = 1.0 / (1.0 / (self.weight**2).sum() + 1.0)
        means = self._holds(self.sides.needs(points)) @ sums.T.astype(np.float32)
        means = (1.0 - unsure) * means + unsure * 0.5 * sums.sum(axis=1)
        return Prediction.of(means[:, 0], means[:, 1], means[:, 2])

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """The same chains, weighed anew."""
        other = copy.copy(self)
        other._silent(points, experts)
        return other

    def _holds(self, needs: Floats) -> NDArray[np.bool_]:
        """(points, chains)."""
        held = np.ones((len(needs), self.chains), np.bool_)
        for need, reach in zip(needs.T, self.reach, strict=True):
            held &= need[:, None] <= reach
        return held

    def _silent(self, points: Points, experts: Sequence[int]) -> None:
        before = self.tally.log_weight(self.silent)
        needs = self.sides.needs(points)
        groups = np.array([self.tally.group(expert) for expert in experts], np.intp)
        blocked = (needs[:, :, None] > self.reach).sum(axis=1, dtype=np.int16)
        silent = with_group(self.silent, int(groups.max(initial=0))).copy()
        np.add.at(silent, groups, blocked == 0)
        self.needs, self.groups = np.concatenate([self.needs, needs]), np.append(self.groups, groups)
        self.blocked, self.silent = np.concatenate([self.blocked, blocked]), silent
        with np.errstate(divide="ignore"):
            self.weight = normalised(np.log(self.weight) + self.tally.log_weight(silent) - before)

    def _reveal(self, x: Points, expert: int) -> None:
        need = self.sides.needs(x)
        group = self.tally.group(expert)
        holding = self._holds(need)[0]
        self.weight = self.weight * self.tally.mean_rate(group, self.silent)
        self.tally = self.tally.reveal(group)
        self.held = True
        self.floor = np.maximum(self.floor, need[0])
        if np.count_nonzero(holding) * 4 >= self.chains:
            self.weight = self.weight * holding
        self._draw()
        self.reach = np.maximum(self.reach, self.floor[:, None])
        self._recount()
        self._sweep(SWEEPS_GROWN)

    def _recount(self) -> None:
        self.blocked = np.zeros((len(self.needs), self.chains), np.int16)
        for need, reach in zip(self.needs.T, self.reach, strict=True):
            self.blocked += need[:, None] > reach
        self.silent = np.zeros_like(self.silent)
        np.add.at(self.silent, self.groups, self.blocked == 0)

    def _rng(self) -> np.random.Generator:
        """Each step has a stream of its own, so that a copy never disturbs the original."""
        self.steps += 1
        return np.random.default_rng([self.seed, self.steps])

    def _draw(self) -> None:
        """As many chains, by weight and evenly spread over them."""
        places = (self._rng().random() + np.arange(self.chains)) / self.chains
        ends = np.cumsum(self.weight)
        drawn = np.searchsorted(ends, places * ends[-1], side="right").clip(max=self.chains - 1)
        self.reach, self.blocked, self.silent = self.reach[:, drawn], self.blocked[:, drawn], self.silent[:, drawn]
        self.weight = np.full(self.chains, 1.0 / self.chains)

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
