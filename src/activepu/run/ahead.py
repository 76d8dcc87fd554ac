"""Choosing with answers that cannot count yet, because an earlier question is still open.

Evidence is folded in the order of asking. Choices need not be: which item is asked, and the prediction that is fixed
with it, may depend on all earlier questions, on their answers and on when these came, because the coin of a new item is
independent of all that (Z-CAL's certificate holds for any questions and any predictions). So a second coroutine of the
learner passes over questions that are open while many after them are answered. It chooses, and nothing that it states
is used. An expert who is away then delays the certificate and not the learning.

Learners that ask random items of a region keep to the region of the answers that count, and to the order of its items.
There the second coroutine only says when nothing more is of use: once it would end, or ask in another part of the
algorithm. Nothing is put then until the open question is answered. That changes when an item is asked, never which.
Where the guarantee holds for any questions, items that it has decided are passed over, too.

What it was told follows from the questions and their answers alone, and not from the order in which these came. So a
run that is loaded goes on as the one that was left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from activepu.errors import ActivePUError
from activepu.experts import TIMEOUT
from activepu.learners import Learner
from activepu.learners.base import Questions
from activepu.pools import Draws
from activepu.records import RECORDED, Ask, Note, Question
from activepu.run.late import to_the_last

MANY = 4
"""An open question is passed over if so many after it are answered."""


def holds_up(questions: Sequence[Question]) -> bool:
    """Return whether the first of these questions is open, and many after it are answered."""
    return sum(question.answer is not None for question in questions) >= MANY


class Ahead:
    """A learner that was told the answers behind open questions, too.

    Parameters
    ----------
    learner : Learner
        Its `runs_ahead` names the phases in which it may choose with answers that wait.
    draws : Draws
        New draws of the same run.
    """

    def __init__(self, learner: Learner, draws: Draws) -> None:
        self._learner, self._draws = learner, draws
        self._steps = to_the_last(learner.steps(draws), draws)
        self._now: Ask | None = next(self._steps)
        self._noted = self._next = 0
        self._chosen: set[int] = set()
        self._passed: dict[int, tuple[object, bool]] = {}

    def follows(self, questions: Sequence[Question]) -> bool:
        """Return whether no question that was passed over, or not answered in time, has an answer by now."""
        return all((questions[n].answer, questions[n].late) == then for n, then in self._passed.items())

    def catch_up(self, questions: Sequence[Question]) -> None:
        """Take in all questions, and the answers up to the first open question that does not hold up many others."""
        for question in questions[self._noted :]:
            self._draws.advance(question.note.position)
            if question.item not in self._chosen and self._now is not None and self._now.recall is not None:
                self._now.recall(question)
        self._noted = len(questions)
        while self._next < len(questions):
            question = questions[self._next]
            if question.answer is None and not holds_up(questions[self._next :]):
                break
            if not isinstance(question.answer, bool):
                self._passed[self._next] = question.answer, question.late
            self._tell(question)
            self._next += 1

    def _tell(self, question: Question) -> None:
        """Take in an answer. Answers that contradict each other end the choosing, and no more."""
        heard = question.answer is TIMEOUT and self._learner.hears_timeouts
        if self._now is None or not (heard or isinstance(question.answer, bool)):
            return
        try:
            self._now = self._steps.send(question)
        except ActivePUError:
            self._now = None

    def choose(self, expert: Hashable, items: Iterator[tuple[int, Note]]) -> tuple[int, Note] | None:
        """Return the next item, or None if no further question would be of use before the open ones are answered.

        `items` are those of the learner that knows only the answers that count.
        """
        if self._now is None:
            return None
        if isinstance(items, Questions):
            return self._of_region(items, self._now)
        self._draws.asking = expert
        found = next(self._now.items, None)
        if found is None or found[1].phase not in self._learner.runs_ahead:
            return None
        self._chosen.add(found[0])
        return found

    def _of_region(self, items: Questions, now: Ask) -> tuple[int, Note] | None:
        """Return the next item of a region if it is still of use."""
        wanted = now.items
        if now.done or not isinstance(wanted, Questions) or _part(wanted) != _part(items):
            return None
        if items.phase in self._learner.runs_ahead:
            return next((found for found in items if wanted.holds(found[0])), None)
        return next(items, None)


def _part(items: Questions) -> str:
    """Return the part of the algorithm: a search has a new phase after every reveal, named behind a comma."""
    return items.phase.partition(",")[0]


def run_ahead(
    ahead: Ahead | None,
    learner: Learner,
    questions: Sequence[Question],
    folded: int,
    items: Iterator[tuple[int, Note]],
    draws: Callable[[], Draws],
) -> Ahead | None:
    """Return the learner that knows the answers behind the first open question; None if that does not hold up many.

    `folded` answers count so far, and `items` are what is asked by them. Items that are drawn by lot are not chosen,
    and a lot ends by itself where answers are missing.
    """
    last = next((q.note.phase for q in reversed(questions) if q.note.phase != RECORDED), "")
    if not (last in learner.runs_ahead or isinstance(items, Questions)) or not holds_up(questions[folded:]):
        return None
    if ahead is None or not ahead.follows(questions):
        ahead = Ahead(learner, draws())
    ahead.catch_up(questions)
    return ahead
