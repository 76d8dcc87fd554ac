"""What a process has chosen for the experts who wait for questions, before it is recorded."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from activepu.records import Question
from activepu.run import Run
from activepu.studies.replay import note_of
from activepu.studies.storage import Transaction, events
from activepu.studies.storage.choosing import Want
from activepu.studies.storage.events import Event

HOLD_SECONDS = 0.2
"""After so many seconds of choosing, what was chosen is handed out before more is."""


@dataclass(frozen=True)
class Choice:
    """New questions, each for one expert.

    Attributes
    ----------
    put : list of (Question, int)
        The questions, and how many rows had been searched when each was found.
    left : list of Want
        What the experts still wait for; 0 where nothing is left to ask.
    dry : int or None
        How many rows had been searched when nothing more was found; None if that changed nothing.
    """

    put: list[tuple[Question, int]]
    left: list[Want]
    dry: int | None

    @classmethod
    def among(cls, run: Run, waiting: Sequence[Want]) -> Choice:
        """Choose one question for every expert by turns, until nobody waits or it has taken long enough."""
        end, queue = time.monotonic() + HOLD_SECONDS, deque(waiting)
        put: list[tuple[Question, int]] = []
        left = []
        dry = None
        while queue and (not put or time.monotonic() < end):
            expert, n = queue.popleft()
            before = run.drawn, run.finished
            found = run.ask(1, expert)
            put += [(question, run.drawn) for question in found]
            if not found and before != (run.drawn, run.finished):
                dry = run.drawn
            if found and n > 1:
                queue.append(Want(expert, n - 1))
            else:
                left.append(Want(expert, 0))
        return cls(put, [*left, *queue], dry)

    def record(self, transaction: Transaction, known: int) -> set[int]:
        """Write the events, to be read right after number `known`; return their numbers."""
        newest = events.newest(transaction)
        after = known if newest > known else None
        new = [
            Event(newest + k, "ask", q.number, q.item, str(q.expert), None, note_of(q.note, drawn), after)
            for k, (q, drawn) in enumerate(self.put, 1)
        ]
        if self.dry is not None:
            note = json.dumps({"phase": "", "position": -1, "drawn": self.dry})
            new.append(Event(newest + 1 + len(new), "dry", note=note, after=after))
        if new:
            events.extend(transaction, new)
        return {event.number for event in new}
