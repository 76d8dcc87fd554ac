"""Empirical balls B̂_S(h, r) = {h′ ∈ H : ρ_S(h, h′) ≤ r}, and the disagreement coefficient that they give.

On the rows S of a pool both follow from one number per item, its flip cost (`theory.flips`): with c(x) the least
|(h Δ h′) ∩ S| over members h′ that label x differently from h, x ∈ DIS(B̂_S(h, r)) ⇔ c(x) ≤ r|S|, since h itself is in
the ball. So Δ(B̂_S(h, r)) is the share of rows with c ≤ r|S|, a step function of r, and Δ/r is largest at a step or at
r0.

Where only bounds of a flip cost are known, the region is that of members that were found (method "sampled"): a point in
it is certainly undecided, and a point outside it may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses import Hypothesis, HypothesisClass, Points
from activepu.theory.flips import Counts, flip_costs
from activepu.version_spaces.base import Method


class EmpiricalBall:
    """B̂_S(h, r): all members of a class that differ from the center h on at most a share r of the rows S.

    It answers like a version space, for encoded points: `disagrees`, `certain`, `possible`, `allows`. `method` is
    "exact" if the region of disagreement is known exactly on the rows of the pool, "sampled" if it is that of the
    members that were found, which may be smaller. `activepu.paper.ball` makes one from a pool.

    Parameters
    ----------
    center : Hypothesis
        h, a member of a bound class with flip costs.
    radius : float
        r, a share of rows.
    points : array
        The rows S, as points of the class.

    Examples
    --------
    >>> import activepu as apu
    >>> near = apu.paper.ball(lambda X: X[:, 0] >= 2, 0.25, [[0], [1], [2], [3]], H=apu.Thresholds())
    >>> near.disagrees(near.points).tolist(), near.certain(near.points).tolist()
    ([False, True, True, False], [False, False, False, True])

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.4.
    """

    def __init__(self, center: Hypothesis, radius: float, points: Points) -> None:
        self.hypotheses: HypothesisClass = center.hypotheses
        self.center = center
        self.radius = radius
        self.points = points
        self._costs = flip_costs(center, points)  # refuses a class without flip costs

    @cached_property
    def _bounds(self) -> tuple[Counts, Counts]:
        return self._costs.bounds(self.points)

    @property
    def method(self) -> Method:
        """Whether the region is exact on the pool: each row is flipped by a member that was found, or by none."""
        least, found = self._bounds
        return "exact" if np.array_equal(self._near(least), self._near(found)) else "sampled"

    def disagrees(self, points: Points) -> NDArray[np.bool_]:
        """Return DIS: which points lie in some member but not in all."""
        own = points is self.points or np.array_equal(points, self.points)
        found = self._bounds[1] if own else self._costs.bounds(points)[1]
        return self._near(found)

    def certain(self, points: Points) -> NDArray[np.bool_]:
        """Return which points lie in every member."""
        return self.center.contains(points) & ~self.disagrees(points)

    def possible(self, points: Points) -> NDArray[np.bool_]:
        """Return which points lie in some member."""
        return self.center.contains(points) | self.disagrees(points)

    def allows(self, hypothesis: Hypothesis) -> bool:
        """Return whether `hypothesis`, a member of the class, is in the ball."""
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
    """A disagreement coefficient θ, with what it is about: Δ(B(h, r)) ≤ value·r for every r ≥ r0.

    `float()` gives the value.

    Attributes
    ----------
    value : float
        The coefficient; with method "sampled" it may be too small.
    r0 : float
        The least radius for which it holds.
    method : str
        "closed form", for the distributions in `about`; "exact" or "sampled" on the pool's rows.
    upper : float
        Never below the coefficient, and equal to `value` unless sampled. Algorithms 1 and 3 are safe with it.
    about : str
        The distribution and the center.

    Examples
    --------
    >>> import activepu as apu
    >>> theta = apu.paper.disagreement_coefficient(apu.Boxes(dim=2), prior=0.1)
    >>> float(theta), theta.about
    (10.0, 'continuous distributions with independent columns')

    References
    ----------
    Mansouri, Zilles and Ben-David (2026), Definition 2.5, with erratum P2 of `docs/paper.md`.
    """

    value: float
    r0: float
    method: Literal["closed form", "exact", "sampled"]
    upper: float
    about: str

    def __float__(self) -> float:
        return self.value


def coefficient_at(center: Hypothesis, points: Points, r0: float) -> Coefficient:
    """Return max(1, sup_{r ≥ r0} Δ(B̂_S(center, r))/r) on the rows `points`."""
    least, found = flip_costs(center, points).bounds(points)
    value, upper = _steepest(found, r0), _steepest(least, r0)
    about = f"the empirical distribution of {len(points):,} rows, around: {center}"
    return Coefficient(value, r0, "exact" if value == upper else "sampled", upper, about)


def _steepest(costs: Counts, r0: float) -> float:
    """Return the largest slope. A row of the pool costs at least 1, its own flip, so that no step lies at r = 0."""
    n = len(costs)
    steps, counts = np.unique(costs[costs <= n], return_counts=True)
    slopes = counts.cumsum() / n / np.maximum(steps / n, r0)
    return max(1.0, float(slopes.max(initial=1.0)))
