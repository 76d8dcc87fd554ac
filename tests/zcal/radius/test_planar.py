"""The ball around halfspaces of the plane against all dichotomies of a few grid points."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.test_planar import FRAMES, UNIVERSES, dichotomies, halfspace_of, placed, random_constraint

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.halfspaces import Halfspace, Halfspaces
from activepu.version_spaces import version_space
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.version_spaces.planar import PlanarVersionSpace
from activepu.zcal.radius import Ball, ball, bounding_ball
from activepu.zcal.radius import planar as planar_radius
from activepu.zcal.radius.planar import farthest

H = Halfspaces(2)
MANY = max(120, settings.default.max_examples)
ENOUGH = st.one_of(st.none(), st.integers(0, 8))


def most_apart(labels: Any, center: Any) -> int:
    return int((labels != center).sum(axis=1).max())


def in_general_position(seed: int, n: int) -> tuple[tuple[int, int], ...]:
    """Whole numbers, no three of them on a line, and no two above or beside each other, where patches meet."""
    rng = np.random.default_rng(seed)
    while True:
        sites = np.unique(rng.integers(0, 24, size=(n, 2)), axis=0)
        areas = [
            np.linalg.det(np.column_stack([sites[list(k)], np.ones(3)])) for k in combinations(range(len(sites)), 3)
        ]
        if all(len(np.unique(column)) == n for column in sites.T) and np.min(np.abs(areas), initial=1.0) > 0.5:
            return tuple((int(x), int(y)) for x, y in sites)


GENERAL = [in_general_position(seed, n) for seed, n in enumerate([2, 3, 4, 5, 6, 6, 7, 7, 8, 8])]


@st.composite
def spaces(draw: st.DrawFn, universes: list[Any]) -> tuple[PlanarVersionSpace, Any, Any, Any, Any]:
    """A nonempty space under mass caps, the sites and points, the labels of all its members, and a generator."""
    sites = draw(st.sampled_from(universes))
    points = placed(sites, draw(st.sampled_from(FRAMES)))
    truth, rng = dichotomies(sites), np.random.default_rng(draw(st.integers(0, 2**32)))
    V, alive = PlanarVersionSpace(H), np.ones(len(truth), bool)
    for _ in range(draw(st.integers(0, 6))):
        smaller, left = random_constraint(V, sites, points, truth, alive, rng, signed=False)
        if left.any():
            V, alive = smaller, left
    return V, sites, points, truth[alive], rng


@pytest.mark.parametrize("universes", [UNIVERSES, GENERAL], ids=["with ties", "in general position"])
@settings(max_examples=MANY, deadline=None)
@given(data=st.data(), enough=ENOUGH, effort=st.sampled_from([0, 10**5, planar_radius.EFFORT]))
def test_the_bound_holds_for_every_dichotomy(
    universes: list[Any], data: st.DataObject, enough: int | None, effort: int
) -> None:
    V, sites, points, truth, rng = data.draw(spaces(universes))
    rows = rng.integers(len(points), size=rng.integers(0, 12))
    kept = truth[rng.integers(len(truth))]
    center = halfspace_of(sites, points, kept)
    found = farthest(V, points[rows], center, enough, effort)
    most = most_apart(truth[:, rows], kept[rows])
    assert found.value <= most <= found.bound <= len(rows)
    assert found.value == np.count_nonzero(found.member.contains(points[rows]) != kept[rows])
    assert V.allows(found.member)
    if (
        effort == planar_radius.EFFORT and universes is GENERAL and len(V.caps.sites) > 1
    ):  # V's coordinates fit the rows
        assert found.complete
    if found.complete:
        assert found.value == found.bound or (enough is not None and (found.value > enough or found.bound <= enough))


@settings(max_examples=MANY, deadline=None)
@given(drawn=spaces(UNIVERSES + GENERAL), enough=ENOUGH, repeats=st.integers(1, 3))
def test_a_ball_in_the_plane_holds_every_dichotomy(drawn: Any, enough: int | None, repeats: int) -> None:
    plane, _, points, truth, rng = drawn
    V = HalfspaceVersionSpace(H, inner=plane)
    near = None
    for _ in range(3):
        rows = np.repeat(np.flatnonzero(truth.any(axis=0) & ~truth.all(axis=0)), repeats)
        for given_near in (None, near):
            found = ball(V, points, enough, given_near, rows)
            center = found.center.contains(points)
            assert V.allows(found.center)
            assert (truth == center).all(axis=1).any()
            most = most_apart(truth[:, rows], center[rows])
            assert most <= found.radius <= len(rows)
            assert found.witness is not None
            assert V.allows(found.witness)
            away = np.count_nonzero((found.witness.contains(points) != center)[rows])
            assert away <= most
            if found.exact:
                assert found.radius == away
        near = found
        item = rng.integers(len(points))
        smaller, left = V.require(points[[item]]), truth[truth[:, item]]
        if len(left):
            V, truth = smaller, left


def shifted(seed: int, n: int = 6000) -> tuple[HalfspaceVersionSpace, Any]:
    """Reveals above a line and stars below it, of which one may be wrong."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    V = version_space(H).require(X[X[:, 0] > 0.6][:15]).cap_mass(X[X[:, 0] < 0.2][:40], 2)
    assert isinstance(V, HalfspaceVersionSpace)
    return V, X[V.disagrees(X)]


@pytest.mark.parametrize("seed", range(4))
def test_the_radius_is_far_smaller_than_what_is_undecided_and_enough_is_decided_to_the_row(seed: int) -> None:
    V, undecided = shifted(seed)
    r = ball(V, undecided)
    assert r.exact
    assert r.radius < 0.7 * len(undecided)
    assert ball(V, undecided, r.radius, r).radius <= r.radius
    plane = V.inner
    assert isinstance(plane, PlanarVersionSpace)
    assert farthest(plane, undecided, r.center, r.radius).bound <= r.radius
    closer = farthest(plane, undecided, r.center, r.radius - 1)
    assert closer.value > r.radius - 1
    assert V.allows(closer.member)


def test_giving_up_leaves_a_valid_radius() -> None:
    V, undecided = shifted(0)
    assert isinstance(V.inner, PlanarVersionSpace)
    center = ball(V, undecided).center
    bounds = [farthest(V.inner, undecided, center, effort=effort).bound for effort in (0, 2**20, 2**24)]
    assert len(undecided) >= bounds[0] >= bounds[1] >= bounds[2] < bounds[0]


def test_members_that_are_far_apart_answer_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    V, undecided = shifted(1)
    r = ball(V, undecided)
    monkeypatch.setattr(bounding_ball, "farthest", None)
    assert ball(V, undecided, r.radius // 2 - 1, r) == Ball(r.center, len(undecided), exact=False, witness=r.witness)


def test_a_center_that_is_near_enough_is_kept() -> None:
    V, undecided = shifted(2)
    r = ball(V, undecided)
    other = Halfspace(H, [1.0, 0.0], 0.4)
    assert V.allows(other)
    found = ball(V, undecided, len(undecided) - 1, Ball(other, len(undecided), exact=False))
    assert found.center is other
    enough = r.radius * 11 // 10
    assert ball(V, undecided, enough, Ball(other, len(undecided), exact=False)).radius <= enough


def test_an_empty_plane_has_no_ball() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0]])
    V = version_space(H).require(X[1:]).cap_mass(X[1:], 0)
    with pytest.raises(AssumptionsViolated):
        ball(V, X)


def test_where_a_cap_is_signed_what_is_undecided_counts() -> None:
    V, undecided = shifted(3, 300)
    signed = V.cap_distance(Halfspace(H, [1.0, 0.0], 0.4), undecided[:20], 8)
    left = undecided[signed.disagrees(undecided)]
    assert (ball(signed, left).radius, ball(signed, left).exact) == (len(left), False)
