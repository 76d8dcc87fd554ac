"""What experts do with a study: ask for questions, answer them, skip them, take answers back."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput, StorageFailed
from activepu.learners import Learner
from activepu.pools import Pool
from activepu.run import Run, RunAgain
from activepu.studies.desk import Desk, Terms
from activepu.studies.fingerprints import in_time
from activepu.studies.leased import Leased, leased, token_of
from activepu.studies.shared_run import WAIT_SECONDS, SharedRun, Writer
from activepu.studies.storage import Storage, Transaction, choosing, experts, leases
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
        deadline = self.settings["deadline"]
        self._terms = Terms(math.inf if deadline is None else deadline, not learner.allows_timeouts)
        self._shared = SharedRun(storage, stored.key, self._new_run, self._terms)
        self._handed: set[str] = set()
        self._in_doubt: dict[str, str] = {}
        """The token that each expert would have now, if their last undo was made, of which this is not known."""

    def ask(self, expert: str, n: int = 1, shown: bool = True) -> list[Leased]:
        """Lease up to n questions to an expert; nobody else gets these items.

        First come questions that the expert holds and did not get from this process, because another process died for
        instance. Then come questions that went back because their expert was not shown them in time, the oldest first,
        then new ones. An expert who is at the limit, or who waits for the answers of others, gets the questions that
        they hold.

        Parameters
        ----------
        expert : str
            Who will answer. An expert is known to the study from their first `ask` on.
        n : int
            How many questions at most. An expert holds at most `open_per_expert` questions of the study, or `n` if
            that is more.
        shown : bool
            Whether the expert sees the questions now. They are theirs from this moment on: each ends with their answer
            or at its deadline. If False, the questions were fetched ahead; call `shown` when each is displayed.

        Returns
        -------
        list of Leased
            Empty if nothing is left to ask, or if no further question would be of use before others have answered:
            `status` says whose answers are missing.

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
            desk = self._desk(transaction)
            expert = desk.join(expert)
            desk.end_what_lapsed()
            held = desk.held(expert)
            found = [question for question in held if question.token not in self._handed][:n]
            room = min(n - len(found), max(n, self.settings["open_per_expert"]) - len(held))
            found += desk.take(expert, room) if room > 0 else []
            room = min(room, n - len(found))
            if not found and room <= 0:
                found = held[:n]
            found = [desk.show(question, expert) for question in found] if shown else found
            turn = self._turn(transaction, expert, room)
        try:
            while room > 0:
                if turn:
                    new, room = self._shared.choose(expert, shown)
                    turn = False
                else:
                    self._shared.wait(expert)
                    new, room, turn = self._served(expert, shown)
                found += new
        except Exception:
            if not found:  # the expert keeps what they got, even if the learner cannot choose more
                raise
        if not found:
            found = [question for question in self._held(expert) if question.shown or not shown][:n]
        self._handed.update(question.token for question in found)
        return self._leased(expert, found)

    def _turn(self, transaction: Transaction, expert: str, n: int) -> bool:
        """Say that an expert waits for n questions; return whether it is the turn of this process to choose them."""
        if n <= 0:
            return False
        choosing.want(transaction, expert, n, WAIT_SECONDS)
        return choosing.begin(transaction, self._shared.process, self._shared.patience, self._shared.head)

    def _served(self, expert: str, shown: bool) -> tuple[list[Held], int, bool]:
        """Return what others chose for an expert, how many they still wait for, and whether it is our turn now."""
        with self.storage.write(self.key, durable=False) as transaction:
            desk = self._desk(transaction)
            new = [question for question in desk.held(expert) if not question.shown]
            new = [question for question in new if question.token not in self._handed]
            new = [desk.show(question, expert) for question in new] if shown else new
            self._handed.update(question.token for question in new)
            room = choosing.wanted(transaction, expert)
            turn = self._turn(transaction, expert, room)
        if not new and not room and (failure := self.run().failure):
            raise failure
        return new, room, turn

    def shown(self, token: str | Leased) -> float:
        """Say that an expert sees a question that was fetched ahead with ``ask(…, shown=False)``.

        From this moment on it is theirs: it never goes to another expert, and ends with their answer or at its
        deadline. A question that had gone back in the meantime comes back, unless somebody else was shown it.

        Parameters
        ----------
        token : str or Leased
            The token of the question, or the question itself.

        Returns
        -------
        float
            The deadline, in seconds since 1970 on the database's clock; infinite without one.

        Raises
        ------
        AnswerRefused
            The token is unknown, or the question is not the expert's any more: do not show it.
        """
        with self.storage.write(self.key, durable=False) as transaction:
            desk = self._desk(transaction)
            return desk.display(desk.find(token_of(token), None))

    def open(self, expert: str) -> list[Leased]:
        """Return the questions that an expert holds now, the oldest first.

        Parameters
        ----------
        expert : str
            Who asked for them.

        Returns
        -------
        list of Leased
            Questions whose time is over are not among them.
        """
        expert = checks.name("expert", expert)
        with self.storage.read(self.key) as reading:
            expert = experts.spelled(reading, expert)
        return self._leased(expert, self._held(expert))

    def tell(self, token: str | Leased, answer: bool, expert: str | None = None, key: str | None = None) -> bool:
        """Record an answer. It is on the disk when this returns.

        The same answer sent twice counts once. After the deadline a *yes* still shows `ZCal` that the item is positive,
        and nothing else; a *can't tell* then adds nothing.

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

        Returns
        -------
        bool
            Whether it came in time.

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
            desk = self._desk(transaction)
            once = desk.once(key, "tell", token_of(token), bool(answer))
            if once.done:
                return once.returned is not False
            in_time = desk.accept(desk.find(token_of(token), expert), bool(answer))
            once.keep(in_time)
        return in_time

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
            desk = self._desk(transaction)
            once = desk.once(key, "skip", token_of(token))
            if once.done:
                return
            desk.skip(desk.find(token_of(token), expert))
            once.keep()

    def undo(self, expert: str, key: str | None = None) -> Leased:
        """Take back the last answer of an expert, or their last skip if nobody else was shown the question since.

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
            The question, open again and leased to this expert with a new token and a new deadline. If a *yes* came
            after the deadline, it is taken back, and the question remains over.

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
        self._handed.add(held.token)
        return self._leased(expert, [held])[0]

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
        return desk.take_back(last, expert)

    def leave(self, expert: str) -> None:
        """Say that an expert will not come back.

        What they were shown and did not answer ends, as at its deadline. What they were not shown goes to the others,
        and nobody waits for their skip.

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
            self._desk(transaction).leave(expert)

    def release(self, expert: str, shown: bool = False) -> None:
        """Put back the questions that an expert holds and was not shown; they go to the next expert who asks.

        Parameters
        ----------
        expert : str
            Who pauses.
        shown : bool
            Whether the questions that they were shown end now, as at their deadlines, so that nobody waits for them.
        """
        expert = checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            desk = self._desk(transaction)
            desk.release(desk.spelled(expert), shown)

    def run(self) -> Run:
        """Return the run, up to the last event that was committed.

        Returns
        -------
        Run
            For reading only: ask the study, not the run, for questions, or they are not recorded.
        """
        return self._shared.run()

    def _new_run(self) -> Run:
        learner = in_time(self.learner, self.settings["deadline"], self.settings["rate_in_time"])
        return RunAgain(learner, self.pool, self.settings["positives"], self.settings["seed"])

    def _desk(self, transaction: Transaction) -> Desk:
        return Desk(transaction, self._terms)

    def _end_what_lapsed(self) -> None:
        """End the questions whose deadline is over, if there are any and the database can be written to."""
        with self.storage.read(self.key) as reading:
            lapsed = leases.lapsed(reading)
        if lapsed:
            with suppress(StorageFailed), self.storage.write(self.key, durable=False) as transaction:
                self._desk(transaction).end_what_lapsed()

    def _held(self, expert: str) -> list[Held]:
        with self.storage.read(self.key) as reading:
            return leases.held(reading, expert)

    def _leased(self, expert: str, held: list[Held]) -> list[Leased]:
        return leased(self.pool, self._ids, expert, held)
