"""Choosing with answers that cannot count yet, because an earlier question is still open.

Evidence is folded in the order of asking. Choices need not be: which item is asked, and the prediction that is fixed
with it, may depend on all earlier questions, on their answers and on when these came, because the coin of a new item is
independent of all that (Z-CAL's certificate holds for any questions and any predictions). So where many answers
wait, a second coroutine of the learner is told each answer as it comes. It chooses, and nothing that it states is used.
An expert who is away then delays the certificate and not the learning.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from activepu.errors import ActivePUError
from activepu.experts import TIMEOUT
from activepu.learners import Learner
from activepu.pools import Draws
from activepu.records import Ask, Note, Question
from activepu.run.late import to_the_last

WORTH = 4
"""So many answers must wait before a second coroutine is made, for which all answers are replayed."""


class Ahead:
    """A learner that was told all answers that have come.

    Parameters
    ----------
    learner : Learner
        Its `runs_ahead` names the phases in which it may choose with answers that wait.
    draws : Draws
        New draws of the same run.
    questions : sequence of Question
        All questions so far, in the order of asking.
    """

    def __init__(self, learner: Learner, draws: Draws, questions: Sequence[Question]) -> None:
        self._learner, self._draws = learner, draws
        self._steps = to_the_last(learner.steps(draws), draws)
        self._now: Ask | None = next(self._steps)
        for question in questions:
            draws.advance(question.note.position)
            self.note(question)
            if question.answer is not None:
                self.tell(question)

    def note(self, question: Question) -> None:
        """Note a question that this learner did not choose."""
        if self._now is not None and self._now.recall is not None:
            self._now.recall(question)

    def tell(self, question: Question) -> None:
        """Take in an answer as it comes. Answers that contradict each other end the choosing, and no more."""
        heard = question.answer is TIMEOUT and self._learner.hears_timeouts
        if self._now is None or not (heard or isinstance(question.answer, bool)):
            return
        try:
            self._now = self._steps.send(question)
        except ActivePUError:
            self._now = None

    def choose(self, expert: Hashable) -> tuple[int, Note] | None:
        """Return the next item, or None if no further question would be of use before the open ones are answered."""
        if self._now is None:
            return None
        self._draws.asking = expert
        found = next(self._now.items, None)
        return found if found is not None and found[1].phase in self._learner.runs_ahead else None
