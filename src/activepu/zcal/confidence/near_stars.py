"""The stars that one hypothesis that stands holds and another does not: a small set that says which limits to keep.

A star z is **near** if it lies outside closure(R) and closure(R ∪ {z}) meets the limits that are kept; the others are
held by all that stands, or by nothing. What stands only shrinks, so a star that is not near will never be.

**Which limits to keep.** What the likelihood says holds at all moments at once, hence at those that are chosen, however
they are. So limits may be left out: what stands is then larger, still holds the truth with probability ≥ 1 − δ, and
still only shrinks. (The choice must not look at the pool: a reserved sample has no say in what is decided about it.)

A limit is kept if it excludes a near star. Along one side of the closure counts rise at stars only, so that a limit
which excludes anything there excludes a star; of what leaves several sides at once the stars are a sample. Given up is
what a limit would have excluded later, when the closure has grown, although it excludes nothing now.

With z near, closure(R ∪ {z}) holds the stars of the closure and some near ones, no others. Their numbers are kept, by
group; a new star adds to those that reach it, and a larger closure makes all anew.
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
    """The near stars by number, and what each closure(R ∪ {z}) holds."""

    def __init__(self, closure: Box, stars: Points, groups: Groups, held: Bools, limits: Sequence[Limit]) -> None:
        self.rows = np.arange(len(stars))
        self._counts: list[NDArray[np.int64]] = []
        self.grow(closure, stars, groups, held, limits)

    def star(self, closure: Box, stars: Points, groups: Groups, held: Bools, limits: Sequence[Limit]) -> None:
        """The last of the stars is new; `held` are those in the closure, `limits` the ones that were kept so far."""
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
        """The closure grew: it takes some in, and others break a limit now."""
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
        """Those that break a limit on all stars are near no more; whether there are any."""
        broken = limit.broken(self._counts)
        self.rows, self._counts = self.rows[~broken], [count[~broken] for count in self._counts]
        return bool(broken.any())
