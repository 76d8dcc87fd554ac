"""Which process chooses the next questions of a study, and for whom.

At most one process chooses at a time, while all others may go on answering. It says how far it knows the events
(`choosing_after`), and nobody else goes further in the meantime: its questions come right after that event, whatever is
recorded before it has chosen them. Its turn ends when it says so, or when another process ends it because it has said
nothing for too long.
"""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import Now, events, experts, studies

NEAR = 8
"""A process that has so few events to read can choose as well as the one that has chosen last."""


class Want(NamedTuple):
    """How many questions an expert waits for."""

    expert: str
    n: int


_study: sa.BindParameter[int] = bindparam("_study")
_expert: sa.BindParameter[str] = bindparam("_expert")
_process: sa.BindParameter[str] = bindparam("_process")
_end = Now() + bindparam("_seconds", type_=sa.Float)
_this = studies.c.id == _study
_head: sa.BindParameter[int] = bindparam("_head", type_=sa.Integer)
_silent = studies.c.chooser_until <= Now()
_idle = studies.c.choosing_after.is_(None)
_mine = _this & (studies.c.chooser == _process) & ~_idle
_newest = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.study == _study)
_wants = (experts.c.study == _study) & (experts.c.wants > 0) & (experts.c.wants_until > Now())

_free = _silent | (_idle & ((studies.c.chooser == _process) | (_newest.scalar_subquery() <= _head + NEAR)))
_start = {"chooser": _process, "chooser_until": _end, "choosing_after": _newest.scalar_subquery()}
_BEGIN = studies.update().where(_this & _free).values(_start)
_BEGIN = _BEGIN.returning(studies.c.id)
_BEGIN_AGAIN = studies.update().where(_mine).values(_start)
_INTERRUPT = studies.update().where(_this & (_silent | _idle)).returning(studies.c.id)
_INTERRUPT = _INTERRUPT.values(chooser="", chooser_until=0.0, choosing_after=None)
_SILENT = sa.select(studies.c.id).where(_this & _silent & ~_idle)
_GO_ON_AFTER = studies.update().where(_mine & (studies.c.choosing_after == _head))
_GO_ON_AFTER = _GO_ON_AFTER.values(chooser_until=_end).returning(studies.c.id)
_GO_ON = studies.update().where(_mine).values(chooser_until=_end).returning(studies.c.id)
_END = studies.update().where(_this & (studies.c.chooser == _process)).values(chooser_until=_end, choosing_after=None)
_WANT = experts.update().where(experts.c.study == _study, experts.c.name == _expert)
_WANT = _WANT.values(wants=bindparam("_wants"), wants_until=_end)
_WANTS = sa.select(experts.c.name, experts.c.wants).where(_wants).order_by(experts.c.wants_until)
_WANTED = sa.select(sa.func.coalesce(sa.func.sum(experts.c.wants), 0)).where(_wants, experts.c.name == _expert)
_WAITING = sa.select(_WANTED.scalar_subquery(), sa.case((_free, 1), else_=0)).where(_this)


def begin(transaction: Transaction, process: str, seconds: float, head: int) -> bool:
    """Let a process choose, which knows the events up to number `head`; return whether it may.

    It may not while another one chooses. One that has just chosen goes before others that would have to read much
    before they could choose.
    """
    return bool(transaction.all(_BEGIN, _process=process, _seconds=seconds, _head=head))


def begin_again(transaction: Transaction, process: str, seconds: float) -> None:
    """Let a process that has chosen choose at once again, knowing all events so far."""
    transaction.do(_BEGIN_AGAIN, _process=process, _seconds=seconds)


def interrupt(transaction: Transaction) -> bool:
    """End a turn, unless its process chooses at the moment and is not silent; return whether nobody has a turn now."""
    return bool(transaction.all(_INTERRUPT))


def is_silent(reading: Reading) -> bool:
    """Return whether the process that chooses has said nothing for too long, so that it can be interrupted."""
    return bool(reading.all(_SILENT))


def go_on(transaction: Transaction, process: str, seconds: float) -> bool:
    """Prolong the turn of a process; return whether it still had one."""
    return bool(transaction.all(_GO_ON, _process=process, _seconds=seconds))


def still(transaction: Transaction, process: str, seconds: float, head: int) -> bool:
    """Prolong the turn that a process began when it knew the events up to number `head`; return whether it lasts.

    The process may have lost it in the meantime, and another thread may have begun another one.
    """
    return bool(transaction.all(_GO_ON_AFTER, _process=process, _seconds=seconds, _head=head))


def end(transaction: Transaction, process: str, seconds: float) -> None:
    """Say that a process has chosen; for some seconds more it is the one to choose again."""
    transaction.do(_END, _process=process, _seconds=seconds)


def waiting(reading: Reading, process: str, expert: str, head: int) -> tuple[int, bool]:
    """Return how many questions an expert still waits for, and whether a process may choose them (`begin`)."""
    ((wanted, free),) = reading.all(_WAITING, _process=process, _expert=expert, _head=head)
    return int(wanted), bool(free)


def want(transaction: Transaction, expert: str, n: int, seconds: float) -> None:
    """Note how many questions an expert waits for; they give up after some seconds."""
    transaction.do(_WANT, _expert=expert, _wants=n, _seconds=seconds)


def wants(reading: Reading) -> list[Want]:
    """Return who waits for questions, the longest wait first."""
    return [Want(*row) for row in reading.all(_WANTS)]


def wanted(reading: Reading, expert: str) -> int:
    """Return how many questions an expert still waits for."""
    return int(reading.all(_WANTED, _expert=expert)[0][0])
