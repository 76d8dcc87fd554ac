"""What an audit is to show: a recall, a precision or an error, as one inequality about the positives by stratum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from activepu.audit.strata import Strata

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """One statement that is wanted: recall or precision of at least `value`, or an error of at most `value`.

    It is missed if Σ_k c_k A_k ≥ v: the coefficients c are per item, A_k is the number of positives in stratum k.
    """

    kind: str
    value: float

    def coefficients(self, strata: Strata) -> Floats:
        """Return c, by stratum."""
        w, inside = strata.weights, strata.inside
        if self.kind == "recall":  # missed if Σ_in A ≤ ρ Σ A
            return w * (self.value - inside)
        if self.kind == "precision":  # missed if Σ_in A ≤ ρ · called
            return np.where(inside, -w, 0.0)
        return np.where(inside, -w, w)  # missed if called − Σ_in A + Σ_out A ≥ ε · rows

    def limit(self, strata: Strata) -> float:
        """Return v."""
        if self.kind == "recall":
            return 0.0
        if self.kind == "precision":
            return -self.value * strata.called
        return self.value * strata.rows - strata.called

    def met(self, low: float, high: float) -> bool:
        """Whether bounds on the quantity show it."""
        return high <= self.value if self.kind == "error" else low >= self.value

    def __str__(self) -> str:
        return f"{self.kind} {'at most' if self.kind == 'error' else 'at least'} {100 * self.value:.4g}%"


@dataclass(frozen=True)
class Quantity:
    """A quantity as a function of the positives where the classifier says yes (`found`) and no (`lost`).

    `up` are the signs of the two in which it grows.
    """

    value: Callable[[Floats, Floats], Floats]
    up: tuple[float, float]


def quantities(rows: float, called: float) -> dict[str, Quantity]:
    """Return recall, precision, error and prior for a classifier that calls `called` of `rows` rows positive."""

    def precision(found: Floats, lost: Floats) -> Floats:
        return found / called if called else np.ones_like(found)

    return {
        "recall": with_found(0.0),
        "precision": Quantity(precision, (1, 0)),
        "error": Quantity(lambda found, lost: (called - found + lost) / rows, (-1, 1)),
        "prior": Quantity(lambda found, lost: (found + lost) / rows, (1, 1)),
    }


def with_found(confirmed: float) -> Quantity:
    """Return the recall where so many further positives are known, and count as found; 1 where there are none."""

    def recall(found: Floats, lost: Floats) -> Floats:
        total = confirmed + found + lost
        return np.where(total > 0, (confirmed + found) / np.where(total > 0, total, 1.0), 1.0)

    return Quantity(recall, (1, -1))
