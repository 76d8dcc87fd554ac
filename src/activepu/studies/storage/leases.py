"""Who has which question: tokens, and when they expire on the database's clock.

Invariant: a question has the token of the lease that counts; the table of leases has the tokens of those that are over.
A lease of a question that its expert was not shown ends at `expires`, and the question goes to somebody else. One that
they were shown ends the question itself: `expires` is its deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import sqlalchemy as sa
from sqlalchemy import bindparam

from activepu.studies.storage.statements import Reading, Transaction
from activepu.studies.storage.tables import Now, is_open, leases, of_question, other, questions, same_item

Over = Literal["unseen", "ended", "skipped", "undone"]
"""How a lease is over: it ended before the expert was shown the question, or after; they skipped it or took it back."""


class Held(NamedTuple):
    """An open question that is leased to an expert."""

    sequence: int
    item: int
    token: str
    expires: float
    shown: bool = True


class Lapsed(NamedTuple):
    """An open question whose lease has ended."""

    sequence: int
    item: int
    expert: str
    shown: bool


class Lease(NamedTuple):
    """What a token stands for, and how its question is now; `state` is None while it is the token that counts.

    `shown` says whether the question was shown to its holder, `lapsed` whether the time of that lease is over.
    """

    token: str
    sequence: int
    expert: str
    state: Over | None
    item: int
    question: str
    answer: int | None
    holder: str
    shown: bool
    expires: float
    lapsed: bool

    @property
    def is_answer(self) -> bool:
        """Whether the question was answered with this token."""
        return self.question == "answered" and self.state is None

    @property
    def is_theirs(self) -> bool:
        """Whether the expert of this lease was shown the question and has it, perhaps with another token."""
        return self.shown and self.holder == self.expert


_study: sa.BindParameter[int] = bindparam("_study")
_sequence: sa.BindParameter[int] = bindparam("_sequence")
_expert: sa.BindParameter[str] = bindparam("_expert")
_token: sa.BindParameter[str] = bindparam("_token")
_end = Now() + bindparam("_seconds", type_=sa.Float)
_question = (questions.c.study == _study) & (questions.c.sequence == _sequence)
_lease = (leases.c.study == _study) & (leases.c.sequence == _sequence) & (leases.c.token == _token)
_own_skip = of_question & (leases.c.expert == _expert) & (leases.c.state == "skipped")
_nobody: sa.ColumnElement[str] = sa.literal_column("''")
_open = sa.select(questions.c.sequence, questions.c.item, questions.c.token, questions.c.expires, questions.c.shown)
_open = _open.where(questions.c.study == _study, is_open).order_by(questions.c.sequence)
_over = (questions.c.expert > _nobody) & (questions.c.expires <= Now())

_HELD = _open.where(questions.c.expert == _expert)
_HELD_NOW = _HELD.where(questions.c.expires > Now())
_LAPSED = sa.select(questions.c.sequence, questions.c.item, questions.c.expert, questions.c.shown)
_LAPSED = _LAPSED.where(questions.c.study == _study, is_open, _over).order_by(questions.c.sequence)
_own_item = same_item & (other.c.expert == _expert)
_QUEUE = _open.where(questions.c.expert == _nobody, ~sa.exists().where(_own_skip), ~sa.exists().where(_own_item))
_QUEUE = _QUEUE.limit(bindparam("_n"))


def held(reading: Reading, expert: str) -> list[Held]:
    """Return the open questions that are leased to this expert, the oldest first."""
    return [_held(*row) for row in reading.all(_HELD_NOW, _expert=expert)]


def held_or_lapsed(reading: Reading, expert: str) -> list[Held]:
    """Return the open questions that this expert holds, also where the time of the lease is over."""
    return [_held(*row) for row in reading.all(_HELD, _expert=expert)]


def lapsed(reading: Reading) -> list[Lapsed]:
    """Return the open questions whose lease has ended, and that are neither in the queue nor over yet."""
    return [Lapsed(sequence, item, expert, bool(shown)) for sequence, item, expert, shown in reading.all(_LAPSED)]


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


_lent = {"token": _token, "expert": _expert, "expires": _end, "shown": bindparam("_shown", type_=sa.Integer)}
_ADD = (
    questions.insert()
    .values(study=_study, sequence=_sequence, item=bindparam("_item"), state="open", answer=None, **_lent)
    .returning(questions.c.expires)
)
_LEND = questions.update().where(_question)
_LEND = _LEND.values(state="open", answer=None, **_lent).returning(questions.c.expires)
_SHOW = questions.update().where(_question).values(shown=1, expires=_end).returning(questions.c.expires)


def add(
    transaction: Transaction, sequence: int, item: int, expert: str, token: str, seconds: float, shown: bool
) -> Held:
    """Add a new question, leased to an expert."""
    who = {"_sequence": sequence, "_item": item, "_expert": expert, "_token": token, "_shown": int(shown)}
    ((expires,),) = transaction.all(_ADD, **who, _seconds=float(seconds))
    return Held(sequence, item, token, float(expires), shown)


_ADD_ANSWERED = questions.insert().values(
    study=_study, sequence=_sequence, item=bindparam("_item"), state="answered", answer=bindparam("_answer"), **_lent
)


def add_answered(transaction: Transaction, rows: Sequence[tuple[int, int, str, int, str]], seconds: float) -> None:
    """Add questions that have an answer, as (sequence, item, expert, answer, token), as if they had been leased."""
    names = ("_sequence", "_item", "_expert", "_answer", "_token")
    same = {"_shown": 1, "_seconds": float(seconds)}
    transaction.do_each(_ADD_ANSWERED, (dict(zip(names, row, strict=True)) for row in rows), **same)


def lend(
    transaction: Transaction, sequence: int, item: int, expert: str, token: str, seconds: float, shown: bool
) -> Held:
    """Lease a question to an expert; it is open from now on, even if it was answered or withdrawn."""
    who = {"_sequence": sequence, "_expert": expert, "_token": token, "_shown": int(shown)}
    ((expires,),) = transaction.all(_LEND, **who, _seconds=float(seconds))
    return Held(sequence, item, token, float(expires), shown)


def show(transaction: Transaction, held: Held, seconds: float) -> Held:
    """Note that the question was shown to its holder; its deadline comes after so many seconds."""
    ((expires,),) = transaction.all(_SHOW, _sequence=held.sequence, _seconds=float(seconds))
    return held._replace(expires=float(expires), shown=True)


_counting = sa.select(
    questions.c.study, questions.c.sequence, questions.c.token, questions.c.expert, bindparam("_state", type_=sa.Text)
).where(_question, questions.c.token.is_not(None))
_END = leases.insert().from_select(["study", "sequence", "token", "expert", "state"], _counting)
_REQUEUE = questions.update().where(_question).values(token=None, expert="", expires=0.0, shown=0)
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


def lend_again(transaction: Transaction, lease: Lease, seconds: float) -> Held:
    """Lease a question to the expert of a lease that ended, under the same token."""
    end(transaction, lease.sequence, "ended" if lease.shown else "unseen")
    transaction.do(_FORGET, _sequence=lease.sequence, _token=lease.token)
    return lend(transaction, lease.sequence, lease.item, lease.expert, lease.token, seconds, False)


_ANSWER = questions.update().where(_question)
_ANSWER = _ANSWER.values(state="answered", answer=bindparam("_answer"), expert=_expert, token=_token, shown=1)
_CLOSE = questions.update().where(_question).values(state=bindparam("_state"))
_LATE = questions.update().where(_question).values(answer=bindparam("_answer"), token=_token)
_FIND = (
    sa.select(questions.c.item, questions.c.state, questions.c.answer, questions.c.expert, questions.c.token)
    .add_columns(questions.c.shown, questions.c.expires, _over, leases.c.expert, leases.c.state)
    .outerjoin(leases, of_question & (leases.c.token == _token))
    .where(_question)
)


def find(reading: Reading, sequence: int, token: str) -> Lease | None:
    """Return what this token of a question stands for; None if the question has no such token."""
    row = reading.first(_FIND, _token=token, _sequence=sequence)
    if row is None:
        return None
    item, question, answer, holder, present, shown, expires, lapsed, past, over = row
    now = (item, question, answer, holder, bool(shown), float(expires), bool(lapsed))
    if present == token:
        return Lease(token, sequence, holder, None, *now)
    return None if past is None else Lease(token, sequence, past, over, *now)


def answer(transaction: Transaction, lease: Lease, value: bool) -> None:
    """Answer the question of a lease; a token that was over counts again."""
    which = {"_sequence": lease.sequence, "_token": lease.token}
    if lease.state is not None:
        end(transaction, lease.sequence, "ended" if lease.shown else "unseen")
        transaction.do(_FORGET, **which)
    transaction.do(_ANSWER, **which, _answer=int(value), _expert=lease.expert)


def late(transaction: Transaction, sequence: int, token: str, value: bool) -> None:
    """Note a yes to a question that is over, or that it was taken back; the token is the one that counts."""
    transaction.do(_LATE, _sequence=sequence, _token=token, _answer=1 if value else None)


_TOKEN = sa.select(questions.c.token).where(_question)


def token(reading: Reading, sequence: int) -> str:
    """Return the token that counts for a question."""
    return str(reading.all(_TOKEN, _sequence=sequence)[0][0])


def withdraw(transaction: Transaction, sequence: int) -> None:
    """Close a question without an answer: everyone has skipped it."""
    transaction.do(_CLOSE, _sequence=sequence, _state="withdrawn")


def close(transaction: Transaction, sequence: int) -> None:
    """Close a question without an answer: its time is over, or the expert who was shown it will not answer."""
    transaction.do(_CLOSE, _sequence=sequence, _state="over")


def _held(sequence: int, item: int, token: str, expires: float, shown: int) -> Held:
    return Held(sequence, item, token, float(expires), bool(shown))
