"""The studies of a database, as its tables alone know them: no table is read and no learner is started."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from activepu.studies.storage import Storage
from activepu.studies.storage.tables import questions, studies


@dataclass(frozen=True)
class Overview:
    """One study; `epsilon` is None where the learner aims at no error."""

    name: str
    items: int
    learner: str
    epsilon: float | None
    asked: int
    answered: int
    revealed: int


def overview(url: str) -> list[Overview]:
    """The studies, by name."""
    is_answered = questions.c.state == "answered"
    counts = (
        sa.select(
            questions.c.study,
            sa.func.count().label("asked"),
            sa.func.sum(sa.case((is_answered, 1), else_=0)).label("answered"),
            sa.func.sum(sa.case((is_answered & (questions.c.answer == 1), 1), else_=0)).label("revealed"),
        )
        .group_by(questions.c.study)
        .subquery()
    )
    wanted = (
        sa.select(studies.c.name, studies.c.settings, counts.c.asked, counts.c.answered, counts.c.revealed)
        .outerjoin(counts, counts.c.study == studies.c.id)
        .order_by(studies.c.name)
    )
    storage = Storage(url)
    try:
        with storage.read() as connection:
            return [_read(row) for row in connection.execute(wanted)]
    finally:
        storage.close()


def _read(row: Any) -> Overview:
    settings = json.loads(row.settings)
    made = settings["learner"]
    of_class = made["settings"].get("hypotheses")
    plain = of_class.get("hypotheses") if isinstance(of_class, dict) else None
    learner = made["learner"] if plain is None else f"{made['learner']}, {plain['class']}"
    counts = (int(n or 0) for n in (row.asked, row.answered, row.revealed))
    return Overview(row.name, settings["pool"]["rows"], learner, made["settings"].get("epsilon"), *counts)
