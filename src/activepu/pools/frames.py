"""One interface to all kinds of tables: NumPy arrays, DataFrames, Arrow tables and files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.pools.arrow import arrow_of, values_of
from activepu.pools.read import read_file

Column = str | int


class Frame:
    """A table as the user gave it (`raw`), with its column names (None for arrays) and its number of rows."""

    raw: Any
    columns: tuple[str, ...] | None
    n_rows: int
    n_columns: int

    def __init__(self, table: Any) -> None:
        if isinstance(table, (str, Path)):
            table = read_file(Path(table))
        if hasattr(table, "tocsr"):
            raise InvalidInput(
                "A pool must be a dense table, got a sparse matrix; pass X.toarray(), or the texts as a column and a "
                "pipeline that makes features of them."
            )
        self.raw = table
        self._arrow: pa.Table | None = None
        if isinstance(table, pa.Table):
            self._arrow = table
        elif hasattr(table, "to_arrow"):
            self._arrow = table.to_arrow()
        elif hasattr(table, "iloc"):
            if not hasattr(table, "columns"):
                table = self.raw = table.to_frame()
            self._arrow = arrow_of(table)
        else:
            try:
                array = np.asarray(table)
            except ValueError:
                raise InvalidInput("A pool must be a table, got rows of different lengths; make them equal.") from None
            if array.ndim == 1:
                array = array[:, None]
            if array.ndim != 2:
                raise InvalidInput(
                    f"A pool must be a table with one row per item, got {checks.brief(array if array.ndim else table)}."
                )
            self.raw = array
        if self._arrow is None:
            self.columns = None
            self.n_rows, self.n_columns = self.raw.shape
        else:
            self.columns = tuple(str(name) for name in self._arrow.column_names)
            self.n_rows, self.n_columns = len(self.raw), self._arrow.num_columns
            if len(set(self.columns)) < len(self.columns):
                raise InvalidInput(f"Column names must be unique, got {list(self.columns)}.")

    @property
    def arrow(self) -> pa.Table:
        """The columns as an Arrow table; only of a table that has column names."""
        assert self._arrow is not None
        return self._arrow

    def axis(self, column: Column) -> int:
        """Return the position of a column, or raise an error that lists the columns."""
        if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
            if 0 <= column < self.n_columns:
                return int(column)
            raise InvalidInput(f"There is no column {column}; the table has columns 0 to {self.n_columns - 1}.")
        if self.columns is None:
            raise InvalidInput(f"There is no column {column!r}: an array has no column names, use numbers.")
        if column not in self.columns:
            raise InvalidInput(f"There is no column {column!r}; the table has {', '.join(self.columns)}.")
        return self.columns.index(column)

    def numbers(self, axes: Sequence[int]) -> NDArray[np.float64]:
        """Return these columns as floats; NaN stays NaN, and the caller refuses it where needed."""
        if self._arrow is None:
            chosen = self.raw if list(axes) == list(range(self.n_columns)) else self.raw[:, list(axes)]
            try:
                return np.asarray(chosen, np.float64)
            except (TypeError, ValueError) as error:
                raise InvalidInput(f"Features must be numbers, got values that do not convert: {error}.") from None
        matrix = np.empty((self.n_rows, len(axes)))
        for position, axis in enumerate(axes):
            column = self._arrow.column(axis)
            kind = column.type
            if not (
                pa.types.is_integer(kind)
                or pa.types.is_floating(kind)
                or pa.types.is_boolean(kind)
                or pa.types.is_decimal(kind)
            ):
                name, holds = (self.columns or ())[axis], str(kind).removeprefix("large_")
                raise InvalidInput(
                    f"Column {name!r} holds {holds}, not numbers; choose numeric columns with features=[…], pass a "
                    "transformer such as features=TableFeatures(), or raw=True for an Audit or a ModelLearner."
                )
            matrix[:, position] = column.cast(pa.float64(), safe=False).to_numpy()  # whole numbers may round
        return matrix

    def codes(self, axis: int) -> NDArray[np.uint64]:
        """Return one integer per value, equal exactly for equal values of the column."""
        if self._arrow is None:
            values = self.raw[:, axis]
        else:
            column = self._arrow.column(axis)
            kind = column.type
            plain = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
            if not plain or column.null_count:
                try:
                    coded = column.combine_chunks().dictionary_encode().indices
                    return np.asarray(coded.fill_null(-1).to_numpy(zero_copy_only=False), np.int64).view(np.uint64)
                except pa.ArrowNotImplementedError:  # lists and other values within values
                    return _text_codes(np.array([repr(value) for value in column.to_pylist()]))
            values = column.to_numpy()
        if values.dtype.kind in "iub":
            return np.asarray(values.astype(np.uint64))
        if values.dtype.kind == "f":
            return np.asarray(values.astype(np.float64) + 0.0).view(np.uint64)  # −0 is 0
        return _text_codes(values.astype(str))

    def take(self, items: NDArray[np.int64], axes: Sequence[int] | None) -> Any:
        """Return these rows (and columns) in the kind of table that the user gave."""
        if self._arrow is None:
            return self.raw[items] if axes is None else self.raw[np.ix_(items, np.asarray(axes, np.int64))]
        if hasattr(self.raw, "iloc"):
            return self.raw.iloc[items] if axes is None else self.raw.iloc[items, list(axes)]
        taken = self.raw[items] if hasattr(self.raw, "to_arrow") else self._arrow.take(items)
        return taken if axes is None else taken.select([(self.columns or ())[axis] for axis in axes])

    def given(self, axes: Sequence[int]) -> Any:
        """Return these columns as a model takes them: an array, or a DataFrame with columns of any type.

        Where pandas is not installed, columns of a file stay an Arrow table; scikit-learn finds them by name, too.
        """
        if self._arrow is None:
            return self.raw[:, list(axes)]
        if hasattr(self.raw, "iloc"):
            return self.raw.iloc[:, list(axes)]
        return _frame_of(self._arrow.select(list(axes)))

    @property
    def table(self) -> Any:
        """The whole table as a transformer takes it: as the user gave it, and a file as `given` has it."""
        return _frame_of(self.raw) if isinstance(self.raw, pa.Table) else self.raw

    def digest(self, axes: Sequence[int] | None = None) -> str:
        """Return a fingerprint of the names and all values of these columns; the kind of table does not matter."""
        found = hashlib.sha256(json.dumps([self.n_rows, self.columns and list(self.columns)]).encode())
        for axis in range(self.n_columns) if axes is None else axes:
            values = self.values(axis)
            if values.dtype.kind in "iubf":
                found.update(np.ascontiguousarray(values.astype(np.float64) + 0.0).tobytes())
            else:
                found.update(json.dumps([str(value) for value in values.tolist()]).encode())
        return found.hexdigest()

    def values(self, axis: int) -> NDArray[Any]:
        """Return one column as an array of its own type."""
        if self._arrow is None:
            return np.asarray(self.raw[:, axis])
        return values_of(self._arrow.column(axis))


def _frame_of(table: pa.Table) -> Any:
    """Return a DataFrame, whose texts are strings to scikit-learn; the table itself where pandas is not installed."""
    try:
        return table.to_pandas()
    except ModuleNotFoundError:
        return table


def _text_codes(values: NDArray[Any]) -> NDArray[np.uint64]:
    return np.unique(values, return_inverse=True)[1].ravel().astype(np.uint64)


def taken(table: Any, rows: Any) -> Any:
    """Return some rows of a table of any kind, by numbers or as a slice; a row may be taken more than once."""
    if isinstance(table, pa.Table):
        return table.take(np.arange(len(table))[rows])
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def selected(table: Any, places: Sequence[int]) -> Any:
    """Return some columns of a table of any kind."""
    if isinstance(table, pa.Table):
        return table.select(list(places))
    return table.iloc[:, list(places)] if hasattr(table, "iloc") else table[:, list(places)]


def column_of(table: Any, place: int) -> tuple[str, Any]:
    """Return a column of a table of any kind, as it is in a DataFrame and else as an array, and how it is called."""
    if isinstance(table, pa.Table):
        return repr(table.column_names[place]), values_of(table.column(place))
    return (
        (repr(table.columns[place]), table.iloc[:, place]) if hasattr(table, "iloc") else (str(place), table[:, place])
    )


def row_of(rows: Any, k: int) -> Any:
    """Return row k of a table of any kind."""
    if hasattr(rows, "iloc"):
        return rows.iloc[k]
    return rows.slice(k, 1).to_pylist()[0] if hasattr(rows, "to_pylist") else rows[k]
