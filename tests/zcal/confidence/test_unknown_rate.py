"""Evidence side by side with an unknown rate: against the bets one by one, and over every answer sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from zcal.confidence.bets import all_bets
from zcal.confidence.following import snapshot
from zcal.confidence.oracle import SOME
from zcal.confidence.test_known_rate import CLASSES, cases
from zcal.confidence.test_validity import Paths, world
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import Boxes, Thresholds
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces import version_space
from activepu.zcal.bets.restarted import RestartedBets
from activepu.zcal.bets.unknown_rate import UnknownRateBets, log_bets
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.confidence.unknown_rate import UnknownRateSet
from activepu.zcal.rates import Rates, is_telling
from activepu.zcal.sides import Sides, sides_of

RATES = [Rates(), Rates(0.2, 0.6), Rates(0.3, 1.0), Rates(0.0, 0.5)]


@dataclass
class Record:
    """The answers that count, in plain words: only those about points beyond at most one side when they came."""

    hypotheses: Any
    sides: Sides
    revealed: Any
    stars: Any
    counted: int = 0
    numbers: tuple[int, ...] = ()
    silences: int = 0

    def __post_init__(self) -> None:
        self.closure = self.hypotheses.closure(self.revealed)

    def after(self, x: Any, revealed: bool) -> Record:
        counts = bool(self.closure.beyond(x[None]).sum() <= 1)
        if revealed:
            return replace(self, revealed=np.vstack([self.revealed, x]), counted=self.counted + counts)
        more = replace(self, silences=self.silences + 1)
        if not counts:
            return more
        return replace(more, stars=np.vstack([self.stars, x]), numbers=(*self.numbers, self.silences))

    def log_mean_over_bets(self, h: Box, rates: Rates, cuts: Sequence[RestartedBets]) -> float:
        """ln of the mean over the bets: the stars that each leaves in h, side by side, one cut at a time."""
        inside = np.flatnonzero(h.contains(self.stars))
        numbers = np.array(self.numbers, int)[inside]
        cut, chances = all_bets(self.sides, cuts, self.revealed, self.stars[inside], numbers)
        return float(logsumexp(rates.log_mean(self.counted, len(inside) - cut), b=chances))

    def log_evidence(self, h: Box, rates: Rates, cuts: Sequence[RestartedBets]) -> float:
        """ln E(h), at the best rate that h can have."""
        inside = np.count_nonzero(h.contains(self.stars))
        return self.log_mean_over_bets(h, rates, cuts) - float(rates.log_likelihood(self.counted, inside))


@settings(max_examples=SOME)
@given(cases(), st.data())
def test_whatever_is_excluded_has_that_much_evidence_against_it(case, data):
    """And of a class with one side hardly anything stands that has."""
    hypotheses, points, members, sides = case
    rates = data.draw(st.sampled_from(RATES))
    items = st.tuples(st.integers(0, len(points) - 1), st.integers(0, 3).map(lambda n: n == 0))
    record = Record(hypotheses, sides, points[data.draw(st.lists(items.map(lambda i: i[0]), max_size=2))], points[:0])
    enough = log_bets(sides, record.closure) + data.draw(st.sampled_from([0.1, 0.5, 1.5]))
    stop = np.full(sides.count, np.inf)
    evidence = UnknownRateBets(sides, record.closure, stop, record.stars, 0, rates, enough)
    for item, revealed in data.draw(st.lists(items, max_size=9)):
        x, sole = points[[item]], np.flatnonzero(record.closure.beyond(points[[item]])[0])
        before = evidence.asking(int(sole[0]), record.silences) if len(sole) == 1 else evidence
        silent, number = x[: not revealed and len(sole) <= 1], record.silences
        record = record.after(points[item], revealed)
        evidence = before.after(record.closure, stop, silent, number, record.counted - before.revealed)
    bets = evidence.cuts
    standing_members = [h for h in members if record.closure.within(h)]
    for h in standing_members[:: 1 + len(standing_members) // 12]:
        exact = record.log_evidence(h, rates, bets)
        assert exact > enough - 1e-9 or (not evidence.is_empty and evidence.against(h) <= 1 + 1e-9)
        if sides.count == 1 and exact > enough + 0.3:
            assert evidence.is_empty or evidence.against(h) > 1
    grid = np.linspace(rates.low, rates.high, 9)
    out = evidence.excludes(grid[:-1], grid[1:])
    for h in standing_members[:: 1 + len(standing_members) // 6]:
        inside = np.count_nonzero(h.contains(record.stars))
        for rate in (grid[:-1] + grid[1:])[out] / 2:
            known = record.counted * np.log(rate) + inside * np.log1p(-rate)
            assert record.log_mean_over_bets(h, rates, bets) - known > enough - 1e-9


@settings(max_examples=SOME)
@given(st.sampled_from(["thresholds", "intervals", "boxes", "orthants"]), st.integers(0, 2**32))
def test_after_many_answers_whoever_the_bets_never_excluded_stands(name, seed):
    """On few distinct places, so that all bets and all members can be gone through."""
    rng = np.random.default_rng(seed)
    V, _, _ = world(name)
    H, dim = V.hypotheses, V.hypotheses.bound_dim
    points = H.encode(rng.integers(0, 5, (40, dim)).astype(float))
    sides, rates, delta = sides_of(H, points), RATES[rng.integers(len(RATES))], float(rng.choice([0.2, 0.5, 0.9]))
    start = rng.integers(0, 40, rng.integers(0, 2))
    record = Record(H, sides, points[start], points[:0])
    first = V.require(points[start])
    stand, enough = UnknownRateSet(first, points, rates, delta, sides), log_bets(sides, record.closure) - np.log(delta)
    most = {record.closure.grow(points[pair]): -np.inf for pair in rng.integers(0, 40, (6, 2))}
    truth = H.closure(points[rng.integers(0, 40, 3)])
    for item in rng.integers(0, 40, 40):
        revealed = bool(truth.contains(points[[item]])[0] and rng.random() < 0.6)
        try:
            stand.fold(points[[item]], revealed, 0.5)
        except AssumptionsViolated:
            break
        record = record.after(points[item], revealed)
        for h in [h for h in most if record.closure.within(h)]:
            most[h] = max(most[h], record.log_evidence(h, rates, stand.evidence.cuts))
            stands = stand.version_space.allows(h) and stand.permanent.allows(h)
            assert stands or most[h] > enough - 1e-6


def test_the_weights_add_up_to_what_is_against_a_member():
    H, points = Boxes(2), np.random.default_rng(0).random((60, 2))
    sides = sides_of(H, points)
    record = Record(H, sides, points[:6], points[:0], 6)
    for x in points[6:]:
        record = record.after(x, False)
    stop = np.full(sides.count, np.inf)
    evidence = UnknownRateBets(sides, record.closure, stop, record.stars, 6, Rates(), 1.0)
    assert np.all(evidence.weights >= 0)
    assert evidence.weights.max() > 0
    for a, b in np.random.default_rng(1).integers(0, 60, (20, 2)):
        h = record.closure.grow(points[[a, b]])
        np.testing.assert_allclose(evidence.against(h), evidence.weights[h.contains(evidence.points)].sum(), atol=1e-12)


@dataclass
class Coupled(Paths):
    """The evidence against the truth, by the bets one by one, at its true rate."""

    record: Record | None = None

    def question(self, stand: ConfidenceSet, path: Any) -> tuple[int, float, int]:
        if self.rule != "inside":
            return super().question(stand, path)
        among = np.flatnonzero(self.labels)
        return int(among[len(path) // 3 % len(among)]), 0.5, 0

    def against(self, stand: ConfidenceSet, path: Any, chance: float) -> float:
        record = self.record
        assert record is not None
        for item, revealed in path:
            record = record.after(self.points[item], revealed)
        assert stand.evidence.closure == record.closure
        assert stand.evidence.revealed == record.counted
        assert stand.evidence.core + len(stand.evidence.points) <= len(record.stars)  # unreachable stars are left out
        inside = np.count_nonzero(self.truth.contains(record.stars))
        known = record.counted * np.log(self.rates[0]) + inside * np.log1p(-self.rates[0])
        start = log_bets(record.sides, self.record.closure)
        return float(np.exp(record.log_mean_over_bets(self.truth, stand.rates, stand.evidence.cuts) - start - known))


@pytest.mark.parametrize(("start", "rule"), [((), "silence"), ((4,), "silence"), ((4,), "inside")])
@pytest.mark.parametrize("form", [Rates(), Rates(0.3, 0.7)])
@pytest.mark.parametrize("name", CLASSES)
def test_the_truth_is_dropped_with_a_probability_of_at_most_delta(name, form, start, rule):
    V, points, truth = world(name)
    assert truth.contains(points[list(start)]).all()
    sides, delta = sides_of(V.hypotheses, points), 0.9
    first = confidence_set(V.require(points[list(start)]), points, form, delta, sides=sides)
    assert isinstance(first, UnknownRateSet)
    record = Record(V.hypotheses, sides, points[list(start)], points[:0])
    paths = Coupled(truth, points, (0.4,), 0.0, rule, depth=7, record=record)
    paths.walk(first)
    assert np.all(paths.mean <= 1 + 1e-9)
    assert paths.dropped <= delta + 1e-12


@pytest.mark.parametrize("start", [(), (4,)])
def test_the_bets_are_fair(start):
    """With so small a δ nothing is refused, and with one side all answers count: the mean stays where it was."""
    V, points, truth = world("thresholds")
    sides = sides_of(V.hypotheses, points)
    first = confidence_set(V.require(points[list(start)]), points, Rates(), 1e-9, sides=sides)
    record = Record(V.hypotheses, sides, points[list(start)], points[:0])
    paths = Coupled(truth, points, (0.4,), 0.0, "silence", depth=6, record=record)
    paths.walk(first)
    np.testing.assert_allclose(paths.mean, 1.0, rtol=1e-9)


def thresholds(delta: float = 0.5, rates: Rates = RATES[0]) -> tuple[UnknownRateSet, Any]:
    points = np.linspace(0, 1, 41)[:, None]
    H = Thresholds().bind(1)
    return UnknownRateSet(version_space(H), points, rates, delta, sides_of(H, points)), points


def test_silence_alone_says_nothing_unless_the_rate_is_at_least_something():
    stand, points = thresholds()
    for item in range(40):
        stand.fold(points[[item]], False, 0.5)
    assert stand.n_undecided == 41
    assert stand.rate_bounds() == (0.0, 1.0)
    stand, points = thresholds(rates=Rates(0.5, 1.0))
    for item in range(40):
        stand.fold(points[[item]], False, 0.5)
    assert (stand.status[:20] == 0).all()
    assert stand.status[40] == -1


def test_what_is_decided_stays_so_and_rates_only_get_narrower():
    rng = np.random.default_rng(3)
    H, points = Boxes(2), rng.random((300, 2))
    truth = ((points > 0.3) & (points < 0.8)).all(axis=1)
    stand = UnknownRateSet(version_space(H), points, Rates(), 0.2, sides_of(H, points))
    status, (low, high) = stand.status.copy(), stand.rate_bounds()
    for item in rng.permutation(300)[:200]:
        stand.fold(points[[item]], bool(truth[item] and rng.random() < 0.7), 0.5)
        assert np.all((status == -1) | (stand.status == status))
        np.testing.assert_array_equal(stand.undecided, np.flatnonzero(stand.status == -1))
        assert stand.n_positive == np.count_nonzero(stand.status == 1)
        certain, possible = stand.permanent.certain(points), stand.permanent.possible(points)
        np.testing.assert_array_equal(np.where(certain, 1, np.where(possible, -1, 0)), stand.status)
        assert not np.any(stand.version_space.possible(points) & (stand.status == 0))
        after = stand.rate_bounds()
        assert low <= after[0] <= 0.7 <= after[1] <= high
        status, (low, high) = stand.status.copy(), after
    assert np.count_nonzero(status == 0) > 60
    assert high - low < 0.7


def test_what_leaves_nothing_is_refused_without_a_trace():
    stand, points = thresholds(0.5)
    for item in (40, 39, 38, 37, 36, 35):
        stand.fold(points[[item]], True, 0.5)
    for item in range(20):
        stand.fold(points[[item]], False, 0.5)
    assert stand.status[5] == 0
    state = snapshot(stand), stand.evidence, stand.rate_bounds()
    with pytest.raises(AssumptionsViolated, match="No hypothesis of the class"):
        stand.fold(points[[5]], True, 0.5)
    assert (snapshot(stand), stand.evidence, stand.rate_bounds()) == state


def test_of_many_answers_about_the_closure_few_are_looked_at_and_all_are_counted():
    """Which of them is a matter of their number alone."""
    H, points = Boxes(2), np.random.default_rng(0).random((40, 2))
    stand = UnknownRateSet(version_space(H).require(points), points, Rates(), 0.1, sides_of(H, points))
    for n in range(1, 400):
        before, revealed = stand.version_space, n % 3 == 0
        stand.fold(points[[n % 40]], revealed, 0.5)
        assert (stand.version_space is not before) == is_telling(n)
        assert (stand.evidence.revealed, stand.evidence.core) == (n // 3, n - n // 3)
