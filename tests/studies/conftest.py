"""Every test of a storage runs on SQLite and, where a server can be started, on PostgreSQL."""

from __future__ import annotations

import itertools
import re
import tempfile
from pathlib import Path

import pytest
import sqlalchemy as sa
from studies.proxy import Proxy
from studies.scenes import pool, started, zcal

import activepu as apu
from activepu.studies.storage import addresses

_names = itertools.count()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait for a locked database as long as it takes: a busy machine may hold a lock for more than its 8 seconds."""
    monkeypatch.setitem(addresses.TIMEOUTS, "lock_timeout", 600)
    monkeypatch.setitem(addresses.TIMEOUTS, "statement_timeout", 600)


@pytest.fixture
def outside():
    """A folder for a server. Those of pytest are closed to its user by any other session of pytest that starts."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def server():
    with tempfile.TemporaryDirectory() as folder:
        found = started(Path(folder) / "postgres")
        yield found
        found.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/study.db"
    server, name = request.getfixturevalue("server"), f"study{next(_names)}"
    engine = sa.create_engine(server.get_uri().replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return server.get_uri(name)


@pytest.fixture
def study(url):
    with apu.Study.create(url, "s", pool(), zcal()) as made:
        yield made


@pytest.fixture
def line(url):
    """A proxy in front of the server, and the URL of a new database through it."""
    folder, name = re.search(r"host=([^&]+)", url)[1], sa.make_url(url).database
    (there,) = [file for file in Path(folder).glob(".s.PGSQL.*") if not file.name.endswith(".lock")]
    proxy = Proxy(str(there))
    proxy.url = f"postgresql://postgres@127.0.0.1:{proxy.port}/{name}?sslmode=disable&gssencmode=disable"
    yield proxy
    proxy.close()
