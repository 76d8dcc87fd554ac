"""The confidence set of halfspaces when reveals can be wrong: caps that trade missed reveals for silences inside.

As in `finite`, h remains possible as long as its likelihood reaches the floor. The likelihood is a function of the
number m of reveals outside h and of the number s of stars inside h. This function is convex, so the possible pairs
(m, s) are not a convex set. The convex hull of them and of all smaller pairs is described by a few conditions

    a·m + b·s ≤ c,      a, b ≥ 0 whole numbers,

and each condition is a signed cap on h. So the set that is kept contains all possible h, hence the truth with
probability ≥ 1 − δ, and a little more.

With a rate per expert, each expert's pairs are bounded by the best that the other experts' answers allow.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.version_spaces import Frontier
from activepu.version_spaces.frontier import Decisions
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.zcal.confidence.base import ANY_RATE, ConfidenceSet, Witnesses
from activepu.zcal.confidence.halfspaces import Lines
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.rivals.base import Scene
from activepu.zcal.rivals.likely import MemberRivals

Bools = NDArray[np.bool_]

IDLE = 0.25
"""A condition that at most this share of the known members break is left out: V is larger then, which is allowed."""


class Condition(NamedTuple):
    """missed·m + held·s ≤ limit."""

    missed: int
    held: int
    limit: int


class Moment(NamedTuple):
    """For one expert, after an answer: the counts, the floor of their answers, and how many stars all members hold."""

    revealed: int
    silent: int
    floor: float
    certain: int


class WrongRevealsSet(ConfidenceSet):
    """A frontier over V; a new condition is kept only if it excludes many of the known members."""

    def __init__(
        self, V: HalfspaceVersionSpace, points: Points, rates: Rates, delta: float, false_reveal: float
    ) -> None:
        super().__init__(V, points, rates, delta)
        self.false_reveal = false_reveal
        self._wrong = Rates(0.0, false_reveal)
        self._V = V
        self._frontier = Frontier(points)
        self._frontier.update(V)
        self._found = points[:0]
        self._found_groups = np.empty(0, np.intp)
        self._moments: list[list[Moment]] = []

    @property
    def version_space(self) -> HalfspaceVersionSpace:
        """V with the conditions."""
        return self._V

    @property
    def _verdicts(self) -> Decisions:
        return self._frontier

    @property
    def found(self) -> Points:
        """The revealed points, in the order folded."""
        return self._found

    def inside(self, holds_found: Bools) -> list[NDArray[np.intp]]:
        """Return how many reveals of each expert lie inside hypotheses that hold these reveals, one row each."""
        return [holds_found[:, self._found_groups == group].sum(axis=1) for group in range(len(self.revealed))]

    def outside(self, holds_found: Bools, holds_stars: Bools) -> Floats:
        """Return the log-likelihood of the answers outside hypotheses that hold these reveals and stars (rows)."""
        total = np.zeros(len(holds_found))
        for group in range(len(self.revealed)):
            missed = ~holds_found[:, self._found_groups == group]
            away = ~holds_stars[:, self.star_groups == group]
            total += self._wrong.log_likelihood(missed.sum(axis=1), away.sum(axis=1))
        return total

    def rivals(self, scene: Scene) -> MemberRivals:
        """Return halfspaces that are possible, with the likelihood of each."""
        lines, answers = Lines(self._V, scene), self.answers(scene)
        found = lines.contain(self.found)
        outside = self.outside(found, lines.contain(self.stars))
        new = len(answers.revealed) - len(self.revealed)
        answers = replace(answers, revealed=[*self.inside(found), *[0] * new])
        spare, weight = lines.spare, self.undecided_share
        return MemberRivals(lines.contain, answers, outside, scene, spare, weight, self.false_reveal)

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        found, groups = self._found, self._found_groups
        if revealed:
            found, groups = np.concatenate([found, x]), np.append(groups, group)
        V, moments = self._V, []
        tables = [self._table(r, s) for r, s in zip(self.revealed, self._silent, strict=True)]
        best = [float(table.max()) for table in tables]
        for g, table in enumerate(tables):
            floor = self._floor - sum(best) + best[g]
            if not (table >= floor).any():
                raise self._no_hypothesis_left()
            mine, silent = found[groups == g], self.stars[self.star_groups == g]
            sites = np.concatenate([mine, silent])
            for missed, held, limit in conditions(table >= floor):
                amounts = np.repeat([-missed, held], [len(mine), len(silent)])
                most = limit - missed * len(mine)
                if (V.contain(sites) @ amounts > most).mean() > IDLE:
                    V = V.cap(sites, amounts, most)
                if V.is_empty():
                    raise self._no_hypothesis_left()
        for g, table in enumerate(tables):
            certain = int(np.count_nonzero(V.certain(self.stars[self.star_groups == g])))
            floor = self._floor - sum(best) + best[g]
            if not (table[:, certain:] >= floor).any():  # the conditions that were left out exclude the rest
                raise self._no_hypothesis_left()
            moments.append(Moment(self.revealed[g], self._silent[g], floor, certain))
        self._frontier.update(V)
        self._V, self._found, self._found_groups = V, found, groups
        self._moments.append(moments)

    def _require(self, x: Points) -> None:
        """A yes can be wrong, and a single one proves nothing."""

    def _table(self, revealed: int, silent: int) -> Floats:
        """Return ln L of one expert's answers: one row per number of missed reveals, one column per number of stars."""
        m, s = np.ogrid[: revealed + 1, : silent + 1]
        return self.rates.log_likelihood(revealed - m, s) + self._wrong.log_likelihood(m, silent - s)

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Return every possible pair with at least the stars that all members hold."""
        moments = self._moments[time - 1]
        if group >= len(moments):
            return ANY_RATE
        revealed, silent, floor, certain = moments[group]
        m, s = np.nonzero(self._table(revealed, silent) >= floor)
        m, s = m[s >= certain], s[s >= certain]
        return revealed - m, s, floor - self._wrong.log_likelihood(m, silent - s)


def conditions(possible: Bools) -> list[Condition]:
    """Return the tightest conditions that hold for every pair (m, s) with possible[m, s], and for all smaller pairs.

    Conditions that all pairs of the table meet are left out.
    """
    m = np.flatnonzero(possible.any(axis=1))
    highest = possible.shape[1] - 1 - np.argmax(possible[m, ::-1], axis=1)
    hull = [(0, int(highest.max()))]
    for corner in zip(m.tolist(), highest.tolist(), strict=True):
        while len(hull) > 1 and _turn(hull[-2], hull[-1], corner) >= 0:
            hull.pop()
        if corner[0] > hull[-1][0]:
            hull.append(corner)
    found = []
    if hull[0][1] < possible.shape[1] - 1:
        found.append(Condition(0, 1, hull[0][1]))
    for (m0, s0), (m1, s1) in itertools.pairwise(hull):
        missed, held = s0 - s1, m1 - m0
        common = int(np.gcd(missed, held))
        if missed:
            found.append(Condition(missed // common, held // common, (missed * m0 + held * s0) // common))
    if hull[-1][0] < possible.shape[0] - 1:
        found.append(Condition(1, 0, hull[-1][0]))
    return found


def _turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> int:
    """Return a positive number if a → b → c turns left, 0 if it goes straight."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
