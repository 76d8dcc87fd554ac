"""The evidence against a hypothesis of an intersection-closed class, side by side.

A member h is known by how far each of its κ sides reaches (`likelihood.sides`). Bet against it: independently, each
side is left as it is with probability 1 − w, and else a uniform reach v is drawn for it, at which h is cut off (if v is
short of what h has). The result is some h' ⊆ h. If h is the truth and ω the rate, the likelihood ratio of (h', ω) to
(h, ω) is a nonnegative supermartingale whatever is asked, hence so is its mean over h'. All reveals must lie in h', and
each silence in h ∖ h' counts 1/(1 − ω). So let the closure of the reveals need f on side k, and let c_1 ≤ … ≤ c_m be the
needs of the stars in h that lie beyond the closure **on side k alone**. The mean over the bets on side k is at least

    value_m = ∫_f^{c_m} (1 − ω)^{−#{j : c_j > v}} dv + 1 − c_m,

and that of all sides at least Π_k (1 − w + w·value), because cutting off several sides removes at least what each
removes alone. (Stars beyond several sides are left out, which only makes the evidence less.)

**The rate.** Answers about the *core*, items that were certain positives when their turn came, are bet on with the mean
M of ω^r (1 − ω)^s over all rates. They multiply the evidence by M/(ω^r (1 − ω)^s), the same for every h. Hence

    ln E(h, ω) = A(ω) + Σ_k cost_k(stars that h reaches on side k),     cost_k(m) = ln(1 − w + w·value_m),

and by Ville, with probability ≥ 1 − δ, the truth has ln E ≤ ln(1/δ) at all times. For one ω that is a cap on the stars,
where the j-th of side k weighs cost_k(j) − cost_k(j − 1) ≥ 0; h stands if it meets the cap of some ω.

**Nodes.** With μ = −ln(1 − ω), the nats of a silence, ln E is convex in μ. Between two nodes μ and μ' = ρμ it is
therefore at least the lesser of both ends minus (μ' − μ)²/8 times its greatest second derivative, which is at most r/μ²
for A, and m²/4 for m stars on a side. That slack is granted, and so finitely many caps stand for all rates.

One prediction for all h, as in the likelihood version space, charges every h for what it cost to find all the sides of
the truth: about ln(1/ε) nats a side. Here every side pays for itself alone, and 1 + ln κ nats for being pointed out.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood.rates import Floats, Rates, log_likelihood_at
from activepu.likelihood.sides import Sides

SLACK = 1e-9
"""Equality keeps h, so rounding must not decide it."""
SURE = 50.0
"""A silence never counts for more nats, not even where the rate is 1."""
RATIO = 1.06
"""Of the nats of neighbouring nodes."""
LEAST, MOST = 2e-3, 8.0
"""The nodes in between; what lies outside is taken together."""

Counts = NDArray[np.intp]


@dataclass(frozen=True)
class Nodes:
    """Rates by the `nats` of a silence, and `missing`: what the sides must add up to, to exclude each."""

    nats: Floats
    missing: Floats
    low: Floats
    high: Floats


def nodes(rates: Rates, revealed: int, silent: int, enough: float) -> Nodes:
    """After so many answers about certain positives. `enough` excludes."""
    silence, low, high = _grid(rates)
    best = log_likelihood_at(revealed, silent, np.clip(revealed / max(revealed + silent, 1), low, high))
    slack = 0.0 if rates.known else (RATIO - 1) ** 2 / 8 * revealed
    return Nodes(silence, enough + slack - (rates.log_mean(revealed, silent) - best), low, high)


@lru_cache(maxsize=64)
def _grid(rates: Rates) -> tuple[Floats, Floats, Floats]:
    """Nats, and the rates that each node answers for besides the gap to its neighbours."""
    ends = _nats(np.array([rates.low, rates.high]))
    if rates.known:
        return ends[:1], np.array([rates.low]), np.array([rates.high])
    silence = np.exp(np.arange(np.log(LEAST), np.log(MOST), np.log(RATIO)))
    silence = silence[(silence > ends[0]) & (silence < ends[1])]
    rate = -np.expm1(-silence)
    low, high = np.append(rates.low, rate), np.append(rates.low, rate)
    if ends[0] < LEAST:
        high[0] = rate[0] if len(rate) else rates.high
    if ends[1] <= MOST:
        return np.concatenate([ends[:1], silence, ends[1:]]), np.append(low, rates.high), np.append(high, rates.high)
    high[-1] = rates.high
    return np.append(ends[0], silence), low, high


def _nats(rate: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(-np.log1p(-rate), SURE))


def cost(log_value: Floats, share: float) -> Floats:
    """ln(1 − w + w·value)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp(np.log1p(-share), np.log(share) + log_value))


@dataclass(frozen=True, eq=False)
class Side:
    """One side. Its stars lie at `outward`; tables are by node and by the number of stars that are reached, 0 … m."""

    outward: Floats
    need: Floats
    """(m + 1,), of the last star that is reached; at 0 of the closure."""
    log_cut: Floats
    """ln ∫_f^{c_j}, what all the cuts below the j-th star are worth together."""
    log_value: Floats
    cost: Floats

    @classmethod
    def of(cls, outward: Floats, needs: Floats, floor: float, nats: Floats, share: float) -> Side:
        """From the stars, going outwards."""
        need = np.append(floor, np.maximum.accumulate(np.maximum(needs, floor)))
        total = nats[:, None] * np.arange(len(need))
        log_cut = np.full(total.shape, -np.inf)
        with np.errstate(divide="ignore"):
            log_cut[:, 1:] = np.logaddexp.accumulate(np.log(np.diff(need)) - total[:, :-1], axis=1) + total[:, 1:]
            log_value = np.logaddexp(log_cut, np.log1p(-need))
        return cls(outward, need, log_cut, log_value, cost(log_value, share))

    def reached(self, outward: Floats) -> Counts:
        """How many stars are reached by what reaches so far."""
        return np.searchsorted(self.outward, outward, side="right")

    def log_cut_at(self, node: Counts, outward: Floats, need: Floats) -> Floats:
        """(nodes, places): the same as `log_cut`, at any other place."""
        before = self.reached(outward)
        with np.errstate(divide="ignore"):
            gap = np.log(np.maximum(need - self.need[before], 0.0))
            return np.asarray(np.logaddexp(self.log_cut[node[:, None], before], gap))


class Evidence:
    """Against the members that contain `closure`, from `stars`, at the rates of `nodes`.

    `points` are the stars that count (`rows` of all), `weights` (nodes, points) what each adds against an h that
    reaches it, and `limits` (nodes,) how much of that an h may have that stands.
    """

    def __init__(self, sides: Sides, closure: Closure, stars: Points, nodes: Nodes) -> None:
        self.bounds, self.closure, self._stars = sides, closure, stars
        self.share = 1.0 / sides.count
        beyond = outside(closure, stars)
        self.rows = np.flatnonzero(beyond.sum(axis=1) == 1)
        self.points = stars[self.rows]
        self.floor = reach(sides, closure.low[None], closure.high[None])[0]
        self.weights = np.zeros((len(nodes.nats), len(self.points)))
        self.sides: list[Side] = []
        side, needs = np.argmax(beyond[self.rows], axis=1), sides.needs(self.points)
        places = outward(closure, self.points)
        for k, floor in enumerate(self.floor):
            rows = np.flatnonzero(side == k)
            rows = rows[np.argsort(places[rows, k], kind="stable")]
            table = Side.of(places[rows, k], needs[rows, k], float(floor), nodes.nats, self.share)
            self.weights[:, rows] = np.diff(table.cost, axis=1)
            self.sides.append(table)
        self._start = np.sum([table.cost[:, 0] for table in self.sides], axis=0)
        self._at(nodes)

    def _at(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.missing = nodes.missing
        if len(nodes.nats) > 1:
            bent = sum(_power_of_two(len(table.outward)) ** 2 / 4 for table in self.sides)
            self.missing = nodes.missing + ((RATIO - 1) * nodes.nats) ** 2 / 8 * bent
        self.limits = (self.missing - self._start) * (1 + SLACK)

    def told(self, nodes: Nodes) -> Evidence:
        """The same after more answers about certain positives."""
        other = copy.copy(self)
        other._at(nodes)
        other.__dict__.pop("loosest", None)
        return other

    @cached_property
    def loosest(self) -> Counts:
        """The nodes that allow something, but for those that allow less than another one does."""
        alive = np.flatnonzero(self.limits >= 0.0)
        if len(alive) <= 1:
            return alive
        share = self.weights[alive] / np.maximum(self.limits[alive], 1e-300)[:, None]
        kept: list[int] = []
        for i in np.argsort(share.sum(axis=1)):
            if not any(np.all(share[j] <= share[i]) for j in kept):
                kept.append(int(i))
        return alive[kept]

    def rates(self, possible: NDArray[np.bool_]) -> tuple[float, float]:
        """The least and the largest rate of these nodes, and up to their neighbours."""
        low, high = self.nodes.low, self.nodes.high
        at = np.flatnonzero(possible)
        return float(low[max(0, at[0] - 1)]), float(high[min(len(high) - 1, at[-1] + 1)])

    def allows(self, member: Closure) -> bool:
        """Whether a member that contains the closure stands."""
        ends = outward_reach(member.low, member.high, member.hypotheses.two_sided)
        against = sum(
            (side.cost[:, side.reached(end)] for side, end in zip(self.sides, ends, strict=True)), -self._start
        )
        return bool(np.any(against <= self.limits))


def _power_of_two(n: int) -> int:
    """At least n: a slack that hardly ever changes leaves the evidence comparable from star to star."""
    return 1 << max(0, n - 1).bit_length() if n else 0


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


def reach(sides: Sides, low: Points, high: Points) -> Floats:
    """(n, sides): the reaches of the members with these bounds; nothing has none."""
    empty = np.isposinf(low)
    lower = np.where(empty, 0.0, sides.needs(np.where(empty, 0.0, low))[:, : low.shape[1]])
    if sides.count == low.shape[1]:
        return lower
    return np.hstack([lower, np.where(empty, 0.0, sides.needs(np.where(empty, 0.0, high))[:, low.shape[1] :])])
