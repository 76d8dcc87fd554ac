"""The member of a planar version space that is farthest from a rule ĥ: which h ∈ V differs from it on the most rows?

Under requirements and mass caps V is a union of **patches** (`envelope`): on an arc of directions from u to v with
T = <p, ·> and m = <r, ·>, the members {z : <z, w> ≥ t}, T(w) < t ≤ m(w), are the vectors g(s, τ), up to scale,

    g(s, τ) = (1 − s)(1 − τ) (u, −T(u)) + (1 − s) τ (u, −m(u)) + s (1 − τ) (v, −T(v)) + s τ (v, −m(v)),

since T and m are linear there: 0 ≤ s, τ ≤ 1, four corners. A half of a patch, in s or in τ, is a patch again, and its
new corners are means of old ones. No constraint is left to check: everything inside a patch is in V.

**Bound.** g·x̃ is a positive combination of its values at the corners. So if these are all ≥ 0, or all ≤ 0, and not all
0, x has one and the same label in the interior of the patch. (Labels on a face also occur in some interior: lower t a
little.) The number of rows with a label other than ĥ's, plus the number of rows without one label, bounds |h Δ ĥ| in
the patch. A mean of values is the value at the mean, so that the halves need no new products. Rows with one label in a
patch keep it in its halves, so that only the unsure rows are read again.

**Search.** Best-first: the patch with the largest bound is halved across the direction in which more of its unsure rows
change sides. The member in the middle of each patch is tried. All open patches together contain every member that may
be farther than the farthest one so far, so the largest of their bounds is always valid.

Assumptions: those of V, and at its corners |g·x̃| ≤ 1e-11 |x̃| is read as zero. All other values up to 1e-9 |x̃| leave a
row unsure, so that rounding can only enlarge the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from activepu.hypotheses.base import Hypothesis, Points
from activepu.hypotheses.halfspaces import Floats, Halfspace
from activepu.version_spaces.envelope import ZERO
from activepu.version_spaces.planar import PlanarVersionSpace
from activepu.zcal.radius.search import Extreme, Search

EFFORT = 2**24
"""How many values at corners are computed before the search gives up: about half a second."""
OVERHEAD = 2**12
"""What a patch costs in addition to its rows, in the same unit."""
SPLIT = 1e-7
"""Patches in which no unsure row has a larger value are not split: lines that meet there may meet in one point."""
NIL = 1e-11


def farthest(
    V: PlanarVersionSpace,
    rows: Points,
    center: Hypothesis,
    enough: int | None = None,
    effort: int = EFFORT,
) -> Extreme[Hypothesis]:
    """Return the member that differs from the centre on the most rows: value = bound if the effort suffices.

    With `enough` the search ends as soon as it is clear whether bound ≤ enough.
    """
    search = _Search(V, rows, center, enough)
    bound, complete = search.run(effort)
    return Extreme(bound, search.value, search.member, complete)


class _Patch(NamedTuple):
    """`values` (n, 2, 2) of the unsure rows at the corners, positive where the rule errs; on `wrong` rows it errs."""

    corners: Floats
    values: Floats
    wrong: int


class _Search(Search[_Patch]):
    """`value` is the largest distance so far, that of `member`."""

    def __init__(self, V: PlanarVersionSpace, rows: Points, center: Hypothesis, enough: int | None) -> None:
        super().__init__(enough)
        self.V, self.rows = V, rows
        self.labels = center.contains(rows)
        self.member = center

    def run(self, effort: int) -> tuple[int, bool]:
        """Return the bound, and whether the search finished."""
        for extreme in (self.V.hypotheses.nothing, self.V.hypotheses.everything):
            self._try(extreme)
        lifted = self.V.frame.lift(self.rows)
        lifted *= np.where(self.labels, -1.0, 1.0)[:, None] / np.abs(lifted).sum(axis=1, keepdims=True)
        for corners in self.V.patches:
            values = lifted @ corners.reshape(4, 3).T
            values[np.abs(values) <= NIL] = 0.0
            self._push(corners, values.reshape(-1, 2, 2), 0)
            if self.found or self.spent >= effort:
                return len(self.rows), self.found
        while self.largest_bound > self.needed and self.spent < effort and not self.found:
            self._halve(self.pop())
        return self.outcome(self.largest_bound)

    def _halve(self, patch: _Patch) -> None:
        above = patch.values > 0.0
        turns = np.count_nonzero((above[:, 0] != above[:, 1]).any(axis=1))
        shifts = np.count_nonzero((above[:, :, 0] != above[:, :, 1]).any(axis=1))
        axis = 0 if turns >= shifts else 1
        for end in (0, 1):
            self._push(_half(patch.corners, axis, end), _half(patch.values, axis + 1, end), patch.wrong)

    def _push(self, corners: Floats, values: Floats, wrong: int) -> None:
        """Bound a patch, try the member in its middle, and queue the patch if it may hold a farther one."""
        self.spent += OVERHEAD + values.size
        zero = values == 0.0
        errs = (zero | (values > ZERO)).all(axis=(1, 2))
        agrees = (zero | (values < -ZERO)).all(axis=(1, 2))
        wrong += int(np.count_nonzero(errs & ~agrees))
        values = values[errs == agrees]
        bound = wrong + len(values)
        if bound <= self.value:
            return
        if wrong + np.count_nonzero(values.sum(axis=(1, 2)) > 0.0) > self.value:
            w, b = self.V.frame.raw(corners.mean(axis=(0, 1)))
            self._try(Halfspace(self.V.hypotheses, w, float(b)))
        if bound <= self.needed or np.abs(values).max(initial=0.0) < SPLIT:
            self.skipped = max(self.skipped, bound)
        else:
            self.push(bound, _Patch(corners, values, wrong))

    def _try(self, h: Halfspace) -> None:
        """Keep this member if it is farther."""
        away = int(np.count_nonzero(h.contains(self.rows) != self.labels))
        if away > self.value and self.V.allows(h):
            self.member, self.value = h, away


def _half(corners: Floats, axis: int, end: int) -> Floats:
    """Return the half of a patch at one end of an axis."""
    kept = corners.take([end], axis)
    middle = corners.mean(axis=axis, keepdims=True)
    return np.concatenate([middle, kept] if end else [kept, middle], axis=axis)
