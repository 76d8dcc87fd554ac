"""The bounds on hidden items: compared with brute force, and valid over every path of answers, whoever chooses."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from activepu.audit.hidden import Band, Floats, _grid, extremes, log_prior

DELTA = 0.5


@st.composite
def answered(draw: st.DrawFn) -> list[Band]:
    """Bands after some draws by lot and some other questions."""
    bands = []
    for _ in range(draw(st.integers(1, 2))):
        band = Band(draw(st.integers(1, 6)), draw(st.integers(1, 3)))
        lot = draw(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=band.size))
        band.expect(draw(st.floats(0, 4)))
        for by_lot, revealed in lot:
            band.take(band.size - band.asked if by_lot else None, revealed)
        bands.append(band)
    return bands


@given(answered(), st.floats(0.05, 0.6))
def test_bounds_are_those_of_every_count_in_the_set(bands: list[Band], delta: float) -> None:
    """The relaxation between counts may only widen the bounds; a single band has none."""
    floor = math.log(delta)
    inside = []
    for counts in product(*(range(b.revealed, b.size - b.silent + 1) for b in bands)):
        value = sum(np.interp(s, *b.corners()) for b, s in zip(bands, counts, strict=True))
        if value >= floor:
            inside.append(sum(b.weight * s for b, s in zip(bands, counts, strict=True)))
    low, high = extremes(bands, delta)
    if not inside:
        return
    assert low <= min(inside)
    assert max(inside) <= high
    if len(bands) == 1 and bands[0].weight == 1:
        assert (low, high) == (min(inside), max(inside))


@given(st.integers(1, 6), st.lists(st.tuples(st.booleans(), st.booleans()), max_size=6), st.floats(0, 5))
def test_the_likelihood_is_the_product_over_the_draws_of_the_lot(
    size: int, questions: list[tuple[bool, bool]], expected: float
) -> None:
    band = Band(size)
    band.expect(expected)
    truth = {S: 1.0 for S in range(size + 1)}
    n = r = 0
    for by_lot, revealed in questions[:size]:
        if by_lot:
            band.take(size - n, revealed)
            for S in truth:
                p = min(max((S - r) / (size - n), 0.0), 1.0)
                truth[S] *= p if revealed else 1 - p
        else:
            band.take(None, revealed)
        n, r = n + 1, r + revealed
    prior = np.exp(log_prior(np.arange(size + 1.0), size, expected))
    assert prior.sum() == pytest.approx(1)
    x, y = band.corners()
    assert x.tolist() == list(range(r, size - (n - r) + 1))
    Q = sum(prior[S] * truth[S] for S in truth)
    assert np.exp(y) == pytest.approx([truth[int(S)] / Q for S in x], rel=1e-8, abs=1e-8)


def test_a_large_band_is_bounded_from_above_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    answers = [bool(rng.random() < 0.3) for _ in range(60)]
    exact = Band(400)
    monkeypatch.setattr("activepu.audit.hidden.DENSE", 20)
    monkeypatch.setattr("activepu.audit.hidden.RATIO", 1.2)
    assert len(_grid(400)) < 60
    rough = Band(400)
    for band in (exact, rough):
        band.expect(100.0)
        for k, answer in enumerate(answers):
            band.take(None if k % 7 == 3 else 400 - k, answer)
    x, y = exact.corners()
    at, above = rough.corners()
    Q, rough_Q = (logsumexp(band._prior + band._cases[0].log[0]) for band in (exact, rough))  # of other priors
    over = np.interp(x, at, above) + rough_Q - (y + Q)
    assert over.min() >= -1e-9
    assert over[np.abs(x - 120) < 60].max() < 0.5
    assert (np.diff(above) / np.diff(at))[:-1] == pytest.approx(np.sort(np.diff(above) / np.diff(at))[::-1][:-1])
    low, high = extremes([rough], 0.1)
    true_low, true_high = extremes([exact], 0.1)
    assert low <= true_low < true_high <= high <= true_high + 20


# Every path of answers, with every kind of question in between


@dataclass(frozen=True)
class Moment:
    """What a chooser sees: which items were asked, how, and the answers."""

    asked: tuple[tuple[int, bool, bool], ...] = ()  # item, by lot, revealed


Chooser = Callable[[Moment], tuple[bool, int]]
"""Returns (True, band) to draw by lot, or (False, item) to ask an item of its own choice."""
Expectation = Callable[[Moment, int], float]
BANDS = ((0, 1), (2, 3, 4))
WEIGHTS = (1, 2)


def walked(choose: Chooser, confirmable: frozenset[int], expect: Expectation) -> tuple[float, float]:
    """Over all draws of the lot: the probability that the bounds ever exclude the truth, and the mean of Q/L there."""
    truth = [len(confirmable & set(items)) for items in BANDS]
    total = sum(w * S for w, S in zip(WEIGHTS, truth, strict=True))

    def walk(moment: Moment, bands: list[Band], before: bool) -> tuple[float, float]:
        low, high = extremes(bands, DELTA)
        excluded = before or not low <= total <= high
        left = [i for items in _left(moment) for i in items]
        if not left:
            return float(excluded), math.exp(-sum(float(band.corners()[1][0]) for band in bands))
        by_lot, where = choose(moment)
        items = _left(moment)[where] if by_lot else [where]
        found = []
        for item in items:
            k, revealed = next(k for k, items in enumerate(BANDS) if item in items), item in confirmable
            later = copy.deepcopy(bands)
            if by_lot:
                later[k].expect(expect(moment, k))
                later[k].take(later[k].size - later[k].asked, revealed)
            else:
                later[k].take(None, revealed)
            found.append(walk(Moment((*moment.asked, (item, by_lot, revealed))), later, excluded))
        return sum(p for p, _ in found) / len(found), sum(q for _, q in found) / len(found)

    return walk(Moment(), [Band(len(items), w) for items, w in zip(BANDS, WEIGHTS, strict=True)], False)


def _left(moment: Moment) -> list[list[int]]:
    asked = {item for item, _, _ in moment.asked}
    return [[i for i in items if i not in asked] for items in BANDS]


def by_lot_only(moment: Moment) -> tuple[bool, int]:
    """Take the bands in turn."""
    left = _left(moment)
    k = len(moment.asked) % 2
    return True, k if left[k] else 1 - k


def from_identities(moment: Moment) -> tuple[bool, int]:
    """Choose the band from which items were drawn, and ask others of its own choice in between."""
    left = _left(moment)
    flat = [i for items in left for i in items]
    if len(moment.asked) % 3 == 1:
        return False, max(flat) if moment.asked[-1][2] else min(flat)
    k = sum(item for item, _, _ in moment.asked) % 2
    return True, k if left[k] else 1 - k


def after_silence(moment: Moment) -> tuple[bool, int]:
    """Draw on where the last answer was silent; after a reveal read the neighbour."""
    left = _left(moment)
    flat = [i for items in left for i in items]
    if moment.asked and moment.asked[-1][2]:
        return False, min(flat, key=lambda i: abs(i - moment.asked[-1][0]))
    k = 1 if left[1] else 0
    return True, k


@pytest.mark.parametrize("choose", [by_lot_only, from_identities, after_silence])
def test_the_truth_is_seldom_excluded_whoever_chooses(choose: Chooser) -> None:
    """Exactly, for every set of confirmable items and every order of the lot. The mean of Q/L is at most 1 (Ville)."""

    def expect(moment: Moment, k: int) -> float:
        return 0.1 + 2.0 * sum(revealed for _, _, revealed in moment.asked) * (k == 0)

    sets = [frozenset(chosen) for size in range(6) for chosen in combinations(range(5), size)]
    found = [walked(choose, confirmable, expect) for confirmable in sets]
    assert 0.01 < max(p for p, _ in found) <= DELTA
    assert 0.3 < max(q for _, q in found) <= 1 + 1e-6


# Skips


def _completions(band: Band, size: int, prior: Floats) -> Floats:
    """The largest L/Q of all completions of the answers, at every count that is possible."""
    largest = np.full(size + 1, -np.inf)
    places = [k for k, (_, answer) in enumerate(band._taken) if answer is None]
    for said in product((False, True), repeat=len(places)):
        answers = dict(zip(places, said, strict=True))
        L, r, silent = np.ones(size + 1), 0, 0
        for k, (left, answer) in enumerate(band._taken):
            confirmable = answers.get(k, answer)
            if left is not None:
                share = np.clip((np.arange(size + 1) - r) / left, 0, 1)
                L *= share if confirmable else 1 - share
            r, silent = r + bool(confirmable), silent + (not confirmable)
        possible = slice(r, size - silent + 1)
        Q = float((prior * L).sum())
        largest[possible] = np.maximum(largest[possible], L[possible] / Q if Q else -np.inf)
    return largest


TAKEN = st.lists(st.tuples(st.booleans(), st.sampled_from([False, False, True, None])), max_size=8)


@given(st.integers(1, 9), TAKEN, st.floats(0, 5))
def test_skips_are_covered_whatever_their_answers_were(
    size: int, taken: list[tuple[bool, bool | None]], expected: float
) -> None:
    band = Band(size)
    band.expect(expected)
    for n, (by_lot, answer) in enumerate(taken[:size]):
        band.take(size - n if by_lot else None, answer)
    prior = np.exp(log_prior(np.arange(size + 1.0), size, expected))
    x, y = band.corners()
    at = np.arange(band.revealed, size - band.silent + 1)
    with np.errstate(divide="ignore"):
        assert (np.interp(at, x, y) >= np.log(_completions(band, size, prior)[at]) - 1e-12).all()


@given(TAKEN, st.integers(0, 5), st.integers(0, 5))
def test_skips_are_covered_between_the_counts_of_a_large_band(
    taken: list[tuple[bool, bool | None]], revealed: int, silent: int
) -> None:
    size = 20
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("activepu.audit.hidden.DENSE", 4)
        patch.setattr("activepu.audit.hidden.RATIO", 1.5)
        band = Band(size)
        assert len(band._counts) < 10
        band.expect(3.0)
        for n, (by_lot, answer) in enumerate([*[(False, True)] * revealed, *[(False, False)] * silent, *taken]):
            band.take(size - n if by_lot else None, answer)
        prior = np.zeros(size + 1)
        prior[band._counts.astype(int)] = np.exp(band._prior)
        x, y = band.corners()
    assert (x[0], x[-1]) == (band.revealed, size - band.silent)
    at = np.arange(band.revealed, size - band.silent + 1)
    with np.errstate(divide="ignore"):
        assert (np.interp(at, x, y) >= np.log(_completions(band, size, prior)[at]) - 1e-9).all()


@given(TAKEN, st.data())
def test_a_late_answer_counts_as_if_it_had_come_in_time(
    taken: list[tuple[bool, bool | None]], data: st.DataObject
) -> None:
    late, timely = Band(9), Band(9)
    late.expect(1.0), timely.expect(1.0)
    skipped = {n: data.draw(st.booleans()) for n, (_, answer) in enumerate(taken) if answer is None}
    for n, (by_lot, answer) in enumerate(taken):
        late.take(9 - n if by_lot else None, answer)
        timely.take(9 - n if by_lot else None, skipped.get(n, answer))
    for place in data.draw(st.permutations(list(skipped))):
        late.settle(place, skipped[place])
    assert late.skipped == 0
    for one, other in zip(late.corners(), timely.corners(), strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("bands", [((0, 1, 2, 3, 4, 5),), BANDS])
def test_the_truth_is_seldom_excluded_even_if_somebody_skips_who_knows_it(bands: tuple[tuple[int, ...], ...]) -> None:
    """Exactly, for the worst of all rules for skipping: one that knows every coin, and skips to make the bounds false.

    Items of a band with the same coin are alike, so that a moment is what was seen of every band.
    """
    weights = WEIGHTS[: len(bands)]
    for truth in product(*(range(len(items) + 1) for items in bands)):
        total = sum(w * S for w, S in zip(weights, truth, strict=True))

        def worst(seen: tuple[Seen, ...], truth: tuple[int, ...] = truth, total: int = total) -> float:
            low, high = extremes([_band(len(b), w, s) for b, w, s in zip(bands, weights, seen, strict=True)], DELTA)
            if not low <= total <= high:
                return 1.0
            left = [len(items) - len(s) for items, s in zip(bands, seen, strict=True)]
            if not any(left):
                return 0.0
            k = max(range(len(bands)), key=lambda k: (left[k], k))
            hidden = truth[k] - sum(coin for coin, _ in seen[k])
            found = 0.0
            for coin, chance in ((True, hidden / left[k]), (False, 1 - hidden / left[k])):
                if chance > 0:
                    later = [(*seen[:k], (*seen[k], (coin, told)), *seen[k + 1 :]) for told in (True, False)]
                    found += chance * max(worst(each) for each in later)
            return found

        assert worst(tuple(() for _ in bands)) <= DELTA + 1e-12


Seen = tuple[tuple[bool, bool], ...]
"""The draws of a band: whether each item is confirmable, and whether it was answered."""


@cache
def _band(size: int, weight: int, seen: Seen) -> Band:
    band = Band(size, weight)
    band.expect(0.5)
    for n, (coin, told) in enumerate(seen):
        band.take(size - n, coin if told else None)
    return band
