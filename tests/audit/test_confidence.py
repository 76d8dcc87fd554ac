"""The extremes of the confidence set, against every number of positives in small strata."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from audit import small
from hypothesis import given
from hypothesis import strategies as st

from activepu.audit.confidence import ConfidenceSet, Gold, Rates, possible_range
from activepu.audit.likelihood import Counts, log_likelihood
from activepu.audit.prediction import Predictions, log_gold
from activepu.audit.targets import quantities

INSIDE = np.array([True, False, False])


@given(
    small.answers(3, most=7),
    st.sampled_from([(0.5, 0.5), (0.3, 0.8), (0.02, 1.0), (1.0, 1.0)]),
    st.lists(st.integers(1, 3), min_size=3, max_size=3),
    st.integers(0, 4).flatmap(lambda g: st.tuples(st.just(g), st.integers(0, g))),
)
def test_extremes_hold_every_member(
    seen: list[Counts], span: tuple[float, float], copies: list[int], golden: tuple[int, int]
) -> None:
    """No (A, ω) that fits the answers lies outside the bounds; with one rate the bounds are near the extremes."""
    gold = Gold(*golden)
    if span[1] == 1.0 == span[0] and gold.asked > gold.revealed:
        return  # with ω = 1 gold is always revealed
    weights = np.array(copies, float)
    floor = np.log(0.2) + Predictions(np.array([0.6, 0.3, 0.1])).log_probability(seen) + log_gold(*golden)
    rates = Rates.between(*span, sum(c.revealed for c in seen) + gold.revealed)
    found = ConfidenceSet(seen, weights, floor, rates, gold)
    members, fitting = _members(seen, weights, np.unique(np.r_[np.linspace(*span, 41), rates.values]), floor, gold)
    if not len(members):
        return
    low, high = found.rate()
    assert low <= fitting.min() + 1e-9
    assert high >= fitting.max() - 1e-9
    sizes = np.array([c.size for c in seen])
    for quantity in quantities(float(weights @ sizes), float((weights * sizes)[INSIDE].sum())).values():
        values = quantity.value(members[:, 0], members[:, 1])
        low, high = found.extremes(INSIDE, quantity.value, quantity.up)
        assert low <= values.min() + 1e-9
        assert high >= values.max() - 1e-9
        if span[0] == span[1]:  # A is relaxed to real numbers; it moves each sum by less than one item
            near = 2 * weights.max() / max(1.0, min(float(weights @ sizes), members.sum(axis=1).min()))
            assert low >= values.min() - near
            assert high <= values.max() + near


@given(
    small.answers(3, most=7),
    st.sampled_from([(0.0, 1.0), (0.3, 0.8), (0.02, 1.0)]),
    st.integers(0, 30).flatmap(lambda g: st.tuples(st.just(g), st.integers(0, g))),
)
def test_no_rate_outside_the_possible_range_fits(
    seen: list[Counts], span: tuple[float, float], golden: tuple[int, int]
) -> None:
    gold = Gold(*golden)
    floor = np.log(0.2) + Predictions(np.array([0.6, 0.3, 0.1])).log_probability(seen) + log_gold(*golden)
    low, high = possible_range(seen, floor, *span, gold)
    assert span[0] <= low <= high <= span[1]
    rates = np.linspace(*span, 97)[1:]
    members, fitting = _members(seen, np.ones(3), rates, floor, gold)
    if len(members) and gold.revealed + sum(c.revealed for c in seen):
        assert low <= fitting.min()
        assert fitting.max() <= high


def test_gold_narrows_the_possible_range() -> None:
    seen = [Counts(1000, 100, 20)] * 3
    assert possible_range(seen, -160.0, 0.0, 1.0)[1] == 1.0
    low, high = possible_range(seen, -180.0, 0.0, 1.0, Gold(40, 20))
    assert low > 0.25
    assert high < 0.75


def _members(
    seen: list[Counts], weights: np.ndarray, rates: np.ndarray, floor: float, gold: Gold
) -> tuple[np.ndarray, np.ndarray]:
    """I and O of every (A, ω) of the set, and the rates that occur."""
    tables = [log_likelihood(c, np.arange(c.size + 1.0)[None], rates[:, None]) for c in seen]
    with np.errstate(divide="ignore", invalid="ignore"):
        of_gold = np.nan_to_num(gold.revealed * np.log(rates)) + np.where(
            gold.asked > gold.revealed, (gold.asked - gold.revealed) * np.log1p(-rates), 0.0
        )
    members, fitting = [], []
    for positives in itertools.product(*(range(c.size + 1) for c in seen)):
        value = sum(table[:, a] for table, a in zip(tables, positives, strict=True)) + of_gold
        if (inside := value >= floor).any():
            counted = weights * positives
            members.append((counted[INSIDE].sum(), counted[~INSIDE].sum()))
            fitting += rates[inside].tolist()
    return np.array(members), np.array(fitting)


@given(st.floats(0.01, 0.6), st.floats(0.61, 1.0), st.integers(1, 3000))
def test_a_grid_of_rates_covers_its_range(low: float, high: float, revealed: int) -> None:
    """Between two rates, r ln ω + j ln(1 − ω) is at most its larger value at the two, plus the charge."""
    rates = Rates.between(low, high, revealed)
    assert rates.low.min() == pytest.approx(low)
    assert rates.high.max() == pytest.approx(high)
    assert len(rates.values) == 401 or rates.charges.max() <= 0.06
    inner = np.linspace(rates.low, np.minimum(rates.high, 1 - 1e-12), 7)
    for silent in (0, 1, revealed, 50 * revealed):
        at = revealed * np.log(rates.values) + silent * np.log1p(-rates.values)
        best, charge = (
            np.max([each[:-2], each[1:-1], each[2:]], axis=0)  # of a rate and its two neighbours
            for each in (np.pad(at, 1, constant_values=-np.inf), np.pad(rates.charges, 1))
        )
        value = revealed * np.log(inner) + silent * np.log1p(-inner)
        assert (value <= best + charge + 1e-9).all()


def test_purity_keeps_the_top_band_full() -> None:
    seen = [Counts(50, 20, 5), Counts(50, 20, 1), Counts(50, 0, 0)]
    floor = np.log(0.05) + Predictions(np.array([0.6, 0.3, 0.1])).log_probability(seen)
    free = ConfidenceSet(seen, np.ones(3), floor, Rates.between(0.02, 1.0, 6))
    pure = ConfidenceSet(seen, np.ones(3), floor, Rates.between(0.02, 1.0, 6), least=np.array([45.0, 0, 0]))
    assert free.rate()[1] == 1.0
    assert pure.rate()[1] < 0.8
    value = quantities(150.0, 50.0)["precision"]
    assert pure.extremes(INSIDE, value.value, value.up)[0] >= 0.9
