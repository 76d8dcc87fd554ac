"""Asking and telling by hand: late, skipped and recorded answers, undo, contradictions, and a study."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from recorded.scenes import Case
from recorded.statements import Record, ending, questions, refusal, statement
from recorded.zcal_cases import BITS, COINS, DELTA, LINE, PLANE, RULES, worlds

import activepu as apu

REVEALS = COINS < 0.5


def tell_all(run: apu.Run, put: Iterable[apu.Question], y: Any) -> None:
    for question in put:
        run.tell(question, bool(y[question.item] and REVEALS[question.item]))


def out_of_order(name: str, rate: Any) -> Record:
    """Late answers, skips, an answer and a skip that are taken back, and answers after the end."""
    H, rows, y, epsilon = worlds(name)
    run, moments = apu.Run(apu.ZCal(H, epsilon, DELTA, rate=rate), rows, seed=4), []
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
    while not run.finished and len(run.questions) < 70 and (put := run.ask(1, "ann")):
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


def against(learner: apu.Learner, rows: Any, revealed: Any, silent: Any, experts: Any = (None,)) -> Record:
    """Reveals far apart, and then silence among them; an answer after which nothing fits is taken back."""
    run, moments, coins = apu.Run(learner, rows), [], set()
    items = [(int(item), True) for item in np.flatnonzero(revealed)[:12]]
    items += [(int(item), False) for item in np.flatnonzero(silent)[:60]]
    try:
        for place, (item, answer) in enumerate(items):
            if run.coin(item) not in coins:
                coins.add(run.coin(item))
                run.tell(run.put(item, experts[place % len(experts)]), answer)
            if place == 11:
                moments.append(statement(run.result(), rows))
        end = {"end": statement(run.result(), rows)}
    except apu.ActivePUError as error:
        end = refusal(error)
        run.undo(run.questions[-1])
        moments.append(known(run, rows))
    return {"questions": questions(run.questions), "moments": moments, **end}


def known(run: apu.Run, rows: Any) -> Record:
    """What the run says, or why it says nothing."""
    try:
        return statement(run.result(), rows)
    except apu.ActivePUError as error:
        return refusal(error)


def at_the_rim(rows: Any) -> Any:
    return (np.abs(rows - 0.5) > 0.4).any(axis=1)


def in_the_middle(rows: Any) -> Any:
    return (np.abs(rows - 0.5) < 0.2).all(axis=1)


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
        with apu.Study.create(url, "study", pool, learner, seed=3, positives=np.flatnonzero(y)[:1].tolist()) as study:
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
            study.ask("bob")
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


def plain_row(row: Any) -> Any:
    return np.asarray(row).tolist()


def cases() -> dict[str, Case]:
    boxes, line, few = apu.Boxes(), apu.Thresholds(), PLANE[:300]
    rim, middle = at_the_rim(PLANE), in_the_middle(PLANE)
    ends, between = np.abs(LINE[:, 0] - 0.5) > 0.3, np.abs(LINE[:, 0] - 0.5) < 0.3
    below = (BITS[:, 0] == 0) | (BITS[:, 1] == 0)
    made: dict[str, Any] = {
        "by hand, boxes": partial(out_of_order, "boxes", None),
        "by hand, boxes, half": partial(out_of_order, "boxes", 0.5),
        "by hand, thresholds, half": partial(out_of_order, "thresholds", 0.5),
        "by hand, orthants, each": partial(out_of_order, "orthants", "per expert"),
        "elsewhere, boxes": partial(elsewhere, apu.ZCal(boxes, 0.15, DELTA), "boxes"),
        "elsewhere, intervals, half": partial(elsewhere, apu.ZCal(apu.Intervals(), 0.1, DELTA, rate=0.5), "intervals"),
        "elsewhere, cal": partial(elsewhere, apu.Cal(boxes, 0.2, DELTA), "boxes"),
        "elsewhere, known prior": partial(elsewhere, apu.KnownPrior(boxes, 0.2, DELTA, 0.6), "boxes"),
        "elsewhere, passive": partial(elsewhere, apu.PassivePU(line, 0.2, DELTA), "thresholds"),
        "study, boxes, half": partial(shared, apu.ZCal(boxes, 0.15, DELTA, rate=0.5), "boxes"),
        "study, intervals, each": partial(
            shared, apu.ZCal(apu.Intervals(), 0.1, DELTA, rate="per expert"), "intervals"
        ),
        "study, known prior": partial(shared, apu.KnownPrior(line, 0.1, DELTA, 0.4), "thresholds"),
    }
    wrong = {
        "thresholds": (apu.ZCal(line, 0.05, DELTA), LINE, ends, between),
        "thresholds, half": (apu.ZCal(line, 0.05, DELTA, rate=0.5), LINE, ends, between),
        "intervals, range": (apu.ZCal(apu.Intervals(), 0.05, DELTA, rate=(0.6, 0.9)), LINE, ends, between),
        "boxes": (apu.ZCal(boxes, 0.05, DELTA), PLANE, rim, middle),
        "boxes, one": (apu.ZCal(boxes, 0.05, DELTA, rate=1.0), PLANE, rim, middle),
        "boxes, each": (apu.ZCal(boxes, 0.05, DELTA, rate="per expert"), PLANE, rim, middle, ("ann", "bob")),
        "conjunctions, half": (apu.ZCal(apu.Conjunctions(), 0.05, DELTA, rate=0.5), BITS, below, BITS[:, 0] == 1),
        "finite": (apu.ZCal(apu.FiniteClass(RULES), 0.05, DELTA), PLANE, rim, middle),
        "finite, mistaken": (apu.ZCal(apu.FiniteClass(RULES), 0.05, DELTA, 0.5, 0.02), PLANE, rim, middle),
        "halfspaces, one": (apu.ZCal(apu.Halfspaces(), 0.1, DELTA, rate=1.0), few, rim[:300], middle[:300]),
        "halfspaces, mistaken": (apu.ZCal(apu.Halfspaces(), 0.1, DELTA, 0.9, 0.01), few, rim[:300], middle[:300]),
        "cal": (apu.Cal(boxes, 0.1, DELTA), PLANE, rim, middle),
        "unknown prior": (apu.UnknownPrior(line, 0.3, DELTA), LINE, ends, between),
    }
    made |= {f"against, {name}": partial(against, *what) for name, what in wrong.items()}
    edges = ("against, finite", "against, halfspaces")
    return {name: Case(make, "edge" if name.startswith(edges) else "steady") for name, make in made.items()}
