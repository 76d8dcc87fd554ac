"""What is carried on from answer to answer with a rate per expert, against sums over all experts made from scratch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from zcal.confidence.test_finite import finite
from zcal.making import confidence_set

from activepu.hypotheses import Boxes
from activepu.version_spaces import version_space
from activepu.zcal.bets.floors import Floors
from activepu.zcal.confidence import rate_per_expert
from activepu.zcal.confidence.finite import FEW, FiniteSet
from activepu.zcal.confidence.prices import UNITS, Bound, Spent, broken, packed
from activepu.zcal.confidence.star_caps import FEW as FEW_CORNERS
from activepu.zcal.confidence.star_caps import _by_all_sums, _largest_sum, tables
from activepu.zcal.confidence.terms import BLOCK, Terms
from activepu.zcal.posteriors.base import Tally
from activepu.zcal.posteriors.passing import OneByOne, Together
from activepu.zcal.rates import Rates
from activepu.zcal.reference import Reference
from activepu.zcal.rivals.grown import Grown
from activepu.zcal.rivals.likely import Answers, ClosureRivals

OWN = Rates(per_expert=True)
FEW_EXAMPLES = 20
CROWDS = st.sampled_from([2, 5, 60])
SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=FEW_EXAMPLES)
@given(experts=CROWDS, seed=SEEDS)
def test_what_stars_cost_is_the_sum_over_all_experts(experts, seed):
    rng = np.random.default_rng(seed)
    rows, spent, revealed = 7, Spent(OWN, 7), np.zeros(experts, int)
    counts = np.zeros((experts, rows), int)
    for _ in range(80):
        group = int(rng.integers(experts))
        if rng.random() < 0.4:
            revealed[group] += 1
            spent.reveal(group, int(revealed[group]))
        elif rng.random() < 0.1:
            held = rng.integers(0, 300, experts)
            spent.append(held)
            counts = np.column_stack([counts, held])
        else:
            some = np.flatnonzero(rng.random(counts.shape[1]) < 0.5)
            spent.star(group, some)
            counts[group, some] += 1
        f = [OWN.log_likelihood(revealed, column) for column in counts.T]
        none = OWN.log_likelihood(revealed, 0)
        np.testing.assert_allclose(spent.total / UNITS, [(none - one).sum() for one in f], atol=1e-9)
        fresh = Spent(OWN, 0)
        for g, number in enumerate(revealed.tolist()):
            fresh.reveal(g, number)
        for column in counts.T:
            fresh.append(column)
        np.testing.assert_array_equal(spent.total, fresh.total)


@settings(max_examples=FEW_EXAMPLES)
@given(experts=CROWDS, seed=SEEDS)
def test_a_row_exceeds_a_bound_exactly_if_its_stars_cost_too_much(experts, seed):
    rng = np.random.default_rng(seed)
    groups, revealed, bounds = rng.integers(experts, size=150), np.zeros(0, np.int32), []
    for first in np.sort(rng.integers(0, 151, 6)).tolist():
        known = 1 + int(groups[:first].max(initial=0))
        revealed = np.pad(revealed, (0, known - len(revealed))) + rng.integers(0, 2, known)
        bounds.append(Bound(first, revealed.astype(np.int32), float(rng.uniform(0, 60)) * UNITS))
    inside = rng.random((9, 150)) < rng.random((9, 1))
    expected = np.zeros(9, bool)
    for bound in bounds:
        for row in range(9):
            held = np.bincount(groups[: bound.first][inside[row, : bound.first]], minlength=len(bound.revealed))
            cost = OWN.log_likelihood(bound.revealed, 0) - OWN.log_likelihood(bound.revealed, held)
            expected[row] |= cost.sum() * UNITS > bound.budget
    np.testing.assert_array_equal(broken(OWN, bounds, groups, packed(inside)), expected)


@settings(max_examples=FEW_EXAMPLES)
@given(experts=st.sampled_from([3, BLOCK, BLOCK + 1, 150]), seed=SEEDS)
def test_a_sum_in_blocks_is_a_function_of_the_rows(experts, seed):
    rng = np.random.default_rng(seed)
    terms, rows = Terms(4), np.zeros((experts, 4))
    for _ in range(60):
        group, row = int(rng.integers(experts)), np.where(rng.random(4) < 0.1, -np.inf, rng.normal(size=4))
        supposed = terms.total_with({group: row})
        terms.put(group, row)
        rows[group] = row
        blocks = [rows[first : first + BLOCK].sum(axis=0) for first in range(0, experts, BLOCK)]
        np.testing.assert_array_equal(terms.total(), np.sum(blocks, axis=0))
        np.testing.assert_array_equal(supposed, terms.total())
        np.testing.assert_allclose(terms.total_without(group), np.delete(rows, group, axis=0).sum(axis=0), atol=1e-9)


@settings(max_examples=FEW_EXAMPLES)
@given(experts=CROWDS, seed=SEEDS)
def test_the_stars_on_a_sides_way_weigh_the_same_together_as_one_by_one(experts, seed):
    rng = np.random.default_rng(seed)
    groups, free = rng.integers(experts, size=40), rng.random((5, 40)) < 0.6
    within, beyond = rng.integers(0, 41, 5), rng.integers(0, 4, (experts, 5))
    silent = beyond.copy()
    for chain, end in enumerate(within):
        np.add.at(silent[:, chain], groups[:end][free[chain, :end]], 1)
    tally = Tally(OWN, tuple(rng.integers(0, 5, experts).tolist()))
    one, all_of_them = (kind(free, groups, within, silent, np.unique(groups)) for kind in (OneByOne, Together))
    piece = rng.integers(0, 41, 5)
    np.testing.assert_array_equal(one.held(piece), all_of_them.held(piece))
    np.testing.assert_array_equal(one.held(within), silent[one.present])
    weights = [passed.log_weight(tally) for passed in (one, all_of_them)]
    np.testing.assert_allclose(*(weight - weight[:, :1] for weight in weights), atol=1e-9)


@settings(max_examples=FEW_EXAMPLES)
@given(seed=SEEDS)
def test_the_most_stars_of_many_experts_are_those_of_all_corners(seed):
    rng = np.random.default_rng(seed)
    revealed, silent = rng.integers(0, 4, FEW_CORNERS), rng.integers(0, 5, FEW_CORNERS)
    f = tables(OWN, revealed.tolist(), silent.tolist())
    floor = float(rng.uniform(1.1 * sum(table[-1] for table in f) - 1, 0.5))
    assert _by_all_sums(f, floor) == _largest_sum(f, floor)


def crowd(rng, n, experts):
    """n answers about the plane that are foreseen well: the point, the reveal, the prediction and the expert."""
    for t in range(n):
        x = rng.uniform(0.1, 0.9, 2) if t % 4 else rng.uniform(0.35, 0.65, 2)
        inside = bool(np.all(np.abs(x - 0.5) <= 0.25))
        yield x[None], inside and rng.random() < 0.6, 0.6 if inside else 0.01, int(rng.integers(experts))


@pytest.mark.parametrize("experts", [pytest.param(3, marks=pytest.mark.slow), 60])
def test_sixty_experts_decide_what_sums_over_all_of_them_decide(experts, monkeypatch):
    monkeypatch.setattr(rate_per_expert, "TUNING", replace(rate_per_expert.TUNING, first_limits=10**6))
    rng = np.random.default_rng(experts)
    points = rng.random((40, 2))
    stand = confidence_set(version_space(Boxes(2)), points, OWN, 0.05)
    moments, excluded = [], np.zeros(len(points), bool)
    for x, revealed, q, expert in crowd(rng, 400, experts):
        stand.fold(x, revealed, q, expert)
        moments.append((len(stand.stars), np.array(stand.revealed), stand._floor, stand.version_space.closure))
        if len(moments) % 200:
            continue
        closure, stars, groups = moments[-1][3], stand.stars, stand.star_groups
        inside = np.array([closure.grow(z[None]).contains(stars) for z in points])
        for first, r, floor, _ in moments:
            held = np.array([np.bincount(groups[:first][row[:first]], minlength=len(r)) for row in inside])
            excluded |= OWN.log_likelihood(r, held).sum(axis=1) < floor
        expected = np.where(closure.contains(points), 1, np.where(excluded, 0, -1))
        np.testing.assert_array_equal(stand.status, expected)
    assert (stand.status == 0).sum() > 5
    for group in range(0, experts, 20):
        low, high = 0.0, 1.0
        for first, r, floor, closure in moments:
            if group < len(r):
                inside = closure.contains(stand.stars[:first])
                s = np.bincount(stand.star_groups[:first][inside], minlength=len(r))
                others = np.delete(OWN.log_likelihood(r, s), group).sum()
                lowest, highest = OWN.intervals([(r[group], s[group], floor - others)])
                low, high = max(low, lowest[0]), min(high, highest[0])
        np.testing.assert_allclose(stand.rate_bounds(group), (low, high), atol=1e-9)


@pytest.mark.parametrize(
    ("experts", "wrong"), [(3, 0.0), (60, 0.0), (150, 0.0), pytest.param(60, 0.05, marks=pytest.mark.slow)]
)
def test_members_are_excluded_by_sums_over_all_experts(experts, wrong):
    rng = np.random.default_rng(experts)
    table = np.arange(30)[:, None] <= np.arange(120)[None] // 4
    H = finite(table)
    points = H.encode(np.arange(120)[:, None])
    labels = np.vstack([table, np.zeros((1, 120), bool)])
    stand = confidence_set(version_space(H), points, OWN, 0.05, wrong)
    assert isinstance(stand, FiniteSet)
    inside, all_of, alive = np.zeros((2, experts, 31), int), np.zeros((2, experts), int), np.ones(31, bool)
    law, floors = Rates(0.0, wrong), Floors.start(0.05, 31)
    for item in rng.permutation(120):
        group = int(rng.integers(experts))
        revealed, q = bool(table[12, item] and rng.random() < 0.7), 0.7 if table[12, item] else 0.02
        stand.fold(points[[item]], revealed, q, group)
        inside[int(revealed), group] += labels[:, item]
        all_of[int(revealed), group] += 1
        (s, r), (silent, found) = inside, all_of[:, :, None]
        likely = OWN.log_likelihood(r, s) + law.log_likelihood(found - r, silent - s)
        own = OWN.log_mean(r, s) + law.log_mean(found - r, silent - s)
        floors = floors.after(float(np.log(q if revealed else 1 - q)), own.sum(axis=0))
        alive &= likely.sum(axis=0) >= floors.log_floor * (1 + 1e-9)
        np.testing.assert_array_equal(stand._alive, alive)
        np.testing.assert_allclose(stand.floors.log_floor[alive], floors.log_floor[alive], rtol=1e-12)
        told = stand._looked_at(group)
        known = len(stand.revealed)
        assert group in told
        assert len(told) == known if known <= FEW else len(told) <= 2
        low, high = stand.rate_bounds(group)
        least = (floors.log_floor * (1 + 1e-9) - np.delete(likely, group, axis=0).sum(axis=0))[alive]
        rest = law.log_likelihood(found - r, silent - s)[group, alive]
        ends = OWN.intervals([(r[group, alive], s[group, alive], least - rest)])
        assert ends[0][0] - 1e-9 <= low <= high <= ends[1][0] + 1e-9
    assert 1 < alive.sum() < 31


@pytest.mark.parametrize("experts", [3, 60])
def test_rivals_weigh_what_all_experts_said(experts):
    rng = np.random.default_rng(experts)
    stars, groups, revealed = rng.random((200, 2)), rng.integers(experts, size=200), rng.integers(0, 4, experts)
    closure = Boxes(2).bind(2).closure(np.array([[0.4, 0.4], [0.6, 0.6]]))
    corners, z = rng.random((20, 2)), rng.random((9, 2))
    grown = Grown(closure, [corners], Reference(rng.random((100, 2))), 0.0)
    answers = Answers(OWN, revealed.tolist(), stars, groups, Floors.common(-5.0))
    rivals = ClosureRivals(grown, answers, 1.0)

    def likely(low, high, more=0):
        inside = ((stars >= low) & (stars <= high)).all(axis=1)
        held = np.bincount(groups[inside], minlength=experts)
        return OWN.log_likelihood(revealed + more, held).sum()

    boxes = list(zip(grown.low, grown.high, strict=True))
    np.testing.assert_allclose(rivals.log_likelihood, [likely(*box) for box in boxes], atol=1e-9)
    for group in (0, experts - 1):
        more, q = np.arange(experts) == group, np.full(len(z), 0.3)
        found = rivals.revealed(z, q, group)[0] + np.log(0.3) - 5.0
        expected = [[likely(np.minimum(low, x), np.maximum(high, x), more) for x in z] for low, high in boxes]
        np.testing.assert_allclose(found, expected, atol=1e-9)
        one_more = Answers(OWN, answers.revealed, np.vstack([stars, z[:1]]), np.append(groups, group), answers.floors)
        after = ClosureRivals(grown, one_more, 1.0)
        np.testing.assert_allclose(rivals.silent(z, q, group)[:, 0], after.missing - np.log(0.7), atol=1e-9)
