"""Rivals that fall when their likelihood is below a floor: δ·Q, or δ·N where each has a numerator of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.zcal.bets.floors import Floors
from activepu.zcal.rates import Rates
from activepu.zcal.reference import FULL, pack
from activepu.zcal.rivals.base import Bools, Counts, Floats, Rivals, Scene
from activepu.zcal.rivals.grown import Grown

_LOST = -1e9


@dataclass(frozen=True)
class Answers:
    """What was answered: reveals by group, the silent points with theirs, and what ln L must reach.

    Where reveals can be wrong, `revealed` are those inside each rival.
    """

    rates: Rates
    revealed: Sequence[Any]
    stars: Points
    groups: Counts
    floors: Floors


class LikelyRivals(Rivals):
    """Rivals known by their `log_likelihood`."""

    log_likelihood: Floats
    _floors: Floors

    @property
    def missing(self) -> Floats:  # type: ignore[override]
        """ln L(h) above the floor."""
        return self.log_likelihood - self._floors.log_floor

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """Q falls by 1 − q."""
        return self._after_silence(points, group) - self._floors.once(np.log1p(-q), self._own(points, group, False))

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """Q falls by q."""
        log_likelihood, far = self._after_reveal(points, group)
        return log_likelihood - self._floors.once(np.log(q), self._own(points, group, True)), far

    def _own(self, points: Points, group: int, revealed: bool) -> Floats:
        """(J, K): how each rival would itself have foreseen all answers, this one among them (`bets.floors`)."""
        return np.zeros(())

    @abstractmethod
    def _after_silence(self, points: Points, group: int) -> Floats:
        """(J, K): ln L of each rival once each point has answered ★."""

    @abstractmethod
    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """(J, K): ln L and `far` of each rival once each point was revealed."""


class ClosureRivals(LikelyRivals):
    """The members around the closure that are hardest to exclude (`Grown`), by the stars that they hold.

    A revealed z makes it closure(R ∪ {x, z}). Star s lies in that exactly if, on every side, the rival or z reaches it:
    stars are bits, so that all pairs of rivals and points are counted by a few words each.
    """

    def __init__(self, grown: Grown, answers: Answers, weight: float) -> None:
        self._grown, self.weight, self._floors = grown, weight * grown.share, answers.floors
        self.far = np.ones(len(grown.low), bool)
        stars = self._stars = answers.stars
        self._masks = [pack(answers.groups[None] == g)[0] for g in range(len(answers.revealed))]
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
        inside = np.full((len(self.far), len(points), reached.shape[-1]), FULL)
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
        return np.stack([pack(side) for side in sides])

    def _counts(self, bits: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        return [np.bitwise_count(bits & mask).sum(axis=-1, dtype=np.intp) for mask in self._masks]


class MemberRivals(LikelyRivals):
    """Single members, known by the points that they contain: of a finite class, or a sample of V.

    A revealed z removes what lacks it; where reveals are wrong at a rate η, it costs such a member ln η instead.
    """

    def __init__(
        self,
        contains: Callable[[Points], Bools],
        answers: Answers,
        outside: Floats,
        scene: Scene,
        spare: float,
        weight: float,
        false_reveal: float = 0.0,
    ) -> None:
        """`outside` (J,) is what wrong reveals have cost. Far is who differs from the likely rule by over `spare`."""
        self._contains, self._floors = contains, answers.floors
        self._rates, self._revealed, self.weight = answers.rates, answers.revealed, weight
        inside = contains(answers.stars)
        self._silent = [inside[:, answers.groups == g].sum(axis=1) for g in range(len(answers.revealed))]
        parts = [answers.rates.log_likelihood(r, s) for r, s in zip(answers.revealed, self._silent, strict=True)]
        self.log_likelihood = _finite(np.sum(parts, axis=0) + outside)
        away = (contains(scene.candidates.reference) != (scene.probability >= 0.5)).mean(axis=1)
        self.far = away > min(spare, 0.9 * float(away.max(initial=0.0)))
        self._lost = np.log(false_reveal) if false_reveal else _LOST

    def holds(self, points: Points) -> Bools:
        """The members' labels."""
        return self._contains(points)

    def _gain(self, worth: Callable[[Any, Any], Floats], group: int, revealed: bool) -> Floats:
        """(J, 1): by how much the worth of the answers inside rises with one more."""
        r, s = self._revealed[group], self._silent[group]
        return (_finite(worth(r + revealed, s + (not revealed))) - _finite(worth(r, s)))[:, None]

    def _own(self, points: Points, group: int, revealed: bool) -> Floats:
        """By the mean over the rates."""
        gain = self._gain(self._rates.log_mean, group, revealed)
        return self._floors.own[..., None] + np.where(self.holds(points), gain, self._lost if revealed else 0.0)

    def _after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        return self.log_likelihood[:, None] + np.where(
            self.holds(points), self._gain(self._rates.log_likelihood, group, False), 0.0
        )

    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """One more reveal where the point lies inside; elsewhere a false one."""
        inside = self.holds(points)
        gain = np.where(inside, self._gain(self._rates.log_likelihood, group, True), self._lost)
        return self.log_likelihood[:, None] + gain, np.broadcast_to(self.far[:, None], inside.shape)


def _finite(log_likelihood: Floats) -> Floats:
    """With a number for −∞, so that differences are numbers too."""
    return np.maximum(log_likelihood, _LOST)
