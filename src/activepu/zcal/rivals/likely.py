"""Rivals that are excluded when their likelihood is below a floor: δ·Q, or δ·N if each has its own numerator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.zcal.bets.floors import Floors
from activepu.zcal.rates import Rates
from activepu.zcal.reference import pack
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

    Stars inside the closure lie in every rival. So only those beyond it are counted, and only groups for whom they
    weigh anything: the silences of an expert without reveals fit a rate of 0.
    """

    def __init__(self, grown: Grown, answers: Answers, weight: float) -> None:
        self._grown, self.weight, self._floors = grown, weight * grown.share, answers.floors
        self.far = np.ones(len(grown.low), bool)
        self._rates, self._revealed = answers.rates, np.asarray(answers.revealed, np.intp)
        inside = grown.closure.contains(answers.stars)
        self._held = np.bincount(answers.groups[inside], minlength=len(self._revealed))
        beyond = np.flatnonzero(~inside)
        beyond = beyond[np.argsort(answers.groups[beyond], kind="stable")]
        self._stars, self._groups = answers.stars[beyond], answers.groups[beyond]
        some = self._within(grown.low, grown.high)
        words = [np.bitwise_and.reduce(sides) for sides in self._sides(grown.low, grown.high, some)]
        self.log_likelihood = self._weighed(words, some, self.far.shape, None)

    def holds(self, points: Points) -> Bools:
        """Return (J, K): which rivals contain which points."""
        return self._grown.holds(points)

    def _after_silence(self, points: Points, group: int) -> Floats:
        """One more silence where the point lies inside."""
        own = self._groups == group
        s = self._held[group] + np.count_nonzero(self._grown.holds(self._stars[own]), axis=1)
        table = self._table(group, 0, int(s.max(initial=0)) + 1)
        stay, more = table[s], table[s + 1]
        rest = self.log_likelihood - stay
        return np.asarray(np.where(self.holds(points), (rest + more)[:, None], (rest + stay)[:, None]))

    def _after_reveal(self, points: Points, group: int) -> tuple[Floats, Bools]:
        """Both the rival and the closure grow by the point."""
        low, high = self._grown.low, self._grown.high
        some = self._within(np.concatenate([low, points]), np.concatenate([high, points]))
        both = zip(self._sides(low, high, some), self._sides(points, points, some), strict=True)
        words = [np.bitwise_and.reduce(mine[:, :, None] | its[:, None]) for mine, its in both]
        weighed = self._weighed(words, some, (len(self.far), len(points)), group)
        return weighed, self._grown.far_after(points)

    def _within(self, low: Points, high: Points) -> Counts:
        """Return the stars that the hull of these boxes holds; no others can lie in one that two of them span."""
        inside = (self._stars >= low.min(axis=0, initial=np.inf)).all(axis=1)
        if self._grown.two_sided:
            inside &= (self._stars <= high.max(axis=0, initial=-np.inf)).all(axis=1)
        return np.flatnonzero(inside)

    def _sides(self, low: Points, high: Points, some: Counts) -> Iterator[NDArray[np.uint64]]:
        """Yield (sides, rows) for 64 stars at a time: which of them each row reaches on each side."""
        for start in range(0, len(some), 64):
            stars = self._stars[some[start : start + 64]]
            reached = [stars[:, axis] >= low[:, axis, None] for axis in range(stars.shape[1])]
            if self._grown.two_sided:
                reached += [stars[:, axis] <= high[:, axis, None] for axis in range(stars.shape[1])]
            yield np.stack([pack(side)[:, 0] for side in reached])

    def _weighed(
        self, words: Sequence[NDArray[np.uint64]], some: Counts, shape: tuple[int, ...], more: int | None
    ) -> Floats:
        """Return ln L of members that hold these of the stars beyond the closure, with one more reveal of a group."""
        groups = self._groups[some]
        revealed = self._revealed + (np.arange(len(self._revealed)) == more)
        same = _finite(self._rates.log_likelihood(revealed, self._held))
        most = self._held + np.bincount(groups, minlength=len(revealed))
        present = np.flatnonzero(_finite(self._rates.log_likelihood(revealed, most)) != same)
        first, ends = (np.searchsorted(groups, present, side=side) for side in ("left", "right"))
        same[present] = 0.0
        total = np.full(shape, same.sum())
        for group, start, end in zip(present.tolist(), first.tolist(), ends.tolist(), strict=True):
            count = np.full(shape, self._held[group])
            for word in range(start // 64, (end - 1) // 64 + 1):
                place = np.arange(64) + 64 * word
                mask = pack(((place >= start) & (place < end))[None])[0, 0]
                count += np.bitwise_count(words[word] & mask)
            total += self._table(group, int(group == more), int(self._held[group]) + end - start)[count]
        return total

    def _table(self, group: int, more: int, stars: int) -> Floats:
        return _finite(self._rates.log_likelihood(self._revealed[group] + more, np.arange(stars + 1)))


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
