"""A study: a pool, a learner and the answers so far, durable in a database and shared by several experts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Self

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput, StudyDiffers
from activepu.learners import Learner
from activepu.pools import Pool
from activepu.pools.frames import row_of
from activepu.records import Answer
from activepu.result import Result
from activepu.run import Run, moves
from activepu.studies import fingerprints
from activepu.studies.desk import Desk
from activepu.studies.intake import take_in
from activepu.studies.shared_run import SharedRun
from activepu.studies.status import Status, status_of
from activepu.studies.storage import Storage, catalogue, events, experts, leases
from activepu.studies.storage.catalogue import StoredStudy
from activepu.studies.storage.leases import Held

OPEN_PER_EXPERT = 2
LEASE_SECONDS = 900.0
PASSED_ON = (
    "a question that went from one expert to another did so for a reason that has nothing to do with its answer (which "
    "is false where a yes takes longer than a lease)"
)


@dataclass(frozen=True)
class Leased:
    """A question in somebody's hands: answer it with `study.tell(question.token, True)`."""

    token: str
    number: int
    item: int
    id: Any
    row: Any = field(repr=False)
    expert: str
    expires: float


class Study:
    """Made by `Study.create` or `Study.load`."""

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

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        pool: Any,
        learner: Learner,
        seed: int = 0,
        positives: Sequence[int] = (),
        open_per_expert: int = OPEN_PER_EXPERT,
        lease_seconds: float = LEASE_SECONDS,
    ) -> Study:
        """A new study; the learner and the pool are checked before anything is written.

        `positives` are the row numbers of items that are known to be positive.
        """
        checks.name("name", name)
        pool = fingerprints.checked_pool(pool, learner)
        Run(learner, pool, positives, seed)
        settings = {
            "pool": fingerprints.of_pool(pool),
            "learner": fingerprints.of_learner(learner),
            "says": fingerprints.of_code(learner, pool),
            "positives": np.atleast_1d(np.asarray(positives, np.int64)).tolist(),
            "seed": int(seed),
            "open_per_expert": checks.count("open_per_expert", open_per_expert, minimum=1),
            "lease_seconds": _seconds(lease_seconds),
            "activepu": metadata.version("activepu"),
        }
        storage = Storage(url)
        try:
            return cls(storage, catalogue.add(storage, name, settings), pool, learner)
        except BaseException:
            storage.close()
            raise

    @classmethod
    def load(
        cls, url: str, name: str, pool: Any = None, learner: Learner | None = None, seed: int | None = None
    ) -> Study:
        """A study as it was left; what JSON cannot hold is passed again, and must be what it was.

        A path as `pool` says where the table is now.
        """
        checks.name("name", name)
        storage = Storage(url, must_exist=True)
        try:
            stored = catalogue.find(storage, name)
            settings = stored.settings
            if seed is not None and seed != settings["seed"]:
                raise StudyDiffers(f"The study was made with seed = {settings['seed']}, but {seed!r} was passed.")
            made = fingerprints.learner_again(settings["learner"], learner)
            table = fingerprints.pool_again(name, settings["pool"], pool, made)
            fingerprints.check_code(settings.get("says"), made, table)
            study = cls(storage, stored, table, made)
            study.run()
        except BaseException:
            storage.close()
            raise
        return study

    def ask(self, expert: str, n: int = 1) -> list[Leased]:
        """Up to n questions, leased to this expert: those whose lease ended first, then new ones.

        What he holds and was never handed to him here, since a process died say, comes first. Whoever holds as many as
        one expert may (two, or n where that is more), and whoever waits for others, gets what he holds again.
        """
        checks.name("expert", expert)
        checks.count("n", n, minimum=1)
        with self.storage.write(self.key, durable=False) as transaction:  # a lease may be lost, an answer may not
            desk = Desk(transaction)
            desk.join(expert)
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
                if not leased:  # what he got is his, whatever keeps the learner from more
                    raise
        leased = leased or held[:n]
        self._handed.update(question.token for question in leased)
        return self._shown(expert, leased)

    def open(self, expert: str) -> list[Leased]:
        """The questions that are in this expert's hands now."""
        checks.name("expert", expert)
        with self.storage.read(self.key) as reading:
            held = leases.held(reading, expert)
        return self._shown(expert, held)

    def tell(self, token: str | Leased, answer: bool, expert: str | None = None) -> None:
        """Takes an answer: True (revealed) or False (can't tell). It is safe once this returns.

        The question itself will do in place of its token.
        """
        if not isinstance(answer, (bool, np.bool_)):
            raise InvalidInput(
                f"An answer is True (revealed) or False (can't tell), got {answer!r}; or use skip(token)."
            )
        with self.storage.write(self.key) as transaction:
            desk = Desk(transaction)
            lease = desk.find(_token(token), expert)
            if desk.accept(lease, bool(answer)):
                events.append(transaction, "answer", lease.sequence, lease.item, lease.expert, int(answer))

    def skip(self, token: str | Leased, expert: str | None = None) -> None:
        """Passes a question on to the others; it must not depend on what the item is."""
        with self.storage.write(self.key) as transaction:
            desk = Desk(transaction)
            lease = desk.find(_token(token), expert)
            new, everyone = desk.skip(lease)
            if new:
                events.append(transaction, "skip", lease.sequence, lease.item, lease.expert)
            if everyone:
                events.append(transaction, "withdraw", lease.sequence, lease.item)

    def undo(self, expert: str) -> Leased:
        """Takes this expert's last answer or skip back: the question is open again, and in his hands."""
        checks.name("expert", expert)
        self.run()
        with self._shared.changing() as (desk, writer, run):
            last = desk.last_move(expert)
            if last is None:
                raise InvalidInput(f"There is no answer by {expert!r} to take back.")
            question = run.questions[last.sequence]
            if question.answer is not None:
                run.check_undo(question)
                writer.append("undo", sequence=last.sequence, item=last.item, expert=expert)
            if last.kind == "skip":
                writer.append("unskip", sequence=last.sequence, item=last.item, expert=expert)
            writer.ahead = True
            desk.take_back(last)
            held = desk.lease(last.sequence, last.item, expert, self.settings["lease_seconds"])
        return self._shown(expert, [held])[0]

    def leave(self, expert: str) -> None:
        """This expert will not come back: his questions go to the others, and nobody waits for his skip."""
        checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            for sequence in Desk(transaction).leave(expert):
                events.append(transaction, "withdraw", sequence)

    def release(self, expert: str) -> None:
        """This expert pauses: what he holds goes to whoever asks next."""
        checks.name("expert", expert)
        with self.storage.write(self.key) as transaction:
            Desk(transaction).release(expert)

    def record(self, answers: Sequence[tuple[int, Answer, str]]) -> int:
        """Takes answers (item, answer, expert) that were collected elsewhere; how many of them were new.

        An answer is True, False or SKIP. An open question about the item is answered by it; an item that has an answer
        keeps the first. They must come in the order of asking or, if none was chosen after the answer to another, in
        any order that does not depend on the answers.
        """
        try:
            rows = [(item, answer, expert) for item, answer, expert in answers]
        except (TypeError, ValueError):
            raise InvalidInput(f"Answers are (item, answer, expert) each, got {answers!r:.80}.") from None
        for item, answer, expert in rows:
            checks.item(item, len(self.pool)), moves.checked(answer), checks.name("expert", expert)
        self.run()
        with self._shared.changing() as (desk, writer, run):
            return take_in(desk, writer, run, rows)

    def status(self) -> Status:
        """Where the study is."""
        with self._shared.lock:
            run = self.run()
            with self.storage.read(self.key) as reading:
                return status_of(reading, self.name, run)

    def result(self) -> Result:
        """What is known now; as valid in the middle of a study as at its end."""
        with self._shared.lock:
            result = self.run().result()
            with self.storage.read(self.key) as reading:
                passed_on = experts.changed_hands(reading)
        if passed_on and self.learner.rests_on_chance:
            result.assume(PASSED_ON)
        return result

    def close(self) -> None:
        """Gives the connections back; everything that was acknowledged is in the database."""
        self.storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Study {self.name!r} in {self.storage.name}>"

    def _new_run(self) -> Run:
        return Run(self.learner, self.pool, self.settings["positives"], self.settings["seed"])

    def run(self) -> Run:
        """The run, up to the last event that was committed; ask the study, not the run, for questions."""
        return self._shared.run()

    def _shown(self, expert: str, held: list[Held]) -> list[Leased]:
        rows = self.pool.rows([item for _, item, _, _ in held]) if held else None
        return [
            Leased(token, number, int(item), self._ids[item], row_of(rows, k), expert, float(expires))
            for k, (number, item, token, expires) in enumerate(held)
        ]


def _token(question: str | Leased) -> str:
    return question.token if isinstance(question, Leased) else question


def _seconds(value: float) -> float:
    if checks.at_least("lease_seconds", value, 0) <= 0:
        raise InvalidInput(f"lease_seconds must be more than 0, got {value}; else two experts would get one item.")
    return float(value)
