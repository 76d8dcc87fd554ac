"""Restarted bets on one side: what they are worth at once, where they cut, and when they begin."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from zcal.making import confidence_set

from activepu.hypotheses import Boxes, Thresholds
from activepu.version_spaces import version_space
from activepu.zcal.bets import restarted
from activepu.zcal.bets.known_rate import Side
from activepu.zcal.bets.restarted import RestartedBets
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.confidence.unknown_rate import UnknownRateSet
from activepu.zcal.rates import Rates
from activepu.zcal.sides import sides_of
from activepu.zcal.tuning import TUNING

WEIGHTS = st.sampled_from([0.1, 0.7, 3.0, 50.0])


def side(stars: list[float], floor: float, weight: float, cuts: RestartedBets) -> Side:
    """Stars at these needs, in this order of coming."""
    order = np.argsort(stars, kind="stable")
    return Side.of(np.array(stars)[order], np.array(stars)[order], order, floor, weight, cuts)


@given(st.lists(st.integers(30, 99).map(lambda n: n / 100), max_size=8), st.integers(1, 5), WEIGHTS)
def test_to_begin_is_worth_nothing_at_once(stars, times, weight):
    cuts, costs = RestartedBets.at_once(0.4), []
    for n in range(len(stars) + 1):
        before = side(stars[:n], 0.2, weight, cuts)
        for _ in range(times):
            cuts = cuts.restarted(before.need, weight, n)
        np.testing.assert_allclose(side(stars[:n], 0.2, weight, cuts).cost, before.cost, atol=1e-9)
        costs.append(before.cost[-1])
    np.testing.assert_allclose(cuts.waiting + cuts.share.sum(), 1.0)
    assert np.all(np.diff(costs) >= -1e-9)  # who reaches all the stars has more against it with every one


@given(st.lists(st.floats(0.2, 0.99), max_size=6), WEIGHTS)
def test_they_cut_where_the_stars_so_far_suggest(stars, weight):
    need = np.append(0.2, np.sort(stars))
    cuts = RestartedBets.at_once(0.4)
    while len(cuts.laws) == 1:
        cuts = cuts.restarted(need, weight, len(stars))
    grid, edges = np.linspace(0, 1, 201), [*need, 1.0]
    mass = sum(np.exp(-weight * k) * (grid.clip(a, b) - a) for k, (a, b) in enumerate(itertools.pairwise(edges)))
    np.testing.assert_allclose(cuts.below(grid)[1], TUNING.restart * 0.6 * mass / mass[-1], atol=1e-9)
    assert cuts.born.tolist() == [0, len(stars)]


def test_they_begin_as_often_as_silences_tell_something_and_not_for_ever():
    need = np.array([0.2])
    for weight, each in ((TUNING.restart_after, 1), (TUNING.restart_after / 2, 2), (TUNING.restart_after / 8, 8)):
        cuts, begun = RestartedBets.at_once(0.4), []
        for number in range(600):
            after = cuts.restarted(need, weight, number)
            begun += [number] * (len(after.laws) > len(cuts.laws))
            cuts = after
        assert begun == [each * n - 1 for n in range(1, len(begun) + 1)]
        assert TUNING.restart_least * (1 - TUNING.restart) <= TUNING.restart * cuts.waiting < TUNING.restart_least


def test_bets_that_are_lost_are_forgotten():
    """Which changes nothing: they had cut off what was revealed."""
    cuts = RestartedBets.at_once(0.4).restarted(np.array([0.2, 0.3]), 50.0, 3)
    later = cuts.restarted(np.array([0.5]), 50.0, 9)
    assert later.born.tolist() == [0, 9]
    kept = RestartedBets(
        later.waiting, np.append(cuts.share, later.share[-1]), np.array([0, 3, 9]), (*cuts.laws, later.laws[-1])
    )
    for stars in ([], [0.6], [0.6, 0.55, 0.9]):
        costs = [side(stars, 0.5, 0.7, some).cost for some in (later, kept)]
        np.testing.assert_allclose(*costs, atol=1e-12)


def test_neighbours_in_the_last_digit_make_no_law_fall():
    """Interpolation just before a knot may round to more than at the knot, and the logarithm of less than 0 is NaN."""
    H, points = Thresholds().bind(1), np.linspace(0, 1, 5000)[:, None]
    sides = sides_of(H, points)
    stand = confidence_set(version_space(H).require(np.array([[0.9]])), points, Rates(0.2, 0.2), 1e-3, sides=sides)
    assert isinstance(stand, KnownRateSet)
    stand.fold(np.array([[0.8995358078326532]]), True, 0.5)
    for x in (0.7714369593083208, 0.07502455973620457, 0.612445182916066, 0.771436959308321, 0.0750245597362046):
        stand.fold(np.array([[x]]), False, 0.5)
    assert np.isfinite(stand.evidence.sides[0].cost).all()
    assert stand.version_space.allows(H.closure(np.array([[0.01]])))


@pytest.mark.parametrize(
    ("kind", "rates", "rtol"), [(KnownRateSet, Rates(0.5, 0.5), 0.0), (UnknownRateSet, Rates(), 1e-7)]
)
def test_supposing_silence_gives_the_evidence_of_folding_it_and_changes_nothing(kind, rates, rtol, monkeypatch):
    """But no bets begin for answers that are only supposed."""
    monkeypatch.setattr(restarted, "TUNING", replace(TUNING, restart=0.0))
    H, points = Boxes(2), np.random.default_rng(0).random((40, 2))
    folded = kind(version_space(H), points, rates, 0.1, sides_of(H, points))
    for item in (0, 1, 2):
        folded.fold(points[[item]], True, 0.5)
    silent, evidence = points[~folded.evidence.closure.contains(points)], folded.evidence
    supposed = folded.supposing(silent)
    assert folded.supposing(silent[:0]) is folded.evidence is evidence
    for x in silent:
        folded.fold(x[None], False, 0.5)
    assert len(folded.evidence.points) > 3
    np.testing.assert_array_equal(supposed.points, folded.evidence.points)
    np.testing.assert_allclose(supposed.weights, folded.evidence.weights, rtol=rtol)
