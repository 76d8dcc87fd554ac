"""Who has which question: tokens, and when they expire on the database's clock.

Invariant: a question has the token of the lease that counts; the table of leases has the tokens of those that are over.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import Now, is_open, leases, of_question, other, questions, same_item

Over = Literal["ended", "skipped", "undone"]
"""How a lease is over."""


class Held(NamedTuple):
    """An open question that is leased to an expert."""

    sequence: int
    item: int
    token: str
    expires: float


class Lease(NamedTuple):
    """What a token stands for, and how its question is now; `state` is None while it is the token that counts."""

    token: str
    sequence: int
    expert: str
    state: Over | None
    item: int
    question: str
    answer: int | None
    holder: str

    @property
    def is_answer(self) -> bool:
        """Whether the question was answered with this token."""
        return self.question == "answered" and self.state is None


_study: sa.BindParameter[int] = bindparam("_study")
_sequence: sa.BindParameter[int] = bindparam("_sequence")
_expert: sa.BindParameter[str] = bindparam("_expert")
_token: sa.BindParameter[str] = bindparam("_token")
_end = Now() + bindparam("_seconds", type_=sa.Float)
_question = (questions.c.study == _study) & (questions.c.sequence == _sequence)
_lease = (leases.c.study == _study) & (leases.c.sequence == _sequence) & (leases.c.token == _token)
_own_skip = of_question & (leases.c.expert == _expert) & (leases.c.state == "skipped")
_nobody: sa.ColumnElement[str] = sa.literal_column("''")
_open = sa.select(questions.c.sequence, questions.c.item, questions.c.token, questions.c.expires)
_open = _open.where(questions.c.study == _study, is_open).order_by(questions.c.sequence)

_HELD = _open.where(questions.c.expert == _expert, questions.c.expires > Now())
_EXPIRED = _open.order_by(None).where(questions.c.expert > _nobody, questions.c.expires <= Now())
_own_item = same_item & (other.c.expert == _expert)
_QUEUE = _open.where(questions.c.expert == _nobody, ~sa.exists().where(_own_skip), ~sa.exists().where(_own_item))
_QUEUE = _QUEUE.limit(bindparam("_n"))


def held(reading: Reading, expert: str) -> list[Held]:
    """Return the open questions that are leased to this expert, the oldest first."""
    return [Held(*row) for row in reading.all(_HELD, _expert=expert)]


def expired(reading: Reading) -> list[int]:
    """Return the open questions whose lease has ended, and that are not in the queue yet."""
    return [sequence for sequence, *_ in reading.all(_EXPIRED)]


def queue(reading: Reading, expert: str, n: int) -> list[tuple[int, int]]:
    """Return up to n open questions (sequence, item) for this expert, the oldest first.

    Nobody has them, and the expert has neither skipped them nor had another question about the same item.
    """
    return [(sequence, item) for sequence, item, *_ in reading.all(_QUEUE, _expert=expert, _n=n)]


_HOLDER = sa.select(questions.c.expert).where(_question)


def holder(reading: Reading, sequence: int) -> str:
    """Return who has this question, or answered it; empty if nobody has it."""
    row = reading.first(_HOLDER, _sequence=sequence)
    return "" if row is None else str(row[0])


_ADD = (
    questions.insert()
    .values(study=_study, sequence=_sequence, item=bindparam("_item"), state="open", answer=None)
    .values(token=_token, expert=_expert, expires=_end)
    .returning(questions.c.expires)
)
_HAND_OVER = (
    questions.update()
    .where(_question)
    .values(state="open", answer=None, token=_token, expert=_expert, expires=_end)
    .returning(questions.c.expires)
)


def add(transaction: Transaction, sequence: int, item: int, expert: str, token: str, seconds: float) -> Held:
    """Add a new question, leased to the expert who asked for it."""
    who = {"_sequence": sequence, "_item": item, "_expert": expert, "_token": token}
    ((expires,),) = transaction.all(_ADD, **who, _seconds=float(seconds))
    return Held(sequence, item, token, float(expires))


def hand_over(transaction: Transaction, sequence: int, item: int, expert: str, token: str, seconds: float) -> Held:
    """Lease a question to an expert; it is open from now on, even if it was answered or withdrawn."""
    who = {"_sequence": sequence, "_expert": expert, "_token": token}
    ((expires,),) = transaction.all(_HAND_OVER, **who, _seconds=float(seconds))
    return Held(sequence, item, token, float(expires))


_counting = sa.select(
    questions.c.study, questions.c.sequence, questions.c.token, questions.c.expert, bindparam("_state", type_=sa.Text)
).where(_question, questions.c.token.is_not(None))
_END = leases.insert().from_select(["study", "sequence", "token", "expert", "state"], _counting)
_REQUEUE = questions.update().where(_question).values(token=None, expert="", expires=0.0)
_SLIP = leases.insert().values(study=_study, sequence=_sequence, token=_token, expert=_expert, state="ended")
_MARK = leases.update().where(_lease).values(state=bindparam("_state"))
_FORGET = leases.delete().where(_lease)


def end(transaction: Transaction, sequence: int, state: Over) -> None:
    """End the lease that counts, if there is one; the caller says whose the question is next."""
    transaction.do(_END, _sequence=sequence, _state=state)


def requeue(transaction: Transaction, sequence: int, state: Over) -> None:
    """End the lease that counts, if there is one, and put the question into the queue."""
    end(transaction, sequence, state)
    transaction.do(_REQUEUE, _sequence=sequence)


def slip(transaction: Transaction, sequence: int, expert: str, token: str) -> None:
    """Give an expert a token for a question that stays with its holder."""
    transaction.do(_SLIP, _sequence=sequence, _expert=expert, _token=token)


def mark(transaction: Transaction, sequence: int, token: str, state: Over) -> None:
    """Change how a lease that is over ended."""
    transaction.do(_MARK, _sequence=sequence, _token=token, _state=state)


_ANSWER = questions.update().where(_question)
_ANSWER = _ANSWER.values(state="answered", answer=bindparam("_answer"), expert=_expert, token=_token)
_WITHDRAW = questions.update().where(_question).values(state="withdrawn")
_FIND = (
    sa.select(questions.c.item, questions.c.state, questions.c.answer, questions.c.expert, questions.c.token)
    .add_columns(leases.c.expert, leases.c.state)
    .outerjoin(leases, of_question & (leases.c.token == _token))
    .where(_question)
)


def find(reading: Reading, sequence: int, token: str) -> Lease | None:
    """Return what this token of a question stands for; None if the question has no such token."""
    row = reading.first(_FIND, _token=token, _sequence=sequence)
    if row is None:
        return None
    item, question, answer, holder, present, past, over = row
    if present == token:
        return Lease(token, sequence, holder, None, item, question, answer, holder)
    return None if past is None else Lease(token, sequence, past, over, item, question, answer, holder)


def answer(transaction: Transaction, lease: Lease, value: bool) -> None:
    """Answer the question of a lease; a token that was over counts again."""
    which = {"_sequence": lease.sequence, "_token": lease.token}
    if lease.state is not None:
        end(transaction, lease.sequence, "ended")
        transaction.do(_FORGET, **which)
    transaction.do(_ANSWER, **which, _answer=int(value), _expert=lease.expert)


def withdraw(transaction: Transaction, sequence: int) -> None:
    """Close a question without an answer."""
    transaction.do(_WITHDRAW, _sequence=sequence)
