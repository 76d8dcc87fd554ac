"""A pool over a table: an array, a DataFrame, or a file. An item is a row number of that table, always."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from activepu import checks, hashing
from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass, Points
from activepu.hypotheses.contract import encoded
from activepu.pools.base import Draws, Source, names_or_none
from activepu.pools.frames import Column, Frame, taken
from activepu.pools.known import row_numbers


class Pool(Source):
    """A table of items to ask about: an array, a DataFrame, a CSV, Parquet or Excel file.

    An item is a row number of that table, everywhere. The learner sees the features, the expert sees what is shown.
    Rows that look the same to the expert share one coin: asking one of them is asking all.

    Parameters
    ----------
    table : array, DataFrame, Arrow table or path
        One row per item; a path names a .csv, .tsv, .parquet or .xlsx file. Separator and encoding of a CSV file are
        recognised.
    features : list of columns, transformer or callable, optional
        What the learner sees: column names or numbers, a scikit-learn transformer such as `TableFeatures()` (fitted
        here if it is not), or a function of the table that returns a matrix. A file is read as an Arrow table; a
        transformer gets it as a DataFrame, if pandas is installed. `result.predict` applies the transformer to tables
        with columns, too; it takes an array as already transformed. By default every column but `id`; these must be
        numbers.
    id : column, optional
        The column with your own key, which must be different in every row. Questions carry it as `.id`.
    show : list of columns or table, optional
        What experts see: column names or numbers, or another table of the same length. By default the whole row.
    raw : bool
        Whether to pass the feature columns on unchanged, text and missing values too; for `ModelLearner` and `Audit`.

    Attributes
    ----------
    dim : int
        The number of features.
    names : tuple of str or None
        The names of the features; None for an array.
    recipe : dict or None
        How to make the pool again from its file; None if that takes code or a table in memory.

    See Also
    --------
    Sampler : An endless pool, for simulations.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import activepu as apu
    >>> table = pa.table({"account": ["A7", "B2"], "amount": [120.0, 9.5], "note": ["wire", "cash"]})
    >>> pool = apu.Pool(table, features=["amount"], id="account", show=["amount", "note"])
    >>> pool
    <Pool of 2 items, 1 feature(s)>
    >>> pool.ids[1], pool.features([1]).tolist(), pool.rows([1]).to_pylist()
    ('B2', [[9.5]], [{'amount': 9.5, 'note': 'cash'}])
    """

    def __init__(
        self,
        table: Any,
        features: Sequence[Column] | Callable[[Any], Any] | Any = None,
        id: Column | None = None,
        show: Sequence[Column] | Any = None,
        raw: bool = False,
    ) -> None:
        self._frame = Frame(table)
        self.recipe = _recipe(table, features, id, show, raw)
        """How to make this pool again from a file, in plain values; None if that takes code or a table in memory."""
        if self._frame.n_rows == 0:
            raise InvalidInput("The pool is empty: it has 0 rows; pass a table with at least one item.")
        self._id_axis = None if id is None else self._frame.axis(id)
        self._raw = raw
        self._derive: Callable[[Any], Any] | None = None
        self._reads = "raw"  # a callable reads the table as it was given, a transformer a file as a DataFrame
        self.names, self._features = self._make_features(features)
        self.dim = self._features.shape[1]
        if self.dim == 0:
            raise InvalidInput("The pool has no feature columns; name at least one with features=[…].")
        self._shown, self._shown_axes = self._make_shown(show)
        if self._id_axis is not None and len(np.unique(self._frame.codes(self._id_axis))) < len(self):
            raise InvalidInput(
                f"The id column {id!r} must name every row once, but it has repeated values; "
                "choose another column, or leave id out."
            )

    def _make_features(self, features: Any) -> tuple[tuple[str, ...] | None, Any]:
        frame = self._frame
        if isinstance(features, (str, int)):
            features = [features]
        elif hasattr(features, "tolist") and np.ndim(features) == 1:
            features = features.tolist()
        if features is None or _is_columns(features):
            axes = (
                [axis for axis in range(frame.n_columns) if axis != self._id_axis]
                if features is None
                else [frame.axis(column) for column in features]
            )
            names = None if frame.columns is None else tuple(frame.columns[axis] for axis in axes)
            if self._raw:
                return names, frame.given(axes)
            return names, checks.matrix("features", frame.numbers(axes), columns=names)
        names = None
        if hasattr(features, "transform"):
            fit_first = hasattr(features, "fit_transform") and not _is_fitted(features)
            values = _transformed(features.fit_transform if fit_first else features.transform, frame)
            self._derive = features.transform
            self._reads = "table"
            with suppress(AttributeError, ValueError):  # a transformer without names: the rule prints x0, x1, …
                names = names_or_none(features.get_feature_names_out())
        elif callable(features):
            values = features(frame.raw)
            self._derive = features
        else:
            raise InvalidInput(f"features must be a list of columns, a transformer or a callable, got {features!r}.")
        matrix = _derived(values, frame.n_rows)
        return (names if names is not None and len(names) == matrix.shape[1] else None), matrix

    @property
    def is_raw(self) -> bool:
        """Whether the feature columns are passed on unchanged."""
        return self._raw and self._derive is None

    @property
    def derives(self) -> bool:
        """Whether a transformer or a callable makes the features from the table."""
        return self._derive is not None

    def seen(self, table: Any) -> Any:
        """Return what the learner would see of another table: the transformed features, or the table itself."""
        if self._derive is None:
            return table
        frame = Frame(table)
        try:
            return _derived(self._derive(getattr(frame, self._reads)), frame.n_rows)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(
                f"The pool's features cannot be made of this table ({str(error).partition(chr(10))[0].rstrip('.')}); "
                "pass one with the columns of the pool's, or the features themselves as an array."
            ) from error

    def _make_shown(self, show: Any) -> tuple[Frame, list[int] | None]:
        if show is None:
            return self._frame, None
        if isinstance(show, (str, int)) and (isinstance(show, int) or show in (self._frame.columns or ())):
            show = [show]
        if _is_columns(show):
            if not show:
                raise InvalidInput("show must name at least one column, got []; leave it out to show the whole row.")
            return self._frame, [self._frame.axis(column) for column in show]
        shown = Frame(show)
        if shown.n_rows != self._frame.n_rows:
            raise InvalidInput(f"show must have one row per item ({self._frame.n_rows}), got {shown.n_rows}.")
        return shown, None

    def __len__(self) -> int:
        return self._frame.n_rows

    def __repr__(self) -> str:
        return f"<Pool of {len(self):,} items, {self.dim} feature(s)>"

    @property
    def has_ids(self) -> bool:
        """Whether a column holds the user's own keys."""
        return self._id_axis is not None

    @property
    def ids(self) -> NDArray[Any]:
        """The user's keys, or the row numbers."""
        return np.arange(len(self)) if self._id_axis is None else self._frame.values(self._id_axis)

    def features(self, items: Any = None) -> Any:
        """Return what the learner sees of some items, or of all: a matrix, or plain columns if the pool is raw."""
        if items is None:
            return self._features
        return taken(self._features, self._rows(items))

    def rows(self, items: Any) -> Any:
        """Return what experts see of these items, in the kind of table that was given (an Arrow table for files)."""
        return self._shown.take(self._rows(items), self._shown_axes)

    def column(self, name: Column) -> NDArray[Any]:
        """Return one column of the user's table, whether it is a feature or not."""
        return self._frame.values(self._frame.axis(name))

    def fingerprint(self) -> str:
        """Return a digest of everything that a study rests on: what the learner and the experts see, and the keys."""
        seen = Frame(self._features).digest()
        shown = self._shown.digest(self._shown_axes)
        keys = self._frame.digest([] if self._id_axis is None else [self._id_axis])
        return hashlib.sha256(f"{seen} {shown} {keys} {self.names}".encode()).hexdigest()

    @cached_property
    def digests(self) -> tuple[str, str]:
        """Digests of the whole table and of what experts see; two pools are of the same items if either agrees."""
        return self._frame.digest(), self._shown.digest(self._shown_axes)

    def _rows(self, items: Any) -> NDArray[np.int64]:
        rows = np.atleast_1d(np.asarray(items))
        if rows.size == 0:
            return np.empty(0, np.int64)
        if not np.issubdtype(rows.dtype, np.integer) or rows.ndim != 1:
            got = "a mask: np.flatnonzero(mask) gives them" if rows.dtype == bool else f"{items!r:.80}"
            raise InvalidInput(f"Items are row numbers, got {got}.")
        if rows.min() < 0 or rows.max() >= len(self):
            stray = int(rows[(rows < 0) | (rows >= len(self))][0])
            raise InvalidInput(f"Items are row numbers from 0 to {len(self) - 1}, got {stray}.")
        return rows.astype(np.int64)

    @cached_property
    def coins(self) -> NDArray[np.int64]:
        """For every row the first row that looks the same to the expert: both share one coin."""
        axes = self._shown_axes if self._shown_axes is not None else range(self._shown.n_columns)
        keys = np.zeros(len(self), np.uint64)
        for place, axis in enumerate(axes):
            keys = hashing.keys(place, "coins", keys ^ self._shown.codes(axis))
        ordered = np.sort(keys)
        if (ordered[1:] > ordered[:-1]).all():
            return np.arange(len(self))
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        coins = first[inverse.ravel()]
        others = np.flatnonzero(coins != np.arange(len(coins)))
        for axis in axes if len(others) else ():
            codes = self._shown.codes(axis)
            if (codes[coins[others]] != codes[others]).any():  # different rows with the same 64-bit key
                rows = np.column_stack([self._shown.codes(axis) for axis in axes])
                _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
                return first[inverse.ravel()].astype(np.int64)
        return coins.astype(np.int64)

    @cached_property
    def has_repeated_rows(self) -> bool:
        """Whether two rows look the same to the expert."""
        return bool((self.coins != np.arange(len(self))).any())

    def draws(self, hypotheses: HypothesisClass, seed: int, positives: Any = ()) -> Draws:
        """Return the draws of one run; `positives` are row numbers, a mask, or keys of the id column."""
        given = row_numbers("positives", positives, self)
        return _PoolDraws(self, hypotheses.bind(self.dim, self.names), seed, given)


class _PoolDraws(Draws):
    """The rows in the order of their hashes: questions from the front, unlabeled samples from the back."""

    def __init__(self, pool: Pool, hypotheses: HypothesisClass, seed: int, positives: NDArray[np.int64]) -> None:
        self.source = self.pool = pool
        self._points = encoded(hypotheses, pool.features())
        super().__init__(hypotheses, self._points[positives], seed)
        self.given_coins = {self.coin(int(item)) for item in positives}
        self._given = np.unique(positives)
        self._back = len(pool) - len(self._given)

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The rows that can be drawn; some learners draw none, and a large pool takes seconds to put in order."""
        order = hashing.order(self.seed, len(self.pool))
        return order if not len(self._given) else order[~np.isin(order, self._given)]

    @property
    def remaining(self) -> int | None:
        return max(0, self._back - self.position)

    def points(self, items: Any) -> Points:
        return self._points[np.asarray(items, np.int64)]

    def rows(self, items: Any) -> Any:
        return self.pool.rows(items)

    def features(self, items: Any) -> Any:
        return self.pool.features(items)

    def coin(self, item: int) -> int:
        return int(self.pool.coins[item])

    def coins(self, items: NDArray[np.int64]) -> list[int]:
        coins: list[int] = self.pool.coins[items].tolist()
        return coins

    def twins(self, item: int) -> NDArray[np.int64]:
        if not self.pool.has_repeated_rows:
            return np.array([item])
        return np.flatnonzero(self.pool.coins == self.pool.coins[item])

    def table(self) -> Points | None:
        return self._points

    def rest(self) -> Points | None:
        return self._points[self._order[self.position : self._back]]

    def _back_items(self, n: int) -> NDArray[np.int64]:
        taken = self._order[self._back - n : self._back]
        self._back -= n
        return taken

    def _front(self, position: int, n: int) -> NDArray[np.int64]:
        return self._order[position : min(position + n, self._back)]


def _recipe(table: Any, features: Any, id: Any, show: Any, raw: bool) -> dict[str, Any] | None:
    plain = all(value is None or isinstance(value, (str, int)) or _is_columns(value) for value in (features, show))
    if not isinstance(table, (str, Path)) or not plain:
        return None
    columns = {"features": features, "id": id, "show": show}
    columns = {k: v if v is None or isinstance(v, (str, int)) else [_plain(c) for c in v] for k, v in columns.items()}
    return {"table": str(Path(table).resolve()), **columns, "raw": raw}


def _plain(column: Any) -> str | int:
    return column if isinstance(column, str) else int(column)


def _is_columns(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(v, (str, int, np.integer)) for v in value)


def _derived(values: Any, n_rows: int) -> NDArray[np.float64]:
    """Check that a transformer or a callable made one row of numbers per item."""
    matrix = checks.matrix("features", values.toarray() if hasattr(values, "toarray") else values)
    if len(matrix) != n_rows:
        raise InvalidInput(f"features must give one row per item ({n_rows}), got {len(matrix)}.")
    return matrix


def _transformed(transform: Callable[[Any], Any], frame: Frame) -> Any:
    """Return what a transformer makes of the whole table."""
    table = frame.table
    try:
        return transform(table)
    except AttributeError as error:
        if not isinstance(table, pa.Table):
            raise
        raise InvalidInput(
            f"The transformer cannot read the columns of an Arrow table ({error}); install pandas, which makes a "
            "DataFrame of a file."
        ) from error


def _is_fitted(transformer: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(transformer)
    except (NotFittedError, TypeError):
        return False
    return True
