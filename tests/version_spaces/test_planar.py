"""The planar version space against all dichotomies of a few grid points, found by linear programming."""

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from version_spaces.brute import heights

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses.halfspaces import Halfspace, Halfspaces
from activepu.version_spaces import planar
from activepu.version_spaces.level import units
from activepu.version_spaces.planar import PlanarVersionSpace
from activepu.version_spaces.signed_caps import SignedCaps

H = Halfspaces(2)
MANY = max(400, settings.default.max_examples)
GRID = [(x, y) for x in range(4) for y in range(4)]


@cache
def separable(inside, outside):
    """Whether some w, b has w·x ≥ b inside and w·x ≤ b − 1 outside: on whole numbers no rounding can decide it."""
    rows = [(-x, -y, 1) for x, y in inside] + [(x, y, -1) for x, y in outside]
    limits = [0] * len(inside) + [-1] * len(outside)
    return linprog([0, 0, 0], rows, limits, bounds=[(None, None)] * 3).status == 0


@cache
def dichotomies(sites):
    """All labellings of distinct sites by halfspaces, one per row."""
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


def placed(sites, frame):
    scale, shift = frame
    return np.array(sites, float) * scale + np.array([shift, -shift / 3])


@st.composite
def worlds(draw):
    sites = draw(st.sampled_from(UNIVERSES))
    points = placed(sites, draw(st.sampled_from(FRAMES)))
    return sites, points, dichotomies(sites), np.random.default_rng(draw(st.integers(0, 2**32)))


@cache
def separator(sites, labels):
    """Some w, b with these labels on the grid, at distance from all sites."""
    signs = np.where(labels, -1.0, 1.0)
    rows = signs[:, None] * np.column_stack([np.array(sites, float), -np.ones(len(sites))])
    return linprog([0, 0, 0], rows, -np.ones(len(sites)), bounds=[(None, None)] * 3).x


def halfspace_of(sites, points, labels):
    """The same in the points' own coordinates, points = sites · scale + shift."""
    *w, b = separator(sites, tuple(labels.tolist()))
    (scale, shift) = next(frame for frame in FRAMES if np.array_equal(points, placed(sites, frame)))
    w = np.array(w) / scale
    return Halfspace(H, w, b + w @ np.array([shift, -shift / 3]))


def random_constraint(space, sites, points, truth, alive, rng, signed=True):
    chosen = rng.integers(len(points), size=rng.integers(0, 6))  # with repeats
    limit = int(rng.integers(-1, len(chosen) + 1)) if rng.random() < 0.2 else int(rng.integers(0, 3))
    kind = rng.integers(4 if signed else 3)
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
    return space.cap_distance(halfspace_of(sites, points, labels), points[chosen], limit), alive & (distance <= limit)


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


def check_random_constraints(world, steps, signed):
    sites, points, truth, rng = world
    space, alive = PlanarVersionSpace(H), np.ones(len(truth), bool)
    for _ in range(steps):
        space, alive = random_constraint(space, sites, points, truth, alive, rng, signed)
    assert signed or space.caps.masses_only
    check(space, points, truth, alive, rng)
    again = PlanarVersionSpace.from_dict(H, space.to_dict())
    assert again.is_empty() == space.is_empty()
    for labels in truth[rng.integers(len(truth), size=2)]:
        assert space.allows(halfspace_of(sites, points, labels)) == alive[(truth == labels).all(axis=1)][0]


@settings(max_examples=MANY, deadline=None)
@given(worlds(), st.integers(1, 4))
def test_it_is_what_all_dichotomies_say(world, steps):
    check_random_constraints(world, steps, signed=True)


@settings(max_examples=MANY, deadline=None)
@given(worlds(), st.integers(0, 6))
def test_under_mass_caps_it_is_what_all_dichotomies_say(world, steps):
    check_random_constraints(world, steps, signed=False)


def capped(points, rng, required, caps):
    """A mass-only space with a member: caps with random weights leave room for a random halfspace."""
    angle = rng.uniform(0, 2 * np.pi)
    height = points @ [np.cos(angle), np.sin(angle)]
    inside = np.flatnonzero(height >= np.quantile(height, rng.uniform(0.3, 0.9)))
    space = PlanarVersionSpace(H).require(points[rng.choice(inside, required)])
    for _ in range(caps):
        chosen, weights = rng.random(len(points)) < 0.8, rng.integers(1, 4, len(points))
        limit = int(weights[inside][chosen[inside]].sum() + rng.integers(0, 4))
        space = space.cap_mass(points[chosen], limit, weights[chosen])
    return space


@pytest.mark.parametrize("seed", range(14))
def test_levels_and_dichotomies_give_the_same_version_space(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 200))
    points = rng.integers(0, 12, (n, 2)) / 7 if seed % 2 else rng.normal(size=(n, 2)) * [1.0, 1e3]
    space = capped(points, rng, required=seed % 5, caps=1 + seed % 3)
    queries = np.vstack([points, 2 * rng.normal(size=(200, 2)) * points.std(axis=0) + points.mean(axis=0)])
    found = space.certain(queries), space.possible(queries), space.smallest(queries)
    assert space.allows(found[2])
    monkeypatch.setattr(SignedCaps, "masses_only", False)
    other = PlanarVersionSpace(H, space.caps)
    assert not other.levels
    assert np.array_equal(found[0], other.certain(queries))
    assert np.array_equal(found[1], other.possible(queries))
    assert found[2].contains(queries).sum() == other.smallest(queries).contains(queries).sum()
    # To require a point that no member holds empties the space.
    for query in queries[~found[1]][:2]:
        assert PlanarVersionSpace(H, space.caps.require(query[None])).is_empty()


def test_five_thousand_points_agree_with_a_dense_net_of_directions():
    """What the tightest and the widest members in 3,000 directions say is never contradicted."""
    rng = np.random.default_rng(7)
    points, queries = rng.normal(size=(5000, 2)), 2 * rng.normal(size=(1000, 2))
    truth = Halfspace(H, [0.6, 0.8], 0.4)
    required = points[truth.contains(points)][:6]
    limit = int(truth.contains(points).sum()) + 60
    start = PlanarVersionSpace(H).cap_mass(points, limit)
    assert not start.certain(queries).any()
    space = start.require(required)
    assert space.levels[0] is start.levels[0]  # what was walked once serves all that follow
    u = units(rng.uniform(-np.pi, np.pi, 3000))
    outer, inner = heights(points, np.ones(5000, int), limit, u), (required @ u.T).min(axis=0)
    alive = inner > outer
    assert alive.sum() > 50
    possible, certain = queries @ u.T > outer, queries @ u.T >= inner
    assert not (possible.any(axis=1) & ~start.possible(queries)).any()
    assert not (possible[:, alive].any(axis=1) & ~space.possible(queries)).any()
    assert not (~certain[:, alive].all(axis=1) & space.certain(queries)).any()
    # The net is dense enough to miss little: the regions are not too large either.
    assert (start.possible(queries) & ~possible.any(axis=1)).mean() < 0.01
    assert (space.possible(queries) & ~possible[:, alive].any(axis=1)).mean() < 0.01
    assert (certain[:, alive].all(axis=1) & ~space.certain(queries)).mean() < 0.01
    smallest = space.smallest(points)
    assert space.allows(smallest)
    assert smallest.contains(points).sum() <= (points @ u[alive].T >= inner[alive]).sum(axis=0).min()


def test_extreme_rays_decide_as_all_rays_do():
    rng = np.random.default_rng(1)
    for _ in range(20):
        rays = rng.normal(size=(200, 3)) + 1.5 * rng.normal(size=3)
        kept = planar._extreme(rays)
        assert len(kept) < len(rays)
        lifted = np.column_stack([4 * rng.normal(size=(2000, 2)), np.ones(2000)])
        assert np.array_equal((lifted @ kept.T > 0).any(axis=1), (lifted @ rays.T > 0).any(axis=1))
        assert np.array_equal((lifted @ kept.T >= 0).all(axis=1), (lifted @ rays.T >= 0).all(axis=1))


@pytest.mark.parametrize("seed", range(4))
def test_caps_on_many_points_agree_with_a_dense_net_of_lines(seed):
    """Every member that a net of 40,000 lines finds is seen, and the smallest count is never above the net's."""
    rng = np.random.default_rng(seed)
    points, queries = rng.normal(size=(80, 2)), 2 * rng.normal(size=(300, 2))
    truth = Halfspace(H, [0.6, 0.8], 0.4)
    required = points[truth.contains(points)][:3]
    limit = int(truth.contains(points).sum()) + 2
    space = PlanarVersionSpace(H).require(required).cap_mass(points, limit)
    angles = rng.uniform(0, 2 * np.pi, 40_000)
    w, b = np.column_stack([np.cos(angles), np.sin(angles)]), 3 * rng.uniform(-1, 1, len(angles))
    labels = points @ w.T >= b
    alive = (required @ w.T >= b).all(axis=0) & (labels.sum(axis=0) <= limit)
    seen = queries @ w[alive].T >= b[alive]
    assert alive.sum() > 50
    assert not (seen.any(axis=1) & ~space.possible(queries)).any()
    assert not (~seen.all(axis=1) & space.certain(queries)).any()
    # Lines near V's own rays: each undecided query is split by two members, which `smallest` with a cap can exhibit.
    for query in queries[space.disagrees(queries)][:5]:
        assert not space.require(query[None]).is_empty()
        assert not space.cap_mass(query[None], 0).is_empty()
    for query in queries[~space.possible(queries)][:5]:
        assert space.require(query[None]).is_empty()
    for query in queries[space.certain(queries)][:5]:
        assert space.cap_mass(query[None], 0).is_empty()
    smallest = space.smallest(points)
    assert space.allows(smallest)
    assert smallest.contains(points).sum() <= labels[:, alive].sum(axis=0).min()


@pytest.mark.parametrize("signed", [False, True])
def test_points_inside_the_hull_of_the_required_are_not_kept(signed):
    square = np.array([[0.0, 0], [4, 0], [0, 4], [4, 4]])
    space = PlanarVersionSpace(H).require(np.vstack([square, [[1, 1], [2, 3], [0, 2]]]))
    assert len(space.caps.sites) == 5  # a site on an edge stays
    if signed:
        space = space.cap_distance(Halfspace(H, [0.0, 1], 15), np.array([[8.0, 20], [9, 20], [9, 10]]), 1)
        assert not space.caps.masses_only
    before = len(space.caps.sites)
    capped = space.cap_mass(np.array([[1.0, 2], [2, 2], [9, 9]]), 2)
    assert len(capped.caps.sites) == before + (1 if signed else 3)  # a level keeps all its sites
    assert not capped.possible(np.array([[9.0, 9]]))[0]
    assert capped.certain(np.array([[2.0, 2], [0, 1]])).all()
    assert capped.cap_mass(np.array([[1.0, 2], [2, 2]]), 1).is_empty()


def test_only_the_plane_is_enumerated():
    with pytest.raises(InvalidInput, match="plane"):
        PlanarVersionSpace(Halfspaces(3))


@pytest.mark.parametrize(
    ("centre", "scale"), [((1.7e9, 0.0), (86400.0, 1.0)), ((0.0, 0.0), (1e9, 1e9)), ((0, 5), (1e-10, 1))]
)
def test_among_the_points_of_a_pool_their_scale_does_not_matter(centre, scale):
    z = np.random.default_rng(0).normal(size=(200, 2))
    x = z * scale + centre
    plain, scaled = (PlanarVersionSpace(Halfspaces(2)).among(points) for points in (z, x))
    assert scaled.disagrees(x).all()
    for step in (lambda V, p: V.require(p[:1]), lambda V, p: V.require(p[1:3]), lambda V, p: V.cap_mass(p[9:40], 15)):
        plain, scaled = step(plain, z), step(scaled, x)
        assert (scaled.disagrees(x) == plain.disagrees(z)).all()
        assert (scaled.certain(x) == plain.certain(z)).all()
    again = PlanarVersionSpace.from_dict(Halfspaces(2), scaled.to_dict())
    assert (again.disagrees(x) == scaled.disagrees(x)).all()


def test_a_point_beside_which_all_others_look_alike_is_refused():
    x = np.random.default_rng(0).normal(size=(200, 2))
    x[7, 1] = 1e10
    with pytest.raises(InvalidInput, match=r"Feature 1 has the value 1e\+10 where nine in ten rows lie between"):
        PlanarVersionSpace(Halfspaces(2)).among(x)


def test_a_constant_column_and_one_point_have_a_frame_too():
    x = np.column_stack([np.full(50, 7e8), np.random.default_rng(0).normal(size=50)])
    V = PlanarVersionSpace(Halfspaces(2)).among(x).require(x[:1])
    assert V.certain(x[:1]).all()
    assert np.count_nonzero(V.disagrees(x)) == 49
    assert PlanarVersionSpace(Halfspaces(2)).among(x[:1]).disagrees(x[:1]).all()
