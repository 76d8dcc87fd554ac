"""Tables of any kind as Arrow tables, whose columns have one type each and know their gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def arrow_of(table: Any) -> pa.Table:
    """Return a DataFrame as an Arrow table; values of mixed types are kept as text, which still tells them apart.

    Examples
    --------
    >>> import pandas as pd
    >>> from activepu.pools.arrow import arrow_of
    >>> arrow_of(pd.DataFrame({"number": [2**70, 1], "mixed": ["a", 1]})).to_pylist()[0]
    {'number': '1180591620717411303424', 'mixed': "str 'a'"}
    """
    names = [str(name) for name in table.columns]
    return pa.Table.from_arrays([_series(table.iloc[:, k]) for k in range(len(names))], names)


def _series(series: Any) -> pa.Array:
    """Return a column of a DataFrame; whole numbers beyond 64 bits are kept as text, with all their digits."""
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        gaps = series.isna()
        if all(isinstance(value, (int, np.integer)) for value in series[~gaps]):
            return pa.array([None if gap else str(value) for value, gap in zip(series, gaps, strict=True)], pa.string())
        return pa.array([f"{type(value).__name__} {value!r}" for value in series])


def values_of(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column as an array; of categories the values, whose gaps `to_numpy` would fill with the last."""
    kind = column.type
    return np.asarray((column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column).to_numpy())
