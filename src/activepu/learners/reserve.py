"""The reserved sample T: it influences nothing but when a run stops. Half of the pool at most.

So a learner leaves out what is answered about a row of T, a question that a caller put: V must not depend on T.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from activepu.pools import Draws
from activepu.theory.ladder import Ladder
from activepu.version_spaces import Frontier


def rows_needed(epsilon: float, delta: float) -> int:
    """The smallest pool whose half can state "P(DIS V) ≤ ε" at level δ.

    With no undecided row at all the Clopper–Pearson bound is 1 − α^{1/|T|}: ≤ ε from |T| = ln α / ln(1 − ε) on.
    """
    alpha = Ladder(epsilon, delta).rungs[0][1]
    return 2 * math.ceil(math.log(alpha) / math.log1p(-epsilon))


class Reserve(Frontier):
    """T: what V decides of it, and which items it holds."""

    def __init__(self, draws: Draws, items: NDArray[np.int64]) -> None:
        super().__init__(draws.points(items))
        self._items = frozenset(items.tolist())

    def __contains__(self, item: int) -> bool:
        return item in self._items


def reserve(draws: Draws, epsilon: float, delta: float, wanted: int = 0) -> Reserve:
    """T. (32/ε) ln(1/δ) rows notice a region of ε/2 almost surely; `wanted` asks for more."""
    ideal = max(wanted, math.ceil(32 / epsilon * math.log(1 / delta)))
    rows = draws.remaining
    size = ideal if rows is None else min(ideal, rows // 2)
    return Reserve(draws, draws.unlabeled_items(size, "the reserved sample"))
