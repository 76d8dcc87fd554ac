"""How statements about one study run: each on its own for a reading, all or none in a transaction.

Every statement gets the study's key as `_study`. Only modules of this package run statements.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from activepu.studies.storage.chain import Head
from activepu.studies.storage.tables import Now

Row = Sequence[Any]
Compiled = tuple[str, dict[str, Any]]
"""A statement as one database reads it, and the values that it brings along."""
AT_A_TIME = 5000
"""So many rows of a snapshot are read at a time."""
_CLOCK = sa.select(Now())


class Reading(ABC):
    """What is stored of one study."""

    def __init__(self, study: int | None) -> None:
        self._study = study

    @abstractmethod
    def all(self, statement: sa.Executable, **values: Any) -> Sequence[Row]:
        """Run a statement and return its rows."""

    def each(self, statement: sa.Executable, **values: Any) -> Iterable[Row]:
        """Run a statement and return its rows, of which a snapshot reads some thousand at a time."""
        return self.all(statement, **values)

    def first(self, statement: sa.Executable, **values: Any) -> Row | None:
        """Run a statement and return its first row."""
        return next(iter(self.all(statement, **values)), None)

    def now(self) -> Any:
        """Return what the database's clock says: seconds since 1970."""
        ((seconds,),) = self.all(_CLOCK)
        return seconds


class Committed(Reading):
    """Single statements; each sees everything that has been committed before it."""

    def __init__(self, connection: sa.Connection, study: int | None) -> None:
        super().__init__(study)
        self._connection = connection

    def all(self, statement: sa.Executable, **values: Any) -> Sequence[Row]:
        """Run a statement and return its rows."""
        return self._connection.execute(statement, {"_study": self._study, **values}).all()


class Snapshot(Committed):
    """Statements that all see the same moment, because they are of one transaction."""

    def each(self, statement: sa.Executable, **values: Any) -> Iterable[Row]:
        """Run a statement and return its rows, some thousand at a time."""
        options = {"yield_per": AT_A_TIME}
        values = {"_study": self._study, **values}
        with self._connection.execute(statement, values, execution_options=options) as rows:  # closed, read or not
            yield from rows


class Transaction(Reading):
    """Statements on the driver's own cursor: each is compiled once and costs little after that."""

    def __init__(self, cursor: Any, compiled: Callable[[sa.Executable], Compiled], study: int | None) -> None:
        super().__init__(study)
        self._cursor = cursor
        self._compiled = compiled
        self._at_end: dict[sa.Executable, dict[str, Any]] = {}
        self.head = Head(0, "")
        """The last event of the study, with those of this transaction."""

    def of(self, study: int) -> Transaction:
        """Return the same transaction, about a study that was made in it."""
        return Transaction(self._cursor, self._compiled, study)

    def do(self, statement: sa.Executable, **values: Any) -> None:
        """Run a statement that changes something."""
        text, defaults = self._compiled(statement)
        self._cursor.execute(text, {**defaults, "_study": self._study, **values})

    def do_each(self, statement: sa.Executable, rows: Iterable[dict[str, Any]], **same: Any) -> None:
        """Run a statement once for every row of values; some are the same for all."""
        text, defaults = self._compiled(statement)
        same = {**defaults, "_study": self._study, **same}
        self._cursor.executemany(text, ({**same, **row} for row in rows))

    def at_end(self, statement: sa.Executable, **values: Any) -> None:
        """Run a statement once, before the transaction is committed, with the values that were given last."""
        self._at_end[statement] = values

    def finish(self) -> None:
        """Run the statements that were left for the end."""
        for statement, values in self._at_end.items():
            self.do(statement, **values)

    def all(self, statement: sa.Executable, **values: Any) -> Sequence[Row]:
        """Run a statement and return its rows."""
        self.do(statement, **values)
        return list(self._cursor.fetchall())
