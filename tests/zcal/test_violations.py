"""The violation that a certificate prints: the chance that it shows is exact, or a lower bound, on every small lot."""

from __future__ import annotations

import copy
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from worlds import assert_holds

import activepu as apu
from activepu.version_spaces.frontier import NEGATIVE, POSITIVE
from activepu.zcal import violations
from activepu.zcal.check import Check
from activepu.zcal.doubts import checked
from activepu.zcal.rates import Rates

DELTA = 0.9
"""Large, so that few answers can raise an alarm."""


def a_check(
    positives: int,
    negatives: int,
    wanted: int,
    rates: Rates,
    false_reveal: float = 0.0,
    delta: float = DELTA,
    seed: int = 0,
) -> Check:
    """A check whose lot begins with the certain positives; the points are the row numbers."""
    check = Check(wanted, delta, rates, false_reveal, apu.Thresholds(), True, seed)
    check.fix(np.arange(positives), np.arange(positives, positives + negatives))
    check.begin(np.arange(float(positives))[:, None], np.empty((0, 1)), [(rates.low, rates.high)])
    return check


def alarm(check: Check, left: dict[int, list[int]], chances: list[float]) -> float:
    """The exact probability of an alarm over all lots without replacement and all coins."""
    turns = (POSITIVE, NEGATIVE) if check.answered % 2 == 0 else (NEGATIVE, POSITIVE)
    kind = next((kind for kind in turns if left[kind]), None)
    if kind is None or check.done:
        return 0.0
    total = 0.0
    for row in left[kind]:
        rest = left | {kind: [other for other in left[kind] if other != row]}
        for revealed, p in ((True, chances[row]), (False, 1 - chances[row])):
            if p == 0:
                continue
            later = copy.copy(check)
            later._inside, later._outside = list(check._inside), list(check._outside)
            try:
                later.fold(row, np.array([[float(row)]]), kind, 0, revealed)
            except apu.AssumptionsViolated:
                total += p / len(left[kind])
            else:
                total += p / len(left[kind]) * alarm(later, rest, chances)
    return total


@given(st.integers(1, 5), st.data())
@settings(max_examples=40, deadline=None)
def test_the_chances_are_those_of_all_lots_and_coins(size: int, data: st.DataObject) -> None:
    wrong, drawn = data.draw(st.integers(0, size)), data.draw(st.integers(0, size))
    rate, others = data.draw(st.floats(0, 1)), data.draw(st.sampled_from([0.0, 0.3, 1.0]))
    border = data.draw(st.integers(-1, drawn + 1))
    many = few = 0.0
    lots = list(combinations(range(size), drawn))
    for lot, coins in product(lots, product((0, 1), repeat=drawn)):
        up = np.array([rate if item < wrong else 0.0 for item in lot])
        down = np.array([others if item < wrong else rate for item in lot])
        many += np.prod(np.where(coins, up, 1 - up)) / len(lots) * (sum(coins) >= border)
        few += np.prod(np.where(coins, down, 1 - down)) / len(lots) * (sum(coins) <= border)
    assert violations.rising(size, wrong, drawn, rate, border) == pytest.approx(many, abs=1e-9)
    assert violations.falling(size, wrong, drawn, rate, others, border) == pytest.approx(few, abs=1e-9)


@pytest.mark.parametrize(("rates", "omegas"), [(Rates(0.9, 0.9), (0.9,)), (Rates(0.8, 1.0), (0.8, 0.9, 1.0))])
@pytest.mark.parametrize("false_reveal", [0.0, 0.1])
def test_no_violation_shows_less_often_than_is_printed(
    monkeypatch: pytest.MonkeyPatch, rates: Rates, omegas: tuple[float, ...], false_reveal: float
) -> None:
    shown = 0
    for positives, negatives, wanted in ((4, 1, 4), (3, 3, 5)):
        check = a_check(positives, negatives, wanted, rates, false_reveal)
        for sure in (0.2, 0.7):
            monkeypatch.setattr(violations, "SURE", sure)
            violations._missed.cache_clear()
            violations._false.cache_clear()
            for omega in omegas:
                visible = violations.visible(check, *check.planned, omega)
                for k, first in ((visible.missed, positives), (visible.false, 0)):
                    if k is None:
                        continue
                    chances = [omega] * positives + [0.0] * negatives
                    chances[first : first + k] = [false_reveal if first == 0 else omega] * k
                    left = {kind: rows.tolist() for kind, rows in check.lot.items()}
                    assert alarm(check, left, chances) >= sure - 1e-12
                    shown += 1
    assert shown


@given(st.integers(0, 60), st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 5))
@settings(max_examples=60, deadline=None)
def test_too_few_and_too_many_reveals_are_one_stretch_each(
    checks: int, one: float, other: float, needed: float
) -> None:
    null, r = Rates(min(one, other), max(one, other)), np.arange(checks + 1)
    alarms = violations._log_e(checks, null) >= needed
    few, many = violations.lowest(checks, null, needed), violations.highest(checks, null, needed)
    assert (alarms == ((r <= few) | (r >= many))).all()


@pytest.mark.parametrize("false_reveal", [0.0, 0.2])
@pytest.mark.parametrize("omega", [0.25, 0.5, 0.9])
def test_the_bound_on_the_rate_holds_whatever_the_checked_items_are(omega: float, false_reveal: float) -> None:
    n, alpha = 14, 0.2
    bounds = []
    for r in range(n + 1):
        check = a_check(n, 4, n, Rates(), false_reveal)
        check.log_needed = np.inf
        for row in range(n):
            check.fold(row, np.array([[float(row)]]), POSITIVE, 0, row < r)
        bounds.append(check.lowest_rate(alpha))
    wrong = np.array(bounds) > omega + 1e-12
    assert wrong.any() or omega == 0.9
    for true in range(n + 1):
        law = np.convolve(
            binom.pmf(range(true + 1), true, omega), binom.pmf(range(n - true + 1), n - true, false_reveal)
        )
        assert law[wrong].sum() <= alpha + 1e-12


def test_what_was_told_about_the_rate_counts_if_it_is_more() -> None:
    check = a_check(9, 4, 9, Rates(0.3, 0.9))
    assert check.lowest_rate(0.01) == 0.3
    for row in range(9):
        check.fold(row, np.array([[float(row)]]), POSITIVE, 0, row > 0)
    assert 0.3 < check.lowest_rate(0.01) < 0.9
    assert a_check(9, 4, 9, Rates(0.4, 0.4)).lowest_rate(0.01) == 0.4


def test_of_several_experts_the_lowest_rate_counts_and_one_without_answers_has_none() -> None:
    check = a_check(40, 4, 44, Rates(per_expert=True))
    check.log_needed = np.inf
    for row in range(40):
        check.fold(row, np.array([[float(row)]]), POSITIVE, row % 2, row % 2 == 0 or row < 20)
    check.fold(40, np.array([[40.0]]), NEGATIVE, 0, False)
    alone = check.lowest_rate(0.01)
    check.fold(41, np.array([[41.0]]), NEGATIVE, 1, False)
    assert 0 < check.lowest_rate(0.01) < alone
    check.fold(42, np.array([[42.0]]), NEGATIVE, 2, False)
    assert check.lowest_rate(0.01) == 0


@pytest.mark.parametrize("rates", [Rates(), Rates(0.4, 0.6), Rates(0.5, 0.5)])
@pytest.mark.parametrize("kind", ["missed", "false"])
def test_violations_as_large_as_the_printed_one_raise_an_alarm_in_nine_of_ten_lots(rates: Rates, kind: str) -> None:
    omega, runs, a, b, wanted = 0.5, 150, 60, 90, 60
    limits = violations.visible(a_check(a, b, wanted, rates, delta=0.1), 30, 30, omega)
    k = limits.missed if kind == "missed" else limits.false
    if k is None:
        assert (rates, kind) == (Rates(), "false")
        return
    silent = passed = 0
    y = np.arange(a + b) < a
    y[a - k if kind == "false" else a : a + k if kind == "missed" else a] = kind == "missed"
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        revealed = y & (rng.random(a + b) < omega)
        check, barred = a_check(a, b, wanted, rates, delta=0.1, seed=seed), np.zeros(a + b, bool)
        points = rng.permutation(np.arange(float(a + b)))[:, None]
        try:
            while (row := check.draw(points, barred)) is not None:
                barred[row] = True
                check.put(row)
                check.fold(row, points[[row]], POSITIVE if row < a else NEGATIVE, 0, bool(revealed[row]))
        except apu.AssumptionsViolated:
            continue
        silent += 1
        found = violations.visible(check, check.inside[0], check.outside)
        printed = found.missed if kind == "missed" else found.false
        passed += printed is not None and printed <= k
    assert_holds(silent, runs, 0.1)
    assert passed <= silent


def test_missed_positives_that_show_are_those_of_the_closed_form() -> None:
    size = 1_000_000  # as good as draws with replacement
    for checks, share in ((61, 0.0741), (230, 0.02)):
        assert violations._missed(size, checks, 0.5, 1, 0.9) / size == pytest.approx(share, abs=1e-4)
    assert violations._missed(size, 1, 0.5, 1, 0.9) is None
    assert violations._missed(size, 0, 0.5, 1, 0.9) is None
    assert violations._missed(0, 0, 0.5, 1, 0.9) is None


def test_where_all_are_checked_one_more_coin_is_all_that_can_be_missed() -> None:
    assert violations._missed(10, 10, 1.0, 1, 0.9) == 1
    assert violations._missed(10, 10, 0.5, 1, 0.9) == 4  # 1 − 2^−4


def test_the_worst_rate_of_a_range_is_its_upper_end() -> None:
    wide, narrow = (
        violations.visible(a_check(200, 200, 200, rates, delta=0.1), 100, 100, 0.5).false
        for rates in (Rates(0.4, 0.6), Rates(0.4, 0.4))
    )
    assert wide is not None
    assert narrow is not None
    assert wide > narrow
    most = violations.lowest(100, Rates(0.4, 0.6), np.log(50) - np.log(0.5))
    assert (
        violations.falling(200, wide, 100, 0.6, 0.0, most)
        >= 0.9
        > violations.falling(200, wide - 1, 100, 0.6, 0.0, most)
    )


def test_the_sentence_says_what_it_speaks_of() -> None:
    check = a_check(60, 90, 40, Rates(0.5, 0.5), delta=0.1)
    for number in range(20):
        check.fold(number, np.array([[float(number)]]), POSITIVE, 0, number % 2 == 0)
        check.fold(60 + number, np.array([[60.0 + number]]), NEGATIVE, 0, False)
    missed, false = violations.visible(check, 20, 20)
    assert missed is not None
    assert false is not None
    assert checked(check) == (
        "40 checks by lot among the 150 decided items that were not asked before did not contradict the class. With "
        f"90% probability they would have, if {100 * missed / 150:.3g}% (missed positives) or "
        f"{100 * false / 150:.3g}% (false positives) of these items were wrong; they cannot confirm a smaller bound."
    )
    few = a_check(60, 90, 1, Rates(0.5, 0.5))
    few.fold(0, np.array([[0.0]]), POSITIVE, 0, True)
    assert "1 check by lot" in checked(few)
    assert checked(few).endswith("They could not have shown any violation with 90% probability.")


def test_checks_that_show_a_wrong_decision_are_not_said_to_agree_with_the_class() -> None:
    """Where decisions are not proved, such a reveal raises no alarm by itself."""
    check = Check(4, 0.1, Rates(0.5, 0.5), 0.0, apu.Thresholds(), False, 0)
    check.fix(np.arange(10), np.arange(10, 20))
    check.begin(np.arange(10.0)[:, None], np.arange(2.0)[:, None], [(0.5, 0.5)])
    check.fold(10, np.array([[10.0]]), NEGATIVE, 0, True)
    assert checked(check) == (
        "1 check by lot among the 20 decided items that were not asked before contradicted 1 of the decisions."
    )
