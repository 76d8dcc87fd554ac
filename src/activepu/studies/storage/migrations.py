"""The version of the tables, and how older ones are brought up to date: in one transaction, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from activepu.checks import composed, folded
from activepu.errors import StudyDamaged, StudyDiffers
from activepu.studies.storage import chain, tables

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
    found = connection.execute(sa.select(_version.c.version).with_for_update()).scalar_one()
    if found not in STEPS:
        refuse_another(found)
    for version in range(found, VERSION):
        STEPS[version](connection)
    connection.execute(_version.update().values(version=VERSION))


def refuse_another(found: Any) -> None:
    """Refuse a schema that is not the one of this version of activepu."""
    if not isinstance(found, int) or found < 1:
        raise StudyDamaged(f"The number of the schema is damaged: {found!r:.80}; restore a copy of the database.")
    if found != VERSION:
        do = "upgrade activepu" if found > VERSION else "close the study and open it again"
        raise StudyDiffers(f"The database has schema {found}, and this version of activepu knows {VERSION}; {do}.")


def held(study: bool, is_sqlite: bool) -> sa.TextClause:
    """Return the first statement of a change: it reads the version and the last event of a study, and locks them.

    A file is locked as a whole before. A server reads the row as it is once it is locked.
    """
    if not study:
        return sa.text(f"SELECT version FROM {_version.name}{'' if is_sqlite else ' FOR SHARE'}")
    lock = "" if is_sqlite else " FOR UPDATE OF s FOR SHARE OF v"
    return sa.text(
        f"SELECT v.version, s.last, s.head FROM activepu_studies s, {_version.name} v WHERE s.id = :_study{lock}"
    )


def _found(connection: sa.Connection) -> Any:
    return connection.execute(sa.select(_version.c.version)).scalar_one()


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

    What was handed out before counts as shown, also in the events. Such a study has no deadline: a reveal rate that was
    stated is that of all answers, and keeps its meaning. The withdrawal of a question named its item once.
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
        ("studies", "origin TEXT"),
        ("studies", "last INTEGER DEFAULT 0 NOT NULL"),
        ("studies", "head TEXT"),
    ):
        connection.exec_driver_sql(f"ALTER TABLE activepu_{table} ADD COLUMN {column}")
    connection.exec_driver_sql("UPDATE activepu_questions SET shown = 1 WHERE expert <> ''")
    connection.exec_driver_sql("UPDATE activepu_events SET item = NULL WHERE kind = 'withdraw'")
    kept = tables.studies.c
    for key, text in connection.execute(sa.select(kept.id, kept.settings)).all():
        try:
            settings = dict(json.loads(text))
        except (ValueError, TypeError):
            raise StudyDamaged(
                f"The settings of study number {key} are damaged; restore a copy of the database."
            ) from None
        settings.pop("lease_seconds", None)
        settings |= {"deadline": None, "rate_in_time": False}
        connection.execute(tables.studies.update().where(kept.id == key).values(settings=json.dumps(settings)))
        _add_shown(connection, key)
        _add_chain(connection, key)


def _add_shown(connection: sa.Connection, study: int) -> None:
    """Add an event for every open question that an expert has: they were shown it."""
    asked, events = tables.questions.c, tables.events.c
    last = sa.select(sa.func.coalesce(sa.func.max(events.number), 0)).where(events.study == study)
    number = int(connection.execute(last).scalar_one())
    held = sa.select(asked.sequence, asked.item, asked.expert).order_by(asked.sequence)
    held = held.where(asked.study == study, asked.state == "open", asked.expert != "")
    for sequence, item, expert in connection.execute(held).all():
        number += 1
        what = {"kind": "shown", "sequence": sequence, "item": item, "expert": expert, "at": tables.Now()}
        connection.execute(tables.events.insert().values(study=study, number=number, **what))


def _add_chain(connection: sa.Connection, study: int) -> None:
    """Give a study its origin, every event its hash, and the study the hash of the last."""
    kept, events = tables.studies.c, tables.events.c
    (made,) = connection.execute(sa.select(kept.name, kept.settings).where(kept.id == study)).all()
    origin = head = chain.origin(*made)
    names = ("number", "kind", "sequence", "item", "expert", "answer", "note", "after")
    rows = sa.select(*(events[name] for name in names)).where(events.study == study).order_by(events.number)
    found = connection.execute(rows).all()
    hashes = [
        {"_number": row.number, "_hash": hash} for row, hash in zip(found, chain.linked(origin, found), strict=True)
    ]
    if hashes:
        one = tables.events.update().where(events.study == study, events.number == sa.bindparam("_number"))
        connection.execute(one.values(hash=sa.bindparam("_hash")), hashes)
        head = hashes[-1]["_hash"]
    last = found[-1].number if found else 0
    connection.execute(tables.studies.update().where(kept.id == study).values(origin=origin, last=last, head=head))


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _add_names_and_keys, 2: _add_owners_and_chain}
"""The step from each older version to the next; version 1 is the first."""
