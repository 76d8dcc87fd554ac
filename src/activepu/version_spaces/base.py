"""The version space V ⊆ H: the hypotheses that are still possible.

Immutable: `require` and the caps return a smaller V, so that "freeze DIS(V)" in an algorithm is just keeping V.
Every question "for all h in V" raises on an empty V instead of being vacuously true.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points

Method = Literal["exact", "sampled"]
"""Whether DIS(V) is known exactly or through a sample of V's members."""


class VersionSpace(ABC):
    """The version space V ⊆ H: the members of a class that satisfy all constraints so far.

    `version_space(H)` is all of H. A reveal is a constraint: V must contain the item (`require`). So is a bound on how
    many items of a sample a rule may call positive (`cap_mass`), or on how far it may be from another rule
    (`cap_distance`). Version spaces are immutable; each of these returns a smaller one.

    An item is certain if it lies in every member of V, possible if it lies in some, and undecided if it is possible and
    not certain. These questions raise `AssumptionsViolated` on an empty V: then no rule of the class fits.

    To write one of your own, define the abstract methods, register it with ``Registration(version_space=…)``, and run
    `activepu.testing.check_version_space` on it.

    Attributes
    ----------
    hypotheses : HypothesisClass
        The bound class H.
    method : "exact" or "sampled"
        Whether DIS(V), the undecided, is known exactly or through a sample of V's members.

    See Also
    --------
    Frontier : what V decides about every item of a pool, updated while V shrinks.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> V = apu.version_space(apu.Boxes(dim=2))
    >>> V = V.require(np.array([[1.0, 1.0], [2.0, 2.0]]))
    >>> V = V.cap_mass(np.array([[1.5, 5.0]]), 0)
    >>> items = np.array([[1.5, 1.5], [1.5, 4.0], [1.5, 6.0]])
    >>> V.certain(items).tolist(), V.possible(items).tolist()
    ([True, False, False], [True, True, False])
    >>> print(V.smallest(items))
    1 <= x0 <= 2 and 1 <= x1 <= 2

    References
    ----------
    Mitchell, "Generalization as search", Artificial Intelligence 18 (1982).
    """

    hypotheses: HypothesisClass
    method: Method
    least: Hypothesis | None = None
    """The member that lies within all others, where the class is intersection-closed; else None."""

    def among(self, points: Points) -> Self:
        """Return the same V for a pool with these points; rounding tolerances are small compared with their spread."""
        return self

    @property
    def most_capped(self) -> int | None:
        """The most rows that a cap should count, so that an answer is still dealt with quickly; None if any number."""
        return None

    def compact(self) -> Self:
        """Return the same V, described by fewer numbers where that is possible."""
        return self

    @abstractmethod
    def require(self, points: Points) -> Self:
        """Return {h ∈ V : h contains every point}."""

    @abstractmethod
    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """Return {h ∈ V : |h ∩ points| ≤ limit}.

        Rows count with their multiplicity, or with whole-number weights ≥ 0. A negative limit leaves no member.
        """

    @abstractmethod
    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Return {h ∈ V : |(h Δ center) ∩ points| ≤ limit}."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Return whether no hypothesis is left."""

    @abstractmethod
    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether `hypothesis`, a member of H, satisfies all constraints."""

    @abstractmethod
    def _certain(self, points: Points) -> NDArray[np.bool_]:
        """`certain` on a nonempty V."""

    @abstractmethod
    def _possible(self, points: Points) -> NDArray[np.bool_]:
        """`possible` on a nonempty V."""

    @abstractmethod
    def _smallest(self, points: Points) -> Hypothesis:
        """`smallest` on a nonempty V."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return V as JSON values; `activepu.version_spaces.from_dict` reads them back."""

    @classmethod
    @abstractmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> VersionSpace:
        """Return the version space that `to_dict` described, in the bound class `hypotheses`."""

    def certain(self, points: Points) -> NDArray[np.bool_]:
        """Return which points lie in every h ∈ V."""
        self._refuse_if_empty()
        return self._certain(points)

    def possible(self, points: Points) -> NDArray[np.bool_]:
        """Return which points lie in some h ∈ V."""
        self._refuse_if_empty()
        return self._possible(points)

    def disagrees(self, points: Points) -> NDArray[np.bool_]:
        """Return DIS(V): which points lie in some h ∈ V but not in all."""
        self._refuse_if_empty()
        undecided = ~self._certain(points)
        if undecided.all():
            return self._possible(points)
        where = np.flatnonzero(undecided)
        undecided[where] = self._possible(points[where])
        return undecided

    def smallest(self, points: Points) -> Hypothesis:
        """Return an h ∈ V with the fewest of `points`; for intersection-closed classes always the closure.

        Where V is sampled it is a member with few points, not always the fewest.
        """
        self._refuse_if_empty()
        return self._smallest(points)

    def _refuse_if_empty(self) -> None:
        if self.is_empty():
            raise AssumptionsViolated(
                f"No hypothesis of the class '{self.hypotheses.name}' fits the answers and the caps: the class may be "
                "too simple for these positives, a revealed item may be wrong, a stated prior or rate too low, or "
                "the sample was unlucky (the delta of the certificate); try a richer class, check the reveals, or "
                "raise the prior."
            )
