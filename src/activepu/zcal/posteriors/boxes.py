"""Boxes, intervals, orthants and conjunctions: chains of a collapsed Gibbs sampler, one side at a time.

Given the other sides, the number of stars inside a member changes only where the side passes a star that all the other
sides hold. So the law of one side is piecewise constant; on each piece its density is the weight of the star count,
with the rate integrated out. It is sampled exactly, in all chains at once. See `sides` for reaches, needs and the
prior.

After a reveal, chains that lack the point are grown until they hold it, and then all chains sweep a few times.

A move uses only the stars near its side. It leaves out stars beyond the longest reach of all chains on another side,
and stars so far out that the law gives less than a billionth to the places behind them. (With an unknown rate and few
reveals no place is that unlikely.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.zcal.growing import Growing
from activepu.zcal.posteriors.base import Counts, Tally, group_of, with_group
from activepu.zcal.posteriors.chains import ChainPosterior
from activepu.zcal.posteriors.passing import Passed, passed
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.sides import Sides
from activepu.zcal.tuning import TUNING

TAIL = 2.0**-30
"""The largest share of a law that is left out at its far end."""
FEW = 512
"""Up to this many points times sides, all are compared with the chains at once; otherwise only those in doubt."""
FADED = 30.0
"""A law is first computed until it has fallen by this many nats; whether the rest exceeds `TAIL` is then checked."""


class Law(NamedTuple):
    """The law of one side of every chain, up to a factor: the edges of its pieces, the cumulated law, the stars passed.

    There is one row per chain.
    """

    edges: Floats
    mass: Floats
    stars: Passed


class BoxPosterior(ChainPosterior):
    """`reach` (sides, chains) is how far each chain reaches on each side."""

    def __init__(self, sides: Sides, rates: Rates, positives: Points, seed: int, chains: int = TUNING.chains) -> None:
        super().__init__(rates, seed, chains)
        self.tally = Tally(rates)
        self.silent: Counts = np.zeros((1, chains), np.intp)
        self.sides = sides
        self.held = len(positives) > 0
        self.floor = sides.needs(positives).max(axis=0, initial=0.0)
        self._needs = Growing(np.empty((0, sides.count)))
        self._groups: Growing[np.intp] = Growing(np.empty(0, np.intp))
        self.reach = np.ones((sides.count, chains))
        self._sweep(TUNING.sweeps_grown)

    @property
    def needs(self) -> Floats:
        """(sides, stars): the needs of the stars."""
        return self._needs.rows.T

    @property
    def groups(self) -> Counts:
        """The group of each star."""
        return self._groups.rows

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Fold an answer: weigh the chains or grow them, and sweep."""
        held = self.holds(x)[0]
        if held.all() or not revealed:
            certain = self.held and bool((self.sides.needs(x)[0] <= self.floor).all())
            self._weigh(x, [expert], revealed)
            if self._should_move(held, certain):
                self._draw()
                self._sweep(TUNING.sweeps)
            return
        self._draw()
        self._add(x, np.array([group_of(self.rates, expert)]), revealed)
        self.reach = np.maximum(self.reach, self.floor[:, None])
        self.silent = self._count(self.needs, self.groups)
        self._sweep(TUNING.sweeps_grown)

    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Return (points, chains): which chains contain each point, that is reach it on every side."""
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
        self._needs, self._groups = self._needs.plus(needs), self._groups.plus(groups)
        self.silent = with_group(self.silent, int(groups.max(initial=0))) + 0
        self.silent += self._count(needs.T, groups)

    def _count(self, needs: Floats, groups: Counts) -> Counts:
        """Return how many of these stars each chain holds, by group."""
        near, count = np.flatnonzero(_below(needs, self.reach.max(axis=1))), np.zeros_like(self.silent)
        held = _held(needs[:, near], self.reach)
        order = np.argsort(groups[near], kind="stable")
        own, first = np.unique(groups[near][order], return_index=True)
        if len(own):
            count[own] = np.add.reduceat(held[order], first, axis=0, dtype=np.intp)
        return count

    def _keep(self, drawn: Counts) -> None:
        self.reach, self.silent = self.reach[:, drawn], self.silent[:, drawn]

    def _sweep(self, times: int) -> None:
        """Move every side once, in random order, this many times."""
        self.reach, self.silent = self.reach.copy(), self.silent.copy()
        rng, more = self._rng(), self._stars_until_negligible()
        for _ in range(times):
            for side in rng.permutation(self.sides.count):
                self._move(int(side), rng, more)

    def _move(self, side: int, rng: np.random.Generator, more: int) -> None:
        """Draw one side of all chains from its law given the others; first with `more` stars beyond the chains."""
        lower = np.full(self.chains, self.floor[side])
        if self.sides.opposed and not self.held:
            half = self.sides.count // 2
            lower = np.maximum(lower, self.sides.least(self.reach[(side + half) % self.sides.count]))
        furthest = self.reach.max(axis=1)
        furthest[side] = np.inf
        rows = np.flatnonzero(self.needs[side] > self.floor[side])
        rows = rows[_below(self.needs[:, rows], furthest)]
        need = self.needs[side, rows]
        n = more + int(np.count_nonzero(need <= self.reach[side].max()))
        law = self._law(side, lower, _first(rows, need, n))
        while n < len(rows) and (law.mass[:, -1] - law.mass[:, -2] > TAIL * law.mass[:, -1]).any():
            n *= 2
            law = self._law(side, lower, _first(rows, need, n))
        edges, mass = law.edges, law.mass
        total = mass[:, -1 if n >= len(rows) else -2]  # without what lies behind the first n
        chain = np.arange(self.chains)
        choice, place = rng.random((2, self.chains))
        piece = np.minimum((mass <= (choice * total)[:, None]).sum(axis=1), mass.shape[1] - 1) - 1
        self.reach[side] = edges[chain, piece] + place * (edges[chain, piece + 1] - edges[chain, piece])
        self.silent[law.stars.present] = law.stars.held(piece)

    def _stars_until_negligible(self) -> int:
        """Return about how many more stars make a law negligible, from what the next star of a group takes off."""
        most = self.silent.max(axis=1)
        table, starts = self.tally.log_weights(np.arange(len(most)), most + 1)
        drops = table[starts + most] - table[starts + most + 1]
        return 1 + int(min(FADED / max(float(drops.min()), 1e-9), len(self.groups)))

    def _law(self, side: int, lower: Floats, rows: Counts) -> Law:
        """Return the law of one side between these stars, which are in order and include all that a chain holds here.

        Only the groups of these stars matter: the stars of the others are the same on the whole side.
        """
        others = self.reach.copy()
        others[side] = np.inf
        free = _held(self.needs[:, rows], others)
        some = free.any(axis=1)
        rows, free = rows[some], np.ascontiguousarray(free[some].T)
        need = self.needs[side, rows]
        edges = np.empty((self.chains, len(rows) + 2))
        edges[:, 0], edges[:, -1] = lower, 1.0
        np.maximum(need, lower[:, None], out=edges[:, 1:-1])
        length = edges[:, 1:] - edges[:, :-1]
        chain, within = np.arange(self.chains), np.searchsorted(need, self.reach[side], side="right")
        stars = passed(free, self.groups[rows], within, self.silent)
        log_weight = stars.log_weight(self.tally)
        largest = log_weight[chain, (length > 0).argmax(axis=1)]  # more stars never weigh more
        mass = np.zeros_like(edges)
        np.cumsum(length * np.exp(log_weight - largest[:, None]), axis=1, out=mass[:, 1:])
        return Law(edges, mass, stars)


def _first(rows: Counts, need: Floats, n: int) -> Counts:
    """Return the n rows with the least needs, in their order."""
    if n < len(rows):
        near = np.flatnonzero(need <= np.partition(need, n - 1)[n - 1])
        rows, need = rows[near], need[near]
    return np.asarray(rows[np.argsort(need, kind="stable")][:n])


def _below(needs: Floats, reach: Floats) -> NDArray[np.bool_]:
    """Return which points, one per column, need no more than this on any side."""
    return np.asarray((needs <= reach[:, None]).all(axis=0))


def _held(needs: Floats, reach: Floats) -> NDArray[np.bool_]:
    """Return (points, chains): which chains reach a point on every side."""
    if needs.size <= FEW:
        return np.asarray((needs[..., None] <= reach[:, None]).all(axis=0))
    held = np.ones((needs.shape[1], reach.shape[1]), np.bool_)
    unsure = needs > reach.min(axis=1)[:, None]
    for side in np.flatnonzero(unsure.any(axis=1)):
        rows = np.flatnonzero(unsure[side])
        held[rows] &= needs[side, rows][:, None] <= reach[side]
    return held
