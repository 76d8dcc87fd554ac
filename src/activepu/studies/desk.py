"""Who gets which question, and which answers count.

A question is open, answered or withdrawn. An open one is leased to at most one expert at a time. When a lease ends, the
question goes back into the queue, and the next expert who asks gets it, the oldest first. The first answer to an open
question counts, late or not.
"""

from __future__ import annotations

import secrets
from typing import Any

from activepu.checks import folded
from activepu.errors import AnswerRefused, InvalidInput
from activepu.studies.storage import Transaction, experts, leases
from activepu.studies.storage.experts import LastMove
from activepu.studies.storage.keys import Once
from activepu.studies.storage.leases import Held, Lease


class Desk:
    """The leases of one study, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def once(self, key: str | None, *change: Any) -> Once:
        """Return a change that is made once if it has a key, in plain values."""
        return Once(self._transaction, key, *change)

    def spelled(self, expert: str) -> str:
        """Return an expert's name as the study saw it first."""
        return experts.spelled(self._transaction, expert)

    def join(self, expert: str) -> str:
        """Make an expert known; return their name as the study saw it first."""
        expert = self.spelled(expert)
        experts.join(self._transaction, expert)
        return expert

    def leave(self, expert: str) -> list[int]:
        """Forget an expert, whose questions go to the others; return those that all others have skipped."""
        there, expert = experts.names(self._transaction), self.spelled(expert)
        if expert not in there:
            names = ", ".join(map(repr, there)) or "nobody"
            raise InvalidInput(f"Nobody called {expert!r} has been asked in this study; there are: {names}.")
        self.release(expert)
        experts.leave(self._transaction, expert)
        return self._withdraw_what_everyone_skipped()

    def release(self, expert: str) -> None:
        """Put what this expert holds back into the queue."""
        for question in self.held(expert):
            leases.requeue(self._transaction, question.sequence, "ended")

    def held(self, expert: str) -> list[Held]:
        """Return the open questions that are leased to this expert, the oldest first."""
        return leases.held(self._transaction, expert)

    def take(self, expert: str, n: int, seconds: float) -> list[Held]:
        """Lease up to n questions of the queue to this expert, the oldest first.

        Those that they skipped, and those about an item that they were asked before, are left to the others.
        """
        for sequence in leases.expired(self._transaction):
            leases.requeue(self._transaction, sequence, "ended")
        queue = leases.queue(self._transaction, expert, n)
        return [self.lease(sequence, item, expert, seconds) for sequence, item in queue]

    def lease(self, sequence: int, item: int, expert: str, seconds: float) -> Held:
        """Lease a question that nobody has to an expert, with a new token."""
        return leases.hand_over(self._transaction, sequence, item, expert, _new_token(sequence), seconds)

    def add(self, sequence: int, item: int, expert: str, seconds: float) -> Held:
        """Add a new question, leased to the expert who asked for it."""
        return leases.add(self._transaction, sequence, item, expert, _new_token(sequence), seconds)

    def slip(self, sequence: int, expert: str) -> str:
        """Return a token with which this expert can answer a question that stays with its holder."""
        token = _new_token(sequence)
        leases.slip(self._transaction, sequence, expert, token)
        return token

    def find(self, token: str, expert: str | None) -> Lease:
        """Return what this token stands for; refuse one that is unknown or somebody else's."""
        sequence = _sequence_of(token)
        lease = None if sequence is None else leases.find(self._transaction, sequence, token)
        if lease is None:
            raise AnswerRefused(f"No question of this study has the token {token!r}; take it from study.ask(expert).")
        if expert is not None and folded(expert) != folded(lease.expert):
            raise AnswerRefused(
                f"Question {sequence} with this token was put to {lease.expert!r}, not to {expert!r}; "
                "answer your own questions."
            )
        return lease

    def accept(self, lease: Lease, answer: bool) -> bool:
        """Take an answer and return whether it is new; refuse it where the question is not open for it."""
        if lease.is_answer:
            if lease.answer == int(answer):
                return False
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(lease.answer)}, and {answer} differs; "
                f"take the first answer back with undo({lease.expert!r})."
            )
        _refuse_if_closed(lease)
        if lease.state is not None and experts.has_skipped(self._transaction, lease.sequence, lease.expert):
            raise AnswerRefused(f"Question {lease.sequence} was skipped by {lease.expert!r}; take the skip back first.")
        leases.answer(self._transaction, lease, answer)
        return True

    def skip(self, lease: Lease) -> tuple[bool, bool]:
        """Take a skip; return whether it is new, and whether everyone has skipped the question, which withdraws it."""
        if lease.state == "skipped":
            return False, False
        if lease.is_answer:
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(lease.answer)} and cannot be skipped; "
                f"take the answer back with undo({lease.expert!r})."
            )
        _refuse_if_closed(lease)
        if lease.state is None:
            leases.requeue(self._transaction, lease.sequence, "skipped")
        else:
            if lease.holder == lease.expert:  # they have it again, with another token
                leases.requeue(self._transaction, lease.sequence, "ended")
            leases.mark(self._transaction, lease.sequence, lease.token, "skipped")
        return True, lease.sequence in self._withdraw_what_everyone_skipped()

    def skips(self) -> set[tuple[int, str]]:
        """Return who skipped which question, as pairs (sequence, expert)."""
        return experts.skips(self._transaction)

    def _withdraw_what_everyone_skipped(self) -> list[int]:
        """Withdraw the open questions that everyone skipped who did not answer about the same item before."""
        everyone = set(experts.names(self._transaction))
        skipped, answered = experts.open_skips(self._transaction), experts.answered_before(self._transaction)
        gone = sorted(
            sequence
            for sequence in skipped.keys() | answered.keys()
            if skipped.get(sequence, set()) | answered.get(sequence, set()) >= everyone
        )
        for sequence in gone:
            leases.withdraw(self._transaction, sequence)
        return gone

    def last_move(self, expert: str) -> LastMove | None:
        """Return what this expert can take back."""
        return experts.last_move(self._transaction, expert)

    def take_back(self, move: LastMove) -> None:
        """Undo an answer or skip; its token is used up, so that a repeated message is no answer."""
        if move.kind == "answer":
            leases.requeue(self._transaction, move.sequence, "undone")
        else:
            assert move.skipped is not None
            leases.requeue(self._transaction, move.sequence, "ended")
            leases.mark(self._transaction, move.sequence, move.skipped, "undone")


def _new_token(sequence: int) -> str:
    """Return a token that nobody can guess, and that names its question."""
    return f"{sequence}-{secrets.token_urlsafe(16)}"


def _sequence_of(token: str) -> int | None:
    """Return the question that a token names; None if it names none."""
    number = token.partition("-")[0] if isinstance(token, str) and token.isascii() and token.isprintable() else ""
    return int(number) if number.isdigit() and len(number) < 10 else None


def _refuse_if_closed(lease: Lease) -> None:
    if lease.question != "open":
        who = f"was answered by {lease.holder!r}" if lease.question == "answered" else "was withdrawn"
        raise AnswerRefused(f"Question {lease.sequence} {who} in the meantime; ask for the next one.")
    if lease.state in ("undone", "skipped"):
        done = "taken back" if lease.state == "undone" else "skipped"
        raise AnswerRefused(f"Question {lease.sequence} was {done} with this token; ask for it again.")
