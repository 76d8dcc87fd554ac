"""A client of a study that dies, loses its line or thinks for long at a chosen point."""

import sqlite3
import threading

import sqlalchemy as sa

import activepu as apu
from activepu.studies import shared_run
from activepu.studies.storage import failures

KILLS = ("statement", "before commit", "after commit")
"""Where a process can be killed."""
CUTS = ("cut before commit", "cut after commit")
"""Where its line to the database can be lost."""


class Killed(BaseException):
    """The process is gone: nothing that it would still have done is done."""


class Client:
    """The `study` of one process. From the moment at which it is killed on, it reaches the database no more."""

    def __init__(self, url, name, table, proxy=None):
        self.study = apu.Study.load(url, name, table)
        self.dead = False
        self._proxy = proxy
        self._point, self._left = None, 0
        storage = self.study.storage
        compiled, self._saved = storage._compile, storage._commit
        storage._compile = lambda statement: (self._at("statement"), compiled(statement))[1]
        storage._commit = self._commit
        sa.event.listen(storage.engine, "before_cursor_execute", lambda *_: self._at("statement"))

    def fail_at(self, point, left):
        """Die, or lose the line, at the next such point but so many; None: at none."""
        self._point, self._left = point, left
        if self._proxy is not None:
            self._proxy.left = left
            self._proxy.cut = point.removeprefix("cut ") if point in CUTS else None

    def _at(self, point):
        if not self.dead and point == self._point:
            self._left -= 1
            self.dead = self._left < 0
        if self.dead:
            raise Killed

    def _commit(self, connection):
        self._at("before commit")
        if self._proxy is None:
            self._lose("cut before commit")
        self._saved(connection)
        if self._proxy is None:
            self._lose("cut after commit")
        self._at("after commit")

    def _lose(self, point):
        """Do as SQLite does if the disk fails in the middle."""
        if point == self._point:
            self._left -= 1
            if self._left < 0:
                self._point = None
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorname = "SQLITE_IOERR_FSYNC"
                raise failures.failed(self.study.storage._address, error, committing=True)

    def kill(self):
        self.dead = True

    def close(self):
        """What is left of the process is gone."""
        self.study.storage.close()


class Gate(threading.Thread):
    """A call in a thread of its own, which stops in the middle of its first choice until it is opened."""

    def __init__(self, do, opened=False):
        super().__init__(daemon=True)
        self._do, self._found = do, None
        self._here, self._open = threading.Event(), threading.Event()
        self.stopped = False
        if opened:
            self._open.set()
        self.start()

    def run(self):
        try:
            self._found = self._do()
        finally:
            self._here.set()

    def stop_here(self):
        if not self._open.is_set():
            self.stopped = True
            self._here.set()
            self._open.wait()

    def wait(self):
        """Wait until it has stopped or returned, or waits itself for another process."""
        self._here.wait()
        return self

    def waits(self):
        self._here.set()

    def open(self):
        """Let it go on, and return what it returns."""
        self._open.set()
        self.join()
        return self._found


def without_clocks(monkeypatch):
    """Nobody loses a turn because the machine is slow: tests turn the clocks. Choices stop at gates."""
    for name, seconds in (("PATIENCE", 1e6), ("BEAT", 1e6), ("AGAIN", 0.0)):
        monkeypatch.setattr(shared_run, name, seconds)
    among, nap = shared_run.Choice.among, shared_run._nap

    def stops(run, waiting):
        if isinstance(thread := threading.current_thread(), Gate):
            thread.stop_here()
        return among(run, waiting)

    def waits(pause):
        if isinstance(thread := threading.current_thread(), Gate):
            thread.waits()
        return nap(pause)

    monkeypatch.setattr(shared_run.Choice, "among", stops)
    monkeypatch.setattr(shared_run, "_nap", waits)
