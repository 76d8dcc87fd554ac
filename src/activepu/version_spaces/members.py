"""The version space of any class, as a list of its members: all of them, or a sample.

For a class that lists its members (`HypothesisClass.members`) it is exact. For any other class it keeps a sample of the
members that satisfy all constraints, drawn by `HypothesisClass.sample`, and draws more when constraints have left too
few. What a sample says about "all h ∈ V" is not proved, and `method` says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points, read_hypothesis
from activepu.hypotheses.contract import check_members, check_sample
from activepu.version_spaces.base import Method, VersionSpace
from activepu.version_spaces.signed_caps import SignedCaps

WANTED = 256
"""The size of a sample."""
FEWEST = 64
"""More members are drawn when constraints have left fewer than this."""
ROUNDS = 24
"""The largest number of draws, of `WANTED` members each, to fill a sample."""
AROUND = 1024
"""Points of the pool that are shown to `HypothesisClass.sample`."""


class MemberVersionSpace(VersionSpace):
    """The version space of any class, as a list of members: exact if the class lists them, otherwise a sample.

    The default for classes that define `HypothesisClass.members` or `HypothesisClass.sample`. ∅ is in the list while it
    is possible. Immutable.

    Parameters
    ----------
    hypotheses : HypothesisClass
        A bound class that lists or samples its members.
    seed : int
        The randomness of a sample.
    caps : SignedCaps, optional
        The constraints so far.
    around : array, optional
        Points of the pool, which `HypothesisClass.sample` is given.
    members : sequence of Hypothesis, optional
        Members that are known to be possible.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.version_spaces import MemberVersionSpace
    >>> points = np.array([[1.0], [2.0], [3.0]])
    >>> V = MemberVersionSpace(apu.Intervals()).among(points).require(points[:2])
    >>> V.method, V.certain(points).tolist()
    ('sampled', [True, True, False])
    """

    kind: ClassVar[str] = "members"

    def __init__(
        self,
        hypotheses: HypothesisClass,
        seed: int = 0,
        caps: SignedCaps | None = None,
        around: Points | None = None,
        members: Sequence[Hypothesis] | None = None,
    ) -> None:
        self.hypotheses, self.seed = hypotheses, seed
        none = hypotheses.no_points
        self.caps = SignedCaps.none(none.shape[1]) if caps is None else caps
        self.around = none if around is None else around
        listed = hypotheses.members() if members is None else members
        self._sampled = hypotheses.members() is None
        self.method: Method = "sampled" if self._sampled else "exact"
        self._kept = None if listed is None else list(listed)
        if members is None and self._kept is not None:
            self._kept = [*self._kept, hypotheses.empty]

    @cached_property
    def members(self) -> list[Hypothesis]:
        """The members that are known to satisfy all constraints."""
        kept = [hypothesis for hypothesis in (self._kept or [self.hypotheses.empty]) if self.allows(hypothesis)]
        if self._sampled and len(kept) < FEWEST and len(self.around):
            rng = np.random.default_rng([self.seed, len(self.caps.limits), len(self.caps.sites)])
            required = self.caps.sites[self.caps.required]
            for _ in range(ROUNDS):
                drawn = self.hypotheses.sample(self.around, required, WANTED, rng)
                check_sample(self.hypotheses, drawn, required)
                kept += [hypothesis for hypothesis in drawn if self.allows(hypothesis)]
                if len(kept) >= WANTED:
                    break
        return kept[:WANTED] if self._sampled else kept

    def among(self, points: Points) -> Self:
        """Return the same V, with a sample that is drawn for a pool with these points."""
        if not self._sampled:
            check_members(self.hypotheses, "members", self._kept, points)
            return self
        if len(points) == 0:
            return self
        return self._with(self.caps, points[:: -(-len(points) // AROUND)])

    def require(self, points: Points) -> Self:
        """Return {h ∈ V : h contains every point}."""
        return self._with(self.caps.require(points), self._seen(points))

    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Return {h ∈ V : |h ∩ points| ≤ limit}."""
        return self._with(self.caps.cap_mass(points, limit, weights), self._seen(points))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Return {h ∈ V : |(h Δ center) ∩ points| ≤ limit}."""
        return self._with(self.caps.cap_distance(center, points, limit), self._seen(points))

    def is_empty(self) -> bool:
        """Return whether no member is left; when sampled, whether none was found."""
        return not self.members

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether `hypothesis` satisfies all constraints; exact in either case."""
        return self.caps.allows(hypothesis)

    def contain(self, points: Points) -> NDArray[np.bool_]:
        """Return (members, points): which of the points each member contains."""
        return np.array([h.contains(points) for h in self.members], bool).reshape(len(self.members), len(points))

    def _certain(self, points: Points) -> NDArray[np.bool_]:
        return np.asarray(self.contain(points).all(axis=0))

    def _possible(self, points: Points) -> NDArray[np.bool_]:
        return np.asarray(self.contain(points).any(axis=0))

    def _smallest(self, points: Points) -> Hypothesis:
        return self.members[int(np.argmin(self.contain(points).sum(axis=1)))]

    def to_dict(self) -> dict[str, Any]:
        """Return the constraints and the members that are left."""
        return {
            "kind": self.kind,
            "seed": self.seed,
            "caps": self.caps.to_dict(),
            "members": [h.to_dict() for h in self.members],
        }

    @classmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        none = hypotheses.no_points
        members = [read_hypothesis(hypotheses, member) for member in data["members"]]
        return cls(hypotheses, data["seed"], SignedCaps.from_dict(none.shape[1], data["caps"]), none, members)

    def _seen(self, points: Points) -> Points:
        """Return the known points of the pool; if there are none, the first points of a constraint."""
        return self.around if len(self.around) or not self._sampled else points[:AROUND]

    def _with(self, caps: SignedCaps, around: Points) -> Self:
        if caps is self.caps and around is self.around:
            return self
        known = self.members if "members" in self.__dict__ or self._kept is not None else None
        return type(self)(self.hypotheses, self.seed, caps, around, known)
