"""The likelihood and the set with a rate per expert, against every order, every coin and every count."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import xlog1py, xlogy

from activepu.audit import per_expert
from activepu.audit.confidence import Gold
from activepu.audit.joint_likelihood import Seen, log_likelihood
from activepu.audit.joint_prediction import JointPredictions
from activepu.audit.likelihood import Counts
from activepu.audit.likelihood import log_likelihood as one_rate
from activepu.audit.per_expert import PerExpertSet, envelope
from activepu.audit.prediction import log_gold
from activepu.audit.targets import quantities

INSIDE = np.array([True, False])


def probability(answers: list[tuple[int, bool]], positives: int, negatives: int, rates: list[float]) -> float:
    """P(the answers come in this order), one drawn item and one coin at a time."""
    if not answers:
        return 1.0
    (expert, revealed), left, total = answers[0], positives + negatives, 0.0
    if positives:
        odds = rates[expert] if revealed else 1 - rates[expert]
        total += positives / left * odds * probability(answers[1:], positives - 1, negatives, rates)
    if negatives and not revealed:
        total += negatives / left * probability(answers[1:], positives, negatives - 1, rates)
    return total


def seen_of(size: int, answers: list[tuple[int, bool]], experts: int) -> Seen:
    asked = tuple(sum(e == who for e, _ in answers) for who in range(experts))
    return Seen(size, asked, tuple(sum(e == who and said for e, said in answers) for who in range(experts)))


@given(
    st.integers(1, 7).flatmap(
        lambda size: st.tuples(
            st.just(size), st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=0, max_size=size)
        )
    ),
    st.lists(st.floats(0.02, 0.98), min_size=3, max_size=3),
)
def test_is_the_sum_over_all_orders_and_coins(case: tuple[int, list[tuple[int, bool]]], rates: list[float]) -> None:
    size, answers = case
    seen = seen_of(size, answers, 3)
    every = np.arange(seen.pooled.revealed, size + 1.0)
    found = np.exp(log_likelihood(seen, every, np.array([rates, rates]))[1])
    assert found == pytest.approx([probability(answers, int(a), size - int(a), rates) for a in every], abs=1e-12)


@st.composite
def large(draw: st.DrawFn) -> Seen:
    size = draw(st.integers(2, 3000))
    asked = [draw(st.integers(0, min(size // 2, 250))) for _ in range(2)]
    return Seen(size, tuple(asked), tuple(draw(st.integers(0, n)) for n in asked))


@settings(max_examples=40)
@given(large(), st.floats(0.02, 0.98), st.floats(0.02, 0.98))
def test_the_envelope_is_concave_and_above(seen: Seen, first: float, second: float) -> None:
    rates = np.array([[first, second]])
    bound, every = envelope(seen, rates), np.arange(seen.pooled.revealed, seen.size + 1.0)
    exact = log_likelihood(seen, every, rates)[0]
    kept = ~np.isnan(exact)
    assert kept.any()
    assert (np.diff(exact[kept], 2) <= 1e-6).all()  # ln Λ is concave
    x, y = bound.positives[0], bound.values[0]
    assert (x[0], x[-1]) == (every[0], every[-1])
    assert (np.interp(every, x, y)[kept] >= exact[kept]).all()
    wide = np.diff(x) > 1e-6
    slopes = np.diff(y)[wide] / np.diff(x)[wide]
    assert (np.diff(slopes) <= 1e-5 * (1 + np.abs(slopes[1:]))).all()


@settings(max_examples=40)
@given(large(), st.floats(0.02, 0.98))
def test_with_equal_rates_it_is_the_likelihood_of_one_rate(seen: Seen, rate: float) -> None:
    whole = seen.pooled
    some = np.unique(np.linspace(whole.revealed, whole.size, 12).round())
    found = log_likelihood(seen, some, np.array([[rate, rate]]))[0]
    kept = ~np.isnan(found)
    expected = one_rate(Counts(whole.size, whole.asked, whole.revealed), some, np.array(rate))
    assert found[kept] == pytest.approx(expected[kept], abs=1e-6)
    best = int(np.argmax(expected))
    assert kept[best]


def test_what_is_lost_to_rounding_is_bounded_from_above() -> None:
    """Far from the counts that fit, the sum underflows; the envelope goes on with a line."""
    seen = Seen(40_000, (200, 200), (0, 1))
    rates = np.array([[0.9999, 0.05]])
    every = np.array([1.0, 10.0, 100.0, 40_000.0])
    exact = log_likelihood(seen, every, rates)[0]
    assert not np.isnan(exact[:2]).any()
    assert np.isnan(exact[-1])
    bound = envelope(Seen(900, (200, 200), (0, 1)), rates)
    assert np.isfinite(bound.values).all()
    high = np.interp(900.0, bound.positives[0], bound.values[0])
    assert high >= xlog1py(np.array(seen.silent), -rates[0]).sum() + xlogy(1, 0.05)  # all items positive


@st.composite
def answers(draw: st.DrawFn) -> list[Seen]:
    found = []
    for _ in range(2):
        size = draw(st.integers(1, 7))
        first = draw(st.integers(0, size))
        asked = (first, draw(st.integers(0, size - first)))
        found.append(Seen(size, asked, (draw(st.integers(0, asked[0])), draw(st.integers(0, asked[1])))))
    return found


known = st.lists(
    st.integers(0, 4).flatmap(lambda g: st.builds(Gold, st.just(g), st.integers(0, g))), min_size=2, max_size=2
)


@settings(max_examples=60)
@given(answers(), known, st.lists(st.integers(1, 3), min_size=2, max_size=2))
def test_extremes_hold_every_member(seen: list[Seen], gold: list[Gold], copies: list[int]) -> None:
    """No (A, ω₁, ω₂) that fits the answers lies outside the bounds."""
    weights = np.array(copies, float)
    floor = np.log(0.2) + JointPredictions(np.array([0.6, 0.2])).log_probability(seen)
    floor += sum(log_gold(own.asked, own.revealed) for own in gold)
    found = PerExpertSet(seen, weights, floor, gold)
    line = np.linspace(0.01, 0.999, 25)
    rates = np.array(list(itertools.product(line, line)))
    shown, asked = (np.array([getattr(g, name) for g in gold]) for name in ("revealed", "asked"))
    known = (xlogy(shown, rates) + xlog1py(asked - shown, -rates)).sum(axis=1)
    every = [np.arange(part.pooled.revealed, part.size + 1.0) for part in seen]
    logs = [log_likelihood(part, a, rates) for part, a in zip(seen, every, strict=True)]
    fits = known[:, None, None] + logs[0][:, :, None] + logs[1][:, None, :] >= floor
    if not fits.any():
        return
    at, first, second = np.nonzero(fits)
    inside, outside = weights[0] * every[0][first], weights[1] * every[1][second]
    for expert in range(2):
        low, high = found.rate(expert)
        assert low <= rates[at, expert].min() + 1e-9
        assert high >= rates[at, expert].max() - 1e-9
    sizes = weights * [part.size for part in seen]
    for quantity in quantities(float(sizes.sum()), float(sizes[0])).values():
        values = quantity.value(inside, outside)
        low, high = found.extremes(INSIDE, quantity.value, quantity.up)
        assert low <= values.min() + 1e-9
        assert high >= values.max() - 1e-9


def test_extremes_are_near_the_members() -> None:
    """With many answers the charges and the grid of counts cost little."""
    seen = [Seen(300, (40, 40), (30, 12)), Seen(900, (60, 60), (5, 2))]
    gold = [Gold(30, 27), Gold(30, 12)]
    floor = np.log(0.05) + JointPredictions(np.array([0.8, 0.1])).log_probability(seen)
    floor += sum(log_gold(own.asked, own.revealed) for own in gold)
    found = PerExpertSet(seen, np.ones(2), floor, gold)
    rates = np.array(list(itertools.product(np.linspace(0.4, 0.995, 40), np.linspace(0.1, 0.9, 40))))
    shown, asked = (np.array([getattr(g, name) for g in gold]) for name in ("revealed", "asked"))
    known = (xlogy(shown, rates) + xlog1py(asked - shown, -rates)).sum(axis=1)
    every = [np.arange(part.pooled.revealed, part.size + 1.0, 3) for part in seen]
    logs = [log_likelihood(part, a, rates) for part, a in zip(seen, every, strict=True)]
    fits = known[:, None, None] + logs[0][:, :, None] + logs[1][:, None, :] >= floor
    _, first, second = np.nonzero(fits)
    recall = quantities(1200.0, 300.0)["recall"]
    values = recall.value(every[0][first], every[1][second])
    low, high = found.extremes(INSIDE, recall.value, recall.up)
    assert values.min() - 0.02 <= low <= values.min()
    assert values.max() <= high <= values.max() + 0.02


def test_boxes_stay_wide_rather_than_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the corners run out the set is larger, and never smaller."""
    seen = [Seen(300, (40, 40), (30, 12)), Seen(900, (60, 60), (5, 2))]
    gold = [Gold(10, 9), Gold(10, 4)]
    fine = PerExpertSet(seen, np.ones(2), -150.0, gold)
    monkeypatch.setattr(per_expert, "CORNERS", 10)
    coarse = PerExpertSet(seen, np.ones(2), -150.0, gold)
    assert len(coarse.rates.values) < len(fine.rates.values)
    recall = quantities(1200.0, 300.0)["recall"]
    narrow, wide = (each.extremes(INSIDE, recall.value, recall.up) for each in (fine, coarse))
    assert wide[0] <= narrow[0] + 1e-9
    assert wide[1] >= narrow[1] - 1e-9


def test_the_prediction_is_a_probability() -> None:
    """Σ over all answers of Q is 1, whoever is asked, and an expert who comes later changes nothing before."""
    predictions = JointPredictions(np.array([0.7, 0.1]))
    asked = [(0, 0), (1, 1), (0, 1), (1, 0), (0, 2)]  # the stratum and the expert of every question
    total = 0.0
    for said in itertools.product((False, True), repeat=len(asked)):
        seen = [
            seen_of(9, [(e, r) for (k, e), r in zip(asked, said, strict=True) if k == stratum], 3)
            for stratum in range(2)
        ]
        total += np.exp(predictions.log_probability(seen))
    assert total == pytest.approx(1.0, abs=1e-9)
    two = [Seen(9, (2, 1), (1, 0)), Seen(9, (0, 2), (0, 1))]
    three = [Seen(9, (2, 1, 0), (1, 0, 0)), Seen(9, (0, 2, 0), (0, 1, 0))]
    assert predictions.log_probability(two) == pytest.approx(predictions.log_probability(three), abs=1e-9)


def test_an_empty_set_claims_nothing() -> None:
    """Where no rates and no counts fit, an assumption is wrong or chance was; nothing is claimed, and nothing fails."""
    found = PerExpertSet([Seen(9, (4, 2), (2, 0)), Seen(9, (1, 1), (0, 1))], np.ones(2), 5.0, [Gold(), Gold(2, 1)])
    recall = quantities(18.0, 9.0)["recall"]
    assert np.isnan(found.extremes(INSIDE, recall.value, recall.up)).all()
    assert found.rate(1) == (0.0, 1.0)
