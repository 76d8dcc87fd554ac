"""The events of a study: rows that are only added, numbered 1, 2, 3 … without a gap, each with its hash."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import sqlalchemy as sa

from activepu.errors import StudyDamaged
from activepu.studies.storage import chain
from activepu.studies.storage.chain import Head
from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import Now, events, studies

PAGE = 10_000
"""About so many events are read at a time."""


class Event(NamedTuple):
    """One thing that happened; `replay` lists the kinds. What a kind does not have is None.

    `sequence` is the number of the question, `note` is JSON. `after` is the last event that was known when a question
    was chosen, if others came between. `hash` is made when the event is written.
    """

    number: int
    kind: str
    sequence: int | None = None
    item: int | None = None
    expert: str | None = None
    answer: int | None = None
    note: str | None = None
    after: int | None = None
    hash: str | None = None

    def __str__(self) -> str:
        about = "" if self.sequence is None else f" of question {self.sequence}"
        who = "" if self.expert is None else f" by {self.expert!r:.80}"
        return f"Event {self.number} ({f'{self.kind:.20}' if isinstance(self.kind, str) else '?'}{about}{who})"


class Move(NamedTuple):
    """What one expert said to a question, or that they did not: an answer, a skip, a skip taken back ("unskip")."""

    kind: str
    sequence: int
    item: int
    expert: str


_study: sa.BindParameter[int] = sa.bindparam("_study")
_values = {name: sa.bindparam(f"_{name}", type_=events.c[name].type) for name in Event._fields if name != "number"}
_names = tuple(f"_{name}" for name in Event._fields)
_INSERT = events.insert().values(study=_study, number=sa.bindparam("_number"), at=Now(), **_values)
_this = studies.c.id == _study
_KEEP_HEAD = studies.update().where(_this).values(last=sa.bindparam("_last"), head=sa.bindparam("_head"))
_SINCE = (
    sa.select(*(events.c[name] for name in Event._fields))
    .where(events.c.study == _study, events.c.number > sa.bindparam("_head"))
    .order_by(events.c.number)
)
_BETWEEN = _SINCE.where(events.c.number <= sa.bindparam("_until"))
_choosing = sa.select(studies.c.choosing_after).where(studies.c.id == _study)
_SETTLED = _BETWEEN.add_columns(events.c.number <= sa.func.coalesce(_choosing.scalar_subquery(), events.c.number))
_CHOSEN = sa.select(events.c.number, events.c.after).where(events.c.study == _study, events.c.after.is_not(None))
_CHOSEN = _CHOSEN.where(events.c.number > sa.bindparam("_head")).order_by(events.c.number)
_ENDS = sa.select(
    sa.func.max(events.c.number),
    sa.func.max(sa.case((events.c.kind == "undo", events.c.number))),
    _choosing.scalar_subquery(),
).where(events.c.study == _study)
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
    extend(transaction, [Event(newest(transaction) + 1, kind, sequence, item, expert, answer)])


def extend(transaction: Transaction, new: Sequence[Event]) -> None:
    """Add events, each with the number that it has, and give them their hashes."""
    last, before = _checked_head(transaction.head)
    if new[0].number != last + 1:
        raise StudyDamaged(chain.ends(new[0].number - 1, transaction.head))
    hashes = list(chain.linked(before, (event[:-1] for event in new)))
    rows = (dict(zip(_names, (*event[:-1], found), strict=True)) for event, found in zip(new, hashes, strict=True))
    if len(new) > 1:
        transaction.do_each(_INSERT, rows)
    else:
        transaction.do(_INSERT, **next(rows))
    transaction.head = Head(new[-1].number, str(hashes[-1]))
    transaction.at_end(_KEEP_HEAD, _last=transaction.head.number, _head=transaction.head.hash)


def _checked_head(head: Head) -> Head:
    if not isinstance(head.number, int) or not isinstance(head.hash, str):
        raise StudyDamaged(
            f"What the study keeps of its last event is damaged: {tuple(head)!r:.80}; nothing was changed: run "
            "activepu study check."
        )
    return head


def since(reading: Reading, head: int) -> list[Event]:
    """Return the events after number `head`, in their order."""
    return [Event(*row) for row in reading.all(_SINCE, _head=head)]


def newest(transaction: Transaction) -> int:
    """Return the number of the last event."""
    return _checked_head(transaction.head).number


_ORIGIN = sa.select(studies.c.origin).where(_this)


def origin(reading: Reading) -> str:
    """Return the hash before the first event."""
    return str(reading.all(_ORIGIN)[0][0])


class Unread(NamedTuple):
    """Events to be read, in pages: an event is chosen right after one of its own page, or of one before.

    `newest` is the number of the last event of all, `undone` that of the last undo if there is more than one page.
    """

    pages: Iterable[list[Event]]
    newest: int
    undone: int = 0


def settled(reading: Reading, head: int) -> Unread:
    """Return the events after number `head` whose place is known.

    The place of an event is known once nothing that is being chosen can come before it.
    """
    rows = reading.all(_SETTLED, _head=head, _until=head + PAGE)
    if len(rows) < PAGE:
        return Unread([[Event(*event) for *event, known in rows if known]], max([head, *(row[0] for row in rows)]))
    ((newest, undone, choosing),) = reading.all(_ENDS)
    borders = _borders(head, newest if choosing is None else choosing, reading.all(_CHOSEN, _head=head))
    pages = (
        [Event(*row) for row in reading.all(_BETWEEN, _head=start, _until=end)] for start, end in pairwise(borders)
    )
    return Unread(pages, newest, undone or 0)


def _borders(head: int, last: int, chosen: Sequence[Sequence[int]]) -> list[int]:
    """Divide the events after number `head` where none, by its number on one side, has its place on the other.

    The events that were `chosen` are given as (number, after), in their order, which is the order of both.
    """
    borders, numbers = [head], [number for number, _ in chosen]
    while borders[-1] < last:
        end = min(borders[-1] + PAGE, last)
        for number, after in chosen[bisect_right(numbers, end) :]:
            if after >= end or number > last:
                break
            end = number
        borders.append(end)
    return borders


def moves(reading: Reading) -> Iterator[Move]:
    """Yield what experts said, question by question."""
    return (Move(*row) for row in reading.each(_MOVES))
