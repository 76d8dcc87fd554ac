"""Who has which question: tokens, and when they expire on the database's clock.

A question is open, answered or withdrawn. An open one is leased to at most one expert at a time; when the lease ends it
goes to the next who asks, the oldest first, as the same question. Whoever answers an open question first is heard,
late or not.
"""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa

from activepu.errors import AnswerRefused
from activepu.studies.storage import Storage, experts, leases, questions


class Desk:
    """The leases of one study, within one transaction."""

    def __init__(self, storage: Storage, connection: sa.Connection, study: int) -> None:
        self._now = storage.now
        self._connection = connection
        self._study = study

    def join(self, expert: str) -> None:
        """Makes an expert known."""
        his = (experts.c.study == self._study) & (experts.c.name == expert)
        if self._connection.execute(sa.select(experts.c.name).where(his)).first() is None:
            self._connection.execute(experts.insert().values(study=self._study, name=expert))

    def add(self, sequence: int, item: int, expert: str, seconds: float) -> tuple[str, float]:
        """A question that has just been put, leased to whom it was put: its token, and when it expires."""
        token = self._new_token(sequence, expert)
        row = {"study": self._study, "sequence": sequence, "item": item, "state": "open", "token": token}
        put = questions.insert().values(**row, expires=self._now + seconds).returning(questions.c.expires)
        return token, float(self._connection.execute(put).scalar_one())

    def held(self, expert: str) -> list[Any]:
        """The open questions that are leased to this expert, the oldest first."""
        return list(
            self._connection.execute(
                sa.select(questions.c.sequence, questions.c.item, questions.c.token, questions.c.expires)
                .join(leases, leases.c.token == questions.c.token)
                .where(
                    questions.c.study == self._study,
                    questions.c.state == "open",
                    questions.c.expires > self._now,
                    leases.c.expert == expert,
                )
                .order_by(questions.c.sequence)
            )
        )

    def free_for(self, expert: str, n: int) -> list[Any]:
        """Open questions whose lease ended and that this expert has not skipped, the oldest first."""
        skipped = sa.select(leases.c.sequence).where(
            leases.c.study == self._study,
            leases.c.sequence == questions.c.sequence,
            leases.c.expert == expert,
            leases.c.state == "skipped",
        )
        return list(
            self._connection.execute(
                sa.select(questions.c.sequence, questions.c.item)
                .where(
                    questions.c.study == self._study,
                    questions.c.state == "open",
                    questions.c.expires <= self._now,
                    ~skipped.exists(),
                )
                .order_by(questions.c.sequence)
                .limit(n)
            )
        )

    def lease(self, sequence: int, expert: str, seconds: float) -> tuple[str, float]:
        """Gives a question to an expert: a new token, and when it expires."""
        token = self._new_token(sequence, expert)
        expires = self._connection.execute(
            questions.update()
            .where(self._is(sequence))
            .values(token=token, expires=self._now + seconds)
            .returning(questions.c.expires)
        ).scalar_one()
        return token, float(expires)

    def _new_token(self, sequence: int, expert: str) -> str:
        token = secrets.token_urlsafe(16)
        row = {"token": token, "study": self._study, "sequence": sequence, "expert": expert, "state": "open"}
        self._connection.execute(leases.insert().values(row))
        return token

    def find(self, token: str, expert: str | None) -> tuple[Any, Any]:
        """The lease with this token and its question; refuses one that is unknown or somebody else's."""
        lease = self._connection.execute(
            sa.select(leases).where(leases.c.token == str(token), leases.c.study == self._study)
        ).first()
        if lease is None:
            raise AnswerRefused(f"No question of this study has the token {token!r}; take it from study.ask(expert).")
        if expert is not None and expert != lease.expert:
            raise AnswerRefused(
                f"Question {lease.sequence} with this token was put to {lease.expert!r}, not to {expert!r}; "
                "answer your own questions."
            )
        return lease, self._connection.execute(sa.select(questions).where(self._is(lease.sequence))).one()

    def accept(self, lease: Any, question: Any, answer: bool) -> bool:
        """Whether this answer is new; refuses it where the question is not open for it."""
        if lease.state == "answered":
            if question.answer == int(answer):
                return False
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(question.answer)}, and now {answer}; "
                f"take the first answer back with undo({lease.expert!r})."
            )
        self._refuse_if_closed(lease, question)
        self._connection.execute(
            questions.update()
            .where(self._is(lease.sequence))
            .values(state="answered", answer=int(answer), expert=lease.expert, token=lease.token)
        )
        self._mark(lease.token, "answered")
        return True

    def skip(self, lease: Any, question: Any) -> tuple[bool, bool]:
        """Whether this skip is new, and whether everyone has skipped now, so that the question is withdrawn."""
        if lease.state == "skipped":
            return False, False
        if lease.state == "answered":
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(question.answer)} and cannot be skipped; "
                f"take the answer back with undo({lease.expert!r})."
            )
        self._refuse_if_closed(lease, question)
        self._mark(lease.token, "skipped")
        known = sa.select(sa.func.count()).select_from(experts).where(experts.c.study == self._study)
        passed = sa.select(sa.func.count(leases.c.expert.distinct())).where(
            leases.c.study == self._study, leases.c.sequence == lease.sequence, leases.c.state == "skipped"
        )
        everyone = self._connection.execute(passed).scalar_one() >= self._connection.execute(known).scalar_one()
        if everyone:
            self.close(lease.sequence)
        elif question.token == lease.token:
            self._connection.execute(questions.update().where(self._is(lease.sequence)).values(expires=0.0))
        return True, everyone

    def close(self, sequence: int) -> None:
        """Withdraws a question."""
        self._connection.execute(questions.update().where(self._is(sequence)).values(state="withdrawn"))

    def reopen(self, sequence: int) -> None:
        """Opens an answered question again; the token of the answer is used up, so that a repeated message is not."""
        question = self._connection.execute(sa.select(questions).where(self._is(sequence))).one()
        self._mark(question.token, "undone")
        self._connection.execute(
            questions.update().where(self._is(sequence)).values(state="open", answer=None, expert=None, expires=0.0)
        )

    def _refuse_if_closed(self, lease: Any, question: Any) -> None:
        who = f"was answered by {question.expert!r}" if question.state == "answered" else "was withdrawn"
        if question.state != "open":
            raise AnswerRefused(f"Question {lease.sequence} {who} in the meantime; go on with the next: ask.")
        if lease.state != "open":
            done = "taken back" if lease.state == "undone" else "skipped"
            raise AnswerRefused(f"Question {lease.sequence} was {done} with this token; ask for it again.")

    def _mark(self, token: str, state: str) -> None:
        self._connection.execute(leases.update().where(leases.c.token == token).values(state=state))

    def _is(self, sequence: int) -> sa.ColumnElement[bool]:
        return (questions.c.study == self._study) & (questions.c.sequence == sequence)
