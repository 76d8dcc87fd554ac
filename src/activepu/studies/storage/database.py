"""A database of studies, in SQLite or PostgreSQL: connections, transactions and locks.

Every change is one transaction that holds the study's row: changes of one study come one after another, and a number
in `events` never has a gap.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from activepu.errors import InvalidInput, StorageFailed
from activepu.studies.storage import addresses, failures, migrations
from activepu.studies.storage.statements import Committed, Compiled, Reading, Transaction
from activepu.studies.storage.tables import metadata, studies

IDLE = 8
"""How many connections to a file are kept open."""

_ALONE = sa.select(studies.c.id).where(studies.c.id == sa.bindparam("_study")).with_for_update()


class Storage:
    """A database of studies: `write` is one transaction, `read` sees what has been committed.

    A file that is not there is made, unless it `must_exist`.
    """

    def __init__(self, url: str, must_exist: bool = False) -> None:
        self.url = addresses.checked(url, must_exist)
        self.name = self.url.render_as_string(hide_password=True)
        options: dict[str, Any] = {"pool_pre_ping": True, "isolation_level": "READ COMMITTED"}
        if self.is_sqlite:
            timeout = {"timeout": failures.BUSY_SECONDS, "check_same_thread": False}
            options = {"connect_args": timeout, "paramstyle": "named", "poolclass": sa.NullPool}
        self.engine = sa.create_engine(self.url, **options)
        if self.is_sqlite:
            sa.event.listen(self.engine, "connect", _durable)
        self.dbapi: Any = self.engine.dialect.loaded_dbapi
        self._idle: deque[Any] = deque()
        self._closed = False
        self._compiled: dict[sa.Executable, Compiled] = {}
        try:
            with self.translated():
                with self._connected() as connection:
                    done = migrations.is_done(connection)
                if not done:
                    with self.engine.connect() as connection:
                        connection.exec_driver_sql("BEGIN IMMEDIATE" if self.is_sqlite else "SELECT 1")
                        migrations.migrate(connection, metadata)
                        connection.commit()
        except BaseException:
            self.close()
            raise

    @cached_property
    def is_sqlite(self) -> bool:
        """Whether it is one file."""
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def write(self, study: int | None = None, durable: bool = True) -> Iterator[Transaction]:
        """Open one transaction, which holds the study's row until it ends. It is durable once the block is left.

        It takes the lock at once, so that no two transactions start from the same state. If it is not `durable`, it
        does not wait for the disk: it survives the death of any process, but a power failure may undo it, unless a
        durable transaction came after it.
        """
        self._refuse_if_closed()
        with self.translated():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self.engine.raw_connection()
            try:
                cursor = connection.cursor()
                do = Transaction(cursor, self._compile, study)
                if self.is_sqlite:
                    cursor.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    cursor.execute("BEGIN IMMEDIATE")
                else:
                    cursor.execute(f"SET LOCAL lock_timeout = '{failures.BUSY_SECONDS}s'")
                    if not durable:
                        cursor.execute("SET LOCAL synchronous_commit = off")
                    do.do(_ALONE)
                yield do
                connection.commit()
            except BaseException:
                with suppress(self.dbapi.Error):
                    connection.rollback()
                connection.close()
                raise
            if self.is_sqlite and len(self._idle) < IDLE:  # a file does not go away: its connections stay good
                self._idle.append(connection)
            else:
                connection.close()

    @contextmanager
    def read(self, study: int | None = None) -> Iterator[Reading]:
        """Open a reading, whose statements see everything that has been committed and take no lock."""
        self._refuse_if_closed()
        with self.translated(), self._connected() as connection:
            yield Committed(connection, study)

    @contextmanager
    def _connected(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as connection:
            yield connection if self.is_sqlite else connection.execution_options(isolation_level="AUTOCOMMIT")

    def _compile(self, statement: sa.Executable) -> Compiled:
        """Return a statement as this database reads it; each is compiled once."""
        found = self._compiled.get(statement)
        if found is None:
            made = statement.compile(dialect=self.engine.dialect)  # type: ignore[attr-defined]
            found = self._compiled[statement] = str(made), dict(made.params)
        return found

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turn errors of the database into `StorageFailed` with one sentence."""
        try:
            yield
        except (exc.SQLAlchemyError, self.dbapi.Error) as error:
            cause = getattr(error, "orig", None) or error
            raise StorageFailed(failures.sentence(self.name, cause)) from cause

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise InvalidInput(f"The study in {self.name} was closed here; open it again with Study.load(url, name).")

    def close(self) -> None:
        """Close the connections for good."""
        self._closed = True
        self.let_go()

    def let_go(self) -> None:
        """Close the connections; new ones are made when they are needed."""
        while self._idle:
            self._idle.pop().close()
        self.engine.dispose()


def _durable(connection: sqlite3.Connection, record: Any) -> None:
    """Make every commit wait for the disk, and let no transaction begin on its own."""
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
