"""The reserved sample T, at most half of the pool. It influences nothing but when a run stops.

V must not depend on T. So a learner ignores an answer about a row of T (a caller may put such a question).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from activepu.pools import Draws
from activepu.theory import binomial
from activepu.theory.ladder import Ladder
from activepu.version_spaces import Frontier


def rows_needed(epsilon: float, delta: float) -> int:
    """Return the size of the smallest pool whose half can state "P(DIS V) ≤ ε" at level δ.

    With no undecided row at all the Clopper–Pearson bound is 1 − α^{1/|T|}: ≤ ε from |T| = ln α / ln(1 − ε) on.
    """
    alpha = Ladder(epsilon, delta).rungs[0][1]
    return 2 * math.ceil(math.log(alpha) / math.log1p(-epsilon))


def ideal_rows(epsilon: float, delta: float) -> int:
    """Return (32/ε) ln(1/δ), the rows that measure a region of mass ε/2 reliably."""
    return math.ceil(32 / epsilon * math.log(1 / delta))


def reserve(draws: Draws, epsilon: float, delta: float, wanted: int = 0) -> Frontier:
    """Draw T: as many rows as are ideal, or as are `wanted` if that is more, but at most half of the pool."""
    items = _draw(draws, max(wanted, ideal_rows(epsilon, delta)), 2)
    draws.reserved = frozenset(items.tolist())
    return Frontier(draws.points(items))


def reserved_items(draws: Draws, epsilon: float, delta: float, parts: int = 1) -> NDArray[np.int64]:
    """Draw T as items: at most 1/`parts` of the pool, and none if that could not certify ε at level δ."""
    alpha = Ladder(epsilon, delta).rungs[0][1]
    return _draw(draws, ideal_rows(epsilon, delta), parts, lambda n: n > 0 and binomial.upper(0, n, alpha) <= epsilon)


def _draw(draws: Draws, ideal: int, parts: int, serves: Callable[[int], bool] = lambda n: True) -> NDArray[np.int64]:
    size = ideal if draws.remaining is None else min(ideal, draws.remaining // parts)
    return draws.unlabeled_items(size if serves(size) else 0, "the reserved sample")
