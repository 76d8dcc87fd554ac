"""Randomness without state: integer hashes of (seed, row).

Row order and simulated coins depend on nothing but the seed and the row number, so every backend sees the same ones.
The mixing function is splitmix64 (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

ENDLESS = 1 << 32
"""Items of a table are numbered from 0, below this; items of an endless pool from here on."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    values = (values ^ (values >> np.uint64(30))) * _MIX1
    values = (values ^ (values >> np.uint64(27))) * _MIX2
    return values ^ (values >> np.uint64(31))


def keys(seed: int, purpose: str, rows: Any) -> NDArray[np.uint64]:
    """Return a 64-bit key per row; `purpose` makes the order of the rows independent of the expert's coins."""
    salt = np.array([seed & 0xFFFFFFFFFFFFFFFF, int.from_bytes(purpose.encode()[:8].ljust(8), "little")], np.uint64)
    with np.errstate(over="ignore"):
        first, second = _mix(salt + _GOLDEN)
        start = _mix(np.array([first ^ (second * _MIX1)], np.uint64))[0]
        return _mix(start + (np.asarray(rows).astype(np.uint64) + np.uint64(1)) * _GOLDEN)


def uniforms(seed: int, purpose: str, rows: Any) -> NDArray[np.float64]:
    """Return a uniform number in [0, 1) per row."""
    return (keys(seed, purpose, rows) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def order(seed: int, rows: int) -> NDArray[np.intp]:
    """Return the rows 0…rows−1 in the order of their keys."""
    return np.argsort(keys(seed, "order", np.arange(rows)), kind="stable")


def of_rows(matrix: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return a number per row that depends on its values alone: equal rows have equal numbers."""
    numbers = np.zeros(len(matrix), np.uint64)
    for place, column in enumerate((matrix + 0.0).T):  # + 0.0 turns −0 into 0
        numbers = keys(place, "row", numbers ^ np.ascontiguousarray(column).view(np.uint64))
    return numbers
