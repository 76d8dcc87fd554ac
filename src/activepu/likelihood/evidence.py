"""The evidence against a hypothesis of an intersection-closed class, side by side, where the reveal rate is known.

A member h is known by how far each of its κ sides reaches (`likelihood.sides`). Bet against it: independently, each
side is left as it is with probability 1 − w, and else a uniform reach v is drawn for it, at which h is cut off (if v is
short of what h has). The result is some h' ⊆ h. If h is the truth, the likelihood ratio of h' to h is a nonnegative
supermartingale whatever is asked, hence so is its mean over h'. All reveals must lie in h', and each silence in h ∖ h'
counts 1/(1 − ω). So let the closure of the reveals need f on side k, and let c_1 ≤ … ≤ c_m be the needs of the stars in
h that lie beyond the closure **on side k alone**. The mean over the bets on side k is at least

    value_m = ∫_f^{c_m} (1 − ω)^{−#{j : c_j > v}} dv + 1 − c_m,

and the evidence is E(h) ≥ Π_k (1 − w + w·value), because cutting off several sides removes at least what each removes
alone. (Stars beyond several sides are left out, which only makes the evidence less.) By Ville, with probability ≥ 1 − δ
the truth has E ≤ 1/δ at all times. With cost_k(m) = ln(1 − w + w·value_m) that is

    {h ⊇ R : Σ_k cost_k(stars that h reaches on side k) ≤ ln(1/δ)},

a cap on the stars, where the j-th of side k weighs cost_k(j) − cost_k(j − 1) ≥ 0.

One prediction for all h, as the likelihood version space has it, charges every h for what it cost to find all the sides
of the truth: about ln(1/ε) nats a side. Here every side pays for itself alone, and ln(1/w) nats for being pointed out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood.rates import Floats
from activepu.likelihood.sides import Sides
from activepu.version_spaces.dominance import Cap

SURE = 50.0
"""A silence never counts for more nats, not even where the rate is 1."""

Counts = NDArray[np.intp]


def nats(rate: float) -> float:
    """What a silence counts: −ln(1 − ω)."""
    return SURE if rate >= 1.0 else min(SURE, float(-np.log1p(-rate)))


def cost(log_value: Floats, share: float) -> Floats:
    """ln(1 − w + w·value)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp(np.log1p(-share), np.log(share) + log_value))


@dataclass(frozen=True, eq=False)
class Side:
    """One side. Its stars lie at `outward`; the other arrays are by the number of stars that are reached, 0 … m."""

    outward: Floats
    need: Floats
    """Of the last star that is reached; at 0 of the closure."""
    log_cut: Floats
    """ln ∫_f^{c_j}, what all the cuts below the j-th star are worth together."""
    log_value: Floats
    cost: Floats

    @classmethod
    def of(cls, outward: Floats, needs: Floats, floor: float, weight: float, share: float) -> Side:
        """From the stars, going outwards."""
        need = np.append(floor, np.maximum.accumulate(np.maximum(needs, floor)))
        total = weight * np.arange(len(need))
        with np.errstate(divide="ignore"):
            cuts = np.logaddexp.accumulate(np.log(np.diff(need)) - total[:-1]) + total[1:]
            log_cut = np.append(-np.inf, cuts)
            log_value = np.logaddexp(log_cut, np.log1p(-need))
        costs = np.maximum.accumulate(cost(log_value, share))  # a star never weighs less than nothing
        return cls(outward, need, log_cut, log_value, costs)

    def reached(self, outward: Floats) -> Counts:
        """How many stars are reached by what reaches so far."""
        return np.searchsorted(self.outward, outward, side="right")

    def log_cut_at(self, outward: Floats, need: Floats) -> Floats:
        """The same as `log_cut` at any other place."""
        before = self.reached(outward)
        with np.errstate(divide="ignore"):
            return np.logaddexp(self.log_cut[before], np.log(np.maximum(need - self.need[before], 0.0)))


class Evidence:
    """Against the members that contain `closure`, from `stars`, each of which counts `weight` nats.

    `points` are the stars that count (`rows` of all, or their `numbers`), `weights` what each adds to the evidence
    against an h that reaches it, and `start` is the (negative) evidence against the closure.
    """

    def __init__(
        self,
        sides: Sides,
        closure: Closure,
        stars: Points,
        weight: float,
        numbers: Counts | None = None,
        before: Evidence | None = None,
    ) -> None:
        """`before` is that of other answers, whose tables are taken over for the sides that have not changed."""
        self.bounds, self.closure, self.weight = sides, closure, weight
        self.share = sides.share
        beyond = outside(closure, stars)
        mine = np.flatnonzero(beyond.sum(axis=1) == 1)
        self.rows = mine if numbers is None else numbers[mine]
        self.points = stars[mine]
        before = before if before is not None and before.closure is closure else None
        self.floor: Floats = before.floor if before else sides.reach(closure.low[None], closure.high[None])[0]
        self.weights = np.zeros(len(self.points))
        self.sides: list[Side] = []
        side, needs, places = (
            np.argmax(beyond[mine], axis=1),
            sides.needs(self.points),
            outward(closure, self.points),
        )
        for k, floor in enumerate(self.floor):
            rows = np.flatnonzero(side == k)
            rows = rows[np.argsort(places[rows, k], kind="stable")]
            place = places[rows, k]
            if before and np.array_equal(before.sides[k].outward, place):
                table = before.sides[k]
            else:
                table = Side.of(place, needs[rows, k], float(floor), weight, self.share)
            self.weights[rows] = table.cost[1:] - table.cost[:-1]
            self.sides.append(table)
        self.start = float(sum(table.cost[0] for table in self.sides))

    @property
    def by_side(self) -> list[tuple[Floats, Floats]]:
        """Where the stars of each side lie, and what it costs to reach 0, 1, … of them."""
        return [(side.outward, side.cost) for side in self.sides]

    def against(self, member: Closure) -> float:
        """ln E of a member that contains the closure."""
        ends = outward_reach(member.low, member.high, member.hypotheses.two_sided)
        return float(sum(side.cost[side.reached(end)] for side, end in zip(self.sides, ends, strict=True)))


def never(closure: Closure, stop: Floats) -> list[Cap]:
    """Members that contain `closure` and end before `stop` on each side, as a cap: on a point a side, held by none."""
    dim = len(closure.low)
    sides = np.flatnonzero(np.isfinite(stop))
    points = np.repeat(closure.low[None], len(sides), axis=0)
    points[np.arange(len(sides)), sides % dim] = np.where(sides < dim, -1.0, 1.0) * stop[sides]
    return [Cap(points, 0)] if len(sides) else []


def within_reach(closure: Closure, stop: Floats, points: Points) -> NDArray[np.bool_]:
    """Which points lie outside `closure`, but before `stop` on the sides where they do: some member may hold them."""
    beyond = outside(closure, points)
    return np.asarray(beyond.any(axis=1) & ~(beyond & (outward(closure, points) >= stop)).any(axis=1))


def outside(closure: Closure, points: Points) -> NDArray[np.bool_]:
    """(n, sides): on which sides the points lie beyond the closure."""
    below = points < closure.low
    return np.hstack([below, points > closure.high]) if closure.hypotheses.two_sided else below


def outward(closure: Closure, points: Points) -> Floats:
    """(n, sides): coordinates that grow outwards."""
    return np.hstack([-points, points]) if closure.hypotheses.two_sided else -points


def outward_reach(low: Points, high: Points, two_sided: bool) -> Floats:
    """(…, sides): how far members with these bounds reach, in outward coordinates."""
    return np.concatenate([-low, high], axis=-1) if two_sided else -low
