"""Arrays to which rows are appended one by one, without copying the existing rows each time."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


class Growing(Generic[T]):
    """An immutable array with spare room behind its rows.

    `plus` returns a longer one. It shares the memory if the room behind these rows is still free, and copies otherwise,
    so that n rows cost about 2n copies in total. A shorter array that is kept, to try something or to go back, never
    changes.

    Examples
    --------
    >>> import numpy as np
    >>> from activepu.zcal.growing import Growing
    >>> short = Growing(np.array([1, 2]))
    >>> short.plus([3]).rows, short.rows
    (array([1, 2, 3]), array([1, 2]))
    """

    def __init__(self, rows: NDArray[T]) -> None:
        self.rows = rows
        self._room, self._taken = rows, [len(rows)]

    def plus(self, rows: Any) -> Self:
        """Return a copy with `rows` appended."""
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
