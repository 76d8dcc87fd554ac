"""All rows of a study as they are stored, to be compared with its events, and those that can be made again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa

from activepu.checks import folded
from activepu.studies.storage.chain import Head
from activepu.studies.storage.database import Storage
from activepu.studies.storage.events import Event
from activepu.studies.storage.statements import Reading, Snapshot, Transaction
from activepu.studies.storage.tables import Now, events, experts, is_open, leases, questions, spellings, studies


class Kept(NamedTuple):
    """The row of a study: what it was made with, its chain, and until when a process chooses."""

    name: Any
    settings: Any
    origin: Any
    head: Head
    folded: Any
    chooser_until: Any


class QuestionRow(NamedTuple):
    """A question and the lease that counts."""

    sequence: Any
    item: Any
    state: Any
    answer: Any
    expert: Any
    token: Any
    expires: Any
    shown: Any


class LeaseRow(NamedTuple):
    """A lease that is over."""

    sequence: Any
    token: Any
    expert: Any
    state: Any


class Inventory(NamedTuple):
    """All rows of one study, at one moment."""

    study: Kept
    events: Collection[Event]
    questions: Collection[QuestionRow]
    leases: Sequence[LeaseRow]
    experts: Sequence[tuple[Any, Any, Any]]
    spellings: Sequence[tuple[Any, Any]]
    open: set[Any]
    now: float


T = TypeVar("T")
_study: sa.BindParameter[int] = sa.bindparam("_study")


def _all(table: sa.Table, *names: str) -> sa.Select[Any]:
    return sa.select(*(table.c[name] for name in names)).where(table.c.study == _study).order_by(table.c[names[0]])


_made = ("name", "settings", "origin", "last", "head", "folded", "chooser_until")
_STUDY = sa.select(*(studies.c[name] for name in _made), Now()).where(studies.c.id == _study)
_EVENTS = _all(events, *Event._fields)
_QUESTIONS = _all(questions, *QuestionRow._fields)
_LEASES = _all(leases, *LeaseRow._fields)
_EXPERTS = _all(experts, "name", "wants", "wants_until")
_SPELLINGS = _all(spellings, "folded", "name")
_OPEN = sa.select(questions.c.sequence).where(questions.c.study == _study, is_open)


class Rows(Collection[T]):
    """The rows of a statement, read from a snapshot whenever they are looked at."""

    def __init__(self, reading: Snapshot, statement: sa.Executable, kind: Callable[..., T]) -> None:
        self._reading, self._statement, self._kind = reading, statement, kind

    def __iter__(self) -> Iterator[T]:
        return (self._kind(*row) for row in self._reading.each(self._statement))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, row: object) -> bool:
        return any(one == row for one in self)


def read(reading: Reading) -> Inventory:
    """Return all rows of the study. Of a snapshot, events and questions are read when they are looked at."""

    def rows(statement: sa.Executable, kind: Callable[..., Any]) -> Collection[Any]:
        if isinstance(reading, Snapshot):
            return Rows(reading, statement, kind)
        return [kind(*row) for row in reading.all(statement)]

    (((name, settings, origin, last, head, folded, until, now)),) = reading.all(_STUDY)
    return Inventory(
        Kept(name, settings, origin, Head(last, head), folded, until),
        rows(_EVENTS, Event),
        rows(_QUESTIONS, QuestionRow),
        [LeaseRow(*row) for row in reading.all(_LEASES)],
        [(name, wants, until) for name, wants, until in reading.all(_EXPERTS)],
        [(folded, name) for folded, name in reading.all(_SPELLINGS)],
        {sequence for (sequence,) in reading.all(_OPEN)},
        now,
    )


class Remade(NamedTuple):
    """The rows that take the place of those that were there.

    The origin and the head are those of the events, `name` is the one under which the study is found, if there is one.
    """

    origin: str
    head: Head
    name: str | None
    questions: list[QuestionRow]
    leases: list[LeaseRow]
    experts: list[str]
    spellings: dict[str, str]


def write(transaction: Transaction, new: Remade, is_sqlite: bool) -> None:
    """Replace all rows of the study but its events, its settings and its keys; nobody chooses or waits."""
    if is_sqlite:  # what the index does not have cannot be deleted
        transaction.do(_REINDEX)
    for table in (questions, leases, experts, spellings):
        transaction.do(_DELETE[table])
    for table, rows in (
        (questions, [row._asdict() for row in new.questions]),
        (leases, [row._asdict() for row in new.leases]),
        (experts, [{"name": name} for name in new.experts]),
        (spellings, [{"folded": plain, "name": name} for plain, name in new.spellings.items()]),
    ):
        if rows:
            transaction.do_each(_INSERT[table], [{f"_{name}": value for name, value in row.items()} for row in rows])
    plain = None if new.name is None else folded(new.name)
    transaction.do(_RESET, _origin=new.origin, _last=new.head.number, _head=new.head.hash, _plain=plain)


_REINDEX = sa.text(f"REINDEX {questions.name}")
_DELETE = {table: table.delete().where(table.c.study == _study) for table in (questions, leases, experts, spellings)}
_INSERT = {
    table: table.insert().values(study=_study, **{name: sa.bindparam(f"_{name}") for name in names})
    for table, names in (
        (questions, QuestionRow._fields),
        (leases, LeaseRow._fields),
        (experts, ("name",)),
        (spellings, ("folded", "name")),
    )
}
_RESET = studies.update().where(studies.c.id == _study)
_RESET = _RESET.values(origin=sa.bindparam("_origin"), last=sa.bindparam("_last"), head=sa.bindparam("_head"))
_RESET = _RESET.values(folded=sa.bindparam("_plain"), chooser="", chooser_until=0.0, choosing_after=None)

_FIND = sa.select(studies.c.id).order_by(studies.c.name != sa.bindparam("_name"), studies.c.id)
_FIND = _FIND.where((studies.c.name == sa.bindparam("_name")) | (studies.c.folded == sa.bindparam("_folded")))


def find(storage: Storage, name: str, plain: str) -> int | None:
    """Return the key of the study of this name, which may be damaged; None if there is none."""
    with storage.read() as reading:
        row = reading.first(_FIND, _name=name, _folded=plain)
    return None if row is None else int(row[0])


def unsound(reading: Reading) -> list[str]:
    """Return what SQLite finds wrong with its file, a line for each problem."""
    said = [line for (found,) in reading.all(_CHECK) for line in str(found).splitlines()]
    return [] if said == ["ok"] else [line for line in said if not line.startswith("***")]  # *** in database main ***


_CHECK = sa.text("PRAGMA integrity_check(100)")
