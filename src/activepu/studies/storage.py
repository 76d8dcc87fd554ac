"""Where studies are kept: five tables, in SQLite or PostgreSQL, through one code path.

`events` is append-only and is the state; the other tables say what is leased to whom. Every change is one transaction
that holds the study's row: changes of one study come one after another, and a number in `events` never has a gap.
"""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.ext.compiler import compiles

from activepu.errors import InvalidInput, StorageFailed
from activepu.studies import failures, migrations

IDLE = 8
"""Connections to a file that are kept open."""

metadata = sa.MetaData()
studies = sa.Table(
    "activepu_studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("made", sa.Float, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),  # JSON: pool, learner, seed, limits
)
experts = sa.Table(
    "activepu_experts",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
)
questions = sa.Table(
    "activepu_questions",
    metadata,
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("item", sa.BigInteger, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # open, answered, withdrawn
    sa.Column("answer", sa.Integer),
    sa.Column("expert", sa.Text, nullable=False),  # who holds it, or answered it; empty: nobody
    sa.Column("token", sa.Text),  # of the lease that counts now, if there is one
    sa.Column("expires", sa.Float, nullable=False),  # of that lease
    sqlite_with_rowid=False,
)
is_open = questions.c.state == sa.literal_column("'open'")
_by_expert = (questions.c.study, questions.c.expert, questions.c.sequence)
sa.Index("activepu_open_questions", *_by_expert, sqlite_where=is_open, postgresql_where=is_open)
leases = sa.Table(
    "activepu_leases",  # those that are over
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("token", sa.Text, primary_key=True),
    sa.Column("expert", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # ended, skipped, undone
    sqlite_with_rowid=False,
)
events = sa.Table(
    "activepu_events",
    metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey(studies.c.id), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),  # see studies.events
    sa.Column("sequence", sa.Integer),
    sa.Column("item", sa.BigInteger),
    sa.Column("expert", sa.Text),
    sa.Column("answer", sa.Integer),
    sa.Column("note", sa.Text),  # JSON: phase, position, prediction, drawn
    sa.Column("at", sa.Float, nullable=False),
    sqlite_with_rowid=False,
)


class Now(sa.sql.functions.FunctionElement[float]):
    """Seconds since 1970 on the database's clock."""

    type = sa.Float()
    inherit_cache = True


@compiles(Now, "sqlite")
def _sqlite_clock(element: Now, compiler: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(Now, "postgresql")
def _postgresql_clock(element: Now, compiler: Any, **options: Any) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"


class Transaction:
    """Statements of SQLAlchemy Core on the driver's own cursor; each is compiled once and costs little after that."""

    def __init__(self, cursor: Any, storage: Storage) -> None:
        self._cursor = cursor
        self._storage = storage

    def do(self, statement: sa.Executable, **values: Any) -> None:
        """Runs it."""
        text, defaults = self._storage.compiled(statement)
        self._cursor.execute(text, {**defaults, **values})

    def do_each(self, statement: sa.Executable, rows: Sequence[dict[str, Any]]) -> None:
        """Runs it for every row."""
        text, defaults = self._storage.compiled(statement)
        self._cursor.executemany(text, [{**defaults, **row} for row in rows])

    def all(self, statement: sa.Executable, **values: Any) -> list[tuple[Any, ...]]:
        """What it returns."""
        self.do(statement, **values)
        return list(self._cursor.fetchall())

    def first(self, statement: sa.Executable, **values: Any) -> tuple[Any, ...] | None:
        """The first row that it returns."""
        return next(iter(self.all(statement, **values)), None)


NEW = studies.insert().values(name=sa.bindparam("_name"), settings=sa.bindparam("_settings"), made=Now())
_ALONE = sa.select(studies.c.id).where(studies.c.id == sa.bindparam("study")).with_for_update()


class Storage:
    """A database of studies: `write` is one transaction, `read` sees what has been committed."""

    def __init__(self, url: str, must_exist: bool = False) -> None:
        """A file that must exist is not made."""
        self.url = _checked(url, must_exist)
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
        self._compiled: dict[sa.Executable, tuple[str, dict[str, Any]]] = {}
        try:
            with self.translated():
                with self.read() as connection:
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
        """One transaction; alone on this study until it ends. What was done in it is durable once the block is left.

        It takes the lock at once, so that no two of them start from the same state. One that is not `durable` does not
        wait for the disk: it outlives every process, and whatever is durable after it makes it so, but the last of them
        may go with the power.
        """
        self._refuse_if_closed()
        with self.translated():
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self.engine.raw_connection()
            try:
                cursor = connection.cursor()
                do = Transaction(cursor, self)
                if self.is_sqlite:
                    cursor.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                    cursor.execute("BEGIN IMMEDIATE")
                else:
                    cursor.execute(f"SET LOCAL lock_timeout = '{failures.BUSY_SECONDS}s'")
                    if not durable:
                        cursor.execute("SET LOCAL synchronous_commit = off")
                    do.do(_ALONE, study=study)
                yield do
                connection.commit()
            except BaseException:
                with suppress(self.dbapi.Error):
                    connection.rollback()
                connection.close()
                raise
            if self.is_sqlite and len(self._idle) < IDLE:  # a file does not go away: no need to look after it
                self._idle.append(connection)
            else:
                connection.close()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Single statements that see everything that has been committed, and take no lock."""
        self._refuse_if_closed()
        with self.translated(), self.engine.connect() as connection:
            yield connection if self.is_sqlite else connection.execution_options(isolation_level="AUTOCOMMIT")

    def compiled(self, statement: sa.Executable) -> tuple[str, dict[str, Any]]:
        """The statement as this database reads it, and the values that it brings along."""
        found = self._compiled.get(statement)
        if found is None:
            made = statement.compile(dialect=self.engine.dialect)  # type: ignore[attr-defined]
            found = self._compiled[statement] = str(made), dict(made.params)
        return found

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turns what a database says into one sentence."""
        try:
            yield
        except (exc.SQLAlchemyError, self.dbapi.Error) as error:
            cause = getattr(error, "orig", None) or error
            raise StorageFailed(failures.sentence(self.name, cause)) from cause

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise InvalidInput(f"The study in {self.name} was closed here; open it again with Study.load(url, name).")

    def close(self) -> None:
        """Ends its use here."""
        self._closed = True
        self.let_go()

    def let_go(self) -> None:
        """Gives the connections back; there are new ones when they are needed."""
        while self._idle:
            self._idle.pop().close()
        self.engine.dispose()


def study_row(storage: Storage, name: str) -> Any:
    """What is stored of the study of this name; refuses one that is not there, and says which are."""
    with storage.read() as connection:
        row = connection.execute(sa.select(studies).where(studies.c.name == name)).first()
        if row is None:
            names = connection.execute(sa.select(studies.c.name).order_by(studies.c.name)).scalars().all()
            known = f"it has {', '.join(map(repr, names))[:200]}" if names else "it has none; Study.create makes one"
            raise InvalidInput(f"There is no study {name!r} in {storage.name}; {known}.")
        return row


def _checked(url: Any, must_exist: bool) -> sa.URL:
    try:
        found = sa.make_url(url)
    except (exc.ArgumentError, ValueError):
        found = None
    kind = found.drivername.partition("+")[0] if found is not None else None
    if found is None or kind not in ("sqlite", "postgresql"):
        raise InvalidInput(f"A study lives at sqlite:///file.db or postgresql://user@host/database, got {url!r:.200}.")
    if kind == "postgresql":
        try:
            import psycopg  # noqa: F401
        except ImportError:
            raise InvalidInput("PostgreSQL needs psycopg; run pip install 'activepu[postgresql]'.") from None
        return found.set(drivername="postgresql+psycopg")
    if not found.database or found.database == ":memory:" or "\0" in found.database:
        raise InvalidInput(f"A study must survive, so that it needs a file such as sqlite:///study.db, got {url!r}.")
    folder = Path(found.database).absolute().parent
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {str(folder)!r} for the study's file; make it first.")
    if must_exist and not Path(found.database).exists():
        raise InvalidInput(f"There is no file {found.database!r} with studies; name another, or make one.")
    return found.set(drivername="sqlite")


def _durable(connection: sqlite3.Connection, record: Any) -> None:
    """What is committed has reached the disk; transactions begin when we say so."""
    connection.isolation_level = None
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
