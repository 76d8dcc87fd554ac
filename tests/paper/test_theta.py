"""The refined analysis: the same or simpler algorithms, whole certificates with computed constants, any class."""

from __future__ import annotations

import doctest
import importlib
import json
import math
from itertools import pairwise

import numpy as np
import pytest
from worlds import WORLDS, assert_holds

import activepu as apu
from activepu import paper
from activepu.records import StopReason
from activepu.theory import refined

THETA = {"thresholds": 2, "intervals": 4, "boxes": 8}
DELTA = 0.1
LINES = [lambda X, a=a: np.abs(X[:, 0] - a) <= 0.2 for a in np.linspace(0.1, 0.9, 17)]


def unknown_prior(name: str, constants: paper.Constants = paper.Constants()) -> paper.UnknownPrior:  # noqa: B008
    return paper.UnknownPrior(WORLDS[name].hypotheses, 0.1, DELTA, THETA[name], constants, analysis="theta")


@pytest.mark.parametrize("module", ["known_prior", "unknown_prior"])
def test_the_examples_of_the_docstrings_run(module):
    found = doctest.testmod(importlib.import_module(f"activepu.paper.{module}"))
    assert found.failed == 0 < found.attempted


def test_an_unknown_analysis_is_refused():
    with pytest.raises(apu.InvalidInput, match=r"analysis must be 'printed' .* or 'theta' .*, got 'thetas'"):
        paper.EstRate(apu.Thresholds(), DELTA, analysis="thetas")  # type: ignore[arg-type]


def test_the_analysis_is_a_setting_that_is_kept():
    settings = json.loads(json.dumps(unknown_prior("boxes").to_dict()))
    assert settings["analysis"] == "theta"
    assert paper.EstRate(apu.Boxes(), DELTA).to_dict()["analysis"] == "printed"


# Algorithm 1


def test_the_known_prior_runs_whole_where_the_printed_sizes_are_refused():
    world = WORLDS["thresholds"]
    with pytest.raises(apu.BudgetRefused, match=r"as printed .*analysis=\"theta\""):
        apu.Run(paper.KnownPrior(world.hypotheses, 0.1, DELTA, world.prior, 2), world.sampler)
    learner = paper.KnownPrior(world.hypotheses, 0.1, DELTA, world.prior, 2, analysis="theta")
    result = apu.learn(learner, world.sampler, world.expert(0.5, 0))
    assert result.certificate.method == "exact"
    assert result.certificate.error_bound == 0.1
    assert world.error(result.hypothesis) <= 0.1
    assert result.version_space.allows(world.truth)
    assert result.n_queries <= refined.known_prior_questions(world.hypotheses, 2, 0.5, 0.1, DELTA)


def test_a_refusal_names_the_analysis():
    learner = paper.KnownPrior(apu.Boxes(), 0.1, DELTA, prior=0.3, theta=8, analysis="theta")
    with pytest.raises(apu.BudgetRefused, match="with the refined analysis would ask 4,810 questions"):
        apu.Run(learner, WORLDS["boxes"].sampler)


@pytest.mark.parametrize("name", WORLDS)
def test_one_sample_gives_one_run_whatever_the_analysis(name):
    """Theorem A changes sizes only: with |S| alike every question and the result are."""
    world, theta = WORLDS[name], THETA[name]
    H, results = world.hypotheses.bind(world.dim), []
    for analysis in ("printed", "theta"):
        whole = paper.KnownPrior(H, 0.2, DELTA, world.prior, theta, analysis=analysis).capped_rows(H, 0.2)
        constants = paper.Constants(scale=(50_000 - 0.5) / whole)
        learner = paper.KnownPrior(H, 0.2, DELTA, world.prior, theta, constants, analysis=analysis)
        assert learner.capped_rows(H, 0.2) == 50_000
        results.append(apu.learn(learner, world.sampler, world.expert(0.5, 1), seed=1))
    assert results[0].history["item"] == results[1].history["item"]
    assert str(results[0].hypothesis) == str(results[1].hypothesis)


# EstRate


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_the_rate_is_found_within_a_factor_of_two_and_within_its_bound(name, rate):
    world = WORLDS[name]
    learner = paper.EstRate(world.hypotheses, DELTA, analysis="theta")
    result = apu.learn(learner, world.sampler, world.expert(rate, 2), seed=2)
    assert result.rate is not None
    assert result.rate.low <= rate <= result.rate.high
    assert result.rate.confidence == 1 - DELTA
    bound = refined.estimate_rate_questions(world.hypotheses.bind(world.dim), THETA[name], world.prior, rate, DELTA)
    assert result.n_queries <= bound


def rivals(cells: int, share: float) -> apu.FiniteClass:
    """ℓ = [0, share), and rivals that miss one of its cells and hold everything else: only a ball excludes them."""

    def rival(j):
        return lambda X: (X[:, 0] * cells / share).astype(int) != j

    return apu.FiniteClass([lambda X: X[:, 0] < share, *map(rival, range(cells))])


def test_the_observed_ball_makes_positives_certain_that_the_reveals_leave_in_doubt():
    """A class that is not intersection-closed: most cells are unseen when the ball around ℓ alone is left."""
    H, world = rivals(300, 0.3), WORLDS["intervals"]
    expert = apu.SimulatedExpert(lambda X: X[:, 0] < 0.3, 0.5, seed=0)
    result = apu.learn(paper.EstRate(H, DELTA, analysis="theta"), world.sampler, expert, batch=16)
    assert result.rate is not None
    assert result.rate.low <= 0.5 <= result.rate.high
    assert result.rate.confidence == 1 - DELTA  # the printed one has 0 for such a class
    reveals = sum(
        a for a, phase in zip(result.history["answer"], result.history["phase"], strict=True) if "EstRate R" in phase
    )
    assert reveals < 300  # without the ball a positive is certain only where all but one cell have been hit
    assert result.n_queries <= refined.estimate_rate_questions(H.bind(1), 150, 0.3, 0.5, DELTA)


def test_certain_positives_are_positive_and_asked_once():
    world = WORLDS["boxes"]
    history = apu.learn(
        paper.EstRate(world.hypotheses, DELTA, analysis="theta"), world.sampler, world.expert(1, 0)
    ).history
    coins = [a for a, phase in zip(history["answer"], history["phase"], strict=True) if "EstRate P" in phase]
    assert len(coins) == refined.estimate_rate_successes(int(history["phase"][-1].split()[-1]), DELTA)
    assert all(coins)  # ω = 1
    assert len(set(history["item"])) == len(history["item"])


def test_silence_ends_at_the_limit_or_the_budget():
    """R7."""
    world, silent = WORLDS["thresholds"], apu.CallbackExpert(lambda rows: np.zeros(len(rows), bool))
    bounds = paper.estimate_rate(world.hypotheses, world.sampler, silent, DELTA, budget=100, analysis="theta")
    assert bounds == apu.Bounds(0, 1, 0.9)
    result = apu.learn(paper.EstRate(world.hypotheses, DELTA, limit=200, analysis="theta"), world.sampler, silent)
    assert result.rate is None
    assert result.n_queries == 200
    assert "limit" in result.stop_reason


def test_reveals_that_no_member_contains_raise():
    """R1."""
    H = apu.FiniteClass([lambda X: X[:, 0] <= 0.3])
    expert = apu.CallbackExpert(lambda X: X[:, 0] >= 0.6)
    with pytest.raises(apu.AssumptionsViolated):
        paper.estimate_rate(H, WORLDS["intervals"].sampler, expert, DELTA, analysis="theta")


# Unknown π


@pytest.mark.parametrize("name", WORLDS)
def test_the_unknown_prior_is_certified_with_nothing_scaled_down(name):
    world = WORLDS[name]
    result = apu.learn(unknown_prior(name), world.sampler, world.expert(0.5, 1), seed=1, batch=256)
    assert result.stop_reason == StopReason.TARGET
    assert result.certificate.method == "exact"
    assert result.certificate.error_bound == 0.1
    assert not any("constants" in a or "coefficient" in a for a in result.certificate.assumptions)
    assert world.error(result.hypothesis) <= 0.1
    assert result.version_space.allows(world.truth)
    assert any(phase.startswith("round") for phase in result.history["phase"])
    assert len(set(result.history["item"])) == result.n_queries


def test_other_classes_are_certified_too():
    """The printed Algorithm 3 has a gap there (U11)."""
    expert = apu.SimulatedExpert(LINES[8], 0.5, seed=0)
    learner = paper.UnknownPrior(apu.FiniteClass(LINES), 0.1, DELTA, theta=6, analysis="theta")
    result = apu.learn(learner, WORLDS["intervals"].sampler, expert, batch=256)
    assert result.certificate.method == "exact"
    assert result.certificate.error_bound == 0.1
    X = np.linspace(0, 1, 1000)[:, None]
    assert np.mean(result.predict(X) != LINES[8](X)) <= 0.1


@pytest.mark.parametrize("name", WORLDS)
def test_scaled_down_it_learns_keeps_the_truth_and_claims_nothing(name):
    world = WORLDS[name]
    learner = unknown_prior(name, paper.Constants(scale=0.05))
    result = apu.learn(learner, world.sampler, world.expert(0.5, 3), seed=3, batch=16)
    assert world.error(result.hypothesis) <= 0.1
    assert result.version_space.allows(world.truth)
    assert result.certificate.method == "estimate"
    assert "scaled down" in result.stop_reason
    assert result.n_queries < 5000


def test_rounds_follow_each_other_until_the_region_is_small():
    """So far scaled down that ⌊3Bm⌋ = 0: the cap may lose ℓ, and one round is not enough."""
    world = WORLDS["boxes"]
    learner = paper.UnknownPrior(world.hypotheses, 0.02, DELTA, 8, paper.Constants(scale=3e-4), analysis="theta")
    history = apu.learn(learner, world.sampler, world.expert(0.5, 0), batch=8).history
    rounds = [phase for phase in dict.fromkeys(history["phase"]) if phase.startswith("round")]
    assert rounds == [f"round {i}" for i in range(len(rounds))]
    assert len(rounds) >= 2
    undecided = [history["undecided"][history["phase"].index(phase)] for phase in rounds]
    assert all(after < before / 2 for before, after in pairwise(undecided))
    assert undecided[-1] > 0.75 * 0.02


def silent_world() -> tuple[apu.FiniteClass, apu.SimulatedExpert]:
    """ℓ = [0, 0.5) and rivals that add one of ten cells of the rest: no positive lies in DIS(V), p = 0."""

    def rival(j):
        return lambda X: (X[:, 0] < 0.5) | ((X[:, 0] * 20).astype(int) == 10 + j)

    H = apu.FiniteClass([lambda X: X[:, 0] < 0.5, *map(rival, range(10))])
    return H, apu.SimulatedExpert(lambda X: X[:, 0] < 0.5, 0.5, seed=0)


def test_silence_prunes_without_a_search_for_the_share_of_positives():
    """p = 0: a round without a single reveal leaves ℓ alone, since what is heavy on S2 could not be missed."""
    H, expert = silent_world()
    learner = paper.UnknownPrior(H, 0.1, DELTA, theta=10, analysis="theta")
    result = apu.learn(learner, WORLDS["intervals"].sampler, expert, batch=64)
    rounds = [
        a for a, phase in zip(result.history["answer"], result.history["phase"], strict=True) if phase == "round 0"
    ]
    assert len(rounds) > 100
    assert not any(rounds)
    assert result.stop_reason == StopReason.TARGET
    assert np.mean(result.predict(np.linspace(0, 1, 1000)[:, None])) == pytest.approx(0.5, abs=0.002)


def test_the_truth_meets_every_cap_and_the_cap_is_the_stated_one(monkeypatch):
    """|ℓ ∩ S2| ≤ |h ∩ S2| + ⌊3Bm⌋, h smallest on S2, in each round."""
    world, caps = WORLDS["intervals"], []
    H = world.hypotheses.bind(1)
    space = type(apu.version_space(H))
    capped = space.cap_mass

    def spy(self, points, limit, weights=None):
        caps.append((limit, int(self.smallest(points).contains(points).sum()), points))
        return capped(self, points, limit, weights)

    monkeypatch.setattr(space, "cap_mass", spy)
    learner = unknown_prior("intervals")
    apu.learn(learner, world.sampler, world.expert(0.5, 1), seed=1, batch=256)
    m = refined.unknown_prior_fresh(H, 4, 0.1, DELTA)
    assert caps
    for limit, least, points in caps:
        assert len(points) == m
        assert limit == least + math.floor(3 * m / (38 * 4))
        assert int(world.label(points).sum()) <= limit


def test_too_small_a_theta_never_certifies_too_much():
    """It keeps a run from halting; the check measures Δ, and B decides what a cap may remove."""
    H, expert = rivals(40, 0.3), apu.SimulatedExpert(lambda X: X[:, 0] < 0.3, 0.2, seed=0)
    for seed in range(5):
        learner = paper.UnknownPrior(H, 0.1, DELTA, theta=1, analysis="theta")
        result = apu.learn(learner, WORLDS["intervals"].sampler, expert, seed=seed, batch=64)
        X = np.linspace(0, 1, 2000, endpoint=False)[:, None]
        assert np.mean(result.predict(X) != (X[:, 0] < 0.3)) <= result.certificate.error_bound


def test_a_limit_that_the_found_rate_exceeds_ends_the_run_with_the_rate():
    world = WORLDS["thresholds"]
    learner = paper.UnknownPrior(world.hypotheses, 0.1, DELTA, 2, limit=40_000, analysis="theta")
    result = apu.learn(learner, world.sampler, world.expert(0.1, 0), batch=64)
    assert result.rate is not None
    assert "raise limit" in result.stop_reason
    assert result.certificate.error_bound == 1
    silent = apu.CallbackExpert(lambda rows: np.zeros(len(rows), bool))
    result = apu.learn(learner, world.sampler, silent, batch=4096)
    assert result.rate is None
    assert "limit" in result.stop_reason


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_the_guarantees_hold_in_repeated_runs(name):
    """Error ≤ ε and ℓ ∈ V, with probability ≥ 1 − δ; the rate within its factor."""
    world, runs, wrong = WORLDS[name], 60, 0
    for seed in range(runs):
        result = apu.learn(unknown_prior(name), world.sampler, world.expert(0.5, seed), seed=seed, batch=256)
        kept = result.version_space.allows(world.truth) and result.rate is not None
        kept = kept and result.rate.low <= 0.5 <= result.rate.high
        wrong += world.error(result.hypothesis) > result.certificate.error_bound or not kept
    assert_holds(wrong, runs, DELTA)
