"""A run that follows the events of a study.

    ask       a question was put: item, expert, and the note that was fixed then
    answer    an expert answered it
    skip      an expert passed it on (the run does not see this)
    withdraw  everyone has skipped it: it goes back to the pool
    undo      an answer was taken back: the question is open again
    unskip    a skip was taken back (the run does not see this)
    dry       an ask found nothing more: the rows that it looked at are gone

The events are the state. Every process that applies them in their order makes the same calls to `Run` in the same
order, and so has the same learner, the same certificate and the same next question; nothing is chosen again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import count

from activepu.errors import StudyDiffers
from activepu.experts import SKIP
from activepu.records import Answer, Note, Question
from activepu.run import Run
from activepu.studies.storage.events import Event


class Follower:
    """A run that has applied the events up to number `head`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.head = 0

    def apply(self, events: Sequence[Event]) -> None:
        """Make the calls that these events stand for; they follow number `head` without a gap."""
        _refuse_gaps(events, self.head)
        undone = max((k for k, event in enumerate(events) if event.kind == "undo"), default=-1)
        if undone >= 0:  # an undo starts the run again, so that nothing before it needs to be folded
            self._jump(events[: undone + 1])
        for event in events[undone + 1 :]:
            self._apply(event)
        if events:
            self.head = events[-1].number

    def _jump(self, events: Sequence[Event]) -> None:
        """Apply events up to an undo: collect the questions, then fold their answers once."""
        questions = self.run.questions
        for event in events:
            if event.kind == "ask":
                item, note, _ = _put(event)
                key = self.run.id_of(item)
                questions.append(Question(len(questions), item, None, note, id=key, expert=event.expert))
            elif event.kind in ("answer", "withdraw", "undo"):
                question = self._question(event)
                question.answer = _answer(event)
                question.expert = event.expert if event.kind == "answer" else question.expert
        self._tell(lambda: self.run.restore(questions))

    def _apply(self, event: Event) -> None:
        run = self.run
        if event.kind == "ask":
            item, note, drawn = _put(event)
            run.recall(item, note, event.expert, drawn)
        elif event.kind in ("answer", "withdraw"):
            question, answer = self._question(event), _answer(event)
            assert answer is not None
            question.expert = event.expert if event.kind == "answer" else question.expert
            self._tell(lambda: run.tell(question, answer))
        elif event.kind == "dry":
            run.dry(_read(event)[1])

    def _question(self, event: Event) -> Question:
        assert event.sequence is not None
        return self.run.questions[event.sequence]

    def _tell(self, do: Callable[[], object]) -> None:
        """Keep answers that contradict each other; the next ask raises the error."""
        try:
            do()
        except Exception as error:
            if self.run.failure is not error:
                raise


def _refuse_gaps(events: Sequence[Event], head: int) -> None:
    for event, expected in zip(events, count(head + 1), strict=False):
        if event.number != expected:
            raise StudyDiffers(
                f"The events of this study have a gap: after {expected - 1} comes {event.number}; restore the database."
            )


def note_of(note: Note, drawn: int) -> str:
    """Return a note as JSON, with the shortest digits that give the same number again."""
    return json.dumps({**asdict(note), "drawn": drawn})


def _read(event: Event) -> tuple[Note, int]:
    """Return what `note_of` wrote."""
    assert event.note is not None
    data = json.loads(event.note)
    drawn = data.pop("drawn")
    return Note(**data), drawn


def _put(event: Event) -> tuple[int, Note, int]:
    assert event.item is not None
    return event.item, *_read(event)


def _answer(event: Event) -> Answer | None:
    if event.kind == "undo":
        return None
    return SKIP if event.kind == "withdraw" else bool(event.answer)
