"""How much is in hand after a run that learned first: false with probability at most δ, exactly.

Once every coin is tossed nothing but the order of the lot is random. So all orders are tried for every set of
confirmable items, with the real learning before, one of its questions open when the lot begins, and in half of the sets
a question of one's own in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations, product

import numpy as np
import pytest
from models.test_audited_validity import FromLowest

import activepu as apu
from activepu.audit.strata import Strata

DELTA = 0.5
ROWS = np.arange(8.0)[:, None]
GIVEN = 7
AUDIT = {"classifier": "found", "recall": 0.9, "delta": DELTA}


def finished(confirms: Sequence[bool], own: bool) -> apu.Run:
    """Make one run; with a question of one's own, which follows the last answer, as the sixth."""
    learner = apu.ModelLearner(FromLowest(), "margin", audit=AUDIT, questions=2, patience=None)
    run = apu.Run(learner, ROWS, positives=[GIVEN])
    waiting = run.ask(2)  # one question is always open
    while waiting:
        question = waiting.pop(0)
        run.tell(question, confirms[question.item])
        waiting += run.ask(1)
        left = sorted(set(range(7)) - {q.item for q in run.questions})
        if own and left and len(run.questions) == 5:
            waiting.append(run.put(left[-1] if question.answer else left[0]))
    return run


def gives(order: Sequence[int], put: Sequence[tuple[int, bool]]) -> bool:
    """Whether a lot in this order gives these questions."""
    out: set[int] = set()
    for item, by_lot in put:
        if by_lot and next(i for i in order if i not in out) != item:
            return False
        out.add(item)
    return True


# If all are confirmed, no model is ever fitted.
CONFIRMS = list(product((False, True), repeat=7))[:-1]


@pytest.mark.parametrize(
    "part", [pytest.param(CONFIRMS[::5], id="a fifth"), pytest.param(CONFIRMS, id="all", marks=pytest.mark.slow)]
)
def test_what_is_said_to_be_in_hand_is_seldom_false(
    part: list[tuple[bool, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    order: tuple[int, ...] = tuple(range(7))
    monkeypatch.setattr(Strata, "lot", lambda self, seed: [np.array([i for i in order if i in self.items])])
    worst, phases, ways = 0.0, Counter[str](), set()
    for confirms in part:
        seen: list[tuple[Sequence[tuple[int, bool]], bool]] = []
        own, false = sum(confirms) % 2 == 1, []
        order = tuple(range(7))
        [items] = finished(confirms, own).result().findings.evidence["items"]
        ways.add(tuple(items))
        for order in permutations(items):  # the lot reads it
            known = next((wrong for put, wrong in seen if gives(order, put)), None)
            if known is None:
                run = finished(confirms, own)
                evidence = run.result().findings.evidence
                low, high = evidence["confirmable"]
                known = not low <= sum(confirms[item] for item in items) <= high
                seen.append((evidence["put"], known))
                phases.update(question.note.phase for question in run.questions)
            false.append(known)
        worst = max(worst, float(np.mean(false)))
    assert 0.01 < worst <= DELTA
    assert phases.keys() == {"model", "rank", "lot", "recorded"}
    assert len(ways) >= 3  # which items are left depends on the answers
