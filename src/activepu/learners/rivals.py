"""Rivals: members that still stand although they are too far from what would be returned.

The certificate waits for them. Let E(h) = Q / L(h) be the evidence against h, which falls when ln E(h) > ln(1/δ). The
evidence that is still needed, over all rivals,

    Φ = Σ_h weight(h) · max(0, ln(1/δ) − ln E(h)),    h with |h Δ ĥ| > `spare` only,

is 0 when every hypothesis that stands is near. A ★ at z adds ln(1 − q) to every ln E(h), and what one more silence
costs h to those with z ∈ h; a reveal adds ln q, removes what lacks z, and may bring others near.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.closed import Closure
from activepu.likelihood import Rates

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Counts = NDArray[np.intp]

_LOST = -1e9
_FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Answers:
    """What was answered: reveals by group, and the silent points with theirs."""

    rates: Rates
    revealed: Sequence[int]
    stars: Points
    groups: Counts


class Rivals(ABC):
    """`log_likelihood` (J,) and `far` (J,) of J rivals; together they weigh `weight`."""

    log_likelihood: Floats
    far: Bools
    weight: float

    @abstractmethod
    def holds(self, points: Points) -> Bools:
        """(J, K): which rivals contain which points."""

    @abstractmethod
    def after_silence(self, points: Points, group: int) -> Floats:
        """(J, K): ln L of each rival once each point has answered ★."""

    @abstractmethod
    def after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """(J, K): ln L and `far` of each rival once each point was revealed."""

    def needed(self, log_likelihood: Floats, far: Bools, log_floor: Floats | float) -> Floats:
        """Φ, by columns; ln δ + ln Q = `log_floor`."""
        needed = np.maximum(log_likelihood - log_floor, 0.0, where=far, out=np.zeros(log_likelihood.shape))
        return np.asarray(self.weight * needed.mean(axis=0))


class ClosedRivals(Rivals):
    """closure(R ∪ {x}) for undecided x, or for two of them: the members that are hardest to exclude.

    A revealed z makes it closure(R ∪ {x, z}). Star s lies in that exactly if, on every side, the rival or z reaches it:
    stars are bits, so that all pairs of rivals and points are counted by a few words each.
    """

    def __init__(
        self,
        closure: Closure,
        corners: Sequence[Points],
        answers: Answers,
        reference: Points,
        spare: float,
        weight: float,
    ) -> None:
        self.closure, self.weight = closure, weight
        stars = self._stars = answers.stars
        self.two_sided = closure.hypotheses.two_sided
        self.low, self.high = closure.low, closure.high
        for x in corners:
            self.low, self.high = np.minimum(self.low, x), np.maximum(self.high, x)
        self._masks = [_pack(answers.groups[None] == g)[0] for g in range(len(answers.revealed))]
        self._bits = self._sides(self.low, self.high, stars)
        self.silent = self._counts(np.bitwise_and.reduce(self._bits, axis=0))
        self._tables = [
            [_finite(answers.rates.log_likelihood(r + more, np.arange(len(stars) + 2))) for more in (0, 1)]
            for r in answers.revealed
        ]
        self._parts = [table[0][s] for table, s in zip(self._tables, self.silent, strict=True)]
        self.log_likelihood = np.sum(self._parts, axis=0)
        self._reference = reference[~closure.contains(reference)]
        self._scale = 1.0 / max(1, len(reference))
        self._beyond = self.holds(self._reference).astype(np.float32)
        mass = self._beyond.sum(axis=1) * self._scale
        self.spare = min(spare, 0.9 * float(mass.max(initial=0.0)))  # the reference is a sample: somebody is far
        self.far = mass > self.spare

    def holds(self, points: Points) -> Bools:
        """Side by side: the rivals that reach a point are the first so many in the order of that side's bounds."""
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

    def after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        table = self._tables[group][0]
        s = self.silent[group]
        stay, more = table[s], table[s + 1]
        rest = self.log_likelihood - self._parts[group]
        return np.where(self.holds(points), (rest + more)[:, None], (rest + stay)[:, None])

    def after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """The rival grows by the point, and the closure too."""
        reached = self._sides(points, points, self._stars)
        inside = np.full((len(self.low), len(points), reached.shape[-1]), _FULL)
        for mine, its in zip(self._bits, reached, strict=True):
            inside &= mine[:, None] | its[None]
        silent = self._counts(inside)
        log_likelihood = sum(
            (self._tables[g][int(g == group)][s] for g, s in enumerate(silent)), np.zeros(inside.shape[:2])
        )
        low, high = np.minimum(self.closure.low, points), np.maximum(self.closure.high, points)
        within = np.ones((len(points), len(self._reference)), bool)
        for axis in range(points.shape[1]):
            column = self._reference[:, axis]
            within &= column >= low[:, axis, None]
            if self.two_sided:
                within &= column <= high[:, axis, None]
        left = self._beyond @ (~within).astype(np.float32).T
        return log_likelihood, left * self._scale > self.spare

    def _sides(self, low: Points, high: Points, stars: Points) -> NDArray[np.uint64]:
        """(sides, rows, words): the stars that each row reaches, side by side; bits beyond the last star are 0."""
        sides = [stars[:, axis] >= low[:, axis, None] for axis in range(stars.shape[1])]
        if self.two_sided:
            sides += [stars[:, axis] <= high[:, axis, None] for axis in range(stars.shape[1])]
        return np.stack([_pack(side) for side in sides])

    def _counts(self, bits: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        return [np.bitwise_count(bits & mask).sum(axis=-1, dtype=np.intp) for mask in self._masks]


class MemberRivals(Rivals):
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
        self._contains = contains
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

    def after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        return self.log_likelihood[:, None] + np.where(self.holds(points), self._gain(group, 0, 1)[:, None], 0.0)

    def after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
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
