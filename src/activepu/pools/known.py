"""Which rows a user means: row numbers, a mask over all rows, or keys of the pool's id column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput

if TYPE_CHECKING:
    from activepu.pools.table import Pool


def listed(name: str, given: Any) -> NDArray[Any]:
    """Return what was given as a column of booleans, whole numbers or texts; refuse anything else.

    Examples
    --------
    >>> from activepu.pools.known import listed
    >>> listed("gold", range(3)), listed("gold", ["A7"]).tolist()
    (array([0, 1, 2]), ['A7'])
    """
    values = np.asarray(given)
    if values.dtype == object and values.ndim == 1:
        values = np.array(values.tolist())  # a column of any kind, by what it holds
    values = np.atleast_1d(values)
    if not values.size:
        return np.empty(0, np.int64)
    if values.ndim != 1 or values.dtype.kind not in "biuUT":
        got = checks.plain(values.ravel()[0]) if values.dtype.kind == "f" else checks.brief(given)
        raise InvalidInput(
            f"{name} must be row numbers (whole numbers from 0 on), a mask with one boolean per row, or keys of the "
            f"pool's id column, got {got}."
        )
    if values.dtype.kind == "i" and values.min() < 0:
        raise InvalidInput(f"{name} must be row numbers, which begin with 0, got {values.min()}; count from the first.")
    return values.astype(np.int64) if values.dtype.kind in "iu" else values


def row_numbers(name: str, given: Any, pool: Pool) -> NDArray[np.int64]:
    """Return the row numbers that a user means; refuse what the pool does not have.

    Whole numbers are row numbers, always. Texts are keys.
    """
    values = listed(name, given)
    if values.dtype == bool:
        if len(values) != len(pool):
            raise InvalidInput(
                f"{name} as a mask must have one boolean per row of the pool ({len(pool):,}), got {len(values):,}."
            )
        return np.flatnonzero(values)
    if values.dtype.kind == "i":
        if (beyond := values[values >= len(pool)]).size:
            own = "; the rows of your own keys are np.flatnonzero(np.isin(pool.ids, keys))" if pool.has_ids else ""
            raise InvalidInput(f"{name} must be row numbers from 0 to {len(pool) - 1}, got {beyond[0]}{own}.")
        return values
    if not pool.has_ids:
        raise InvalidInput(
            f"{name} has the key {str(values[0])!r}, but the pool has no column of keys; name it, Pool(…, id=…), or "
            "pass row numbers."
        )
    rows = {str(key): row for row, key in enumerate(pool.ids.tolist())}
    for key in values.tolist():
        if key not in rows:
            raise InvalidInput(f"{name} has the key {key!r}, which is not in the id column of the pool.")
    return np.array([rows[key] for key in values.tolist()], np.int64)
