"""Arrays to which rows are added, one by one, without copying what is there."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


class Growing(Generic[T]):
    """Rows, and room behind them. Immutable: `plus` is a longer one that shares the room, where nobody took it yet.

    So n rows cost about 2n copies in all, and whoever keeps a shorter one, a copy that only supposes something or a
    step that is taken back, never sees what was added to it.
    """

    def __init__(self, rows: NDArray[T]) -> None:
        self.rows = rows
        self._room, self._taken = rows, [len(rows)]

    def plus(self, rows: Any) -> Self:
        """With these behind."""
        more = np.asarray(rows, self.rows.dtype)
        here, n = len(self.rows), len(self.rows) + len(more)
        longer = object.__new__(type(self))
        longer._room, longer._taken = self._room, self._taken
        if self._taken[0] != here or n > len(self._room):
            longer._room, longer._taken = np.empty((2 * n, *self.rows.shape[1:]), self.rows.dtype), [n]
            longer._room[:here] = self.rows
        longer._room[here:n] = more
        longer._taken[0] = n
        longer.rows = longer._room[:n]
        return longer
