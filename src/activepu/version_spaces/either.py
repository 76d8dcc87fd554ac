"""Several caps on the same points, of which a hypothesis has to meet one.

    {h : Σ_{c ∈ C ∩ h} w_ic ≤ limit_i for some i}

Weights are ≥ 0, so what h meets is met by all that h contains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.version_spaces.dominance import Cap

Bools = NDArray[np.bool_]
CHUNK = 2**22  # comparisons at a time


@dataclass(frozen=True, eq=False)
class EitherCap:
    """One row of `weights` (caps, points) and one of the `limits` a cap, in whole numbers."""

    points: Points
    weights: NDArray[np.int64]
    limits: NDArray[np.int64]

    @property
    def caps(self) -> list[Cap]:
        """The alternatives."""
        return [Cap(self.points, int(limit), row) for row, limit in zip(self.weights, self.limits, strict=True)]

    def kept(self, inside: Bools) -> Bools:
        """Which rows of `inside`, one column a point, meet one of the caps."""
        mass = inside.astype(np.float64) @ self.weights.T.astype(np.float64)
        return np.asarray((mass <= self.limits).any(axis=1))

    def meets(self, points: Points, low: NDArray[np.float64], high: NDArray[np.float64]) -> Bools:
        """Which x meet one of them with [min(low, x), max(high, x)]."""
        verdict = np.empty(len(points), bool)
        step = max(1, CHUNK // max(1, len(self.points)))
        for i in range(0, len(points), step):
            x = points[i : i + step]
            inside = np.ones((len(x), len(self.points)), bool)
            for axis, column in enumerate(self.points.T):
                inside &= column >= np.minimum(x[:, axis], low[axis])[:, None]
                inside &= column <= np.maximum(x[:, axis], high[axis])[:, None]
            verdict[i : i + step] = self.kept(inside)
        return verdict

    def to_dict(self) -> dict[str, Any]:
        """Points, weights and limits as lists."""
        return {"points": self.points.tolist(), "weights": self.weights.tolist(), "limits": self.limits.tolist()}

    @classmethod
    def from_dict(cls, dim: int, data: dict[str, Any]) -> Self:
        """Reads `to_dict` back."""
        points = np.array(data["points"], np.float64).reshape(-1, dim)
        limits = np.array(data["limits"], np.int64)
        return cls(points, np.array(data["weights"], np.int64).reshape(len(limits), len(points)), limits)
