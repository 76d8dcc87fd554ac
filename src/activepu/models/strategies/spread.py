"""Batches without redundancy, for every strategy (after Guestrin, Krause and Singh 2005)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

CONSIDERED = 256
"""How many of the best candidates are compared with each other; the others follow by their utility."""


def spread(utility: NDArray[np.float64], members: NDArray[np.float64], taken: NDArray[np.float64]) -> Iterator[int]:
    """Order the candidates, the best first, so that what is much like an earlier one comes later.

    Two items are redundant as far as the members of the committee move together on them. Take the members' opinions as
    Gaussian with correlation ρ: once j's label is known, the variance that is left at i is (1 − ρ_ij²) of what it was.
    So the items are taken greedily, and the utility of the others is multiplied by 1 − ρ² for each one taken, and for
    each one that is still waiting for its answer. This is the greedy rule of batch-mode active learning, with the
    committee in place of a kernel.

    Parameters
    ----------
    utility : array of shape (candidates,)
        Zero or more, the largest is best.
    members : array of shape (members, candidates)
        The members' opinions of the candidates.
    taken : array of shape (members, items)
        Their opinions of items that are being asked already.

    Returns
    -------
    iterator of int
        Every candidate once, by its place in `utility`.

    Examples
    --------
    The first two candidates are twins, so the second one waits:

    >>> import numpy as np
    >>> import activepu as apu
    >>> members = np.array([[0.2, 0.2, 0.4], [0.8, 0.8, 0.7], [0.5, 0.5, 0.1]])
    >>> list(apu.strategies.spread(np.array([1.0, 0.9, 0.5]), members, members[:, :0]))
    [0, 2, 1]

    References
    ----------
    C. Guestrin, A. Krause and A. P. Singh (2005), Near-optimal sensor placements in Gaussian processes, ICML.
    """
    best = np.argsort(-utility, kind="stable")
    considered, rest = best[:CONSIDERED], best[CONSIDERED:]
    opinions, left = _unit(members[:, considered]), utility[considered].copy()
    open_still = np.ones(len(considered), bool)
    for column in _unit(taken).T:
        left *= _unexplained(column @ opinions)
    while open_still.any():
        j = int(np.argmax(np.where(open_still, left, -1.0)))
        open_still[j] = False
        yield int(considered[j])
        left *= _unexplained(opinions[:, j] @ opinions)
    yield from rest.tolist()


def _unexplained(correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 − ρ², and never below zero because of rounding."""
    return np.maximum(0.0, 1.0 - correlation**2)


def _unit(members: NDArray[np.float64]) -> NDArray[np.float64]:
    """One column per item: the members' deviations from their mean, of length 1, or 0 where they agree."""
    centred = members - members.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    return np.asarray(centred / np.where(length > 1e-12, length, np.inf))
