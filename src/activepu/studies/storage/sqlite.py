"""Connections to a database in a file, all to the same file.

A file that is deleted or replaced stays open in the processes that use it. They would go on writing into a file that
nobody can find any more. So the device and the inode of the file are noted when it is opened, and the path must lead
to them when a connection is made and around every commit. The same holds for the journal ``-wal`` beside it, which has
the newest changes.
"""

from __future__ import annotations

import math
import os
import random
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import sqlalchemy as sa

from activepu.errors import StorageFailed
from activepu.studies.storage import failures
from activepu.studies.storage.addresses import Address

WAITS = 0.0005, 0.004
"""Between so many seconds pass until a process looks again whether the lock is free."""


class Connection(sqlite3.Connection):
    """A connection, and the journal that it writes to."""

    journal: tuple[int, int] | None = None


class SameFile:
    """The file of a database, as it was when it was opened first; an empty one is made if there is none."""

    def __init__(self, address: Address) -> None:
        self._name = address.name
        self._address = address
        self._path = Path(str(address.url.database)).absolute()
        with suppress(OSError):  # SQLite says what is wrong
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644))
        self._seen = _identity(self._path)
        self._journal = self._path.with_name(f"{self._path.name}-wal")

    def begun(self, connection: Connection) -> None:
        """Note the journal of a connection at its first change; it is there as long as somebody is connected."""
        connection.journal = connection.journal or _identity(self._journal)

    def refuse_another(self, connection: Connection) -> None:
        """Refuse to go on if the path leads to another file or journal now, or to none."""
        if connection.journal is not None and connection.journal != _identity(self._journal):
            self._refuse()
        self._refuse_another_file()

    def _refuse_another_file(self) -> None:
        if self._seen != _identity(self._path):
            self._refuse()

    def _refuse(self) -> NoReturn:
        raise StorageFailed(
            f"The file of the database {self._name} was deleted or replaced while it was open here; nothing was "
            "changed in the place where it was: put the file back, or close the study and open it again."
        )

    def connect(self, seconds: float) -> Connection:
        """Return a new connection, which waits so many seconds for a lock. Every commit waits for the disk."""
        self._refuse_another_file()
        how: dict[str, Any] = {"timeout": seconds, "check_same_thread": False, "isolation_level": None}
        connection = sqlite3.connect(f"{self._path.as_uri()}?mode=rw", uri=True, factory=Connection, **how)
        try:
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
                connection.execute(f"PRAGMA {pragma}")
            self._refuse_another_file()
        except UnicodeDecodeError:  # SQLite quotes what it cannot read
            connection.close()
            raise failures.damaged(self._address) from None
        except BaseException:
            connection.close()
            raise
        return connection


def begin(cursor: sqlite3.Cursor, seconds: float) -> None:
    """Begin a change, which takes the lock of the file; wait so many seconds for it.

    SQLite itself waits longer from try to try, so that whoever has waited long rarely meets a free moment, and may
    wait for minutes among many processes. Short random waits give everyone the same chance.
    """
    end = time.monotonic() + seconds
    cursor.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                cursor.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
            time.sleep(random.uniform(*WAITS))
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {math.ceil(1000 * seconds)}")


def engine(address: Address, file: SameFile) -> sa.Engine:
    """Return the engine of a file."""
    made = sa.create_engine(address.url, paramstyle="named", poolclass=sa.NullPool)

    @sa.event.listens_for(made, "do_connect")
    def connect(*_: Any) -> Connection:
        return file.connect(address.timeouts["lock_timeout"])

    return made


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
