"""Which items lie far enough from the closure to matter.

A side of an intersection-closed class may be off by ε over the number of sides. To ask nearer to the closure than a
share of that tells nothing that the certificate needs, and leaves no room for bets: a cut that holds all reveals and no
star must be hit by chance. (An argument, not a proof.)
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.version_spaces import ClosedVersionSpace, VersionSpace

NEAR = 0.7
"""The share of what each side may be off."""
RANKED = 4096
"""Rows that ranks are taken from."""


class CandidateFilter:
    """Told by the ranks of a sample of `points`."""

    def __init__(self, points: Points, epsilon: float) -> None:
        self._points, self._epsilon = points, epsilon

    @cached_property
    def _ranked(self) -> Points:
        """A sample, each column in order."""
        return np.asfortranarray(np.sort(self._points[:: -(-len(self._points) // RANKED)], axis=0))

    def __call__(self, V: VersionSpace, z: Points) -> NDArray[np.bool_]:
        """Whether more of the sample lies between the closure and a point, on some side, than need not be known."""
        if not isinstance(V, ClosedVersionSpace) or V.closure.is_empty:
            return np.ones(len(z), bool)
        least = NEAR * self._epsilon / (z.shape[1] * (1 + V.hypotheses.two_sided))
        n, matter = len(self._ranked), np.zeros(z.shape, bool)
        for axis, (low, high) in enumerate(zip(V.closure.low, V.closure.high, strict=True)):
            column = self._ranked[:, axis]
            last = int(np.floor(np.searchsorted(column, low) - least * n))
            if last >= 0:
                matter[:, axis] = z[:, axis] <= column[last]
            first = int(np.ceil(np.searchsorted(column, high) + least * n))
            if V.hypotheses.two_sided and first <= n:
                matter[:, axis] |= z[:, axis] > column[first - 1]
        return np.asarray(matter.any(axis=1))
