"""The bounds on hidden items: compared with brute force, and valid over every path of answers, whoever chooses."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from activepu.audit.hidden import Band, _grid, extremes, log_prior

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
            band.draw(band.size - band.asked, revealed) if by_lot else band.note(revealed)
        bands.append(band)
    return bands


@given(answered(), st.floats(0.05, 0.6))
def test_bounds_are_those_of_every_count_in_the_set(bands: list[Band], delta: float) -> None:
    """The relaxation between counts may only widen the bounds; a single band has none."""
    floor = math.log(delta) + sum(band.log_q for band in bands)
    inside = []
    for counts in product(*(range(b.revealed, b.size - b.silent + 1) for b in bands)):
        value = sum(b.corners()[1][s - b.revealed] for b, s in zip(bands, counts, strict=True))
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
            band.draw(size - n, revealed)
            for S in truth:
                p = min(max((S - r) / (size - n), 0.0), 1.0)
                truth[S] *= p if revealed else 1 - p
        else:
            band.note(revealed)
        n, r = n + 1, r + revealed
    x, y = band.corners()
    assert x.tolist() == list(range(r, size - (n - r) + 1))
    assert np.exp(y) == pytest.approx([truth[int(S)] for S in x], abs=1e-8)
    prior = np.exp(log_prior(np.arange(size + 1.0), size, expected))
    assert prior.sum() == pytest.approx(1)
    assert math.exp(band.log_q) == pytest.approx(sum(prior[S] * truth[S] for S in truth), abs=1e-9)


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
            band.note(answer) if k % 7 == 3 else band.draw(400 - k, answer)
    x, y = exact.corners()
    at, above = rough.corners()
    over = np.interp(x, at, above) - y
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
            L = sum(band.corners()[1][S - band.revealed] for band, S in zip(bands, truth, strict=True))
            return float(excluded), math.exp(sum(band.log_q for band in bands) - L)
        by_lot, where = choose(moment)
        items = _left(moment)[where] if by_lot else [where]
        found = []
        for item in items:
            k, revealed = next(k for k, items in enumerate(BANDS) if item in items), item in confirmable
            later = copy.deepcopy(bands)
            if by_lot:
                later[k].expect(expect(moment, k))
                later[k].draw(later[k].size - later[k].asked, revealed)
            else:
                later[k].note(revealed)
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


def test_skipped_items_leave_the_bounds_valid() -> None:
    """A drawn item without an answer may be confirmable or not: both must be covered by the factor."""
    for size, skipped, drawn in ((5, 1, 1), (6, 2, 2)):
        for S in range(size + 1):
            band = Band(size)
            band.expect(1.0)
            for t in range(drawn):
                band.draw(size - skipped - t, False)
            x, y = band.corners()
            if x[-1] < S:
                continue
            for hidden_among_skipped in range(max(0, S - (size - skipped)), min(S, skipped) + 1):
                inside = S - hidden_among_skipped
                p = math.prod(max(0.0, 1 - inside / (size - skipped - t)) for t in range(drawn))
                assert p <= math.exp(y[S - band.revealed]) + 1e-9
