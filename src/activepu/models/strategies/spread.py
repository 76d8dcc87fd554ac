"""Batches without redundancy, for every strategy.

Two items are redundant as far as the members of the committee move together on them. Take the members' opinions as
Gaussian with correlation ρ: once j's label is known, the variance that is left at i is (1 − ρ_ij²) of what it was. So
the items are taken greedily, and the utility of the others is multiplied by 1 − ρ² for each one taken (and for each one
that is still waiting for its answer). This is the greedy rule of batch-mode active learning (Guestrin, Krause and
Singh 2005) with the committee in place of a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

CONSIDERED = 256
"""So many of the best candidates are weighed against each other."""


def spread(utility: NDArray[np.float64], members: NDArray[np.float64], taken: NDArray[np.float64]) -> Iterator[int]:
    """The candidates, the best first. `taken` holds the members' opinions of items that are being asked already."""
    best = np.argsort(-utility, kind="stable")
    considered, rest = best[:CONSIDERED], best[CONSIDERED:]
    opinions, left = _unit(members[:, considered]), utility[considered].copy()
    open_still = np.ones(len(considered), bool)
    for column in _unit(taken).T:
        left *= _left_by(column @ opinions)
    while open_still.any():
        j = int(np.argmax(np.where(open_still, left, -1.0)))
        open_still[j] = False
        yield int(considered[j])
        left *= _left_by(opinions[:, j] @ opinions)
    yield from rest.tolist()


def _left_by(correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 − ρ², and never below zero for rounding."""
    return np.maximum(0.0, 1.0 - correlation**2)


def _unit(members: NDArray[np.float64]) -> NDArray[np.float64]:
    """One column per item: the members' deviations from their mean, of length 1, or 0 where they agree."""
    centred = members - members.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    return np.asarray(centred / np.where(length > 1e-12, length, np.inf))
