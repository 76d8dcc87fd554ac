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
    """The members of `hypotheses` that satisfy all constraints so far."""

    hypotheses: HypothesisClass
    method: Method

    def among(self, points: Points) -> Self:
        """The same, for points of a pool such as these: what is read as equal is small beside their spread."""
        return self

    @property
    def most_capped(self) -> int | None:
        """The most rows that a cap should count, so that an answer is still dealt with quickly; None if any number."""
        return None

    @property
    def least(self) -> Hypothesis | None:
        """The member that lies within all others, where the class is intersection-closed; else None."""
        return None

    def compact(self) -> Self:
        """Return the same V, described by fewer numbers where that is possible."""
        return self

    @abstractmethod
    def require(self, points: Points) -> Self:
        """{h ∈ V : h contains every point}."""

    @abstractmethod
    def cap_mass(self, points: Points, limit: int, weights: NDArray[np.int64] | None = None) -> Self:
        """{h ∈ V : |h ∩ points| ≤ limit}, rows counted with their multiplicity, or with whole-number weights ≥ 0."""

    @abstractmethod
    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """{h ∈ V : |(h Δ center) ∩ points| ≤ limit}."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no hypothesis is left."""

    @abstractmethod
    def allows(self, hypothesis: Hypothesis) -> bool:
        """Whether `hypothesis`, a member of H, satisfies all constraints."""

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
        """Numbers that describe V; see `activepu.version_spaces.from_dict`."""

    @classmethod
    @abstractmethod
    def from_dict(cls, hypotheses: HypothesisClass, data: dict[str, Any]) -> VersionSpace:
        """The version space that `to_dict` described, in the bound class `hypotheses`."""

    def certain(self, points: Points) -> NDArray[np.bool_]:
        """Which points lie in every h ∈ V."""
        self._refuse_if_empty()
        return self._certain(points)

    def possible(self, points: Points) -> NDArray[np.bool_]:
        """Which points lie in some h ∈ V."""
        self._refuse_if_empty()
        return self._possible(points)

    def disagrees(self, points: Points) -> NDArray[np.bool_]:
        """DIS(V): which points lie in some h ∈ V but not in all."""
        self._refuse_if_empty()
        undecided = ~self._certain(points)
        if undecided.all():
            return self._possible(points)
        where = np.flatnonzero(undecided)
        undecided[where] = self._possible(points[where])
        return undecided

    def smallest(self, points: Points) -> Hypothesis:
        """An h ∈ V with the fewest of `points`; for intersection-closed classes always the closure."""
        self._refuse_if_empty()
        return self._smallest(points)

    def _refuse_if_empty(self) -> None:
        if self.is_empty():
            raise AssumptionsViolated(
                f"No hypothesis of the class '{self.hypotheses.name}' fits the answers and the caps: the class may be "
                "too simple for these positives, a revealed item may be wrong, a stated prior or rate too low, or "
                "chance was unkind (the delta of the certificate); try a richer class, check the reveals, or raise the "
                "prior."
            )
