"""Classes that are closed under intersection: thresholds, intervals, boxes, orthants, monotone conjunctions.

All of them are sets {x : low ≤ x ≤ high}, coordinate by coordinate; one-sided classes have high = +∞. The least member
that contains a set of points (its **closure**) is given by the coordinatewise minimum and, if two-sided, the maximum.
The closure of no points is ∅ (low = +∞, high = −∞).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points, shown


class ClosedClass(HypothesisClass):
    """A class {x : low ≤ x ≤ high}; `two_sided` says whether `high` is free."""

    intersection_closed: ClassVar[bool] = True
    two_sided: ClassVar[bool]

    @property
    def empty(self) -> Closure:
        """∅."""
        p = self.bound_dim
        return Closure(self, np.full(p, np.inf), np.full(p, -np.inf))

    def closure(self, points: Points) -> Closure:
        """The least member that contains `points`."""
        return self.empty.grow(points)

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """The rule `low ≤ x ≤ high` in words."""
        parts = []
        for axis, (a, b) in enumerate(zip(low + 0.0, high + 0.0, strict=True)):  # −0 prints as 0
            name = self.column(axis)
            if np.isfinite(a) and np.isfinite(b):
                parts.append(f"{shown(a)} <= {name} <= {shown(b)}")
            elif np.isfinite(a):
                parts.append(f"{name} >= {shown(a)}")
            elif np.isfinite(b):
                parts.append(f"{name} <= {shown(b)}")
        return " and ".join(parts) or "everything"

    def hypothesis_from_dict(self, data: dict[str, Any]) -> Closure:
        """Reads `Closure.to_dict` back (None stands for an infinite side)."""
        low = np.array([np.inf * data["empty_sign"] if v is None else v for v in data["low"]], float)
        high = np.array([-np.inf * data["empty_sign"] if v is None else v for v in data["high"]], float)
        return Closure(self, low, high)


class Closure(Hypothesis):
    """{x : low ≤ x ≤ high}. Immutable."""

    def __init__(self, hypotheses: ClosedClass, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        self.hypotheses: ClosedClass = hypotheses
        self.low = low
        self.high = high

    @property
    def is_empty(self) -> bool:
        """Whether this is ∅."""
        return bool(np.any(self.low > self.high))

    def grow(self, points: Points) -> Closure:
        """closure(self ∪ points)."""
        if len(points) == 0:
            return self
        low = np.minimum(self.low, points.min(axis=0))
        high = np.maximum(self.high, points.max(axis=0)) if self.hypotheses.two_sided else np.full_like(low, np.inf)
        return Closure(self.hypotheses, low, high)

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """low ≤ x ≤ high in every coordinate."""
        inside = np.ones(len(points), bool)
        for axis in range(points.shape[1]):
            column = points[:, axis]
            inside &= column >= self.low[axis]
            if self.hypotheses.two_sided or self.is_empty:
                inside &= column <= self.high[axis]
        return inside

    def within(self, other: Closure) -> bool:
        """Whether self ⊆ other."""
        return self.is_empty or bool(np.all(self.low >= other.low) and np.all(self.high <= other.high))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Closure):
            return NotImplemented
        return bool(np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))

    def __hash__(self) -> int:
        return hash(((self.low + 0.0).tobytes(), (self.high + 0.0).tobytes()))  # −0 equals 0

    def to_dict(self) -> dict[str, Any]:
        """`low` and `high`, with None for an infinite side."""
        return {
            "low": [float(v) if np.isfinite(v) else None for v in self.low],
            "high": [float(v) if np.isfinite(v) else None for v in self.high],
            "empty_sign": 1 if self.is_empty else -1,
        }

    def __str__(self) -> str:
        return "nothing" if self.is_empty else self.hypotheses.describe(self.low, self.high)

    def __repr__(self) -> str:
        return f"<{self.hypotheses.name}: {self}>"
