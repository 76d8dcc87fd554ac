"""The plain parts of a saved result: which fields it has, its history, its rates and its items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.records import Bounds
from activepu.saved import Field

STATUS = {"positive": 1, "negative": 0, "undecided": -1}
FIELDS = (
    "format", "hypotheses", "hypothesis", "version_space", "certificate", "rate", "prior", "rates", "population",
    "estimates", "findings", "stop_reason", "derived", "history", "items", "pool",
)  # fmt: skip
HISTORY: dict[str, Callable[[Field], Any]] = {
    "step": Field.count,
    "item": Field.count,
    "phase": Field.text,
    "answer": lambda field: field.count(1),
    "expert": lambda field: field.value,
    "undecided": lambda field: field.or_none(Field.share),
    "u": lambda field: field.or_none(Field.number),
    "b": lambda field: field.or_none(Field.number),
}
"""The columns of the history, and how each is read."""


def rates(said: Field) -> dict[Any, Bounds]:
    """Return the reveal rates by expert."""
    found = {}
    for one in said.each():
        name, bounds = one.each(2)
        if name.value is not None and not isinstance(name.value, (str, int, float)):
            name.refuse("the name of an expert")
        found[name.value] = Bounds.from_dict(bounds)
    return found


def history(said: Field) -> dict[str, list[Any]]:
    """Return the columns of the history, which are of one length."""
    said.only(HISTORY)
    length = len(said["step"].each())
    for name, read in HISTORY.items():
        for one in said[name].each(length):
            read(one)
    return said.fields()


def status(said: Field) -> NDArray[np.int8]:
    """Return which items are positive, negative and undecided: every row is one of them."""
    n = sum(len(said.only(STATUS)[kind].each()) for kind in STATUS)
    status = np.full(n, np.int8(2))
    for kind, code in STATUS.items():
        for one in said[kind].each():
            if status[row := one.count(n - 1)] != 2:
                one.refuse("a row that is named once")
            status[row] = code
    return status
