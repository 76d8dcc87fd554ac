"""The studies of a database: one row each, with its name and the settings that it was made with."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import sqlalchemy as sa

from activepu.errors import InvalidInput, StorageFailed
from activepu.studies.storage.database import Storage
from activepu.studies.storage.tables import Now, studies


class StoredStudy(NamedTuple):
    """What is stored of a study, apart from its events and leases."""

    key: int
    name: str
    settings: dict[str, Any]


_NEW = studies.insert().values(name=sa.bindparam("_name"), settings=sa.bindparam("_settings"), made=Now())
_NAMED = sa.select(studies.c.id, studies.c.name, studies.c.settings).where(studies.c.name == sa.bindparam("_name"))
_NAMES = sa.select(studies.c.name).order_by(studies.c.name)


def add(storage: Storage, name: str, settings: dict[str, Any]) -> StoredStudy:
    """Make a study; refuse a name that is taken."""
    try:
        with storage.write() as transaction:
            transaction.do(_NEW, _name=name, _settings=json.dumps(settings, allow_nan=False))
    except StorageFailed as error:
        if isinstance(error.__cause__, storage.dbapi.IntegrityError):
            raise InvalidInput(
                f"There is already a study {name!r} in {storage.name}; use that one, or choose another name."
            ) from None
        raise
    return find(storage, name)


def find(storage: Storage, name: str) -> StoredStudy:
    """Return the study of this name; refuse one that is not there, and say which are."""
    with storage.read() as reading:
        row = reading.first(_NAMED, _name=name)
        if row is not None:
            key, _, settings = row
            return StoredStudy(key, name, json.loads(settings))
        names = [name for (name,) in reading.all(_NAMES)]
    known = f"it has {', '.join(map(repr, names))[:200]}" if names else "it has none; Study.create makes one"
    raise InvalidInput(f"There is no study {name!r} in {storage.name}; {known}.")
