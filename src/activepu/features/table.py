"""`TableFeatures`: a table with columns of every kind as the numbers that a classifier takes."""

from __future__ import annotations

from typing import Any, Self, get_args

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from activepu.errors import InvalidInput
from activepu.features.kinds import treatment
from activepu.features.treatments import LeftOut, Matrix, Way, plain
from activepu.pools.frames import Frame


class TableFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A table with columns of every kind, as numbers: a transformer, fitted to the columns of a pool.

    `ModelLearner` makes one by itself where its classifier cannot read the pool's columns. Print it to see what is made
    of each column. It looks at the columns alone, never at an answer, and the same table always gives the same
    features. In later tables a category that the pool did not have is none of those it had, and any column may have
    gaps.

    Parameters
    ----------
    way : "trees", "native" or "linear"
        For what the features are. "trees": gaps are kept, and a category of more than 20 values is one column, numbered
        by frequency. "native": each category is one column, for classifiers that are told which columns are categories.
        "linear", for all other classifiers: gaps are filled with the median and marked, numbers are scaled, and
        long tails are put on a scale of logarithms.

    Attributes
    ----------
    treatments_ : list of Treatment
        What is made of each column.
    feature_names_in_ : array of str
        The columns.
    categorical_ : list of int
        Which of the features number the values of a category.

    Examples
    --------
    >>> import pandas as pd
    >>> import activepu as apu
    >>> table = pd.DataFrame({
    ...     "key": [f"T{k}" for k in range(40)],
    ...     "amount": [12.5, None, 99.0, 7.0] * 10,
    ...     "country": ["FR", "DE"] * 20,
    ...     "text": ["wire transfer to a friend", "a gift card", "books", "wire transfer"] * 10,
    ... })
    >>> features = apu.TableFeatures().fit(table)
    >>> print(features)
    amount   a number; gaps in 25% of the rows, kept
    country  2 categories, a column for each
    text     4 categories, a column for each
    key      left out: a key, different in every row
    >>> features.get_feature_names_out()[:3].tolist()
    ['amount', 'country = DE', 'country = FR']
    >>> features.transform(pd.DataFrame({"key": ["new"], "amount": [3], "country": ["AT"], "text": [None]}))[0, :3]
    array([3., 0., 0.])

    See Also
    --------
    activepu.ModelLearner : `features(table)` says what it would make of a table.
    """

    def __init__(self, way: Way = "trees") -> None:
        self.way = way

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose what to make of each column of a table; `y` is not looked at."""
        if self.way not in get_args(Way):
            raise InvalidInput(f"way must be 'trees', 'native' or 'linear', got {self.way!r}.")
        columns = columns_of(X)
        self.treatments_ = [treatment(name, column, self.way) for name, column in columns.items()]
        self.feature_names_in_ = np.array(list(columns), object)
        self.n_features_in_ = len(columns)
        if not any(one.names for one in self.treatments_):
            why = ", ".join(f"{one.column!r} ({one.said.partition(': ')[2]})" for one in self.treatments_)
            raise InvalidInput(
                f"No column of the table tells anything that can be learned from: {why[:300]}; add columns, or pass a "
                "pipeline of your own."
            )
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the features of a table, one row of numbers per row."""
        return plain(self.compact(X))

    def compact(self, X: Any) -> Any:
        """Return the features, as a sparse matrix if most of them are zero."""
        check_is_fitted(self)
        used = [one for one in self.treatments_ if one.names]
        columns = columns_of(X, list(self.feature_names_in_), {one.column for one in used})
        parts = [one.numbers(columns[one.column]) for one in used]
        if not any(sp.issparse(part) for part in parts):
            return np.column_stack(parts)
        if sum(part.shape[1] for part in parts) <= DENSE:
            return np.column_stack([plain(part) for part in parts])
        return sp.hstack([sp.csr_array(part) for part in parts], format="csr")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the features, such as 'country = FR' or 'text: "wire transfer"'."""
        check_is_fitted(self)
        return np.array([name for one in self.treatments_ for name in one.names], object)

    @property
    def categorical_(self) -> list[int]:
        """Which features are numbers of categories."""
        codes = [getattr(one, "in_columns", True) is False for one in self.treatments_ for _ in one.names]
        return np.flatnonzero(codes).tolist()

    def sentence(self) -> str:
        """Return in one sentence what is made of the columns."""
        check_is_fitted(self)
        used = [f"{one.column} ({one.said.partition(';')[0]})" for one in self.treatments_ if one.names]
        out = [f"{one.column} ({one.said.partition(': ')[2]})" for one in self.treatments_ if not one.names]
        return f"It reads {', '.join(used)}." + (f" Left out: {', '.join(out)}." if out else "")

    def __str__(self) -> str:
        if not hasattr(self, "treatments_"):
            return repr(self)
        rows = sorted(self.treatments_, key=lambda one: isinstance(one, LeftOut))
        width = max(len(one.column) for one in rows)
        return "\n".join(f"{one.column:{width}}  {one.said}" for one in rows)


DENSE = 100
"""Up to so many features are kept as a plain matrix."""


def columns_of(table: Any, names: list[str] | None = None, needed: set[str] | None = None) -> dict[str, pa.Array]:
    """Return the columns of a table by name: all, or those that are needed.

    The columns of a table without names are `names`, or else x0, x1, and so on.
    """
    frame = Frame(table)
    if frame.columns is None:
        names = [f"x{k}" for k in range(frame.n_columns)] if names is None else names
        if len(names) != frame.n_columns:
            raise InvalidInput(
                f"The features are made of {len(names)} columns, got {frame.n_columns}; pass these, or a DataFrame."
            )
        return {name: _of_values(frame.raw[:, k]) for k, name in enumerate(names)}
    present = list(frame.columns)
    if missing := sorted((needed or set()) - set(present)):
        raise InvalidInput(
            f"The table has no column {missing[0]!r}, which was a feature when this was learned; it has "
            f"{', '.join(present)[:200]}: rename its columns, or pass an array."
        )
    return {name: _whole(frame.arrow.column(name)) for name in present if needed is None or name in needed}


def _of_values(values: NDArray[Any]) -> pa.Array:
    try:
        return pa.array(values.tolist(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece."""
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
