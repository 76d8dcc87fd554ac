"""Passive learning with a prior that is given or observed: its claims by exact calculation, then by repeated runs.

For thresholds the chance of a false claim is a finite sum. All that matters are the distances of the positives and of
the m rows of T ∩ ℓ from the true threshold, which are uniform. Let r of these rows lie below the closure. The next
positive falls into each of the gaps between these rows and K positives with the same probability, so r is a Markov
chain; and given all ranks, the share that the closure misses is an order statistic, Beta(r + 1, m + K − r).
"""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from scipy.stats import beta, binom
from worlds import WORLDS, World, assert_holds

import activepu as apu
from activepu.errors import InvalidInput, PoolTooSmall
from activepu.learners.passive import OBSERVING
from activepu.theory import Ladder, PriorLooks, passive_positives

H = apu.Thresholds()
EPSILON, DELTA = 0.1, 0.2
SHARE = Ladder(EPSILON, (1 - OBSERVING) * DELTA).rungs[0][1]
RARE = {
    "thresholds": World(apu.Thresholds(), (0.96,), (1.0,)),
    "boxes": World(apu.Boxes(), (0.2, 0.3), (0.4, 0.5)),
}


def positives(u=1.0):
    return passive_positives(H, EPSILON, 0, SHARE, u)


def chances(prior, rows, looks, scale=1.0):
    """P(a claim "error ≤ ε" that is false), and the distribution of the positives at the end; u times `scale`."""
    false, ends = 0.0, defaultdict(float)
    wanted = {K: [positives(scale * looks.bound(K, inside, rows)) for inside in range(rows + 1)] for K in looks.at}
    for m in range(rows + 1):
        weight, r = binom.pmf(m, rows, prior), np.arange(m + 1)
        if weight < 1e-9:
            continue
        running = {positives(): np.where(r == m, weight, 0.0)}  # positives that are needed: P(r); none is there yet
        for K in itertools.count(1):
            after = defaultdict(lambda r=r: np.zeros(len(r)))
            for needed, p in running.items():
                p = p[::-1].cumsum()[::-1] / (m + K) + p * (1 - (r + 1) / (m + K))
                fewer = np.minimum(needed, wanted[K][m::-1]) if K in wanted and needed > K else np.full(m + 1, needed)
                for now in np.unique(fewer):
                    after[max(now, K)] += np.where(fewer == now, p, 0.0)
            done = after.pop(K, 0.0 * r)
            ends[K] += done.sum()
            if prior > EPSILON:
                false += (done * beta.sf(EPSILON / prior, r + 1, m + K - r)).sum()
            running = dict(after)
            if not running:
                break
    return false, dict(ends)


def looks_of():
    return PriorLooks(H, positives(), EPSILON, OBSERVING * DELTA)


@pytest.mark.parametrize("prior", [0.12, 0.2, 0.4, 0.9])
@pytest.mark.parametrize("rows", [0, 30, 150])
def test_an_observed_prior_claims_too_much_as_seldom_as_delta_says(prior, rows):
    false, ends = chances(prior, rows, looks_of())
    assert sum(ends.values()) == pytest.approx(1.0, abs=1e-6)
    assert false <= DELTA


def test_the_calculation_sees_a_bound_of_the_prior_that_is_too_small():
    assert chances(0.4, 150, looks_of(), scale=0.2)[0] > DELTA


def test_the_plan_says_after_how_many_positives_it_has_ended():
    looks, rows = looks_of(), 150
    for prior in (0.2, 0.4):
        at_most = looks.positives_at_most(EPSILON, rows, SHARE, prior, failure=0.05)
        _, ends = chances(prior, rows, looks)
        late = sum(chance for K, chance in ends.items() if at_most < K)
        assert late <= 0.05
        assert at_most < positives()
        assert sum(chance for K, chance in ends.items() if at_most / 2 < K) > 0.5


@pytest.mark.parametrize("prior", [0.11, 0.3, 1.0])
def test_a_given_prior_asks_for_as_few_positives_as_its_level_allows(prior):
    """The closure of K positives misses more than ε with probability (1 − ε/π)^K exactly, if π is the prior."""
    world = World(apu.Thresholds(), (1 - prior,), (1.0,))
    learner = apu.PassivePU(apu.Thresholds(), EPSILON, DELTA, prior=prior)
    K = apu.learn(learner, world.sampler, world.expert(0.5, 0), batch=1).n_revealed
    level = Ladder(EPSILON, DELTA).rungs[0][1]
    assert (1 - EPSILON / prior) ** K <= level < (1 - EPSILON / prior) ** (K - 1)


@pytest.mark.parametrize("name", RARE)
def test_rare_positives_need_few_reveals(name):
    world = RARE[name]
    runs = {
        prior: apu.learn(
            apu.PassivePU(world.hypotheses, 0.02, 0.1, prior), world.sampler, world.expert(0.5, 1), batch=1
        )
        for prior in (1, None, world.prior)
    }
    asked = {prior: run.n_queries for prior, run in runs.items()}
    assert 1.5 * asked[world.prior] < 5 * asked[None] < 0.8 * asked[1]
    for prior, run in runs.items():
        assumed = [line for line in run.certificate.assumptions if "of the population is positive" in line]
        assert assumed == ([] if prior is None else [f"at most {prior:g} of the population is positive"])
        assert run.certificate.error_bound == 0.02
        assert world.error(run.hypothesis) <= 0.02
    assert world.prior <= runs[None].prior.high < 0.15
    assert runs[1].prior is None


def test_a_prior_within_the_error_needs_no_question():
    rows, nobody = np.arange(60.0).reshape(30, 2), apu.SimulatedExpert(lambda X: X[:, 0] > 0, 1.0)
    result = apu.learn(apu.PassivePU(apu.Boxes(), 0.1, 0.1, prior=0.05), rows, nobody)
    assert (result.n_queries, result.stop_reason) == (0, apu.StopReason.TARGET)
    assert result.certificate.error_bound == 0.05  # nothing is called positive


def test_what_is_observed_on_a_table_leaves_enough_rows_to_ask():
    X = np.random.default_rng(0).random((1500, 2))
    learner = apu.PassivePU(apu.Boxes(), 0.1, 0.1)
    needed = learner.rows_needed(apu.Boxes(2), 0.1)
    positive = apu.SimulatedExpert(lambda X: np.ones(len(X), bool), 1.0)
    assert apu.learn(learner, X[:needed], positive).certificate.error_bound == 0.1
    with pytest.raises(PoolTooSmall, match=f"at least {needed:,} rows"):
        apu.Run(learner, X[: needed - 1])
    rare = apu.learn(learner, X, apu.SimulatedExpert(lambda X: (X < 0.5).all(axis=1), 1.0))
    assert rare.n_revealed < needed
    assert rare.certificate.error_bound == 0.1


@pytest.mark.parametrize("prior", [0, -0.1, 1.5, 30, "many"])
def test_a_prior_is_a_share(prior):
    with pytest.raises(InvalidInput, match="prior"):
        apu.PassivePU(apu.Boxes(), 0.1, 0.1, prior=prior)


CUTS = apu.FiniteClass([lambda X, cut=cut: X[:, 0] >= cut / 20 for cut in range(20)])


def lied(kind: str, seed: int) -> tuple[bool, bool, int]:
    """One run that is looked at after every reveal: was a claim false, was u, and how many were revealed."""
    if kind == "finite":
        world, hypotheses, epsilon = World(apu.Thresholds(), (0.85,), (1.0,)), CUTS, 0.2
    else:
        world, epsilon = {"rare": RARE["thresholds"], "rare box": RARE["boxes"]}.get(kind) or WORLDS[kind], 0.03
        hypotheses = world.hypotheses
    run = apu.Run(apu.PassivePU(hypotheses, epsilon, DELTA), world.sampler, seed=seed)
    expert, grid = world.expert(0.8, seed), (np.arange(2000)[:, None] + 0.5) / 2000
    wrong = low = False
    while put := run.ask():
        question = put[0]
        run.tell(question, bool(expert.answer([question.item], question.row[None])[0]))
        if question.revealed:
            result = run.result()
            h, claim = result.hypothesis, result.certificate.error_bound
            error = (
                np.mean(h.contains(CUTS.bind(1).encode(grid)) != world.label(grid))
                if kind == "finite"
                else world.error(h)
            )
            wrong |= bool(error > claim)
            low |= result.prior.high < world.prior
    return wrong, low, run.result().n_revealed


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "runs"), [("rare", 1000), ("thresholds", 1000), ("rare box", 300), ("finite", 100)])
def test_no_claim_of_a_run_is_false_more_often_than_delta_says(kind, runs):
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        seen = list(workers.map(lied, [kind] * runs, range(runs), chunksize=5))
    wrong, low = sum(w for w, _, _ in seen), sum(u for _, u, _ in seen)
    assert_holds(wrong, runs, DELTA)
    assert_holds(low, runs, OBSERVING * DELTA)
    revealed = np.mean([K for _, _, K in seen])
    print(
        f"\nPassivePU, {kind}: {runs} runs, a claim was false in {wrong}, u < π in {low}, mean reveals {revealed:.0f}"
    )
