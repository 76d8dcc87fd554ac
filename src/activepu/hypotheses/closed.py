"""Classes that are closed under intersection: every set of points has a least member that contains it, its closure.

A class of this kind needs three things: the `closure` of some points, which points a member `contains`, and the order
of members, `within`. All version spaces of Algorithms 1 to 3, CAL and Z-CAL then follow: an item is a certain positive
if the closure of the revealed items holds it, and possible if the closure grown by it meets all caps.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points

MOST_GENERATORS = 4
"""A sampled member is the closure of up to this many random points, beside those that it must contain."""


class Closure(Hypothesis):
    """A member of an intersection-closed class.

    Subclasses define `contains`, `within`, `to_dict` and `__str__`. Two members are equal if each is within the other.
    """

    hypotheses: ClosedClass

    @abstractmethod
    def within(self, other: Closure) -> bool:
        """Whether self ⊆ other."""

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
    """A class in which every set of points has a least member that contains it.

    Subclasses define `closure`, beside what every `HypothesisClass` defines. Everything else has a default: an exact
    version space, a confidence set and a posterior for Z-CAL, and saving and loading.

    See Also
    --------
    activepu.hypotheses.boxlike.BoxLike : classes {x : low ≤ x ≤ high}, which are searched much faster.
    """

    intersection_closed: ClassVar[bool] = True

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
