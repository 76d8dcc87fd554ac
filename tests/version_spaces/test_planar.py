"""The planar version space against all dichotomies of a few grid points, found by linear programming."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses.halfspaces import Halfspace, Halfspaces
from activepu.version_spaces import planar
from activepu.version_spaces.planar import PlanarVersionSpace

H = Halfspaces(2)
GRID = [(x, y) for x in range(4) for y in range(4)]


@cache
def separable(inside, outside):
    """Whether some w, b has w·x ≥ b inside and w·x ≤ b − 1 outside: on whole numbers no rounding can decide it."""
    rows = [(-x, -y, 1) for x, y in inside] + [(x, y, -1) for x, y in outside]
    limits = [0] * len(inside) + [-1] * len(outside)
    return linprog([0, 0, 0], rows, limits, bounds=[(None, None)] * 3).status == 0


@cache
def dichotomies(sites):
    """All labellings of distinct sites by halfspaces, one a row."""
    rows = []
    for labels in itertools.product([False, True], repeat=len(sites)):
        inside = tuple(site for site, label in zip(sites, labels, strict=True) if label)
        outside = tuple(site for site, label in zip(sites, labels, strict=True) if not label)
        if separable(inside, outside):
            rows.append(labels)
    return np.array(rows, bool).reshape(len(rows), len(sites))


# Few universes, each with its dichotomies found once, and thousands of version spaces on them.
rng = np.random.default_rng(0)
UNIVERSES = [
    *(tuple(sorted(GRID[k] for k in rng.choice(16, size=int(size), replace=False))) for size in rng.integers(1, 8, 24)),
    ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0)),
    ((0, 0), (1, 1), (2, 2), (3, 3), (0, 3)),
    ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 1)),
    ((0, 3), (1, 2), (2, 1), (3, 0), (0, 0), (1, 1)),
]
# Shifts and scales under which grid points stay collinear up to rounding.
FRAMES = [(1.0, 0.0), (0.1, 0.7), (1e-3, 250.0), (3e4, -1e5)]


@st.composite
def worlds(draw):
    sites = draw(st.sampled_from(UNIVERSES))
    scale, shift = draw(st.sampled_from(FRAMES))
    points = np.array(sites, float) * scale + np.array([shift, -shift / 3])
    return points, dichotomies(sites), np.random.default_rng(draw(st.integers(0, 2**32)))


def halfspace_of(points, labels):
    """Some halfspace with these labels."""
    signs = np.where(labels, -1.0, 1.0)
    middle = points.mean(axis=0)
    size = max(1e-12, np.abs(points - middle).max())
    rows = signs[:, None] * np.column_stack([(points - middle) / size, -np.ones(len(points))])
    w0, w1, b = linprog([0, 0, 0], rows, -np.ones(len(points)), bounds=[(None, None)] * 3).x
    w = np.array([w0, w1]) / size
    return Halfspace(H, w, b + w @ middle)


def random_constraint(space, points, truth, alive, rng):
    chosen = rng.integers(len(points), size=rng.integers(0, 6))  # with repeats
    limit = int(rng.integers(-1, len(chosen) + 1)) if rng.random() < 0.2 else int(rng.integers(0, 3))
    kind = rng.integers(4)
    if kind == 0:
        chosen = chosen[:3]
        return space.require(points[chosen]), alive & truth[:, chosen].all(axis=1)
    if kind == 1:
        return space.cap_mass(points[chosen], limit), alive & (truth[:, chosen].sum(axis=1) <= limit)
    if kind == 2:
        weights = rng.integers(0, 4, size=len(chosen))
        return space.cap_mass(points[chosen], limit, weights), alive & (truth[:, chosen] @ weights <= limit)
    labels = truth[rng.integers(len(truth))]
    distance = (truth[:, chosen] ^ labels[chosen]).sum(axis=1)
    return space.cap_distance(halfspace_of(points, labels), points[chosen], limit), alive & (distance <= limit)


def check(space, points, truth, alive, rng):
    assert space.is_empty() == (not alive.any())
    if not alive.any():
        for question in (space.certain, space.possible, space.disagrees, space.smallest):
            with pytest.raises(AssumptionsViolated):
                question(points)
        return
    assert np.array_equal(space.certain(points), truth[alive].all(axis=0))
    assert np.array_equal(space.possible(points), truth[alive].any(axis=0))
    assert np.array_equal(space.disagrees(points), truth[alive].any(axis=0) & ~truth[alive].all(axis=0))
    chosen = rng.integers(len(points), size=rng.integers(0, 8))
    smallest = space.smallest(points[chosen])
    assert space.allows(smallest)
    assert smallest.contains(points[chosen]).sum() == truth[alive][:, chosen].sum(axis=1).min()
    labels = smallest.contains(points)
    assert (truth[alive] == labels).all(axis=1).any()


@settings(max_examples=1500, deadline=None)
@given(worlds(), st.integers(0, 4))
def test_it_is_what_all_dichotomies_say(world, steps):
    points, truth, rng = world
    space, alive = PlanarVersionSpace(H), np.ones(len(truth), bool)
    for _ in range(steps):
        space, alive = random_constraint(space, points, truth, alive, rng)
    check(space, points, truth, alive, rng)
    again = PlanarVersionSpace.from_dict(H, space.to_dict())
    assert again.is_empty() == space.is_empty()
    for labels in truth[rng.integers(len(truth), size=2)]:
        assert space.allows(halfspace_of(points, labels)) == alive[(truth == labels).all(axis=1)][0]
