"""Cold start: what to ask while no positive is known.

Before the first reveal there is nothing to fit a model to. Positives that are rare are often odd in some way, but
nobody knows in which. So several detectors put the rows in order, and they take turns, one question each:

    isolation   rows that few random cuts set apart (Liu, Ting and Zhou 2008)
    tails       rows that are extreme in one column (after Li et al. 2022)
    far         each row as far as possible from those before it (Gonzalez 1985)
    clumps      rows in a spot much denser than its surroundings (after He and Carbonell 2007)
    lot         rows drawn at random

With k detectors, each has asked n/k of the first n questions: one that misleads wastes no more than its share, and the
search is at most k times as long as that of the best of them. The lot finds positives that are odd in no way, and gives
the only bound (`models.silence`). The orders follow from the table and the seed alone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import Pipeline

from activepu import hashing
from activepu.pools.frames import column_of

Items = NDArray[np.int64]
Matrix = NDArray[np.float64]

NEAR, WIDE = 5, 50
"""A spot reaches to its fifth neighbour, its surroundings to the fiftieth."""
SPREAD = 500
"""So many rows are put as far apart as possible; the others follow by their distance from these."""
DIRECTIONS = 20
"""A wider table than 5 times this is reduced to so many directions before neighbours are looked for."""


class Search:
    """The detectors' orders of some items, and all rows by lot; they take turns.

    `numbers()` gives the numbers of the items, one row each; `rows` is how many rows the table has.
    """

    def __init__(self, numbers: Callable[[], Matrix], items: Items, rows: int, seed: int) -> None:
        self._numbers, self._items, self._seed = numbers, items, seed
        self.lot: Items = np.argsort(hashing.keys(seed, "lot", np.arange(rows)), kind="stable")

    @cached_property
    def orders(self) -> list[Items]:
        """Items in the order of each detector, and of the lot."""
        return [*(self._items[order] for order in orders(self._numbers(), self._seed)), self.lot]

    def next(self, free: NDArray[np.bool_], turn: int) -> int:
        """The free item whose turn it is; there must be one."""
        while True:
            order = self.orders[turn % len(self.orders)]
            left = np.flatnonzero(free[order])
            if len(left):
                return int(order[left[0]])
            turn += 1

    def silent_by_lot(self, silent: NDArray[np.bool_], left_out: NDArray[np.bool_]) -> int:
        """How many rows of the lot, from its first one on, were silent, whichever detector chose them."""
        by_lot = silent[self.lot[~left_out[self.lot]]]
        return len(by_lot) if by_lot.all() else int(np.argmin(by_lot))


def orders(Z: Matrix, seed: int) -> list[NDArray[np.int64]]:
    """The rows of a table of numbers as each detector would ask them, the oddest first."""
    if not len(Z) or not Z.shape[1]:
        return []
    forest = IsolationForest(n_estimators=100, random_state=seed % 2**32).fit(Z)
    rank = np.column_stack([rankdata(column) for column in Z.T]) / (len(Z) + 1)
    scores = [-forest.score_samples(Z), np.abs(np.log(rank) - np.log1p(-rank)).max(axis=1)]
    if len(Z) > WIDE:
        narrow = Z if Z.shape[1] <= 5 * DIRECTIONS else _reduced(Z, seed)
        away = NearestNeighbors(n_neighbors=WIDE + 1).fit(narrow).kneighbors(narrow)[0]
        spot = away[:, NEAR]
        scores.append(away[:, WIDE] / (spot + 0.1 * np.median(spot) + 1e-12))
    return [*(np.argsort(-score, kind="stable") for score in scores), _far(Z)]


def _far(Z: Matrix) -> Items:
    """Each row as far as possible from those before it, and the first from the middle."""
    left, first = (Z**2).sum(axis=1), np.zeros(min(SPREAD, len(Z)), np.int64)
    for place in range(len(first)):
        first[place] = row = np.argmax(left)
        away = ((Z - Z[row]) ** 2).sum(axis=1)
        left = np.minimum(left, away) if place else away
        left[row] = -1.0
    return np.concatenate([first, np.argsort(-left, kind="stable")[: len(Z) - len(first)]])


def numbers(estimator: Any, table: Any) -> Matrix:
    """The table in standard units: as the steps before the classifier make it, or its own columns.

    Gaps become medians. A column that holds no numbers becomes −ln of the share of rows with the same value, so that
    rare values stand out. Columns that do not vary are left out.
    """
    Z = None
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        with suppress(Exception):  # then its own columns do
            Z = clone(estimator[:-1]).fit_transform(table, np.arange(table.shape[0]) % 2)
            Z = _reduced(Z, 0) if hasattr(Z, "tocsr") else np.asarray(Z, np.float64)
    if Z is None or Z.ndim != 2 or len(Z) != table.shape[0]:
        Z = np.column_stack([_numbers(column_of(table, k)[1]) for k in range(table.shape[1])])
    Z = np.where(np.isfinite(Z), Z, np.nan)
    Z = Z[:, ~np.isnan(Z).all(axis=0)]
    Z = np.where(np.isnan(Z), np.nanmedian(Z, axis=0), Z)
    spread = Z.std(axis=0)
    varies = spread > 1e-12 * (1 + np.abs(Z).max(axis=0, initial=0.0))
    return np.asarray((Z[:, varies] - Z[:, varies].mean(axis=0)) / spread[varies])


def _numbers(column: Any) -> Matrix:
    """One number per row."""
    if column.dtype.kind in "iufb":
        given = column.to_numpy(np.float64, na_value=np.nan) if hasattr(column, "isna") else column
        return np.asarray(given, np.float64)
    _, place, count = np.unique(np.asarray(column).astype(str), return_inverse=True, return_counts=True)
    return np.asarray(-np.log(count[place] / len(place)))


def _reduced(Z: Any, seed: int) -> Matrix:
    """The main directions of a wide or sparse table."""
    many = min(DIRECTIONS, Z.shape[1] - 1, Z.shape[0] - 1)
    if many < 1:
        return np.asarray(Z.toarray() if hasattr(Z, "tocsr") else Z, np.float64)
    return np.asarray(TruncatedSVD(many, random_state=seed % 2**32).fit_transform(Z))
