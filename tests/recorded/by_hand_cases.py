"""Asking and telling by hand: late, skipped and recorded answers, undo, and a study."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from recorded.scenes import Case
from recorded.statements import Record, ending, questions, refusal, statement
from recorded.zcal_cases import COINS, DELTA, PLANE, RULES, worlds

import activepu as apu

REVEALS = COINS < 0.5


def tell_all(run: apu.Run, put: Iterable[apu.Question], y: Any) -> None:
    for question in put:
        run.tell(question, bool(y[question.item] and REVEALS[question.item % 1000]))


def out_of_order(name: str, rate: Any) -> Record:
    """Late answers, skips, an answer and a skip that are taken back, and answers after the end."""
    H, rows, y, epsilon = worlds(name)
    run, moments = apu.Run(apu.ZCal(H, epsilon, DELTA, rate=rate, check=0), rows, seed=4), []
    first, second, third, fourth = run.ask(4, "ann")
    tell_all(run, [fourth, second], y)
    moments.append(statement(run.result(), rows))
    run.tell(third, apu.SKIP)
    tell_all(run, [first], y)
    moments.append(statement(run.result(), rows))
    run.undo(second)
    tell_all(run, run.ask(2, "bob"), y)
    moments.append(statement(run.result(), rows))
    run.undo(third)
    tell_all(run, [second, third], y)
    while len(run.questions) < 30 and (put := run.ask(2, "ann")):
        tell_all(run, reversed(put), y)
    late = run.ask(2, "bob")
    while not run.finished and len(run.questions) < 50 and (put := run.ask(1, "ann")):
        tell_all(run, put, y)
    moments.append(statement(run.result(), rows))
    tell_all(run, late, y)
    moments.append(statement(run.result(), rows))
    if run.questions[-1].answer is not None:
        run.undo(run.questions[-1])
        moments.append(statement(run.result(), rows))
        tell_all(run, run.open, y)
    return {"questions": questions(run.questions), "moments": moments, **ending(run.result(), rows)}


def elsewhere(learner: apu.Learner, name: str) -> Record:
    """Answers that were collected elsewhere, some before the run asks itself and some after."""
    _, rows, y, _ = worlds(name)
    run = apu.Run(learner, rows, seed=2)
    for item in range(0, 300, 25):
        run.record(item, bool(y[item] and REVEALS[item]))
    moments = [statement(run.result(), rows)]
    for _ in range(12):
        tell_all(run, run.ask(2), y)
    own = [run.put(item, "bob") for item in (501, 503, 507)]
    moments.append(statement(run.result(), rows))
    tell_all(run, own, y)
    for _ in range(5):
        tell_all(run, run.ask(), y)
    return {"questions": questions(run.questions), "moments": moments, **ending(run.result(), rows)}


def late(learner: apu.Learner, rows: Any, y: Any, at_once: int, most: int) -> Record:
    """One answer of each batch comes only after the end."""
    run, held, moments = apu.Run(learner, rows, seed=6), [], []
    while not run.finished and len(run.questions) < most and (put := run.ask(at_once)):
        tell_all(run, put[1:], y)
        held.append(put[0])
        if len(held) > 3:
            tell_all(run, [held.pop(0)], y)
    moments.append(statement(run.result(), rows))
    tell_all(run, held, y)
    moments.append(statement(run.result(), rows))
    for item in np.flatnonzero(y)[:40]:
        if run.coin(int(item)) not in {run.coin(question.item) for question in run.questions}:
            run.record(int(item), bool(REVEALS[item % 1000]))
    return {"questions": questions(run.questions), "moments": moments, **ending(run.result(), rows)}


def asked_again(learner: apu.Learner, name: str, most: int) -> Record:
    """Every item is skipped when it is asked for the first time."""
    _, rows, y, _ = worlds(name)
    run, met = apu.Run(learner, rows, seed=3), set()
    while not run.finished and len(run.questions) < most and (put := run.ask(2)):
        for question in put:
            first = run.coin(question.item) not in met
            met.add(run.coin(question.item))
            run.tell(question, apu.SKIP if first else bool(y[question.item] and REVEALS[question.item]))
    return {"questions": questions(run.questions), **ending(run.result(), rows)}


def silent_for_long(learner: apu.Learner) -> Record:
    """Hundreds of answers from elsewhere, few of them reveals; then the run goes on."""
    _, rows, y, _ = worlds("boxes")
    run = apu.Run(learner, rows, seed=2)
    for item in range(330):
        run.record(item, bool(y[item] and COINS[item] < 0.15))
    moments = [statement(run.result(), rows)]
    for _ in range(3):
        tell_all(run, run.ask(2), y)
    return {"questions": questions(run.questions), "moments": moments, **ending(run.result(), rows)}


def too_small() -> Record:
    """What is refused before the first question."""
    learners = [
        apu.KnownPrior(apu.Boxes(), 0.1, DELTA, 0.5),
        apu.UnknownPrior(apu.Boxes(), 0.1, DELTA),
        apu.PassivePU(apu.Boxes(), 0.1, DELTA),
        apu.Cal(apu.Boxes(), 0.1, DELTA),
        apu.UnknownPrior(apu.FiniteClass(RULES), 0.001, DELTA),
    ]
    found = []
    for learner in learners:
        try:
            found.append({"run": repr(apu.Run(learner, PLANE[:50]))})
        except apu.ActivePUError as error:
            found.append(refusal(error))
    return {"refused": found}


def shared(learner: apu.Learner, name: str) -> Record:
    """A study of two experts: leases, a skip, an undo, a question that is passed on, and a process that comes later."""
    _, rows, y, _ = worlds(name)
    pool, told = apu.Pool(rows), []

    def note(study: apu.Study, leased: Iterable[apu.Leased]) -> list[apu.Leased]:
        held = list(leased)
        told.append([[one.number, one.item, one.expert, plain_row(one.row)] for one in held])
        return held

    def answer(study: apu.Study, leased: Iterable[apu.Leased]) -> None:
        for one in leased:
            study.tell(one.token, bool(y[one.item] and REVEALS[one.item]))

    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/study.db"
        known = np.flatnonzero(y)[:1].tolist()
        with apu.Study.create(url, "study", pool, learner, 3, known, rate_in_time=True) as study:
            for _ in range(4):
                answer(study, note(study, study.ask("ann", 2)))
                answer(study, note(study, study.ask("bob")))
            held = note(study, study.ask("bob", 2))
            study.skip(held[0].token)
            answer(study, note(study, study.ask("ann")))
            answer(study, held[1:])
            again = note(study, [study.undo("bob")])
            middle = statement(study.result(), rows)
            answer(study, again)
            for _ in range(3):
                note(study, study.ask("bob", shown=False))
            note(study, study.open("bob"))
            study.release("bob")
            answer(study, note(study, study.ask("ann", 2)))
            study.record([(item, bool(y[item] and REVEALS[item]), "carl") for item in (7, 77, 177)])
            said = [str(study.status())]
        with apu.Study.load(url, "study", pool) as study:
            after = statement(study.result(), rows)
            for _ in range(5):
                answer(study, note(study, study.ask("bob", 2)))
            study.leave("ann")
            said.append(str(study.status()))
            asked = questions(study.run().questions)
            return {"questions": asked, "leased": told, "said": said, "moments": [middle, after]} | ending(
                study.result(), rows
            )


def absent(learner: apu.Learner, name: str) -> Record:
    """An expert is shown questions and does not answer in time; what others fetched and did not see goes on."""
    _, rows, y, _ = worlds(name)
    told = []
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/study.db"
        with apu.Study.create(url, "study", apu.Pool(rows), learner, seed=3, rate_in_time=True) as study:
            for expert in ("ann", "bob", "ann", "carl", "carl", "bob"):
                held = study.ask(expert, 2, shown=expert != "carl")
                told.append([[one.number, one.item, one.expert] for one in held])
                study.release(expert, shown=expert == "ann")
                if expert != "carl":
                    for one in held:
                        study.tell(one.token, bool(y[one.item] and REVEALS[one.item]))
            asked, status = questions(study.run().questions), str(study.status())
            return {"questions": asked, "leased": told, "said": status} | ending(study.result(), rows)


def long_line() -> tuple[Any, Any]:
    rows = np.random.default_rng(12).random((12_000, 1))
    return rows, rows[:, 0] >= 0.6


def long_box(n: int) -> tuple[Any, Any]:
    rows = np.random.default_rng(12).random((n, 2))
    return rows, (np.abs(rows - 0.5) <= 0.25).all(axis=1)


def plain_row(row: Any) -> Any:
    return np.asarray(row).tolist()


def cases() -> dict[str, Case]:
    boxes, line = apu.Boxes(), apu.Thresholds()
    made: dict[str, Any] = {
        "by hand, boxes": partial(out_of_order, "boxes", None),
        "by hand, boxes, half": partial(out_of_order, "boxes", 0.5),
        "by hand, thresholds, half": partial(out_of_order, "thresholds", 0.5),
        "by hand, orthants, each": partial(out_of_order, "orthants", "per expert"),
        "elsewhere, boxes": partial(elsewhere, apu.ZCal(boxes, 0.15, DELTA, check=0), "boxes"),
        "elsewhere, intervals, half": partial(
            elsewhere, apu.ZCal(apu.Intervals(), 0.1, DELTA, rate=0.5, check=0), "intervals"
        ),
        "elsewhere, cal": partial(elsewhere, apu.Cal(boxes, 0.2, DELTA), "boxes"),
        "elsewhere, known prior": partial(elsewhere, apu.KnownPrior(boxes, 0.2, DELTA, 0.6), "boxes"),
        "elsewhere, passive": partial(elsewhere, apu.PassivePU(line, 0.2, DELTA), "thresholds"),
        "study, boxes, half": partial(shared, apu.ZCal(boxes, 0.15, DELTA, rate=0.5, check=0), "boxes"),
        "study, intervals, each": partial(
            shared, apu.ZCal(apu.Intervals(), 0.1, DELTA, rate="per expert", check=0), "intervals"
        ),
        "study, known prior": partial(shared, apu.KnownPrior(line, 0.1, DELTA, 0.4), "thresholds"),
    }
    made["late, unknown prior"] = partial(late, apu.UnknownPrior(line, 0.15, DELTA), *long_line(), 5, 400)
    made["late, unknown prior, few rows"] = partial(late, apu.UnknownPrior(boxes, 0.3, DELTA), *long_box(1500), 3, 900)
    made["late, known prior"] = partial(late, apu.KnownPrior(boxes, 0.15, DELTA, 0.26), *long_box(6000), 4, 300)
    made["late, reveal rate, dry"] = partial(late, apu.RevealRate(boxes, DELTA), *long_box(300), 3, 300)
    made["late, passive"] = partial(late, apu.PassivePU(boxes, 0.3, DELTA), *long_box(3000), 3, 300)
    made["long silence"] = partial(silent_for_long, apu.ZCal(boxes, 0.15, DELTA, check=0))
    made["long silence, rate known"] = partial(silent_for_long, apu.ZCal(boxes, 0.15, DELTA, rate=0.15, check=0))
    made["long silence, each"] = partial(silent_for_long, apu.ZCal(boxes, 0.15, DELTA, rate="per expert", check=0))
    made["asked again"] = partial(asked_again, apu.ZCal(boxes, 0.2, DELTA, rate=0.5, check=0), "few boxes", 500)
    made["asked again, known prior"] = partial(asked_again, apu.KnownPrior(line, 0.1, DELTA, 0.4), "thresholds", 900)
    made["study, absent"] = partial(absent, apu.ZCal(boxes, 0.15, DELTA, rate=0.5, check=0), "boxes")
    made["too small"] = too_small
    return {name: Case(make) for name, make in made.items()}
