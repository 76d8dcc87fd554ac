"""The check of the class: its alarm is rarely false, it sees what it says that it sees, and it asks by lot."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import activepu as apu
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED
from activepu.zcal import violations
from activepu.zcal.check import SHARE, Cells, Check, level
from activepu.zcal.doubts import doubts
from activepu.zcal.rates import Rates

DELTA = 0.9
"""Large, so that few answers can raise an alarm."""
Bounds = Sequence[tuple[float, float]]
PLACES = np.array([[0.1, 0.6], [0.9, 0.4], [0.2, 0.9], [0.8, 0.1], [0.3, 0.3], [0.7, 0.7], [0.4, 0.8], [0.6, 0.2]])


def a_check(rates: Rates, false_reveal: float = 0.0, proved: bool = True, bounds: Bounds = ()) -> Check:
    check = Check(100, DELTA, rates, false_reveal, apu.Boxes(2), proved, 0)
    check.begin(PLACES, bounds)
    return check


def alarm(check: Check, statuses: Sequence[int], groups: Sequence[int], chances: Sequence[float]) -> float:
    """The exact probability that an alarm is raised, over all answers; `chances` are those of a reveal."""
    if not statuses:
        return 0.0
    total, place = 0.0, check.answered
    for revealed, p in ((True, chances[0]), (False, 1 - chances[0])):
        if p == 0:
            continue
        later = copy.copy(check)
        later._inside, later._outside = list(check._inside), list(check._outside)
        try:
            later.fold(place, PLACES[[place]], statuses[0], groups[0], revealed)
        except apu.AssumptionsViolated:
            total += p
        else:
            total += p * alarm(later, statuses[1:], groups[1:], chances[1:])
    return total


@pytest.mark.parametrize(
    ("rates", "omegas"),
    [
        (Rates(), (0.1, 0.5, 0.8)),
        (Rates(0.5, 0.5), (0.5,)),
        (Rates(1.0, 1.0), (1.0,)),
        (Rates(0.3, 0.6), (0.3, 0.4, 0.6)),
        (Rates(per_expert=True), (0.2, 0.7)),
    ],
)
@pytest.mark.parametrize("false_reveal", [0.0, 0.2])
def test_on_a_true_class_an_alarm_is_rare_whatever_the_rate(rates: Rates, omegas, false_reveal: float) -> None:
    statuses = [POSITIVE, POSITIVE, NEGATIVE, POSITIVE, POSITIVE, POSITIVE, NEGATIVE]
    groups = [k % 2 if rates.per_expert else 0 for k in range(7)]
    for omega, other, wrong in product(omegas, omegas, {0.0, false_reveal}):
        if not rates.per_expert and other != omega:
            continue
        chances = [
            (omega, other)[group] if status == POSITIVE else wrong
            for status, group in zip(statuses, groups, strict=True)
        ]
        assert alarm(a_check(rates, false_reveal), statuses, groups, chances) <= DELTA / SHARE + 1e-12


def test_bounds_that_the_search_found_are_tested_too() -> None:
    bounds = [(0.3, 0.6)]
    for omega in (0.3, 0.45, 0.6):
        assert alarm(a_check(Rates(), bounds=bounds), [POSITIVE] * 7, [0] * 7, [omega] * 7) <= DELTA / SHARE + 1e-12
    assert alarm(a_check(Rates(), bounds=[(0.6, 0.9)]), [POSITIVE] * 7, [0] * 7, [0.0] * 7) > 0.9
    assert alarm(a_check(Rates(), proved=False, bounds=[(0.6, 0.9)]), [POSITIVE] * 7, [0] * 7, [0.0] * 7) == 0


@pytest.mark.parametrize(
    ("rates", "chances"),
    [
        (Rates(0.5, 0.5), [0.0] * 8),
        (Rates(0.4, 0.8), [0.0] * 8),
        (Rates(1.0, 1.0), [0.5] * 8),
        (Rates(), [float(x < 0.5) for x in PLACES[:, 0]]),
        (Rates(per_expert=True), [float(x < 0.5) for x in PLACES[:, 0]]),
    ],
)
def test_a_rate_that_is_not_as_told_or_not_the_same_everywhere_raises_an_alarm(rates: Rates, chances) -> None:
    assert alarm(a_check(rates), [POSITIVE] * 8, [0] * 8, chances) > 0.9


def test_a_reveal_of_a_certain_negative_contradicts_the_class() -> None:
    with pytest.raises(
        apu.AssumptionsViolated, match=r"^The answers contradict .* one of the boxes: item 7 was revealed"
    ):
        a_check(Rates()).fold(7, PLACES[[7]], NEGATIVE, 0, True)


def test_it_contradicts_only_decisions_that_are_proved() -> None:
    check = a_check(Rates(), proved=False)
    check.fold(7, PLACES[[7]], NEGATIVE, 0, True)
    assert check.surprises == 1


def test_an_item_that_an_undo_left_undecided_says_nothing() -> None:
    check = a_check(Rates(1.0, 1.0))
    for revealed in (True, False):
        check.fold(3, PLACES[[3]], UNDECIDED, 0, revealed)
    assert (check.answered, check.surprises, check.log_e) == (2, 0, pytest.approx(0.0))


def test_the_weights_of_all_tests_add_up_to_one() -> None:
    for rates, false_reveal in product((Rates(), Rates(0.2, 0.5)), (0.0, 0.1)):
        check = a_check(rates, false_reveal)
        assert check.log_e == pytest.approx(0.0)


def test_cells_of_a_column_that_does_not_vary_are_left_out() -> None:
    assert len(Cells(np.column_stack([np.ones(8), np.arange(8.0)]))) == 2
    assert len(Cells(np.empty((0, 3)))) == 0


def test_the_lot_is_even_among_decided_items_that_were_not_asked() -> None:
    status, barred = np.array([1, 0, -1, 1, 0, 1], np.int8), np.array([0, 0, 0, 1, 0, 0], bool)
    drawn = Counter(Check(1, 0.1, Rates(), 0.0, apu.Boxes(1), True, seed).draw(status, barred) for seed in range(2000))
    assert set(drawn) == {0, 1, 4, 5}
    assert all(abs(n - 500) < 90 for n in drawn.values())  # more than four standard deviations


def test_missed_positives_that_show_are_those_of_the_closed_form() -> None:
    assert violations.missed(61, 0.5) == pytest.approx(0.0741, abs=5e-5)
    assert violations.missed(230, 0.5) == pytest.approx(0.02, abs=1e-4)
    assert violations.missed(1, 0.5) is None
    assert violations.missed(0, 0.5) is None


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([Rates(0.5, 0.5), Rates(0.3, 0.6), Rates(0.0, 0.2)]))
@settings(max_examples=15)
def test_the_chance_that_a_violation_shows_is_exact(share: float, rate: float, null: Rates) -> None:
    checks, needed = 5, 0.5
    kinds = np.array(list(product((0, 1, 2), repeat=checks)))  # another kind, silent, revealed
    r, s = np.cumsum(kinds == 2, axis=1), np.cumsum(kinds == 1, axis=1)
    crossed = (Rates().log_mean(r, s) - null.log_likelihood(r, s) >= needed).any(axis=1)
    assert crossed.any()
    total = np.array([1 - share, share * (1 - rate), share * rate])[kinds].prod(axis=1)[crossed].sum()
    assert violations.shown(checks, share, rate, null, needed) == pytest.approx(total, abs=1e-9)


def test_the_smallest_violation_shows_and_no_smaller_one() -> None:
    null, needed = Rates(0.5, 0.5), np.log(SHARE / 0.05)
    found = violations.falling(200, 0.4, null, needed)
    assert found is not None
    assert violations.shown(200, 0.4, 0.5 * (1 - found / 0.4), null, needed) >= 0.9
    assert violations.shown(200, 0.4, 0.5 * (1 - 0.99 * found / 0.4), null, needed) < 0.9
    assert violations.falling(200, 0.4, Rates(0.1, 0.9), needed) is not None
    assert violations.falling(5, 0.4, null, needed) is None
    rising = violations.rising(200, 0.6, 0.5, Rates(0.0, 0.05), needed)
    assert rising is not None
    assert violations.missed(200, 0.5) < rising < 0.6


def test_a_rate_that_nobody_would_believe_is_doubtful() -> None:
    assert "misses 97% of the positives" in doubts(a_check(Rates()), revealed=9, highest_rate=0.03)
    assert doubts(a_check(Rates()), revealed=9, highest_rate=0.06) == ""
    assert doubts(a_check(Rates(0.01, 0.04)), revealed=0, highest_rate=0.04) == ""  # it was told
    assert "only one item was revealed" in doubts(a_check(Rates()), revealed=1, highest_rate=1.0)


def test_the_alarm_has_a_fifth_of_delta() -> None:
    assert level(0.05, 0) == 0.05
    assert level(0.05, 1) == pytest.approx(0.04)
