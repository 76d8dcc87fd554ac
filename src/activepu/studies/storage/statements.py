"""How statements run within a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

Compiled = tuple[str, dict[str, Any]]
"""A statement as one database reads it, and the values that it brings along."""


class Transaction:
    """Statements of SQLAlchemy Core on the driver's own cursor; each is compiled once and costs little after that."""

    def __init__(self, cursor: Any, compiled: Callable[[sa.Executable], Compiled]) -> None:
        self._cursor = cursor
        self._compiled = compiled

    def do(self, statement: sa.Executable, **values: Any) -> None:
        """Runs it."""
        text, defaults = self._compiled(statement)
        self._cursor.execute(text, {**defaults, **values})

    def do_each(self, statement: sa.Executable, rows: Sequence[dict[str, Any]]) -> None:
        """Runs it for every row."""
        text, defaults = self._compiled(statement)
        self._cursor.executemany(text, [{**defaults, **row} for row in rows])

    def all(self, statement: sa.Executable, **values: Any) -> list[tuple[Any, ...]]:
        """What it returns."""
        self.do(statement, **values)
        return list(self._cursor.fetchall())

    def first(self, statement: sa.Executable, **values: Any) -> tuple[Any, ...] | None:
        """The first row that it returns."""
        return next(iter(self.all(statement, **values)), None)
