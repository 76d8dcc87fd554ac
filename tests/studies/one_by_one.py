"""How answers from elsewhere enter a study, each by itself, as experts would give them: what an import must equal."""

from __future__ import annotations

import hashlib

from activepu.experts import SKIP
from activepu.studies.replay import note_of


def take_in(desk, writer, run, answers):
    """Record each (item, answer, expert) whose coin has no answer yet, in this order; return how many there were."""
    known = {}
    for q in run.questions:
        if q.answer is not SKIP:
            known.setdefault(run.coin(q.item), []).append(q)
    known_as = {expert: desk.join(expert) for expert in dict.fromkeys(expert for _, _, expert in answers)}
    skipped = {(run.questions[sequence].item, expert) for sequence, expert in desk.skips()}
    added = 0
    writer.touched = True
    for item, answer, said_by in answers:
        expert, about = known_as[said_by], known.setdefault(run.coin(item), [])
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


def record(study, answers):
    """Record answers as `Study.record` does."""
    with study._shared.changing() as (desk, writer, run):
        return take_in(desk, writer, run, answers)


def in_order(found, seed):
    """Sort entries (item, answer, expert, number) into the order of asking."""

    def lot(*about):
        return hashlib.sha256(repr((seed, *about)).encode()).digest()

    def place(entry):
        item, answer, expert, number = entry
        known = number is not None
        of_item, of_expert = (b"", b"") if known else (lot(item), lot(item, expert))
        return not known, number or 0, of_item, answer is not SKIP, of_expert

    return sorted(found, key=place)
