"""What a model of the labels and of the reveal rate can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.models.committees import Committee

Vector = NDArray[np.float64]

PLAUSIBLE = 200
"""Draws of what else fits about as well."""


class Opinions(NamedTuple):
    """P(y = 1 | x) of some rows, and the same by member."""

    probability: Vector
    members: NDArray[np.float64]


class ChannelModel(ABC):
    """P(y = 1 | x) and ω, both estimates."""

    rate: float
    lean: tuple[Committee, Vector] | None = None
    """The committee that w was read off, with what it said of the answered rows, where w was read off."""

    @property
    @abstractmethod
    def importances(self) -> Vector | None:
        """One number per column that the classifier saw last, where it has them."""

    @abstractmethod
    def members(self, X: Any) -> NDArray[np.float64]:
        """P(y = 1 | x) as each member has it, one row per member."""

    @abstractmethod
    def probability(self, X: Any) -> Vector:
        """P(y = 1 | x)."""

    @abstractmethod
    def plausible(self, X: Any, seed: int) -> tuple[Vector, Vector]:
        """Rates ω, and with each a share of positives among these rows, that fit the answers about as well."""

    @abstractmethod
    def ranking(self, X: Any) -> Vector:
        """A score in the order of the probability, with as few ties as there can be.

        Each class has one of its own: a cut of the score is kept as this method, and skops looks for it in the
        module of the class.
        """

    @abstractmethod
    def opinions(self, X: Any) -> Opinions:
        """All that is thought of these rows, at the price of one look at them."""
