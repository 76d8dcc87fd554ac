"""A database of studies, in SQLite or PostgreSQL: connections, transactions and locks.

Every change is one transaction that holds the study's row: changes of one study come one after another, and a number
in `events` never has a gap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from activepu.errors import InvalidInput, StorageFailed
from activepu.studies.storage import addresses, failures, migrations, sqlite
from activepu.studies.storage.chain import Head
from activepu.studies.storage.statements import Committed, Compiled, Reading, Snapshot, Transaction
from activepu.studies.storage.tables import metadata

IDLE = 8
"""How many connections to a file are kept open."""


class Storage:
    """A database of studies: `write` is one transaction, `read` sees what has been committed.

    A file that is not there is made, unless it `must_exist`.
    """

    def __init__(self, url: str, must_exist: bool = False) -> None:
        self._address = addresses.checked(url, must_exist)
        self.name = self._address.name
        self._file: sqlite.SameFile | None = None
        if self.is_sqlite:
            self._file = sqlite.SameFile(self._address)
            self.engine = sqlite.engine(self._address, self._file)
        else:
            from activepu.studies.storage import postgresql  # its driver need not be installed

            self.engine = postgresql.engine(self._address)
        self.dbapi: Any = self.engine.dialect.loaded_dbapi
        self._idle: deque[Any] = deque()
        self._closed = False
        self._compiled: dict[sa.Executable, Compiled] = {}
        self._held = {study: migrations.held(study, self.is_sqlite) for study in (False, True)}
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

    @property
    def is_sqlite(self) -> bool:
        """Whether it is one file."""
        return self._address.is_sqlite

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
                do = self._begun(connection.cursor(), study, durable)
                if self._file is not None:
                    self._file.begun(connection.driver_connection)
                yield do
                do.finish()
                self._commit(connection)
            except BaseException:
                try:
                    connection.rollback()
                except self.dbapi.Error:
                    connection.invalidate()
                else:
                    connection.close()
                raise
            if self.is_sqlite and len(self._idle) < IDLE:
                self._idle.append(connection)
            else:
                connection.close()

    def _begun(self, cursor: Any, study: int | None, durable: bool) -> Transaction:
        """Take the lock, and refuse a schema that is not ours, which may have come since the database was opened."""
        do = Transaction(cursor, self._compile, study)
        if self.is_sqlite:
            cursor.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            sqlite.begin(cursor, self._address.timeouts["lock_timeout"])
        elif not durable:
            cursor.execute("SET LOCAL synchronous_commit = off")
        row = do.first(self._held[study is not None])
        if row is None:
            raise StorageFailed(
                f"The study is no longer in the database {self.name}: it was deleted, or the database was replaced; "
                "nothing was changed: if it is missed, restore a copy of the database."
            )
        migrations.refuse_another(row[0])
        do.head = Head(*row[1:]) if study is not None else do.head
        return do

    def _commit(self, connection: Any) -> None:
        if self._file is not None:
            self._file.refuse_another(connection.driver_connection)
        alive = not getattr(connection.driver_connection, "closed", False)  # else nothing is sent
        try:
            connection.commit()
        except self.dbapi.Error as error:
            raise failures.failed(self._address, error, committing=alive) from error
        if self._file is not None:
            self._file.refuse_another(connection.driver_connection)

    @contextmanager
    def read(self, study: int | None = None) -> Iterator[Reading]:
        """Open a reading, whose statements see everything that has been committed and take no lock."""
        self._refuse_if_closed()
        with self.translated(), self._connected() as connection:
            yield Committed(connection, study)

    @contextmanager
    def snapshot(self, study: int | None = None) -> Iterator[Reading]:
        """Open a reading, whose statements all see what was committed at one moment, and take no lock."""
        self._refuse_if_closed()
        with self.translated(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield Snapshot(connection, study)

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
            found = failures.failed(self._address, error, committing=False)
            raise found from found.__cause__

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
