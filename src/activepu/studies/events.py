"""The events of a study, and a run that follows them.

    ask       a question was put: item, expert, and the note that was fixed then
    answer    an expert answered it
    skip      an expert passed it on (the run does not hear of it)
    withdraw  everyone has skipped it: it goes back to the pool
    undo      an answer was taken back: the question is open again
    unskip    a skip was taken back (the run does not hear of it)
    dry       an ask found nothing more: the rows that it looked at are gone

The events are the state. Every process that applies them in their order makes the same calls to `Run` in the same
order, and so has the same learner, the same certificate and the same next question; nothing is chosen again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import sqlalchemy as sa

from activepu.errors import StudyDiffers
from activepu.experts import SKIP
from activepu.records import Answer, Note, Question
from activepu.run import Run
from activepu.studies.storage import Transaction
from activepu.studies.storage.tables import Now, events

_columns = ("kind", "sequence", "item", "expert", "answer", "note")
_EMPTY: dict[str, Any] = {f"_{name}": None for name in _columns}
_values = {name: sa.bindparam(f"_{name}", type_=events.c[name].type) for name in ("study", *_columns)}
_last = sa.select(sa.func.coalesce(sa.func.max(events.c.number), 0)).where(events.c.study == _values["study"])
INSERT = events.insert().values(number=sa.bindparam("_number"), at=Now(), **_values)
APPEND = events.insert().inline().values(number=_last.scalar_subquery() + 1, at=Now(), **_values)
SINCE = (
    sa.select(*(events.c[name] for name in ("number", *_columns)))
    .where(events.c.study == sa.bindparam("_study"), events.c.number > sa.bindparam("_head"))
    .order_by(events.c.number)
)


class Event(NamedTuple):
    """One row of the table; what a kind of event does not have is None there."""

    number: int
    kind: str
    sequence: int
    item: int
    expert: str
    answer: int
    note: str


class Follower:
    """A run that has applied the events up to `head`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.head = 0

    def follow(self, transaction: Transaction, study: int) -> None:
        """Applies what was committed since."""
        self.apply([Event(*row) for row in transaction.all(SINCE, _study=study, _head=self.head)])

    def pending(self, connection: sa.Connection, study: int) -> list[Event]:
        """What was committed since."""
        return [Event(*row) for row in connection.execute(SINCE, {"_study": study, "_head": self.head})]

    def apply(self, rows: Sequence[Event]) -> None:
        """Makes the calls that these events stand for; refuses to guess where some are missing."""
        for expected, row in enumerate(rows, start=self.head + 1):
            if row.number != expected:
                raise StudyDiffers(
                    f"The events of this study have a gap: after {expected - 1} comes {row.number}; "
                    "restore the database."
                )
        undone = max((k for k, row in enumerate(rows) if row.kind == "undo"), default=-1)
        if undone >= 0:  # an undo starts the run anew, so that before it nothing needs to be folded
            self._jump(rows[: undone + 1])
        for row in rows[undone + 1 :]:
            self._apply(row)
        if rows:
            self.head = rows[-1].number

    def _jump(self, rows: Sequence[Event]) -> None:
        questions = self.run.questions
        for row in rows:
            if row.kind == "ask":
                note, _ = _read(row.note)
                key = self.run.id_of(row.item)
                questions.append(Question(len(questions), row.item, None, note, id=key, expert=row.expert))
            elif row.kind in ("answer", "withdraw", "undo"):
                question = questions[row.sequence]
                question.answer = _answer(row)
                question.expert = row.expert if row.kind == "answer" else question.expert
        self._told(lambda: self.run.restore(questions))

    def _apply(self, row: Event) -> None:
        run = self.run
        if row.kind == "ask":
            note, drawn = _read(row.note)
            run.recall(row.item, note, row.expert, drawn)
        elif row.kind in ("answer", "withdraw"):
            question, answer = run.questions[row.sequence], _answer(row)
            assert answer is not None
            question.expert = row.expert if row.kind == "answer" else question.expert
            self._told(lambda: run.tell(question, answer))
        elif row.kind == "dry":
            run.dry(_read(row.note)[1])

    def _told(self, do: Any) -> None:
        """Answers that contradict each other are kept; whoever asks next is told."""
        try:
            do()
        except Exception as error:
            if self.run.failure is not error:
                raise


class Writer:
    """Appends events within one transaction."""

    def __init__(self, transaction: Transaction, study: int, head: int) -> None:
        """After the event with number `head`, which is the last."""
        self._do = transaction
        self._study = study
        self.head = head
        self._rows: list[dict[str, Any]] = []
        self.touched = False
        """Whether the run may have changed, so that it must be made anew if the transaction fails."""
        self.ahead = False
        """Whether the run has not made these changes itself, and must read them like anybody's."""

    def append(self, kind: str, **values: Any) -> None:
        """One more event, written by `flush` together with others."""
        self.head += 1
        self._rows.append({**_EMPTY, **_named(kind, self._study, values), "_number": self.head})

    def flush(self) -> None:
        """Writes what is left to write."""
        if self._rows:
            self._do.do_each(INSERT, self._rows)
        self._rows = []


def append(transaction: Transaction, study: int, kind: str, **values: Any) -> None:
    """One more event, after whichever is the last."""
    transaction.do(APPEND, **{**_EMPTY, **_named(kind, study, values)})


def _named(kind: str, study: int, values: dict[str, Any]) -> dict[str, Any]:
    return {"_study": study, "_kind": kind, **{f"_{name}": value for name, value in values.items()}}


def note_of(note: Note, drawn: int) -> str:
    """A note as JSON; the shortest digits that give the same number again."""
    return json.dumps({**asdict(note), "drawn": drawn})


def _read(text: str) -> tuple[Note, int]:
    data = json.loads(text)
    drawn = data.pop("drawn")
    return Note(**data), drawn


def _answer(row: Event) -> Answer | None:
    if row.kind == "undo":
        return None
    return SKIP if row.kind == "withdraw" else bool(row.answer)
