"""The finite version space against brute force over a boolean matrix, ∅ being its last row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses.finite import FiniteClass, Member
from activepu.version_spaces.finite import FiniteVersionSpace, bit_counts

SIZES = st.sampled_from([1, 2, 3, 5, 8, 63, 64, 65, 130])


def column(matrix, index):
    """A predictor that looks its answer up; the only feature of an item is its row number."""
    return lambda X: matrix[index, X[:, 0].astype(int)]


def make(matrix):
    """The version space, the encoded items, and the matrix with ∅ appended."""
    hypotheses = FiniteClass([column(matrix, index) for index in range(len(matrix))]).bind(1)
    points = hypotheses.encode(np.arange(matrix.shape[1], dtype=float)[:, None])
    return FiniteVersionSpace(hypotheses), points, np.vstack([matrix, np.zeros((1, matrix.shape[1]), bool)])


@st.composite
def worlds(draw):
    size, items = draw(SIZES), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return rng.random((size, items)) < draw(st.sampled_from([0.2, 0.5, 0.8])), rng


def random_constraint(space, points, truth, alive, rng):
    """One random constraint on both the version space and the brute-force mask."""
    items = truth.shape[1]
    chosen = rng.integers(items, size=rng.integers(0, 2 * items))  # with repeats, possibly none
    limit = int(rng.integers(-1, len(chosen) + 1))
    kind = rng.integers(4)
    if kind == 0:
        chosen = chosen[:2]
        return space.require(points[chosen]), alive & truth[:, chosen].all(axis=1)
    if kind == 1:
        return space.cap_mass(points[chosen], limit), alive & (truth[:, chosen].sum(axis=1) <= limit)
    if kind == 2:
        weights = rng.integers(0, 6, size=len(chosen))
        limit = int(rng.integers(0, weights.sum() + 1))
        return space.cap_mass(points[chosen], limit, weights), alive & (truth[:, chosen] @ weights <= limit)
    center = int(rng.integers(len(truth)))
    distance = (truth[:, chosen] ^ truth[center, chosen]).sum(axis=1)
    return space.cap_distance(Member(space.hypotheses, center), points[chosen], limit), alive & (distance <= limit)


@settings(max_examples=600, deadline=None)
@given(worlds(), st.integers(0, 4))
def test_it_is_what_brute_force_says(world, steps):
    matrix, rng = world
    space, points, truth = make(matrix)
    alive = np.ones(len(truth), bool)
    for _ in range(steps):
        space, alive = random_constraint(space, points, truth, alive, rng)
        assert np.array_equal(space.indices, np.flatnonzero(alive))
        assert space.is_empty() == (not alive.any())
    again = FiniteVersionSpace.from_dict(space.hypotheses, space.to_dict())
    assert np.array_equal(again.alive, space.alive)
    for index in rng.integers(len(truth), size=3):
        assert space.allows(Member(space.hypotheses, int(index))) == alive[index]
    if not alive.any():
        return
    assert np.array_equal(space.certain(points), truth[alive].all(axis=0))
    assert np.array_equal(space.possible(points), truth[alive].any(axis=0))
    assert np.array_equal(space.disagrees(points), truth[alive].any(axis=0) & ~truth[alive].all(axis=0))
    chosen = rng.integers(truth.shape[1], size=4)
    counts = truth[:, chosen].sum(axis=1)
    expected = np.flatnonzero(alive & (counts == counts[alive].min()))[0]
    assert space.smallest(points[chosen]).index == expected


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 70), st.integers(1, 3), st.integers(0, 2**32))
def test_bits_are_counted_as_a_sum_of_the_unpacked_rows(rows, words, seed):
    bits = np.random.default_rng(seed).random((rows, words * 64)) < 0.5
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64).reshape(rows, words)
    assert np.array_equal(bit_counts(packed), bits.sum(axis=0))


def test_counts_are_right_across_blocks_of_rows(monkeypatch):
    monkeypatch.setattr("activepu.version_spaces.finite.BLOCK_WORDS", 64)
    rng = np.random.default_rng(0)
    matrix = rng.random((200, 1000)) < 0.5
    space, points, truth = make(matrix)
    weights = rng.integers(0, 1000, 1000)
    limit = int(weights.sum() // 2)
    assert np.array_equal(space.cap_mass(points, limit, weights).indices, np.flatnonzero(truth @ weights <= limit))
    assert np.array_equal(space.cap_mass(points, 500).indices, np.flatnonzero(truth.sum(axis=1) <= 500))
    few = space.require(points[:3])
    assert np.array_equal(few.possible(points), truth[truth[:, :3].all(axis=1)].any(axis=0))


def test_nothing_stays_possible_until_something_is_required():
    space, points, _ = make(np.ones((2, 3), bool))
    assert str(space.cap_mass(points, 0).smallest(points)) == "nothing"
    assert not space.cap_mass(points, 0).possible(points).any()
    assert space.require(points[:1]).certain(points).all()


def test_no_constraint_changes_nothing():
    space, points, _ = make(np.eye(3, dtype=bool))
    assert np.array_equal(space.require(points[:0]).alive, space.alive)
    assert np.array_equal(space.cap_mass(points[:0], 0).alive, space.alive)


def test_an_empty_version_space_answers_no_question():
    space, points, _ = make(np.zeros((2, 3), bool))
    empty = space.require(points)
    assert empty.is_empty()
    for question in (empty.certain, empty.possible, empty.disagrees, empty.smallest):
        with pytest.raises(AssumptionsViolated, match="'finite'"):
            question(points)


@pytest.mark.parametrize("weights", [[1.5, 0, 0], [-1, 0, 0], [1, 2]])
def test_weights_are_whole_and_one_per_point(weights):
    space, points, _ = make(np.eye(3, dtype=bool))
    with pytest.raises(InvalidInput, match="weights"):
        space.cap_mass(points, 1, np.array(weights))


def test_stored_members_must_fit_the_class():
    space, _, _ = make(np.eye(3, dtype=bool))
    with pytest.raises(InvalidInput, match="3 predictors"):
        FiniteVersionSpace.from_dict(space.hypotheses, {"alive": [4]})


def test_a_limit_is_a_whole_number():
    space, points, _ = make(np.eye(3, dtype=bool))
    with pytest.raises(InvalidInput, match="limit"):
        space.cap_mass(points, 0.5)
