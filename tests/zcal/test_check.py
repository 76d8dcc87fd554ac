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
from scipy.stats import binom

import activepu as apu
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE, UNDECIDED
from activepu.zcal.check import SHARE, Cells, Check, level
from activepu.zcal.doubts import UNCHECKED, doubts
from activepu.zcal.rates import Rates

DELTA = 0.9
"""Large, so that few answers can raise an alarm."""
Bounds = Sequence[tuple[float, float]]
PLACES = np.array([[0.1, 0.6], [0.9, 0.4], [0.2, 0.9], [0.8, 0.1], [0.3, 0.3], [0.7, 0.7], [0.4, 0.8], [0.6, 0.2]])
REVEALS = np.array([[0.45, 0.5], [0.5, 0.55]])


def a_check(rates: Rates, false_reveal: float = 0.0, proved: bool = True, bounds: Bounds = ()) -> Check:
    check = Check(100, DELTA, rates, false_reveal, apu.Boxes(2), proved, 0)
    check.begin(PLACES, REVEALS, bounds)
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
            later.fold(place, PLACES[[place % 8]], statuses[0], groups[0], revealed)
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
        (Rates(), [float(x < 0.5) for x in PLACES[:, 0]] * 2),
        (Rates(), [float(np.abs(x - 0.5).sum() < 0.45) for x in PLACES] * 3),
        (Rates(per_expert=True), [float(x < 0.5) for x in PLACES[:, 0]] * 2),
    ],
)
def test_a_rate_that_is_not_as_told_or_not_the_same_everywhere_raises_an_alarm(rates: Rates, chances) -> None:
    n = len(chances)
    assert alarm(a_check(rates), [POSITIVE] * n, [0] * n, chances) > 0.9


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
    rows = np.column_stack([np.ones(8), np.arange(8.0)])
    assert len(Cells(rows, np.empty((0, 2)))) == 2
    assert len(Cells(rows, rows[:1])) == 4  # and by the distance to the reveal
    assert len(Cells(np.empty((0, 3)), np.empty((0, 3)))) == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
@settings(max_examples=20)
def test_the_distance_counts_the_points_in_between(seed: int, dim: int) -> None:
    rng = np.random.default_rng(seed)
    points, reveals, others = (rng.random((n, dim)) for n in (9, 3, 4))

    def between(x: np.ndarray, y: np.ndarray) -> float:
        low, high = np.minimum(x, y), np.maximum(x, y)
        return float(((points >= low) & (points < high)).sum() / 9)

    nearest = [min(between(x, r) for r in reveals) for x in others]
    assert Cells(points, reveals).distances(others) == pytest.approx(nearest)


def test_if_the_rate_is_unknown_near_and_far_positives_are_asked_in_turn() -> None:
    points, n = np.linspace(0, 1, 200)[:, None], 40
    far = {True: [], False: []}
    for rates in (Rates(), Rates(0.5, 0.5)):
        check, barred = Check(2 * n, 0.1, rates, 0.0, apu.Boxes(1), True, 3), np.zeros(200, bool)
        check.fix(np.arange(200), np.arange(0))
        check.begin(points, points[:1], [(0.0, 1.0)])
        for _ in range(n):
            row = check.draw(points, barred)
            barred[row] = True
            check.put(row)
            far[check.told].append(points[row, 0])
    assert np.mean(np.abs(np.array(far[False]) - 0.5) > 0.25) > 0.8
    assert np.mean(np.abs(np.array(far[True]) - 0.5) > 0.25) < 0.8


def test_the_lot_is_even_among_the_items_of_either_kind_in_turn() -> None:
    points, barred = np.arange(9.0)[:, None], np.array([0] * 6 + [1] * 3, bool)
    lot = {POSITIVE: np.array([0, 3, 6]), NEGATIVE: np.array([1, 4, 7])}
    drawn: list[Counter[int | None]] = [Counter(), Counter()]
    for seed in range(2000):
        check = Check(2, 0.1, Rates(0.5, 0.5), 0.0, apu.Boxes(1), True, seed)
        check.fix(lot[POSITIVE], lot[NEGATIVE])
        for counts in drawn:
            row = check.draw(points, barred)
            assert row is not None
            counts[row] += 1
            check.put(row)
        assert check.draw(points, barred) is None
    for counts, kind in zip(drawn, (POSITIVE, NEGATIVE), strict=True):
        assert set(counts) == set(lot[kind][:2])  # the third is barred
        assert all(abs(n - 1000) < 110 for n in counts.values())  # more than four standard deviations


def test_where_one_kind_is_used_up_the_other_is_asked() -> None:
    check, points = Check(3, 0.1, Rates(), 0.0, apu.Boxes(1), True, 0), np.zeros((4, 1))
    check.fix(np.arange(4), np.arange(0))
    check.put(0)
    assert check.draw(points, np.array([1, 1, 0, 1], bool)) == 2
    assert check.draw(points, np.ones(4, bool)) is None


@pytest.mark.parametrize(("positives", "negatives"), [(9, 9), (2, 9), (9, 2), (0, 9), (3, 1), (4, 4), (5, 5)])
@pytest.mark.parametrize("wanted", [8, 9])
def test_the_number_of_either_kind_is_known_beforehand(positives: int, negatives: int, wanted: int) -> None:
    check, barred = Check(wanted, 0.1, Rates(0.5, 0.5), 0.0, apu.Boxes(1), True, 0), np.zeros(30, bool)
    check.fix(np.arange(positives), np.arange(20, 20 + negatives))
    drawn: list[int] = []
    while (row := check.draw(np.zeros((30, 1)), barred)) is not None:
        drawn.append(row)
        barred[row] = True
        check.put(row)
    assert check.planned == (sum(row < 20 for row in drawn), sum(row >= 20 for row in drawn))
    assert sum(check.planned) == min(wanted, positives + negatives)


def test_a_rate_that_nobody_would_believe_is_doubtful() -> None:
    assert "misses 97% of the positives" in doubts(a_check(Rates()), revealed=9, highest_rate=0.03)
    assert doubts(a_check(Rates()), revealed=9, highest_rate=0.06) == UNCHECKED
    assert doubts(a_check(Rates(0.01, 0.04)), revealed=0, highest_rate=0.04) == UNCHECKED  # it was told
    assert "only one item was revealed" in doubts(a_check(Rates()), revealed=1, highest_rate=1.0)


def answered(rates: Rates, revealed: int, silent: int) -> Check:
    """A check of certain positives with so many reveals, the first ones; no alarm is raised."""
    check = a_check(rates)
    check.log_needed = np.inf
    for number in range(revealed + silent):
        check.fold(number, PLACES[[number % 8]], POSITIVE, 0, number % (revealed + silent) < revealed)
    return check


def test_certain_positives_that_are_mostly_silent_are_doubtful_if_the_rate_is_unknown() -> None:
    told = "of 16 checks of items that are called positive, 5 were revealed"
    assert told in doubts(answered(Rates(), 5, 11), revealed=20, highest_rate=0.9)
    assert doubts(answered(Rates(), 6, 10), revealed=20, highest_rate=0.9) == ""
    assert "6 were revealed. Either" in doubts(answered(Rates(), 6, 10), revealed=20, highest_rate=0.49)
    told = doubts(answered(Rates(0.2, 0.9), 5, 11), revealed=20, highest_rate=0.4)
    assert "as long as a reveal rate of 0.2 is possible" in told
    assert "Pass a narrower range of rates" in told
    assert doubts(answered(Rates(0.35, 0.9), 5, 11), revealed=20, highest_rate=0.4) == ""
    assert "Either" not in doubts(answered(Rates(0.2, 0.49), 5, 11), revealed=20, highest_rate=0.4)
    assert doubts(answered(Rates(), 1, 7), revealed=20, highest_rate=0.9) == ""  # too few to say


def test_where_no_certain_positive_is_left_to_check_a_low_rate_is_doubtful() -> None:
    check = a_check(Rates())
    assert doubts(check, revealed=20, highest_rate=0.49) == UNCHECKED
    check.fold(0, PLACES[[0]], NEGATIVE, 0, False)
    assert "no item that is called positive was left to be checked" in doubts(check, revealed=20, highest_rate=0.49)
    assert doubts(check, revealed=20, highest_rate=0.51) == ""


def test_fewer_reveals_than_the_rates_explain_are_doubtful() -> None:
    said = "of 20 checks of items that are called positive, 4 were revealed. The reveal rates that are possible"
    assert said in doubts(answered(Rates(0.45, 0.6), 4, 16), revealed=20, highest_rate=0.6)
    assert "probability of 1.9% at most" in doubts(answered(Rates(0.45, 0.6), 4, 16), revealed=20, highest_rate=0.6)
    assert doubts(answered(Rates(0.4, 0.6), 4, 16), revealed=20, highest_rate=0.6) == ""  # 5.1%


@pytest.mark.parametrize("omega", [0.4, 0.45, 0.6])
def test_a_true_class_gets_that_mark_in_one_of_twenty_runs_at_most(omega: float) -> None:
    chances = {r: answered(Rates(0.4, 0.6), r, 12 - r).chance_of_silence for r in range(7)}
    for level_ in (0.01, 0.05, 0.3):
        assert sum(binom.pmf(r, 12, omega) for r, chance in chances.items() if chance <= level_) <= level_


def test_of_several_experts_the_most_silent_counts_at_its_price() -> None:
    check = a_check(Rates(per_expert=True), bounds=[(0.5, 0.9), (0.5, 0.9)])
    for number in range(6):
        check.fold(number, PLACES[[number]], POSITIVE, number % 2, bool(number % 2))
    assert check.chance_of_silence == pytest.approx(2 * 0.5**3)


def test_evidence_that_is_not_enough_to_refuse_the_class_is_told() -> None:
    check = Check(100, 0.05, Rates(0.5, 0.5), 0.0, apu.Boxes(2), True, 0)
    check.begin(PLACES, REVEALS, [])
    for number in range(8):
        check.fold(number, PLACES[[number]], POSITIVE, 0, False)
    assert "speak against the class by odds of" in doubts(check, revealed=9, highest_rate=0.5)
    assert "(100 to 1)" in doubts(check, revealed=9, highest_rate=0.5)


def test_the_alarm_has_a_fifth_of_delta() -> None:
    assert level(0.05, 0) == 0.05
    assert level(0.05, 1) == pytest.approx(0.04)
