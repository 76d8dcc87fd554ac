"""Where studies can be kept: the URL of a database, checked before anything is opened."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import exc

from activepu.errors import InvalidInput
from activepu.studies.storage.redaction import SECRETS, redacted

TIMEOUTS = {
    "connect_timeout": 10.0,
    "lock_timeout": 8.0,
    "statement_timeout": 60.0,
    "idle_in_transaction_session_timeout": 300.0,
}
"""Seconds until a call gives up, by their names in PostgreSQL: to reach the server; to wait for the change of another
process; for one statement; and until the server ends a change whose process is silent. The URL can set others."""


class Address(NamedTuple):
    """A database: its URL without secrets, how messages name it, its timeouts in seconds, and the secrets."""

    url: sa.URL
    name: str
    timeouts: dict[str, float]
    secrets: dict[str, str]

    @property
    def is_sqlite(self) -> bool:
        """Whether it is one file."""
        return self.url.get_backend_name() == "sqlite"

    def __repr__(self) -> str:
        return f"<Address {self.name}>"


def checked(url: Any, must_exist: bool) -> Address:
    """Return the address of a database; refuse a place that cannot keep a study."""
    try:
        found = sa.make_url(url.replace("postgres://", "postgresql://", 1) if isinstance(url, str) else url)
    except (exc.ArgumentError, ValueError):
        found = None
    kind = found.drivername.partition("+")[0] if found is not None else None
    if found is None or kind not in ("sqlite", "postgresql"):
        said = f"got {redacted(repr(_in_one_word(url))):.200}"
        raise InvalidInput(f"A study is kept at sqlite:///file.db or postgresql://user@host/database, {said}.")
    return _on_server(found) if kind == "postgresql" else _in_file(found, must_exist)


def _in_one_word(url: Any) -> Any:
    """Return what was passed as a URL without spaces and quotes, which would end a password too early."""
    return re.sub(r"[\s'\"]", "_", url) if isinstance(url, str) else url


def _on_server(url: sa.URL) -> Address:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise InvalidInput("PostgreSQL needs psycopg; run pip install 'activepu[postgresql]'.") from None
    if "@" in (url.host or ""):
        raise InvalidInput("The password in the URL of a database has an @ in it; write %40 in its place.")
    named = url.render_as_string(hide_password=True)
    url, timeouts = _timeouts(url, tuple(TIMEOUTS))
    secrets = {name: str(url.query[name]) for name in SECRETS if name in url.query}
    url = url.difference_update_query(secrets).set(drivername="postgresql+psycopg")
    return Address(url, redacted(named), timeouts, secrets)


def _in_file(url: sa.URL, must_exist: bool) -> Address:
    if not url.database or url.database == ":memory:" or "\0" in url.database:
        raise InvalidInput(f"A study needs a file, such as sqlite:///study.db, got {url.render_as_string()!r}.")
    if Path(url.database).is_dir():
        raise InvalidInput(f"A study needs a file, and {url.database!r} is a folder; add a name, such as study.db.")
    folder = Path(url.database).absolute().parent
    if not folder.is_dir():
        raise InvalidInput(f"There is no folder {str(folder)!r} for the study's file; make it first.")
    if must_exist and not Path(url.database).exists():
        raise InvalidInput(f"There is no file {url.database!r} with studies; name another, or make one.")
    named = url.render_as_string(hide_password=True)
    url, timeouts = _timeouts(url, ("lock_timeout",))
    if url.query:
        more = ", ".join(url.query)
        raise InvalidInput(f"The URL of a file can set only lock_timeout=…, got {more!r:.200}; leave it out.")
    return Address(url.set(drivername="sqlite"), named, timeouts, {})


def _timeouts(url: sa.URL, names: tuple[str, ...]) -> tuple[sa.URL, dict[str, float]]:
    """Return the URL without timeouts, and the timeouts that hold."""
    found = {}
    for name in names:
        said = url.query.get(name, TIMEOUTS[name])
        try:
            found[name] = float(said)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            found[name] = math.nan
        if not 0 < found[name] <= 1e6:
            raise InvalidInput(f"{name} in the URL of a database is a number of seconds, such as 30, got {said!r:.80}.")
    return url.difference_update_query(names), found
