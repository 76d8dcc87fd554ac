"""Which process chooses the next questions of a study, and for whom.

At most one process chooses at a time, while all others may go on answering. It says how far it knows the events
(`choosing_after`), and nobody else goes further in the meantime: its questions come right after that event, whatever is
recorded before it has chosen them. Its turn ends when it says so, or when it has said nothing for too long.
"""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import Now, events, experts, studies


class Want(NamedTuple):
    """How many questions an expert waits for."""

    expert: str
    n: int


_study: sa.BindParameter[int] = bindparam("_study")
_expert: sa.BindParameter[str] = bindparam("_expert")
_process: sa.BindParameter[str] = bindparam("_process")
_end = Now() + bindparam("_seconds", type_=sa.Float)
_this = studies.c.id == _study
_silent = studies.c.chooser_until <= Now()
_idle = studies.c.choosing_after.is_(None)
_mine = _this & (studies.c.chooser == _process) & ~_silent & ~_idle
_newest = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.study == _study)
_wants = (experts.c.study == _study) & (experts.c.wants > 0) & (experts.c.wants_until > Now())

_start = {"chooser": _process, "chooser_until": _end, "choosing_after": _newest.scalar_subquery()}
_BEGIN = studies.update().where(_this & (_silent | (_idle & (studies.c.chooser == _process)))).values(_start)
_BEGIN = _BEGIN.returning(studies.c.choosing_after)
_BEGIN_AGAIN = studies.update().where(_mine).values(_start).returning(studies.c.choosing_after)
_INTERRUPT = studies.update().where(_this & (_silent | _idle)).returning(studies.c.id)
_INTERRUPT = _INTERRUPT.values(chooser="", chooser_until=0.0, choosing_after=None)
_GO_ON = studies.update().where(_mine).values(chooser_until=_end).returning(studies.c.id)
_END = studies.update().where(_this & (studies.c.chooser == _process)).values(chooser_until=_end, choosing_after=None)
_BUSY = sa.select(sa.func.count()).where(_this & ~_silent & ((studies.c.chooser != _process) | ~_idle))
_WANT = experts.update().where(experts.c.study == _study, experts.c.name == _expert)
_WANT = _WANT.values(wants=bindparam("_wants"), wants_until=_end)
_WANTS = sa.select(experts.c.name, experts.c.wants).where(_wants).order_by(experts.c.wants_until)
_WANTED = sa.select(sa.func.coalesce(sa.func.sum(experts.c.wants), 0)).where(_wants, experts.c.name == _expert)


def begin(transaction: Transaction, process: str, seconds: float) -> int | None:
    """Let a process choose, unless another does; return the last event that it may know, None if it may not choose."""
    return _known(transaction, _BEGIN, process, seconds)


def begin_again(transaction: Transaction, process: str, seconds: float) -> int | None:
    """Let a process that has chosen choose at once again; return the last event that it may know now."""
    return _known(transaction, _BEGIN_AGAIN, process, seconds)


def _known(transaction: Transaction, statement: sa.Executable, process: str, seconds: float) -> int | None:
    row = next(iter(transaction.all(statement, _process=process, _seconds=seconds)), None)
    return None if row is None else int(row[0])


def interrupt(transaction: Transaction) -> bool:
    """End the turn of a process that does not choose at the moment; return whether nobody has a turn now."""
    return bool(transaction.all(_INTERRUPT))


def go_on(transaction: Transaction, process: str, seconds: float) -> bool:
    """Prolong the turn of a process; return whether it still had one."""
    return bool(transaction.all(_GO_ON, _process=process, _seconds=seconds))


def end(transaction: Transaction, process: str, seconds: float) -> None:
    """Say that a process has chosen; for some seconds more it is the one to choose again."""
    transaction.do(_END, _process=process, _seconds=seconds)


def is_busy(reading: Reading, process: str) -> bool:
    """Return whether another process chooses, or another thread of this one, or another process goes first."""
    return bool(reading.all(_BUSY, _process=process)[0][0])


def want(transaction: Transaction, expert: str, n: int, seconds: float) -> None:
    """Note how many questions an expert waits for; they give up after some seconds."""
    transaction.do(_WANT, _expert=expert, _wants=n, _seconds=seconds)


def wants(reading: Reading) -> list[Want]:
    """Return who waits for questions, the longest wait first."""
    return [Want(*row) for row in reading.all(_WANTS)]


def wanted(reading: Reading, expert: str) -> int:
    """Return how many questions an expert still waits for."""
    return int(reading.all(_WANTED, _expert=expert)[0][0])
