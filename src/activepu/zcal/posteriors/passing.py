"""How many stars of each group a chain holds as one of its sides moves outwards, and the log weight of each count.

A side that moves passes one star after the other. Of few groups, all counts are kept and the weights are added group by
group. Of many groups, each star changes the count of its own group only, and the weight by what this star adds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from activepu.zcal.posteriors.base import Counts, Tally
from activepu.zcal.rates import Floats

FEW = 8
"""Up to this many groups are taken one by one."""

Bools = NDArray[np.bool_]


class Passed(ABC):
    """The stars on the way of a side, in order; `present` are their groups, ascending."""

    present: Counts

    @abstractmethod
    def log_weight(self, tally: Tally) -> Floats:
        """Return (chains, pieces): the log weight of the stars of these groups, up to a term per chain."""

    @abstractmethod
    def held(self, piece: Counts) -> Counts:
        """Return (groups, chains): the stars of each group that a chain holds if its side ends in this piece."""


def passed(free: Bools, groups: Counts, within: Counts, silent: Counts) -> Passed:
    """Return the stars that a side passes.

    Parameters
    ----------
    free : array of bool
        (chains, stars): whether the other sides of a chain hold the star.
    groups : array
        The group of each star.
    within : array
        How many of these stars the side of each chain passes now.
    silent : array
        (all groups, chains): how many stars the chains hold now.
    """
    present = np.unique(groups)
    return (OneByOne if len(present) <= FEW else Together)(free, groups, within, silent, present)


class OneByOne(Passed):
    """(groups, chains, pieces) counts."""

    def __init__(self, free: Bools, groups: Counts, within: Counts, silent: Counts, present: Counts) -> None:
        self.present = present
        self._chain = np.arange(len(free))
        self._counts = np.zeros((len(present), len(free), free.shape[1] + 1), np.intp)
        for group, count in zip(present, self._counts, strict=True):
            np.cumsum(free if len(present) == 1 else free & (groups == group), axis=1, out=count[:, 1:])
            count += (silent[group] - count[self._chain, within])[:, None]

    def log_weight(self, tally: Tally) -> Floats:
        """Add up the groups' tables."""
        total = np.zeros(self._counts.shape[1:])
        for group, count in zip(self.present, self._counts, strict=True):
            total += tally.tables(int(group), int(count[:, -1].max()))[0].take(count)
        return total

    def held(self, piece: Counts) -> Counts:
        """Return the counts at these pieces."""
        return self._counts[:, self._chain, piece]


class Together(Passed):
    """(chains, stars) counts of each star's own group, before it is passed; stars sorted by group."""

    def __init__(self, free: Bools, groups: Counts, within: Counts, silent: Counts, present: Counts) -> None:
        self.present = present
        self._order = np.argsort(groups, kind="stable")
        self._free = free[:, self._order]
        self._first, self._own = np.unique(groups[self._order], return_index=True, return_inverse=True)[1:]
        self._silent = silent[present]
        self._least = self._silent - self._among(within)
        """(groups, chains): the stars that are held where the side is shortest."""

    def _among(self, piece: Counts) -> Counts:
        """Return (groups, chains): the free stars among the first so many."""
        some = self._free & (self._order < piece[:, None])
        return np.add.reduceat(some, self._first, axis=1, dtype=np.intp).T

    def log_weight(self, tally: Tally) -> Floats:
        """Add up what each star adds."""
        running = np.cumsum(self._free, axis=1)
        earlier: Counts = running - self._free
        before = earlier - earlier[:, self._first][:, self._own] + self._least.T[:, self._own]
        most = before.max(axis=0, initial=0) + 1
        table, begin = tally.log_weights(self.present[self._own], most)
        at = begin + before
        added = np.where(self._free, table[at + 1] - table[at], 0.0)
        total = np.zeros((len(added), added.shape[1] + 1))
        total[:, 1 + self._order] = added
        return np.cumsum(total, axis=1)

    def held(self, piece: Counts) -> Counts:
        """Return the counts at these pieces."""
        return self._least + self._among(piece)
