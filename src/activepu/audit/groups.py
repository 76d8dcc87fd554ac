"""Groups: a column that divides every band, so that each of its values has its own statements.

A group is audited by itself. Its own strata, its own gold and its own reveal rate make its own confidence set, and the
questions are shared. The answers about other groups neither help nor harm, because the order within a stratum is
random and the plan knows only answers. So a group's statements need equal rates only *within* the group.

Half of δ is for the statements about all items, and the other half is divided evenly among the G groups: on one
rung all of them hold together with probability 1 − δ. A projection of the one set for all items would hold too, but it
must let every other stratum have its most likely count, which costs some nats for each of them; this costs ln 2G in
all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.pools import Pool

GROUPED = 0.5
"""The part of δ for the statements about groups, where there are any."""
MOST = 50
"""The most groups of an audit."""
MISSING = "(missing)"
"""The group of rows without a value: a gap in a column of any kind, or an empty text."""


@dataclass(frozen=True)
class Groups:
    """The group of every row of a pool: `names`, and for each row the place of its name; `column`, if it is one."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]
    column: str | None = None

    def of(self, row: int) -> str:
        """Return the group of a row."""
        return self.names[int(self.codes[row])]


def read(groups: Any, pool: Pool) -> Groups | None:
    """Return the groups that a setting names: a column, or one value per row; refuse what divides nothing."""
    if groups is None:
        return None
    values = pool.column(groups) if isinstance(groups, str) else _plain(groups)
    if values.shape != (len(pool),):
        raise InvalidInput(f"groups must have one value per row of the pool ({len(pool):,}), got {values.shape}.")
    if values.dtype == object:
        values = np.array([name_of(value) for value in values.tolist()])
    kinds, codes = np.unique(values, return_inverse=True)
    if len(kinds) > MOST:
        raise InvalidInput(
            f"groups has {len(kinds):,} different values, and each would need questions of its own; pass a column "
            f"with at most {MOST}, for example weeks in place of days."
        )
    named = [name_of(kind) for kind in kinds]
    names = list(dict.fromkeys(named))  # an empty text and "(missing)" are one group
    if len(names) < 2:
        raise InvalidInput(
            f"groups is {names[0]!r} in every row, which divides nothing; leave groups out, or pass a column with at "
            "least two values."
        )
    places = np.array([names.index(name) for name in named])
    return Groups(tuple(names), places[codes.ravel()].astype(np.int64), groups if isinstance(groups, str) else None)


def _plain(groups: Any) -> NDArray[Any]:
    """Return values as an array; NumPy would make the text "nan" of a gap among texts."""
    values = np.asarray(groups)
    return np.asarray(groups, object) if values.dtype.kind in "UT" else values


def name_of(value: Any) -> str:
    """Return the name of a group: its value as text, without the ".0" that a column gets if numbers are missing in it.

    Examples
    --------
    >>> from activepu.audit.groups import name_of
    >>> [name_of(value) for value in ("north", 3.0, 2.5, True, None, float("nan"), " ")]
    ['north', '3', '2.5', 'True', '(missing)', '(missing)', '(missing)']
    """
    if isinstance(value, str):
        return str(value) if value.strip() else MISSING
    if str(value) in ("None", "nan", "NaT", "<NA>"):
        return MISSING
    return str(int(value)) if isinstance(value, (float, np.floating)) and float(value).is_integer() else str(value)
