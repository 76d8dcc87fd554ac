"""Rivals: members that are still possible although they are too far from the rule that would be returned.

The certificate has to wait until all rivals are excluded. Let E(h) be the evidence against h: Q / L(h), or that of the
bets on its sides (`rivals.known_rate`). A rival h is excluded when ln E(h) > ln(1/δ). The evidence that is still needed
against all rivals,

    Φ = Σ_h weight(h) · max(0, ln(1/δ) − ln E(h)),    h with |h Δ ĥ| > `spare` only,

is 0 when every possible hypothesis is near. With E = Q / L, a ★ at z adds ln(1 − q) to every ln E(h), and, for h ∋ z,
also what one more silence costs h. A reveal at z adds ln q, removes every h without z, and may bring others near.
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
    """What a confidence set is given when it is asked for rivals.

    `posterior` treats the open questions `waiting` as silent; `probability` is its P(h ∋ x) on the rows
    `candidates.reference`. `group` is the expert who is asked. `witness` is the farthest known member, or None.
    """

    candidates: Candidates
    posterior: Posterior
    probability: Floats
    group: int
    waiting: Sequence[Open]
    epsilon: float
    witness: Any

    def silent(self, stars: Points) -> Points:
        """Return the points of the open questions; `stars` are the points that were answered by silence."""
        return np.concatenate([stars[:0], *(question.x for question in self.waiting)])


class Rivals(ABC):
    """J rivals with a total weight of `weight`; (J,) what is `missing` against each, and which are `far`."""

    missing: Floats
    far: Bools
    weight: float

    @abstractmethod
    def holds(self, points: Points) -> Bools:
        """Return (J, K): which rivals contain which points."""

    @abstractmethod
    def silent(self, points: Points, q: Floats, group: int) -> Floats:
        """Return (J, K): what is missing after a ★ at each point, where a reveal had probability q."""

    @abstractmethod
    def revealed(self, points: Points, q: Floats, group: int) -> tuple[Floats, Bools]:
        """Return (J, K): what is missing, and which rivals are far, after a reveal at each point."""

    def needed(self, missing: Floats, far: Bools) -> Floats:
        """Return Φ for each column."""
        needed = np.maximum(missing, 0.0, where=far, out=np.zeros(missing.shape))
        return np.asarray(self.weight * needed.mean(axis=0))
