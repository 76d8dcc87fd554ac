"""The exact version space of an intersection-closed class: one closure and some caps.

    V = {h ∈ H : h ⊇ closure(R) and Σ_{c ∈ C_j ∩ h} w_c ≤ limit_j for all j}, and h meets the `costs`, if there are any.

Weights are ≥ 0, so a cap that h meets is met by all that h contains, and so it is with costs. Hence V ≠ ∅ exactly if
closure(R) meets all of them; it is then the least member of V, so the certain positives are its points, and x lies in
some member exactly if closure(R ∪ {x}) meets them all. With R = ∅ the least member is ∅, which every class contains.
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
from activepu.hypotheses.closed import ClosedClass, Closure
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.costs import CostCap
from activepu.version_spaces.dominance import Cap, Dominance, Repeats


class ClosedVersionSpace(VersionSpace):
    """All of `hypotheses`, until `require` and the caps shrink it. Immutable; keeps the arrays it is given."""

    method: Method = "exact"
    kind: ClassVar[str] = "closed"

    def __init__(
        self,
        hypotheses: ClosedClass,
        closure: Closure | None = None,
        caps: Sequence[Cap] = (),
        costs: Sequence[CostCap] = (),
    ) -> None:
        self.hypotheses: ClosedClass = hypotheses
        self.closure = hypotheses.empty if closure is None else closure
        self.caps = tuple(caps)
        self.costs = tuple(costs)

    def _with(self, closure: Closure, caps: Sequence[Cap]) -> Self:
        return type(self)(self.hypotheses, closure, caps, self.costs)

    def require(self, points: Points) -> Self:
        """{h ∈ V : h contains every point}; V itself if the closure already does."""
        grown = self.closure.grow(self._checked(points))
        return self if grown == self.closure else self._with(grown, self.caps)

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """{h ∈ V : the weight of h ∩ points is ≤ limit}; a negative limit leaves nothing."""
        points = self._checked(points)
        limit = _whole("limit", limit)
        if weights is not None:
            weights = _checked_weights(weights, len(points))
            heavy = weights > 0
            points, weights = points[heavy], weights[heavy]
            if np.all(weights == 1):
                weights = None
        cap = Cap(points, limit, weights)
        if cap.total <= limit:
            return self
        if limit == 0:  # "none of these" and "none of those" is one cap, however many there were
            zero = [c.points for c in self.caps if c.limit == 0]
            cap = Cap(np.concatenate([*zero, points]), 0)
            return self._with(self.closure, [*(c for c in self.caps if c.limit != 0), cap])
        return self._with(self.closure, [*self.caps, cap])

    def cap_costs(self, costs: CostCap) -> Self:
        """{h ∈ V : h meets every stage of `costs`}."""
        return type(self)(self.hypotheses, self.closure, self.caps, [*self.costs, costs])

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """{h ∈ V : |(h Δ center) ∩ points| ≤ limit}: a cap on the points outside the center, which every h contains."""
        if not isinstance(center, Closure) or not center.within(self.closure):
            raise InvalidInput(
                f"cap_distance needs a center inside the closure of the required points, {self.closure!r}, "
                f"got {center!r}; require the center's points first."
            )
        points = self._checked(points)
        return self.cap_mass(points[~center.contains(points)], limit)

    def is_empty(self) -> bool:
        """Whether closure(R) breaks a cap."""
        return self._is_empty

    @cached_property
    def _is_empty(self) -> bool:
        return not self._keeps_caps(self.closure)

    def _keeps_caps(self, h: Closure) -> bool:
        return all(cap.mass(h.contains(cap.points)) <= cap.limit for cap in self.caps) and all(
            costs.kept(h.contains(costs.points)[None])[0] for costs in self.costs
        )

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Whether `hypothesis` contains closure(R) and meets every cap."""
        if not isinstance(hypothesis, Closure):
            raise InvalidInput(f"allows needs a member of '{self.hypotheses.name}', got {hypothesis!r}.")
        return self.closure.within(hypothesis) and self._keeps_caps(hypothesis)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        return self.closure.contains(points)

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

    def _smallest(self, points: Points) -> Closure:
        return self.closure

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
        caps = [
            {
                "points": cap.points.tolist(),
                "limit": cap.limit,
                "weights": None if cap.weights is None else cap.weights.tolist(),
            }
            for cap in self.caps
        ]
        costs = {"costs": [costs.to_dict() for costs in self.costs]} if self.costs else {}
        return {"kind": self.kind, "closure": self.closure.to_dict(), "caps": caps, **costs}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """The version space that `to_dict` described, in the bound class `hypotheses`."""
        if not isinstance(hypotheses, ClosedClass):
            raise InvalidInput(f"A closed version space needs an intersection-closed class, got {hypotheses!r}.")
        caps = []
        for cap in data["caps"]:
            points = np.array(cap["points"], np.float64).reshape(-1, hypotheses.bound_dim)
            weights = None if cap["weights"] is None else np.array(cap["weights"], np.int64)
            caps.append(Cap(points, cap["limit"], weights))
        costs = [CostCap.from_dict(hypotheses.bound_dim, costs) for costs in data.get("costs", [])]
        return cls(hypotheses, hypotheses.hypothesis_from_dict(data["closure"]), caps, costs)

    def _checked(self, points: Points) -> Points:
        return checks.matrix("points", points, self.hypotheses.bound_dim)

    def __repr__(self) -> str:
        caps = ", ".join(f"≤ {cap.limit} of {cap.total}" for cap in self.caps)
        return f"<version space of {self.hypotheses.name} ⊇ {self.closure}{'; ' if caps else ''}{caps}>"


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InvalidInput(f"{name} must be a whole number, got {value!r}; round a share of the points down.")
    return int(value)


def _checked_weights(weights: Any, n: int) -> NDArray[np.int64]:
    given = np.asarray(weights)
    if given.shape != (n,):
        raise InvalidInput(f"weights must be one number per point ({n}), got an array of shape {given.shape}.")
    if given.dtype.kind not in "iuf" or not np.all((given >= 0) & (given == np.floor(given))):
        raise InvalidInput(f"weights must be whole numbers that are not negative, got {given!r}; scale them first.")
    total = given.sum(dtype=np.float64)
    if total >= 2.0**53:
        raise InvalidInput(f"weights must add up to less than 2**53, got {total:g}; scale them down.")
    return given.astype(np.int64)
