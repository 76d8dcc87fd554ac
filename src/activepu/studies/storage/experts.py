"""Who takes part in a study, who skipped what, and what each did last."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from activepu.checks import folded
from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import (
    events,
    experts,
    is_open,
    leases,
    of_question,
    other,
    questions,
    same_item,
    spellings,
)


class LastMove(NamedTuple):
    """An answer, or a skip and its token."""

    kind: str
    sequence: int
    item: int
    skipped: str | None


_study: sa.BindParameter[int] = bindparam("_study")
_expert: sa.BindParameter[str] = bindparam("_expert")

_unknown = ~sa.exists().where(experts.c.study == _study, experts.c.name == _expert)
_newcomer = sa.select(sa.cast(_study, sa.Integer), sa.cast(_expert, sa.Text)).where(_unknown)
_JOIN = experts.insert().from_select(["study", "name"], _newcomer)
_LEAVE = experts.delete().where(experts.c.study == _study, experts.c.name == _expert)
_NAMES = sa.select(experts.c.name).where(experts.c.study == _study).order_by(experts.c.name)


_spelling = (spellings.c.study == _study) & (spellings.c.folded == bindparam("_folded"))
_SPELLED = sa.select(spellings.c.name).where(_spelling)
_SPELL = spellings.insert().values(study=_study, folded=bindparam("_folded"), name=_expert)


def spelled(reading: Reading, expert: str) -> str:
    """Return the name of an expert as the study saw it first; upper and lower case are the same."""
    row = reading.first(_SPELLED, _folded=folded(expert))
    return expert if row is None else str(row[0])


def join(transaction: Transaction, expert: str) -> None:
    """Make an expert known."""
    if transaction.first(_SPELLED, _folded=folded(expert)) is None:
        transaction.do(_SPELL, _folded=folded(expert), _expert=expert)
    transaction.do(_JOIN, _expert=expert)


def leave(transaction: Transaction, expert: str) -> None:
    """Forget an expert."""
    transaction.do(_LEAVE, _expert=expert)


def names(reading: Reading) -> list[str]:
    """Return the experts who have joined and not left."""
    return [name for (name,) in reading.all(_NAMES)]


_SKIPS = sa.select(leases.c.sequence, leases.c.expert).where(leases.c.study == _study, leases.c.state == "skipped")
_OWN_SKIP = _SKIPS.where(leases.c.sequence == bindparam("_sequence"), leases.c.expert == _expert)
_OPEN_SKIPS = _SKIPS.join(questions, of_question).where(is_open)


def skips(reading: Reading) -> set[tuple[int, str]]:
    """Return who skipped which question, as pairs (sequence, expert)."""
    return {(sequence, expert) for sequence, expert in reading.all(_SKIPS)}


def has_skipped(reading: Reading, sequence: int, expert: str) -> bool:
    """Return whether this expert skipped this question."""
    return bool(reading.all(_OWN_SKIP, _sequence=sequence, _expert=expert))


def open_skips(reading: Reading) -> dict[int, set[str]]:
    """Return who skipped each open question that somebody skipped."""
    return _by_question(reading.all(_OPEN_SKIPS))


_SAME_ITEM = sa.select(questions.c.sequence, other.c.expert).join(other, same_item)
_SAME_ITEM = _SAME_ITEM.where(questions.c.study == _study, is_open, other.c.state == "answered")


def answered_before(reading: Reading) -> dict[int, set[str]]:
    """Return who answered another question about the same item, for each open question with such an item."""
    return _by_question(reading.all(_SAME_ITEM))


def _by_question(rows: Iterable[Any]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for sequence, expert in rows:
        found.setdefault(sequence, set()).add(expert)
    return found


_theirs = questions.c.expert == _expert
_answered = (events.c.kind == "answer") & (questions.c.state == "answered") & _theirs
_late = (events.c.kind == "late") & (questions.c.state == "over") & questions.c.answer.is_not(None) & _theirs
_later = questions.alias()
_again = sa.exists().where(
    _later.c.study == questions.c.study, _later.c.item == questions.c.item, _later.c.sequence > questions.c.sequence
)
_nobodys = (is_open & (questions.c.shown == 0)) | ((questions.c.state == "withdrawn") & ~_again)
_skipped = (events.c.kind == "skip") & _nobodys & leases.c.token.is_not(None)
_LAST_MOVE = (
    sa.select(events.c.kind, events.c.sequence, events.c.item, leases.c.token)
    .join(questions, (questions.c.study == events.c.study) & (questions.c.sequence == events.c.sequence))
    .outerjoin(leases, of_question & (leases.c.expert == _expert) & (leases.c.state == "skipped"))
    .where(events.c.study == _study, events.c.expert == _expert, _answered | _late | _skipped)
    .order_by(events.c.number.desc())
    .limit(1)
)
_CHANGED_HANDS = (
    sa.select(questions.c.sequence)
    .join(leases, of_question)
    .where(questions.c.study == _study, questions.c.state.in_(("answered", "over")))
    .where(leases.c.expert != questions.c.expert, leases.c.state.in_(("ended", "skipped")))
    .limit(1)
)


def last_move(reading: Reading, expert: str) -> LastMove | None:
    """Return what this expert can take back: their last answer, or skip while nobody else was shown the question."""
    row = reading.first(_LAST_MOVE, _expert=expert)
    return None if row is None else LastMove(*row)


def changed_hands(reading: Reading) -> bool:
    """Return whether a question that one expert answered was shown to another before."""
    return reading.first(_CHANGED_HANDS) is not None
