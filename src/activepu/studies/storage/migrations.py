"""The version of the tables, and how older ones are brought up to date: in one transaction, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable

import sqlalchemy as sa

from activepu.checks import composed, folded
from activepu.errors import StudyDiffers
from activepu.studies.storage import tables

VERSION = 3

_version = sa.Table(
    "activepu_version", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("version", sa.Integer)
)


def is_done(connection: sa.Connection) -> bool:
    """Return whether the tables are there and up to date."""
    return sa.inspect(connection).has_table(_version.name) and _found(connection) == VERSION


def migrate(connection: sa.Connection, metadata: sa.MetaData) -> None:
    """Make the tables, or bring them up to date; refuse a newer schema and leave it as it is.

    It waits for the changes that are under way, and changes that begin later wait for it.
    """
    if connection.dialect.name == "postgresql":  # two processes that start at once must not both make the tables
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(6102311)")
    if not sa.inspect(connection).has_table(_version.name):
        _version.create(connection)
        metadata.create_all(connection)
        connection.execute(_version.insert().values(id=1, version=VERSION))
        return
    found = int(connection.execute(sa.select(_version.c.version).with_for_update()).scalar_one())
    if found > VERSION:
        refuse_another(found)
    for version in range(found, VERSION):
        STEPS[version](connection)
    connection.execute(_version.update().values(version=VERSION))


def refuse_another(found: int) -> None:
    """Refuse a schema that is not the one of this version of activepu."""
    if found != VERSION:
        do = "upgrade activepu" if found > VERSION else "close the study and open it again"
        raise StudyDiffers(f"The database has schema {found}, and this version of activepu knows {VERSION}; {do}.")


def held(study: bool, is_sqlite: bool) -> sa.TextClause:
    """Return the first statement of a change: it reads the version, and locks it and the row of a study.

    A file is locked as a whole before.
    """
    if not study:
        return sa.text(f"SELECT version FROM {_version.name}{'' if is_sqlite else ' FOR SHARE'}")
    lock = "" if is_sqlite else " FOR UPDATE OF s FOR SHARE OF v"
    return sa.text(f"SELECT v.version FROM activepu_studies s, {_version.name} v WHERE s.id = :_study{lock}")


def _found(connection: sa.Connection) -> int:
    return int(connection.execute(sa.select(_version.c.version)).scalar_one())


def _add_names_and_keys(connection: sa.Connection) -> None:
    """Give every study and expert the name without regard to case under which it is found; make the table of keys.

    Of names that are the same now, the first stays; the others keep their past, and nobody waits for them.
    """
    connection.exec_driver_sql("ALTER TABLE activepu_studies ADD COLUMN folded TEXT")
    connection.exec_driver_sql("CREATE UNIQUE INDEX activepu_study_names ON activepu_studies (folded)")
    tables.spellings.create(connection)
    tables.keys.create(connection)
    studies, events, experts = tables.studies.c, tables.events.c, tables.experts.c
    first: dict[str, int] = {}
    for key, name in connection.execute(sa.select(studies.id, studies.name).order_by(studies.id)).all():
        if first.setdefault(folded(name), key) == key:
            connection.execute(tables.studies.update().where(studies.id == key).values(folded=folded(name)))
    said = sa.select(events.study, events.expert, events.number).where(events.expert.is_not(None), events.expert != "")
    seen = connection.execute(said.order_by(events.study, events.number)).all()
    here = connection.execute(sa.select(experts.study, experts.name).order_by(experts.name)).all()
    spelled: dict[tuple[int, str], str] = {}
    for study, name, *_ in [*seen, *here]:
        spelled.setdefault((study, folded(name)), composed(name))
    for (study, plain), name in spelled.items():
        connection.execute(tables.spellings.insert().values(study=study, folded=plain, name=name))
    for study, name in here:
        if spelled[study, folded(name)] != name:
            connection.execute(tables.experts.delete().where(experts.study == study, experts.name == name))


def _add_owners_and_chain(connection: sa.Connection) -> None:
    """Note who was shown which question, who chooses, and a hash for every event.

    What was handed out before counts as shown, and a lease that has not ended as a deadline. A reveal rate that was
    stated keeps its meaning.
    """
    for table, column in (
        ("studies", "chooser TEXT DEFAULT '' NOT NULL"),
        ("studies", "chooser_until FLOAT DEFAULT 0 NOT NULL"),
        ("studies", "choosing_after INTEGER"),
        ("experts", "wants INTEGER DEFAULT 0 NOT NULL"),
        ("experts", "wants_until FLOAT DEFAULT 0 NOT NULL"),
        ("questions", "shown INTEGER DEFAULT 0 NOT NULL"),
        ("events", "after INTEGER"),
        ("events", "hash TEXT"),
    ):
        connection.exec_driver_sql(f"ALTER TABLE activepu_{table} ADD COLUMN {column}")
    connection.exec_driver_sql("UPDATE activepu_questions SET shown = 1 WHERE expert <> ''")
    kept = tables.studies.c
    for key, text in connection.execute(sa.select(kept.id, kept.settings)).all():
        settings = json.loads(text)
        settings |= {"deadline": settings.pop("lease_seconds", None), "rate_in_time": True}
        connection.execute(tables.studies.update().where(kept.id == key).values(settings=json.dumps(settings)))


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _add_names_and_keys, 2: _add_owners_and_chain}
"""The step from each older version to the next; version 1 is the first."""
