"""The stars that some possible hypothesis holds and another does not: a small set that tells which limits to keep.

A star z is **near** if it lies outside closure(R) and closure(R ∪ {z}) meets the limits that are kept. Every other star
is held by all possible hypotheses or by none. The set of possible hypotheses only shrinks, so a star that is not near
will never be.

**Which limits to keep.** The likelihood bound holds at all moments at once, hence at any chosen moments, however they
are chosen. So limits may be left out. The set is then larger, still contains the truth with probability ≥ 1 − δ, and
still only shrinks. (The choice must not depend on the pool: a reserved sample must not influence its own decisions.)

A limit is kept if it excludes a near star. Along one side of the closure counts rise at stars only, so that a limit
which excludes a point there excludes a star. Among points beyond several sides the stars are only a sample. What is
given up are exclusions that a limit would make later, when the closure has grown, although it makes none now.

If z is near, closure(R ∪ {z}) holds the stars of the closure and some near stars, and no others. Their numbers are
kept, by group. A new star adds to those that reach it; when the closure grows, all are counted again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces.costs import CHUNK, Limit, kept

Bools = NDArray[np.bool_]
Groups = NDArray[np.intp]


class NearStars:
    """The numbers of the near stars z, and how many stars each closure(R ∪ {z}) holds."""

    def __init__(self, closure: Box, stars: Points, groups: Groups, held: Bools, limits: Sequence[Limit]) -> None:
        self.rows = np.arange(len(stars))
        self._counts: list[NDArray[np.int64]] = []
        self.grow(closure, stars, groups, held, limits)

    def star(self, closure: Box, stars: Points, groups: Groups, held: Bools, limits: Sequence[Limit]) -> None:
        """Take in the last of the stars. `held`: those in the closure. `limits`: the limits that are kept so far."""
        new, group = len(stars) - 1, int(groups[-1])
        while len(self._counts) <= group:
            self._counts.append(np.zeros(len(self.rows), np.int64))
        self._counts[group] += closure.reaching(stars[self.rows], stars[new])
        if held[new]:
            return
        inside = closure.grow(stars[new:]).contains(stars)
        others = inside & ~held
        others[self.rows] = others[new] = False
        if not others.any() and kept(limits, groups, inside[None])[0]:
            self.rows = np.append(self.rows, new)
            of = np.bincount(groups[inside], minlength=len(self._counts))
            self._counts = [np.append(count, n) for count, n in zip(self._counts, of, strict=True)]

    def grow(self, closure: Box, stars: Points, groups: Groups, held: Bools, limits: Sequence[Limit]) -> None:
        """Take in a larger closure: drop the stars inside it, and those that break a limit now."""
        rows = self.rows[~held[self.rows]]
        met, n = np.zeros(len(rows), bool), int(groups.max(initial=0)) + 1
        counts = np.zeros((n, len(rows)), np.int64)
        step = max(1, CHUNK // max(1, len(stars)))
        for i in range(0, len(rows), step):
            part = slice(i, i + step)
            inside = np.array([closure.grow(stars[[row]]).contains(stars) for row in rows[part]])
            met[part] = kept(limits, groups, inside)
            for group, count in enumerate(counts):
                count[part] = inside[:, groups == group].sum(axis=1)
        self.rows, self._counts = rows[met], [count[met] for count in counts]

    def drop(self, limit: Limit) -> bool:
        """Drop the stars that break a limit on all stars; return whether there were any."""
        broken = limit.broken(self._counts)
        self.rows, self._counts = self.rows[~broken], [count[~broken] for count in self._counts]
        return bool(broken.any())
