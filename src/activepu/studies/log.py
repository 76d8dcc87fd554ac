"""What the events say of every question: its state, who answered it, who was shown it, who skipped it.

The other tables of a database say the same, and must agree. What they alone know is who has a question that nobody was
shown, until when, and all tokens.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from activepu.studies.storage.events import Event


@dataclass(slots=True)
class Asked:
    """One question, by the events.

    Attributes
    ----------
    item : int
        What it is about.
    state : str
        "open", "answered", "over" or "withdrawn".
    answer : int or None
        The answer; of a question that is over 1 after a late yes.
    expert : str
        Who answered it or did not in time; else empty.
    owner : str
        Who was shown it and has it, while it is open; else empty.
    sure : bool
        Whether there is an event that says that they were shown it, which older versions did not write.
    """

    item: int
    state: str = "open"
    answer: int | None = None
    expert: str = ""
    owner: str = ""
    sure: bool = False


class Log:
    """The events of a study, taken one after the other.

    Attributes
    ----------
    asked : list of Asked
        All questions, in the order of asking.
    skips : Counter of (int, str)
        How often who has skipped which question.
    ended : set of (int, str)
        Who was shown which question and has it no more, because it went to somebody else.
    experts : dict of str to bool
        The names in the events, in their order, and whether they have not left.
    there : set of str
        Who has been asked something and has not left since.
    answers : int
        How many questions are answered.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.skips: Counter[tuple[int, str]] = Counter()
        self.ended: set[tuple[int, str]] = set()
        self.experts: dict[str, bool] = {}
        self.there: set[str] = set()

    @property
    def answers(self) -> int:
        """How many questions are answered."""
        return sum(question.state == "answered" for question in self.asked)

    def take(self, event: Event) -> str | None:
        """Take the next event, of the right shape; return why it cannot come here, as the end of a sentence."""
        if event.expert:
            self.experts[event.expert] = event.kind != "leave"
        if event.kind == "ask":
            if event.sequence != len(self.asked):
                return f"asks question {event.sequence}, but the next is {len(self.asked)}"
            assert event.item is not None
            self.there |= {event.expert} if event.expert else set()
            self.asked.append(Asked(event.item))
        elif event.sequence is not None:
            if event.sequence >= len(self.asked):
                return f"is about question {event.sequence}, which was not asked"
            return self._about(event.sequence, event)
        elif event.kind == "leave":
            self._leave(str(event.expert))
        return None

    def _about(self, sequence: int, event: Event) -> str | None:
        question, expert = self.asked[sequence], event.expert or ""
        if event.item is not None and event.item != question.item:
            return f"is about item {event.item}, but the question is about item {question.item}"
        late = question.state == "over" and question.answer is not None
        fits = {
            "late": question.state == "over" and not late,
            "undo": late or question.state in ("answered", "withdrawn"),
            "unskip": question.state == "open" and self.skips[sequence, expert] > 0,
        }
        if not fits.get(event.kind, question.state == "open"):
            return f"cannot follow: the question is {'answered late' if late else question.state}"
        if event.kind == "shown":
            self._own(sequence, expert, sure=True)
        elif event.kind == "answer":
            self._own(sequence, expert)
            self._close(question, "answered", event.answer, expert)
        elif event.kind == "timeout":
            self._close(question, "over", None, expert)
        elif event.kind == "withdraw":
            self._close(question, "withdrawn", None, "")
        elif event.kind == "late":
            question.answer = 1
        elif event.kind == "skip":
            self.skips[sequence, expert] += 1
            self.ended.discard((sequence, expert))
            question.owner = "" if question.owner == expert else question.owner
        elif late:  # its undo
            question.answer = None
        else:
            self.skips[sequence, expert] -= event.kind == "unskip"
            question.state, question.answer, question.expert = "open", None, ""
            self._own(sequence, expert)
        return None

    def _own(self, sequence: int, expert: str, sure: bool = False) -> None:
        """Note that an expert was shown a question, and has it from now on."""
        question = self.asked[sequence]
        if question.owner not in ("", expert):
            self.ended.add((sequence, question.owner))
        self.ended.discard((sequence, expert))
        question.owner, question.sure = expert, sure

    @staticmethod
    def _close(question: Asked, state: str, answer: int | None, expert: str) -> None:
        question.state, question.answer, question.expert, question.owner = state, answer, expert, ""

    def _leave(self, expert: str) -> None:
        self.there.discard(expert)
        for sequence, question in enumerate(self.asked):
            if question.owner == expert:
                self.ended.add((sequence, expert))
                question.owner = ""
