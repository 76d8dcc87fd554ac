"""The frontier: a version space's verdict on every item of a pool, kept while V shrinks.

An item is a certain positive, a certain negative or undecided, and a decision is final, because
V' ⊆ V gives certain(V) ⊆ certain(V') and possible(V') ⊆ possible(V). So only undecided items need a new look.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.version_spaces.base import VersionSpace

POSITIVE, NEGATIVE, UNDECIDED = 1, 0, -1


class Decisions:
    """What is decided about items; a decision is final. `_status` holds 1 positive, 0 negative, −1 undecided.

    Subclasses decide items, and keep `undecided` and `n_positive` up to date.
    """

    _status: NDArray[np.int8]

    undecided: NDArray[np.intp]
    """The undecided, in the order of the pool."""
    n_positive: int
    """The number of certain positives."""

    @property
    def n_undecided(self) -> int:
        """The number of undecided items."""
        return len(self.undecided)

    def __len__(self) -> int:
        return len(self._status)

    @property
    def status(self) -> NDArray[np.int8]:
        """1 positive, 0 negative, −1 undecided, per item; a read-only view."""
        view = self._status.view()
        view.flags.writeable = False
        return view

    @property
    def positive_share(self) -> float:
        """The share of certain positives; 0 for an empty pool."""
        return self.n_positive / max(1, len(self._status))

    @property
    def undecided_share(self) -> float:
        """The share of undecided items; 0 for an empty pool."""
        return len(self.undecided) / max(1, len(self._status))


class Frontier(Decisions):
    """What a shrinking version space decides about every item of a pool.

    An item is a certain positive, a certain negative, or undecided. A decision is final, because a version space only
    shrinks. So `update` visits the undecided items only, and gets cheaper as their number falls.

    Parameters
    ----------
    points : array
        Encoded points, one row per item.

    Attributes
    ----------
    status : array of int8
        1 positive, 0 negative, −1 undecided, per item.
    positive, negative, undecided : array of int
        The row numbers of each, in the order of the pool.
    n_positive, n_undecided : int
        How many there are.
    positive_share, undecided_share : float
        Their share of all items.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Intervals()
    >>> items = apu.Frontier(H.encode([1.0, 2.0, 3.0, 4.0, 5.0]))
    >>> V = apu.version_space(H).require(H.encode([2.0, 3.0]))
    >>> items.update(V)
    >>> items.status.tolist()
    [-1, 1, 1, -1, -1]
    >>> items.update(V.cap_mass(H.encode([4.0]), 0))
    >>> items.status.tolist()
    [-1, 1, 1, 0, 0]
    """

    def __init__(self, points: Points) -> None:
        self._points = points
        self._status = np.full(len(points), UNDECIDED, np.int8)
        self.undecided = np.arange(len(points))
        self._seen: VersionSpace | None = None
        self.n_positive = 0

    def update(self, version_space: VersionSpace) -> None:
        """Decide those undecided items that `version_space` decides; a call with the same object costs nothing."""
        if version_space is self._seen:
            return
        rows = self.undecided
        points = self._points if len(rows) == len(self._points) else self._points[rows]
        certain = version_space.certain(points)
        if certain.any():
            self._status[rows[certain]] = POSITIVE
            self.n_positive += int(certain.sum())
            rows = rows[~certain]
            points = self._points[rows]
        possible = version_space.possible(points)
        self._status[rows[~possible]] = NEGATIVE
        self.undecided = rows[possible]
        self._seen = version_space

    @property
    def positive(self) -> NDArray[np.intp]:
        """The certain positives, in the order of the pool."""
        return np.flatnonzero(self._status == POSITIVE)

    @property
    def negative(self) -> NDArray[np.intp]:
        """The certain negatives, in the order of the pool."""
        return np.flatnonzero(self._status == NEGATIVE)
