"""The alarm: its e-value is fair under every common rate, grows where rates differ, and tells the rates."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln, xlogy

from activepu.audit.alarm import Known, alarm, log_e_values

CELLS = [("a", "x"), ("b", "x"), ("a", "y"), ("a", "x"), ("b", "y"), ("b", "x"), ("a", "y"), ("b", "y")]
"""The group and the expert of each of eight known positives."""


def answers(revealed: tuple[bool, ...]) -> list[Known]:
    return [Known({"group": g, "expert": e}, shown) for (g, e), shown in zip(CELLS, revealed, strict=False)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=40))
def test_the_e_value_is_the_quotient_of_its_definition(seen: list[tuple[str, bool]]) -> None:
    cells, revealed = np.array([c for c, _ in seen]), np.array([float(shown) for _, shown in seen])
    for t in range(1, len(seen) + 1):
        r, n = revealed[:t].sum(), t
        wanted = -xlogy(r, r / n) - xlogy(n - r, 1 - r / n)
        for cell in "abc":
            at = cells[:t] == cell
            shown = revealed[:t][at].sum()
            wanted += betaln(shown + 0.5, at.sum() - shown + 0.5) - betaln(0.5, 0.5)
        assert log_e_values(cells, revealed)[t - 1] == pytest.approx(wanted)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("kinds", [["group"], ["group", "expert"]])
def test_it_is_fair_under_every_common_rate(rate: float, kinds: list[str]) -> None:
    """Over all sequences of answers: the mean of E is at most 1 at any time, and 1/δ is ever reached in at most δ."""
    n = len(CELLS)
    mean, ever = 0.0, dict.fromkeys((0.8, 0.5, 0.2), 0.0)
    for revealed in itertools.product((False, True), repeat=n):
        chance = rate ** sum(revealed) * (1 - rate) ** (n - sum(revealed))
        now = [
            log_e_values(np.array([c.cells[k] for c in answers(revealed)]), np.array(revealed, float)) for k in kinds
        ]
        mean += chance * float(np.exp(now)[:, -1].mean())
        found = alarm(answers(revealed), kinds)
        for delta in ever:
            ever[delta] += chance * found.fires(delta)
    assert 0 < mean <= 1
    assert all(share <= delta for delta, share in ever.items())


def test_it_fires_sometimes_and_stays_on() -> None:
    """A false alarm is possible, and later answers do not silence it."""
    apart = answers((True, False, True, True, False, False, True, False))
    assert alarm(apart, ["group"]).fires(0.2)
    later = apart + [Known({"group": g, "expert": "x"}, g == "b") for g in "ab"] * 4
    assert alarm(later, ["group"]).log_e == alarm(apart, ["group"]).log_e
    assert (
        log_e_values(np.array([k.cells["group"] for k in later]), np.array([k.revealed for k in later], float))[-1] < 0
    )


def test_several_divisions_share_the_level() -> None:
    apart = answers((True, False, True, True, False, False, True, False))
    one, two = alarm(apart, ["group"]), alarm(apart, ["group", "expert"])
    assert one.log_e - math.log(2) < two.log_e < one.log_e
    assert two.rates == one.rates == (("in group a", 4, 4), ("in group b", 4, 0))


def test_of_many_cells_the_extremes_are_told() -> None:
    seen = [Known({"band": f"with a score from {k}"}, shown < k) for k in range(6) for shown in range(5)]
    assert str(alarm(seen, ["band"])) == (
        "gold with a score from 0 was confirmed in 0 of 5 cases, with a score from 5 in 5 of 5 cases"
    )


def test_without_answers_nothing_is_said() -> None:
    assert not alarm([], ["group"]).fires(0.9)
    assert not alarm(answers((True,)), []).fires(0.9)
