"""The confidence set of a finite class: the exact likelihood of every member, also where reveals can be wrong.

An item outside h may be revealed at a rate η′ of at most η = `false_reveal`. For one expert

    L(h) = max_ω ω^{|R ∩ h|} (1 − ω)^{|Stars ∩ h|} · max_{η′ ≤ η} η′^{|R \\ h|} (1 − η′)^{|Stars \\ h|},

two factors of the same form: the second has a rate between 0 and η and the answers outside h. With η = 0 it is 0 if a
reveal lies outside h, and 1 otherwise. With a rate per expert both factors are products over the experts.

A member remains possible as long as L(h) ≥ δ·N(h), where each member has its own numerator (`zcal.bets.floors`). A
member that once falls below its floor is excluded for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.finite import WORD, pack, unpack
from activepu.version_spaces import FiniteVersionSpace, Frontier
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.bets.floors import Floors
from activepu.zcal.confidence.base import ANY_RATE, SLACK, ConfidenceSet, Witnesses
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.likely import MemberRivals
from activepu.zcal.tuning import TUNING

Counts = NDArray[np.int64]


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
        self._parts = np.zeros((1, self._size))
        self._floors = Floors.start(self.delta, self._size)
        self._evidence: list[list[Witnesses]] = []

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
        silent: Counts = self._inside[0]
        return silent

    @property
    def found(self) -> Counts:
        """(groups, members): the number of reveals inside each member."""
        found: Counts = self._inside[1]
        return found

    @property
    def outside(self) -> Floats:
        """The log-likelihood of the answers outside each member: −∞ after a reveal there, unless it can be wrong."""
        groups = range(len(self._parts))
        return np.asarray(np.sum([self._outside(g, self._inside[1, g], self._inside[0, g]) for g in groups], axis=0))

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
        floors, inside = self._floors, self._room(int(groups.max(initial=0)) + 1)
        silent = np.pad(self._silent, (0, inside.shape[1] - len(self._silent)))
        for x, group, log_silence in zip(stars, groups, log_q, strict=True):
            inside[0, group] += _bits(x, self._size)
            silent[group] += 1
            floors = floors.after(float(log_silence), self._own(inside, silent))
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
        answers = replace(answers, revealed=[*self.found[:, live], *[0] * new], floors=floors)

        def contains(points: Points) -> NDArray[np.bool_]:
            return unpack(points).T[live].astype(np.bool_)

        spare, weight = scene.epsilon, self.undecided_share
        return MemberRivals(contains, answers, self.outside[live], scene, spare, weight, self.false_reveal)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        inside = self._room(len(self.revealed))
        parts = np.pad(self._parts, ((0, inside.shape[1] - len(self._parts)), (0, 0)))
        inside[int(revealed), group] += _bits(x[0], self._size)
        silent, found = inside[:, group]
        parts[group] = self.rates.log_likelihood(found, silent) + self._outside(group, found, silent)
        floors = self._floors.after(self._log_predicted, self._own(inside, self._silent))
        self._keep(self._alive & (parts.sum(axis=0) >= floors.log_floor * (1 + SLACK)))
        self._inside, self._parts, self._floors = inside, parts, floors
        self._evidence.append([self._profile(g, self._alive) for g in range(len(parts))])

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

    def _room(self, groups: int) -> Counts:
        """Return a copy of the counts inside each member, with room for this many groups."""
        return np.pad(self._inside, ((0, 0), (0, max(0, groups - self._inside.shape[1])), (0, 0)))

    def _own(self, inside: Counts, silent: Sequence[int] | Counts) -> Floats:
        """Return ln M of every member: its own prediction of all answers, averaged over the laws of the rates."""
        own = np.zeros(self._size)
        for group, (s, r) in enumerate(inside.transpose(1, 0, 2)):
            revealed = self.revealed[group] if group < len(self.revealed) else 0
            own += _log_mean(self.rates, r, s) + _log_mean(self._wrong, revealed - r, silent[group] - s)
        return own

    def _outside(self, group: int, found: Counts, silent: Counts) -> Floats:
        """Return the log-likelihood of an expert's answers outside members with these counts inside."""
        return self._wrong.log_likelihood(self.revealed[group] - found, self._silent[group] - silent)

    def _profile(self, group: int, alive: NDArray[np.bool_]) -> Witnesses:
        """Return, for each pair of counts inside possible members, the least that this expert's rate must explain."""
        silent, found = self._inside[:, group, alive]
        rest = self._outside(group, found, silent) + np.delete(self._parts[:, alive], group, axis=0).sum(axis=0)
        least = self._floors.log_floor[alive] * (1 + SLACK) - rest
        (r, s), place = _pairs(found, silent)
        needed = np.full(len(r), np.inf)
        np.minimum.at(needed, place, least)
        return r, s, needed

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Return every pair of counts of a member that was possible."""
        evidence = self._evidence[time - 1]
        return evidence[group] if group < len(evidence) else ANY_RATE


def _pairs(found: Counts, silent: Counts) -> tuple[tuple[Counts, Counts], Counts]:
    """Return the distinct pairs of counts, and which of them each member has."""
    width = silent.max() + 1
    pairs, place = np.unique(found * width + silent, return_inverse=True)
    return np.divmod(pairs, width), place


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
