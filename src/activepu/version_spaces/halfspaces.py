"""The version space of halfspaces: exact in the plane as long as that is feasible, sampled otherwise.

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
    """The version space of `Halfspaces`: exact in the plane, sampled in other dimensions.

    In the plane, requirements and mass caps are exact for any number of sites. With signed caps (`cap_distance`) it is
    exact for up to 2,000 sites; beyond that a sample takes over. `method` says which it is. A sample underestimates
    DIS(V): a point on which the sampled members agree may be undecided. Immutable.

    Parameters
    ----------
    hypotheses : Halfspaces
        The bound class.
    seed : int
        The randomness of a sample.
    inner : PlanarVersionSpace or SampledVersionSpace, optional
        The version space with the same constraints that answers; all halfspaces by default.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.version_spaces import HalfspaceVersionSpace
    >>> V = HalfspaceVersionSpace(apu.Halfspaces(dim=2)).require(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> V.method, V.certain(np.array([[0.5, 0.5], [0.0, 0.0]])).tolist()
    ('exact', [True, False])

    References
    ----------
    Edelsbrunner, *Algorithms in Combinatorial Geometry*, 1987, chapters 3 and 12; Smith, "Efficient Monte Carlo
    procedures for generating points uniformly distributed over bounded regions", Operations Research 32 (1984).
    """

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
        """Return the same V; in the plane it is then computed in the frame of these points."""
        return self._with(self.inner.among(points))

    def require(self, points: Points) -> Self:
        """Return {h ∈ V : h contains every point}."""
        return self._with(self.inner.require(points))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Return {h ∈ V : |h ∩ points| ≤ limit}."""
        return self._with(self.inner.cap_mass(points, limit, weights))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Return {h ∈ V : |(h Δ center) ∩ points| ≤ limit}."""
        return self._with(self.inner.cap_distance(center, points, limit))

    def cap(self, points: Points, amounts: NDArray[np.int64], limit: int) -> Self:
        """Return {h ∈ V : Σ amount·h(x) ≤ limit over the points}, for whole amounts of any sign."""
        return self._with(self.inner.cap(points, amounts, limit))

    def is_empty(self) -> bool:
        """Return whether no halfspace is left; when sampled, whether none was found."""
        return self.inner.is_empty()

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether `hypothesis` satisfies all constraints; exact in either case."""
        return self.inner.allows(hypothesis)

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        return self.inner.certain(points)

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        return self.inner.possible(points)

    def _smallest(self, points: Points) -> Hypothesis:
        """Exact if V is; with signed caps only if the sites and the undecided points together are few enough."""
        if self.method == "exact" and not self.inner.caps.masses_only:
            merged, _ = self.inner.caps.merge(points[self.inner.disagrees(points)])
            if _too_many(merged):
                found = SampledVersionSpace(self.hypotheses, self.seed).constrained(self.inner.caps)
                if not found.is_empty():
                    return found.smallest(points)
        return self.inner.smallest(points)

    @property
    def plane(self) -> PlanarVersionSpace | None:
        """`inner` if it is known as a union of patches, that is in the plane with mass caps alone; else None."""
        return self.inner.plane

    @property
    def members(self) -> Floats:
        """Some members, (m, D + 1) rows (w, b): the extreme ones in the plane, a sample in other dimensions."""
        return self.inner.members

    def contain(self, points: Points) -> NDArray[np.bool_]:
        """Return (m, n): which points each of these members contains; a point on a member's line may be either."""
        return np.asarray(self.members[:, :-1] @ points.T >= self.members[:, -1:])

    def to_dict(self) -> dict[str, Any]:
        """Return the seed and the description of `inner`."""
        return {"kind": self.kind, "seed": self.seed, "inner": self.inner.to_dict()}

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        if not isinstance(hypotheses, Halfspaces):
            raise InvalidInput(f"A version space of halfspaces needs Halfspaces, got {hypotheses!r}.")
        kinds: dict[str, type[Inner]] = {"planar": PlanarVersionSpace, "sampled": SampledVersionSpace}
        return cls(hypotheses, data["seed"], kinds[data["inner"]["kind"]].from_dict(hypotheses, data["inner"]))

    def _with(self, inner: Inner) -> Self:
        return type(self)(self.hypotheses, self.seed, inner)


def _too_many(caps: SignedCaps) -> bool:
    return not caps.masses_only and len(caps.sites) > MAX_PLANAR
