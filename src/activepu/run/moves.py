"""The rules of a run: which answers a question takes, which can be taken back, and what that assumes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from activepu import checks
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.experts import SKIP, TIMEOUT, Skip, Timeout
from activepu.learners import Learner
from activepu.learners.base import Questions
from activepu.records import RECORDED, Answer, Note, Question, Report

SKIPPED = "items were skipped whatever they are"
ELSEWHERE = (
    "answers from elsewhere came in the order of asking (or in random order, if those items were chosen before any of "
    "them was answered), and none was left out"
)
BY_LOT = "the items asked elsewhere were picked at random, so that the other rows are still independent draws"


def checked(answer: Any, wanted: str = "True (revealed), False (can't tell), SKIP or TIMEOUT") -> Answer:
    """Return True, False, SKIP or TIMEOUT; refuse anything else."""
    if isinstance(answer, (bool, np.bool_)):
        return bool(answer)
    if isinstance(answer, (Skip, Timeout)):
        return answer
    raise InvalidInput(f"An answer is {wanted}, got {checks.plain(answer)!r}.")


def checked_reply(answer: Any) -> Answer:
    """Return True, False or SKIP, what an expert can say; refuse anything else."""
    if isinstance(answer, Timeout):
        raise InvalidInput("Only a run can be told TIMEOUT, about a question of its own; leave this answer out.")
    return checked(answer, "True (revealed), False (can't tell) or SKIP")


def checked_answer(question: Question, answer: Any, learner: Learner) -> Answer | None:
    """Return the answer if it is new, None if it adds nothing; refuse one that the question cannot take.

    After the deadline only a yes adds something.
    """
    told = checked(answer)
    if told is TIMEOUT and not learner.allows_timeouts:
        raise InvalidInput(
            f"{learner.title} needs an answer to every question, and cannot go on after a timeout; tell SKIP instead "
            "if the reason has nothing to do with the item."
        )
    if question.answer is None:
        return told
    if question.answer == told:
        return None
    if question.answer is TIMEOUT and isinstance(told, bool):
        return told if told and not question.late else None
    if question.answer is SKIP:
        raise InvalidInput(
            f"Question {question.number} was skipped and went back to the pool, so it cannot take {answer}; "
            "it will be asked again as a new question."
        )
    raise InvalidInput(
        f"Question {question.number} was already answered with {question.answer}, and now {answer}; "
        "take the first answer back with undo."
    )


def hold_back(questions: Sequence[Question]) -> list[Question]:
    """Take every yes back that came after its question had its turn; return these questions, as the answers came."""
    later = sorted((q for q in questions if q.late and q.came[0] > q.number), key=lambda question: question.came)
    for question in later:
        question.late = False
    return later


def asked_again(skipped: Iterable[Question], items: Iterator[tuple[int, Note]]) -> Iterator[tuple[int, Note]]:
    """Yield skipped items to be asked again; a learner that asks in a region gets those that lie in it."""
    for question in skipped:
        if not isinstance(items, Questions):
            yield question.item, question.note
        elif items.holds(question.item):
            yield question.item, replace(question.note, phase=items.phase)


def check_new(item: int, coin: int, given: Collection[int], asked: Collection[int]) -> None:
    """Refuse an item that was given as positive or asked before; `coin` is the one that decides its answer."""
    if coin in given:
        raise InvalidInput(
            f"Item {item} was given as positive, or looks the same to the expert as one that was, and is not asked."
        )
    if coin in asked:
        raise InvalidInput(f"Item {item} was asked already, or looks the same to the expert as one that was.")


def check_undo(question: Question, questions: Sequence[Question], learner: Learner, again: Question | None) -> None:
    """Refuse to take an answer or skip back if there is none, or if something later rests on it.

    `again` is the later question about the same item, if it was skipped and has been asked again.
    """
    if question.answer is None:
        raise InvalidInput(f"Question {question.number} has no answer yet, so there is nothing to take back.")
    if question.answer is TIMEOUT and not question.late:
        raise InvalidInput(
            f"The deadline of question {question.number} has passed, which cannot be taken back; a yes can still be "
            "told."
        )
    if again is not None:
        raise InvalidInput(
            f"Question {question.number} was skipped, and its item was asked again as question {again.number}; "
            "answer that one."
        )
    learner.check_undo(question, questions)


def with_assumptions(report: Report, questions: Sequence[Question], learner: Learner) -> Report:
    """Return the report with what its certificates assume about skips and about answers from elsewhere."""
    skipped = learner.rests_on_chance and any(question.answer is SKIP for question in questions)
    timed_out = bool(learner.in_time) and any(question.answer is TIMEOUT for question in questions)
    elsewhere = not learner.in_any_way and any(question.note.phase == RECORDED for question in questions)

    def under(certificate: Certificate) -> Certificate:
        if certificate.method == "estimate" and certificate.error_bound >= 1:
            return certificate  # it bounds nothing
        if skipped:
            certificate = certificate.given(SKIPPED)
        if timed_out:
            certificate = certificate.given(learner.in_time)
        if elsewhere:
            certificate = certificate.given(ELSEWHERE)
            certificate = certificate.given(BY_LOT) if certificate.scope == "population" else certificate
        return certificate

    population = None if report.population is None else under(report.population)
    findings = report.findings
    if findings is not None:
        findings = findings.given(SKIPPED) if skipped else findings
        findings = findings.given(learner.in_time) if timed_out else findings
    return replace(report, certificate=under(report.certificate), population=population, findings=findings)
