"""The plan of an audit where the pool is small."""

from __future__ import annotations

from typing import Any

import pytest

import activepu as apu
from activepu.planning import plan
from activepu.planning.audits.simulate import AuditSimulation
from activepu.planning.runs import Trial

SMALL: dict[str, Any] = {
    "rate": 0.7,
    "prior": 0.03,
    "model_recall": 0.75,
    "model_precision": 0.8,
    "pool": 500,
    "runs": 2,
}


def test_what_a_small_pool_cannot_show_gets_no_number() -> None:
    made = plan(apu.Audit(None, recall=0.6), **SMALL)
    assert all(row.questions is None or row.questions <= 500 for row in made.rows)
    rows = {row.method: row for row in made.rows}
    for name in ("Audit", "10 points lower"):
        assert rows[name].questions is None
        assert "not possible in this pool, even if every item is asked: so it was in 2 of 2 runs" in rows[name].note
    for name in ("limit", "fixed sample"):
        assert rows[name].questions is None
        assert rows[name].note == "more than the pool holds, by the formula for a large pool"
    assert rows["floor"].questions > 0
    assert "Expect hundreds" not in str(made)


def test_the_limit_of_a_pool_that_is_not_much_larger_says_so() -> None:
    notes = [plan(apu.Audit(None, recall=0.6), **SMALL | {"runs": 0, "pool": n}).rows[0].note for n in (2000, 20_000)]
    assert notes == ["no method needs fewer on average, in a much larger pool", "no method needs fewer on average"]


def test_a_guess_is_printed_as_it_was_typed() -> None:
    made = plan(apu.Audit(None, recall=0.6), **SMALL | {"runs": 0})
    assert "Guess: 500 items, 3% of them positive; the classifier finds 75% of these, and 80% of what" in str(made)
    assert "Guess: 20,000 items, 10% of them" in str(plan(apu.Audit(None, recall=0.6), runs=0))


def test_runs_that_asked_every_item_are_not_said_to_need_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AuditSimulation, "trials", lambda self, runs, watch: [Trial(300, 1.0), Trial(500, 0.0)])
    row = plan(apu.Audit(None, recall=0.6), **SMALL).rows[0]
    assert (row.questions, row.note) == (400, "1 of 2 runs did not get there, even with every item asked")
