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
    """Positive where every coordinate passes its bound. VC dimension D.

    `signs` has +1 for coordinates in which more is more positive (the default) and −1 where less is; the points of the
    version space are sign·x, so that every bound is a lower one.
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
        """sign·x."""
        points = super().encode(X)
        return points if self.signs is None else points * self.signs

    @property
    def vc_dimension(self) -> int:
        """D."""
        return self.bound_dim

    def log_growth(self, n: int) -> float:
        """At most (n + 1)^D labellings: one of n + 1 cuts per coordinate; never more than 2^n."""
        return min(self.bound_dim * math.log(n + 1), n * math.log(2))

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """Bounds in the user's own units and directions."""
        if self.signs is None:
            return super().describe(low, high)
        up = self.signs > 0
        return super().describe(np.where(up, low, -high), np.where(up, high, -low))

    def to_dict(self) -> dict[str, Any]:
        """With the signs."""
        return super().to_dict() | {"signs": None if self.signs is None else [int(s) for s in self.signs]}

    def __repr__(self) -> str:
        return super().__repr__() if self.signs is None else f"Orthants(signs={[int(s) for s in self.signs]})"
