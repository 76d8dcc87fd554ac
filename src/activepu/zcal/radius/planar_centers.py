"""Where to put the centre of a planar version space: the middle of members that are spread over V.

The radius around c is at least its distance to any member. Members near the edges of V, in many directions, show
roughly how large it is. C are halfspaces in some directions with thresholds between T and m. F are halfspaces in the
same directions with thresholds next to T and to m, and the far members that a search has found. The best centre is the
c ∈ C with the least max_{f ∈ F} |c Δ f|. If this is near enough and the caller prefers some centre, the centre is the
c nearest to the preferred one among those that are near enough.

This is a heuristic that only proposes a centre. The radius is then computed for the centre (`radius.planar`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, Points
from activepu.hypotheses.halfspaces import Floats, Halfspace
from activepu.version_spaces.planar import PlanarVersionSpace

DIRECTIONS = 48
INNER, OUTER = np.linspace(0.1, 0.9, 9), np.array([0.01, 0.99])
"""Thresholds, as shares of the way from T to m."""

Signs = NDArray[np.float32]


class Centers:
    """C and F on a `sample` of the rows, and the centre that the caller prefers (`wish`)."""

    def __init__(self, V: PlanarVersionSpace, sample: Points, wish: Hypothesis | None) -> None:
        self._V, self._sample, self._wish = V, sample, wish
        self._inner, self._outer = V.spread(DIRECTIONS, INNER), V.spread(DIRECTIONS, OUTER)
        labels = self._labels(self._inner)
        if wish is not None:
            labels = np.concatenate([self._label(wish), labels])
        self._centers, self._ends = labels, self._labels(self._outer)

    def best(self, far: Sequence[Hypothesis], enough: float) -> tuple[Hypothesis, Hypothesis]:
        """Return a centre, and the member of F and `far` that is farthest from it; `enough` is a share of the rows."""
        ends = np.concatenate([self._ends, *(self._label(h) for h in far)])
        away = (1.0 - self._centers @ ends.T / len(self._sample)) / 2.0
        most = away.max(axis=1)
        chosen = int(np.argmin(most))
        if self._wish is not None and most[chosen] <= enough:
            near = np.flatnonzero(most <= enough)
            chosen = int(near[np.argmax(self._centers[near] @ self._centers[0])])
        worst = int(np.argmax(away[chosen]))
        witness = self._rule(self._outer[worst]) if worst < len(self._outer) else far[worst - len(self._outer)]
        if self._wish is None:
            return self._rule(self._inner[chosen]), witness
        return self._wish if chosen == 0 else self._rule(self._inner[chosen - 1]), witness

    def _rule(self, row: Floats) -> Hypothesis:
        return Halfspace(self._V.hypotheses, row[:-1], float(row[-1]))

    def _labels(self, members: Floats) -> Signs:
        inside = members[:, :-1] @ self._sample.T >= members[:, -1:]
        return np.where(inside, np.float32(1), np.float32(-1))

    def _label(self, h: Hypothesis) -> Signs:
        return np.where(h.contains(self._sample), np.float32(1), np.float32(-1))[None]
