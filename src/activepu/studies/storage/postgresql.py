"""Connections to a PostgreSQL server that never wait for ever.

The server keeps the timeouts of statements, locks and silent transactions by itself. A server process that is stopped
keeps none, and its side of the connection looks alive. So this side gives up too, a little later.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import exc

from activepu.errors import InvalidInput
from activepu.studies.storage.addresses import Address
from activepu.studies.storage.redaction import redact

GRACE = 1.5
"""This side gives up after so many times the timeout of a statement, if the server has not done so."""


class Patient(psycopg.Connection[Any]):
    """A connection that is closed when the server says nothing for too long."""

    seconds = math.inf

    def wait(self, gen: Any, *args: Any, **named: Any) -> Any:
        """Do one exchange with the server."""
        return super().wait(self._bounded(gen), *args, **named)

    def _bounded(self, exchange: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Pass an exchange on, step by step, until it ends or the time is over."""
        end = time.monotonic() + self.seconds
        try:
            wanted = next(exchange)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > end:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"the server said nothing for {self.seconds:g} seconds")
                wanted = exchange.send(ready)
        except StopIteration as done:
            return done.value


def engine(address: Address) -> sa.Engine:
    """Return the engine of a server."""
    options: dict[str, Any] = {"pool_pre_ping": True, "isolation_level": "READ COMMITTED", "hide_parameters": True}
    try:
        made = sa.create_engine(address.url, **options)
    except exc.ArgumentError as error:
        redact(error)
        raise InvalidInput(f"The URL of the database {address.name} is wrong ({error}); correct it.") from error
    seconds = address.timeouts
    on_server = {name: f"{math.ceil(1000 * seconds[name])}ms" for name in seconds if name != "connect_timeout"}
    settings = ", ".join(f"set_config('{name}', '{value}', false)" for name, value in on_server.items())

    @sa.event.listens_for(made, "do_connect")
    def connect(dialect: Any, record: Any, args: Any, named: Any) -> Patient:
        more: dict[str, Any] = {"connect_timeout": math.ceil(seconds["connect_timeout"]), **address.secrets}
        connection = Patient.connect(*args, **{**named, **more})
        try:
            connection.seconds = GRACE * seconds["statement_timeout"]
            connection.autocommit = True
            connection.execute(f"SELECT {settings}")
            connection.autocommit = False
        except BaseException:
            connection.close()
            raise
        return connection

    return made
