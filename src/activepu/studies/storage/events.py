"""The events of a study: rows that are only added, numbered 1, 2, 3 … without a gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import Now, events, studies


class Event(NamedTuple):
    """One thing that happened; `replay` lists the kinds. What a kind does not have is None.

    `sequence` is the number of the question, `note` is JSON. `after` is the last event that was known when a question
    was chosen, if others came between.
    """

    number: int
    kind: str
    sequence: int | None = None
    item: int | None = None
    expert: str | None = None
    answer: int | None = None
    note: str | None = None
    after: int | None = None


class Move(NamedTuple):
    """What one expert said to a question, or that they did not: an answer, a skip, a skip taken back ("unskip")."""

    kind: str
    sequence: int
    item: int
    expert: str


_study: sa.BindParameter[int] = sa.bindparam("_study")
_values = {name: sa.bindparam(f"_{name}", type_=events.c[name].type) for name in Event._fields if name != "number"}
_next = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.study == _study)
_names = tuple(f"_{name}" for name in Event._fields)
_APPEND = events.insert().inline().values(study=_study, number=_next.scalar_subquery() + 1, at=Now(), **_values)
_INSERT = events.insert().values(study=_study, number=sa.bindparam("_number"), at=Now(), **_values)
_SINCE = (
    sa.select(*(events.c[name] for name in Event._fields))
    .where(events.c.study == _study, events.c.number > sa.bindparam("_head"))
    .order_by(events.c.number)
)
_choosing = sa.select(studies.c.choosing_after).where(studies.c.id == _study)
_SETTLED = _SINCE.add_columns(events.c.number <= sa.func.coalesce(_choosing.scalar_subquery(), events.c.number))
_MOVES = (
    sa.select(*(events.c[name] for name in Move._fields))
    .where(events.c.study == _study, events.c.kind.in_(("answer", "late", "timeout", "skip", "unskip")))
    .order_by(events.c.sequence, events.c.number)
)


def append(
    transaction: Transaction,
    kind: str,
    sequence: int | None = None,
    item: int | None = None,
    expert: str | None = None,
    answer: int | None = None,
) -> None:
    """Add one event, with the number after the last."""
    transaction.do(
        _APPEND, _kind=kind, _sequence=sequence, _item=item, _expert=expert, _answer=answer, _note=None, _after=None
    )


def extend(transaction: Transaction, new: Sequence[Event]) -> None:
    """Add events, each with the number that it has."""
    transaction.do_each(_INSERT, [dict(zip(_names, event, strict=True)) for event in new])


def since(reading: Reading, head: int) -> list[Event]:
    """Return the events after number `head`, in their order."""
    return [Event(*row) for row in reading.all(_SINCE, _head=head)]


_NEWEST = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.study == _study)


def newest(reading: Reading) -> int:
    """Return the number of the last event."""
    return int(reading.all(_NEWEST)[0][0])


def settled(reading: Reading, head: int) -> tuple[list[Event], int]:
    """Return the events after number `head` whose place is known, and the number of the last event of all.

    The place of an event is known once nothing that is being chosen can come before it.
    """
    rows = reading.all(_SETTLED, _head=head)
    return [Event(*event) for *event, known in rows if known], max([head, *(row[0] for row in rows)])


def moves(reading: Reading) -> list[Move]:
    """Return what experts said, question by question."""
    return [Move(*row) for row in reading.all(_MOVES)]
