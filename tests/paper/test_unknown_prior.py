"""Algorithm 3: it learns, and each erratum that changes what it does."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom
from worlds import WORLDS

import activepu as apu
from activepu import paper
from activepu.records import StopReason
from activepu.theory import budgets

THETA = {"thresholds": 2, "intervals": 4, "boxes": 8}
SMALL = {
    "thresholds": paper.Constants(M1=0.5, M2=0.5, M3=500, scale=0.05),
    "intervals": paper.Constants(M1=0.5, M2=0.5, M3=200, scale=0.05),
    "boxes": paper.Constants(M1=0.5, M2=0.5, M3=50, scale=0.05),
}


def learned(name: str, seed: int, rate: float = 0.5) -> apu.Result:
    world = WORLDS[name]
    learner = paper.UnknownPrior(world.hypotheses, 0.1, 0.1, THETA[name], SMALL[name])
    return apu.learn(learner, world.sampler, world.expert(rate, seed), seed=seed, batch=1024)


@pytest.fixture(scope="module")
def results() -> dict[str, apu.Result]:
    return {name: learned(name, seed=2) for name in WORLDS}


@pytest.mark.parametrize("name", WORLDS)
def test_scaled_down_it_learns_keeps_the_truth_and_claims_nothing(name, results):
    world, result = WORLDS[name], results[name]
    assert world.error(result.hypothesis) <= 0.1
    assert result.version_space.allows(world.truth)
    assert result.rate is not None
    assert result.rate.low <= 0.5 <= result.rate.high
    assert result.certificate.method == "estimate"
    assert "scaled down" in result.stop_reason
    assert len(set(result.history["item"])) == result.n_queries  # a query never repeats a point


@pytest.mark.parametrize("name", WORLDS)
def test_every_reveal_is_required_for_good(name, results):
    world, history = WORLDS[name], results[name].history
    draws = world.sampler.draws(world.hypotheses, seed=2)
    asked = zip(history["item"], history["phase"], history["answer"], strict=True)
    revealed = [item for item, phase, answer in asked if answer and "EstRate P" not in phase]  # of the question order
    assert len(revealed) > 50
    assert results[name].version_space.certain(draws.points(revealed)).all()


def test_a_cut_of_u_removes_the_hypotheses_that_are_heavier(results):
    """Thresholds are nested, so that what is possible at all has the mass of the heaviest member."""
    result = results["thresholds"]
    u = iterations(result)[-1][3]
    assert u < 0.6
    assert result.version_space.possible(np.linspace(0, 1, 1000)[:, None]).mean() <= u + 0.05


def test_a_ball_around_the_smallest_hypothesis_halves_the_region():
    """Claim 3, in ten dimensions, where EstRate leaves enough positives in the region to make the ball small."""
    sampler = apu.Sampler(lambda n, rng: rng.random((n, 10)), 10)
    expert = apu.SimulatedExpert(lambda X: X[:, 0] <= 0.3, 0.5, seed=0)
    constants = paper.Constants(M1=0.1, M2=0.1, M3=30, scale=0.01)
    learner = paper.UnknownPrior(apu.Boxes(), 0.1, 0.1, theta=8, constants=constants)
    history = apu.learn(learner, sampler, expert, batch=1024).history
    undecided = dict(zip(history["phase"][::-1], history["undecided"][::-1], strict=True))  # at the start of each phase
    assert undecided["prune 0"] > 0.6
    assert undecided["rate test 1"] <= undecided["prune 0"] / 2


def test_with_its_own_constants_it_certifies_and_says_that_they_are_not_proved():
    """At ω = 1 and a large ε every iteration cuts u, so that λ2 is never asked."""
    world = WORLDS["thresholds"]
    learner = paper.UnknownPrior(world.hypotheses, 0.4, 0.2, theta=2, limit=10**10)
    result = apu.learn(learner, world.sampler, world.expert(1.0, 0), batch=4096, budget=100_000)
    assert result.stop_reason == StopReason.TARGET
    assert result.certificate.method == "exact"
    assert result.certificate.error_bound == 0.4
    assert any("M1 = 21, M2 = 10" in a and "not proved" in a for a in result.certificate.assumptions)
    assert any("coefficient is at most 2" in a for a in result.certificate.assumptions)
    assert world.error(result.hypothesis) <= 0.4


LINES = [lambda X, a=a: np.abs(X[:, 0] - a) <= 0.2 for a in np.linspace(0.1, 0.9, 17)]


def test_other_classes_are_learned_but_get_an_estimate_whatever_the_constants():
    expert = apu.SimulatedExpert(LINES[8], 0.5, seed=0)
    learner = paper.UnknownPrior(apu.FiniteClass(LINES), 0.3, 0.2, theta=6, limit=10**11)
    result = apu.learn(learner, WORLDS["intervals"].sampler, expert, batch=1024)
    assert result.certificate.method == "estimate"
    assert result.certificate.error_bound == 0.3
    assert "intersection-closed classes only" in result.stop_reason
    X = np.linspace(0, 1, 1000)[:, None]
    assert np.mean(result.predict(X) != LINES[8](X)) <= 0.3


# The loop's bookkeeping


def printed_loop(branches: str, b_of: dict[int, float], epsilon: float = 0.1) -> object:
    """Lines 7 to 25 to the letter, as far as u, b and h go; `branches` says what |R1| decides: i(f) or e(lse)."""
    u, b, h, i = {0: 1.0}, {}, {}, 0
    while u[i] - b[i] > epsilon / 6 and i < len(branches):
        if branches[i] == "i":
            b[i] = b_of[i]
            u[i + 1] = (u[i] + b[i]) / 2
        else:
            h[i + 1] = f"h{i + 1}"
        i += 1
    return h[i]


def printed_loop_with_b(branches: str, epsilon: float = 0.1) -> object:
    """The same with U1 repaired: b is 0 throughout."""
    u, h, i = {0: 1.0}, {}, 0
    while i < len(branches) and u[i] > epsilon / 6:
        if branches[i] == "i":
            u[i + 1] = u[i] / 2
        else:
            h[i + 1] = f"h{i + 1}"
        i += 1
    return h[i]


def test_the_printed_loop_reads_b_before_it_is_set():
    """U1."""
    with pytest.raises(KeyError, match="0"):
        printed_loop("ie", {0: 0.2})


def test_the_printed_loop_loses_u_after_an_else():
    """U2."""
    with pytest.raises(KeyError, match="1"):
        printed_loop_with_b("ei")


def test_the_printed_loop_has_nothing_to_return_after_an_if():
    """U3."""
    with pytest.raises(KeyError, match="2"):
        printed_loop_with_b("ii")


def iterations(result: apu.Result) -> list[tuple[str, int, int, float, float]]:
    """(phase, questions, reveals, u, b) of each phase after EstRate."""
    table: dict[str, list[tuple[int, float, float]]] = {}
    history = result.history
    for phase, answer, u, b in zip(history["phase"], history["answer"], history["u"], history["b"], strict=True):
        if not phase.startswith("EstRate"):
            table.setdefault(phase, []).append((answer, u, b))
    return [(p, len(rows), sum(r[0] for r in rows), rows[0][1], rows[0][2]) for p, rows in table.items()]


@pytest.mark.parametrize("name", ["intervals", "boxes"])
def test_few_reveals_halve_the_gap_and_many_leave_u_alone(name, results):
    """U1, U2, U6, U7: b is measured in every iteration, few reveals cut u to (u+b)/2, many prune and keep u."""
    result = results[name]
    assert result.rate is not None
    assert result.rate.estimate is not None
    tests = [row for row in iterations(result) if row[0].startswith("rate test")]
    pruned = {row[0].split()[-1] for row in iterations(result) if row[0].startswith("prune")}
    assert pruned
    assert len(pruned) < len(tests)
    for (phase, asked, revealed, u, b), (_, _, _, after, _) in pairwise(tests):
        few = revealed < asked * result.rate.estimate / (128 * THETA[name])
        assert few != (phase.split()[-1] in pruned)
        assert after == (pytest.approx((u + b) / 2) if few else u)
    b_values = [row[4] for row in tests]
    assert b_values == sorted(b_values)
    assert b_values[0] > 0.1  # EstRate's reveals are required before the first b is read


def test_the_rule_of_the_if_errs_in_the_direction_that_is_proved_not_the_printed_one():
    """U6, U7, U8: exact binomials. With ω/2 ≤ ω̂ ≤ 2ω, p ≥ 1/(32θ) does not enter the if, and p ≤ 1/(512θ) does."""
    theta, epsilon, delta, rate = 2.0, 0.1, 0.1, 0.5
    level = delta / (8 * budgets.iterations(epsilon))
    for found in (rate / 2, rate, 2 * rate):
        asked = budgets.rate_test_questions(theta, found, epsilon, delta)
        few = math.ceil(asked * found / (128 * theta)) - 1  # |R1| ≤ few enters the if

        def enters(p: float, asked: int = asked, few: int = few) -> float:
            return float(binom.cdf(few, asked, rate * p))

        assert enters(1 / (32 * theta)) <= level  # printed: "enters"
        assert 1 - enters(1 / (512 * theta)) <= level  # printed: "does not enter"
    beyond = 8 * rate  # ω̂ ∉ [ω/2, 2ω], as the printed first line of the proof has it
    asked = budgets.rate_test_questions(theta, beyond, epsilon, delta)
    assert binom.cdf(math.ceil(asked * beyond / (128 * theta)) - 1, asked, rate / (32 * theta)) > level


def test_a_prior_in_the_lower_half_does_not_mean_few_positives_in_the_region():
    """U6: thresholds between the bounds b and u of π: DIS has mass u − b, of which π − b is positive."""
    theta, u, b = 2.0, 0.6, 0.2
    priors = np.linspace(b, u, 41)
    share = (priors - b) / (u - b)
    low, high = priors <= (u + b) / 2, priors >= (u + b) / 2
    assert not np.all(share[low] < 1 / (32 * theta))  # as printed
    assert np.all(share[high] >= 1 / (32 * theta))  # as proved, and used by the if


def test_fewer_reveals_than_d_take_no_ball_where_the_printed_one_empties_the_version_space():
    """U12."""

    def printed_radius(d: int, revealed: int, N: int, delta: float) -> float:
        return (2 * 21 + 10) * (d * math.log(2 * revealed / d) + math.log(8 * N / delta)) / revealed

    dim, epsilon = 10, 0.3
    H = apu.Boxes().bind(dim)
    X = np.random.default_rng(0).random((40, dim))
    V = apu.version_space(H).require(X[:4])
    radius = printed_radius(2 * dim, 4, budgets.iterations(epsilon), 0.1)
    assert radius < 0
    with pytest.raises(apu.AssumptionsViolated):
        V.cap_distance(V.smallest(X), X, math.floor(radius * len(X))).certain(X)
    assert budgets.prune_radius(2 * dim, 4, epsilon, 0.1) == math.inf

    sampler = apu.Sampler(lambda n, rng: rng.random((n, dim)), dim)
    expert = apu.SimulatedExpert(lambda X: X[:, 0] <= 0.3, 0.5, seed=0)
    learner = paper.UnknownPrior(apu.Boxes(), epsilon, 0.1, theta=8, constants=paper.Constants(M3=1, scale=0.003))
    result = apu.learn(learner, sampler, expert, batch=64)
    reveals = {row[0]: row[2] for row in iterations(result)}
    guarded = [
        i for p, r in reveals.items() if p.startswith("prune") and r + reveals[f"rate test {(i := p.split()[-1])}"] < 20
    ]
    assert guarded  # such iterations occurred, and V was never empty
    assert result.version_space.certain(X).dtype == bool
