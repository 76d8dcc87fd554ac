"""Monotone conjunctions on binary features: an item is positive if it has every feature of a list.

{x : x_i = 1 for i ∈ I} is the orthant x ≥ a with a_i = 1 for i ∈ I and 0 elsewhere.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import BoxLike


class Conjunctions(BoxLike):
    """Positive where all the features of an unknown list are 1. VC dimension n for n features."""

    name: ClassVar[str] = "conjunctions"
    two_sided: ClassVar[bool] = False
    binary: ClassVar[bool] = True

    def encode(self, X: Any) -> Points:
        """The 0/1 matrix itself."""
        points = super().encode(X)
        other = (points != 0) & (points != 1)
        if other.any():
            row, column = np.argwhere(other)[0]
            raise InvalidInput(
                f"Conjunctions need features that are 0 or 1, got {points[row, column]:g} in row {row}, column "
                f"{column}; binarise the columns first (for example x >= median) or use Orthants."
            )
        return points

    @property
    def vc_dimension(self) -> int:
        """n."""
        return self.bound_dim

    def log_growth(self, n: int) -> float:
        """At most 2^dim + 1 labellings (∅ included), rounded up to 2^(dim+1), and never more than 2^n."""
        return min(n, self.bound_dim + 1) * math.log(2)

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """The features that must be present."""
        return " and ".join(self.column(int(axis)) for axis in np.flatnonzero(low > 0)) or "everything"
