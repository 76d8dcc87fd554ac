"""The evidence against a hypothesis of an intersection-closed class, side by side, where the reveal rate is known.

A member h is known by how far each of its κ sides reaches (`zcal.sides`). Bet against it: independently, each
side is left as it is or cut off, at a place v that is short of what h has (`bets.restarted`). The result is some
h' ⊆ h. If h is the truth, the likelihood ratio of h' to h is a nonnegative supermartingale whatever is asked, hence so
is its mean over h'. All reveals since a cut was made must lie in h', and each silence since then in h ∖ h' counts
1/(1 − ω). So let the closure of the reveals need f on side k, and let c_1 ≤ … ≤ c_m be the needs of the stars in h that
lie beyond the closure **on side k alone**. A group of the bets on side k whose places have the law F, and which counts
the stars that came after its beginning, is worth

    ∫_f^{c_m} (1 − ω)^{−#{j : c_j > v, star j counts}} dF(v) + 1 − F(c_m),

and the evidence is E(h) ≥ Π_k (those that have not begun + Σ share · worth), because cutting off several sides removes
at least what each removes alone. (Stars beyond several sides are left out, which only makes the evidence less.) By
Ville, with probability ≥ 1 − δ the truth has E ≤ 1/δ at all times. With cost_k(m) the logarithm of the k-th factor that
is

    {h ⊇ R : Σ_k cost_k(stars that h reaches on side k) ≤ ln(1/δ)},

a cap on the stars, where the j-th of side k weighs cost_k(j) − cost_k(j − 1) ≥ 0.

One prediction for all h, as the likelihood version space has it, charges every h for what it cost to find all the sides
of the truth: about ln(1/ε) nats a side. Here every side pays for itself alone.
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
"""A silence never counts for more nats, not even where the rate is 1."""


def nats(rate: float) -> float:
    """What a silence counts: −ln(1 − ω)."""
    return SURE if rate >= 1.0 else min(SURE, float(-np.log1p(-rate)))


@dataclass(frozen=True, eq=False)
class Side:
    """One side. Its stars lie at `outward`; other arrays are by the number of stars that are reached, 0 … m."""

    outward: Floats
    need: Floats
    """Of the last star that is reached; at 0 of the closure."""
    cuts: RestartedBets
    below: Floats
    """(groups, …): the bets that cut off before it."""
    counted: Floats
    """(groups, …): what the stars count, in nats."""
    log_cut: Floats
    """(groups, …): ln of share · ∫_f^{c_j}, what all the cuts below the j-th star are worth together."""
    cost: Floats

    @classmethod
    def of(
        cls, outward: Floats, needs: Floats, numbers: Counts, floor: float, weight: float, cuts: RestartedBets
    ) -> Side:
        """From the stars, going outwards."""
        need = np.append(floor, np.maximum.accumulate(np.maximum(needs, floor)))
        below, counted = cuts.up_to(need), np.asarray(weight * cuts.counted(numbers), np.float64)
        with np.errstate(divide="ignore"):
            steps = np.log(np.diff(below, axis=1)) - counted[:, :-1]
            log_cut = np.full(counted.shape, -np.inf)
            log_cut[:, 1:] = np.logaddexp.accumulate(steps, axis=1) + counted[:, 1:]
            cost = np.logaddexp(np.logaddexp.reduce(log_cut, axis=0), np.log(cuts.spared(below)))
        return cls(outward, need, cuts, below, counted, log_cut, np.maximum.accumulate(cost))  # none weighs less than 0

    def reached(self, outward: Floats) -> Counts:
        """How many stars are reached by what reaches so far."""
        return np.searchsorted(self.outward, outward, side="right")

    def log_cuts(self, outward: Floats, need: Floats) -> Floats:
        """(0 … m, places): what the cuts below a place are worth against who reaches so many stars, and the place."""
        before, most = self.reached(outward), self.counted.max(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            more = np.log(np.maximum(self.cuts.below(need) - self.below[:, before], 0.0))
            at = np.logaddexp(self.log_cut[:, before], more) - self.counted[:, before]
            return np.asarray(most[:, None] + np.log(np.exp(self.counted - most).T @ np.exp(at)))


class KnownRateBets:
    """Against the members that contain `closure`, from `stars`, each of which counts `weight` nats.

    `points` are the stars that count (`rows` of all, or their `numbers`), `weights` what each adds to the evidence
    against an h that reaches it, and `start` is the (negative) evidence against the closure.
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
        """`before` is that of other answers: its bets go on, and its tables for the sides that have not changed."""
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
        """The same, with the bets that begin before an answer about something beyond this side alone."""
        other = copy.copy(self)
        other.cuts = [*self.cuts]
        other.cuts[side] = self.cuts[side].anew(self.sides[side].need, self.weight, number)
        return other

    @property
    def by_side(self) -> list[tuple[Floats, Floats]]:
        """Where the stars of each side lie, and what it costs to reach 0, 1, … of them."""
        return [(side.outward, side.cost) for side in self.sides]

    def against(self, member: Box) -> float:
        """ln E of a member that contains the closure."""
        ends = member.ends
        return float(sum(side.cost[side.reached(end)] for side, end in zip(self.sides, ends, strict=True)))
