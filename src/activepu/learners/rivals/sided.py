"""Rivals of an intersection-closed class where every side has evidence of its own (`likelihood.evidence`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from activepu.hypotheses.base import Points
from activepu.learners.rivals.base import TINY, Bools, Counts, Floats, Rivals
from activepu.learners.rivals.grown import Grown
from activepu.likelihood.evidence import LEAST, Evidence, Nodes, cost, outside, outward, outward_reach, reach

CORE = (0, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Numbers of questions about certain positives that are compared."""


class SideRivals(Rivals):
    """The same members where every side has evidence of its own; what is missing is counted in questions.

    - With a known rate a rival that lacks so many nats falls after that many divided by the nats of a silence. With an
      unknown one it has to fall at every node, and answers about certain positives help at all of them: k of these at
      the rate ω̂ bring k·KL(ω̂ ‖ ω). The rest is for silences, side by side. The best k is taken.
    - Evidence is hardly more than 1 − w for a side as long as its stars do not outweigh the bet. To see progress from
      the first star on, it is counted as ln(E − E₀), E₀ being the bets that cut nothing off. When a rival is near its
      end, E₀ is nothing.
    """

    def __init__(
        self, grown: Grown, evidence: Evidence, weight: float, rate: float, told: tuple[Nodes, Nodes] | None
    ) -> None:
        """`rate` is a guess at ω; `told` what a certain positive would tell, revealed or silent."""
        self._grown, self._evidence, self.weight = grown, evidence, weight
        self.far, self._rate = grown.far, rate
        self._reach = outward_reach(grown.low, grown.high, grown.two_sided)
        self._at = [side.reached(self._reach[:, k]) for k, side in enumerate(evidence.sides)]
        total = np.sum([side.cost[:, at] for side, at in zip(evidence.sides, self._at, strict=True)], axis=0)
        with np.errstate(divide="ignore"):
            untouched = np.log1p(-reach(evidence.bounds, grown.low, grown.high))
        self._plain = cost(untouched, evidence.share).sum(axis=1)
        shown = self._shown(total.T).T
        self.missing, self._node = self._questions(evidence, shown)
        self._total = total[self._node, np.arange(len(self._node))]
        self._told = [] if told is None else [self._questions(evidence.told(nodes), shown)[0] for nodes in told]

    def _shown(self, total: Floats) -> Floats:
        """ln(E − E₀), rivals by rows."""
        less = -np.expm1(np.minimum(self._plain[:, None] - total, 0.0))
        return np.asarray(total + np.log(np.maximum(less, TINY)))

    def _questions(self, evidence: Evidence, shown: Floats) -> tuple[Floats, Counts]:
        """How many questions it takes to exclude each rival, and the node at which it falls last."""
        nats = np.maximum(evidence.nodes.nats, LEAST)[:, None]
        lacking = np.maximum(evidence.missing[:, None] - shown, 0.0)
        every = np.arange(shown.shape[1])
        if len(nats) == 1:
            return self._price * lacking[0] / nats[0], np.zeros(len(every), np.intp)
        alive = evidence.limits >= 0.0
        possible = -np.expm1(-nats[:, 0])
        guess = min(max(self._rate, 0.01), 0.99)
        gain = guess * np.log(guess / possible) + (1 - guess) * np.log((1 - guess) / (1 - possible))
        best, at = np.full(len(every), np.inf), np.zeros(len(every), np.intp)
        for k in CORE:
            silences = np.where(alive[:, None], np.maximum(lacking - k * gain[:, None], 0.0) / nats, -1.0)
            node = np.argmax(silences, axis=0)
            questions = k + self._price * silences[node, every]
            better = questions < best
            best, at = np.where(better, questions, best), np.where(better, node, at)
        return best, at

    @property
    def _price(self) -> int:
        """Every side wants its silences."""
        return len(self._evidence.sides)

    def holds(self, points: Points) -> Bools:
        """As they have grown; a silence that lies beyond several sides counts for nobody."""
        single = outside(self._grown.closure, points).sum(axis=1) == 1
        return np.asarray(self._grown.holds(points) & single)

    def _after(self, change: Floats) -> Floats:
        """Questions, once the evidence at each rival's node has changed by so much."""
        gain = self._shown(self._total[:, None] + change) - self._shown(self._total[:, None])
        nats = np.maximum(self._evidence.nodes.nats[self._node], LEAST)[:, None]
        return np.maximum(self.missing[:, None] - self._price * gain / nats, 0.0)

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """A star on one side makes all the cuts below it worth more."""
        change = np.zeros((len(self.far), len(points)))
        beyond = outside(self._grown.closure, points)
        number = beyond.sum(axis=1)
        nats = self._evidence.nodes.nats[self._node][:, None]
        for _, columns, cut, value, now in self._cuts(points, beyond & (number == 1)[:, None]):
            with np.errstate(divide="ignore"):
                more = cost(np.logaddexp(value, cut + np.log(np.expm1(nats))), self._evidence.share)
            change[:, columns] += np.where(np.isfinite(cut), more - now, 0.0)
        missing = self._after(change)
        if self._told:
            missing[:, number == 0] = self._told[1][:, None]
        return missing

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """The closure grows by the point: all cuts below it are void, and who does not reach it must."""
        change = np.zeros((len(self.far), len(points)))
        beyond, needs = outside(self._grown.closure, points), self._evidence.bounds.needs(points)
        for k, columns, cut, value, now in self._cuts(points, beyond):
            with np.errstate(divide="ignore"):
                left = value + np.log1p(-np.exp(np.minimum(cut - value, -TINY)))
                less = np.where(np.isfinite(cut), left, np.log1p(-needs[columns, k]))
            change[:, columns] += cost(less, self._evidence.share) - now
        missing = self._after(change)
        if self._told:
            missing[:, beyond.sum(axis=1) == 0] = self._told[0][:, None]
        return missing, self._grown.far_after(points)

    def _cuts(self, points: Points, beyond: Bools) -> Iterator[tuple[int, Counts, Floats, Floats, Floats]]:
        """Side by side: k, the columns beyond it, what the cuts below each point are worth, all cuts, and the cost.

        All logarithms, J × K; −∞ where the rival does not reach the point.
        """
        needs, places = self._evidence.bounds.needs(points), outward(self._grown.closure, points)
        for k, side in enumerate(self._evidence.sides):
            columns = np.flatnonzero(beyond[:, k])
            if len(columns):
                place, at, node = places[columns, k], self._at[k][:, None], self._node[:, None]
                further = self._evidence.nodes.nats[node] * (at - side.reached(place))
                cut = side.log_cut_at(self._node, place, needs[columns, k]) + further
                reaches = self._reach[:, k][:, None] >= place
                yield k, columns, np.where(reaches, cut, -np.inf), side.log_value[node, at], side.cost[node, at]
