from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from zcal.making import posterior
from zcal.posteriors.brute import fold, predictions

from activepu.hypotheses import Boxes, Conjunctions, Intervals, Orthants
from activepu.zcal.posteriors.boxes import BoxPosterior
from activepu.zcal.rates import Rates
from activepu.zcal.sides import LiteralSides, RankSides
from activepu.zcal.tuning import TUNING

SAMPLE = np.array([[0.2, 3.0], [1.5, 9.0], [2.5, 1.0], [7.0, 4.0], [8.0, 6.0]])
ANSWERS = [(0, False, 0), (3, True, 1), (2, False, 1), (1, False, 0)]


def members(needs):
    """Every way to hold some of the items: a piece of [0, 1] a side, between two needs; the prior is their volume."""
    sides = [np.unique(np.concatenate([[0.0], column, [1.0]])) for column in needs.T]
    starts = np.array(list(product(*(edges[:-1] for edges in sides))))
    volume = np.prod(np.array(list(product(*(np.diff(edges) for edges in sides)))), axis=1)
    return (needs[None] <= starts[:, None]).all(axis=2), volume


def cut_off(columns):
    """(1 − u)^κ for κ columns without ties, u being the share of ranks below each item."""
    ranks = (columns.argsort(axis=0).argsort(axis=0) + 1) / (len(columns) + 1)
    return (1 - ranks) ** columns.shape[1]


def inside(made):
    """(stars, chains), by the definition."""
    return (made.needs[:, :, None] <= made.reach[:, None]).all(axis=0)


def averaged(made, points, expert=0, rounds=60):
    """Means over many sweeps, without the chain that is unsure."""
    seen = []
    for _ in range(rounds):
        made._sweep(1)
        rate = made._mean_rate(expert if made.rates.per_expert else 0)
        held = made.holds(points)
        seen.append([held.mean(axis=1), (held * rate).mean(axis=1)])
    return np.mean(seen, axis=0)


@pytest.mark.parametrize("rate", [0.5, 0.9, None, (0.3, 0.8), "per expert"])
@pytest.mark.parametrize("two_sided", [True, False])
def test_the_chains_average_to_the_sum_over_all_members(rate, two_sided):
    rates = Rates.parse(rate)
    labels, prior = members(cut_off(np.hstack([SAMPLE, -SAMPLE]) if two_sided else SAMPLE))
    prior = prior * labels[:, 4]
    want = predictions(labels, prior, ANSWERS, rates, 1)
    made = BoxPosterior(RankSides(SAMPLE, two_sided), rates, SAMPLE[4:], seed=3, chains=1000)
    got = averaged(fold(made, SAMPLE, ANSWERS), SAMPLE, 1)
    np.testing.assert_allclose(got, want[:2], atol=0.008)


@pytest.mark.parametrize("answers", [[], [(0, False, 0), (2, False, 0), (2, False, 0)]])
def test_before_the_first_positive_only_the_order_of_the_sides_couples_them(answers):
    x = np.array([[1.0], [2.0], [4.0], [7.0]])
    u = (np.arange(1500) + 0.5) / 1500  # the reaches of both sides, evenly, and the shares that they cut off
    low, high = (1 - np.sqrt(a.ravel()) for a in np.meshgrid(u, u))
    ranks = np.arange(1, 5) / 5
    labels = (low[:, None] <= ranks) & (1 - high[:, None] >= ranks)
    patterns, place = np.unique(labels @ [1, 2, 4, 8], return_inverse=True)
    prior = np.bincount(place, weights=low + high <= 1)
    labels = (patterns[:, None] >> np.arange(4) & 1).astype(bool)
    want = predictions(labels, prior, answers, Rates.parse(0.6), 0)
    made = fold(BoxPosterior(RankSides(x, True), Rates.parse(0.6), x[:0], 5, chains=1000), x, answers)
    np.testing.assert_allclose(averaged(made, x), want[:2], atol=0.008)


@pytest.mark.parametrize("rate", [0.7, None])
def test_conjunctions_average_to_the_sum_over_all_lists(rate):
    X = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1]], float)
    lists = np.array(list(product([False, True], repeat=4)))
    ones = (X.sum(axis=0) + 1) / (len(X) + 2)
    required = np.minimum(0.5, 1 / (4 * np.log(1 / ones)))
    prior = np.where(lists, required, 1 - required).prod(axis=1)
    labels = ~(lists[:, None] & (X == 0)).any(axis=2)
    answers = [(4, True, 0), (3, False, 0), (1, False, 0), (0, True, 0), (5, False, 0)]
    want = predictions(labels, prior, answers, Rates.parse(rate), 0)
    made = BoxPosterior(LiteralSides(X), Rates.parse(rate), X[:0], 1, chains=1000)
    np.testing.assert_allclose(averaged(fold(made, X, answers), X), want[:2], atol=0.008)


def test_one_side_follows_its_exact_law_given_the_others():
    rng = np.random.default_rng(0)
    sample = rng.random((50, 2))
    made = BoxPosterior(RankSides(sample, True), Rates.parse(0.4), sample[:1], 0, chains=40_000)
    for star in sample[1:9]:
        made._add(star[None], np.array([0]), revealed=False)
    made.reach = np.tile(np.maximum(made.floor, [0.1, 0.3, 0.5, 0.6])[:, None], made.chains)
    made.silent = inside(made).sum(axis=0)[None]
    others = (made.needs[1:] <= made.reach[1:, :1]).all(axis=0)
    assert 2 <= others.sum() < 8
    made._move(0, rng, made._stars_until_negligible())
    grid = made.floor[0] + (1 - made.floor[0]) * (np.arange(20_000) + 0.5) / 20_000
    density = 0.6 ** (made.needs[0, others] <= grid[:, None]).sum(axis=1)
    places = np.linspace(made.floor[0], 1, 25)[1:]
    want = np.searchsorted(grid, places)
    got = (made.reach[0][:, None] <= places).mean(axis=0)
    np.testing.assert_allclose(got, (np.cumsum(density) / density.sum())[want - 1], atol=0.01)
    assert np.array_equal(made.silent[0], inside(made).sum(axis=0))


@pytest.mark.parametrize("rate", [0.5, None, (0.05, 0.95)])
def test_an_answer_is_taken_in_at_once(rate):
    """Also a reveal that all chains held: of those with fewer stars it was more to be expected."""
    x = np.arange(12.0)[:, None]
    answers = [*((item, False, 0) for item in (2, 9, 4, 8, 3, 10)), (6, True, 0), (6, True, 0), (11, False, 0)]
    labels, prior = members(cut_off(np.hstack([x, -x])))
    prior = prior * labels[:, 6]
    made = BoxPosterior(RankSides(x, True), Rates.parse(rate), x[[6]], seed=0, chains=20_000)
    for k, (item, revealed, expert) in enumerate(answers, 1):
        made.fold(x[[item]], revealed, expert)
        want = predictions(labels, prior, answers[:k], Rates.parse(rate), 0)
        np.testing.assert_allclose(made.predict(x).q, want[1], atol=0.02)


def test_chains_rest_where_none_holds_a_star():
    points = np.random.default_rng(0).random((200, 2))
    made = BoxPosterior(RankSides(points, True), Rates.parse(0.9), points[:0], seed=0)
    middle = points[np.argsort(abs(points - 0.5).max(axis=1))]
    for k in range(8):
        made.fold(middle[[k]], True)
    for x in middle[100:]:
        made.fold(x[None], False)
    outside = next(x for x in points if not made.holds(x[None]).any())
    inside = made.reach
    made.fold(outside[None], False)
    assert made.reach is inside
    made.fold(middle[[0]], False)
    assert (made.reach != inside).any()


def test_silence_beyond_the_closure_moves_chains_that_all_hold_the_point():
    sides = RankSides(np.linspace(0, 1, 2001)[:, None], two_sided=True)
    chains = BoxPosterior(sides, Rates(0.99, 0.99), np.array([[0.3], [0.6]]), 1)
    for _ in range(2000):  # so many that answers about certain positives are no longer looked at one by one
        chains.fold(np.array([[0.45]]), True)
    beside = np.array([[0.6005]])
    for _ in range(4):
        chains.fold(beside, False)
    assert chains.predict(beside).p[0] < 0.1


@pytest.mark.parametrize("rate", [0.5, None])
def test_stars_far_behind_others_need_no_look(monkeypatch, rate):
    rng = np.random.default_rng(2)
    points = rng.random((1200, 2))
    answers = [(i, bool((abs(points[i] - 0.5) < 0.25).all() and rng.random() < 0.5), 0) for i in range(1200)]

    def reaches(nearest):
        if nearest is not None:
            monkeypatch.setattr(BoxPosterior, "_stars_until_negligible", lambda self: nearest)
        made = fold(BoxPosterior(RankSides(points, True), Rates.parse(rate), points[:0], 0, 16), points, answers)
        assert np.array_equal(made.silent, made._count(made.needs, made.groups))
        return made.reach

    looked = []
    law = BoxPosterior._law
    monkeypatch.setattr(BoxPosterior, "_law", lambda *args: looked.append(len(args[3])) or law(*args))
    few = reaches(None)
    assert len(looked) > 100
    late, looked[:] = looked[-200:], []
    assert np.array_equal(few, reaches(8))
    looked.clear()
    assert np.array_equal(few, reaches(1200))
    assert np.mean(late) < np.mean(looked[-200:])


@pytest.mark.parametrize("rate", [1, 0.5, "per expert"])
def test_the_books_are_kept(rate):
    """What is carried along equals what a count from scratch gives, and every chain holds what was revealed."""
    rng = np.random.default_rng(1)
    points = rng.integers(0, 12, (200, 3)).astype(float)
    made = BoxPosterior(RankSides(points, True), Rates.parse(rate), points[:0], 0, chains=32)
    revealed = []
    for i in range(60):
        answer = bool((np.abs(points[i] - 6) < 4).all() and rng.random() < 0.5)
        made.fold(points[i : i + 1], answer, expert=i % 3)
        revealed += [i] if answer else []
        for group, row in enumerate(made.silent):
            assert np.array_equal(row, inside(made)[made.groups == group].sum(axis=0))
        assert made.holds(points[revealed]).all()
        assert ((made.reach >= 0) & (made.reach <= 1)).all()
    assert len(revealed) > 5
    prediction = made.predict(points, 1)
    assert ((prediction.q > 0) & (prediction.q < 1)).all()


def test_chains_are_carried_on(monkeypatch):
    made = fold(BoxPosterior(RankSides(SAMPLE, True), Rates(), SAMPLE[:0], 0), SAMPLE, ANSWERS)
    still = replace(TUNING, sweeps=0, sweeps_grown=0)
    monkeypatch.setattr("activepu.zcal.posteriors.boxes.TUNING", still)
    before = {tuple(column) for column in made.reach.T}
    made.fold(SAMPLE[4:], False)
    assert {tuple(column) for column in made.reach.T} <= before
    kept = made.reach
    made.fold(SAMPLE[:1], True)
    assert np.array_equal(np.maximum(kept, made.sides.needs(SAMPLE[:1]).T), made.reach)


def test_the_same_seed_gives_the_same_chains():
    def chains(seed):
        return fold(posterior(Boxes(2), Rates(), SAMPLE, SAMPLE[:0], seed), SAMPLE, ANSWERS).reach

    assert np.array_equal(chains(1), chains(1))
    assert not np.array_equal(chains(1), chains(2))


def test_what_is_supposed_and_what_is_folded_do_not_meet():
    """A copy has the stars that it was told, whatever the original is told afterwards, and the other way round."""
    points = np.random.default_rng(0).random((12, 2))
    made = BoxPosterior(RankSides(points, True), Rates(), points[:0], 0)
    for x in points[:5]:
        made.fold(x[None], False)
    before = made.needs.copy()
    one, other = (made.supposing_silence(points[[k]], [0]) for k in (6, 7))
    made.fold(points[[8]], False)
    again = one.supposing_silence(points[[9]], [0])
    one.fold(points[[10]], False)
    for posterior_, added in ((made, [8]), (one, [6, 10]), (other, [7]), (again, [6, 9])):
        want = np.hstack([before, posterior_.sides.needs(points[added]).T])
        assert np.array_equal(posterior_.needs, want)


def test_supposing_silence_only_weighs():
    made = fold(posterior(Boxes(2), Rates.parse(0.5), SAMPLE, SAMPLE[4:], 0), SAMPLE, ANSWERS[:2])
    reach, before = made.reach.copy(), made.predict(SAMPLE)
    supposed = made.supposing_silence(SAMPLE[[1, 2]], [0, 0])
    held = made.holds(SAMPLE[[1, 2]]).sum(axis=0)
    np.testing.assert_allclose(supposed.weight, 0.5**held / (0.5**held).sum())
    assert (supposed.predict(SAMPLE).p[[1, 2]] < before.p[[1, 2]]).all()
    supposed.fold(SAMPLE[:1], True)
    assert np.array_equal(made.reach, reach)
    assert np.array_equal(made.predict(SAMPLE).q, before.q)
    one_more = fold(made, SAMPLE, [(1, False, 0)]).reach
    again = fold(posterior(Boxes(2), Rates.parse(0.5), SAMPLE, SAMPLE[4:], 0), SAMPLE, [*ANSWERS[:2], (1, False, 0)])
    assert np.array_equal(one_more, again.reach)


def test_one_chain_more_is_unsure():
    made = posterior(Boxes(2), Rates.parse(0.5), SAMPLE, SAMPLE[:1], 0)
    assert made.predict(SAMPLE[:1]).p[0] == pytest.approx((made.chains + 0.5) / (made.chains + 1))
    assert made.predict(SAMPLE[:1]).q[0] == pytest.approx(0.5 * (made.chains + 0.5) / (made.chains + 1))


@pytest.mark.parametrize("dim", [1, 5, 20])
def test_a_box_has_about_an_eth_of_the_mass_whatever_the_dimension(dim):
    sample = np.random.default_rng(0).random((1000, dim))
    made = posterior(Boxes(dim), Rates(), sample, sample[:0], 0)
    assert 0.25 < made.holds(sample).mean() < 0.5


def test_each_class_has_its_sides():
    assert isinstance(posterior(Orthants(2), Rates(), SAMPLE, SAMPLE[:0], 0).sides, RankSides)
    assert isinstance(posterior(Conjunctions(2), Rates(), SAMPLE * 0, SAMPLE[:0], 0).sides, LiteralSides)
    assert posterior(Intervals(), Rates(), SAMPLE[:, :1], SAMPLE[:0, :1], 0).sides.count == 2
