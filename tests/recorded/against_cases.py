"""Answers that hardly any rule of the class explains, or none: put by hand, so that nothing is chosen."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from recorded.comparing import Kind
from recorded.scenes import Case
from recorded.statements import Record, questions, refusal, statement
from recorded.zcal_cases import BITS, DELTA, FIVE, LINE, PLANE, RULES

import activepu as apu


def against(learner: apu.Learner, rows: Any, *parts: tuple[Any, bool, int], experts: Any = (None,)) -> Record:
    """So many answers of one kind, then of the other; one after which nothing fits is taken back."""
    run, moments, coins = apu.Run(learner, rows), [], set()
    items = [(int(item), answer) for some, answer, n in parts for item in np.flatnonzero(some)[:n]]
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


def kind_of(name: str) -> Kind:
    return "fit" if name.startswith("space") else "edge" if name.startswith(("finite", "halfspaces")) else "steady"


def cases() -> dict[str, Case]:
    boxes, line, few, made = apu.Boxes(), apu.Thresholds(), PLANE[:300], {}
    rim, middle = at_the_rim(PLANE), in_the_middle(PLANE)
    ends, between = np.abs(LINE[:, 0] - 0.5) > 0.3, np.abs(LINE[:, 0] - 0.5) < 0.3
    below = (BITS[:, 0] == 0) | (BITS[:, 1] == 0)
    apart = (rim, True, 12), (middle, False, 60)
    few_apart = (rim[:300], True, 12), (middle[:300], False, 60)
    on_a_line = (ends, True, 12), (between, False, 60)
    beyond = (middle, True, 6), ((PLANE[:, 0] > 0.7) & (PLANE[:, 0] < 0.9), False, 40), (PLANE[:, 0] > 0.9, True, 6)
    few_beyond = tuple((some[:300], answer, n) for some, answer, n in beyond)
    space = FIVE[:200, :3]
    centre, corner = (np.abs(PLANE - 0.5) < 0.12).all(axis=1), (PLANE > 0.65).all(axis=1)
    top = (np.abs(PLANE[:, 0] - 0.5) < 0.12) & (PLANE[:, 1] > 0.75)
    round_the_corner = (centre, True, 14), (corner, False, 90), (top, True, 5), (corner, False, 120), (top, True, 9)
    one_side = (LINE[:, 0] > 0.9, True, 6), (LINE[:, 0] < 0.6, False, 130), (LINE[:, 0] > 0.85, True, 20)
    wrong = {
        "one side": (apu.ZCal(line, 0.05, DELTA, check=0), LINE, *one_side),
        "one side, half": (apu.ZCal(line, 0.05, DELTA, rate=0.5, check=0), LINE, *one_side),
        "thresholds": (apu.ZCal(line, 0.05, DELTA, check=0), LINE, *on_a_line),
        "thresholds, half": (apu.ZCal(line, 0.05, DELTA, rate=0.5, check=0), LINE, *on_a_line),
        "intervals, range": (apu.ZCal(apu.Intervals(), 0.05, DELTA, rate=(0.9, 1.0), check=0), LINE, *on_a_line),
        "boxes": (apu.ZCal(boxes, 0.05, DELTA, check=0), PLANE, *apart),
        "boxes, one": (apu.ZCal(boxes, 0.05, DELTA, rate=1.0, check=0), PLANE, *apart),
        "boxes, beyond": (apu.ZCal(boxes, 0.05, DELTA, rate=0.9, check=0), PLANE, *beyond),
        "boxes, beyond, range": (apu.ZCal(boxes, 0.05, DELTA, rate=(0.8, 1.0), check=0), PLANE, *beyond),
        "boxes, beyond, each": (apu.ZCal(boxes, 0.05, DELTA, rate="per expert", check=0), PLANE, *beyond),
        "conjunctions, half": (
            apu.ZCal(apu.Conjunctions(), 0.05, DELTA, rate=0.5, check=0),
            BITS,
            (below, True, 12),
            (below, False, 60),
        ),
        "finite": (apu.ZCal(apu.FiniteClass(RULES), 0.05, DELTA, check=0), PLANE, *apart),
        "finite, mistaken": (apu.ZCal(apu.FiniteClass(RULES), 0.05, DELTA, 0.5, 0.02, check=0), PLANE, *apart),
        "halfspaces": (apu.ZCal(apu.Halfspaces(), 0.1, DELTA, check=0), few, *few_beyond),
        "halfspaces, one": (apu.ZCal(apu.Halfspaces(), 0.1, DELTA, rate=1.0, check=0), few, *few_apart),
        "halfspaces, beyond": (apu.ZCal(apu.Halfspaces(), 0.1, DELTA, rate=0.8, check=0), few, *few_beyond),
        "halfspaces, mistaken": (apu.ZCal(apu.Halfspaces(), 0.1, DELTA, 0.9, 0.01, check=0), few, *few_apart),
        "space, beyond": (
            apu.ZCal(apu.Halfspaces(), 0.1, DELTA, rate=0.8, check=0),
            space,
            ((space[:, 0] > 0.7) & (space[:, 0] < 0.9), False, 5),
            (space[:, 0] < 0.3, True, 3),
            (space[:, 0] > 0.9, True, 3),
        ),
        "cal": (apu.Cal(boxes, 0.1, DELTA), PLANE, *apart),
        "unknown prior": (apu.UnknownPrior(line, 0.3, DELTA), LINE, *on_a_line),
    }
    for name, rate in {"half": 0.5, "range": (0.3, 0.8), "each": "per expert"}.items():
        what = apu.ZCal(boxes, 0.05, DELTA, rate=rate, check=0), PLANE, *round_the_corner
        team = ("ann", "bob") * 55 + ("carl",) * 200 if name == "each" else (None,)
        made[f"round the corner, {name}"] = partial(against, *what, experts=team)
    made["boxes, each"] = partial(
        against, apu.ZCal(boxes, 0.05, DELTA, rate="per expert", check=0), PLANE, *apart, experts=("ann", "bob")
    )
    made |= {name: partial(against, *what) for name, what in wrong.items()}
    return {f"against, {name}": Case(make, kind_of(name)) for name, make in made.items()}
