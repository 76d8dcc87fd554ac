"""Rivals: members that still stand although they are too far from what would be returned.

The certificate waits for them. Let E(h) be the evidence against h, which falls when ln E(h) > ln(1/δ): Q / L(h), or
that of its sides (`rivals.sided`). The evidence that is still needed, over all rivals,

    Φ = Σ_h weight(h) · max(0, ln(1/δ) − ln E(h)),    h with |h Δ ĥ| > `spare` only,

is 0 when every hypothesis that stands is near. With E = Q / L, a ★ at z adds ln(1 − q) to every ln E(h), and what one
more silence costs h to those with z ∈ h; a reveal adds ln q, removes what lacks z, and may bring others near.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Counts = NDArray[np.intp]

TINY = 1e-12


class Rivals(ABC):
    """J rivals that together weigh `weight`, what is `missing` (J,) against each, and who is `far` (J,)."""

    missing: Floats
    far: Bools
    weight: float

    @abstractmethod
    def holds(self, points: Points) -> Bools:
        """(J, K): which rivals contain which points."""

    @abstractmethod
    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """(J, K): what is missing once each point, which was to be revealed with probability q, has answered ★."""

    @abstractmethod
    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """(J, K): what is missing, and who is far, once each point was revealed."""

    def needed(self, missing: Floats, far: Bools) -> Floats:
        """Φ, by columns."""
        needed = np.maximum(missing, 0.0, where=far, out=np.zeros(missing.shape))
        return np.asarray(self.weight * needed.mean(axis=0))
