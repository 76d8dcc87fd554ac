"""A study: a pool, a learner and the answers so far, durable in a database and shared by several experts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any, Self

import numpy as np
import sqlalchemy as sa
from sqlalchemy import exc

from activepu import checks
from activepu.errors import ActivePUError, InvalidInput, StudyDiffers
from activepu.learners import Learner
from activepu.pools import Pool
from activepu.pools.frames import row_of
from activepu.result import Result
from activepu.run import Run, moves
from activepu.studies import fingerprints
from activepu.studies.events import Follower, Writer, note_of
from activepu.studies.intake import take_in
from activepu.studies.leases import Desk
from activepu.studies.status import Status, status_of
from activepu.studies.storage import Storage, events, questions, studies, study_row

OPEN_PER_EXPERT = 2
LEASE_SECONDS = 900.0


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

    def __init__(self, storage: Storage, row: Any, pool: Pool, learner: Learner) -> None:
        self.name: str = row.name
        self.pool = pool
        self.learner = learner
        self.settings: dict[str, Any] = json.loads(row.settings)
        self.storage = storage
        self.key: int = row.id
        self._lock = threading.RLock()
        self._ids = pool.ids
        self._joined: set[str] = set()
        self._follower: Follower | None = None

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        pool: Pool,
        learner: Learner,
        seed: int = 0,
        open_per_expert: int = OPEN_PER_EXPERT,
        lease_seconds: float = LEASE_SECONDS,
    ) -> Study:
        """A new study; the learner and the pool are checked before anything is written."""
        _name("name", name)
        Run(learner, fingerprints.checked_pool(pool), seed=seed)
        settings = {
            "pool": fingerprints.of_pool(pool),
            "learner": fingerprints.of_learner(learner),
            "seed": int(seed),
            "open_per_expert": checks.count("open_per_expert", open_per_expert, minimum=1),
            "lease_seconds": checks.at_least("lease_seconds", lease_seconds, 0),
            "activepu": metadata.version("activepu"),
        }
        storage = Storage(url)
        try:
            with storage.write() as connection:
                connection.execute(
                    studies.insert().values(name=name, made=storage.now, settings=json.dumps(settings, allow_nan=False))
                )
        except exc.IntegrityError:
            storage.close()
            raise InvalidInput(
                f"There is a study {name!r} in {storage.name} already; Study.load opens it, another name makes another."
            ) from None
        return cls(storage, study_row(storage, name), pool, learner)

    @classmethod
    def load(
        cls, url: str, name: str, pool: Any = None, learner: Learner | None = None, seed: int | None = None
    ) -> Study:
        """A study as it was left; what JSON cannot hold is passed again, and must be what it was."""
        storage = Storage(url)
        try:
            row = study_row(storage, name)
            settings = json.loads(row.settings)
            if seed is not None and seed != settings["seed"]:
                raise StudyDiffers(f"The study was made with seed = {settings['seed']}, but {seed!r} was passed.")
            made = fingerprints.learner_again(settings["learner"], learner)
            study = cls(storage, row, fingerprints.pool_again(settings["pool"], pool), made)
            study.run()
        except BaseException:
            storage.close()
            raise
        return study

    def ask(self, expert: str, n: int = 1) -> list[Leased]:
        """Up to n questions, leased to this expert: those whose lease ended first, then new ones.

        Whoever holds as many as one expert may (two, or n where that is more) gets those again.
        """
        _name("expert", expert)
        checks.count("n", n, minimum=1)
        self.run()  # mostly before the lock, so that others need not wait for the learner
        with self._changing() as (_, desk, writer, run):
            if expert not in self._joined:
                desk.join(expert)
            held = desk.held(expert)
            room = min(n, max(n, self.settings["open_per_expert"]) - len(held))
            if room <= 0:
                return self._shown(expert, [(h.sequence, h.item, h.token, h.expires) for h in held[:n]])
            seconds = self.settings["lease_seconds"]
            free = desk.free_for(expert, room)
            leased = [(row.sequence, row.item, *desk.lease(row.sequence, expert, seconds)) for row in free]
            if len(leased) < room:
                leased += self._put(run, desk, writer, expert, room - len(leased))
        self._joined.add(expert)
        return self._shown(expert, leased)

    def _put(self, run: Run, desk: Desk, writer: Writer, expert: str, n: int) -> list[tuple[int, int, str, float]]:
        """New questions, chosen and recorded one by one; that there are no more is recorded too."""
        found: list[tuple[int, int, str, float]] = []
        writer.touched = True
        while len(found) < n:
            drawn, finished = run.drawn, run.finished
            put = run.ask(1, expert)
            if not put:
                if (drawn, finished) != (run.drawn, run.finished):
                    writer.later("dry", note=json.dumps({"phase": "", "position": -1, "drawn": run.drawn}))
                break
            number, item, note = put[0].number, put[0].item, note_of(put[0].note, run.drawn)
            writer.later("ask", sequence=number, item=item, expert=expert, note=note)
            found.append((number, item, *desk.add(number, item, expert, self.settings["lease_seconds"])))
        writer.flush()
        return found

    def open(self, expert: str) -> list[Leased]:
        """The questions that are in this expert's hands now."""
        with self.storage.read() as connection:
            held = Desk(self.storage, connection, self.key).held(expert)
        return self._shown(expert, [(h.sequence, h.item, h.token, h.expires) for h in held])

    def tell(self, token: str, answer: bool, expert: str | None = None) -> None:
        """Takes an answer: True (revealed) or False (can't tell). It is safe once this returns."""
        if not isinstance(answer, (bool, np.bool_)):
            raise InvalidInput(
                f"An answer is True (revealed) or False (can't tell), got {answer!r}; or use skip(token)."
            )
        with self.storage.write(self.key) as connection:
            desk = Desk(self.storage, connection, self.key)
            lease, question = desk.find(token, expert)
            if desk.accept(lease, question, bool(answer)):
                Writer(self.storage, connection, self.key).append(
                    "answer", sequence=lease.sequence, item=question.item, expert=lease.expert, answer=int(answer)
                )

    def skip(self, token: str, expert: str | None = None) -> None:
        """Passes a question on to the others; it must not depend on what the item is."""
        with self.storage.write(self.key) as connection:
            desk = Desk(self.storage, connection, self.key)
            lease, question = desk.find(token, expert)
            new, everyone = desk.skip(lease, question)
            if new:
                writer = Writer(self.storage, connection, self.key)
                writer.append("skip", sequence=lease.sequence, item=question.item, expert=lease.expert)
                if everyone:
                    writer.append("withdraw", sequence=lease.sequence, item=question.item)

    def undo(self, expert: str) -> Leased:
        """Takes this expert's last answer back: the question is open again, and in his hands."""
        self.run()
        with self._changing() as (connection, desk, writer, run):
            last = connection.execute(
                sa.select(events.c.sequence, events.c.item)
                .join(questions, (questions.c.study == events.c.study) & (questions.c.sequence == events.c.sequence))
                .where(events.c.study == self.key, events.c.kind == "answer", events.c.expert == expert)
                .where(questions.c.state == "answered", questions.c.expert == expert)
                .order_by(events.c.number.desc())
                .limit(1)
            ).first()
            if last is None:
                raise InvalidInput(f"There is no answer by {expert!r} to take back.")
            moves.check_undo(run.questions[last.sequence], run.questions, self.learner)
            writer.append("undo", sequence=last.sequence, item=last.item, expert=expert)
            writer.ahead = True
            desk.reopen(last.sequence)
            token, expires = desk.lease(last.sequence, expert, self.settings["lease_seconds"])
        return self._shown(expert, [(last.sequence, last.item, token, expires)])[0]

    def record(self, answers: list[tuple[int, bool, str]]) -> int:
        """Takes answers (item, answer, expert) that were collected elsewhere; how many of them were new.

        An open question about the item is answered by it; an item that has an answer keeps the first.
        """
        self.run()
        rows = [(checks.count("item", item), bool(answer), _name("expert", expert)) for item, answer, expert in answers]
        with self._changing() as (connection, desk, writer, run):
            return take_in(connection, self.key, desk, writer, run, rows)

    def status(self) -> Status:
        """Where the study is."""
        run = self.run()
        with self.storage.read() as connection:
            return status_of(connection, self.key, self.name, run, self.storage.now)

    def result(self) -> Result:
        """What is known now; as valid in the middle of a study as at its end."""
        return self.run().result()

    def close(self) -> None:
        """Gives the connections back; everything that was acknowledged is in the database."""
        self.storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Study {self.name!r} in {self.storage.name}>"

    def run(self) -> Run:
        """The run, up to the last event that was committed; ask the study, not the run, for questions."""
        with self._lock:
            follower = self._follower or Follower(self.learner, self.pool, self.settings["seed"])
            with self.storage.read() as connection:
                rows = follower.pending(connection, self.key)
            self._follower = None  # whatever interrupts this, the next call begins from the events
            follower.apply(rows)
            self._follower = follower
            return follower.run

    @contextmanager
    def _changing(self) -> Iterator[tuple[sa.Connection, Desk, Writer, Run]]:
        """A transaction with the run up to date in it; if it fails, the run is made anew from the events."""
        with self._lock:
            follower, self._follower = self._follower, None
            follower = follower or Follower(self.learner, self.pool, self.settings["seed"])
            with self.storage.write(self.key) as connection:
                follower.follow(connection, self.key)
                before = follower.head
                writer = Writer(self.storage, connection, self.key, before)
                try:
                    yield connection, Desk(self.storage, connection, self.key), writer, follower.run
                except ActivePUError:
                    self._follower = None if writer.touched else follower
                    raise
            follower.head = before if writer.ahead else writer.head
            self._follower = follower

    def _shown(self, expert: str, leased: list[Any]) -> list[Leased]:
        rows = self.pool.rows([item for _, item, _, _ in leased]) if leased else None
        return [
            Leased(token, number, int(item), self._ids[item], row_of(rows, k), expert, float(expires))
            for k, (number, item, token, expires) in enumerate(leased)
        ]


def _name(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise InvalidInput(f"{what} must be a name such as 'ann', got {value!r}.")
    return value
