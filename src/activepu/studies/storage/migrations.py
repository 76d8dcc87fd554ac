"""The version of the tables, and how older ones are brought up to date: in one transaction, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sa

from activepu.errors import StudyDiffers

VERSION = 1

STEPS: dict[int, Callable[[sa.Connection], None]] = {}
"""The step from each older version to the next; version 1 is the first."""

_version = sa.Table(
    "activepu_version", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("version", sa.Integer)
)


def is_done(connection: sa.Connection) -> bool:
    """Return whether the tables are there and up to date."""
    return sa.inspect(connection).has_table(_version.name) and _found(connection) == VERSION


def migrate(connection: sa.Connection, metadata: sa.MetaData) -> None:
    """Make the tables, or bring them up to date; refuse a newer schema and leave it as it is."""
    if connection.dialect.name == "postgresql":  # two processes that start at once must not both make the tables
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6102311)")
    if not sa.inspect(connection).has_table(_version.name):
        _version.create(connection)
        metadata.create_all(connection)
        connection.execute(_version.insert().values(id=1, version=VERSION))
        return
    found = _found(connection)
    if found > VERSION:
        raise StudyDiffers(
            f"The database has schema {found}, and this version of activepu knows {VERSION}; upgrade activepu."
        )
    for version in range(found, VERSION):
        STEPS[version](connection)
    connection.execute(_version.update().values(version=VERSION))


def _found(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(_version.c.version)).scalar_one())
