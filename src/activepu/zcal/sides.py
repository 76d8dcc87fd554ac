"""Box-like classes as orthants: one number per side, uniform a priori.

A member has κ free sides (one or two per axis, or one per literal). Side k *reaches* v_k ∈ [0, 1], where 0 cuts
everything off and 1 nothing. A point x *needs* n_k(x), and h = {x : n(x) ≤ v}. The prior is uniform in v, so that the
data enter through the needs only.

Numbers: a side that cuts off the share u of a sample has v = (1 − u)^κ, hence the density κ(1 − u)^{κ−1}. It costs
E ln 1/(1 − u) = 1/κ nats of the mass, and all sides together cost about 1 nat, whatever κ is. Without the exponent a
box in R^10 would have a mass of about 2^−20. Shares are mid-ranks, so that no column's scale matters. Between the
values of the sample and beyond them shares continue in the column's own units, so that points are still told apart.

Literals: x_i = 1 is required exactly if v_i < n_i(x) for the points with x_i = 0. With m_i the share of ones, it is
required with probability 1/(κ ln(1/m_i)), at most ½. This costs 1/κ nats per side again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from activepu.hypotheses.base import Points
from activepu.hypotheses.boxlike import BoxLike
from activepu.zcal.rates import Floats
from activepu.zcal.tuning import TUNING

KNOTS = 2048
"""The number of ranks that are kept per axis; the others are interpolated."""
TINY = 1e-12
"""The least distance of a share from 0 and 1."""


class Sides(ABC):
    """How far each of `count` sides must reach to hold a point."""

    count: int
    opposed: bool = False
    """Whether side k + count/2 lies opposite to side k, and the two must not cross."""

    @property
    def share(self) -> float:
        """w, the share of the bets on a side that begin at once; it falls with the number of sides."""
        return float(TUNING.side_share * self.count**TUNING.side_exponent)

    @abstractmethod
    def needs(self, points: Points) -> Floats:
        """Return the needs of points: (n, count) numbers in [0, 1)."""

    @abstractmethod
    def _between(self, low: Points, high: Points) -> Floats:
        """Return the same for a point that is at `low` for all lower sides and at `high` for all upper ones."""

    def reach(self, low: Points, high: Points) -> Floats:
        """Return (n, count): the reaches of the members with these bounds; 0 for ∅, and at most 1."""
        empty = np.isposinf(low)
        if not empty.any():
            return np.minimum(self._between(low, high), 1.0)
        reaches = self._between(np.where(empty, 0.0, low), np.where(empty, 0.0, high))
        return np.where(np.tile(empty, self.count // low.shape[1]), 0.0, np.minimum(reaches, 1.0))

    def least(self, opposite: Floats) -> Floats:
        """Return how far a side must reach so that it does not cross the opposite one: u + u' ≤ 1."""
        return np.asarray((1.0 - opposite ** (1.0 / self.count)) ** self.count)


class RankSides(Sides):
    """Bounds on numbers: all the lower sides, then the upper ones if they are free."""

    def __init__(self, sample: Points, two_sided: bool) -> None:
        self.opposed = two_sided
        self.count = sample.shape[1] * (1 + two_sided)
        self._axes = [_Ranks(column) for column in np.asarray(sample, np.float64).T]
        self._fixed: tuple[Points, Floats] | None = None

    def needs(self, points: Points) -> Floats:
        """Return the share that must not be cut off, to the power κ; for a read-only array it is computed once."""
        if points.flags.writeable:
            return self._between(points, points)
        fixed = self._fixed
        if fixed is None or fixed[0] is not points:
            fixed = self._fixed = points, self._between(points, points)
            fixed[1].flags.writeable = False
        return fixed[1]

    def _between(self, low: Points, high: Points) -> Floats:
        dim = len(self._axes)
        shares = np.empty((len(low), self.count))
        for axis, ranks in enumerate(self._axes):
            shares[:, axis] = ranks.above(low[:, axis])
            if self.opposed and high is not low:
                shares[:, dim + axis] = ranks.above(high[:, axis])
        if self.opposed:
            np.subtract(1.0, shares[:, :dim] if high is low else shares[:, dim:], out=shares[:, dim:])
        shares **= self.count
        return shares


class LiteralSides(Sides):
    """Features of which some must be 1."""

    def __init__(self, sample: Points) -> None:
        self.count = sample.shape[1]
        ones = (sample.sum(axis=0) + 1.0) / (len(sample) + 2.0)
        self._required = np.minimum(0.5, 1.0 / (self.count * np.log(1.0 / ones)))

    def needs(self, points: Points) -> Floats:
        """Return 0 where the feature is 1."""
        return np.asarray((1.0 - points) * self._required)

    def _between(self, low: Points, high: Points) -> Floats:
        return self.needs(low)


class _Ranks:
    """The share of a sample that lies above a value, ties counting half: 1 − mid-rank / (n + 1)."""

    def __init__(self, column: Floats) -> None:
        values, counts = np.unique(column, return_counts=True)
        upto = np.cumsum(counts)
        above = 1.0 - (2 * upto - counts + 1) / (2 * (len(column) + 1))
        kept = np.unique(np.linspace(0, max(0, len(values) - 1), min(len(values), KNOTS)).round().astype(np.intp))
        self._values, self._above = values[kept], above[kept]

    def above(self, column: Floats) -> Floats:
        """Return shares strictly between 0 and 1, so that there is always room for a larger and a smaller member."""
        values, above = self._values, self._above
        if len(values) == 0:
            return np.full(len(column), 0.5)
        share = np.interp(column, values, above)
        if len(column) and values[0] <= column.min() and column.max() <= values[-1]:
            return np.asarray(share)
        with np.errstate(over="ignore"):
            gap = (values[-1] / len(values) - values[0] / len(values)) or 1.0
            over, under = np.maximum(column - values[-1], 0.0), np.maximum(values[0] - column, 0.0)
            share = np.where(under > 0, 1.0 - (1.0 - share) / (1.0 + under / gap), share / (1.0 + over / gap))
        return np.asarray(share.clip(TINY, 1.0 - TINY))


def sides_of(hypotheses: BoxLike, sample: Points) -> Sides:
    """Return the sides of a class; `sample` sets the scale of what is a large cut and what a small one."""
    return LiteralSides(sample) if hypotheses.binary else RankSides(sample, hypotheses.two_sided)
