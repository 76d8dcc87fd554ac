"""What all confidence sets share: bad input, refusals, the caps that a rate per expert implies, and sampled classes."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import problems
from version_spaces.test_planar import UNIVERSES, dichotomies, placed
from zcal.confidence.oracle import HALF, PER_EXPERT, SOME, Form, Oracle, answers, deltas
from zcal.confidence.test_finite import finite
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses import Boxes, Halfspaces, Thresholds
from activepu.version_spaces import BoxVersionSpace, version_space
from activepu.zcal import ZCal
from activepu.zcal.confidence import star_caps as caps
from activepu.zcal.confidence.capped import CappedSet
from activepu.zcal.confidence.star_caps import ALL, AtMost, implied, tables, tightened
from activepu.zcal.rates import Rates

POINTS = np.arange(6.0)[:, None]


def thresholds(rate=None, delta=0.1):
    return confidence_set(version_space(Thresholds().bind(1)), POINTS, Rates.parse(rate), delta)


@pytest.mark.parametrize(
    ("x", "prediction", "expert", "message"),
    [
        ([[0.0]], 0.0, 0, "prediction must lie strictly between 0 and 1"),
        ([[0.0]], 1.0, 0, "prediction must lie strictly between 0 and 1"),
        ([0.0], 0.5, 0, "x must be one row of 1 value"),
        ([[0.0], [1.0]], 0.5, 0, "x must be one row of 1 value"),
        ([[0.0, 1.0]], 0.5, 0, "x must be one row of 1 value"),
        ([[0.0]], 0.5, -1, "expert must be at least 0"),
    ],
)
def test_bad_answers_are_refused_in_a_sentence_and_change_nothing(x, prediction, expert, message):
    stand = thresholds("per expert")
    with pytest.raises(InvalidInput, match=message):
        stand.fold(np.array(x), True, prediction, expert)
    assert (stand.log_q, stand.revealed, len(stand.stars)) == (0.0, [0], 0)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1])
def test_a_delta_outside_0_1_is_refused(delta):
    with pytest.raises(InvalidInput, match="delta must lie strictly between"):
        thresholds(delta=delta)


def test_wrong_reveals_need_a_finite_class_or_halfspaces():
    with pytest.raises(InvalidInput, match=r"false_reveal = 0.1 needs a FiniteClass or Halfspaces, got Boxes\(dim=2\)"):
        ZCal(Boxes(2), 0.1, 0.1, false_reveal=0.1, check=0)
    for hypotheses, bad in itertools.product((Boxes(2), Halfspaces(2)), (-0.1, 1.1)):
        with pytest.raises(InvalidInput, match="false_reveal must lie in"):
            ZCal(hypotheses, 0.1, 0.1, false_reveal=bad, check=0)


def test_what_leaves_nothing_says_why_and_names_the_rate_only_if_one_was_stated():
    stand = thresholds(1.0)
    stand.fold(POINTS[[2]], True, 0.5)
    with pytest.raises(AssumptionsViolated, match=r"1 reveal\(s\) and 1 silence\(s\).*rate may be wrong.*delta = 0.1"):
        stand.fold(POINTS[[3]], False, 0.5)
    H = finite([[1, 0]])
    points = H.encode(np.arange(2)[:, None])
    unstated = confidence_set(version_space(H), points, Rates(), 0.1)
    with pytest.raises(AssumptionsViolated, match=r"class 'finite'.*silence.* any more: the class may be too simple"):
        unstated.fold(points[[1]], True, 0.5)


def test_a_known_rate_that_is_far_too_low_is_found_out():
    stand = thresholds(0.2)
    stand.fold(POINTS[[5]], True, 0.9)
    with pytest.raises(AssumptionsViolated, match="the stated rate may be wrong"):
        stand.fold(POINTS[[4]], True, 0.9)


def test_without_the_rate_nothing_is_decided_before_the_first_reveal():
    stand = thresholds(None)
    for item in range(6):
        stand.fold(POINTS[[item]], False, 0.01)
    assert stand.n_undecided == 6
    assert stand.rate_bounds() == (0.0, 1.0)


def test_experts_share_one_rate_unless_each_has_his_own():
    shared, own = thresholds(), thresholds("per expert")
    for stand in (shared, own):
        stand.fold(POINTS[[5]], True, 0.5, expert=0)
        stand.fold(POINTS[[4]], False, 0.5, expert=2)
    assert (shared.revealed, shared.star_groups.tolist()) == ([1], [0])
    assert (own.revealed, own.star_groups.tolist()) == ([1, 0, 0], [2])
    assert own.rate_bounds(7) == (0.0, 1.0)


def test_rates_that_no_time_leaves_are_said_to_be_impossible():
    """After eight reveals the rate is above .97, and after one silence below: each time some are possible."""
    stand = confidence_set(version_space(Thresholds().bind(1)).require([[0.0]]), POINTS, Rates(), 0.9)
    for revealed, q in [(True, 0.99)] * 8 + [(False, 0.96)]:
        stand.fold(POINTS[[0]], revealed, q)
    with pytest.raises(AssumptionsViolated, match="No hypothesis"):
        stand.rate_bounds()


def test_the_rates_of_many_moments_are_looked_for_together(monkeypatch):
    """The bounds are those of a standing that was asked after every answer, at a small part of the cost."""
    rng, looks = np.random.default_rng(0), []
    points = rng.random((600, 2))
    late, often = (confidence_set(version_space(Boxes().bind(2)), points, Rates(), 0.1) for _ in range(2))
    for item, x in enumerate(points):
        revealed = bool((abs(x - 0.5) < 0.3).all() and rng.random() < 0.5)
        for stand in (late, often):
            stand.fold(points[[item]], revealed, 0.2)
        often.rate_bounds()
    look = Rates.ends
    monkeypatch.setattr(Rates, "ends", lambda *args: looks.append(1) or look(*args))
    assert late.rate_bounds() == often.rate_bounds()
    assert len(looks) == 1


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 8)), min_size=1, max_size=5),
    st.floats(-30, 0),
    st.sampled_from([Rates(), Rates(per_expert=True), Rates(0.2, 0.7), Rates(0.4, 0.4)]),
)
def test_the_most_stars_of_all_experts_are_at_a_corner(answered, floor, rates):
    f = tables(rates, *zip(*answered, strict=True))
    floor += 1e-10 * np.pi  # no sum is on the floor itself
    shares = itertools.product(*(range(len(table)) for table in f))
    allowed = [sum(s) for s in shares if sum(table[k] for table, k in zip(f, s, strict=True)) >= floor]
    assert caps._largest_sum(f, floor) == caps._by_all_sums(f, floor) == max(allowed, default=-1)


def test_status_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        thresholds().status[0] = 1


def test_a_pool_without_items_has_no_shares():
    stand = confidence_set(version_space(Boxes(2)), np.empty((0, 2)), Rates(), 0.1)
    stand.fold(np.zeros((1, 2)), True, 0.5)
    stand.fold(np.ones((1, 2)), False, 0.5)
    assert (stand.undecided_share, stand.positive_share, stand.n_undecided) == (0.0, 0.0, 0)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), max_size=12), st.integers(0, 2**12 - 1))
def test_a_stack_says_what_all_its_caps_say(steps, bits):
    """Each step may add a star, and caps all stars so far."""
    held = [bits >> k & 1 for k in range(12)]
    stack, all_caps, stars = (), [], 0
    for added, most in steps:
        stars += added
        stack = tightened(stack, stars, most)
        all_caps.append((stars, most))
        assert all(sum(held[:n]) <= c for n, c in stack) == all(sum(held[:n]) <= c for n, c in all_caps)
        assert all(a.most < b.most and a.first - a.most < b.first - b.most for a, b in itertools.pairwise(stack))


def test_a_cap_that_says_nothing_new_leaves_the_stack_as_it_is():
    stack = tightened((), 4, 1)
    assert stack == (AtMost(4, 1),)
    assert tightened(stack, 5, 2) is stack
    assert tightened(stack, 5, 1) == (AtMost(5, 1),)
    assert tightened((), 3, 3) == ()


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=3),
    st.floats(-12, 0),
    st.sampled_from(PER_EXPERT),
)
def test_the_implied_caps_are_the_most_that_any_counts_allow(experts, floor, form):
    revealed, silent = zip(*experts, strict=True)
    counts = np.array(list(itertools.product(*(range(s + 1) for s in silent))))
    stands = counts[form.rates.log_likelihood(np.array(revealed), counts).sum(axis=1) >= floor]
    caps = implied(tables(form.rates, revealed, silent), floor)
    assert caps[ALL] == (stands.sum(axis=1).max() if len(stands) else -1)
    for group in range(len(experts) if len(experts) > 1 else 0):
        assert caps[group] == (stands[:, group].max() if len(stands) else -1)


@settings(max_examples=SOME // 2)
@given(st.data())
def test_a_rate_per_expert_keeps_all_that_stands_among_halfspaces(data):
    sites = data.draw(st.sampled_from(UNIVERSES))
    points = placed(sites, (1.0, 0.0))
    form, delta = data.draw(st.sampled_from(PER_EXPERT)), data.draw(deltas)
    oracle = Oracle(dichotomies(sites), form, delta)
    stand = confidence_set(version_space(Halfspaces(2)), points, form.rates, float(delta))
    for answer in data.draw(answers(len(points), experts=2)):
        oracle = oracle.after(*answer)
        if not oracle.alive.any():
            return
        item, revealed, q, expert = answer
        stand.fold(points[[item]], revealed, float(q), expert)
        decided = stand.status != -1
        np.testing.assert_array_equal(stand.status[decided], oracle.status[decided])
        V = stand.version_space
        np.testing.assert_array_equal(np.where(V.certain(points), 1, np.where(V.possible(points), -1, 0)), stand.status)
    for group in range(2):
        low, high = stand.rate_bounds(group)
        for rate in np.linspace(form.rates.low, form.rates.high, 21):
            assert low <= rate <= high or not oracle.allows_rate(rate, group)


@settings(max_examples=SOME)
@given(st.data())
def test_the_implied_caps_leave_the_rates_as_they_are_where_one_hypothesis_has_the_fewest_stars_of_all(data):
    hypotheses, brute, _ = data.draw(problems())
    points = hypotheses.encode(brute.points)
    form, delta = data.draw(st.sampled_from(PER_EXPERT)), float(data.draw(deltas))
    V = version_space(hypotheses)
    exact, capped = confidence_set(V, points, form.rates, delta), CappedSet(V, points, form.rates, delta)
    for item, revealed, q, expert in data.draw(answers(len(points), experts=2)):
        try:
            exact.fold(points[[item]], revealed, float(q), expert)
        except AssumptionsViolated:
            break
        capped.fold(points[[item]], revealed, float(q), expert)
        decided = capped.status != -1
        np.testing.assert_array_equal(capped.status[decided], exact.status[decided])
        try:
            bounds = [exact.rate_bounds(group) for group in range(3)]
        except AssumptionsViolated:
            break
        np.testing.assert_allclose([capped.rate_bounds(group) for group in range(3)], bounds, atol=1e-12)


@settings(max_examples=SOME)
@given(st.data())
def test_a_version_space_that_has_caps_already_keeps_them(data):
    hypotheses, brute, _ = data.draw(problems())
    points = hypotheses.encode(brute.points)
    limit = data.draw(st.integers(0, 3))
    V = BoxVersionSpace(hypotheses).cap_mass(points, limit)
    stand = confidence_set(V, points, Rates(0.5, 0.5), 0.1)
    oracle = Oracle(brute.labels, Form(HALF, HALF), Fraction(1, 10))
    oracle.alive &= brute.labels.sum(axis=1) <= limit
    for item, revealed, q, expert in data.draw(answers(len(points))):
        oracle = oracle.after(item, revealed, q, expert)
        if not oracle.alive.any():
            return
        stand.fold(points[[item]], revealed, float(q))
        np.testing.assert_array_equal(stand.status, oracle.status)


def test_beyond_the_plane_it_is_sampled_and_never_wrong_here():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 3))
    truth = points @ [1.0, 0.5, -0.3] >= 0.2
    stand = confidence_set(version_space(Halfspaces(3)), points, Rates(0.9, 0.9), 0.01)
    assert isinstance(stand, CappedSet)
    for item in rng.permutation(60)[:40]:
        revealed = bool(truth[item] and rng.random() < 0.9)
        stand.fold(points[[item]], revealed, 0.6 if truth[item] else 0.3)
    assert stand.version_space.method == "sampled"
    assert np.all(stand.status[stand.undecided] == -1)
    assert 0 < stand.n_undecided < 60
    wide = confidence_set(version_space(Halfspaces(3)), points, Rates(), 0.01)
    for item in range(20):
        wide.fold(points[[item]], bool(truth[item]), 0.5)
    low, high = wide.rate_bounds()
    assert 0.05 < low < 0.5
    assert high == 1.0
