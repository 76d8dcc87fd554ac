"""An expert that is a function: a person behind an interface, a lookup, another program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.experts.base import Live


class CallbackExpert(Live):
    """`fn(rows)` returns one boolean per row: True revealed, False ★ (or int8 with −1 for a skip).

    With `rows` (a table with one row per item) the function sees those rows instead of what the pool shows.
    """

    def __init__(self, fn: Callable[[Any], Any], rows: Any = None) -> None:
        if not callable(fn):
            raise InvalidInput(f"CallbackExpert takes a function of rows, got {fn!r}.")
        self.fn = fn
        self.table = rows

    def answer(self, items: NDArray[np.int64], rows: Any) -> Any:
        """What the function says."""
        if self.table is None:
            return self.fn(rows)
        if len(items) and max(items) >= len(self.table):
            raise InvalidInput(
                f"CallbackExpert's rows must be one per item of the pool, got {len(self.table)} for item {max(items)}."
            )
        taken = self.table.iloc[items] if hasattr(self.table, "iloc") else np.asarray(self.table)[items]
        return self.fn(taken)
