"""Rivals: members that still stand although they are too far from what would be returned.

The certificate waits for them. Let E(h) be the evidence against h, which falls when ln E(h) > ln(1/δ): Q / L(h), or
that of its sides (`rivals.known_rate`). The evidence that is still needed, over all rivals,

    Φ = Σ_h weight(h) · max(0, ln(1/δ) − ln E(h)),    h with |h Δ ĥ| > `spare` only,

is 0 when every hypothesis that stands is near. With E = Q / L, a ★ at z adds ln(1 − q) to every ln E(h), and what one
more silence costs h to those with z ∈ h; a reveal adds ln q, removes what lacks z, and may bring others near.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.zcal.candidates import Candidates
from activepu.zcal.posteriors.base import Posterior

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Counts = NDArray[np.intp]

TINY = 1e-12


class Open(NamedTuple):
    """A question without an answer: its item and point, the number of its expert's group, and the prediction."""

    item: int
    x: Points
    group: int
    q: float


@dataclass(frozen=True, eq=False)
class Scene:
    """What a confidence set is told when it is asked for rivals.

    `posterior` supposes that the open questions `waiting` stay silent; `probability` is P(h ∋ x) by it on the rows
    `candidates.reference`. `group` is the expert who is asked. `witness` is the farthest member that is known, or
    None.
    """

    candidates: Candidates
    posterior: Posterior
    probability: Floats
    group: int
    waiting: Sequence[Open]
    epsilon: float
    witness: Any

    def silent(self, stars: Points) -> Points:
        """The points of the open questions; `stars` are those that were answered by silence."""
        return np.concatenate([stars[:0], *(question.x for question in self.waiting)])


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
