"""The exact version space of an intersection-closed class with coordinates (see `closed` for the argument).

It may have `costs` in addition to caps. If a member meets them, so do all members within it, so that the same argument
holds. It is fast because the order of the coordinates decides a cap for millions of points at once (`dominance`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.boxlike import Box, BoxLike
from activepu.version_spaces.caps import Cap
from activepu.version_spaces.closed import ClosedVersionSpace
from activepu.version_spaces.costs import CostCap
from activepu.version_spaces.dominance import Dominance, Repeats


class BoxVersionSpace(ClosedVersionSpace):
    """The exact version space of a `BoxLike` class: thresholds, intervals, boxes, orthants, conjunctions.

    The members that contain a closure, meet some caps, and meet some caps on sums of costs. Immutable; it keeps the
    arrays that it is given.

    Parameters
    ----------
    hypotheses : BoxLike
        The bound class.
    closure : Box, optional
        The closure of the required points; ∅ by default.
    caps : sequence of Cap
        At most this weight of these points.
    costs : sequence of CostCap
        At most this sum of costs of points in several groups.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.version_spaces import BoxVersionSpace
    >>> V = BoxVersionSpace(apu.Orthants(dim=2)).require(np.array([[3.0, 3.0]]))
    >>> V = V.cap_mass(np.array([[1.0, 4.0], [4.0, 1.0]]), 1)
    >>> V.possible(np.array([[1.0, 3.0], [1.0, 1.0]])).tolist()
    [True, False]
    """

    hypotheses: BoxLike
    closure: Box
    kind: ClassVar[str] = "closed"

    def __init__(
        self,
        hypotheses: BoxLike,
        closure: Box | None = None,
        caps: Sequence[Cap] = (),
        costs: Sequence[CostCap] = (),
    ) -> None:
        self.hypotheses = hypotheses
        self.least = self.closure = hypotheses.empty if closure is None else closure
        self.caps = tuple(caps)
        self.costs = tuple(costs)

    def among(self, points: Points) -> Self:
        """Return the same V: only the order of coordinates matters."""
        return self

    @property
    def most_capped(self) -> int | None:
        """Any number will do."""
        return None

    def _with(self, closure: Box, caps: Sequence[Cap]) -> Self:
        return type(self)(self.hypotheses, closure, caps, self.costs)

    def require(self, points: Points) -> Self:
        """Return {h ∈ V : h contains every point}; V itself if the closure already does."""
        grown = self.closure.grow(self._checked(points))
        return self if grown == self.closure else self._with(grown, self.caps)

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Return {h ∈ V : the weight of h ∩ points is ≤ limit}; a negative limit leaves no member."""
        cap = Cap.checked(self._checked(points), limit, weights)
        if cap.total <= cap.limit:
            return self
        if cap.limit == 0:  # all caps with limit 0 are merged into one
            zero = [c.points for c in self.caps if c.limit == 0]
            cap = Cap(np.concatenate([*zero, cap.points]), 0)
            return self._with(self.closure, [*(c for c in self.caps if c.limit != 0), cap])
        return self._with(self.closure, [*self.caps, cap])

    def cap_costs(self, costs: CostCap) -> Self:
        """Return {h ∈ V : h meets every stage of `costs`}."""
        return type(self)(self.hypotheses, self.closure, self.caps, [*self.costs, costs])

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Return {h ∈ V : |(h Δ center) ∩ points| ≤ limit}, as a cap on the points outside the center."""
        return super().cap_distance(center, self._checked(points), limit)

    def _meets_caps(self, h: Hypothesis) -> bool:
        return super()._meets_caps(h) and all(costs.kept(h.contains(costs.points)[None])[0] for costs in self.costs)

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        possible = np.ones(len(points), bool)
        for index in self._indices:
            if possible.all():
                possible = index.meets(points)
            else:
                rows = np.flatnonzero(possible)
                possible[rows] = index.meets(points[rows])
        for costs in self.costs:
            rows = np.flatnonzero(possible)
            possible[rows] = costs.meets(points[rows], self.closure.low, self._high)
        return possible

    @cached_property
    def _indices(self) -> list[Dominance | Repeats]:
        """One prepared decision per cap, built at the first question and kept."""
        return [self._index(cap) for cap in self.caps]

    def _index(self, cap: Cap) -> Dominance | Repeats:
        if self.hypotheses.two_sided and self.closure.is_empty:
            return Repeats(cap)
        return Dominance(cap, self.closure.low, self._high)

    @property
    def _high(self) -> NDArray[np.float64]:
        """The upper side of the closure; in one-sided classes +∞, also where the closure is ∅."""
        return self.closure.high if self.hypotheses.two_sided else np.full_like(self.closure.low, np.inf)

    def compact(self) -> Self:
        """Return the same V with fewer cap points.

        Cap points inside the closure lower the limit. Impossible cap points become blockers: no member contains one, so
        that a cap of 0 on the nearest of them says as much as all of them. The other cap points keep their cap, and
        costs are not changed.
        """
        if self.is_empty():
            return self
        compact = self._with(self.closure, ())
        blockers = [np.empty((0, self.hypotheses.bound_dim))]
        for cap in self.caps:
            inside = self._certain(cap.points)
            possible = self._possible(cap.points)
            blockers.append(cap.points[~possible])
            kept = possible & ~inside
            weights = None if cap.weights is None else cap.weights[kept]
            compact = compact.cap_mass(cap.points[kept], cap.limit - cap.mass(inside), weights)
        rows = np.concatenate(blockers)
        if not len(rows):
            return compact
        # Coordinates between the closure's ends are equivalent: each h in V contains that stretch of the axis.
        alike = (rows >= self.closure.low) & (rows <= self._high)
        rows = np.unique(np.where(alike, self.closure.low, rows), axis=0)
        nearest = self._index(Cap(rows, 1)).meets(rows)  # closure(R ∪ {b}) contains no blocker except b itself
        return compact.cap_mass(rows[nearest], 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the closure and the caps as JSON numbers; call `compact` first to keep it small."""
        costs = {"costs": [costs.to_dict() for costs in self.costs]} if self.costs else {}
        return {"kind": self.kind, "closure": self.closure.to_dict(), "caps": [c.to_dict() for c in self.caps], **costs}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        if not isinstance(hypotheses, BoxLike):
            raise InvalidInput(f"A closed version space needs an intersection-closed class, got {hypotheses!r}.")
        none = np.empty((0, hypotheses.bound_dim))
        caps = [Cap.from_dict(cap, none) for cap in data["caps"]]
        costs = [CostCap.from_dict(hypotheses.bound_dim, costs) for costs in data.get("costs", [])]
        return cls(hypotheses, hypotheses.hypothesis_from_dict(data["closure"]), caps, costs)

    def _checked(self, points: Points) -> Points:
        return checks.matrix("points", points, self.hypotheses.bound_dim)
