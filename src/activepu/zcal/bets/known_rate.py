"""Bets against a hypothesis of a box-like class, one side at a time, when the reveal rate is known.

A member h is described by how far each of its κ sides reaches (`zcal.sides`). A bet against h either leaves a side as
it is, or cuts it off at a place v short of where h ends (`bets.restarted`), independently for each side. The result is
some h' ⊆ h. If h is the truth, the likelihood ratio of h' to h is a nonnegative supermartingale, whatever is asked.
Hence so is its mean over h'. All reveals since a cut was made must lie in h', and each silence in h ∖ h' since then
multiplies the ratio by 1/(1 − ω).

Let f be the need of the closure of the reveals on side k, and let c_1 ≤ … ≤ c_m be the needs of the stars in h that lie
beyond the closure **on side k alone**. Take a group of bets on side k whose places have the law F, and which counts the
stars that came after the group began. It is worth

    ∫_f^{c_m} (1 − ω)^{−#{j : c_j > v, star j counts}} dF(v) + 1 − F(c_m).

The evidence is E(h) ≥ Π_k (share of bets that have not begun + Σ_groups share · worth), because cutting off several
sides removes at least what each cut removes alone. (Stars beyond several sides are left out, which can only lower the
evidence.) By Ville's inequality, with probability ≥ 1 − δ the truth has E ≤ 1/δ at all times. Let cost_k(m) be the
logarithm of the k-th factor. Then the confidence set is

    {h ⊇ R : Σ_k cost_k(number of stars that h reaches on side k) ≤ ln(1/δ)},

a cap on the stars, where the j-th star of side k weighs cost_k(j) − cost_k(j − 1) ≥ 0.

If one sequence of predictions served all h, as in the likelihood version space, every h would be charged for the cost
of finding all the sides of the truth, about ln(1/ε) nats per side. Here each side pays only for itself.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.zcal.bets.restarted import Counts, RestartedBets
from activepu.zcal.rates import Floats
from activepu.zcal.sides import Sides

SURE = 50.0
"""The most nats that a silence counts, even where the rate is 1."""


def nats(rate: float) -> float:
    """Return what a silence counts, −ln(1 − ω), in nats."""
    return SURE if rate >= 1.0 else min(SURE, float(-np.log1p(-rate)))


@dataclass(frozen=True, eq=False)
class Side:
    """One side. Its stars lie at `outward`. The other arrays are indexed by the number of stars reached, 0 … m."""

    outward: Floats
    need: Floats
    """The need of the last star that is reached; at 0 that of the closure."""
    cuts: RestartedBets
    below: Floats
    """(groups, …): the share of bets that cut the side off before this need."""
    counted: Floats
    """(groups, …): what the stars that are reached count, in nats."""
    log_cut: Floats
    """(groups, …): ln of share · ∫_f^{c_j}, the worth of all cuts below the j-th star together."""
    cost: Floats

    @classmethod
    def of(
        cls, outward: Floats, needs: Floats, numbers: Counts, floor: float, weight: float, cuts: RestartedBets
    ) -> Side:
        """Return the side with these stars, which are in outward order."""
        need = np.append(floor, np.maximum.accumulate(np.maximum(needs, floor)))
        below, counted = cuts.up_to(need), np.asarray(weight * cuts.counted(numbers), np.float64)
        with np.errstate(divide="ignore"):
            steps = np.log(np.diff(below, axis=1)) - counted[:, :-1]
            log_cut = np.full(counted.shape, -np.inf)
            log_cut[:, 1:] = np.logaddexp.accumulate(steps, axis=1) + counted[:, 1:]
            cost = np.logaddexp(np.logaddexp.reduce(log_cut, axis=0), np.log(cuts.spared(below)))
        return cls(outward, need, cuts, below, counted, log_cut, np.maximum.accumulate(cost))  # none weighs less than 0

    def reached(self, outward: Floats) -> Counts:
        """Return how many stars a side that ends here reaches."""
        return np.searchsorted(self.outward, outward, side="right")

    def log_cuts(self, outward: Floats, need: Floats) -> Floats:
        """Return (0 … m, places): the log worth of the cuts below a place.

        They count against a member that reaches 0 … m stars and the place.
        """
        before, most = self.reached(outward), self.counted.max(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            more = np.log(np.maximum(self.cuts.below(need) - self.below[:, before], 0.0))
            at = np.logaddexp(self.log_cut[:, before], more) - self.counted[:, before]
            return np.asarray(most[:, None] + np.log(np.exp(self.counted - most).T @ np.exp(at)))


class KnownRateBets:
    """The bets against the members that contain `closure`, given `stars`, each of which counts `weight` nats.

    `points` are the stars that count (`rows` of all, or their `numbers`). `weights` is what each of them adds to the
    evidence against an h that reaches it. `start` is the (negative) evidence against the closure.
    """

    def __init__(
        self,
        sides: Sides,
        closure: Box,
        stars: Points,
        weight: float,
        numbers: Counts | None = None,
        before: KnownRateBets | None = None,
    ) -> None:
        """`before` are the bets after earlier answers: they go on, and tables of unchanged sides are reused."""
        self.bounds, self.closure, self.weight = sides, closure, weight
        self.cuts: list[RestartedBets] = before.cuts if before else [RestartedBets.at_once(sides.share)] * sides.count
        beyond = closure.beyond(stars)
        mine = np.flatnonzero(beyond.sum(axis=1) == 1)
        self.rows = mine if numbers is None else numbers[mine]
        self.points = stars[mine]
        before = before if before and before.closure is closure else None
        self.floor: Floats = before.floor if before else sides.reach(closure.low[None], closure.high[None])[0]
        self.weights = np.zeros(len(self.points))
        self.sides: list[Side] = []
        side, needs, places = (
            np.argmax(beyond[mine], axis=1),
            sides.needs(self.points),
            closure.hypotheses.outward(self.points),
        )
        for k, floor in enumerate(self.floor):
            rows = np.flatnonzero(side == k)
            rows = rows[np.argsort(places[rows, k], kind="stable")]
            place = places[rows, k]
            if before and np.array_equal(before.sides[k].outward, place):
                table = before.sides[k]
            else:
                table = Side.of(place, needs[rows, k], self.rows[rows], float(floor), weight, self.cuts[k])
            self.weights[rows] = table.cost[1:] - table.cost[:-1]
            self.sides.append(table)
        self.start = float(sum(table.cost[0] for table in self.sides))

    def asking(self, side: int, number: int) -> KnownRateBets:
        """Return the bets when a point beyond this side alone is asked: some bets begin before the answer."""
        other = copy.copy(self)
        other.cuts = [*self.cuts]
        other.cuts[side] = self.cuts[side].restarted(self.sides[side].need, self.weight, number)
        return other

    @property
    def by_side(self) -> list[tuple[Floats, Floats]]:
        """Where the stars of each side lie, and what it costs to reach 0, 1, … of them."""
        return [(side.outward, side.cost) for side in self.sides]

    def against(self, member: Box) -> float:
        """Return ln E of a member that contains the closure."""
        ends = member.ends
        return float(sum(side.cost[side.reached(end)] for side, end in zip(self.sides, ends, strict=True)))
