"""The run of a study in this process, kept up with what all processes have committed.

Choosing a question may take seconds, so it is done outside any transaction, by one process at a time and for everyone
who waits. Others may answer meanwhile. What the chooser puts comes right after the last event that it knew, and no run
takes in what was recorded later before that is known; so every run makes the same calls in the same order. A process
that chose a moment ago is the one to choose again: it knows all answers, which each of the others would have to fold.
"""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from activepu.errors import ActivePUError, StorageFailed
from activepu.run import Run
from activepu.studies.choice import Choice
from activepu.studies.desk import Desk, Terms
from activepu.studies.replay import Follower
from activepu.studies.storage import Storage, Transaction, choosing, events
from activepu.studies.storage.events import Event
from activepu.studies.storage.leases import Held

PATIENCE = 20.0
"""A process that has said nothing for so many seconds while it chose may lose its turn."""
BEAT = 4.0
"""Seconds between two signs of life of a process that chooses."""
AGAIN = 2.0
"""For so many seconds a process that has chosen goes before others that would have to read much."""
WAIT_SECONDS = 3600.0
"""After so many seconds nobody chooses for an expert whose process is no longer there."""
LONGEST_WAIT = 0.05
"""Seconds after which a process that waits for another looks again, at the latest."""


TOGETHER = 5000
"""So many events are written together."""


class Writer:
    """Collects the events of one transaction and writes them together, or some thousand at a time."""

    def __init__(self, transaction: Transaction, head: int) -> None:
        """The number of the last event so far is `head`."""
        self._transaction = transaction
        self._new: list[Event] = []
        self.head = head
        self.touched = False
        """Whether the run may have changed, so that it must be rebuilt if the transaction fails."""
        self.ahead = False
        """Whether the events are ahead of the run, which must read them as if another process had written them."""

    def append(
        self,
        kind: str,
        sequence: int | None = None,
        item: int | None = None,
        expert: str | None = None,
        answer: int | None = None,
        note: str | None = None,
    ) -> None:
        """Add an event."""
        self.head += 1
        self._new.append(Event(self.head, kind, sequence, item, expert, answer, note))
        if len(self._new) >= TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Write the events that were added."""
        if self._new:
            events.extend(self._transaction, self._new)
        self._new = []


class SharedRun:
    """A run that follows the events. If a change is interrupted, the next call rebuilds the run from them."""

    def __init__(self, storage: Storage, study: int, new: Callable[[], Run], terms: Terms) -> None:
        self.lock = threading.RLock()
        """Hold it while reading the run, so that all that is read is of one moment."""
        self.process = secrets.token_hex(8)
        """The name of this process among those that choose."""
        self._storage = storage
        self._study = study
        self._new = new
        self._terms = terms
        self._follower: Follower | None = None
        self.patience = PATIENCE
        """For so many seconds this process may say nothing while it chooses: some learners let no other thread run."""
        self.head = 0
        """The number of the last event that this process has read."""

    def run(self) -> Run:
        """Return the run, up to the last event that was committed before; wait until the place of that is known."""
        with self.lock:
            follower, newest = self._followed()
            pause = LONGEST_WAIT / 16
            while follower.head < newest:
                try:
                    self._interrupt_if_silent()
                except StorageFailed:  # only others may write here: read all that there is, this once
                    return self._as_it_is()
                pause = _nap(pause)
                follower, _ = self._followed()
            return follower.run

    def _interrupt_if_silent(self) -> None:
        """End the turn of a process that died while it chose."""
        with self._storage.read(self._study) as reading:
            silent = choosing.is_silent(reading)
        if silent:
            with self._storage.write(self._study, durable=False) as transaction:
                choosing.interrupt(transaction)

    def _as_it_is(self) -> Run:
        """Return a run of all events that are there, whatever may still come before some of them."""
        follower = Follower(self._new())
        with self._storage.read(self._study) as reading:
            follower.apply(events.since(reading, 0))
        return follower.run

    def _followed(self) -> tuple[Follower, int]:
        """Apply the events whose place is known; return the follower, and the number of the last event of all."""
        follower, self._follower = self._follower or Follower(self._new()), None
        with self._storage.read(self._study) as reading:
            follower.hash = follower.hash or events.origin(reading)
            unread = events.settled(reading, follower.head)
            for page in unread.pages:
                follower.apply(page, undone=unread.undone)
        self._follower, self.head = follower, follower.head
        return follower, unread.newest

    def wait(self, expert: str) -> None:
        """Wait until this process may choose, or until what an expert waits for was chosen."""
        pause = LONGEST_WAIT / 16
        with self._storage.read(self._study) as reading:
            while True:
                wanted, free = choosing.waiting(reading, self.process, expert, self.head)
                if free or not wanted:
                    return
                pause = _nap(pause)

    def choose(self, expert: str, shown: bool) -> tuple[list[Held], int]:
        """Choose questions for everyone who waits for some, until one expert has theirs.

        Return those, which are shown at once if `shown`, and how many the expert still waits for, if somebody else
        took over. It must be the turn of this process.
        """
        own: list[Held] = []
        still = 1
        with self.lock, self._signs_of_life():
            try:
                while still and (chosen := self._choose(expert, shown)) is not None:
                    new, still = chosen
                    own += new
            except BaseException:
                self._give_up(expert)
                raise
        return own, still

    def _choose(self, expert: str, shown: bool) -> tuple[list[Held], int] | None:
        """Choose and hand out once; return None if this process lost its turn in the meantime."""
        follower, _ = self._followed()
        self._follower = None  # if this fails, the run holds questions that were never put
        with self._storage.read(self._study) as reading:
            waiting = choosing.wants(reading)
        start = time.monotonic()
        new = Choice.among(follower.run, waiting)
        self.patience = max(self.patience, 3 * (time.monotonic() - start))
        with self._storage.write(self._study, durable=False) as transaction:
            if not choosing.still(transaction, self.process, self.patience, follower.head):
                return None
            follower.put |= new.record(transaction, follower.head)
            desk = Desk(transaction, self._terms)
            put = [desk.add(question.number, question.item, str(question.expert)) for question, _ in new.put]
            own = [held for held, (question, _) in zip(put, new.put, strict=True) if question.expert == expert]
            own = [desk.show(held, expert) for held in own] if shown else own
            for want in new.left:
                choosing.want(transaction, want.expert, want.n, WAIT_SECONDS)
            if still := choosing.wanted(transaction, expert):
                choosing.begin_again(transaction, self.process, self.patience)
            else:
                choosing.end(transaction, self.process, AGAIN)
        self._follower = follower
        return own, still

    def _give_up(self, expert: str) -> None:
        """End the turn and what the expert waits for, if the database can be reached; else both end by themselves."""
        with suppress(StorageFailed), self._storage.write(self._study, durable=False) as transaction:
            choosing.want(transaction, expert, 0, 0.0)
            choosing.end(transaction, self.process, 0.0)

    @contextmanager
    def _signs_of_life(self) -> Iterator[None]:
        """Keep the turn of this process as long as it chooses."""
        done = threading.Event()

        def beat() -> None:
            while not done.wait(BEAT):
                with suppress(StorageFailed), self._storage.write(self._study, durable=False) as transaction:
                    choosing.go_on(transaction, self.process, self.patience)

        thread = threading.Thread(target=beat, name="activepu signs of life", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    @contextmanager
    def changing(self) -> Iterator[tuple[Desk, Writer, Run]]:
        """Open a transaction in which the run is up to date and nobody chooses; wait until a choice has been made."""
        pause, yielded = LONGEST_WAIT / 16, False
        while not yielded:
            with self.lock:
                follower, _ = self._followed()  # most of the folding is done before the transaction holds up others
                self._follower = None
                with self._storage.write(self._study) as transaction:
                    if choosing.interrupt(transaction):
                        yielded = True
                        follower.apply(events.since(transaction, follower.head), transaction.head)
                        writer = Writer(transaction, follower.head)
                        try:
                            yield Desk(transaction, self._terms, writer.append), writer, follower.run
                            writer.flush()
                        except ActivePUError:
                            self._follower = None if writer.touched else follower
                            raise
                        if not writer.ahead:
                            follower.head, follower.hash = transaction.head
                self._follower = follower
            if not yielded:
                pause = _nap(pause)


def _nap(pause: float) -> float:
    """Sleep for about so many seconds; return how many to sleep the next time."""
    time.sleep(random.uniform(pause / 2, pause))
    return min(2 * pause, LONGEST_WAIT)
