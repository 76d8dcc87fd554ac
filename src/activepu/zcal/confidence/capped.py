"""The confidence set in any version space that can cap masses: V with the reveals required and one cap per question.

With one rate for all experts the caps are exact. With a rate per expert they are the caps that the likelihood implies,
on each expert's stars and on all stars together. The set is then larger than V_1 ∩ … ∩ V_t, and so still contains the
truth with probability ≥ 1 − δ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from activepu.hypotheses.base import Points
from activepu.version_spaces import Frontier, VersionSpace
from activepu.version_spaces.frontier import Decisions
from activepu.zcal.confidence.base import ANY_RATE, ConfidenceSet, Witnesses
from activepu.zcal.confidence.star_caps import ALL, Ends, Stack, implied, tables, tightened
from activepu.zcal.rates import Rates


class Moment(NamedTuple):
    """What was known after an answer: enough to compute later which rates were possible."""

    V: VersionSpace
    revealed: list[int]
    n_stars: int
    floor: float


class CappedSet(ConfidenceSet):
    """A confidence set for any class: V, which changes only when a reveal or a cap adds something, and a frontier."""

    def __init__(self, V: VersionSpace, points: Points, rates: Rates, delta: float) -> None:
        super().__init__(V, points, rates, delta)
        self._V = V
        self._frontier = Frontier(points)
        self._frontier.update(V)
        self._stacks: dict[int, Stack] = {}
        self._ends = Ends(np.zeros(1), np.zeros(1))
        self._moments: list[Moment] = []
        self._known: dict[int, dict[int, int]] = {}

    @property
    def version_space(self) -> VersionSpace:
        """V with the reveals required and the stars capped."""
        return self._V

    @property
    def _verdicts(self) -> Decisions:
        return self._frontier

    def _shrink(self, x: Points, revealed: bool, group: int) -> None:
        V, stacks, floor = self._V, dict(self._stacks), self._floor
        if revealed and not V.certain(x)[0]:
            V = V.require(x)
        ends = self._ends.after(self.rates, group, self.revealed[group], self._silent[group])
        f = tables(self.rates, self.revealed, self._silent) if ends.binds(floor) else None
        for g, most in ({} if f is None else implied(f, floor)).items():
            if most < 0:
                raise self._no_hypothesis_left()
            stars = self._stars_of(g, len(self.stars))
            old = stacks.get(g, ())
            stacks[g] = tightened(old, len(stars), most)
            if stacks[g] is not old:
                V = V.cap_mass(stars, most)
        if V.is_empty():
            raise self._no_hypothesis_left()
        self._frontier.update(V)
        self._V, self._stacks, self._ends = V, stacks, ends
        self._moments.append(Moment(V, self.revealed, len(self.stars), floor))

    def _require(self, x: Points) -> None:
        V = self._V.require(x)
        if V.is_empty():
            raise self._no_hypothesis_left()
        self._frontier.update(V)
        self._V = V

    def _stars_of(self, group: int, n: int) -> Points:
        """Return the stars of a group among the first n."""
        return self.stars[:n] if group == ALL else self.stars[:n][self.star_groups[:n] == group]

    def _witnesses(self, time: int, group: int) -> Witnesses:
        """Return the fewest stars of each group in a member of V; with several groups perhaps in different members."""
        revealed, floor = self._moments[time - 1].revealed, self._moments[time - 1].floor
        if group >= len(revealed):
            return ANY_RATE
        fewest = [self._fewest(time, g) for g in range(len(revealed))]
        of_all = self.rates.log_likelihood(revealed, fewest)
        return revealed[group], fewest[group], floor - np.delete(of_all, group).sum()

    def _fewest(self, time: int, group: int) -> int:
        """Return the fewest stars of a group in V at that time, by bisection: the number only rises with time."""
        known = self._known.setdefault(group, {0: 0})
        now = len(self._moments)
        if now not in known:
            known[now] = self._count_fewest(now, group)
        while time not in known:
            low, high = max(t for t in known if t < time), min(t for t in known if t > time)
            flat = known[low] == known[high]
            middle = time if flat else (low + high) // 2
            known[middle] = known[low] if flat else self._count_fewest(middle, group)
        return known[time]

    def _count_fewest(self, time: int, group: int) -> int:
        """Return the fewest stars; for a sampled V those in all its members, as the best of them may hold too many."""
        moment = self._moments[time - 1]
        stars = self._stars_of(group, moment.n_stars)
        if not len(stars):
            return 0
        V = moment.V
        inside = V.certain(stars) if V.method == "sampled" else V.smallest(stars).contains(stars)
        return int(np.count_nonzero(inside))
