"""Classes that are closed under intersection: every set of points has a least member that contains it, its closure.

A class of this kind defines three things: the `closure` of some points, which points a member `contains`, and the order
of members, `within`. All version spaces of Algorithms 1 to 3, CAL and Z-CAL follow from these. An item is a certain
positive if it lies in the closure of the revealed items. It is possible if the closure of these and the item meets all
caps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points

MOST_GENERATORS = 4
"""A sampled member is the closure of the points that it must contain and up to this many random points."""


class Closure(Hypothesis):
    """A member of an intersection-closed class.

    Subclasses define `contains`, `within`, `to_dict` and `__str__`. Two members are equal if each is within the other;
    equal members must have the same `str`. `ClosedClass` has a complete example.

    Attributes
    ----------
    hypotheses : ClosedClass
        The bound class that it belongs to.

    Examples
    --------
    >>> import activepu as apu
    >>> H = apu.Intervals()
    >>> small, large = H.closure(H.encode([2.0, 3.0])), H.closure(H.encode([1.0, 4.0]))
    >>> small.within(large), large.within(small), H.empty.is_empty
    (True, False, True)
    """

    hypotheses: ClosedClass

    @abstractmethod
    def within(self, other: Closure) -> bool:
        """Return whether self ⊆ other."""

    @property
    def is_empty(self) -> bool:
        """Whether this is ∅."""
        return self.within(self.hypotheses.empty)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Closure):
            return NotImplemented
        return self.within(other) and other.within(self)

    def __hash__(self) -> int:
        return hash(str(self))


class ClosedClass(HypothesisClass):
    """A class in which every set of points has a least member that contains it, its closure.

    These are the classes that are closed under intersection, with ∅ adjoined. Subclasses define `closure`, and `name`,
    `vc_dimension`, `log_growth` and `hypothesis_from_dict` as every `HypothesisClass` does; their members extend
    `Closure`. Everything else has a default: an exact version space, a confidence set and a posterior for Z-CAL, saving
    and loading. A run first checks the closure on a few points of the pool.

    Parameters
    ----------
    dim : int, optional
        The number of columns. By default it is taken from the pool.

    See Also
    --------
    BoxLike : classes {x : low ≤ x ≤ high}, which are searched much faster.

    Examples
    --------
    Codes that begin alike. Columns are digits, and the closure of some codes is their longest common prefix:

    >>> import numpy as np
    >>> import activepu as apu
    >>> class Prefix(apu.Closure):
    ...     def __init__(self, hypotheses, digits):  # None is ∅, no code at all
    ...         self.hypotheses, self.digits = hypotheses, digits
    ...     def contains(self, points):
    ...         if self.digits is None:
    ...             return np.zeros(len(points), bool)
    ...         return (points[:, : len(self.digits)] == self.digits).all(axis=1)
    ...     def within(self, other):
    ...         if self.digits is None or other.digits is None:
    ...             return self.digits is None
    ...         return self.digits[: len(other.digits)] == other.digits
    ...     def to_dict(self):
    ...         return {"digits": self.digits}
    ...     def __str__(self):
    ...         return "nothing" if self.digits is None else "begins with " + "".join(f"{d:g}" for d in self.digits)
    >>> class Prefixes(apu.ClosedClass):
    ...     name, vc_dimension = "prefixes", 2
    ...     def closure(self, points):
    ...         if len(points) == 0:
    ...             return Prefix(self, None)
    ...         common = np.logical_and.accumulate((points == points[0]).all(axis=0))
    ...         return Prefix(self, points[0][common].tolist())
    ...     def log_growth(self, n):
    ...         return float(np.log(max(1, 2 * n)))
    ...     def hypothesis_from_dict(self, data):
    ...         return Prefix(self, data["digits"])
    >>> X = np.random.default_rng(0).integers(0, 4, (200, 6))
    >>> apu.testing.check_hypothesis_class(Prefixes(), X)
    >>> print(Prefixes(dim=6).closure(np.array([[3, 1, 2, 0, 0, 0], [3, 1, 3, 0, 0, 0]])))
    begins with 31

    References
    ----------
    Helmbold, Sloan and Warmuth, "Learning nested differences of intersection-closed concept classes", Machine Learning
    5 (1990).
    """

    intersection_closed: ClassVar[bool] = True
    has_closure: ClassVar[bool] = True

    @abstractmethod
    def closure(self, points: Points) -> Closure:
        """Return the least member that contains `points`; the closure of no points is ∅."""

    @property
    def empty(self) -> Closure:
        """∅, the closure of no points."""
        return self.closure(self.no_points)

    def member_with(self, points: Points, labels: NDArray[np.bool_]) -> Closure | None:
        """Return the closure of the positives, which lies inside every member with these labels; None if it is none."""
        least = self.closure(points[labels])
        return least if np.array_equal(least.contains(points), labels) else None

    def grown(self, required: Points, points: Points, targets: Points) -> NDArray[np.bool_]:
        """Return for every x of `points` which `targets` the closure of `required` and x holds: (points, targets).

        Override it if your class can do this without a loop over the points.
        """
        held = np.zeros((len(points), len(targets)), bool)
        if len(targets) == 0 or len(points) == 0:
            return held
        distinct, place = np.unique(points, axis=0, return_inverse=True)
        each = [self.closure(np.concatenate([required, x[None]])).contains(targets) for x in distinct]
        return np.asarray(np.array(each)[place.reshape(-1)])

    def sample(self, points: Points, containing: Points, n: int, rng: np.random.Generator) -> Sequence[Hypothesis]:
        """Return closures of `containing` and a few random points."""
        sizes = rng.integers(len(containing) == 0, MOST_GENERATORS + 1, size=n)
        return [self.closure(np.concatenate([containing, points[rng.integers(len(points), size=k)]])) for k in sizes]
