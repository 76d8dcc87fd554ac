"""Rivals: members that still stand although they are too far from what would be returned.

The certificate waits for them. Let E(h) = Q / L(h) be the evidence against h, which falls when ln E(h) > ln(1/δ). The
evidence that is still needed, over all rivals,

    Φ = Σ_h weight(h) · max(0, ln(1/δ) − ln E(h)),    h with |h Δ ĥ| > `spare` only,

is 0 when every hypothesis that stands is near. A ★ at z adds ln(1 − q) to every ln E(h), and what one more silence
costs h to those with z ∈ h; a reveal adds ln q, removes what lacks z, and may bring others near.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood import Rates
from activepu.likelihood.evidence import Evidence, cost, outside, outward, outward_reach, reach

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Counts = NDArray[np.intp]

ENOUGH = 0.8
"""The share of the farthest rival that is far enough."""
TINY = 1e-12
_LOST = -1e9
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Answers:
    """What was answered: reveals by group, the silent points with theirs, and ln δ + ln Q."""

    rates: Rates
    revealed: Sequence[int]
    stars: Points
    groups: Counts
    log_floor: float


class Rivals(ABC):
    """J rivals that together weigh `weight`, the evidence that is `missing` (J,) against each, and who is `far` (J,)."""

    missing: Floats
    far: Bools
    weight: float

    @abstractmethod
    def holds(self, points: Points) -> Bools:
        """(J, K): which rivals contain which points."""

    @abstractmethod
    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """(J, K): what is missing once each point, which was to be revealed with probability q, has answered ★."""

    @abstractmethod
    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """(J, K): what is missing, and who is far, once each point was revealed."""

    def needed(self, missing: Floats, far: Bools) -> Floats:
        """Φ, by columns."""
        needed = np.maximum(missing, 0.0, where=far, out=np.zeros(missing.shape))
        return np.asarray(self.weight * needed.mean(axis=0))


class LikelyRivals(Rivals):
    """Rivals with one prediction for all, known by their `log_likelihood`."""

    log_likelihood: Floats
    _floor: float

    @property
    def missing(self) -> Floats:  # type: ignore[override]
        """ln L(h) above the floor."""
        return self.log_likelihood - self._floor

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """Q falls by 1 − q."""
        return self._after_silence(points, group) - (self._floor + np.log1p(-q))

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """Q falls by q."""
        log_likelihood, far = self._after_reveal(points, group)
        return log_likelihood - (self._floor + np.log(q)), far

    @abstractmethod
    def _after_silence(self, points: Points, group: int) -> Floats:
        """(J, K): ln L of each rival once each point has answered ★."""

    @abstractmethod
    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """(J, K): ln L and `far` of each rival once each point was revealed."""


class Grown:
    """Geometry: closure(R ∪ {x, …}) for a few undecided x each, and how much of a `reference` they hold beyond R."""

    def __init__(self, closure: Closure, corners: Sequence[Points], reference: Points, spare: float) -> None:
        """`spare` is what a rival may hold; the reference is a sample, so the first one counts as far in any case."""
        self.closure = closure
        self.two_sided = closure.hypotheses.two_sided
        self.low, self.high = closure.low, closure.high
        for x in corners:
            self.low, self.high = np.minimum(self.low, x), np.maximum(self.high, x)
        self._reference = reference[~closure.contains(reference)]
        self._scale = 1.0 / max(1, len(reference))
        self._beyond = self.holds(self._reference).astype(np.float32)
        mass = self._beyond.sum(axis=1) * self._scale
        self.spare = min(spare, ENOUGH * float(mass[0])) if len(mass) else 0.0
        self.far = mass > self.spare

    def holds(self, points: Points) -> Bools:
        """Side by side: those that reach a point are the first so many in the order of that side's bounds."""
        held = np.full((len(points), -(-len(self.low) // 64)), _FULL)
        for axis in range(points.shape[1]):
            for bounds, values in ((self.low[:, axis], points[:, axis]), (-self.high[:, axis], -points[:, axis])):
                order = np.argsort(bounds)
                first = np.zeros((len(order) + 1, len(order)), bool)
                first[:, order] = np.tri(len(order) + 1, len(order), -1, bool)
                held &= _pack(first)[np.searchsorted(bounds[order], values, side="right")]
                if not self.two_sided:
                    break
        bits = np.unpackbits(held.view(np.uint8), axis=1, count=len(self.low))
        return np.ascontiguousarray(bits.T).view(np.bool_)

    def far_after(self, points: Points) -> Bools:
        """(J, K): who is still far once each point was revealed and the closure has grown by it."""
        low, high = np.minimum(self.closure.low, points), np.maximum(self.closure.high, points)
        within = np.ones((len(points), len(self._reference)), bool)
        for axis in range(points.shape[1]):
            column = self._reference[:, axis]
            within &= column >= low[:, axis, None]
            if self.two_sided:
                within &= column <= high[:, axis, None]
        left = self._beyond @ (~within).astype(np.float32).T
        return np.asarray(left * self._scale > self.spare)


class ClosedRivals(LikelyRivals):
    """The members around the closure that are hardest to exclude (`Grown`), by the stars that they hold.

    A revealed z makes it closure(R ∪ {x, z}). Star s lies in that exactly if, on every side, the rival or z reaches it:
    stars are bits, so that all pairs of rivals and points are counted by a few words each.
    """

    def __init__(self, grown: Grown, answers: Answers, weight: float) -> None:
        self._grown, self.weight, self._floor = grown, weight, answers.log_floor
        self.far = grown.far
        stars = self._stars = answers.stars
        self._masks = [_pack(answers.groups[None] == g)[0] for g in range(len(answers.revealed))]
        self._bits = self._sides(grown.low, grown.high, stars)
        self._silent = self._counts(np.bitwise_and.reduce(self._bits, axis=0))
        self._tables = [
            [_finite(answers.rates.log_likelihood(r + more, np.arange(len(stars) + 2))) for more in (0, 1)]
            for r in answers.revealed
        ]
        self._parts = [table[0][s] for table, s in zip(self._tables, self._silent, strict=True)]
        self.log_likelihood = np.sum(self._parts, axis=0)

    def holds(self, points: Points) -> Bools:
        """As they have grown."""
        return self._grown.holds(points)

    def _after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        table = self._tables[group][0]
        s = self._silent[group]
        stay, more = table[s], table[s + 1]
        rest = self.log_likelihood - self._parts[group]
        return np.where(self.holds(points), (rest + more)[:, None], (rest + stay)[:, None])

    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """The rival grows by the point, and the closure too."""
        reached = self._sides(points, points, self._stars)
        inside = np.full((len(self.far), len(points), reached.shape[-1]), _FULL)
        for mine, its in zip(self._bits, reached, strict=True):
            inside &= mine[:, None] | its[None]
        silent = self._counts(inside)
        log_likelihood = sum(
            (self._tables[g][int(g == group)][s] for g, s in enumerate(silent)), np.zeros(inside.shape[:2])
        )
        return log_likelihood, self._grown.far_after(points)

    def _sides(self, low: Points, high: Points, stars: Points) -> NDArray[np.uint64]:
        """(sides, rows, words): the stars that each row reaches, side by side; bits beyond the last star are 0."""
        sides = [stars[:, axis] >= low[:, axis, None] for axis in range(stars.shape[1])]
        if self._grown.two_sided:
            sides += [stars[:, axis] <= high[:, axis, None] for axis in range(stars.shape[1])]
        return np.stack([_pack(side) for side in sides])

    def _counts(self, bits: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        return [np.bitwise_count(bits & mask).sum(axis=-1, dtype=np.intp) for mask in self._masks]


class SideRivals(Rivals):
    """The same members where every side has evidence of its own.

    Evidence is hardly more than 1 − w for a side as long as its stars do not outweigh the bet. To see progress from the
    first star on, what is missing is counted from ln(E − E₀), E₀ being the bets that cut nothing off. When a rival is
    near its end, E₀ is nothing.
    """

    def __init__(self, grown: Grown, evidence: Evidence, enough: float, weight: float) -> None:
        self._grown, self._evidence, self.weight = grown, evidence, weight
        self.far, self._enough = grown.far, enough
        self._reach = outward_reach(grown.low, grown.high, grown.two_sided)
        self._at = [side.reached(self._reach[:, k]) for k, side in enumerate(evidence.sides)]
        self._total = np.sum([side.cost[at] for side, at in zip(evidence.sides, self._at, strict=True)], axis=0)
        with np.errstate(divide="ignore"):
            untouched = np.log1p(-reach(evidence.bounds, grown.low, grown.high))
        self._plain = cost(untouched, evidence.share).sum(axis=1)
        self.missing = enough - self._shown(self._total[:, None])[:, 0]

    def _shown(self, total: Floats) -> Floats:
        """ln(E − E₀), by columns."""
        return total + np.log(np.maximum(-np.expm1(np.minimum(self._plain[:, None] - total, 0.0)), TINY))

    def holds(self, points: Points) -> Bools:
        """As they have grown; a silence that lies beyond several sides counts for nobody."""
        single = outside(self._grown.closure, points).sum(axis=1) == 1
        return self._grown.holds(points) & single

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """A star on one side makes all the cuts below it worth more."""
        total = np.repeat(self._total[:, None], len(points), axis=1)
        beyond = outside(self._grown.closure, points)
        single = beyond.sum(axis=1) == 1
        for k, columns, cut, value in self._cuts(points, beyond & single[:, None]):
            side = self._evidence.sides[k]
            more = np.logaddexp(value, cut + np.log(np.expm1(self._evidence.weight)))
            total[:, columns] += np.where(
                np.isfinite(cut), cost(more, self._evidence.share) - side.cost[self._at[k]][:, None], 0.0
            )
        return self._enough - self._shown(total)

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """The closure grows by the point: all cuts below it are void, and who does not reach it must."""
        total = np.repeat(self._total[:, None], len(points), axis=1)
        needs = self._evidence.bounds.needs(points)
        for k, columns, cut, value in self._cuts(points, outside(self._grown.closure, points)):
            side = self._evidence.sides[k]
            with np.errstate(divide="ignore"):
                left = value + np.log1p(-np.exp(np.minimum(cut - value, -TINY)))
                less = np.where(np.isfinite(cut), left, np.log1p(-needs[columns, k]))
            total[:, columns] += cost(less, self._evidence.share) - side.cost[self._at[k]][:, None]
        return self._enough - self._shown(total), self._grown.far_after(points)

    def _cuts(self, points: Points, beyond: Bools) -> Iterator[tuple[int, Counts, Floats, Floats]]:
        """Side by side: the columns beyond it, what the cuts below each point are worth, and all cuts (ln, J × K).

        −∞ where the rival does not reach the point.
        """
        needs, places = self._evidence.bounds.needs(points), outward(self._grown.closure, points)
        for k, side in enumerate(self._evidence.sides):
            columns = np.flatnonzero(beyond[:, k])
            if len(columns):
                place, at = places[columns, k], self._at[k][:, None]
                cut = side.log_cut_at(place, needs[columns, k]) + self._evidence.weight * (at - side.reached(place))
                reaches = self._reach[:, k][:, None] >= place
                yield k, columns, np.where(reaches, cut, -np.inf), side.log_value[at]


class MemberRivals(LikelyRivals):
    """Single members, known by the points that they contain: of a finite class, or a sample of V.

    A revealed z removes what lacks it; where reveals are wrong at a rate η, it costs such a member ln η instead.
    """

    def __init__(
        self,
        contains: Callable[[Points], Bools],
        answers: Answers,
        outside: Floats,
        reference: Points,
        labels: Bools,
        spare: float,
        weight: float,
        false_reveal: float = 0.0,
    ) -> None:
        """`outside` (J,) is what wrong reveals have cost; `labels` are those of ĥ on `reference`."""
        self._contains, self._floor = contains, answers.log_floor
        self._rates, self._revealed, self.weight = answers.rates, answers.revealed, weight
        inside = contains(answers.stars)
        self.silent = [inside[:, answers.groups == g].sum(axis=1) for g in range(len(answers.revealed))]
        parts = [answers.rates.log_likelihood(r, s) for r, s in zip(answers.revealed, self.silent, strict=True)]
        self.log_likelihood = _finite(np.sum(parts, axis=0) + outside)
        away = (contains(reference) != labels).mean(axis=1)
        self.far = away > min(spare, 0.9 * float(away.max(initial=0.0)))
        self._lost = np.log(false_reveal) if false_reveal else _LOST

    def holds(self, points: Points) -> Bools:
        """The members' labels."""
        return self._contains(points)

    def _gain(self, group: int, revealed: int, silent: int) -> Floats:
        r, s = self._revealed[group], self.silent[group]
        after = self._rates.log_likelihood(r + revealed, s + silent)
        return _finite(after) - _finite(self._rates.log_likelihood(r, s))

    def _after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        return self.log_likelihood[:, None] + np.where(self.holds(points), self._gain(group, 0, 1)[:, None], 0.0)

    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """One more reveal where the point lies inside; elsewhere a false one."""
        inside = self.holds(points)
        gain = np.where(inside, self._gain(group, 1, 0)[:, None], self._lost)
        return self.log_likelihood[:, None] + gain, np.broadcast_to(self.far[:, None], inside.shape)


def _finite(log_likelihood: Floats) -> Floats:
    """With a number for −∞, so that differences are numbers too."""
    return np.maximum(log_likelihood, _LOST)


def _pack(bits: Bools) -> NDArray[np.uint64]:
    """Rows of bits in whole words, at least one."""
    packed = np.packbits(bits, axis=1)
    spare = -packed.shape[1] % 8 or (8 if packed.shape[1] == 0 else 0)
    return np.ascontiguousarray(np.pad(packed, ((0, 0), (0, spare)))).view(np.uint64)
