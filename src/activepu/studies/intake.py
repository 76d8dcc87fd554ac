"""How answers that were collected elsewhere enter a study, all in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from activepu.experts import SKIP, TIMEOUT
from activepu.records import Answer, Question
from activepu.run import Run
from activepu.studies.desk import Desk
from activepu.studies.replay import note_of
from activepu.studies.shared_run import Writer


class Intake:
    """Records each answer whose coin has none yet, in the order in which they come, whatever the batches.

    An open question about the item is answered. For any other item a question is put, as if it had been asked here. An
    answer to such a question is one row of a batch; whatever needs more is done at once, as experts here would do it.
    """

    def __init__(self, desk: Desk, writer: Writer, run: Run, items: int, experts: Sequence[str]) -> None:
        """The pool has so many items; the experts are all who answered, in the order of their first answers."""
        self._desk, self._writer, self._run = desk, writer, run
        self._settled = bytearray(items)
        """By coin: whether there is an answer, and never was an open question that `_about` has."""
        self._about: dict[int, list[Question]] = {run.coin(q.item): [] for q in run.questions if q.answer is None}
        """Where a coin has or had an open question: all its questions but those that went back to the pool."""
        for q in run.questions:
            coin = run.coin(q.item)
            if q.answer is not SKIP and coin in self._about:
                self._about[coin].append(q)
            elif q.answer is not SKIP:
                self._settled[coin] = True
        self._over = {run.coin(q.item): q for q in run.questions if q.answer is TIMEOUT and not q.late}
        """By coin: questions that were not answered in time."""
        self._names = {expert: desk.join(expert) for expert in experts}
        self._everyone = desk.experts()
        self._skips: dict[int, set[str]] = {}
        for sequence, expert in desk.skips():
            self._skips.setdefault(sequence, set()).add(expert)
        self._skipped = {(run.questions[k].item, expert) for k, names in self._skips.items() for expert in names}
        self._look_again = True
        """Whether another question than the one that is skipped next may be one that everyone has skipped."""
        self._answered: list[tuple[int, int, str, bool]] = []
        writer.touched = True

    def take(self, batch: Sequence[tuple[int, Answer, str]]) -> int:
        """Take answers (item, answer, expert); return how many were new."""
        added = sum(self._take(item, answer, self._names[expert]) for item, answer, expert in batch)
        self.flush()
        return added

    def flush(self) -> None:
        """Write the questions that were added and answered."""
        if self._answered:
            self._desk.add_answered(self._answered)
        self._answered = []

    def _take(self, item: int, answer: Answer, expert: str) -> bool:
        coin = self._run.coin(item)
        if answer is TIMEOUT:
            return self._time_out(coin, item, expert)
        if answer is True and coin in self._over:
            return self._come_late(coin, expert)
        about = self._about.get(coin)
        if about is None and self._settled[coin]:
            return False
        if about is None and answer is not SKIP:
            self._settled[coin] = True
            self._add_answered(item, bool(answer), expert)
            return True
        about = self._about.setdefault(coin, [])
        question = next((q for q in about if q.answer is None), None)
        answered = any(q.answer is not None and (question is None or q.expert == expert) for q in about)
        if answered or (answer is SKIP and (item, expert) in self._skipped):
            return False
        if question is None:
            question = self._put(item, expert)
            about.append(question)
            token = self._desk.add(question.number, item, expert, shown=True).token
        else:
            token = self._desk.slip(question.number, expert)
        if answer is SKIP:
            self._skip(question, token, item, expert)
        else:
            self._desk.accept(self._desk.find(token, expert), bool(answer))
            question.expert = expert
            self._run.tell(question, bool(answer))
            self._look_again |= any(q.answer is None for q in about)
        return True

    def _time_out(self, coin: int, item: int, expert: str) -> bool:
        """Take in that a question was not answered in time elsewhere."""
        if self._settled[coin] or coin in self._about:
            return False
        question = self._put(item, expert)
        self._desk.add(question.number, item, expert, shown=True)
        self._desk.time_out(question.number, item, expert)
        question.expert = expert
        self._run.tell(question, TIMEOUT)
        self._settled[coin], self._over[coin] = True, question
        return True

    def _come_late(self, coin: int, expert: str) -> bool:
        """Take in a yes to a question that was not answered in time, if it is of the same expert."""
        question = self._over[coin]
        if question.expert != expert:
            return False
        self._desk.come_late(question.number)
        self._run.tell(question, True)
        del self._over[coin]
        return True

    def _put(self, item: int, expert: str) -> Question:
        question = self._run.put(item, expert)
        note = note_of(question.note, self._run.drawn)
        self._writer.append("ask", sequence=question.number, item=item, expert=expert, note=note)
        return question

    def _add_answered(self, item: int, answer: bool, expert: str) -> None:
        """Put a question and answer it."""
        question = self._put(item, expert)
        self._answered.append((question.number, item, expert, answer))
        self._writer.append("answer", question.number, item, expert, int(answer))
        question.expert = expert
        self._run.tell(question, answer)

    def _skip(self, question: Question, token: str, item: int, expert: str) -> None:
        """Skip a question, and withdraw all that everyone has skipped."""
        self._skipped.add((item, expert))
        self._skips.setdefault(question.number, set()).add(expert)
        if not self._desk.pass_on(self._desk.find(token, None)):
            return
        gone: Sequence[int] = ()
        if self._look_again:
            self.flush()
            gone, self._look_again = self._desk.withdraw_what_everyone_skipped(), False
        elif self._everyone <= self._skips[question.number] | self._answered_by(question):
            self._desk.withdraw(question.number)
            gone = (question.number,)
        for number in gone:
            withdrawn = self._run.questions[number]
            self._run.tell(withdrawn, SKIP)
            self._about[self._run.coin(withdrawn.item)].remove(withdrawn)

    def _answered_by(self, question: Question) -> set[str]:
        """Return who answered another question about the same item."""
        others = self._about[self._run.coin(question.item)]
        return {str(q.expert) for q in others if q.item == question.item and isinstance(q.answer, bool)}
