"""How many questions, answers and skips there are."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from activepu.studies.storage.catalogue import intact
from activepu.studies.storage.database import Storage
from activepu.studies.storage.statements import Reading
from activepu.studies.storage.tables import Now, leases, questions, studies


class Counts(NamedTuple):
    """Of one study: questions that are leased now, that everyone skipped, that somebody skipped; and all skips."""

    leased: int
    withdrawn: int
    skipped: int
    skips: int


class CountedStudy(NamedTuple):
    """One study of a database."""

    name: str
    settings: dict[str, Any]
    asked: int
    answered: int
    revealed: int


_study: sa.BindParameter[int] = sa.bindparam("_study")
_is_answered = questions.c.state == "answered"
_of_study = sa.select(sa.func.count()).where(questions.c.study == _study)
_LEASED = _of_study.where(questions.c.state == "open", questions.c.expires > Now())
_ANSWERED = _of_study.where(_is_answered)
_REVEALED = _of_study.where(_is_answered, questions.c.answer == 1)
_WITHDRAWN = _of_study.where(questions.c.state == "withdrawn")
_SKIPPED = sa.select(sa.func.count(leases.c.sequence.distinct()), sa.func.count())
_SKIPPED = _SKIPPED.where(leases.c.study == _study, leases.c.state == "skipped")
_BY_EXPERT = sa.select(questions.c.expert, sa.func.count()).where(questions.c.study == _study, _is_answered)
_BY_EXPERT = _BY_EXPERT.group_by(questions.c.expert)


def counts(reading: Reading) -> Counts:
    """Return the counts of one study."""
    ((leased,),), ((withdrawn,),), (skipped,) = (reading.all(one) for one in (_LEASED, _WITHDRAWN, _SKIPPED))
    return Counts(leased, withdrawn, *skipped)


def answers(reading: Reading) -> dict[str, int]:
    """Return how many questions each expert answered; experts without an answer are left out."""
    return {expert: n for expert, n in reading.all(_BY_EXPERT)}


def answered(reading: Reading) -> tuple[int, int]:
    """Return how many questions are answered, and how many of the answers are *yes*."""
    ((answers,),), ((revealed,),) = reading.all(_ANSWERED), reading.all(_REVEALED)
    return int(answers), int(revealed)


_counted = (
    sa.select(
        questions.c.study,
        sa.func.count().label("asked"),
        sa.func.sum(sa.case((_is_answered, 1), else_=0)).label("answered"),
        sa.func.sum(sa.case((_is_answered & (questions.c.answer == 1), 1), else_=0)).label("revealed"),
    )
    .group_by(questions.c.study)
    .subquery()
)
_STUDIES = (
    sa.select(
        studies.c.name, studies.c.settings, studies.c.origin, _counted.c.asked, _counted.c.answered, _counted.c.revealed
    )
    .outerjoin(_counted, _counted.c.study == studies.c.id)
    .order_by(studies.c.name)
)


def all_studies(storage: Storage) -> list[CountedStudy]:
    """Return every study of a database, by name."""
    with storage.read() as reading:
        rows = reading.all(_STUDIES)
    return [
        CountedStudy(name, intact(name, settings, origin), *(int(n or 0) for n in found))
        for name, settings, origin, *found in rows
    ]
