"""An expert that is a function: a person behind an interface, a lookup, another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.experts.base import Live


class CallbackExpert(Live):
    """An expert that is a function of the rows: an interface, a lookup, another program.

    Parameters
    ----------
    fn : callable
        `fn(rows)` is given all rows that are asked at once, in the kind of table that the pool was made of (an Arrow
        table for a file). It returns one answer per row: True (revealed), False (★) or SKIP; or an array of 1, 0 and
        −1 (skip).
    rows : table, optional
        A table with one row per item of the pool, a DataFrame or an array. The function sees these rows instead of what
        the pool shows.

    See Also
    --------
    Expert : What every expert must have.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> expert = apu.CallbackExpert(lambda rows: rows[:, 0] > 0.7)
    >>> expert.answer(np.array([0, 1]), rows=np.array([[0.9], [0.2]]))
    array([ True, False])
    """

    def __init__(self, fn: Callable[[Any], Any], rows: Any = None) -> None:
        if not callable(fn):
            raise InvalidInput(f"CallbackExpert takes a function of rows, got {fn!r}.")
        self.fn = fn
        self.table = rows

    def answer(self, items: NDArray[np.int64], rows: Any) -> Any:
        """Return what the function answers about these items."""
        if self.table is None:
            return self.fn(rows)
        if len(items) and max(items) >= len(self.table):
            raise InvalidInput(
                f"CallbackExpert's rows must be one per item of the pool, got {len(self.table)} for item {max(items)}."
            )
        taken = self.table.iloc[items] if hasattr(self.table, "iloc") else np.asarray(self.table)[items]
        return self.fn(taken)
