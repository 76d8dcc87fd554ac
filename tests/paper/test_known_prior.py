"""Algorithm 1: it learns, and each erratum that changes what it does."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given
from scipy.stats import binom
from worlds import WORLDS

import activepu as apu
from activepu import paper
from activepu.paper.base import stop_check_rows
from activepu.records import StopReason
from activepu.theory import budgets, refined

# (θ, ε, scale): k is small enough to draw, and γ still about three standard deviations of P̂_S(ℓ).
SETTINGS = {"thresholds": (2, 0.1, 1e-3), "intervals": (4, 0.2, 5e-4), "boxes": (8, 0.3, 3e-4)}


@pytest.mark.parametrize("name", WORLDS)
def test_scaled_down_it_learns_keeps_the_truth_and_claims_nothing(name):
    world = WORLDS[name]
    theta, epsilon, scale = SETTINGS[name]
    learner = paper.KnownPrior(world.hypotheses, epsilon, 0.1, world.prior, theta, paper.Constants(scale=scale))
    spread = math.sqrt(world.prior * (1 - world.prior) / learner.capped_rows(world.hypotheses.bind(world.dim), epsilon))
    assert budgets.margin(theta, epsilon) > 2.8 * spread
    result = apu.learn(learner, world.sampler, world.expert(0.5, seed=1), seed=1)
    assert world.error(result.hypothesis) <= epsilon
    assert result.version_space.allows(world.truth)
    assert 0 < result.n_queries < 1000
    assert len(set(result.history["item"])) == result.n_queries  # a query never repeats a point
    assert result.certificate.method == "estimate"
    assert "scaled down" in result.stop_reason


def test_with_its_own_constants_and_a_raised_limit_it_certifies_epsilon():
    """A large ε and θ = 1 (a threshold at an end) make k small enough."""
    sampler = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
    learner = paper.KnownPrior(apu.Thresholds(), 0.9, 0.5, prior=0.05, theta=1, limit=5_000_000)
    result = apu.learn(learner, sampler, apu.SimulatedExpert(lambda X: X[:, 0] >= 0.95, 0.5, seed=0))
    assert result.certificate.method == "exact"
    assert result.certificate.error_bound == 0.9
    assert result.stop_reason == StopReason.TARGET
    assert any("0.05 of the population" in assumption for assumption in result.certificate.assumptions)


def only_the_empty_set_is_light() -> apu.FiniteClass:
    """Two half-lines of mass 0.8 and 0.9; with π near 0 the cap leaves ∅ alone, so that DIS(V0) = ∅."""
    return apu.FiniteClass([lambda X: X[:, 0] >= 0.2, lambda X: X[:, 0] >= 0.1])


def test_it_halts_where_nothing_is_left_to_ask_while_the_printed_loop_goes_on_for_ever():
    """A2: the printed halting test stands inside "if x ∈ DIS(V)"."""
    H, rng = only_the_empty_set_is_light().bind(1), np.random.default_rng(0)
    S = H.encode(rng.random((1000, 1)))
    V = apu.version_space(H).cap_mass(S, 20)

    def printed(draws: int) -> str:
        for x in rng.random((draws, 1)):
            if V.disagrees(H.encode(x[None]))[0]:
                return "asked"
        return "still drawing"

    assert printed(draws=2000) == "still drawing"
    sampler = apu.Sampler(lambda n, rng: rng.random((n, 1)), 1)
    learner = paper.KnownPrior(
        only_the_empty_set_is_light(), 0.1, 0.1, prior=0.01, theta=1, constants=paper.Constants(scale=1e-3)
    )
    result = apu.learn(learner, sampler, apu.CallbackExpert(lambda rows: np.zeros(len(rows), bool)))
    assert result.n_queries == 0
    assert "Stopped" in result.stop_reason


def test_a_check_is_made_only_after_the_version_space_changed_and_on_a_fresh_sample():
    """A2: Δ_D is not computable; each check draws its own T at its own level, and Σ δ_c = δ/4."""
    world = WORLDS["thresholds"]
    learner = paper.KnownPrior(world.hypotheses, 0.1, 0.1, world.prior, 2, paper.Constants(scale=1e-3))
    draws = world.sampler.draws(world.hypotheses, 3)
    drawn: list[tuple[str, int]] = []
    unlabeled = draws.unlabeled

    def spy(n, purpose):
        drawn.append((purpose, n))
        return unlabeled(n, purpose)

    draws.unlabeled = spy  # type: ignore[method-assign]
    steps = learner.steps(draws)
    ask, rng, reveals, questions = next(steps), np.random.default_rng(0), 0, 0
    finished = False
    while not finished:
        item, note = next(ask.items)
        revealed = bool(world.label(draws.features([item]))[0] and rng.random() < 0.5)
        reveals, questions = reveals + revealed, questions + 1
        try:
            ask = steps.send(apu.Question(questions, item, None, note, revealed))
        except StopIteration:
            finished = True
    checks = [n for purpose, n in drawn if purpose.startswith("the fresh sample T")]
    assert questions > reveals > 0
    assert len(checks) == 1 + reveals
    assert checks == sorted(checks)
    assert sum(learner.level(c) for c in range(10_000)) <= learner.delta / 4


def region(masks: list[int]) -> tuple[int, int]:
    """(∩V, DIS(V)) of sets given as bit masks."""
    meet, join = masks[0], 0
    for h in masks:
        meet, join = meet & h, join | h
    return meet, join & ~meet


def coefficient(H: list[int], truth: int) -> float:
    """sup over r > 0 of Δ(B(ℓ, r))/r, in atoms, and at least 1."""
    radii = {(h ^ truth).bit_count() for h in H} - {0}
    ball = {r: [h for h in H if (h ^ truth).bit_count() <= r] for r in radii}
    return max([1.0, *(region(ball[r])[1].bit_count() / r for r in radii)])


def test_the_printed_lemma_promises_positives_where_there_are_none():
    """A3: sup over H instead of V. All of V contains ℓ, so no positive lies in DIS(V), although sup_H err > ε."""
    atoms, truth = 20, 0b1
    V = [truth, *(truth | 1 << j for j in range(1, 7))]
    H = [*V, (1 << atoms) - 1]
    epsilon = 4 / atoms
    assert all(h.bit_count() / atoms <= truth.bit_count() / atoms + epsilon / 4 for h in V)  # V ⊆ B(0, π + ε/4)
    assert max((h ^ truth).bit_count() for h in H) / atoms > epsilon
    disagreement = region(V)[1]
    assert disagreement.bit_count() / atoms > epsilon  # the loop goes on
    assert (disagreement & truth).bit_count() == 0 < 1 / (4 * coefficient(H, truth))  # and nothing is ever revealed


@given(st.lists(st.integers(1, 2**10 - 1), min_size=2, max_size=12, unique=True), st.floats(0.05, 0.9), st.data())
def test_a_margin_that_carries_theta_keeps_positives_in_the_region_until_it_is_small(H, epsilon, data):
    """A3, repaired: ℓ ∈ V ⊆ B(0, π + ε/(4θ)) and Δ(V) > ε give P(ℓ=1 | DIS V) ≥ 3/(8θ)."""
    atoms, truth = 10, H[0]
    theta = coefficient(H, truth)
    light = [h for h in H if h.bit_count() / atoms <= truth.bit_count() / atoms + epsilon / (4 * theta)]
    V = [truth, *data.draw(st.lists(st.sampled_from(light), max_size=8))]
    disagreement = region(V)[1]
    assume(disagreement.bit_count() / atoms > epsilon)
    assert (disagreement & truth).bit_count() / disagreement.bit_count() >= 3 / (8 * theta) - 1e-12


def test_the_margin_leaves_half_of_epsilon_to_the_check():
    """A2: P(h) ≤ π + 2γ must be π + (ε/2)/(4θ), since the check lets Δ fall to ε/2 only."""
    assert budgets.margin(2, 0.1) == pytest.approx((0.1 / 2) / (4 * 2) / 2)
    assert budgets.margin(2, 0.1) < budgets.margin(2, 0.1, printed=True)


def test_one_halving_is_allowed_for_even_at_a_large_epsilon():
    """A5: the printed N = log2(1/ε) is a fraction, below 1 from ε = 1/2 on."""
    assert np.log2(1 / 0.9) < 1 == budgets.halvings(0.9)
    assert budgets.halvings(0.3) == 2


def test_the_check_needs_one_halving_more_than_the_printed_number():
    """A5: after ⌈log2 1/ε⌉ halvings Δ may be above ε/2, and the check goes on too often; exact."""
    learner = paper.KnownPrior(apu.Thresholds(), 0.1, 0.1, prior=0.3, theta=2)
    rows = stop_check_rows(0.1, learner.level(0))

    def goes_on(region: float) -> float:
        return float(binom.sf(math.floor(0.075 * rows), rows, region))

    assert goes_on(2.0 ** -budgets.halvings(0.1)) > 2 * learner.level(0)
    assert goes_on(2.0 ** -budgets.halvings(0.1 / 2)) <= learner.level(0)
    block = budgets.known_prior_block(1, 2, 1.0, 0.05, 0.1)
    assert learner.needs(apu.Thresholds().bind(1), 0.1).questions == 5 * block


@pytest.mark.parametrize("epsilon", [0.9, 0.3, 0.125, 0.1, 0.01])
@pytest.mark.parametrize("level", [0.5, 0.0125, 1e-4])
def test_a_check_tells_half_of_epsilon_from_epsilon(epsilon, level):
    """A2, U14: by the binomial itself, Δ = ε/2 included, so that N = ⌈log2(2/ε)⌉ rounds are enough."""
    rows = stop_check_rows(epsilon, level)
    most = math.floor(0.75 * epsilon * rows)
    assert binom.cdf(most, rows, epsilon) <= level
    assert binom.sf(most, rows, epsilon / 2) <= level


def test_the_printed_sample_is_eighty_to_a_thousand_times_what_is_needed():
    """A6: against a bound that is computed from the growth function, at the same γ and level."""
    ratios = []
    for H, theta in ((apu.Thresholds(), 2), (apu.Intervals(), 4), (apu.Boxes(2), 8), (apu.Halfspaces(2), 8)):
        for epsilon in (0.1, 0.05):
            gamma = budgets.margin(theta, epsilon)
            printed = budgets.known_prior_unlabeled(H.vc_dimension, gamma, 0.1 / 4)
            ratios.append(printed / refined.known_prior_unlabeled(H, theta, epsilon, 0.1))
    assert 80 < min(ratios) < 95
    assert 850 < max(ratios) < 1000


def test_the_label_bound_grows_with_d_at_theta_one():
    """A7: the theorem's d ln θ vanishes there; the λ of its proof does not."""

    def theorem(d: int) -> float:
        return d * math.log(1.0) + math.log(math.log(1 / 0.1)) + math.log(1 / 0.1)

    assert theorem(1000) == theorem(1)
    assert budgets.known_prior_questions(1000, 1.0, 1.0, 0.1, 0.1) > 100 * budgets.known_prior_questions(
        1, 1.0, 1.0, 0.1, 0.1
    )


def test_questions_come_from_the_region_of_disagreement_alone():
    world = WORLDS["intervals"]
    learner = paper.KnownPrior(world.hypotheses, 0.1, 0.1, world.prior, 4, paper.Constants(scale=1e-4))
    run = apu.Run(learner, world.sampler, seed=0)
    while not run.finished:
        V = run.result_report().version_space
        for question in run.ask(1):
            assert V.disagrees(question.row[None])[0]
            run.tell(question, bool(world.expert(0.5, 0).answer([question.item], question.row[None])[0]))
