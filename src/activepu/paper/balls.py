"""Empirical balls B̂_S(h, r) = {h′ ∈ H : ρ_S(h, h′) ≤ r}, and the disagreement coefficient that they give.

On the rows S of a pool both follow from one number per item, its flip cost (`theory.balls`): with c(x) the least
|(h Δ h′) ∩ S| over members h′ that label x differently from h, x ∈ DIS(B̂_S(h, r)) ⇔ c(x) ≤ r|S|, since h itself is in
the ball. So Δ(B̂_S(h, r)) is the share of rows with c ≤ r|S|, a step function of r, and Δ/r is largest at a step or at
r0.

Where only bounds of a flip cost are known, the region is that of members that were found (method "sampled"): a point in
it is certainly undecided, one outside it may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses import Hypothesis, HypothesisClass, Points
from activepu.theory.balls import Counts, flip_bounds
from activepu.version_spaces.base import Method


class Ball:
    """All members of a class that differ from `center` on at most a share `radius` of the pool's rows.

    It answers like a version space, for encoded points: `disagrees`, `certain`, `possible`, `allows`. `method` is
    "exact" if the region of disagreement is known exactly on the rows of the pool, "sampled" if it is that of the
    members that were found, which may be smaller.
    """

    def __init__(self, center: Hypothesis, radius: float, points: Points) -> None:
        self.hypotheses: HypothesisClass = center.hypotheses
        self.center = center
        self.radius = radius
        self.points = points
        flip_bounds(center, points[:0], points[:0])  # refuses a class without flip costs now, not at the first question

    @cached_property
    def _bounds(self) -> tuple[Counts, Counts]:
        return flip_bounds(self.center, self.points, self.points)

    @property
    def method(self) -> Method:
        """Whether every row of the pool is decided: a member was found that flips it, or there is none."""
        least, found = self._bounds
        return "exact" if np.array_equal(self._near(least), self._near(found)) else "sampled"

    def disagrees(self, points: Points) -> NDArray[np.bool_]:
        """DIS: which points lie in some member but not in all."""
        own = points is self.points or np.array_equal(points, self.points)
        found = self._bounds[1] if own else flip_bounds(self.center, self.points, points)[1]
        return self._near(found)

    def certain(self, points: Points) -> NDArray[np.bool_]:
        """Which points lie in every member."""
        return self.center.contains(points) & ~self.disagrees(points)

    def possible(self, points: Points) -> NDArray[np.bool_]:
        """Which points lie in some member."""
        return self.center.contains(points) | self.disagrees(points)

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Whether `hypothesis`, a member of the class, is in the ball."""
        if not isinstance(hypothesis, Hypothesis) or type(hypothesis.hypotheses) is not type(self.hypotheses):
            raise InvalidInput(f"allows needs a member of '{self.hypotheses.name}', got {hypothesis!r}.")
        away = np.count_nonzero(hypothesis.contains(self.points) != self.center.contains(self.points))
        return bool(self._near(np.array([away]))[0])

    def _near(self, costs: Counts) -> NDArray[np.bool_]:
        # As a share: 29/100 ≤ 0.29 holds in floating point, 29 ≤ 0.29·100 does not.
        return np.asarray(costs / len(self.points) <= self.radius)

    def __repr__(self) -> str:
        return f"<ball of radius {self.radius:g} around {self.center!r} on {len(self.points):,} rows>"


@dataclass(frozen=True)
class Coefficient:
    """θ: Δ(B(h, r)) ≤ value·r for every r ≥ r0.

    `value`    the coefficient; with method "sampled" it may be too small
    `r0`       the least radius that it holds for
    `method`   "closed form", for a distribution as in `about`; "exact" on the pool's rows; "sampled" on the pool's rows
    `upper`    never below the coefficient; equal to `value` unless sampled. Algorithms 1 and 3 are safe with this one
    `about`    what it speaks of
    """

    value: float
    r0: float
    method: Literal["closed form", "exact", "sampled"]
    upper: float
    about: str

    def __float__(self) -> float:
        return self.value


def coefficient_at(center: Hypothesis, points: Points, r0: float) -> Coefficient:
    """max(1, sup_{r ≥ r0} Δ(B̂_S(center, r))/r) on the rows `points`."""
    least, found = flip_bounds(center, points, points)
    value, upper = _steepest(found, r0), _steepest(least, r0)
    about = f"the empirical distribution of {len(points):,} rows, around: {center}"
    return Coefficient(value, r0, "exact" if value == upper else "sampled", upper, about)


def _steepest(costs: Counts, r0: float) -> float:
    """A row of the pool costs at least 1, its own flip, so that no step lies at r = 0."""
    n = len(costs)
    steps, counts = np.unique(costs[costs <= n], return_counts=True)
    slopes = counts.cumsum() / n / np.maximum(steps / n, r0)
    return max(1.0, float(slopes.max(initial=1.0)))
