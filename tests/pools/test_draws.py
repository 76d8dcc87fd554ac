"""One run's way through a pool: nothing is handed out twice."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from activepu.errors import InvalidInput, PoolExhausted
from activepu.hashing import keys, order, uniforms
from activepu.hypotheses import Boxes, Intervals
from activepu.pools import Pool, Sampler, everywhere

SEEDS = st.integers(0, 2**40)


def number_pool(n):
    """The point of item i is i itself."""
    return Pool(np.arange(float(n)))


def lines(n, seed=0, positives=()):
    return number_pool(n).draws(Intervals(), seed, positives)


@settings(max_examples=150, deadline=None)
@given(
    n=st.integers(1, 400),
    seed=SEEDS,
    known=st.sets(st.integers(0, 399), max_size=3),
    moves=st.lists(
        st.tuples(
            st.sampled_from(["ask", "ask", "sample", "sample in", "restart"]), st.integers(0, 60), st.integers(1, 5)
        ),
        max_size=25,
    ),
)
def test_no_item_is_handed_out_twice(n, seed, known, moves):
    known = sorted(k for k in known if k < n)
    draws = lines(n, seed, known)
    generator = draws.questions(everywhere)
    handed = []
    for kind, size, modulus in moves:

        def region(points, m=modulus):
            return points[:, 0] % m == 0

        left, dry = draws.remaining, None
        try:
            if kind == "ask":
                for item, position in islice(generator, size):
                    handed.append(item)
                    assert position < draws.position
            elif kind == "sample":
                handed += draws.unlabeled(size, "a test")[:, 0].astype(int).tolist()
            elif kind == "sample in":
                found = draws.unlabeled_in(region, size, "a test")[:, 0].astype(int)
                assert len(found) == size
                assert (found % modulus == 0).all()
                handed += found.tolist()
            else:
                generator = draws.questions(region)
        except PoolExhausted as error:
            dry = str(error)
        if kind == "sample":
            assert dry is None or f"a test needs {size} fresh rows and {left} are left" in dry
            assert (dry is None) == (size <= left)
        assert 0 <= draws.remaining <= left
    assert len(set(handed)) == len(handed)
    assert not set(handed) & set(known)
    assert len(handed) + len(known) <= n


@settings(max_examples=50, deadline=None)
@given(n=st.integers(1, 300), seed=SEEDS, modulus=st.integers(1, 7))
def test_questions_are_all_of_the_region_once_in_the_hashed_order(n, seed, modulus):
    asked = [item for item, _ in lines(n, seed).questions(lambda points: points[:, 0] % modulus == 0)]
    assert asked == [row for row in order(seed, n).tolist() if row % modulus == 0]


def test_a_block_that_was_looked_at_ahead_does_not_overlap_a_sample_taken_since():
    draws = lines(40)
    generator = draws.questions(everywhere)
    first, _ = next(generator)
    sample = draws.unlabeled(30, "a sample")[:, 0].astype(int).tolist()
    rest = [item for item, _ in generator]
    assert sorted([first, *sample, *rest]) == list(range(40))


def test_rest_uses_nothing_up_and_excludes_what_was_drawn():
    draws = lines(20)
    sample = draws.unlabeled(5, "a sample")
    assert len(draws.rest()) == draws.remaining == 15
    assert not set(draws.rest()[:, 0]) & set(sample[:, 0])
    asked = [item for item, _ in draws.questions(everywhere)]
    assert len(asked) == 15


def test_known_positives_are_never_drawn():
    draws = lines(10, positives=[3, 7])
    assert draws.positives[:, 0].tolist() == [3, 7]
    assert sorted(item for item, _ in draws.questions(everywhere)) == [0, 1, 2, 4, 5, 6, 8, 9]


def test_an_exhausted_pool_says_how_many_rows_were_needed_and_found():
    draws = lines(10)
    with pytest.raises(PoolExhausted, match="the test needs 11 fresh rows and 10 are left"):
        draws.unlabeled(11, "the test")
    with pytest.raises(PoolExhausted, match="the test needs 5 rows of the disagreement region and found 2"):
        draws.unlabeled_in(lambda points: points[:, 0] >= 8, 5, "the test")


def test_the_order_is_a_permutation_that_depends_on_the_seed_alone():
    assert sorted(order(5, 1000).tolist()) == list(range(1000))
    assert np.array_equal(order(5, 1000), order(5, 1000))
    assert not np.array_equal(order(5, 1000), order(6, 1000))
    assert (keys(1, "order", [3, 4]) == keys(1, "order", [4, 3])[::-1]).all()
    assert (keys(1, "order", [3]) != keys(1, "coin", [3])).all()


def test_hashed_numbers_are_spread_evenly():
    drawn = np.sort(uniforms(0, "coin", np.arange(20_000)))
    assert np.abs(drawn - (np.arange(20_000) + 0.5) / 20_000).max() < 1.63 / np.sqrt(20_000)  # Kolmogorov, 1%
    pairs = uniforms(0, "coin", np.arange(20_000)), uniforms(1, "coin", np.arange(20_000))
    assert abs(np.corrcoef(pairs)[0, 1]) < 0.03


def uniform(n, rng):
    return rng.random((n, 2))


def test_a_sampler_draws_the_same_for_the_same_seed():
    sampler = Sampler(uniform, dim=2)
    one, other = sampler.draws(Boxes(), 3), sampler.draws(Boxes(), 3)
    asked = list(islice(one.questions(everywhere), 2000))
    again = []
    generator = other.questions(everywhere)
    for _ in range(20):  # taken piece by piece, with samples in between
        again += list(islice(generator, 100))
        other.unlabeled(7, "a sample")
    assert asked == again
    items = [item for item, _ in asked]
    assert np.array_equal(one.features(items), other.features(items))
    assert not np.array_equal(one.features(items), sampler.draws(Boxes(), 4).features(items))


def test_a_sampler_never_draws_a_point_twice():
    draws = Sampler(uniform, dim=2).draws(Boxes(), 0)
    asked = [item for item, _ in islice(draws.questions(everywhere), 1500)]
    sample = draws.unlabeled_items(3000, "a sample")
    inside = draws.unlabeled_in(lambda points: points[:, 0] > 0.5, 200, "a sample")
    assert (inside[:, 0] > 0.5).all()
    every = np.vstack([draws.features(asked), draws.features(sample), inside])
    assert len(np.unique(every, axis=0)) == len(every) == 4700
    assert draws.remaining is None
    assert draws.rest() is None


def test_an_item_of_a_sampler_is_found_again_after_many_others():
    draws = Sampler(uniform, dim=2).draws(Boxes(), 0)
    (item, _), *_ = islice(draws.questions(everywhere), 1)
    before = draws.features([item])
    for _ in range(100):
        draws.unlabeled(2, "a sample")
    assert np.array_equal(draws.features([item]), before)


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda n, rng: rng.random((n, 3)), "2 column"),
        (lambda n, rng: rng.random((n + 1, 2)), "must return n rows, got 1025 for n = 1024"),
        (lambda n, rng: np.full((n, 2), np.nan), "finite, got nan"),
    ],
)
def test_a_sampler_checks_what_it_draws(draw, sentence):
    draws = Sampler(draw, dim=2).draws(Boxes(), 0)
    with pytest.raises(InvalidInput, match=sentence):
        next(draws.questions(everywhere))


def test_a_sampler_has_no_rows_of_its_own():
    with pytest.raises(InvalidInput, match="within a Run"):
        Sampler(uniform, dim=2).rows([0])


def test_an_endless_pool_gives_up_on_a_region_that_holds_nothing(monkeypatch):
    monkeypatch.setattr("activepu.pools.base.Draws.MISSES", 5000)
    sampler = Sampler(lambda n, rng: rng.random((n, 1)), dim=1)
    draws = sampler.draws(Intervals(), seed=0)

    def nowhere(points):
        return points[:, 0] > 2

    assert list(draws.questions(nowhere)) == []
    with pytest.raises(PoolExhausted, match="needs 3 rows of the disagreement region and found 0"):
        draws.unlabeled_in(nowhere, 3, "a sample")
