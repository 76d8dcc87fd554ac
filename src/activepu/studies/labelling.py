"""What experts do with a study: ask for questions, answer them, skip them, take answers back."""

from __future__ import annotations

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput, StorageFailed
from activepu.learners import Learner
from activepu.pools import Pool
from activepu.run import Run, RunAgain
from activepu.studies.desk import Desk
from activepu.studies.leased import Leased, shown, token_of
from activepu.studies.shared_run import SharedRun, Writer
from activepu.studies.storage import Storage, events, experts, leases
from activepu.studies.storage.catalogue import StoredStudy
from activepu.studies.storage.leases import Held


class Labelling:
    """The half of a `Study` that experts use; every change is one transaction that holds the study's row."""

    def __init__(self, storage: Storage, stored: StoredStudy, pool: Pool, learner: Learner) -> None:
        self.name = stored.name
        self.pool = pool
        self.learner = learner
        self.settings = stored.settings
        self.storage = storage
        self.key = stored.key
        self._ids = pool.ids
        self._shared = SharedRun(storage, stored.key, self._new_run)
        self._handed: set[str] = set()
        self._in_doubt: dict[str, str] = {}
        """The token that each expert would have now, if their last undo was made, of which this is not known."""

    def ask(self, expert: str, n: int = 1) -> list[Leased]:
        """Lease up to n questions to an expert; nobody else gets these items.

        First come questions that the expert holds and did not get from this process, because another process died for
        instance. Then come questions whose lease to another expert has ended, the oldest first, then new ones. An
        expert who is at the limit, or who waits for the answers of others, gets the questions that they hold.

        Parameters
        ----------
        expert : str
            Who will answer. An expert is known to the study from their first `ask` on.
        n : int
            How many questions at most. An expert holds at most `open_per_expert` questions of the study, or `n` if
            that is more.

        Returns
        -------
        list of Leased
            Empty if nothing is left to ask, or if the next question depends on answers that others still owe:
            `status` says which.

        Raises
        ------
        AssumptionsViolated
            The answers contradict each other, so that no hypothesis is left. `undo` can take one back.
        StorageFailed
            The database is busy, full, read-only or gone. The message says whether anything was changed.
        """
        expert = checks.name("expert", expert)
        checks.count("n", n, minimum=1)
        with self.storage.write(self.key, durable=False) as transaction:  # a lease may be lost, an answer may not
            desk = Desk(transaction)
            expert = desk.join(expert)
            held = desk.held(expert)
            leased = [question for question in held if question.token not in self._handed][:n]
            room = min(n - len(leased), max(n, self.settings["open_per_expert"]) - len(held))
            if room > 0:
                taken = desk.take(expert, room, self.settings["lease_seconds"])
                leased, room = leased + taken, room - len(taken)
        if room > 0:
            try:
                while room > 0 and (put := self._shared.put(expert, room, self.settings["lease_seconds"])):
                    leased, room = leased + put, room - len(put)
            except Exception:
                if not leased:  # the expert keeps what they got, even if the learner cannot choose more
                    raise
        leased = leased or held[:n]
        self._handed.update(question.token for question in leased)
        return self._shown(expert, leased)

    def open(self, expert: str) -> list[Leased]:
        """Return the questions that an expert holds now, the oldest first.

        Parameters
        ----------
        expert : str
            Who asked for them.

        Returns
        -------
        list of Leased
            Questions whose lease has ended are not among them.
        """
        expert = checks.name("expert", expert)
        with self.storage.read(self.key) as reading:
            expert = experts.spelled(reading, expert)
            held = leases.held(reading, expert)
        return self._shown(expert, held)

    def tell(self, token: str | Leased, answer: bool, expert: str | None = None, key: str | None = None) -> None:
        """Record an answer. It is on the disk when this returns.

        The same answer sent twice counts once. An answer after the end of the lease counts if nobody else answered.

        Parameters
        ----------
        token : str or Leased
            The token of the question, or the question itself.
        answer : bool
            True for *yes* (the positive is revealed), False for *can't tell*.
        expert : str, optional
            Who answers. If given, it must be the expert to whom the question was leased.
        key : str, optional
            A text that no other change of the study has. A call that is repeated with its key changes nothing and
            returns what the first one returned.

        Raises
        ------
        AnswerRefused
            The token is unknown or somebody else's, or the question was answered, withdrawn or taken back.
        InvalidInput
            The answer is not a bool.
        StorageFailed
            The database is busy, full, read-only or gone. The message says whether anything was changed.
        """
        if not isinstance(answer, (bool, np.bool_)):
            raise InvalidInput(
                f"An answer is True (revealed) or False (can't tell), got {answer!r}; or use skip(token)."
            )
        key, expert = checks.key(key), None if expert is None else checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            desk = Desk(transaction)
            once = desk.once(key, "tell", token_of(token), bool(answer))
            if once.done:
                return
            lease = desk.find(token_of(token), expert)
            if desk.accept(lease, bool(answer)):
                events.append(transaction, "answer", lease.sequence, lease.item, lease.expert, int(answer))
            once.keep()

    def skip(self, token: str | Leased, expert: str | None = None, key: str | None = None) -> None:
        """Pass a question on to the other experts. It goes back to the pool once everyone has skipped it.

        A skip must not depend on what the item is, or the certificate is false. For an item that is hard to judge the
        answer is *can't tell*. The same skip sent twice counts once.

        Parameters
        ----------
        token : str or Leased
            The token of the question, or the question itself.
        expert : str, optional
            Who skips. If given, it must be the expert to whom the question was leased.
        key : str, optional
            A text that no other change of the study has. A call that is repeated with its key changes nothing and
            returns what the first one returned.

        Raises
        ------
        AnswerRefused
            The token is unknown or somebody else's, or the question was answered, withdrawn or taken back.
        """
        key, expert = checks.key(key), None if expert is None else checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            desk = Desk(transaction)
            once = desk.once(key, "skip", token_of(token))
            if once.done:
                return
            lease = desk.find(token_of(token), expert)
            new, everyone = desk.skip(lease)
            if new:
                events.append(transaction, "skip", lease.sequence, lease.item, lease.expert)
            if everyone:
                events.append(transaction, "withdraw", lease.sequence, lease.item)
            once.keep()

    def undo(self, expert: str, key: str | None = None) -> Leased:
        """Take back the last answer of an expert, or their last skip if nobody else has the question now.

        Later questions stay as they are. If the database was lost while an undo was saved, and nobody knows whether it
        was, the same call on this object, made again, takes back no second answer. From another process pass a `key`.

        Parameters
        ----------
        expert : str
            Whose answer or skip it is.
        key : str, optional
            A text that no other change of the study has. A call that is repeated with its key changes nothing and
            returns what the first one returned.

        Returns
        -------
        Leased
            The question, open again and leased to this expert with a new token.

        Raises
        ------
        InvalidInput
            There is nothing to take back, or a later phase of the learner already rests on the answer.
        """
        key, expert = checks.key(key), checks.name("expert", expert)
        self.run()
        held: Held | None = None
        try:
            with self._shared.changing() as (desk, writer, run):
                expert = desk.spelled(expert)
                once = desk.once(key, "undo", expert)
                held = Held(*once.returned) if once.done else self._undone_before(desk, expert)
                if held is None:
                    held = self._take_back(desk, writer, run, expert)
                if not once.done:
                    once.keep(held)
        except StorageFailed as error:
            if error.in_doubt and held is not None:
                self._in_doubt[expert] = held.token
            raise
        self._in_doubt.pop(expert, None)
        return self._shown(expert, [held])[0]

    def _undone_before(self, desk: Desk, expert: str) -> Held | None:
        """Return the question that an undo in doubt gave to the expert, if they have it: then it was made."""
        token = self._in_doubt.get(expert)
        held = desk.held(expert) if token is not None else ()
        return next((question for question in held if question.token == token), None)

    def _take_back(self, desk: Desk, writer: Writer, run: Run, expert: str) -> Held:
        last = desk.last_move(expert)
        if last is None:
            raise InvalidInput(f"There is no answer by {expert!r} to take back.")
        question = run.questions[last.sequence]
        if question.answer is not None:
            run.check_undo(question)
            writer.append("undo", last.sequence, last.item, expert)
        if last.kind == "skip":
            writer.append("unskip", last.sequence, last.item, expert)
        writer.ahead = True
        desk.take_back(last)
        return desk.lease(last.sequence, last.item, expert, self.settings["lease_seconds"])

    def leave(self, expert: str) -> None:
        """Say that an expert will not come back: their questions go to the others, and nobody waits for their skip.

        Parameters
        ----------
        expert : str
            Who leaves. Their answers stay.

        Raises
        ------
        InvalidInput
            Nobody of this name has been asked in this study.
        """
        expert = checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            for sequence in Desk(transaction).leave(expert):
                events.append(transaction, "withdraw", sequence)

    def release(self, expert: str) -> None:
        """Say that an expert pauses: the questions that they hold go to the next expert who asks.

        Parameters
        ----------
        expert : str
            Who pauses.
        """
        expert = checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            desk = Desk(transaction)
            desk.release(desk.spelled(expert))

    def run(self) -> Run:
        """Return the run, up to the last event that was committed.

        Returns
        -------
        Run
            For reading only: ask the study, not the run, for questions, or they are not recorded.
        """
        return self._shared.run()

    def _new_run(self) -> Run:
        return RunAgain(self.learner, self.pool, self.settings["positives"], self.settings["seed"])

    def _shown(self, expert: str, held: list[Held]) -> list[Leased]:
        return shown(self.pool, self._ids, expert, held)
