"""A cap: an upper bound on the weight of given points inside a hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Points

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Cap:
    """At most `limit` of `points` inside, counted with whole-number `weights` (None: each counts 1)."""

    points: Points
    limit: int
    weights: Counts | None = None

    @classmethod
    def checked(cls, points: Points, limit: Any, weights: Any = None) -> Self:
        """Return a cap from a caller's numbers; points without weight are left out."""
        limit = whole(limit)
        if weights is not None:
            weights = checked_weights(weights, len(points))
            heavy = weights > 0
            points, weights = points[heavy], weights[heavy]
            if np.all(weights == 1):
                weights = None
        return cls(points, limit, weights)

    @property
    def total(self) -> int:
        """The weight of all points."""
        return self.mass(np.ones(len(self.points), bool))

    @property
    def amounts(self) -> Counts:
        """The weight of each point."""
        return np.ones(len(self.points), np.int64) if self.weights is None else self.weights

    def mass(self, inside: NDArray[np.bool_]) -> int:
        """Return the weight of the points that `inside` marks."""
        return int(inside.sum() if self.weights is None else self.weights[inside].sum())

    @cached_property
    def order(self) -> tuple[list[NDArray[np.float64]], NDArray[np.int32]]:
        """The distinct values of each axis, and each point's place among them: the same for every closure."""
        values, places = [], np.empty(self.points.shape[::-1], np.int32)
        for axis, column in enumerate(self.points.T):
            distinct, places[axis] = np.unique(column, return_inverse=True)
            values.append(distinct)
        return values, places

    def to_dict(self) -> dict[str, Any]:
        """Return points, limit and weights as JSON numbers."""
        weights = None if self.weights is None else self.weights.tolist()
        return {"points": self.points.tolist(), "limit": self.limit, "weights": weights}

    @classmethod
    def from_dict(cls, data: dict[str, Any], like: Points) -> Self:
        """Read `to_dict` back; `like` is an array of such points, perhaps without rows."""
        weights = None if data["weights"] is None else np.array(data["weights"], np.int64)
        return cls(np.array(data["points"], like.dtype).reshape(-1, *like.shape[1:]), data["limit"], weights)


def whole(limit: Any) -> int:
    """Return the limit of a cap as an int; it may be negative, and then no hypothesis meets it."""
    if isinstance(limit, bool) or not isinstance(limit, (int, np.integer)):
        raise InvalidInput(f"limit must be a whole number, got {limit!r}; round a share of the points down.")
    return int(limit)


def checked_weights(weights: Any, n: int) -> Counts:
    """Return whole-number weights ≥ 0, one per point."""
    given = np.asarray(weights)
    if given.shape != (n,):
        raise InvalidInput(f"weights must be one number per point ({n}), got an array of shape {given.shape}.")
    if given.dtype.kind not in "iuf" or not np.all((given >= 0) & (given == np.floor(given))):
        raise InvalidInput(f"weights must be whole numbers that are not negative, got {given!r}; scale them first.")
    total = given.sum(dtype=np.float64)
    if total >= 2.0**53:
        raise InvalidInput(f"weights must add up to less than 2**53, got {total:g}; scale them down.")
    return given.astype(np.int64)
