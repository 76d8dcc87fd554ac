"""What is asked and said is what was recorded: of every class, learner and way of asking (`cases`).

Only what every machine does alike is compared here (`comparing`); to the last digit on one machine, by `record.py`.
A change that is meant is recorded again with it.
"""

from __future__ import annotations

import json

import pytest
from recorded.cases import CASES, recorded
from recorded.comparing import differences, exactly, on_other_machines

SMALLEST = 200
"""Rows of the smallest table: an item is no larger share of any."""
RECORDED = recorded()


def test_every_case_is_recorded_and_no_other() -> None:
    assert list(RECORDED) == list(CASES)
    assert not any("broken" in record for record in RECORDED.values())


@pytest.mark.parametrize("name", CASES)
def test_it_goes_as_recorded(name: str) -> None:
    case = CASES[name]
    old, new = case.elsewhere(RECORDED[name])
    new = json.loads(json.dumps(new))
    assert list(differences(old, new, on_other_machines(case.kind, SMALLEST))) == []


def test_what_is_read_back_is_what_was_said() -> None:
    differ = {name: record["loaded_differs_in"] for name, record in RECORDED.items() if record.get("loaded_differs_in")}
    assert differ == {}


@pytest.mark.parametrize(
    ("kind", "path", "old", "new", "same"),
    [
        ("steady", "end.rate.low", 0.1, 0.1 + 1e-12, True),
        ("steady", "end.rate.low", 0.1, 0.1 + 1e-6, False),
        ("steady", "text", "a", "b", False),
        ("steady", "file", "a", "b", True),
        ("steady", "history.undecided.digits", "a", "b", True),
        ("edge", "end.rule", "a", "b", True),
        ("edge", "end.stop_reason", "a", "b", False),
        ("edge", "end.items.undecided[0]", 30, 32, True),
        ("edge", "end.items.undecided[0]", 30, 33, False),
        ("fit", "end.prior.low", 0.1, 0.12, False),
        ("free", "end.prior.low", 0.1, 0.9, True),
        ("free", "end.n_queries", 15, 16, False),
    ],
)
def test_what_another_machine_may_do(kind, path, old, new, same) -> None:
    assert on_other_machines(kind, SMALLEST)(path, old, new) == same
    assert exactly(path, old, old)
