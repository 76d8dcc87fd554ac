"""UnknownPrior for every class: what its looks rest on, its samples, late answers, and how often it is wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binomtest
from worlds import WORLDS

import activepu as apu
from activepu.hypotheses.halfspaces import Halfspace
from activepu.theory import binomial, sharp

LINE = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
PLANE = apu.Sampler(lambda n, rng: rng.random((n, 2)), 2)


def outside(a: float, b: float, X: np.ndarray) -> np.ndarray:
    return np.asarray((X[:, 0] < a) | (X[:, 0] > b))


GAPS = [(i / 10, j / 10) for i in range(10) for j in range(i + 1, 11)]
OUTSIDE = apu.FiniteClass([partial(outside, a, b) for a, b in GAPS])
"""55 complements of intervals: not intersection-closed, and each has near neighbours."""
TRUTH = GAPS.index((0.2, 0.9))


def gap_error(member: int) -> float:
    """P(h Δ ℓ): two gaps differ in the ends of both."""
    if member == len(GAPS):
        return 0.3
    (a, b), (c, d) = GAPS[member], GAPS[TRUTH]
    return (b - a) + (d - c) - 2 * max(0.0, min(b, d) - max(a, c))


# ---------------------------------------------------------------- the looks


@pytest.mark.parametrize("H", [apu.Thresholds(), apu.Boxes(2), OUTSIDE, apu.Halfspaces(2)], ids=repr)
def test_the_levels_of_all_looks_add_up_to_their_share(H: apu.Boxes, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = sharp.Looks(H, 0.5, 0.1, 0.08)
    levels: dict[int, float] = {}
    monkeypatch.setattr(sharp, "closure_radius", lambda H, n, alpha: levels.setdefault(n, alpha))
    counted = range(looks.first, 40)
    for j in counted:
        looks.missed(j)
    assert [looks.n(j) for j in counted] == sorted({looks.n(j) for j in counted}), "every look is later than the last"
    assert sum(levels.values()) <= 0.08
    assert levels[looks.n(0)] == 0.06


@pytest.mark.parametrize("H", [apu.Thresholds(), apu.Boxes(2), OUTSIDE], ids=repr)
def test_look_0_is_the_first_that_reaches_the_target(H: apu.Boxes) -> None:
    low, epsilon, delta = 0.4, 0.1, 0.05
    looks = sharp.Looks(H, low, epsilon, delta)
    goal = epsilon if H.intersection_closed else epsilon / sharp.TWICE
    assert looks.missed(0) <= goal < apu.theory.closure_radius(H, looks.n(0) - 1, 0.75 * delta) / low
    assert looks.missed(looks.first) <= 0.6 < looks.missed(looks.first - 1)


# ---------------------------------------------------------------- classes that are not intersection-closed


@pytest.mark.parametrize("theta", [None, 4.0])
def test_a_finite_class_needs_no_theta(theta: float | None) -> None:
    expert = apu.SimulatedExpert(partial(outside, *GAPS[TRUTH]), 0.5, seed=1)
    result = apu.learn(apu.UnknownPrior(OUTSIDE, 0.15, 0.1, theta), LINE, expert, seed=1)
    assert result.certificate.error_bound <= 0.15
    assert result.certificate.method == "exact"
    assert gap_error(result.hypothesis.index) <= 0.15
    assert result.version_space.allows(OUTSIDE.bind(1).member(TRUTH))
    assert result.prior.low <= 0.3 <= result.prior.high
    assert result.rate.low <= 0.5 <= result.rate.high
    assert result.n_queries < 400


@pytest.mark.parametrize("learner", [apu.UnknownPrior(OUTSIDE, 0.3, 0.2), apu.RevealRate(OUTSIDE, 0.2)], ids=repr)
def test_the_contract_holds_for_a_finite_class(learner: apu.Learner) -> None:
    rows = np.random.default_rng(1).random((8_000, 1))
    apu.testing.check_learner(learner, apu.Pool(rows), apu.SimulatedExpert(outside(0.2, 0.9, rows), 0.9), budget=100)


def test_halfspaces_of_the_plane_are_learned() -> None:
    truth = Halfspace(apu.Halfspaces().bind(2), [1.0, 1.0], 1.2)
    expert = apu.SimulatedExpert(truth.contains, 0.8, seed=2)
    result = apu.learn(apu.UnknownPrior(apu.Halfspaces(), 0.2, 0.2), PLANE, expert, seed=2)
    assert result.certificate.error_bound <= 0.2
    assert result.certificate.method == "exact"
    X = np.random.default_rng(0).random((5000, 2))
    assert (result.predict(X) != truth.contains(X)).mean() <= 0.2
    assert result.version_space.allows(truth)


def test_the_reveal_rate_of_any_class_is_bounded() -> None:
    expert = apu.SimulatedExpert(partial(outside, *GAPS[TRUTH]), 0.5, seed=3)
    bounds = apu.estimate_rate(OUTSIDE, LINE, expert, delta=0.1)
    assert bounds.low <= 0.5 <= bounds.high
    assert bounds.confidence == pytest.approx(0.9)
    deep = apu.Sampler(lambda n, rng: rng.random((n, 3)), 3)
    expert = apu.SimulatedExpert(lambda X: X.sum(axis=1) > 1.2, 0.9, seed=3)
    sampled = apu.estimate_rate(apu.Halfspaces(), deep, expert, delta=0.3)
    assert sampled.confidence == 0.0, "the certain positives of a sampled version space are not proved"


def test_one_rule_that_is_left_ends_the_search() -> None:
    rules = apu.FiniteClass([lambda X: X[:, 0] >= 0.5, lambda X: X[:, 0] < 0.5])
    result = apu.learn(apu.UnknownPrior(rules, 0.1, 0.1), LINE, apu.SimulatedExpert(lambda X: X[:, 0] < 0.5, 0.8))
    assert result.hypothesis.index == 1
    assert result.stop_reason == apu.StopReason.TARGET


def test_a_late_reveal_that_excludes_the_rule_has_another_one_measured() -> None:
    """Open questions at the end; one that V leaves undecided, outside the rule, is answered with a reveal."""
    for seed in range(20):
        run = apu.Run(apu.UnknownPrior(OUTSIDE, 0.25, 0.2), LINE, seed=seed)
        expert = apu.SimulatedExpert(partial(outside, *GAPS[TRUTH]), 0.5, seed=seed)
        while not run.finished:
            for question in run.ask(100):
                if not run.finished:
                    run.tell(question, bool(expert.answer([question.item], question.row[None])[0]))
        before, points = run.result(), run._draws.points
        x = [points([question.item]) for question in run.open]
        V, h = before.version_space, before.hypothesis
        contrary = [k for k, p in enumerate(x) if V.disagrees(p)[0] and not h.contains(p)[0]]
        if contrary:
            break
    else:
        pytest.fail("no open question could contradict the rule")
    for k, question in enumerate(run.open):
        run.tell(question, k == contrary[0])
    after = run.result()
    assert after.hypothesis.contains(x[contrary[0]])[0]
    assert after.version_space.allows(after.hypothesis)
    assert before.certificate.error_bound <= 0.25
    assert after.certificate.error_bound < 0.5


# ---------------------------------------------------------------- how often it is wrong


class Outcome(NamedTuple):
    wrong: bool
    lost: bool
    rate_missed: bool
    prior_missed: bool


def outcome(name: str, rate: float, late: bool, seed: int) -> Outcome:
    """One run; `late`: questions are put seven at a time, and their answers come in the reverse order."""
    epsilon, delta = 0.15, 0.2
    if name == "finite":
        H, sampler, prior = OUTSIDE, LINE, 0.3
        label: Callable[[np.ndarray], np.ndarray] = partial(outside, *GAPS[TRUTH])
        truth = OUTSIDE.bind(1).member(TRUTH)
    else:
        world = WORLDS[name]
        H, sampler, prior, label, truth = world.hypotheses, world.sampler, world.prior, world.label, world.truth
    run = apu.Run(apu.UnknownPrior(H, epsilon, delta), sampler, seed=seed)
    expert = apu.SimulatedExpert(label, rate, seed)
    try:
        while not run.finished:
            for question in reversed(run.ask(7 if late else 1)):
                run.tell(question, bool(expert.answer([question.item], question.row[None])[0]))
        result = run.result()
    except apu.AssumptionsViolated:
        return Outcome(True, True, True, True)
    error = gap_error(result.hypothesis.index) if name == "finite" else WORLDS[name].error(result.hypothesis)
    return Outcome(
        error > result.certificate.error_bound + 1e-9,
        not result.version_space.allows(truth),
        not result.rate.low <= rate <= result.rate.high,
        not result.prior.low <= prior <= result.prior.high,
    )


def check_coverage(seen: list[Outcome], level: float, cell: str) -> None:
    shares = {"wrong": 0.2, "lost": 0.2, "rate_missed": 0.2 * 3 / 8, "prior_missed": 0.2}
    for what, delta in shares.items():
        failures = sum(getattr(run, what) for run in seen)
        print(f"\nUnknownPrior at δ = 0.2, {cell}: {what} in {failures} of {len(seen)}", end="")
        assert binomtest(failures, len(seen), delta, alternative="greater").pvalue > level


@pytest.mark.parametrize(("name", "late"), [("thresholds", False), ("finite", True)])
def test_it_is_seldom_wrong(name: str, late: bool) -> None:
    check_coverage([outcome(name, 0.5, late, seed) for seed in range(40)], 1e-4, name)


@pytest.mark.slow
@pytest.mark.parametrize(("rate", "late"), [(1.0, False), (0.5, False), (0.5, True)])
@pytest.mark.parametrize("name", ["thresholds", "intervals", "boxes", "finite"])
def test_it_is_wrong_in_at_most_a_delta_share_of_2000_runs(name: str, rate: float, late: bool) -> None:
    runs = 2000
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        cells = [(name,) * runs, (rate,) * runs, (late,) * runs, range(runs)]
        seen = list(workers.map(outcome, *cells, chunksize=50))
    check_coverage(seen, 0.001, f"{name}, rate {rate}, {'late' if late else 'at once'}")


def test_a_cap_keeps_the_truth_but_for_its_level() -> None:
    """Exactly: |(ℓ \\\\ h) ∩ S| ~ Bin(m, p) with p ≤ b exceeds Q with probability ≤ α, for every p ≤ b."""
    for b, alpha in ((0.5, 0.01), (0.1, 0.003), (0.04, 0.0005)):
        m = sharp.capped_rows(apu.Thresholds(), b)
        Q = binomial.quantile(m, b, 1 - alpha)
        for p in (b, 0.9 * b, 0.5 * b):
            assert np.exp(log_binomial(m, p, np.arange(Q + 1, m + 1))).sum() <= alpha * (1 + 1e-9)
        assert np.exp(log_binomial(m, b, np.arange(Q, m + 1))).sum() > alpha


def log_binomial(n: int, p: float, k: np.ndarray) -> np.ndarray:
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * np.log(p) + (n - k) * np.log1p(-p)
