"""A row of numbers for each expert, and the sum of all rows: an answer of one expert changes one row.

The rows are added in blocks, and the blocks are added. So a new row costs one block and the sum of the blocks. The sum
is a function of the rows alone, to the last digit: nothing is ever taken off, so that nothing drifts, and −∞ is a
number like any other. Up to `BLOCK` experts it is the plain sum of the rows in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np

from activepu.zcal.rates import Floats

BLOCK = 64


class Terms:
    """Rows of `width` numbers, 0 at first."""

    def __init__(self, width: int) -> None:
        self._rows = np.zeros((1, width))
        self._blocks = np.zeros((1, width))

    def row(self, group: int) -> Floats:
        """Return the row of a group."""
        return self._rows[group] if group < len(self._rows) else np.zeros(self._rows.shape[1])

    def total(self) -> Floats:
        """Return the sum of all rows."""
        return np.asarray(self._blocks.sum(axis=0))

    def total_with(self, rows: Mapping[int, Floats]) -> Floats:
        """Return what the sum would be if these were the rows of some groups."""
        other = copy(self)
        other._rows, other._blocks = self._rows.copy(), self._blocks.copy()
        for group, row in rows.items():
            other.put(group, row)
        return other.total()

    def total_without(self, group: int) -> Floats:
        """Return the sum of all other rows."""
        block, blocks = group // BLOCK, self._blocks.copy()
        blocks[block] = np.delete(self._in(block), group - block * BLOCK, axis=0).sum(axis=0)
        return np.asarray(blocks.sum(axis=0))

    def put(self, group: int, row: Floats) -> None:
        """Let this be the row of a group."""
        block = group // BLOCK
        self._rows = _with_room(self._rows, group + 1)
        self._blocks = _with_room(self._blocks, block + 1)
        self._rows[group] = row
        self._blocks[block] = self._in(block).sum(axis=0)

    def _in(self, block: int) -> Floats:
        return self._rows[block * BLOCK : (block + 1) * BLOCK]


def _with_room(rows: Floats, n: int) -> Floats:
    """Return rows with room for at least n of them."""
    return rows if n <= len(rows) else np.concatenate([rows, np.zeros((2 * n - len(rows), rows.shape[1]))])
