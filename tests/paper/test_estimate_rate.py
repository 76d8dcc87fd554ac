"""Algorithm 2, EstRate: it finds ω within a factor of two, and each erratum that changes what it does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom
from worlds import WORLDS

import activepu as apu
from activepu import paper
from activepu.theory import budgets

DELTA = 0.1


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("rate", [1.0, 0.4])
def test_the_rate_is_found_within_a_factor_of_two(name, rate):
    world = WORLDS[name]
    bounds = paper.estimate_rate(world.hypotheses, world.sampler, world.expert(rate, seed=2), DELTA, seed=2)
    assert bounds.low <= rate <= bounds.high
    assert bounds.confidence == 1 - DELTA
    assert bounds.estimate is not None
    assert bounds.low == bounds.estimate / 2
    assert bounds.high == min(1, 2 * bounds.estimate)


def test_classes_that_are_not_intersection_closed_are_taken_too():
    H = apu.FiniteClass([lambda X, a=a: np.abs(X[:, 0] - a) <= 0.15 for a in np.linspace(0, 1, 21)])
    expert = apu.SimulatedExpert(lambda X: np.abs(X[:, 0] - 0.5) <= 0.15, 0.5, seed=0)
    bounds = paper.estimate_rate(H, WORLDS["intervals"].sampler, expert, DELTA)
    assert bounds.low <= 0.5 <= bounds.high


def test_only_certain_positives_are_asked_in_the_second_part_of_a_round():
    world = WORLDS["boxes"]
    result = apu.learn(paper.EstRate(world.hypotheses, DELTA), world.sampler, world.expert(1.0, 0), batch=64)
    second = [
        answer for phase, answer in zip(result.history["phase"], result.history["answer"], strict=True) if "P" in phase
    ]
    assert len(second) > 30
    assert all(second)  # ω = 1: every positive is revealed
    assert len(set(result.history["item"])) == result.n_queries


def test_the_ball_makes_positives_certain_that_the_reveals_alone_leave_in_doubt():
    """Each rival misses a thousandth of ℓ = [0, 0.3) and holds everything else: far from the smallest hypothesis."""

    def rival(j):
        return lambda X: (X[:, 0] * 1000 / 0.3).astype(int) != j

    H = apu.FiniteClass([lambda X: X[:, 0] < 0.3, *map(rival, range(1000))])

    def asked(constants):
        expert = apu.SimulatedExpert(lambda X: X[:, 0] < 0.3, 0.5, seed=0)
        result = apu.learn(paper.EstRate(H, DELTA, constants), WORLDS["intervals"].sampler, expert, batch=4096)
        assert result.rate is not None
        assert result.rate.low <= 0.5 <= result.rate.high
        return result.n_queries

    assert asked(paper.Constants(M1=0.1, M2=0.1)) < asked(paper.Constants()) / 2  # with M1 = 21 no ball is taken here


def printed_radius(d: int, revealed: int, delta: float) -> float:
    """γ as printed."""
    return (21 + 10) * (d * math.log(2 * revealed / d) + math.log(4 / delta)) / revealed


def printed_est_rate(dim: int, prior: float, rate: float, start: int) -> float:
    """Algorithm 2 to the letter, for boxes in the cube and ℓ = {x_0 ≤ π}, from round `start` on.

    B̂_S(h*, 3γ) with γ < 0 holds nothing, "for all h′ ∈ ∅" holds for every x, and P = S.
    """
    rng, r, P, i = np.random.default_rng(0), 0, np.empty((0, dim)), start
    while r < 8 * math.log(8 / DELTA):
        U, S = rng.random((2, 2**i, dim))
        R = U[(U[:, 0] <= prior) & (rng.random(2**i) < rate)]
        gamma = printed_radius(2 * dim, len(R), DELTA)
        assert 3 * gamma >= 1 or gamma < 0  # so the ball is everything or nothing: no version space is needed here
        closure = ((R.min(axis=0) <= S) & (R.max(axis=0) >= S)).all(axis=1)
        P = S if gamma < 0 else S[closure]
        r = int(((P[:, 0] <= prior) & (rng.random(len(P)) < rate)).sum())
        i += 1
    return r / len(P)


def test_without_enough_reveals_no_ball_is_taken_where_the_printed_radius_turns_negative_and_asks_everything():
    """R1: the printed algorithm returns πω for ω; ours skips the ball while |R| < d or 3γ ≥ 1."""
    dim, prior, rate = 100, 0.3, 0.8
    with pytest.raises(ValueError, match="math domain error"):
        printed_radius(2 * dim, 0, DELTA)
    assert printed_radius(2 * dim, 60, DELTA) < 0
    assert budgets.estimate_rate_radius(2 * dim, 60, DELTA) == math.inf
    assert printed_est_rate(dim, prior, rate, start=4) == pytest.approx(prior * rate, abs=0.08)  # not in [ω/2, 2ω]

    sampler = apu.Sampler(lambda n, rng: rng.random((n, dim)), dim)
    expert = apu.SimulatedExpert(lambda X: X[:, 0] <= prior, rate, seed=0)
    bounds = paper.estimate_rate(apu.Boxes(), sampler, expert, DELTA)
    assert bounds.estimate == pytest.approx(rate, abs=0.2)


def test_a_version_space_that_runs_empty_raises_instead_of_calling_everything_certain():
    """R1: reveals that no member contains."""
    H = apu.FiniteClass([lambda X: X[:, 0] <= 0.3])
    with pytest.raises(apu.AssumptionsViolated):
        paper.estimate_rate(H, WORLDS["intervals"].sampler, apu.CallbackExpert(lambda X: X[:, 0] >= 0.6), DELTA)


def test_the_levels_of_all_rounds_add_up_to_delta(monkeypatch):
    """R2: printed, each round spends δ/2 on ℓ ∈ V, and the round at which it halts is random."""
    used: list[float] = []

    def spy(d, revealed, delta, constants):
        used.append(delta)
        return radius(d, revealed, delta, constants)

    radius = budgets.estimate_rate_radius
    monkeypatch.setattr(budgets, "estimate_rate_radius", spy)
    world = WORLDS["thresholds"]
    paper.estimate_rate(world.hypotheses, world.sampler, world.expert(0.5, 0), DELTA)
    printed = [DELTA / 2 for _ in used]
    assert len(used) > 5
    assert sum(printed) > DELTA
    assert sum(used) <= DELTA
    assert sum(budgets.estimate_rate_level(i, DELTA) for i in range(100_000)) <= DELTA


def stopping(prior: float, rate: float, delta: float) -> tuple[float, dict[int, float]]:
    """P(r/|P| ∉ [ω/2, 2ω]) at the halting round if round i has ⌊π2^i⌋ certain positives, and the law of r; exact."""
    wanted = budgets.estimate_rate_successes(delta)
    failure, going, law = 0.0, 1.0, {}
    for i in range(64):
        n = int(prior * 2**i)
        r = np.arange(n + 1)
        chance = going * binom.pmf(r, n, rate)
        halts = r >= wanted
        if n:
            failure += chance[halts & ((r < n * rate / 2) | (r > 2 * n * rate))].sum()
        for count, p in zip(r[halts], chance[halts], strict=True):
            law[int(count)] = law.get(int(count), 0.0) + p
        going = chance[~halts].sum()
        if going < 1e-12:
            return failure, law
    raise AssertionError("never halts")


@pytest.mark.parametrize("delta", [0.5, 0.1])
def test_stopping_at_a_random_round_does_no_harm_though_the_count_is_not_negative_binomial(delta):
    """R3: |P| is fixed before its answers are seen, so r given P is binomial, and r overshoots 8 ln(8/δ)."""
    wanted = budgets.estimate_rate_successes(delta)
    for rate in (1.0, 0.5, 0.1, 0.02):
        for prior in np.linspace(0.25, 0.5, 6):  # one octave: other shares shift the rounds
            failure, law = stopping(prior, rate, delta)
            assert failure <= delta / 4
            assert sum(p for r, p in law.items() if r > wanted) > 0.5  # "|P| ~ NB(r, ω) + r" would have r = wanted


def test_the_printed_size_of_m_does_not_bring_gamma_below_its_target():
    """R5, R6: with M = 28(M1+M2) the logarithm, which contains M too, keeps γ above π/(14θ), let alone π/(16θ)."""
    d, theta, prior, rate = 4, 8.0, 0.3, 0.5
    M = 28 * (21 + 10)
    revealed = M * theta * (d * math.log(14 * theta / prior) + math.log(4 / DELTA)) / (2 * prior)
    assert printed_radius(d, int(revealed), DELTA) > prior / (14 * theta)
    asked = budgets.estimate_rate_questions(d, theta, prior, rate, DELTA)
    assert printed_radius(d, int(asked / 4 * prior * rate / 2), DELTA) <= prior / (16 * theta)


def test_a_budget_or_a_limit_ends_it_where_nothing_is_ever_revealed():
    """R7: with πω = 0 the printed loop never halts."""
    world, silent = WORLDS["thresholds"], apu.CallbackExpert(lambda rows: np.zeros(len(rows), bool))
    assert paper.estimate_rate(world.hypotheses, world.sampler, silent, DELTA, budget=100) == apu.Bounds(0, 1, 0.9)
    result = apu.learn(paper.EstRate(world.hypotheses, DELTA, limit=200), world.sampler, silent)
    assert result.rate is None
    assert result.n_queries <= 200
    assert "limit" in result.stop_reason
