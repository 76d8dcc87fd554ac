"""Columns that not every classifier reads: those that are no numbers, and those with gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from activepu.pools import Pool
from activepu.pools.frames import column_of

TRIED = 100
"""Rows on which a classifier is tried before the first question, and the most columns whose gaps are tried."""
GAPS_PER_COLUMN = 2
"""Rows with a gap that are tried for each such column."""
VALUES = 200
"""Values of a column of texts, the rarest ones, that a classifier must be able to judge."""


@dataclass(frozen=True)
class OddColumns:
    """The columns of a table that are no numbers (`texts`) and that have `gaps`, by their places.

    `rows` are some rows to try a classifier on, those of `whole` without a gap; `rare` are rows with rare values.
    """

    texts: list[int]
    gaps: list[int]
    rows: NDArray[np.int64]
    whole: NDArray[np.int64]
    rare: NDArray[np.int64]


_found: WeakKeyDictionary[Pool, OddColumns] = WeakKeyDictionary()


def odd_columns(pool: Pool) -> OddColumns:
    """Return the feature columns of a pool that are no numbers or have gaps; looked for once."""
    if pool not in _found:
        _found[pool] = _odd_columns(pool.features())
    return _found[pool]


def _odd_columns(X: Any) -> OddColumns:
    texts: list[int] = []
    gaps: dict[int, NDArray[np.int64]] = {}
    rare: list[NDArray[np.int64]] = []
    some = np.unique(np.linspace(0, X.shape[0] - 1, TRIED).astype(int))
    whole = np.ones(len(some), bool)
    for k in range(X.shape[1]):
        column = column_of(X, k)[1]
        number = column.dtype.kind in "iufb"
        gap = _gap(column, number)
        whole &= ~gap[some]
        if not number:
            texts.append(k)
            rare.append(_rare(column))
        if gap.any():
            gaps[k] = np.flatnonzero(gap)[:GAPS_PER_COLUMN]
    rows = np.unique(np.concatenate([some, *gaps.values()][: TRIED + 1]))
    return OddColumns(texts, list(gaps), rows, some[whole], np.unique(np.concatenate([some[:0], *rare])))


def _rare(column: Any) -> NDArray[np.int64]:
    """Return rows that hold the rarest values of a column."""
    values = np.array([str(value) for value in column])
    _, first, count = np.unique(values, return_index=True, return_counts=True)
    return np.asarray(first[np.argsort(count, kind="stable")[:VALUES]])


def _gap(column: Any, number: bool) -> NDArray[np.bool_]:
    """Where something is missing, infinite or too large for trees."""
    if hasattr(column, "isna") and number:
        column = column.to_numpy(np.float64, na_value=np.nan)
    if number:
        return np.asarray(~(abs(column) <= np.finfo(np.float32).max))
    if hasattr(column, "isna"):
        return np.asarray(column.isna(), bool)
    things = column.astype(object)
    return np.asarray(np.equal(things, np.array(None)) | np.not_equal(things, things), bool)
