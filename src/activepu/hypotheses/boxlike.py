"""Intersection-closed classes with coordinates: thresholds, intervals, boxes, orthants, monotone conjunctions.

All of them are sets {x : low ≤ x ≤ high}, coordinate by coordinate; one-sided classes have high = +∞. The least member
that contains a set of points (its **closure**) is given by the coordinatewise minimum and, if two-sided, the maximum.
The closure of no points is ∅ (low = +∞, high = −∞).

**Sides.** A member has one side per coordinate, or two: first the lower side of every axis, then the upper sides. On a
side, *outward* coordinates grow outwards: −x on a lower side, x on an upper one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Points, shown
from activepu.hypotheses.closed import ClosedClass, Closure
from activepu.saved import Field

Floats = NDArray[np.float64]


class BoxLike(ClosedClass):
    """Classes of sets {x : low ≤ x ≤ high}, coordinate by coordinate.

    `Thresholds`, `Intervals`, `Boxes`, `Orthants` and `Conjunctions` extend it. So can a class of your own whose rules
    become such sets once `encode` has turned features into coordinates. It defines `name`, `two_sided`, `vc_dimension`
    and `log_growth`, and gets everything else: exact version spaces that decide millions of items, the confidence sets
    of Z-CAL with a bet on each side, a Gibbs sampler and saving. The closure is given, and cannot be overridden.

    If `encode` returns another number of columns than it is given, say how many: ``fixed_dim = 1``, or a property
    `bound_dim` if the number depends on the features. `coordinate` names what `encode` returns, for the printed rule.

    Parameters
    ----------
    dim : int, optional
        The number of columns. By default it is taken from the pool.

    Attributes
    ----------
    two_sided : bool
        Whether `high` is free. Otherwise high = +∞, and rules are lower bounds.
    binary : bool
        Whether coordinates are 0 or 1.

    Examples
    --------
    Values near an unknown number, on a scale of logarithms:

    >>> import math
    >>> import numpy as np
    >>> import activepu as apu
    >>> class Magnitudes(apu.BoxLike):
    ...     name, two_sided, vc_dimension = "magnitudes", True, 2
    ...     def encode(self, X):
    ...         return np.log10(super().encode(X))
    ...     def coordinate(self, axis):
    ...         return f"log10({self.column(axis)})"
    ...     def log_growth(self, n):
    ...         return math.log(n * (n + 1) / 2 + 1)
    >>> H = Magnitudes().bind(1, ["amount"])
    >>> rule = H.closure(H.encode([[10.0], [1_000.0]]))
    >>> print(rule)
    1 <= log10(amount) <= 3
    >>> rule.predict([[100.0], [5.0]]).tolist()
    [True, False]
    """

    two_sided: ClassVar[bool]
    binary: ClassVar[bool] = False
    """Whether coordinates are 0 or 1."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "closure" in vars(cls):
            raise InvalidInput(
                f"{cls.__name__} overrides closure, but a BoxLike class has the closure that low and high give; "
                "extend ClosedClass instead."
            )

    def bind(self, dim: int, names: Sequence[str] | None = None) -> Self:
        """Return the same class for features with `dim` columns; refuse one that does not say which sides are free."""
        if not hasattr(self, "two_sided"):
            raise InvalidInput(
                f"{type(self).__name__} does not say whether its rules have an upper bound; define two_sided = True in "
                "the class, or two_sided = False if they are lower bounds alone."
            )
        return super().bind(dim, names)

    @property
    def always_repeats(self) -> bool:
        """Whether rows that look alike are to be expected: binary features always have some."""
        return self.binary

    @property
    def n_sides(self) -> int:
        """The number of sides that are free."""
        return self.bound_dim * (1 + self.two_sided)

    @property
    def is_chain(self) -> bool:
        """Whether one of any two members contains the other, because a single side is free."""
        return self.n_sides == 1

    def outward(self, points: Points) -> Floats:
        """Return (n, sides): coordinates that grow outwards on each side."""
        return np.hstack([-points, points]) if self.two_sided else -points

    def outward_ends(self, low: Floats, high: Floats) -> Floats:
        """Return (…, sides): how far members with these bounds reach, in outward coordinates."""
        return np.concatenate([-low, high], axis=-1) if self.two_sided else -low

    @property
    def empty(self) -> Box:
        """∅."""
        p = self.bound_dim
        return Box(self, np.full(p, np.inf), np.full(p, -np.inf))

    def closure(self, points: Points) -> Box:
        """Return the least member that contains `points`."""
        return self.empty.grow(points)

    def coordinate(self, axis: int) -> str:
        """Return the name of a coordinate in a printed rule.

        It is the name of the column, or z0, z1, … if a class of your own overrides `encode`: then coordinates need not
        be columns. Override it too, to name what `encode` returns.
        """
        encodes = next(cls for cls in type(self).__mro__ if "encode" in vars(cls))
        return self.column(axis) if encodes.__module__.startswith("activepu.") else f"z{axis}"

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """Return the rule `low ≤ x ≤ high` in words."""
        parts = []
        for axis, (a, b) in enumerate(zip(low + 0.0, high + 0.0, strict=True)):  # −0 prints as 0
            name = self.coordinate(axis)
            if np.isfinite(a) and np.isfinite(b):
                parts.append(f"{shown(a)} <= {name} <= {shown(b)}")
            elif np.isfinite(a):
                parts.append(f"{name} >= {shown(a)}")
            elif np.isfinite(b):
                parts.append(f"{name} <= {shown(b)}")
        return " and ".join(parts) or "everything"

    def hypothesis_from_dict(self, data: dict[str, Any]) -> Box:
        """Read `Box.to_dict` back; None is an infinite side."""
        said = Field(data, "box")
        sign = said["empty_sign"].number()
        lows, highs = (
            [one.or_none(Field.number) for one in said[side].each(self.bound_dim)] for side in ("low", "high")
        )
        low = np.array([np.inf * sign if v is None else v for v in lows], float)
        high = np.array([-np.inf * sign if v is None else v for v in highs], float)
        return Box(self, low, high)


class Box(Closure):
    """One member {x : low ≤ x ≤ high} of a `BoxLike` class. Immutable.

    Parameters
    ----------
    hypotheses : BoxLike
        The bound class.
    low, high : array of shape (dim,)
        Its bounds, in points; infinite where a side is open, and low > high for ∅.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.hypotheses import Box
    >>> box = Box(apu.Boxes(dim=2), np.array([0.0, 0.0]), np.array([1.0, 2.0]))
    >>> box.contains(np.array([[0.5, 1.5], [1.5, 1.5]])).tolist()
    [True, False]
    """

    def __init__(self, hypotheses: BoxLike, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        self.hypotheses: BoxLike = hypotheses
        self.low = low
        self.high = high

    @cached_property
    def is_empty(self) -> bool:
        """Whether this is ∅."""
        return bool(np.any(self.low > self.high))

    def grow(self, points: Points) -> Box:
        """Return closure(self ∪ points)."""
        if len(points) == 0:
            return self
        low = np.minimum(self.low, points.min(axis=0))
        high = np.maximum(self.high, points.max(axis=0)) if self.hypotheses.two_sided else np.full_like(low, np.inf)
        return Box(self.hypotheses, low, high)

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Return whether low ≤ x ≤ high in every coordinate."""
        inside = np.ones(len(points), bool)
        for axis in range(points.shape[1]):
            column = points[:, axis]
            inside &= column >= self.low[axis]
            if self.hypotheses.two_sided or self.is_empty:
                inside &= column <= self.high[axis]
        return inside

    def within(self, other: Closure) -> bool:
        """Return whether self ⊆ other."""
        if not isinstance(other, Box):
            return False
        return self.is_empty or bool(np.all(self.low >= other.low) and np.all(self.high <= other.high))

    @cached_property
    def ends(self) -> Floats:
        """(sides,): how far each side reaches, in outward coordinates."""
        return self.hypotheses.outward_ends(self.low, self.high)

    def beyond(self, points: Points) -> NDArray[np.bool_]:
        """Return (n, sides): on which sides the points lie beyond this member."""
        below = points < self.low
        return np.hstack([below, points > self.high]) if self.hypotheses.two_sided else below

    def short_of(self, stop: Floats, points: Points) -> NDArray[np.bool_]:
        """Return which points lie outside, but before `stop` (outward) on every side on which they lie outside."""
        beyond = self.beyond(points)
        return np.asarray(beyond.any(axis=1) & ~(beyond & (self.hypotheses.outward(points) >= stop)).any(axis=1))

    def stop_points(self, stop: Floats) -> Points:
        """Return a point per side: a member that contains self and none of these ends before `stop` (outward)."""
        dim, sides = len(self.low), np.flatnonzero(np.isfinite(stop))
        points = np.repeat(self.low[None], len(sides), axis=0)
        points[np.arange(len(sides)), sides % dim] = np.where(sides < dim, -1.0, 1.0) * stop[sides]
        return points

    def reaching(self, points: Points, z: Floats) -> NDArray[np.bool_]:
        """Return for which x of the points the closure of self and x holds z."""
        far = np.minimum(points, self.low) <= z
        if self.hypotheses.two_sided:
            far &= np.maximum(points, self.high) >= z
        return np.asarray(far.all(axis=1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Box):
            return NotImplemented
        return bool(np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))

    def __hash__(self) -> int:
        return hash(((self.low + 0.0).tobytes(), (self.high + 0.0).tobytes()))  # −0 equals 0

    def to_dict(self) -> dict[str, Any]:
        """Return `low` and `high`, with None for an infinite side."""
        return {
            "low": [float(v) if np.isfinite(v) else None for v in self.low],
            "high": [float(v) if np.isfinite(v) else None for v in self.high],
            "empty_sign": 1 if self.is_empty else -1,
        }

    def __str__(self) -> str:
        return "nothing" if self.is_empty else self.hypotheses.describe(self.low, self.high)

    def __repr__(self) -> str:
        return f"<{self.hypotheses.name}: {self}>"
