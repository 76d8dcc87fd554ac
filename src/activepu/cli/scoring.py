"""What a result says of the rows of a table that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from activepu.cli import tables
from activepu.errors import InvalidInput
from activepu.pools import Pool
from activepu.pools.read import read_file
from activepu.result import Result

DECISIONS = np.array(["0", "1", "undecided"])
"""By what `predict(abstain=True)` returns: 0, 1, and −1, the last."""


@dataclass(frozen=True)
class Scored:
    """A table, the columns that were added to it, and how the columns of its file are spelled."""

    table: pa.Table
    added: tuple[str, ...]
    counts: Mapping[str, int | None]
    spelled: Mapping[str, pa.ChunkedArray]

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        said = [f"{n:,} {kind}" for kind, n in self.counts.items() if n is not None]
        return f"Of {self.table.num_rows:,} rows: {', '.join(said)}."

    def write(self, file: Path) -> None:
        """Write the table with the new columns."""
        tables.write(file, self.table, self.spelled)


def scored(file: Path, result: Result, prefix: str) -> Scored:
    """Return the table of a file with what the result says of each row."""
    table = read_file(file)
    X = _features(table, file, result)
    new: dict[str, NDArray[np.generic]] = {}
    if result.model is not None:
        p = result.predict_proba(X)[:, 1]
        called = p >= 0.5
        new = {"p_positive": p}
        counts: dict[str, int | None] = {"positive": int(called.sum()), "negative": int((~called).sum())}
        counts["undecided"] = None
    else:
        status, called = result.predict(X, abstain=True), result.predict(X)
        new = {"decision": DECISIONS[status]}
        kinds = {"positive": 1, "negative": 0, "undecided": -1}
        counts = {kind: int((status == code).sum()) for kind, code in kinds.items()}
    columns = {f"{prefix}{name}": values for name, values in (new | {"predicted": called.astype(np.int8)}).items()}
    for name in columns:
        if name in table.column_names:
            raise InvalidInput(
                f"The table {str(file)!r} has a column {name!r} already; add --prefix new_, say, for the new columns."
            )
    spelled = tables.spelled(file, table)
    for name, column in columns.items():
        table = table.append_column(name, pa.array(column))
    return Scored(table, tuple(columns), counts, spelled)


def _features(table: pa.Table, file: Path, result: Result) -> object:
    """Return the columns that the rule reads, as it takes them."""
    if not len(table):
        raise InvalidInput(f"The table {str(file)!r} has no rows to score.")
    names = result.hypothesis.hypotheses.names
    if result._derived:
        raise InvalidInput(
            "The features of this result were made from the columns by a transformer or a function, which no file "
            "holds, so it cannot score tables here; use the result in Python, where it was made."
        )
    if names is None:
        raise InvalidInput(
            "This result was learned from an array without names of columns, so it cannot score tables here; use "
            "load_result(…).predict(array) in Python."
        )
    for name in names:
        if name not in table.column_names:
            raise InvalidInput(
                f"The table {str(file)!r} has no column {name!r}, which the result was learned with; it has "
                f"{', '.join(table.column_names)[:200]}."
            )
    return Pool(table, features=list(names), raw=result.model is not None).features()
