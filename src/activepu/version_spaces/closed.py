"""The exact version space of an intersection-closed class: one closure and some caps.

    V = {h ∈ H : h ⊇ closure(R) and Σ_{c ∈ C_j ∩ h} w_c ≤ limit_j for all j}.

Weights are ≥ 0, so a cap that h meets is met by every member within h. Hence V ≠ ∅ exactly if closure(R) meets all
caps; it is then the least member of V, so the certain positives are its points, and x lies in some member exactly if
closure(R ∪ {x}) meets all caps. With R = ∅ the least member is ∅, which every class contains.

The class has to provide its `closure` and nothing else. Classes with coordinates are searched much faster (`boxlike`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.closed import ClosedClass, Closure
from activepu.hypotheses.contract import check_closure, closure_of
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.caps import Cap

MOST_CAPPED = 2000
"""Points that a cap should have at most: the class is asked about each pair of an item and one of them."""
CHUNK = 2**24
"""How many pairs of a point and a cap point are compared at once."""


class ClosedVersionSpace(VersionSpace):
    """The exact version space of a `ClosedClass`: the members that contain a closure and meet some caps.

    The default for every class with a closure. Each question about a cap computes one closure per distinct point,
    unless the class overrides `ClosedClass.grown`. Immutable; it keeps the arrays that it is given.

    Parameters
    ----------
    hypotheses : ClosedClass
        The bound class.
    closure : Closure, optional
        The closure of `required`; computed where it is not given.
    caps : sequence of Cap
        At most this weight of these points.
    required : array, optional
        Points that every member contains.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.version_spaces import ClosedVersionSpace
    >>> H = apu.Intervals()
    >>> V = ClosedVersionSpace(H).require(H.encode([1.0, 2.0])).cap_mass(H.encode([4.0, 5.0]), 1)
    >>> V.possible(H.encode([3.0, 4.5, 5.5])).tolist()
    [True, True, False]
    """

    method: Method = "exact"
    kind: ClassVar[str] = "closure"

    def __init__(
        self,
        hypotheses: ClosedClass,
        closure: Closure | None = None,
        caps: Sequence[Cap] = (),
        required: Points | None = None,
    ) -> None:
        self.hypotheses: ClosedClass = hypotheses
        self.required = hypotheses.no_points if required is None else required
        self.closure: Closure = closure_of(hypotheses, self.required) if closure is None else closure
        self.least = self.closure
        self.caps = tuple(caps)

    def among(self, points: Points) -> Self:
        """Return the same V; refuse a class whose `closure` breaks its contract on some of these points."""
        check_closure(self.hypotheses, points)
        return self

    @property
    def most_capped(self) -> int | None:
        """How many points a cap should have at most, for time."""
        return MOST_CAPPED

    def require(self, points: Points) -> Self:
        """Return {h ∈ V : h contains every point}; V itself if the closure already does."""
        new = points[~self.closure.contains(points)]
        if len(new) == 0:
            return self
        return type(self)(self.hypotheses, None, self.caps, np.concatenate([self.required, new]))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Return {h ∈ V : the weight of h ∩ points is ≤ limit}; a negative limit leaves no member."""
        cap = Cap.checked(points, limit, weights)
        return self if cap.total <= cap.limit else self._capped([*self.caps, cap])

    def _capped(self, caps: Sequence[Cap]) -> Self:
        return type(self)(self.hypotheses, self.closure, caps, self.required)

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Return {h ∈ V : |(h Δ center) ∩ points| ≤ limit}.

        Every h contains the center, so that this is a cap on the points outside the center.
        """
        if not isinstance(center, Closure) or not center.within(self.closure):
            raise InvalidInput(
                f"cap_distance needs a center inside the closure of the required points, {self.closure!r}, "
                f"got {center!r}; require the center's points first."
            )
        return self.cap_mass(points[~center.contains(points)], limit)

    def is_empty(self) -> bool:
        """Return whether closure(R) breaks a cap."""
        return self._is_empty

    @cached_property
    def _is_empty(self) -> bool:
        return not self._meets_caps(self.closure)

    def _meets_caps(self, h: Hypothesis) -> bool:
        return all(cap.mass(h.contains(cap.points)) <= cap.limit for cap in self.caps)

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether `hypothesis` contains closure(R) and meets every cap."""
        if not isinstance(hypothesis, Closure):
            raise InvalidInput(f"allows needs a member of '{self.hypotheses.name}', got {hypothesis!r}.")
        return self.closure.within(hypothesis) and self._meets_caps(hypothesis)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        return self.closure.contains(points)

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        possible = np.ones(len(points), bool)
        if not self.caps:
            return possible
        targets = np.concatenate([cap.points for cap in self.caps])  # one closure per point serves all caps
        ends = np.cumsum([len(cap.points) for cap in self.caps])[:-1]
        step = max(1, CHUNK // max(1, len(targets)))
        for start in range(0, len(points), step):
            some = slice(start, start + step)
            held = self.hypotheses.grown(self.required, points[some], targets)
            for cap, inside in zip(self.caps, np.split(held, ends, axis=1), strict=True):
                possible[some] &= inside @ cap.amounts <= cap.limit
        return possible

    def _smallest(self, points: Points) -> Closure:
        return self.closure

    def to_dict(self) -> dict[str, Any]:
        """Return the required points and the caps as JSON numbers."""
        return {
            "kind": self.kind,
            "required": self.required.tolist(),
            "caps": [cap.to_dict() for cap in self.caps],
        }

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        if not isinstance(hypotheses, ClosedClass):
            raise InvalidInput(f"A closed version space needs an intersection-closed class, got {hypotheses!r}.")
        none = hypotheses.no_points
        caps = [Cap.from_dict(cap, none) for cap in data["caps"]]
        required = np.array(data["required"], none.dtype).reshape(-1, *none.shape[1:])
        return cls(hypotheses, None, caps, required)

    def __repr__(self) -> str:
        caps = ", ".join(f"≤ {cap.limit} of {cap.total}" for cap in self.caps)
        return f"<version space of {self.hypotheses.name} ⊇ {self.closure}{'; ' if caps else ''}{caps}>"
