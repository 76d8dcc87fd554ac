"""What a model of the labels and of the reveal rate can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.models.committees import Committee

Vector = NDArray[np.float64]


class Opinions(NamedTuple):
    """P(y = 1 | x) of some rows, and the same by member.

    Attributes
    ----------
    probability : array of shape (rows,)
        What the model says.
    members : array of shape (members, rows)
        What each member says. Strategies read their disagreement off it.
    """

    probability: Vector
    members: NDArray[np.float64]


class FirstCommittee(NamedTuple):
    """The committee that was fitted to the answers themselves.

    `scores` are what it says of the answered rows, out of bag; `kept` is which committees count in the model, it or the
    second that was fitted on top of it, or both.
    """

    committee: Committee
    scores: Vector
    kept: Literal["first", "second", "both"]


class ChannelModel(ABC):
    """P(y = 1 | x) and the reveal rate ω, both estimates: what `activepu.models.fit` returns.

    Attributes
    ----------
    rate : float
        The estimate of ω, or ω itself where it was given.
    first : FirstCommittee or None
        What a later fit may start from, and what has not seen the answers; None for a model without committees.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.linspace(0, 1, 200)[:, None]
    >>> revealed = (X[:, 0] > 0.6) & (np.arange(200) % 2 == 0)      # every second positive
    >>> model = apu.models.fit(apu.models.ChannelLogistic(), X, revealed, rate=0.5)
    >>> model.rate
    0.5
    >>> (model.probability([[0.1], [0.9]]) > 0.5).tolist()
    [False, True]
    """

    rate: float
    first: FirstCommittee | None = None

    @property
    @abstractmethod
    def importances(self) -> Vector | None:
        """One number per column that the classifier saw last, where it has them."""

    @abstractmethod
    def names(self, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The names of the columns that the classifier saw last, if those of the table are these; None for unknown."""

    @abstractmethod
    def members(self, X: Any) -> NDArray[np.float64]:
        """P(y = 1 | x) by each member, one row per member."""

    @abstractmethod
    def probability(self, X: Any) -> Vector:
        """P(y = 1 | x)."""

    @abstractmethod
    def ranking(self, X: Any) -> Vector:
        """A score in the order of the probability, with as few ties as possible.

        Every subclass defines its own: a cut of the score is saved as this method, and skops looks for it in the module
        of the class.
        """

    @abstractmethod
    def opinions(self, X: Any) -> Opinions:
        """`probability` and `members` together, at the price of one look at the rows."""
