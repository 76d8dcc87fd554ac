"""The sampled version space against the exact one of the plane, and in more dimensions against its own promises."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses.halfspaces import Halfspace, Halfspaces
from activepu.version_spaces import halfspaces as facade
from activepu.version_spaces.halfspaces import HalfspaceVersionSpace
from activepu.version_spaces.hit_and_run import Target
from activepu.version_spaces.planar import PlanarVersionSpace
from activepu.version_spaces.sampled import SampledVersionSpace


def world(seed, dim, n=40, shift=0.0):
    """Points, a true halfspace, and the points that it contains."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, dim)) + shift
    w = rng.normal(size=dim)
    truth = Halfspace(Halfspaces(dim), w, float(np.quantile(points @ w, 0.6)))
    return points, truth, np.flatnonzero(truth.contains(points)), rng


def constrained(space, points, truth, inside, slack):
    space = space.require(points[inside[:4]]).cap_mass(points, len(inside) + slack)
    return space.cap_distance(truth, points[::2], slack + 3)


def member_labels(space, points):
    return points @ space.members[:, :-1].T >= space.members[:, -1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 6]), st.integers(0, 4), st.sampled_from([0.0, 300.0]))
def test_every_member_satisfies_every_constraint(seed, dim, slack, shift):
    points, truth, inside, rng = world(seed, dim, shift=shift)
    weights = rng.integers(0, 4, len(points))
    limit = int(weights[inside].sum()) + slack
    space = constrained(SampledVersionSpace(truth.hypotheses), points, truth, inside, slack)
    space = space.cap_mass(points, limit, weights)
    assert not space.is_empty()  # the truth is one
    labels = member_labels(space, points)
    assert labels[inside[:4]].all()
    assert (labels.sum(axis=0) <= len(inside) + slack).all()
    assert (weights @ labels <= limit).all()
    assert ((labels ^ truth.contains(points)[:, None])[::2].sum(axis=0) <= slack + 3).all()
    assert space.allows(truth)
    assert np.array_equal(space.certain(points), labels.all(axis=1))
    assert np.array_equal(space.possible(points), labels.any(axis=1))
    smallest = space.smallest(points)
    assert space.allows(smallest)
    assert smallest.contains(points).sum() <= labels.sum(axis=0).min()


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_most_of_the_exact_disagreement_and_nothing_else(seed):
    points, truth, inside, rng = world(seed, 2)
    queries = 1.5 * rng.normal(size=(4000, 2))
    sampled = constrained(SampledVersionSpace(truth.hypotheses), points, truth, inside, 1)
    exact = constrained(PlanarVersionSpace(truth.hypotheses), points, truth, inside, 1)
    found, there = sampled.disagrees(queries), exact.disagrees(queries)
    assert not (found & ~there).any()
    assert not (exact.certain(queries) & ~sampled.certain(queries)).any()
    assert found.sum() >= 0.8 * there.sum() > 0
    fewest = exact.smallest(points).contains(points).sum()
    assert fewest <= sampled.smallest(points).contains(points).sum() <= fewest + 1


@pytest.mark.parametrize("dim", [2, 3, 10])
def test_a_first_member_is_found_when_no_old_one_survives(dim):
    """All positives required and all others capped at once: only separating hyperplanes are left."""
    points, truth, inside, _ = world(7, dim, n=60)
    outside = np.setdiff1d(np.arange(len(points)), inside)
    space = SampledVersionSpace(truth.hypotheses).require(points[inside]).cap_mass(points[outside], 0)
    assert np.array_equal(space.certain(points), truth.contains(points))
    assert np.array_equal(space.possible(points), truth.contains(points))


def test_without_constraints_everything_is_undecided():
    space = SampledVersionSpace(Halfspaces(3))
    points = 1e6 * np.random.default_rng(0).normal(size=(50, 3))
    assert space.disagrees(points).all()
    assert space.require(points[:1]).possible(points).all()
    assert not space.cap_mass(points, 3).smallest(points).contains(points).any()
    assert space.cap_mass(points, 3).allows(space.hypotheses.nothing)
    assert (space.cap_mass(points, 3).members[:, :-1] == 0).all(axis=1).any()


def test_what_cannot_be_met_leaves_no_member_and_no_answer():
    points = np.array([[0.0, 0, 0], [1, 1, 1], [2, 2, 2]])
    space = SampledVersionSpace(Halfspaces(3)).require(points[[0, 2]]).cap_mass(points[1:2], 0)
    assert space.is_empty()
    assert space.require(points).is_empty()
    for question in (space.certain, space.possible, space.disagrees, space.smallest):
        with pytest.raises(AssumptionsViolated):
            question(points)


def test_the_seed_decides_the_members():
    points, truth, inside, _ = world(3, 3)
    first, again, other = (
        constrained(SampledVersionSpace(truth.hypotheses, seed), points, truth, inside, 1) for seed in (0, 0, 1)
    )
    assert np.array_equal(first.members, again.members)
    assert first.smallest(points) == again.smallest(points)
    assert not np.array_equal(first.members, other.members)


def test_a_stored_space_goes_on_as_the_original():
    points, truth, inside, _ = world(4, 3)
    space = constrained(SampledVersionSpace(truth.hypotheses, 5), points, truth, inside, 1)
    again = SampledVersionSpace.from_dict(truth.hypotheses, json.loads(json.dumps(space.to_dict())))
    assert np.array_equal(again.members, space.members)
    assert np.array_equal(again.require(points[inside]).members, space.require(points[inside]).members)


def test_a_walk_on_the_circle_is_uniform_on_the_members():
    """In one dimension the sphere is a circle: the share of walkers on an arc of V is the share of its length."""
    rng = np.random.default_rng(0)
    lifted = np.array([[-1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    target = Target(lifted, np.array([[1.0, 1.0, 1.0]]), np.array([1.0]), np.zeros(3))
    g = np.tile([0.0, -1.0], (4000, 1))
    g = target.step(g, rng)
    labels = g @ lifted.T >= 0
    assert (labels.sum(axis=1) <= 1).all()
    # {−1} and {1} are arcs of length π/4 each, and ∅ is one of π/2.
    share = np.array([labels[:, 0].mean(), labels[:, 2].mean(), (~labels.any(axis=1)).mean()])
    assert np.abs(share - [0.25, 0.25, 0.5]).max() < 0.035  # five standard deviations of a share of a half
    leaning = target.step(g, rng, beta=0.0, gamma=0.0) @ lifted.T >= 0
    assert (leaning.sum(axis=1) == 3).mean() == pytest.approx(0.25, abs=0.035)


class TestHalfspaceVersionSpace:
    def test_it_is_exact_in_the_plane_and_sampled_beyond(self):
        assert HalfspaceVersionSpace(Halfspaces(2)).method == "exact"
        assert HalfspaceVersionSpace(Halfspaces(3)).method == "sampled"

    def test_it_hands_over_when_there_are_too_many_sites_under_a_signed_cap(self, monkeypatch):
        monkeypatch.setattr(facade, "MAX_PLANAR", 30)
        points, truth, inside, rng = world(1, 2)
        queries = rng.normal(size=(500, 2))
        few = HalfspaceVersionSpace(truth.hypotheses).require(points[inside[:4]]).cap_distance(truth, points[:20], 1)
        assert few.method == "exact"
        assert len(few.inner.caps.sites) > 15
        many = few.cap_mass(points, len(inside) + 1)
        assert many.method == "sampled"
        assert many.require(points[inside[:5]]).method == "sampled"
        exact = PlanarVersionSpace(truth.hypotheses, many.inner.caps)
        assert not (many.disagrees(queries) & ~exact.disagrees(queries)).any()
        assert few.allows(few.smallest(points))
        assert many.allows(truth) == exact.allows(truth)

    def test_mass_caps_are_exact_for_any_number_of_sites(self, monkeypatch):
        monkeypatch.setattr(facade, "MAX_PLANAR", 30)
        points, truth, inside, _ = world(1, 2)
        space = HalfspaceVersionSpace(truth.hypotheses).require(points[inside[:4]]).cap_mass(points, len(inside) + 1)
        assert len(space.inner.caps.sites) > 30
        assert space.method == "exact"
        assert space.smallest(points) == space.inner.smallest(points)
        assert space.cap_distance(truth, points, 2).method == "sampled"

    @pytest.mark.parametrize("dim", [2, 3])
    def test_it_survives_a_round_trip(self, dim):
        points, truth, inside, rng = world(2, dim)
        space = constrained(HalfspaceVersionSpace(truth.hypotheses, seed=4), points, truth, inside, 2)
        again = HalfspaceVersionSpace.from_dict(truth.hypotheses, json.loads(json.dumps(space.to_dict())))
        queries = rng.normal(size=(300, dim))
        assert again.method == space.method
        assert np.array_equal(again.disagrees(queries), space.disagrees(queries))
        assert again.smallest(points) == space.smallest(points)

    def test_an_empty_one_refuses_to_answer(self):
        points = np.array([[0.0, 0], [1, 1], [2, 2]])
        space = HalfspaceVersionSpace(Halfspaces(2)).require(points[[0, 2]]).cap_mass(points[1:2], 0)
        with pytest.raises(AssumptionsViolated):
            space.smallest(points)

    def test_the_class_must_be_halfspaces(self):
        from activepu.hypotheses.boxes import Boxes

        for kind in (PlanarVersionSpace, SampledVersionSpace, HalfspaceVersionSpace):
            with pytest.raises(InvalidInput, match="Halfspaces"):
                kind.from_dict(Boxes(2), {})
