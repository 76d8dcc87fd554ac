"""Flip costs of monotone conjunctions: exact up to 20 features, a search beyond.

For x ∈ h they are those of every box-like class (`boxes`). For x ∉ h the least |h Δ B| over conjunctions B ∋ x is
wanted.

B_J = {t : t_i = 1 for i ∈ J} contains x iff J lies among the features O(x) that x has. With weight −1 for items of h
and +1 for the others, |(h Δ B_J) ∩ T| = |h ∩ T| + f(J), f(J) = Σ {weight of t : J ⊆ O(t)}. One feature at a time, f is
a sum over supersets for all J at once, and then min {f(J) : J ⊆ O} a minimum over subsets for all O at once: D·2^D
steps each.

Beyond 20 features: every B ∋ x contains all items that have the features of x, which gives a cost that is never above
the least one. Adding or dropping one feature at a time, from closure(h ∪ {x}) and from O(x), gives one that is never
below it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.theory.flips.base import Counts
from activepu.theory.flips.boxes import BoxFlips

EXACT_DIM = 20


class ConjunctionFlips(BoxFlips):
    """Exact up to `EXACT_DIM` features. Beyond, `least` refuses: a lower bound is known, but it is seldom useful."""

    def least(self, X: Points) -> Counts:
        """Return exact costs, or refuse."""
        if self.T.shape[1] > EXACT_DIM:
            raise self._no_useful_bound()
        return super().least(X)

    def _to_include(self, X: Points) -> tuple[Counts, Counts]:
        h, inside = self.h, self.positive
        weights = np.where(inside, -1, 1)
        if self.T.shape[1] <= EXACT_DIM:
            exact = np.count_nonzero(inside) + _least_sums(self.T, weights)[_codes(X)]
            return exact, exact
        T, X = self.T > 0, X > 0
        required = np.isfinite(h.low) & (h.low > 0) if not h.is_empty else np.ones(T.shape[1], bool)
        least, found = np.empty(len(X), np.int64), np.empty(len(X), np.int64)
        for row, has in enumerate(X):
            least[row] = np.count_nonzero(~inside & T[:, has].all(axis=1))
            sums = [_descend(T, weights, has, start) for start in (required & has, has)]
            found[row] = np.count_nonzero(inside) + min(sums)
        return least, found


def _codes(points: Points) -> Counts:
    return np.asarray((points > 0) @ (1 << np.arange(points.shape[1])), np.int64)


def _least_sums(T: Points, weights: Counts) -> Counts:
    """Return min {f(J) : J ⊆ O} for every set O of features, with sets as bits."""
    dim = T.shape[1]
    f = np.zeros(1 << dim, np.int64)
    np.add.at(f, _codes(T), weights)
    for bit in range(dim):
        without, having = np.moveaxis(f.reshape(-1, 2, 1 << bit), 1, 0)
        without += having
    for bit in range(dim):
        without, having = np.moveaxis(f.reshape(-1, 2, 1 << bit), 1, 0)
        np.minimum(having, without, out=having)
    return f


def _descend(T: NDArray[np.bool_], weights: Counts, allowed: NDArray[np.bool_], J: NDArray[np.bool_]) -> int:
    """Return f(J) after adding or dropping the best single feature until none helps."""
    J = J.copy()
    while True:
        lacks = (~T & J).sum(axis=1)
        now = int(weights[lacks == 0].sum())
        added = weights[lacks == 0] @ T[lacks == 0]
        dropped = now + weights[lacks == 1] @ (~T & J)[lacks == 1]
        after = np.where(allowed, np.where(J, dropped, added), now)
        best = int(np.argmin(after))
        if after[best] >= now:
            return now
        J[best] = not J[best]
