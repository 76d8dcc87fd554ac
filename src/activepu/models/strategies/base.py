"""What a strategy sees, and what it gives back: one number per candidate, zero or more; the largest is asked first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class View:
    """The model's opinion of the candidates.

    `probability`  P(y = 1 | x), one number per candidate
    `members`      the same from every member of the committee, one row per member
    `rate`         the reveal rate ω
    `ties`         a number in [0, 1) per candidate, drawn by lot
    `rows`         the candidates themselves, as the model sees them
    `asked`        the rows that were answered, and `answers`: whether each was revealed
    """

    probability: Vector
    members: NDArray[np.float64]
    rate: float
    ties: Vector
    rows: Any = None
    asked: Any = None
    answers: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))


class Strategy(ABC):
    """How much each candidate is worth asking."""

    name: ClassVar[str]
    needs_model: ClassVar[bool] = True
    """Whether it looks at the model at all."""

    @abstractmethod
    def utility(self, view: View) -> Vector:
        """One number per candidate, zero or more."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
