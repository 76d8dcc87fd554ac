"""Answers that were collected elsewhere enter a study, all in one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from activepu.records import Question
from activepu.run import Run
from activepu.studies.events import Writer, note_of
from activepu.studies.leases import Desk
from activepu.studies.storage import leases, questions


def take_in(
    connection: sa.Connection,
    study: int,
    desk: Desk,
    writer: Writer,
    run: Run,
    answers: Iterable[tuple[int, bool, str]],
) -> int:
    """Records each (item, answer, expert) whose coin has no answer yet; how many there were.

    An open question about the item is answered; for any other a question is put, as if it had been asked here.
    """
    known = {run.coin(q.item): q for q in run.questions if q.answer is None or isinstance(q.answer, bool)}
    rows: dict[sa.Table, list[dict[str, Any]]] = {questions: [], leases: []}
    joined: set[str] = set()
    added = 0
    writer.touched = True
    for item, answer, expert in answers:
        question = known.get(run.coin(item))
        if question is not None and question.answer is not None:
            continue
        if expert not in joined:
            desk.join(expert)
            joined.add(expert)
        told = {"answer": int(answer), "expert": expert}
        if question is None:
            question = known[run.coin(item)] = run.put(item)
            note = note_of(question.note, run.drawn)
            writer.later("ask", sequence=question.number, item=item, expert=expert, note=note)
            token, place = secrets.token_urlsafe(16), {"study": study, "sequence": question.number}
            rows[questions].append({**place, "item": item, "state": "answered", "token": token, "expires": 0.0, **told})
            rows[leases].append({**place, "token": token, "expert": expert, "state": "answered"})
        else:
            _answer_open(desk, question, expert, answer)
        writer.later("answer", sequence=question.number, item=item, **told)
        question.expert = expert
        run.tell(question, answer)
        added += 1
    for table, its in rows.items():
        if its:
            connection.execute(table.insert(), its)
    writer.flush()
    return added


def _answer_open(desk: Desk, question: Question, expert: str, answer: bool) -> None:
    token, _ = desk.lease(question.number, expert, 0.0)
    desk.accept(*desk.find(token, None), answer)
