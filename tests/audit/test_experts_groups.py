"""Groups and the alarm where each expert has a rate: known positives are compared for each expert by themselves."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from audit import world

import activepu as apu
from activepu.audit.alarm import Known, alarm, products

RATES = {"ann": 0.9, "bob": 0.5}


def test_experts_who_differ_raise_no_alarm_if_each_has_a_rate() -> None:
    """Two experts, one who confirms all and one who confirms next to nothing, asked about the same gold."""
    answers = [Known({"band": "x", "expert": "ann"}, True), Known({"band": "x", "expert": "bob"}, False)] * 40
    assert alarm(answers, ["band", "expert"]).fires(0.05)
    assert not alarm(answers, ["band", "expert"], per_expert=True).fires(0.5)


def test_bands_that_differ_for_the_same_expert_raise_the_alarm() -> None:
    one = [Known({"band": "x", "expert": "ann"}, True), Known({"band": "y", "expert": "ann"}, False)] * 20
    other = [Known({"band": band, "expert": "bob"}, False) for band in "xy"] * 20
    assert alarm(one + other, ["band", "expert"], per_expert=True).fires(0.05)


@pytest.mark.parametrize("turns", ["ab", "aab"])
def test_the_alarm_with_a_rate_each_is_an_e_value(turns: str) -> None:
    """Over all answers, its mean is at most 1 for every pair of rates."""
    cells = [Known({"band": "xyx"[k % 3], "expert": turns[k % len(turns)]}, False) for k in range(8)]
    for rates in ({"a": 0.9, "b": 0.2}, {"a": 0.5, "b": 0.5}):
        total = 0.0
        for said in itertools.product((False, True), repeat=len(cells)):
            told = [replace(cell, revealed=answer) for cell, answer in zip(cells, said, strict=True)]
            chance = math.prod(
                rates[cell.cells["expert"]] if cell.revealed else 1 - rates[cell.cells["expert"]] for cell in told
            )
            columns = (np.array([cell.cells[kind] for cell in told]) for kind in ("band", "expert"))
            bands, whose = columns
            total += chance * math.exp(products(bands, np.array(said, float), whose)[-1])
        assert 0.01 < total <= 1 + 1e-9


def test_each_group_has_its_own_rates() -> None:
    groups = np.where(np.arange(world.N) % 2, "odd", "even")
    audit = world.audit(rate="per expert", groups=groups)
    team = {name: apu.SimulatedExpert(world.TRUTH, rate, seed=k) for k, (name, rate) in enumerate(RATES.items(), 1)}
    result = apu.learn(audit, world.X, team, budget=90, batch=5)
    stated = {(s.what, s.group): s for s in result.statements()}
    assert ("rate of bob", "odd") in stated
    assert ("confirmable recall", "odd") not in stated
    assert "of the group" in stated["recall", "odd"].assumptions[1]
    for name, rate in RATES.items():
        for group in (None, "even", "odd"):
            own = stated[f"rate of {name}", group]
            assert own.low <= rate <= own.high
    assert set(result.rates) == {"ann", "bob"}
