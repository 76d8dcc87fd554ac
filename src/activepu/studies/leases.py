"""Who has which question: tokens, and when they expire on the database's clock.

A question is open, answered or withdrawn. An open one is leased to at most one expert at a time; a lease that has ended
puts it back into the queue (nobody's, the oldest first), and the next who asks gets the same question. Whoever answers
an open question first is heard, late or not.

Invariant: a question has the token of the lease that counts; `leases` has the tokens of those that are over.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy import BindParameter, bindparam

from activepu.errors import AnswerRefused, InvalidInput
from activepu.studies.storage import Transaction
from activepu.studies.storage.tables import Now, events, experts, is_open, leases, questions


class Held(NamedTuple):
    """A question in somebody's hands."""

    sequence: int
    item: int
    token: str
    expires: float


class LastMove(NamedTuple):
    """An answer, or a skip with its token."""

    kind: str
    sequence: int
    item: int
    skipped: str | None


class Lease(NamedTuple):
    """What a token stands for, and how its question is now; `state` is None while it is the token that counts."""

    token: str
    sequence: int
    expert: str
    state: str | None
    item: int
    question: str
    answer: int | None
    holder: str

    @property
    def is_answer(self) -> bool:
        """Whether the question was answered with this token."""
        return self.question == "answered" and self.state is None


_study: BindParameter[int] = bindparam("_study")
_sequence: BindParameter[int] = bindparam("_sequence")
_expert: BindParameter[str] = bindparam("_expert")
_token: BindParameter[str] = bindparam("_token")
_end = Now() + bindparam("_seconds", type_=sa.Float)
_question = (questions.c.study == _study) & (questions.c.sequence == _sequence)
_lease = (leases.c.study == _study) & (leases.c.sequence == _sequence) & (leases.c.token == _token)
_of_question = (leases.c.study == questions.c.study) & (leases.c.sequence == questions.c.sequence)
_his_skip = _of_question & (leases.c.expert == _expert) & (leases.c.state == "skipped")
_what = (questions.c.sequence, questions.c.item, questions.c.token, questions.c.expires)
_open = sa.select(*_what).where(questions.c.study == _study, is_open).order_by(questions.c.sequence)

HELD = _open.where(questions.c.expert == _expert, questions.c.expires > Now())
ENDED = _open.order_by(None).where(questions.c.expert > sa.literal_column("''"), questions.c.expires <= Now())
QUEUE = _open.where(questions.c.expert == sa.literal_column("''"), ~sa.exists().where(_his_skip)).limit(bindparam("_n"))
ADD = (
    questions.insert()
    .values(study=_study, sequence=_sequence, item=bindparam("_item"), state="open", answer=None)
    .values(token=_token, expert=_expert, expires=_end)
    .returning(questions.c.expires)
)
HAND_OVER = (
    questions.update()
    .where(_question)
    .values(state="open", answer=None, token=_token, expert=_expert, expires=_end)
    .returning(questions.c.expires)
)
ANSWER = questions.update().where(_question)
ANSWER = ANSWER.values(state="answered", answer=bindparam("_answer"), expert=_expert, token=_token)
WITHDRAW = questions.update().where(_question).values(state="withdrawn")
REQUEUE = questions.update().where(_question).values(token=None, expert="", expires=0.0)
FIND = (
    sa.select(questions.c.item, questions.c.state, questions.c.answer, questions.c.expert, questions.c.token)
    .add_columns(leases.c.expert, leases.c.state)
    .outerjoin(leases, _of_question & (leases.c.token == _token))
    .where(_question)
)
_present = sa.select(
    questions.c.study, questions.c.sequence, questions.c.token, questions.c.expert, bindparam("_state", type_=sa.Text)
).where(_question, questions.c.token.is_not(None))
END = leases.insert().from_select(["study", "sequence", "token", "expert", "state"], _present)
SLIP = leases.insert().values(study=_study, sequence=_sequence, token=_token, expert=_expert, state="ended")
MARK = leases.update().where(_lease).values(state=bindparam("_state"))
FORGET = leases.delete().where(_lease)
KNOWN = sa.select(experts.c.name).where(experts.c.study == _study)
_unknown = ~sa.exists().where(experts.c.study == _study, experts.c.name == _expert)
_newcomer = sa.select(sa.cast(_study, sa.Integer), sa.cast(_expert, sa.Text)).where(_unknown)
JOIN = experts.insert().from_select(["study", "name"], _newcomer)
PRESENT = sa.select(experts.c.name).where(experts.c.study == _study).order_by(experts.c.name)
LEAVE = experts.delete().where(experts.c.study == _study, experts.c.name == _expert)
HIS_SKIP = sa.select(leases.c.token).where(leases.c.study == _study, leases.c.sequence == _sequence)
HIS_SKIP = HIS_SKIP.where(leases.c.expert == _expert, leases.c.state == "skipped")
SKIPS = sa.select(leases.c.sequence, leases.c.expert).where(leases.c.study == _study, leases.c.state == "skipped")
PASSED_ON = SKIPS.join(questions, _of_question).where(is_open)
CHANGED_HANDS = (
    sa.select(questions.c.sequence)
    .join(leases, _of_question)
    .where(questions.c.study == _study, questions.c.state == "answered", leases.c.expert != questions.c.expert)
    .where(leases.c.state.in_(("ended", "skipped")))
    .limit(1)
)
"""An answered question that was in other hands, too."""
_answered = (events.c.kind == "answer") & (questions.c.state == "answered") & (questions.c.expert == _expert)
_later = questions.alias()
_again = sa.exists().where(
    _later.c.study == questions.c.study, _later.c.item == questions.c.item, _later.c.sequence > questions.c.sequence
)
_nobodys = (is_open & (questions.c.expires <= Now())) | ((questions.c.state == "withdrawn") & ~_again)
_skipped = (events.c.kind == "skip") & _nobodys & leases.c.token.is_not(None)
LAST_MOVE = (
    sa.select(events.c.kind, events.c.sequence, events.c.item, leases.c.token)
    .join(questions, (questions.c.study == events.c.study) & (questions.c.sequence == events.c.sequence))
    .outerjoin(leases, _his_skip)
    .where(events.c.study == _study, events.c.expert == _expert, _answered | _skipped)
    .order_by(events.c.number.desc())
    .limit(1)
)


class Desk:
    """The leases of one study, within one transaction."""

    def __init__(self, transaction: Transaction, study: int) -> None:
        self._do = transaction
        self._study = study

    def join(self, expert: str) -> None:
        """Makes an expert known."""
        self._do.do(JOIN, _study=self._study, _expert=expert)

    def leave(self, expert: str) -> list[int]:
        """Forgets an expert; his questions go to the others. Those that all others have skipped, to be withdrawn."""
        there = [name for (name,) in self._do.all(PRESENT, _study=self._study)]
        if expert not in there:
            names = ", ".join(map(repr, there)) or "nobody"
            raise InvalidInput(f"Nobody called {expert!r} has been asked in this study; there are: {names}.")
        self.release(expert)
        self._do.do(LEAVE, _study=self._study, _expert=expert)
        return self._skipped_by_everyone()

    def release(self, expert: str) -> None:
        """Puts what this expert holds back into the queue."""
        for held in self.held(expert):
            self._requeue(held.sequence, "ended")

    def held(self, expert: str) -> list[Held]:
        """The open questions that are leased to this expert, the oldest first."""
        return [Held(*row) for row in self._do.all(HELD, _study=self._study, _expert=expert)]

    def take(self, expert: str, n: int, seconds: float) -> list[Held]:
        """Leases to this expert up to n open questions whose lease ended and that he has not skipped, oldest first."""
        for sequence, _, _, _ in self._do.all(ENDED, _study=self._study):
            self._requeue(sequence, "ended")
        free = self._do.all(QUEUE, _study=self._study, _expert=expert, _n=n)
        return [self.lease(sequence, item, expert, seconds) for sequence, item, _, _ in free]

    def lease(self, sequence: int, item: int, expert: str, seconds: float) -> Held:
        """Gives a question of the queue to an expert, with a new token."""
        return self._give(HAND_OVER, sequence, item, expert, seconds)

    def add(self, sequence: int, item: int, expert: str, seconds: float) -> Held:
        """Gives a question that has just been put to whom it was put."""
        return self._give(ADD, sequence, item, expert, seconds, _item=item)

    def _give(self, how: sa.Executable, sequence: int, item: int, expert: str, seconds: float, **more: int) -> Held:
        token = _new_token(sequence)
        who = {"_study": self._study, "_sequence": sequence, "_expert": expert, "_token": token}
        row = self._do.first(how, **who, **more, _seconds=float(seconds))
        assert row is not None
        return Held(sequence, item, token, float(row[0]))

    def _end(self, sequence: int, state: str) -> None:
        """The lease that counts now, if there is one, is over."""
        self._do.do(END, _study=self._study, _sequence=sequence, _state=state)

    def _requeue(self, sequence: int, state: str) -> None:
        """So it is, and the question is nobody's."""
        self._end(sequence, state)
        self._do.do(REQUEUE, _study=self._study, _sequence=sequence)

    def slip(self, sequence: int, expert: str) -> str:
        """A token for a question that stays with whom it is."""
        token = _new_token(sequence)
        self._do.do(SLIP, _study=self._study, _sequence=sequence, _expert=expert, _token=token)
        return token

    def find(self, token: str, expert: str | None) -> Lease:
        """What this token stands for; refuses one that is unknown or somebody else's."""
        number = token.partition("-")[0] if isinstance(token, str) and token.isascii() and token.isprintable() else ""
        sequence = int(number) if number.isdigit() and len(number) < 10 else -1
        row = None if sequence < 0 else self._do.first(FIND, _token=token, _study=self._study, _sequence=sequence)
        item, state, answer, holder, present, past, over = row or (None,) * 7
        if row is None or (present != token and past is None):
            raise AnswerRefused(f"No question of this study has the token {token!r}; take it from study.ask(expert).")
        whose = holder if present == token else past
        if expert is not None and expert != whose:
            raise AnswerRefused(
                f"Question {sequence} with this token was put to {whose!r}, not to {expert!r}; "
                "answer your own questions."
            )
        return Lease(token, sequence, whose, None if present == token else over, item, state, answer, holder)

    def accept(self, lease: Lease, answer: bool) -> bool:
        """Whether this answer is new; refuses it where the question is not open for it."""
        if lease.is_answer:
            if lease.answer == int(answer):
                return False
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(lease.answer)}, and now {answer}; "
                f"take the first answer back with undo({lease.expert!r})."
            )
        _refuse_if_closed(lease)
        where = {"_study": self._study, "_sequence": lease.sequence, "_token": lease.token}
        if lease.state is not None:  # late: this token counts again
            if self._do.all(HIS_SKIP, _study=self._study, _sequence=lease.sequence, _expert=lease.expert):
                raise AnswerRefused(f"Question {lease.sequence} was skipped by {lease.expert!r}; take that back first.")
            self._end(lease.sequence, "ended")
            self._do.do(FORGET, **where)
        self._do.do(ANSWER, **where, _answer=int(answer), _expert=lease.expert)
        return True

    def skip(self, lease: Lease) -> tuple[bool, bool]:
        """Whether this skip is new, and whether everyone has skipped now, so that the question is withdrawn."""
        if lease.state == "skipped":
            return False, False
        if lease.is_answer:
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(lease.answer)} and cannot be skipped; "
                f"take the answer back with undo({lease.expert!r})."
            )
        _refuse_if_closed(lease)
        if lease.state is None:
            self._requeue(lease.sequence, "skipped")
        else:
            if lease.holder == lease.expert:  # he has it again, with another token
                self._requeue(lease.sequence, "ended")
            self._do.do(MARK, _study=self._study, _sequence=lease.sequence, _token=lease.token, _state="skipped")
        return True, lease.sequence in self._skipped_by_everyone()

    def skips(self) -> set[tuple[int, str]]:
        """Who skipped which question."""
        return {(int(sequence), str(expert)) for sequence, expert in self._do.all(SKIPS, _study=self._study)}

    def _skipped_by_everyone(self) -> list[int]:
        """Withdraws the open questions that every expert has skipped."""
        everyone = {name for (name,) in self._do.all(KNOWN, _study=self._study)}
        passed: dict[int, set[str]] = {}
        for sequence, expert in self._do.all(PASSED_ON, _study=self._study):
            passed.setdefault(sequence, set()).add(expert)
        gone = sorted(sequence for sequence, by in passed.items() if by >= everyone)
        for sequence in gone:
            self._do.do(WITHDRAW, _study=self._study, _sequence=sequence)
        return gone

    def last_move(self, expert: str) -> LastMove | None:
        """His last answer, or skip while nobody else has the question: what can be taken back."""
        found = self._do.first(LAST_MOVE, _study=self._study, _expert=expert)
        return None if found is None else LastMove(*found)

    def take_back(self, move: LastMove) -> None:
        """Undoes an answer or skip; its token is used up, so that a repeated message is no answer."""
        if move.kind == "answer":
            self._requeue(move.sequence, "undone")
        else:
            self._requeue(move.sequence, "ended")
            self._do.do(MARK, _study=self._study, _sequence=move.sequence, _token=move.skipped, _state="undone")


def _new_token(sequence: int) -> str:
    """Nobody can guess it, and it says where to look."""
    return f"{sequence}-{secrets.token_urlsafe(16)}"


def _refuse_if_closed(lease: Lease) -> None:
    who = f"was answered by {lease.holder!r}" if lease.question == "answered" else "was withdrawn"
    if lease.question != "open":
        raise AnswerRefused(f"Question {lease.sequence} {who} in the meantime; go on with the next: ask.")
    if lease.state in ("undone", "skipped"):
        done = "taken back" if lease.state == "undone" else "skipped"
        raise AnswerRefused(f"Question {lease.sequence} was {done} with this token; ask for it again.")
