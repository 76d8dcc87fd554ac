"""How answers that were collected elsewhere enter a study, all in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from activepu.experts import SKIP
from activepu.records import Answer, Question
from activepu.run import Run
from activepu.studies.desk import Desk
from activepu.studies.replay import note_of
from activepu.studies.shared_run import Writer


def take_in(desk: Desk, writer: Writer, run: Run, answers: Sequence[tuple[int, Answer, str]]) -> int:
    """Record each (item, answer, expert) whose coin has no answer yet, in this order; return how many there were.

    An open question about the item is answered. For any other item a question is put, as if it had been asked here.
    """
    known: dict[int, list[Question]] = {}
    for q in run.questions:
        if q.answer is not SKIP:
            known.setdefault(run.coin(q.item), []).append(q)
    known_as = {expert: desk.join(expert) for expert in dict.fromkeys(expert for _, _, expert in answers)}
    answers = [(item, answer, known_as[expert]) for item, answer, expert in answers]
    skipped = {(run.questions[sequence].item, expert) for sequence, expert in desk.skips()}
    added = 0
    writer.touched = True
    for item, answer, expert in answers:
        about = known.setdefault(run.coin(item), [])
        question = next((q for q in about if q.answer is None), None)
        answered = any(q.answer is not None and (question is None or q.expert == expert) for q in about)
        if answered or (answer is SKIP and (item, expert) in skipped):
            continue
        if question is None:
            question = run.put(item, expert)
            about.append(question)
            note = note_of(question.note, run.drawn)
            writer.append("ask", sequence=question.number, item=item, expert=expert, note=note)
            token = desk.add(question.number, item, expert, shown=True).token
        else:
            token = desk.slip(question.number, expert)
        if answer is SKIP:
            skipped.add((item, expert))
            if desk.skip(desk.find(token, None)):
                run.tell(question, SKIP)
                about.remove(question)
        else:
            desk.accept(desk.find(token, expert), bool(answer))
            question.expert = expert
            run.tell(question, bool(answer))
        added += 1
    return added
