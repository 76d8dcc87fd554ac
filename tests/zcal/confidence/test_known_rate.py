"""Evidence side by side: against the bets themselves, one by one, and against all that any time excluded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from version_spaces.brute import problems
from zcal.confidence.bets import AllTimes, Points, log_doubt, log_product, mean_over_bets
from zcal.confidence.following import snapshot
from zcal.confidence.oracle import SOME
from zcal.confidence.test_validity import Paths, world
from zcal.making import confidence_set

from activepu.errors import AssumptionsViolated
from activepu.hypotheses import Thresholds
from activepu.hypotheses.boxlike import Box
from activepu.version_spaces import version_space
from activepu.zcal.bets.known_rate import KnownRateBets, Side, nats
from activepu.zcal.bets.restarted import RestartedBets
from activepu.zcal.confidence import ConfidenceSet
from activepu.zcal.confidence.known_rate import KnownRateSet
from activepu.zcal.rates import Rates
from activepu.zcal.sides import Sides, sides_of
from activepu.zcal.tuning import TUNING

CLASSES = ["thresholds", "intervals", "boxes", "orthants", "conjunctions"]
CLEAR = 1e-5
"""The caps of V are whole numbers; what is nearer to the limit may be kept."""


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Points, list[Box], Sides]:
    hypotheses, brute, signs = draw(problems())
    points = hypotheses.encode(brute.points)
    return hypotheses, points, brute.closures(hypotheses, signs), sides_of(hypotheses, points)


@settings(max_examples=SOME)
@given(cases(), st.data())
def test_the_product_over_the_sides_is_the_mean_over_the_bets_or_less(case, data):
    """Less only where a star lies beyond several sides."""
    hypotheses, points, members, sides = case
    items = st.lists(st.integers(0, len(points) - 1), max_size=6)
    R, S = points[data.draw(items, "revealed")], points[data.draw(items, "silent")]
    rate, closure = data.draw(st.sampled_from([0.2, 0.5, 0.9])), hypotheses.closure(R)
    evidence = KnownRateBets(sides, hypotheses.closure(R[:1]), S[:0], nats(rate))
    for n, k in enumerate(data.draw(st.lists(st.integers(0, sides.count - 1), max_size=len(S)), "restarted")):
        evidence = KnownRateBets(sides, hypotheses.closure(R[: n + 1]), S[:n], nats(rate), np.arange(n), evidence)
        for _ in range(3):  # a silence says little where the rate is low
            evidence = evidence.asking(k, n)
    evidence = KnownRateBets(sides, closure, S, nats(rate), np.arange(len(S)), evidence)
    bets = evidence.cuts
    np.testing.assert_allclose(evidence.start, log_product(sides, bets, closure, R, S[:0], rate), atol=1e-12)
    assert np.all(evidence.weights >= 0)
    for h in [h for h in members if closure.within(h)][:: 1 + len(members) // 12]:
        lower, exact = evidence.against(h), np.log(mean_over_bets(sides, bets, h, R, S, rate))
        np.testing.assert_allclose(lower, log_product(sides, bets, h, R, S, rate), atol=1e-9)
        inside = h.contains(evidence.points)
        np.testing.assert_allclose(lower, evidence.start + evidence.weights[inside].sum(), atol=1e-9)
        assert lower <= exact + 1e-9
        if np.all(closure.beyond(S[h.contains(S)]).sum(axis=1) <= 1):
            np.testing.assert_allclose(lower, exact, atol=1e-9)


def compare(stand: ConfidenceSet, times: AllTimes, pool: Points, pairs: Sequence[Any]) -> None:
    """The items know what each moment said of them; V also what it says of those that contain all reveals since."""
    certain, V = times.closure.contains(pool), stand.version_space
    assert (stand.n_undecided, stand.n_positive) == (len(stand.undecided), np.count_nonzero(certain))
    np.testing.assert_array_equal(stand.undecided, np.flatnonzero(stand.status == -1))
    np.testing.assert_array_equal(stand.status == 1, certain)
    np.testing.assert_array_equal(V.certain(pool), certain)
    possible = V.possible(pool)
    for item in np.flatnonzero(~certain):
        spare, least = times.first(pool[item]), times.least(times.with_item(pool[item]))
        assert stand.status[item] == (-1 if spare > 0 else 0) or abs(spare) < CLEAR
        assert possible[item] == (least > 0) or abs(least) < CLEAR
        assert not (possible[item] and stand.status[item] == 0) or abs(least) < CLEAR
    for pair in pairs:
        h = times.closure.grow(pool[pair])
        assert V.allows(h) == (times.least(h) > 0) or abs(times.least(h)) < CLEAR


def questions(rng: np.random.Generator, stand: KnownRateSet, universe: Points) -> Iterator[tuple[int, bool]]:
    """Some silences beyond single sides, often where there was one before, then a reveal of an item of the pool."""
    for _ in range(4):
        beyond = stand.evidence.closure.beyond(universe).sum(axis=1)
        single = np.flatnonzero(beyond == 1) if np.any(beyond == 1) else np.arange(len(universe))
        few = rng.choice(single, 2)
        for _ in range(rng.integers(1, 9)):
            kind = rng.random()
            yield int(rng.choice(few if kind < 0.7 else single if kind < 0.85 else len(universe))), False
        if len(stand.undecided):
            yield int(rng.choice(stand.undecided)), True
        if np.any(stand.status == 0):  # what some moment excluded
            yield int(rng.choice(np.flatnonzero(stand.status == 0))), True


@settings(max_examples=2 * SOME)
@given(st.sampled_from(CLASSES), st.integers(0, 2**32))
def test_what_stands_is_what_no_moment_has_excluded(name, seed):
    rng = np.random.default_rng(seed)
    hypotheses = world(name)[0].hypotheses
    dim, n = hypotheses.bound_dim, 10
    pool = rng.integers(0, 2 if name == "conjunctions" else 12, (n, dim)).astype(float)
    moved = pool[rng.integers(0, n, 30)]  # beyond single sides of something
    moved[np.arange(30), rng.integers(0, dim, 30)] = pool[rng.integers(0, n, 30), 0]
    universe = np.concatenate([pool, moved])
    rate, delta = rng.choice([0.5, 0.8, 1.0], p=[0.5, 0.4, 0.1]), rng.choice([0.1, 0.5, 0.8])
    given_items, sides = list(rng.integers(0, n, rng.integers(0, 3))), sides_of(hypotheses, universe)
    V = version_space(hypotheses).require(universe[given_items])
    stand = confidence_set(V, pool, Rates(rate, rate), delta, sides=sides)
    assert isinstance(stand, KnownRateSet)
    times = AllTimes(hypotheses, universe, sides, rate, delta, given_items, stand.evidence.cuts)
    for item, revealed in questions(rng, stand, universe):
        sole = np.flatnonzero(stand.evidence.closure.beyond(universe[[item]])[0])
        asking = stand.evidence.asking(int(sole[0]), len(stand.stars)) if len(sole) == 1 else stand.evidence
        after = times.after(item, revealed, asking.cuts)
        if after.nothing_stands:
            state = snapshot(stand)
            with pytest.raises(AssumptionsViolated, match="No hypothesis of the class"):
                stand.fold(universe[[item]], revealed, 0.5)
            assert snapshot(stand) == state
        else:
            stand.fold(universe[[item]], revealed, 0.5)
            times = replace(after, cuts=stand.evidence.cuts)  # a star that no member reaches makes no bets begin
        if revealed:
            compare(stand, times, pool, rng.integers(0, n, (6, 2)))
    assert stand.rate_bounds() == (rate, rate)


@dataclass
class Bets(Paths):
    """The evidence is (1 − a)·E(ℓ) + a·(mean over all rates); with `exact` it is E(ℓ) by the bets one by one."""

    start: tuple[int, ...] = ()
    exact: bool = False

    def question(self, stand: ConfidenceSet, path: Any) -> tuple[int, float, int]:
        if self.rule != "inside":
            return super().question(stand, path)
        among = np.flatnonzero(self.labels)
        return int(among[len(path) // 4 % len(among)]), 0.5, 0

    def against(self, stand: ConfidenceSet, path: Any, chance: float) -> float:
        core, revealed = [0, 0], list(self.start)
        for item, answer in path:
            inside = bool(self.truth.hypotheses.closure(self.points[revealed]).contains(self.points[[item]])[0])
            core[0 if answer else 1] += inside
            revealed += [item] * answer
        lower, doubt = np.exp(stand.evidence.against(self.truth)), np.exp(log_doubt(self.rates[0], core))
        if not self.exact:
            return float((1 - TUNING.on_rate) * lower + TUNING.on_rate * doubt)
        bets = mean_over_bets(
            stand.sides, stand.evidence.cuts, self.truth, self.points[revealed], stand.stars, self.rates[0]
        )
        assert lower <= bets + 1e-9
        return bets


RULES = [((), "silence", 9), ((4,), "silence", 9), ((4,), "inside", 7)]
"""Items that are given, what is asked, and how often."""


def walked(name: str, rate: float, start: tuple[int, ...], rule: str, delta: float, **how: Any) -> tuple[Bets, float]:
    """All paths, and ln E(ℓ) at the beginning."""
    V, points, truth = world(name)
    assert truth.contains(points[list(start)]).all()
    sides = sides_of(V.hypotheses, points)
    first = confidence_set(V.require(points[list(start)]), points, Rates(rate, rate), delta, sides=sides)
    paths = Bets(truth, points, (rate,), 0.0, rule, start=start, **how)
    paths.walk(first)
    return paths, first.evidence.start


@pytest.mark.parametrize(("start", "rule", "depth"), RULES)
@pytest.mark.parametrize("rate", [0.5, 1.0])
@pytest.mark.parametrize("name", CLASSES)
def test_the_truth_is_dropped_with_a_probability_of_at_most_delta(name, rate, start, rule, depth):
    delta = 0.9 if rule == "inside" else 0.3
    paths, _ = walked(name, rate, start, rule, delta, depth=depth)
    assert np.all(paths.mean <= 1 + 1e-9)
    assert paths.dropped <= delta + 1e-12
    if rule == "inside" and rate < 1:  # the bound is not idle
        assert paths.dropped > 0


@pytest.mark.parametrize(("start", "rule", "depth"), RULES)
@pytest.mark.parametrize("name", CLASSES)
def test_the_bets_are_fair(name, start, rule, depth):
    """With so small a δ nothing is refused, and all paths are followed to the end. Bets against the given are lost."""
    paths, beginning = walked(name, 0.4, start, rule, 1e-9, depth=depth - 2, exact=True)
    np.testing.assert_allclose(paths.mean, np.exp(beginning), rtol=1e-9)


POINTS = np.arange(6.0)[:, None]


def thresholds(rate: float, delta: float = 0.1) -> KnownRateSet:
    H = Thresholds().bind(1)
    return KnownRateSet(version_space(H).require(POINTS[[3]]), POINTS, Rates(rate, rate), delta, sides_of(H, POINTS))


@pytest.mark.parametrize(("rate", "revealed", "most"), [(0.2, True, 10), (0.9, False, 8), (1.0, False, 1)])
def test_a_stated_rate_that_certain_positives_contradict_is_found_out(rate, revealed, most):
    """And only by these: no number of silences elsewhere says anything of the rate."""
    stand = thresholds(rate)
    for _ in range(50):
        stand.fold(POINTS[[0]], False, 0.5)
    limit, core = -np.log(0.1 * TUNING.on_rate), np.array([0, 0])
    one = np.array([revealed, not revealed], int)
    while log_doubt(rate, core + one) <= limit:
        stand.fold(POINTS[[4]], revealed, 0.5)
        core += one
    assert core.sum() < most
    with pytest.raises(AssumptionsViolated, match="the stated rate may be wrong"):
        stand.fold(POINTS[[4]], revealed, 0.5)
    assert (sum(stand.revealed), len(stand.stars)) == (core[0], 50 + core[1])
    stand.fold(POINTS[[4]], not revealed, 0.5)


def test_a_rate_of_one_needs_one_silence():
    """Then it is CAL: a member that reaches a star is excluded, and items between it and the closure are undecided."""
    stand = thresholds(1.0, delta=1e-6)
    stand.fold(POINTS[[1]], False, 0.5)
    assert stand.status.tolist() == [0, 0, -1, 1, 1, 1]
    stand.fold(POINTS[[2]], True, 0.5)
    assert stand.status.tolist() == [0, 0, 1, 1, 1, 1]
    with pytest.raises(AssumptionsViolated):
        stand.fold(POINTS[[0]], True, 0.5)
    assert stand.status.tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("floor", "steps", "weight", "kappa"),
    [(0.67, [2, 5, 6], 0.07, 18), (0.33, [3, 6], 0.04, 1)],
)
def test_no_star_weighs_less_than_nothing_however_near_it_lies(floor, steps, weight, kappa):
    """Rounding must not make it: whole weights of −1 are no weights."""
    needs = floor + np.array(steps) * 2.0**-53
    numbers = np.arange(len(needs))
    side = Side.of(np.arange(float(len(needs))), needs, numbers, floor, weight, RestartedBets.at_once(1.0 / kappa))
    assert np.all(np.diff(side.cost) >= 0)
