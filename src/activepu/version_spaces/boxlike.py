"""The exact version space of an intersection-closed class with coordinates (see `closed` for the argument).

Beside caps it may have `costs`. If a member meets them, so do all members within it: the same argument holds. The
order of the coordinates decides a cap for millions of points at once (`dominance`), which makes it fast.
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
    """All of `hypotheses`, until `require` and the caps shrink it. Immutable; keeps the arrays it is given."""

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
        self.closure = hypotheses.empty if closure is None else closure
        self.caps = tuple(caps)
        self.costs = tuple(costs)

    def among(self, points: Points) -> Self:
        """The same."""
        return self

    @property
    def least(self) -> Box:
        """The closure of what is required."""
        return self.closure

    def _with(self, closure: Box, caps: Sequence[Cap]) -> Self:
        return type(self)(self.hypotheses, closure, caps, self.costs)

    def require(self, points: Points) -> Self:
        """{h ∈ V : h contains every point}; V itself if the closure already does."""
        grown = self.closure.grow(self._checked(points))
        return self if grown == self.closure else self._with(grown, self.caps)

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """{h ∈ V : the weight of h ∩ points is ≤ limit}; a negative limit leaves nothing."""
        cap = Cap.checked(self._checked(points), limit, weights)
        if cap.total <= cap.limit:
            return self
        if cap.limit == 0:  # "none of these" and "none of those" is one cap, however many there were
            zero = [c.points for c in self.caps if c.limit == 0]
            cap = Cap(np.concatenate([*zero, cap.points]), 0)
            return self._with(self.closure, [*(c for c in self.caps if c.limit != 0), cap])
        return self._with(self.closure, [*self.caps, cap])

    def cap_costs(self, costs: CostCap) -> Self:
        """{h ∈ V : h meets every stage of `costs`}."""
        return type(self)(self.hypotheses, self.closure, self.caps, [*self.costs, costs])

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """{h ∈ V : |(h Δ center) ∩ points| ≤ limit}: a cap on the points outside the center, which every h contains."""
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
        """The upper side of whatever contains the closure; ∅ itself has none in one-sided classes."""
        return self.closure.high if self.hypotheses.two_sided else np.full_like(self.closure.low, np.inf)

    def compact(self) -> Self:
        """The same V with fewer cap points.

        Cap points inside the closure lower the limit. Impossible ones become blockers: whoever reaches one is
        impossible, so the nearest of them, under a limit of 0, stand for all. The others keep their cap. Costs stay.
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
        # Coordinates within the closure's reach are all alike: each h in V holds that stretch of the axis.
        alike = (rows >= self.closure.low) & (rows <= self._high)
        rows = np.unique(np.where(alike, self.closure.low, rows), axis=0)
        nearest = self._index(Cap(rows, 1)).meets(rows)  # closure(R ∪ {b}) holds no blocker but b itself
        return compact.cap_mass(rows[nearest], 0)

    def to_dict(self) -> dict[str, Any]:
        """The closure and the caps as JSON numbers; `compact` first to keep it small."""
        costs = {"costs": [costs.to_dict() for costs in self.costs]} if self.costs else {}
        return {"kind": self.kind, "closure": self.closure.to_dict(), "caps": [c.to_dict() for c in self.caps], **costs}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """The version space that `to_dict` described, in the bound class `hypotheses`."""
        if not isinstance(hypotheses, BoxLike):
            raise InvalidInput(f"A closed version space needs an intersection-closed class, got {hypotheses!r}.")
        none = np.empty((0, hypotheses.bound_dim))
        caps = [Cap.from_dict(cap, none) for cap in data["caps"]]
        costs = [CostCap.from_dict(hypotheses.bound_dim, costs) for costs in data.get("costs", [])]
        return cls(hypotheses, hypotheses.hypothesis_from_dict(data["closure"]), caps, costs)

    def _checked(self, points: Points) -> Points:
        return checks.matrix("points", points, self.hypotheses.bound_dim)
