"""Orthants {x : x_i ≥ a_i for all i}, each coordinate with a known direction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import BoxLike


class Orthants(BoxLike):
    """Orthants {x : x_i ≥ a_i for all i}: positive where every column passes an unknown bound of its own.

    The direction of each column is known. The class is closed under intersection, so its version spaces are exact.
    VC dimension D.

    Parameters
    ----------
    dim : int, optional
        D, the number of columns. By default it is taken from `signs`, or from the pool.
    signs : sequence of +1 and −1, optional
        The direction of each column: +1 where large values are positive (the default), −1 where small ones are. Points
        are sign·x, so that every bound is a lower one.

    Raises
    ------
    InvalidInput
        If a sign is neither +1 nor −1, or there is not one per column.

    Examples
    --------
    Old enough, and cheap enough:

    >>> import activepu as apu
    >>> H = apu.Orthants(signs=[1, -1]).bind(2, ["age", "price"])
    >>> rule = H.closure(H.encode([[30, 9.5], [50, 7.0]]))
    >>> print(rule)
    age >= 30 and price <= 9.5
    >>> rule.predict([[40, 8.0], [40, 12.0]]).tolist()
    [True, False]
    """

    name: ClassVar[str] = "orthants"
    two_sided: ClassVar[bool] = False

    def __init__(self, dim: int | None = None, signs: Sequence[int] | None = None) -> None:
        if signs is not None:
            if any(s not in (1, -1) for s in signs):
                raise InvalidInput(f"signs must be +1 or -1 per column, got {list(signs)!r}.")
            if dim is not None and dim != len(signs):
                raise InvalidInput(f"signs must have one entry per column ({dim}), got {len(signs)}.")
            dim = len(signs)
        super().__init__(dim)
        self.signs = None if signs is None else np.asarray(signs, float)

    def encode(self, X: Any) -> Points:
        """Return sign·x."""
        points = super().encode(X)
        return points if self.signs is None else points * self.signs

    @property
    def vc_dimension(self) -> int:
        """D."""
        return self.bound_dim

    def log_growth(self, n: int) -> float:
        """Return a bound: at most (n + 1)^D labellings, one of n + 1 cuts per coordinate, and at most 2^n."""
        return min(self.bound_dim * math.log(n + 1), n * math.log(2))

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """Return the bounds in the user's own units and directions."""
        if self.signs is None:
            return super().describe(low, high)
        up = self.signs > 0
        return super().describe(np.where(up, low, -high), np.where(up, high, -low))

    def to_dict(self) -> dict[str, Any]:
        """Return the description of every class, and the signs."""
        return super().to_dict() | {"signs": None if self.signs is None else [int(s) for s in self.signs]}

    def __repr__(self) -> str:
        return super().__repr__() if self.signs is None else f"Orthants(signs={[int(s) for s in self.signs]})"
