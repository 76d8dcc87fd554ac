"""Constraints as signed caps: one form for every constraint that an answer or a sample puts on a hypothesis h.

On distinct sites x_1 … x_n, each constraint is Σ_k weight_jk · h(x_k) ≤ limit_j with whole numbers:
- `require` R:          −|h ∩ R| ≤ −|R|                                   (one row for all required sites)
- `cap_mass` on C:      Σ_{x∈C} w_x h(x) ≤ limit
- `cap_distance` to c:  |(h Δ c) ∩ P| ≤ limit ⇔ Σ_{x∈P\\c} h(x) − Σ_{x∈P∩c} h(x) ≤ limit − |P ∩ c|
- `cap` in general:     Σ_{x∈C} amount_x h(x) ≤ limit
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, Points
from activepu.version_spaces.caps import checked_weights, whole

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SignedCaps:
    """`sites` (n, D) are distinct; `weights` (1 + caps, n) and `limits` (1 + caps,); row 0 requires."""

    sites: NDArray[np.float64]
    weights: Ints
    limits: Ints

    @classmethod
    def none(cls, dim: int) -> Self:
        """Return no constraint."""
        return cls(np.empty((0, dim)), np.zeros((1, 0), np.int64), np.zeros(1, np.int64))

    @property
    def required(self) -> NDArray[np.bool_]:
        """Which sites every hypothesis must contain."""
        return np.asarray(self.weights[0] < 0)

    @property
    def masses_only(self) -> bool:
        """Whether no cap is signed."""
        return bool((self.weights[1:] >= 0).all())

    def require(self, points: Points) -> Self:
        """Add −|h ∩ R| ≤ −|R| for the distinct points R, old and new."""
        if len(points) == 0:
            return self
        merged, index = self.merge(points)
        weights = merged.weights.copy()
        weights[0, index] = -1
        limits = merged.limits.copy()
        limits[0] = weights[0].sum()
        return type(self)(merged.sites, weights, limits)

    def cap_mass(self, points: Points, limit: int, weights: Ints | None = None) -> Self:
        """Add |h ∩ points| ≤ limit."""
        amounts = np.ones(len(points), np.int64) if weights is None else checked_weights(weights, len(points))
        return self.cap(points, amounts, whole(limit))

    def cap_distance(self, center: Hypothesis, points: Points, limit: int) -> Self:
        """Add |(h Δ center) ∩ points| ≤ limit."""
        inside = center.contains(points)
        return self.cap(points, np.where(inside, -1, 1), whole(limit) - int(np.count_nonzero(inside)))

    def cap(self, points: Points, amounts: Ints, limit: int) -> Self:
        """Add one row, unless it is redundant, and drop the rows that it makes redundant.

        A row is redundant if another has at least its weights and at most its limit.
        """
        merged, index = self.merge(points)
        row = np.zeros(len(merged.sites), np.int64)
        np.add.at(row, index, amounts)
        if row[row > 0].sum() <= limit:
            return self
        caps, limits = merged.weights[1:], merged.limits[1:]
        if np.any((caps >= row).all(axis=1) & (limits <= limit)):
            return self
        keep = np.concatenate([[True], ~((caps <= row).all(axis=1) & (limit <= limits))])
        weights = np.vstack([merged.weights[keep], row])
        used = weights.any(axis=0)
        return type(self)(merged.sites[used], weights[:, used], np.append(merged.limits[keep], limit))

    def merge(self, points: Points) -> tuple[Self, NDArray[np.intp]]:
        """Return the same constraints with `points` among the sites, and the place of each; −0.0 is read as 0.0."""
        known = len(self.sites)
        sites, place = np.unique(np.concatenate([self.sites, points + 0.0]), axis=0, return_inverse=True)
        place = place.reshape(-1)
        weights = np.zeros((len(self.weights), len(sites)), np.int64)
        weights[:, place[:known]] = self.weights
        return type(self)(sites, weights, self.limits), place[known:]

    def holds(self, labels: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows of labels, one column per site, satisfy all constraints."""
        # Whole numbers below 2^53 are exact in float64, where the product is fast.
        sums = labels.astype(np.float64) @ self.weights.T.astype(np.float64)
        return np.asarray((sums <= self.limits).all(axis=1))

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether one hypothesis satisfies all constraints."""
        return bool(self.holds(hypothesis.contains(self.sites)[None])[0])

    def to_dict(self) -> dict[str, Any]:
        """Return sites, weights and limits as lists."""
        return {"sites": self.sites.tolist(), "weights": self.weights.tolist(), "limits": self.limits.tolist()}

    @classmethod
    def from_dict(cls, dim: int, data: dict[str, Any]) -> Self:
        """Read `to_dict` back."""
        sites = np.array(data["sites"], np.float64).reshape(-1, dim)
        limits = np.array(data["limits"], np.int64)
        weights = np.array(data["weights"], np.int64).reshape(len(limits), len(sites))
        return cls(sites, weights, limits)
