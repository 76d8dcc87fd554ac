"""The studies of a database: one row each, with its name and the settings that it was made with."""

from __future__ import annotations

import json
import secrets
from typing import Any, NamedTuple

import sqlalchemy as sa

from activepu.checks import folded
from activepu.errors import InvalidInput, StorageFailed, StudyDamaged
from activepu.studies.storage import chain
from activepu.studies.storage.database import Storage
from activepu.studies.storage.keys import Once, digest
from activepu.studies.storage.statements import Reading, Row, Transaction
from activepu.studies.storage.tables import Now, events, experts, keys, leases, questions, spellings, studies


class StoredStudy(NamedTuple):
    """What is stored of a study, apart from its events and leases."""

    key: int
    name: str
    settings: dict[str, Any]


_NEW = (
    studies.insert()
    .values(
        id=sa.bindparam("_id"),
        name=sa.bindparam("_name"),
        folded=sa.bindparam("_folded"),
        settings=sa.bindparam("_settings"),
        made=Now(),
    )
    .values(origin=sa.bindparam("_origin"), head=sa.bindparam("_origin"))
    .returning(studies.c.id)
)
_NAMED = sa.select(studies.c.id, studies.c.name, studies.c.settings, studies.c.origin)
_NAMED = _NAMED.where((studies.c.name == sa.bindparam("_name")) | (studies.c.folded == sa.bindparam("_folded")))
_NAMED = _NAMED.order_by(studies.c.name != sa.bindparam("_name"))  # before all others one that is spelled so
_NAMES = sa.select(studies.c.name).order_by(studies.c.name)
_GONE = [
    *(
        table.delete().where(table.c.study == sa.bindparam("_study"))
        for table in (events, leases, questions, experts, spellings, keys)
    ),
    studies.delete().where(studies.c.id == sa.bindparam("_study")),
]
LARGEST = 2**31 - 1


def add(storage: Storage, name: str, settings: dict[str, Any], key: str | None = None) -> StoredStudy:
    """Make a study; refuse a name that is taken, unless it was taken by the same call with the same key."""

    def made() -> str:
        return digest("create", settings)

    try:
        with storage.write() as transaction:
            kept = json.dumps(settings, allow_nan=False)
            # By chance, so that no process that has a deleted study open ever takes a later one for it.
            number = 1 + secrets.randbelow(LARGEST)
            ((study,),) = transaction.all(
                _NEW, _id=number, _name=name, _folded=folded(name), _settings=kept, _origin=chain.origin(name, kept)
            )
            Once(transaction.of(study), key, made).keep()
    except StorageFailed as error:
        if not isinstance(error.__cause__, storage.dbapi.IntegrityError):
            raise
        found = find(storage, name)
        with storage.write(found.key) as transaction:
            if Once(transaction, key, made).done:
                return found
        raise InvalidInput(
            f"There is already a study {found.name!r} in {storage.name}; use that one, or choose another name."
        ) from None
    return find(storage, name)


def intact(name: str, settings: str, origin: str) -> dict[str, Any]:
    """Return the settings of a study; refuse them if they, the name or the origin are not as they were made."""
    if not isinstance(name, str) or not isinstance(settings, str) or chain.origin(name, settings) != origin:
        raise StudyDamaged(
            f"What the study {name!r:.80} was made with is damaged: its name, its settings or their hash is another "
            "now; run activepu study check, or restore a copy of the database."
        )
    return dict(json.loads(settings))


def find(storage: Storage, name: str) -> StoredStudy:
    """Return the study of this name; refuse one that is not there, and say which are."""
    with storage.read() as reading:
        key, kept, settings, origin = _row(reading, storage, name)
    return StoredStudy(key, kept, intact(kept, settings, origin))


def named(storage: Storage, name: str) -> tuple[int, str]:
    """Return the number and the spelling of a study, whatever else is damaged; refuse one that is not there."""
    with storage.read() as reading:
        key, kept, *_ = _row(reading, storage, name)
    return key, str(kept)


def _row(reading: Reading, storage: Storage, name: str) -> Row:
    row = reading.first(_NAMED, _name=name, _folded=folded(name))
    if row is not None:
        return row
    names = [name for (name,) in reading.all(_NAMES)]
    known = f"it has {', '.join(map(repr, names))[:200]}" if names else "it has none; Study.create makes one"
    raise InvalidInput(f"There is no study {name!r} in {storage.name}; {known}.")


def delete(transaction: Transaction) -> None:
    """Delete the study of a transaction, with all that is stored of it."""
    for statement in _GONE:
        transaction.do(statement)
