"""Halfspaces with wrong reveals: conditions on pairs, and what is possible, against all dichotomies of a few points."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import Halfspaces
from activepu.version_spaces import version_space
from activepu.zcal.confidence.wrong_reveals import conditions
from activepu.zcal.rates import Rates


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=6)).filter(np.any))
def test_conditions_are_the_hull_of_the_possible_pairs_and_of_all_below_them(possible):
    pairs = np.argwhere(possible)
    corners = np.array(list(itertools.product(range(possible.shape[0]), range(possible.shape[1]))))
    met = np.ones(len(corners), bool)
    for missed, held, limit in conditions(possible):
        assert missed >= 0
        assert held >= 0
        assert (pairs @ (missed, held)).max() == limit  # no possible pair is lost, and no limit is too large
        assert (corners @ (missed, held)).max() > limit  # none is idle
        met &= corners @ (missed, held) <= limit
    for corner in corners[met]:  # each is below a mean of two possible pairs: no further condition excludes it
        weights = np.linspace(0.0, 1.0, 61)[:, None, None, None]  # 60 is divisible by 1 … 6
        means = weights * pairs[:, None] + (1 - weights) * pairs[None]
        assert (means >= corner - 1e-9).all(axis=-1).any()


POINTS = np.array([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.1, 1.3], [0.5, 0.45], [1.7, 0.6]])


def dichotomies() -> np.ndarray:
    """All ways to cut the points by a line, found by very many lines."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=(40_000, 2))
    return np.unique(w @ POINTS.T >= rng.normal(0, 2, (40_000, 1)), axis=0)


LABELS = dichotomies()


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.booleans(), st.floats(0.05, 0.95)), min_size=1, max_size=6),
    st.sampled_from([Rates.parse(0.6), Rates.parse(None), Rates.parse((0.3, 0.8))]),
)
def test_every_halfspace_that_stands_is_kept(answers, rates):
    stand = confidence_set(version_space(Halfspaces(2)), POINTS, rates, 0.3, false_reveal=0.1)
    wrong, alive, log_q = Rates(0.0, 0.1), np.ones(len(LABELS), bool), 0.0
    asked: list[int] = []
    found: list[bool] = []
    for item, (revealed, q) in enumerate(answers):
        asked.append(item)
        found.append(revealed)
        log_q += np.log(q if revealed else 1 - q)
        inside = LABELS[:, asked]
        counts = [
            (inside == side)[:, np.array(found) == f].sum(axis=1) for side in (True, False) for f in (True, False)
        ]
        log_likelihood = rates.log_likelihood(*counts[:2]) + wrong.log_likelihood(*counts[2:])
        alive &= log_likelihood >= np.log(0.3) + log_q
        if not alive.any():
            return
        stand.fold(POINTS[[item]], revealed, q)
        kept = LABELS[alive]
        assert not np.any((stand.status == 1) & ~kept.all(axis=0))
        assert not np.any((stand.status == 0) & kept.any(axis=0))
        low, high = stand.rate_bounds()
        assert rates.low <= low <= high <= rates.high


def test_wrong_reveals_exclude_less_than_true_ones_and_silences_still_exclude():
    """A reveal far away is taken for a mistake once many silences lie between."""
    x = np.column_stack([np.linspace(-1, 1, 41), np.zeros(41)])
    stand = confidence_set(version_space(Halfspaces(2)), x, Rates.parse(0.8), 0.1, false_reveal=0.05)
    for item in range(30, 41):
        stand.fold(x[[item]], True, 0.7)
    stand.fold(x[[0]], True, 0.1)
    for item in range(5, 25):
        stand.fold(x[[item]], False, 0.2)
    assert (stand.status[30:] == 1).all()
    assert stand.status[10] == 0
    assert stand.status[0] != 1


def test_a_rate_per_expert_is_offered_too():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(150, 2))
    y = x[:, 0] > 0
    stand = confidence_set(version_space(Halfspaces(2)), x, Rates.parse("per expert"), 0.1, false_reveal=0.05)
    for item in range(120):
        revealed = bool(y[item] and rng.random() < (0.9, 0.5)[item % 2])
        stand.fold(x[[item]], revealed, 0.45 if y[item] else 0.05, item % 2)
    assert stand.n_undecided < 150
    assert not np.any((stand.status == 1) & ~y)
    assert stand.rate_bounds(0)[0] <= 0.9 <= stand.rate_bounds(0)[1]


def test_what_excludes_everything_raises_and_changes_nothing():
    points = np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 1.0]])
    stand = confidence_set(version_space(Halfspaces(2)), points, Rates.parse(1.0), 0.3, false_reveal=0.1)
    stand.fold(points[[1]], True, 0.9)
    stand.fold(points[[0]], True, 0.9)
    before = stand.log_q
    with pytest.raises(AssumptionsViolated):
        stand.fold(points[[2]], False, 0.1)
    assert stand.log_q == before


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=4, max_size=9), st.sampled_from([2, 3]))
def test_surprises_end_in_a_sentence_or_leave_some_rate(answers, dim):
    points = np.random.default_rng(0).normal(size=(6, dim))
    stand = confidence_set(version_space(Halfspaces(dim)), points, Rates(), 0.05, false_reveal=0.02)
    for item, revealed in answers:
        try:
            stand.fold(points[[item]], revealed, 0.97 if revealed else 0.03)
        except AssumptionsViolated:
            return
        low, high = stand.rate_bounds()
        assert 0 <= low <= high <= 1
