"""Changes that may be sent again: each is made once, and its key gives back what the first call returned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import bindparam

from activepu.errors import InvalidInput, StudyDamaged
from activepu.studies.storage.statements import Transaction
from activepu.studies.storage.tables import Now, keys

_FIND = sa.select(keys.c.change, keys.c.returned).where(
    keys.c.study == bindparam("_study"), keys.c.key == bindparam("_key")
)
_KEEP = keys.insert().values(
    study=bindparam("_study"),
    key=bindparam("_key"),
    change=bindparam("_change"),
    returned=bindparam("_returned"),
    at=Now(),
)


class Once:
    """One change, which is `done` if a change with its key was made before. Without a key it never is.

    `returned` is what the change returned then.
    """

    def __init__(self, transaction: Transaction, key: str | None, change: Callable[[], str]) -> None:
        """The change is a hash of what was asked for, made if there is a key, which stands for one change only."""
        self._transaction = transaction
        self._key = key
        self._change = "" if key is None else change()
        row = None if key is None else transaction.first(_FIND, _key=key)
        self.done = row is not None
        self.returned: Any = None
        if row is not None:
            if row[0] != self._change:
                raise InvalidInput(f"The key {key!r} belongs to another change of this study; take a new key.")
            self.returned = _read(key, row[1])

    def keep(self, returned: Any = None) -> None:
        """Note that the change was made, in the transaction that makes it."""
        if self._key is not None:
            what = {"_change": self._change, "_returned": json.dumps(returned)}
            self._transaction.do(_KEEP, _key=self._key, **what)


def digest(*change: Any) -> str:
    """Return the hash of a change in plain values."""
    return hashlib.sha256(json.dumps(change).encode()).hexdigest()


def digest_in_parts(what: str, parts: Iterable[Sequence[Any]]) -> str:
    """Return ``digest(what, rows)`` of rows that come in several parts, none of them empty."""
    made, before = hashlib.sha256(f"[{json.dumps(what)}, [".encode()), ""
    for rows in parts:
        made.update(f"{before}{json.dumps(rows)[1:-1]}".encode())
        before = ", "
    made.update(b"]]")
    return made.hexdigest()


def _read(key: str | None, returned: Any) -> Any:
    try:
        return json.loads(returned)
    except (ValueError, TypeError):
        raise StudyDamaged(
            f"What the change with the key {key!r} returned is damaged, but it was made; look at the study's status."
        ) from None
