"""How one column becomes numbers: as a number, categories, the parts of a date, the words of a text, or not at all.

A treatment is fitted to the column of the pool by `activepu.features.kinds`, and holds plain values. It turns any later
column of the same name into numbers: what the pool did not have, a new category or a word, is none of those it had.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute
import scipy.sparse as sp
from numpy.typing import NDArray

from activepu.errors import InvalidInput

Matrix = NDArray[np.float64]
Way = Literal["trees", "native", "linear"]
"""For trees, which keep gaps; for classifiers that know what categories are; for all that need every number filled."""

LARGEST = float(np.finfo(np.float32).max)
"""Trees read single precision."""
MISSING = "is missing"


class Treatment(ABC):
    """What is made of one column.

    Attributes
    ----------
    column : str
        The column's name.
    names : tuple of str
        The names of the numbers that are made of it.
    said : str
        The same in words.
    """

    column: str
    names: tuple[str, ...]
    said: str

    @abstractmethod
    def numbers(self, column: pa.Array) -> Any:
        """Return a matrix with one row per value and one column per name; it may be sparse."""


@dataclass(frozen=True)
class LeftOut(Treatment):
    """Nothing is made of it."""

    column: str
    said: str
    names: tuple[str, ...] = ()

    def numbers(self, column: pa.Array) -> Matrix:
        """No columns."""
        return np.empty((len(column), 0))


@dataclass(frozen=True)
class Number(Treatment):
    """The number itself, with gaps; or filled with the median and scaled, and then with a column that marks gaps."""

    column: str
    said: str
    names: tuple[str, ...]
    center: float = 0.0
    scale: float = 1.0
    filled: float = np.nan
    logarithm: bool = False

    def numbers(self, column: pa.Array) -> Matrix:
        """One column, and one more if there were gaps to mark."""
        values = floats(column, self.column)
        gaps = np.isnan(values)
        x = np.clip(np.where(gaps, self.filled, values), -LARGEST, LARGEST)
        x = (squashed(x) if self.logarithm else x) - self.center
        x /= self.scale
        return np.column_stack([x, gaps]) if len(self.names) > 1 else x[:, None]


@dataclass(frozen=True)
class Category(Treatment):
    """One column per value that says whether it is that, or one column with the number of the value.

    `values` are the most frequent values, in this order. In numbers, others that the pool had share one, and what it
    did not have is a gap; in columns, they are none of the values.
    """

    column: str
    said: str
    names: tuple[str, ...]
    values: tuple[str, ...]
    others: tuple[str, ...]
    in_columns: bool

    def numbers(self, column: pa.Array) -> Any:
        """As described."""
        known = pa.array([*self.values, *self.others], pa.string())
        place = pa.compute.index_in(texts(column), value_set=known, skip_nulls=True)
        codes = place.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        if not self.in_columns:
            return np.where(codes < 0, np.nan, np.minimum(codes, len(self.values)))[:, None]
        if len(self.names) > len(self.values):
            codes[texts(column).is_null().to_numpy(zero_copy_only=False)] = len(self.values)
        rows = np.flatnonzero((codes >= 0) & (codes < len(self.names)))
        return sp.csr_array((np.ones(len(rows)), (rows, codes[rows])), shape=(len(codes), len(self.names)))


@dataclass(frozen=True)
class Date(Treatment):
    """The day, counted from 1970; the month; the day of the week, Monday being 0; and the hour: those that differ."""

    column: str
    said: str
    names: tuple[str, ...]
    parts: tuple[str, ...]
    centers: tuple[float, ...]
    scales: tuple[float, ...]
    filled: bool

    def numbers(self, column: pa.Array) -> Matrix:
        """One column per part."""
        made = parts_of(moments(column, self.column))
        matrix = np.column_stack([made[part] for part in self.parts])
        matrix = (matrix - np.array(self.centers)) / np.array(self.scales)
        return np.asarray(np.nan_to_num(matrix, nan=0.0) if self.filled else matrix)


@dataclass(frozen=True)
class Text(Treatment):
    """The weight of each term, by TF-IDF (Sparck Jones 1972): of words, and of pairs in a row where texts are short.

    For linear classifiers the weights of a text have length one (`unit`). For trees they do not: there the weight of a
    word would tell which other words the text has.
    """

    column: str
    said: str
    names: tuple[str, ...]
    terms: tuple[str, ...]
    rarity: Matrix
    pairs: bool
    unit: bool

    def numbers(self, column: pa.Array) -> Any:
        """A sparse matrix; a row without any of the terms is zero."""
        counted = counter(self.pairs, vocabulary=self.terms).transform(strings(column)).astype(np.float64)
        counted.data = (1 + np.log(counted.data)) * self.rarity[counted.indices]
        if not self.unit:
            return sp.csr_array(counted)
        length = np.sqrt(counted.multiply(counted).sum(axis=1))
        return sp.csr_array(sp.diags_array(1 / np.maximum(np.asarray(length).ravel(), 1e-12)) @ counted)


def counter(pairs: bool, **settings: Any) -> Any:
    """Return what counts the terms of texts: words of two letters or more and pairs of these, without accents."""
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer(ngram_range=(1, 1 + pairs), strip_accents="unicode", dtype=np.float32, **settings)


def plain(matrix: Any) -> Matrix:
    """Return a matrix that may be sparse as a plain one."""
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix)  # type: ignore[attr-defined]


def squashed(values: Matrix) -> Matrix:
    """Return ±ln(1 + |x|), which pulls in a long tail."""
    return np.asarray(np.sign(values) * np.log1p(np.abs(values)))


def texts(column: pa.Array) -> pa.Array:
    """Return a column as texts without space around them; empty ones are gaps."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    if pa.types.is_null(column.type):
        return pa.nulls(len(column), pa.string())
    trimmed = pa.compute.utf8_trim_whitespace(column.cast(pa.string()))
    return pa.compute.if_else(pa.compute.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)


def strings(column: pa.Array) -> list[str]:
    """Return a column as a list of texts, with empty ones for gaps."""
    found: list[str] = texts(column).fill_null("").to_pylist()
    return found


def floats(column: pa.Array, name: str) -> Matrix:
    """Return a column as numbers, with NaN where there is none, or none that is finite; refuse texts that are none."""
    kind = column.type
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        column = column.cast(pa.int64() if kind.bit_width == 64 else pa.int32())
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        column = texts(column)
    try:
        values = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidInput(
            f"Column {name!r} held numbers when the features were made, and now holds {kind} ({error}); convert it."
        ) from None
    return np.where(np.isfinite(values), values, np.nan)


def moments(column: pa.Array, name: str) -> pa.Array:
    """Return a column as moments in time, as the clock of its own time zone shows them; refuse what are none."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        if kind.tz is not None:
            column = pa.compute.local_timestamp(column)
        return column.cast(pa.timestamp("us"), safe=False)
    try:
        if pa.types.is_date(kind) or pa.types.is_null(kind):
            return column.cast(pa.timestamp("us"))
        return texts(column).cast(pa.timestamp("us"))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidInput(
            f"Column {name!r} held dates when the features were made, and now holds {kind} ({error}); convert it."
        ) from None


def parts_of(column: pa.Array) -> dict[str, Matrix]:
    """Return what a date is made of, with NaN in its gaps."""
    whole = pa.compute.floor_temporal(column, unit="day")
    days = pa.compute.divide(whole.cast(pa.int64()).cast(pa.float64()), 86_400e6)
    hours = pa.compute.divide(pa.compute.subtract(column, whole).cast(pa.int64()).cast(pa.float64()), 3_600e6)
    parts = {
        "day": days,
        "month": pa.compute.month(column),
        "weekday": pa.compute.day_of_week(column),
        "hour": hours,
    }
    return {
        name: np.asarray(part.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
        for name, part in parts.items()
    }
