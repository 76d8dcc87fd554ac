"""The version space of halfspaces: exact in the plane while it can be worked out there, sampled otherwise.

In the plane, requirements and mass caps are exact for any number of sites: about 1 s for 20,000 on one core. Signed
caps (`cap_distance`) need an enumeration in O(n² log n): 0.5 s for 400 sites and 5 s for 2,000. With more than
`MAX_PLANAR` sites and a signed cap, and in other dimensions than two, a sample of V's members takes over, for good, and
`method` says so.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.halfspaces import Floats, Halfspaces
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.planar import PlanarVersionSpace
from activepu.version_spaces.sampled import SampledVersionSpace
from activepu.version_spaces.signed_caps import SignedCaps

MAX_PLANAR = 2000
MOST_PLANAR, MOST_SAMPLED = 100_000, 3_000
"""The most rows that a cap should count, in the plane and beyond it: a requirement goes through all of them, in about
0.13 s and 0.15 s.
"""

Inner = PlanarVersionSpace | SampledVersionSpace


class HalfspaceVersionSpace(VersionSpace):
    """Answers through `inner`, a planar or a sampled version space with the same constraints."""

    kind: ClassVar[str] = "halfspaces"

    def __init__(self, hypotheses: Halfspaces, seed: int = 0, inner: Inner | None = None) -> None:
        self.hypotheses: Halfspaces = hypotheses
        self.seed = seed
        if inner is None:
            plane = hypotheses.bound_dim == 2
            inner = PlanarVersionSpace(hypotheses) if plane else SampledVersionSpace(hypotheses, seed)
        if inner.method == "exact" and _too_many(inner.caps):
            inner = SampledVersionSpace(hypotheses, seed).constrained(inner.caps)
        self.inner: Inner = inner
        self.method: Method = inner.method

    @property
    def most_capped(self) -> int:
        """Fewer beyond the plane, where members are sampled."""
        return MOST_PLANAR if self.hypotheses.bound_dim == 2 else MOST_SAMPLED

    def among(self, points: Points) -> Self:
        """Where it is worked out in the plane, in the frame of these points."""
        return self._with(self.inner.among(points))

    def require(self, points: Points) -> Self:
        """{h ∈ V : h contains every point}."""
        return self._with(self.inner.require(points))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """{h ∈ V : |h ∩ points| ≤ limit}."""
        return self._with(self.inner.cap_mass(points, limit, weights))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """{h ∈ V : |(h Δ center) ∩ points| ≤ limit}."""
        return self._with(self.inner.cap_distance(center, points, limit))

    def cap(self, points: Points, amounts: NDArray[np.int64], limit: int) -> Self:
        """{h ∈ V : Σ amount·h(x) ≤ limit over the points}, for whole amounts of any sign."""
        return self._with(self.inner.cap(points, amounts, limit))

    def is_empty(self) -> bool:
        """Whether no halfspace is left; when sampled, whether none was found."""
        return self.inner.is_empty()

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Whether `hypothesis` satisfies all constraints; exact in either case."""
        return self.inner.allows(hypothesis)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        return self.inner.certain(points)

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        return self.inner.possible(points)

    def _smallest(self, points: Points) -> Hypothesis:
        """Exact as long as V is, and with signed caps the sites and the undecided points are few enough together."""
        if self.method == "exact" and not self.inner.caps.masses_only:
            merged, _ = self.inner.caps.merge(points[self.inner.disagrees(points)])
            if _too_many(merged):
                found = SampledVersionSpace(self.hypotheses, self.seed).constrained(self.inner.caps)
                if not found.is_empty():
                    return found.smallest(points)
        return self.inner.smallest(points)

    @property
    def plane(self) -> PlanarVersionSpace | None:
        """`inner` where it is known as a union of patches: in the plane, if all caps are masses."""
        return self.inner.plane

    @property
    def members(self) -> Floats:
        """Some members, (m, D + 1) rows (w, b): the extreme ones in the plane, a sample beyond."""
        return self.inner.members

    def contain(self, points: Points) -> NDArray[np.bool_]:
        """(m, n): which of the points each of these members contains; where one lies on a line, it may be either."""
        return np.asarray(self.members[:, :-1] @ points.T >= self.members[:, -1:])

    def to_dict(self) -> dict[str, Any]:
        """The seed and what `inner` writes."""
        return {"kind": self.kind, "seed": self.seed, "inner": self.inner.to_dict()}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Reads `to_dict` back."""
        if not isinstance(hypotheses, Halfspaces):
            raise InvalidInput(f"A version space of halfspaces needs Halfspaces, got {hypotheses!r}.")
        kinds: dict[str, type[Inner]] = {"planar": PlanarVersionSpace, "sampled": SampledVersionSpace}
        return cls(hypotheses, data["seed"], kinds[data["inner"]["kind"]].from_dict(hypotheses, data["inner"]))

    def _with(self, inner: Inner) -> Self:
        return type(self)(self.hypotheses, self.seed, inner)


def _too_many(caps: SignedCaps) -> bool:
    return not caps.masses_only and len(caps.sites) > MAX_PLANAR


def halfspace_version_space(hypotheses: Halfspaces, seed: int = 0) -> HalfspaceVersionSpace:
    """All halfspaces of a bound class: exact in the plane, sampled beyond; `seed` matters only where sampled."""
    return HalfspaceVersionSpace(hypotheses, seed)
