"""The confidence set of a finite class: the exact likelihood of every member, also where reveals can be wrong.

An item outside h may be revealed at a rate η′ of at most η = `false_reveal`. For one expert

    L(h) = max_ω ω^{|R ∩ h|} (1 − ω)^{|Stars ∩ h|} · max_{η′ ≤ η} η′^{|R \\ h|} (1 − η′)^{|Stars \\ h|},

two factors of the same form: the second has a rate between 0 and η and the answers outside h. With η = 0 it is 0 if a
reveal lies outside h, and 1 otherwise. With a rate per expert both factors are products over the experts.

A member remains possible as long as L(h) ≥ δ·N(h), where each member has its own numerator (`zcal.bets.floors`). A
member that once falls below its floor is excluded for good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import Points
from activepu.hypotheses.finite import WORD, pack, unpack
from activepu.version_spaces import FiniteVersionSpace, Frontier
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.bets.floors import Floors
from activepu.zcal.confidence.base import SLACK, ConfidenceSet, Witnesses
from activepu.zcal.confidence.terms import Terms
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.likely import MemberRivals
from activepu.zcal.tuning import TUNING

Counts = NDArray[np.int64]

FEW = 8
"""The rates of so many experts are bounded after every answer."""
MOMENTS = 4096
"""The number of looks that are evaluated together."""


class FiniteSet(ConfidenceSet):
    """The number of answers inside each member, and a frontier over the members that are possible."""

    def __init__(
        self, V: FiniteVersionSpace, points: Points, rates: Rates, delta: float, false_reveal: float = 0.0
    ) -> None:
        super().__init__(V, points, rates, delta)
        self.false_reveal = false_reveal
        self._wrong = Rates(0.0, false_reveal)
        self._V = V
        self._size = V.hypotheses.size
        self._alive = _bits(V.alive, self._size)
        self._frontier = Frontier(points)
        self._frontier.update(V)
        self._inside = np.zeros((2, 1, self._size), np.int64)
        self._parts, self._own = Terms(self._size), Terms(self._size)
        """ln L and ln M of each member, by expert."""
        self._floors = Floors.start(self.delta, self._size)
        self._looks: dict[int, list[Witnesses]] = {}
        """What has not narrowed an expert's bounds yet."""
        self._narrowed: dict[int, tuple[float, float]] = {}

    @property
    def version_space(self) -> FiniteVersionSpace:
        """The members that are possible."""
        return self._V

    @property
    def _verdicts(self) -> Decisions:
        return self._frontier

    @property
    def silent(self) -> Counts:
        """(groups, members): the number of stars inside each member."""
        silent: Counts = self._inside[0, : len(self.revealed)]
        return silent

    @property
    def found(self) -> Counts:
        """(groups, members): the number of reveals inside each member."""
        found: Counts = self._inside[1, : len(self.revealed)]
        return found

    @property
    def outside(self) -> Floats:
        """The log-likelihood of the answers outside each member: −∞ after a reveal there, unless it can be wrong."""
        if self.false_reveal == 0:
            return np.where(self.found.sum(axis=0) < sum(self.revealed), -np.inf, 0.0)
        revealed, silent = (np.array(counts)[:, None] for counts in (self.revealed, self._silent))
        return np.asarray(self._wrong.log_likelihood(revealed - self.found, silent - self.silent).sum(axis=0))

    @property
    def log_floor(self) -> float:
        """The highest floor of a possible member."""
        return float(self._floors.log_floor[self._alive].max())

    @property
    def floors(self) -> Floors:
        """The floor of each member."""
        return self._floors

    def supposing(self, stars: Points, groups: Counts, log_q: Floats) -> Floors:
        """Return the floors if these points were silent as well; `log_q` are the log predictions of that."""
        floors, own = self._floors, self._own.total()
        counts: dict[int, tuple[int, Counts]] = {}
        rows: dict[int, Floats] = {}
        for x, group, log_silence in zip(stars, groups.tolist(), log_q, strict=True):
            silent, inside = counts.get(group, (self._silent_of(group), self._counts(group)))
            counts[group] = silent + 1, inside + np.array([_bits(x, self._size), np.zeros(self._size, bool)])
            rows[group] = self._own_row(group, *counts[group])
            own = self._own.total_with(rows)
            floors = floors.after(float(log_silence), own)
        return floors

    def rivals(self, scene: Scene) -> MemberRivals:
        """Return members that are possible, with the likelihood of each."""
        live = self._V.indices
        if len(live) > 4 * TUNING.rivals:
            live = scene.candidates.rng.choice(live, 4 * TUNING.rivals, replace=False)
        answers, n = self.answers(scene), len(self.stars)
        log_silence = np.array([np.log1p(-question.q) for question in scene.waiting])
        floors = self.supposing(answers.stars[n:], answers.groups[n:], log_silence).of(live)
        new = len(answers.revealed) - len(self.revealed)
        found = list(self.found[:, live]) if self.false_reveal else self.revealed
        answers = replace(answers, revealed=[*found, *[0] * new], floors=floors)

        def contains(points: Points) -> NDArray[np.bool_]:
            return unpack(points).T[live].astype(np.bool_)

        spare, weight = scene.epsilon, self.undecided_share
        return MemberRivals(contains, answers, self.outside[live], scene, spare, weight, self.false_reveal)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        inside = self._counts(group)
        inside[int(revealed)] += _bits(x[0], self._size)
        silent, found = inside
        before = self._parts.row(group).copy(), self._own.row(group).copy()
        part = self.rates.log_likelihood(found, silent) + self._outside(group, found, silent)
        self._put(group, part, self._own_row(group, self._silent[group], inside))
        floors = self._floors.after(self._log_predicted, self._own.total())
        try:
            self._keep(self._alive & (self._parts.total() >= floors.log_floor * (1 + SLACK)))
        except AssumptionsViolated:
            self._put(group, *before)
            raise
        if group >= self._inside.shape[1]:
            room = np.zeros((2, 2 * (group + 1), self._size), np.int64)
            room[:, : self._inside.shape[1]] = self._inside
            self._inside = room
        self._inside[:, group], self._floors = inside, floors
        for looked in self._looked_at(group):
            self._looks.setdefault(looked, []).append(self._profile(looked, self._alive))

    def _put(self, group: int, part: Floats, own: Floats) -> None:
        self._parts.put(group, part)
        self._own.put(group, own)

    def _looked_at(self, group: int) -> Iterable[int]:
        """Return the experts whose rates are bounded now: all, or of many the one who answered and another in turn.

        The bounds hold at all moments at once, hence at any that are chosen without looking at the bounds.
        """
        experts = len(self.revealed)
        return range(experts) if experts <= FEW else {group, (sum(self.revealed) + len(self.stars)) % experts}

    def _require(self, x: Points) -> None:
        if self.false_reveal == 0:  # otherwise a yes proves nothing
            self._keep(self._alive & _bits(x[0], self._size))

    def _keep(self, alive: NDArray[np.bool_]) -> None:
        """Keep these of the members that are possible."""
        if not alive.any():
            raise self._no_hypothesis_left()
        if not np.array_equal(alive, self._alive):
            self._V, self._alive = FiniteVersionSpace(self._V.hypotheses, _words(alive, len(self._V.alive))), alive
            self._frontier.update(self._V)

    def _counts(self, group: int) -> Counts:
        """Return a copy of a group's stars and reveals inside each member."""
        if group >= self._inside.shape[1]:
            return np.zeros((2, self._size), np.int64)
        return self._inside[:, group].copy()

    def _silent_of(self, group: int) -> int:
        return self._silent[group] if group < len(self._silent) else 0

    def _own_row(self, group: int, silent: int, inside: Counts) -> Floats:
        """Return what an expert adds to ln M: each member's prediction of their answers, averaged over the rates."""
        s, r = inside
        revealed = self.revealed[group] if group < len(self.revealed) else 0
        return _log_mean(self.rates, r, s) + _log_mean(self._wrong, revealed - r, silent - s)

    def _outside(self, group: int, found: Counts, silent: Counts) -> Floats:
        """Return the log-likelihood of an expert's answers outside members with these counts inside."""
        return self._wrong.log_likelihood(self.revealed[group] - found, self._silent[group] - silent)

    def _profile(self, group: int, alive: NDArray[np.bool_]) -> Witnesses:
        """Return, for each pair of counts inside possible members, the least that this expert's rate must explain."""
        silent, found = self._inside[:, group, alive]
        rest = self._outside(group, found, silent) + self._parts.total_without(group)[alive]
        least = self._floors.log_floor[alive] * (1 + SLACK) - rest
        (r, s), place = _pairs(found, silent)
        needed = np.full(len(r), np.inf)
        np.minimum.at(needed, place, least)
        return r, s, needed

    def _possible_rates(self, group: int) -> tuple[float, float]:
        """Return the rates that fitted every pair of counts of a possible member, at each look."""
        if any(self._looks.values()):
            self._narrow()
        return self._narrowed.get(group, (self.rates.low, self.rates.high))

    def _narrow(self) -> None:
        """Narrow the bounds of all experts by the looks since the last time; each look allows a hull of intervals."""
        looks = [(group, look) for group, new in self._looks.items() for look in new]
        for start in range(0, len(looks), MOMENTS):
            some = looks[start : start + MOMENTS]
            ends = self.rates.intervals([look for _, look in some])
            for (group, _), lowest, highest in zip(some, *(end.tolist() for end in ends), strict=True):
                low, high = self._narrowed.get(group, (self.rates.low, self.rates.high))
                self._narrowed[group] = max(low, lowest), min(high, highest)
        self._looks = {}


def _pairs(found: Counts, silent: Counts) -> tuple[tuple[Counts, Counts], Counts]:
    """Return the distinct pairs of counts, and which of them each member has."""
    width = silent.max() + 1
    codes = found * width + silent
    largest = int(codes.max())
    if largest > 4 * len(codes) + WORD:
        pairs, place = np.unique(codes, return_inverse=True)
        return np.divmod(pairs, width), place
    there = np.zeros(largest + 1, np.bool_)
    there[codes] = True
    return np.divmod(np.flatnonzero(there), width), (np.cumsum(there) - 1)[codes]


def _log_mean(rates: Rates, found: Counts, silent: Counts) -> Floats:
    """Return `rates.log_mean` of each member, computed once per distinct pair."""
    pairs, place = _pairs(found, silent)
    return rates.log_mean(*pairs)[place]


def _bits(words: NDArray[np.uint64], size: int) -> NDArray[np.bool_]:
    """Return one bool per member."""
    return unpack(words[None])[0, :size].astype(np.bool_)


def _words(bits: NDArray[np.bool_], words: int) -> NDArray[np.uint64]:
    """Return the inverse of `_bits`."""
    packed: NDArray[np.uint64] = pack(np.pad(bits, (0, words * WORD - len(bits)))[None])[0]
    return packed
