"""The alarm where each expert has a rate of their own: it compares the known positives of each expert by themselves."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from activepu.audit.alarm import Known, alarm, products


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
