"""The run of a study in this process, kept up with what all processes have committed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from activepu.errors import ActivePUError
from activepu.run import Run
from activepu.studies.desk import Desk
from activepu.studies.replay import Follower, note_of
from activepu.studies.storage import Storage, Transaction, events
from activepu.studies.storage.events import Event
from activepu.studies.storage.leases import Held

HOLD_SECONDS = 1.0
"""After this long, a process that chooses several questions lets others in before the next."""


class Writer:
    """Collects the events of one transaction and writes them together."""

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

    def flush(self) -> None:
        """Write the events that were added."""
        if self._new:
            events.extend(self._transaction, self._new)
        self._new = []


class SharedRun:
    """A run that follows the events. If a change is interrupted, the next call rebuilds the run from them."""

    def __init__(self, storage: Storage, study: int, new: Callable[[], Run]) -> None:
        self.lock = threading.RLock()
        """Hold it while reading the run, so that all that is read is of one moment."""
        self._storage = storage
        self._study = study
        self._new = new
        self._follower: Follower | None = None

    def run(self) -> Run:
        """Return the run, up to the last event that was committed."""
        with self.lock:
            follower = self._follower or Follower(self._new())
            with self._storage.read(self._study) as reading:
                new = events.since(reading, follower.head)
            self._follower = None
            follower.apply(new)
            self._follower = follower
            return follower.run

    def put(self, expert: str, n: int, lease_seconds: float) -> list[Held]:
        """Choose and record at most n new questions, one by one; record too that there are no more."""
        found: list[Held] = []
        self.run()  # most of the folding is done before the lock, so that others need not wait for the learner
        with self.changing() as (desk, writer, run):
            writer.touched = True
            start = time.monotonic()
            while len(found) < n and (not found or time.monotonic() - start < HOLD_SECONDS):
                drawn, finished = run.drawn, run.finished
                put = run.ask(1, expert)
                if not put:
                    if (drawn, finished) != (run.drawn, run.finished):
                        writer.append("dry", note=json.dumps({"phase": "", "position": -1, "drawn": run.drawn}))
                    break
                number, item, note = put[0].number, put[0].item, note_of(put[0].note, run.drawn)
                writer.append("ask", sequence=number, item=item, expert=expert, note=note)
                found.append(desk.add(number, item, expert, lease_seconds))
        return found

    @contextmanager
    def changing(self) -> Iterator[tuple[Desk, Writer, Run]]:
        """Open a transaction in which the run is up to date."""
        with self.lock:
            follower, self._follower = self._follower, None
            follower = follower or Follower(self._new())
            with self._storage.write(self._study) as transaction:
                follower.apply(events.since(transaction, follower.head))
                before = follower.head
                writer = Writer(transaction, before)
                try:
                    yield Desk(transaction), writer, follower.run
                    writer.flush()
                except ActivePUError:
                    self._follower = None if writer.touched else follower
                    raise
            follower.head = before if writer.ahead else writer.head
            self._follower = follower
