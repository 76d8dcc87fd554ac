"""Who gets which question, and which answers count.

A question is open, answered, over or withdrawn. An open one is leased to at most one expert at a time. It belongs to
the first expert who was *shown* it, and ends with their answer or, without one, at its deadline. If it went to somebody
else because the first expert took long, silence would become likelier wherever a yes takes longer than a "can't tell",
and certificates false. A lease of a question that nobody was shown may end, and the next expert who asks gets it, the
oldest first. After the deadline a yes is still true, and is kept.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from activepu.checks import folded
from activepu.errors import AnswerRefused, InvalidInput
from activepu.studies.storage import Transaction, events, experts, leases
from activepu.studies.storage.experts import LastMove
from activepu.studies.storage.keys import Once, digest, digest_in_parts
from activepu.studies.storage.leases import Held, Lease, Over

UNSEEN_SECONDS = 120.0
"""So long an expert keeps a question that they were not shown."""


@dataclass(frozen=True)
class Terms:
    """Until when questions are whose.

    Attributes
    ----------
    seconds : float
        From the moment at which an expert is shown a question to its deadline; infinite without deadlines.
    passes_on : bool
        Whether a question goes to another expert at its deadline, because the learner needs an answer to every one.
    """

    seconds: float
    passes_on: bool = False


class Desk:
    """The leases of one study, within one transaction. It records what becomes of questions."""

    def __init__(self, transaction: Transaction, terms: Terms, record: Callable[..., None] | None = None) -> None:
        """Events are written at once, unless somebody else is to `record` them."""
        self._transaction = transaction
        self._terms = terms
        self._record = record or partial(events.append, transaction)

    def once(self, key: str | None, *change: Any) -> Once:
        """Return a change that is made once if it has a key, in plain values."""
        return Once(self._transaction, key, lambda: digest(*change))

    def once_in_parts(self, key: str | None, what: str, parts: Iterable[Sequence[Any]]) -> Once:
        """Return a change of many rows, as `once` does."""
        return Once(self._transaction, key, lambda: digest_in_parts(what, parts))

    def spelled(self, expert: str) -> str:
        """Return an expert's name as the study saw it first."""
        return experts.spelled(self._transaction, expert)

    def join(self, expert: str) -> str:
        """Make an expert known; return their name as the study saw it first."""
        expert = self.spelled(expert)
        experts.join(self._transaction, expert)
        return expert

    def leave(self, expert: str) -> None:
        """Forget an expert. What they were shown is over, the rest goes to the others."""
        there, expert = experts.names(self._transaction), self.spelled(expert)
        if expert not in there:
            names = ", ".join(map(repr, there)) or "nobody"
            raise InvalidInput(f"Nobody called {expert!r} has been asked in this study; there are: {names}.")
        self.release(expert, shown=True)
        experts.leave(self._transaction, expert)
        self._record("leave", expert=expert)
        self.withdraw_what_everyone_skipped()

    def release(self, expert: str, shown: bool) -> None:
        """Put back what this expert holds and was not shown; if `shown`, what they were shown is over."""
        for held in leases.held_or_lapsed(self._transaction, expert):
            if shown or not held.shown:
                self._give_up(held.sequence, held.item, expert, held.shown)

    def end_what_lapsed(self) -> None:
        """Put back what experts did not look at in time; what they were shown and did not answer in time is over."""
        for question in leases.lapsed(self._transaction):
            self._give_up(*question)

    def _give_up(self, sequence: int, item: int, expert: str, shown: bool) -> None:
        """End a lease without an answer."""
        if not shown or self._terms.passes_on:
            leases.requeue(self._transaction, sequence, _ended(shown))
        else:
            leases.close(self._transaction, sequence)
            self._record("timeout", sequence, item, expert)

    def time_out(self, sequence: int, item: int, expert: str) -> None:
        """End a question that an expert was shown elsewhere, and did not answer in time."""
        self._give_up(sequence, item, expert, True)

    def come_late(self, sequence: int) -> None:
        """Keep a yes of the expert who did not answer this question in time; they said it elsewhere."""
        self._take_late(self.find(leases.token(self._transaction, sequence), None), True)

    def held(self, expert: str) -> list[Held]:
        """Return the open questions that are leased to this expert, the oldest first."""
        return leases.held(self._transaction, expert)

    def take(self, expert: str, n: int) -> list[Held]:
        """Lease up to n questions of the queue to this expert, the oldest first.

        Those that they skipped, and those about an item that they were asked before, are left to the others.
        """
        queue = leases.queue(self._transaction, expert, n)
        return [
            leases.lend(self._transaction, number, item, expert, _new_token(number), UNSEEN_SECONDS, False)
            for number, item in queue
        ]

    def lend(self, sequence: int, item: int, expert: str) -> Held:
        """Give a question that an expert was shown back to them, with a new token and a new deadline."""
        token = _new_token(sequence)
        return leases.lend(self._transaction, sequence, item, expert, token, self._terms.seconds, True)

    def add(self, sequence: int, item: int, expert: str, shown: bool = False) -> Held:
        """Add a new question, leased to the expert for whom it was chosen, or who has answered it elsewhere."""
        return leases.add(self._transaction, sequence, item, expert, _new_token(sequence), UNSEEN_SECONDS, shown)

    def show(self, held: Held, expert: str) -> Held:
        """Note that an expert was shown a question that they hold; from now on it is theirs."""
        if held.shown:
            return held
        self._record("shown", held.sequence, held.item, expert)
        return leases.show(self._transaction, held, self._terms.seconds)

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

    def display(self, lease: Lease) -> float:
        """Note that the expert is shown the question of a lease; return its deadline. Refuse it if it is not theirs."""
        held = Held(lease.sequence, lease.item, lease.token, lease.expires, lease.shown)
        self._refuse_if_closed(lease)
        if lease.is_theirs:
            return lease.expires
        if lease.state is not None:  # it went back because it was not displayed for long
            held = leases.lend_again(self._transaction, lease, UNSEEN_SECONDS)
        return self.show(held, lease.expert).expires

    def accept(self, lease: Lease, answer: bool) -> bool:
        """Take an answer and return whether it came in time; refuse it where the question is not open for it."""
        if lease.is_answer:
            if lease.answer == int(answer):
                return True
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(lease.answer)}, and {answer} differs; "
                f"take the first answer back with undo({lease.expert!r})."
            )
        if self._is_over(lease):
            self._take_late(lease, answer)
            return False
        self._refuse_if_closed(lease)
        if lease.state is not None and experts.has_skipped(self._transaction, lease.sequence, lease.expert):
            raise AnswerRefused(f"Question {lease.sequence} was skipped by {lease.expert!r}; take the skip back first.")
        if not lease.is_theirs:  # who answers has seen it
            self._record("shown", lease.sequence, lease.item, lease.expert)
        leases.answer(self._transaction, lease, answer)
        self._record("answer", lease.sequence, lease.item, lease.expert, int(answer))
        return True

    def _is_over(self, lease: Lease) -> bool:
        """Return whether the question of a lease was not answered before its deadline, and end it if that is new."""
        if lease.state is not None or self._terms.passes_on:
            return False
        if lease.question == "open" and lease.shown and lease.lapsed:
            self._give_up(lease.sequence, lease.item, lease.expert, True)
            return True
        return lease.question == "over"

    def _take_late(self, lease: Lease, answer: bool) -> None:
        """Keep a yes that came after the deadline, once; a "can't tell" adds nothing then."""
        if answer and lease.answer is None:
            leases.late(self._transaction, lease.sequence, lease.token, True)
            self._record("late", lease.sequence, lease.item, lease.expert)

    def skip(self, lease: Lease) -> bool:
        """Take a skip; return whether everyone has skipped the question now, which withdraws it."""
        return self.pass_on(lease) and lease.sequence in self.withdraw_what_everyone_skipped()

    def pass_on(self, lease: Lease) -> bool:
        """Take a skip, and leave it to the caller to withdraw the question; return whether the skip is new.

        After the deadline a skip adds nothing.
        """
        if lease.state == "skipped" or self._is_over(lease):
            return False
        if lease.is_answer:
            raise AnswerRefused(
                f"Question {lease.sequence} was already answered with {bool(lease.answer)} and cannot be skipped; "
                f"take the answer back with undo({lease.expert!r})."
            )
        self._refuse_if_closed(lease)
        if lease.state is None:
            leases.requeue(self._transaction, lease.sequence, "skipped")
        else:
            if lease.holder == lease.expert:  # they have it again, with another token
                leases.requeue(self._transaction, lease.sequence, _ended(lease.shown))
            leases.mark(self._transaction, lease.sequence, lease.token, "skipped")
        self._record("skip", lease.sequence, lease.item, lease.expert)
        return True

    def skips(self) -> set[tuple[int, str]]:
        """Return who skipped which question, as pairs (sequence, expert)."""
        return experts.skips(self._transaction)

    def withdraw_what_everyone_skipped(self) -> list[int]:
        """Withdraw the open questions that everyone skipped who did not answer about the same item before."""
        gone = []
        everyone = self.experts()
        skipped, answered = experts.open_skips(self._transaction), experts.answered_before(self._transaction)
        for sequence in sorted(skipped.keys() | answered.keys()):
            if skipped.get(sequence, set()) | answered.get(sequence, set()) >= everyone:
                self.withdraw(sequence)
                gone.append(sequence)
        return gone

    def withdraw(self, sequence: int) -> None:
        """Close a question that everyone has skipped."""
        leases.withdraw(self._transaction, sequence)
        self._record("withdraw", sequence)

    def experts(self) -> set[str]:
        """Return the experts who have joined and not left."""
        return set(experts.names(self._transaction))

    def add_answered(self, answered: Sequence[tuple[int, int, str, bool]]) -> None:
        """Add new questions (sequence, item, expert, answer) that were answered elsewhere; the caller records them."""
        rows = [(number, item, expert, int(said), _new_token(number)) for number, item, expert, said in answered]
        leases.add_answered(self._transaction, rows, UNSEEN_SECONDS)

    def last_move(self, expert: str) -> LastMove | None:
        """Return what this expert can take back."""
        return experts.last_move(self._transaction, expert)

    def take_back(self, move: LastMove, expert: str) -> Held:
        """Undo an answer or skip; its token is used up, so that a repeated message is no answer."""
        if move.kind == "late":
            leases.end(self._transaction, move.sequence, "undone")
            token = _new_token(move.sequence)
            leases.late(self._transaction, move.sequence, token, False)
            return Held(move.sequence, move.item, token, 0.0, True)
        if move.kind == "answer":
            leases.requeue(self._transaction, move.sequence, "undone")
        else:
            assert move.skipped is not None
            leases.requeue(self._transaction, move.sequence, "unseen")
            leases.mark(self._transaction, move.sequence, move.skipped, "undone")
        return self.lend(move.sequence, move.item, expert)

    def _refuse_if_closed(self, lease: Lease) -> None:
        if lease.question != "open":
            who = f"was answered by {lease.holder!r}" if lease.question == "answered" else "was withdrawn"
            who = f"ended without an answer by {lease.holder!r}" if lease.question == "over" else who
            raise AnswerRefused(f"Question {lease.sequence} {who} in the meantime; ask for the next one.")
        if lease.state in ("undone", "skipped"):
            done = "taken back" if lease.state == "undone" else "skipped"
            raise AnswerRefused(f"Question {lease.sequence} was {done} with this token; ask for it again.")
        if lease.state == "unseen" and lease.shown and not lease.is_theirs:
            raise AnswerRefused(
                f"Question {lease.sequence} went to {lease.holder!r} before it was shown here; ask for the next one."
            )


def _ended(shown: bool) -> Over:
    return "ended" if shown else "unseen"


def _new_token(sequence: int) -> str:
    """Return a token that nobody can guess, and that names its question."""
    return f"{sequence}-{secrets.token_urlsafe(16)}"


def _sequence_of(token: str) -> int | None:
    """Return the question that a token names; None if it names none."""
    number = token.partition("-")[0] if isinstance(token, str) and token.isascii() and token.isprintable() else ""
    return int(number) if number.isdigit() and len(number) < 10 else None
