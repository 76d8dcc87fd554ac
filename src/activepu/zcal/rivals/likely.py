"""Rivals that are excluded when their likelihood is below a floor: δ·Q, or δ·N if each has its own numerator."""

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
    """The answers so far: the number of reveals by group, the silent points with their groups, and the floors of ln L.

    If reveals can be wrong, `revealed` counts those inside each rival.
    """

    rates: Rates
    revealed: Sequence[Any]
    stars: Points
    groups: Counts
    floors: Floors


class LikelyRivals(Rivals):
    """Rivals with a `log_likelihood`."""

    log_likelihood: Floats
    _floors: Floors

    @property
    def missing(self) -> Floats:  # type: ignore[override]
        """How far ln L(h) is above the floor."""
        return self.log_likelihood - self._floors.log_floor

    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """Return what is missing after a ★; Q is multiplied by 1 − q."""
        return self._after_silence(points, group) - self._floors.once(np.log1p(-q), self._own(points, group, False))

    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """Return what is missing, and which rivals are far, after a reveal; Q is multiplied by q."""
        log_likelihood, far = self._after_reveal(points, group)
        return log_likelihood - self._floors.once(np.log(q), self._own(points, group, True)), far

    def _own(self, points: Points, group: int, revealed: bool) -> Floats:
        """Return (J, K): ln M of each rival, its own prediction of all answers and of this one (`bets.floors`)."""
        return np.zeros(())

    @abstractmethod
    def _after_silence(self, points: Points, group: int) -> Floats:
        """Return (J, K): ln L of each rival after a ★ at each point."""

    @abstractmethod
    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """Return (J, K): ln L and `far` of each rival after a reveal at each point."""


class ClosureRivals(LikelyRivals):
    """The members around the closure that are hardest to exclude (`Grown`), with the likelihood of the stars inside.

    After a reveal at z, a rival closure(R ∪ {x}) becomes closure(R ∪ {x, z}). A star lies in it exactly if, on every
    side, the rival or z reaches the star. Stars are bits, so that a few words per pair count them for all pairs.
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
        """Return (J, K): which rivals contain which points."""
        return self._grown.holds(points)

    def _after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        table = self._tables[group][0]
        s = self._silent[group]
        stay, more = table[s], table[s + 1]
        rest = self.log_likelihood - self._parts[group]
        return np.where(self.holds(points), (rest + more)[:, None], (rest + stay)[:, None])

    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """Both the rival and the closure grow by the point."""
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
        """Return (sides, rows, words): the stars that each row reaches on a side; bits beyond the last star are 0."""
        sides = [stars[:, axis] >= low[:, axis, None] for axis in range(stars.shape[1])]
        if self._grown.two_sided:
            sides += [stars[:, axis] <= high[:, axis, None] for axis in range(stars.shape[1])]
        return np.stack([pack(side) for side in sides])

    def _counts(self, bits: NDArray[np.uint64]) -> list[NDArray[np.intp]]:
        return [np.bitwise_count(bits & mask).sum(axis=-1, dtype=np.intp) for mask in self._masks]


class MemberRivals(LikelyRivals):
    """Single members, given by the points that they contain: of a finite class, or from a sample of V.

    A reveal at z removes a member without z. If reveals are wrong at a rate η, it costs such a member ln η instead.
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
        """`outside` (J,) is the cost of wrong reveals. A member is far if it differs by more than `spare`."""
        self._contains, self._floors = contains, answers.floors
        self._rates, self._revealed, self.weight = answers.rates, answers.revealed, weight
        inside = contains(answers.stars)
        self._silent = counted(inside, answers.groups, len(answers.revealed))
        self.log_likelihood = _finite(_by_group(answers.rates, answers.revealed, self._silent) + outside)
        away = (contains(scene.candidates.reference) != (scene.probability >= 0.5)).mean(axis=1)
        self.far = away > min(spare, 0.9 * float(away.max(initial=0.0)))
        self._lost = np.log(false_reveal) if false_reveal else _LOST

    def holds(self, points: Points) -> Bools:
        """Return (J, K): the members' labels."""
        return self._contains(points)

    def _gain(self, worth: Callable[[Any, Any], Floats], group: int, revealed: bool) -> Floats:
        """Return (J, 1): how much one more answer inside adds to the worth of the answers."""
        r, s = self._revealed[group], self._silent[group]
        return (_finite(worth(r + revealed, s + (not revealed))) - _finite(worth(r, s)))[:, None]

    def _own(self, points: Points, group: int, revealed: bool) -> Floats:
        """Return ln M, the mean over the rates."""
        gain = self._gain(self._rates.log_mean, group, revealed)
        return self._floors.own[..., None] + np.where(self.holds(points), gain, self._lost if revealed else 0.0)

    def _after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        return self.log_likelihood[:, None] + np.where(
            self.holds(points), self._gain(self._rates.log_likelihood, group, False), 0.0
        )

    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """One more reveal where the point lies inside, one more false reveal elsewhere."""
        inside = self.holds(points)
        gain = np.where(inside, self._gain(self._rates.log_likelihood, group, True), self._lost)
        return self.log_likelihood[:, None] + gain, np.broadcast_to(self.far[:, None], inside.shape)


def counted(inside: Bools, groups: Counts, n: int) -> Counts:
    """Return (groups, rows): how many points of each of n groups are inside; `inside` has one column per point."""
    counts, order = np.zeros((n, len(inside)), np.intp), np.argsort(groups, kind="stable")
    own, first = np.unique(groups[order], return_index=True)
    if len(own):
        counts[own] = np.add.reduceat(inside.T[order], first, axis=0, dtype=np.intp)
    return counts


def _by_group(rates: Rates, revealed: Sequence[Any], silent: Counts) -> Floats:
    """Return the log-likelihood of the answers inside, added up group by group; equal pairs share a table."""
    if any(np.ndim(r) for r in revealed):
        return np.asarray(np.sum([rates.log_likelihood(r, s) for r, s in zip(revealed, silent, strict=True)], axis=0))
    most = silent.max(axis=1, initial=0)
    numbers, which = np.unique(revealed, return_inverse=True)
    largest = np.zeros(len(numbers), np.intp)
    np.maximum.at(largest, which, most)
    tables = [rates.log_likelihood(r, np.arange(n + 1)) for r, n in zip(numbers, largest, strict=True)]
    starts = np.cumsum([0, *map(len, tables)])[:-1][which]
    return np.asarray(np.concatenate(tables)[starts[:, None] + silent].sum(axis=0))


def _finite(log_likelihood: Floats) -> Floats:
    """Replace −∞ by a finite number, so that differences are finite too."""
    return np.maximum(log_likelihood, _LOST)
