"""A run that follows the events of a study.

    ask       a question was put: item, the expert for whom it was chosen, and the note that was fixed then
    shown     an expert was shown it, and it is theirs (the run does not see this)
    answer    they answered it
    timeout   they did not answer it in time: it is over
    late      they said yes after that
    skip      they passed it on (the run does not see this)
    withdraw  everyone has skipped it: it goes back to the pool
    undo      an answer was taken back: the question is open again; or a late yes, and it is over as before
    unskip    a skip was taken back (the run does not see this)
    leave     an expert will not come back (the run does not see this)
    dry       an ask found nothing more: the rows that it looked at are gone

The events are the state. Every process that applies them in their order makes the same calls to `Run` in the same
order, and so has the same learner, the same certificate and the same next question; nothing is chosen again. What was
chosen while answers came in is read right after the last event that the chooser knew (`after`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from activepu.errors import StudyDamaged
from activepu.experts import SKIP, TIMEOUT
from activepu.records import Answer, Note, Question
from activepu.run import Run
from activepu.studies.storage import chain
from activepu.studies.storage.chain import Head
from activepu.studies.storage.events import Event


class Follower:
    """A run that has applied the events up to number `head`, and those asks after them that it has `put` itself."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.head = 0
        self.hash = ""
        """The hash of event number `head`; empty before the first reading."""
        self.put: set[int] = set()

    def apply(self, new: Sequence[Event], last: Head | None = None, undone: int = 0) -> None:
        """Make the calls that these events stand for; they follow number `head`, and end with the `last`, if given.

        If a later event, number `undone`, is an undo, these are only noted: it starts the run again.
        """
        found = chain.follow(Head(self.head, self.hash), new)
        if last is not None and last != found:
            raise StudyDamaged(chain.ends(found.number, last))
        events = sorted((event for event in new if event.number not in self.put), key=_place)
        here = max((k for k, event in enumerate(events) if event.kind == "undo"), default=-1)
        noted = len(events) if undone > found.number else here + 1
        self._note(events[:noted])
        if here >= 0 and noted == here + 1:  # nothing before an undo needs to be folded
            self._tell(lambda: self.run.restore(self.run.questions))
        for event in events[noted:]:
            self._apply(event)
        if new:
            self.head, self.hash = found
            self.put = {number for number in self.put if number > self.head}

    def _note(self, events: Sequence[Event]) -> None:
        """Note the questions and answers of events before an undo, without folding them."""
        questions = self.run.questions
        for event in events:
            if event.kind == "ask":
                item, note, _ = _put(event)
                key = self.run.id_of(item)
                questions.append(Question(len(questions), item, None, note, id=key, expert=event.expert))
            elif event.kind == "late":
                counted = next((q.number for q in questions if q.answer is None), len(questions))
                question = self._question(event)
                question.came, question.late = (counted, sum(q.late for q in questions)), True
            elif event.kind == "undo" and self._question(event).late:
                self._question(event).late = False
            elif event.kind in _ANSWERS or event.kind == "undo":
                self._heard(event).answer = _answer(event)

    def _apply(self, event: Event) -> None:
        run = self.run
        if event.kind == "ask":
            item, note, drawn = _put(event)
            run.recall(item, note, event.expert, drawn)
        elif event.kind in _ANSWERS:
            question, answer = self._heard(event), _answer(event)
            assert answer is not None
            self._tell(lambda: run.tell(question, answer))
        elif event.kind == "dry":
            run.dry(_read(event)[1])

    def _heard(self, event: Event) -> Question:
        """Return the question of an event, which is of the expert who answered it, or did not."""
        question = self._question(event)
        question.expert = event.expert if event.kind in ("answer", "timeout") else question.expert
        return question

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


_ANSWERS = ("answer", "timeout", "late", "withdraw")
"""The kinds of events that tell the run something about a question."""


def _place(event: Event) -> tuple[int, bool, int]:
    """Return where an event is read: by its number, or right after the last event that was known when it was chosen."""
    chosen = event.after is not None
    return (event.after if event.after is not None else event.number), chosen, event.number


def note_of(note: Note, drawn: int) -> str:
    """Return a note as JSON, with the shortest digits that give the same number again."""
    prediction = "null" if note.prediction is None else repr(float(note.prediction))
    phase = json.dumps(note.phase)
    return f'{{"phase": {phase}, "position": {note.position}, "prediction": {prediction}, "drawn": {drawn}}}'


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
    if event.kind == "timeout":
        return TIMEOUT
    return SKIP if event.kind == "withdraw" else bool(event.kind == "late" or event.answer)
