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
    """Monotone conjunctions: positive where all the features of an unknown list are 1.

    Features are 0 or 1. The class is closed under intersection, so its version spaces are exact. VC dimension n for n
    features.

    Parameters
    ----------
    dim : int, optional
        n, the number of columns. By default it is taken from the pool.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Conjunctions().bind(3, ["fever", "cough", "rash"])
    >>> rule = H.closure(H.encode([[1, 1, 0], [1, 1, 1]]))
    >>> print(rule)
    fever and cough
    >>> rule.predict([[1, 1, 0], [0, 1, 1]]).tolist()
    [True, False]

    References
    ----------
    Valiant, "A theory of the learnable", Communications of the ACM 27 (1984).
    """

    name: ClassVar[str] = "conjunctions"
    two_sided: ClassVar[bool] = False
    binary: ClassVar[bool] = True

    def encode(self, X: Any) -> Points:
        """Return the matrix itself; refuse values other than 0 and 1."""
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
        """Return a bound: at most 2^dim + 1 labellings with ∅, rounded up to 2^(dim+1), and at most 2^n."""
        return min(n, self.bound_dim + 1) * math.log(2)

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """Return the features that must be 1."""
        return " and ".join(self.coordinate(int(axis)) for axis in np.flatnonzero(low > 0)) or "everything"
