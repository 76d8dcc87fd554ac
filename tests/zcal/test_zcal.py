"""Z-CAL as its users meet it: what it certifies, what it takes as known, and what it asks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from worlds import WORLDS
from zcal.scenes import DELTA, NAMES, RATE, scene, tell

import activepu as apu
from activepu.learners.reserve import reserved_items
from activepu.zcal.state import PARTS

# What is certified.


@pytest.mark.parametrize("rate", [RATE, None])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_certified_of_a_pool_is_true(name: str, rate: float | None) -> None:
    world = scene(name)
    result = apu.learn(world.learner(rate), world.rows, world.expert(RATE))
    assert result.stop_reason == apu.StopReason.TARGET
    certificate = result.certificate
    assert certificate.error_bound <= world.epsilon
    assert (certificate.scope, certificate.method, certificate.confidence) == ("pool", "exact", 1 - DELTA)
    world.check(result, RATE)


@pytest.mark.parametrize(
    ("name", "rate"), [("thresholds", RATE), ("thresholds", None), ("orthants", (0.5, 0.7)), ("finite", None)]
)
def test_in_the_middle_of_a_run_all_is_true_and_nothing_is_unlearned(name: str, rate: object) -> None:
    world = scene(name)
    run, expert, results = apu.Run(world.learner(rate), world.rows), world.expert(RATE, seed=1), []
    while not run.finished:
        tell(run, expert, run.ask(5))
        results.append(run.result())
        world.check(results[-1], RATE)
        assert results[-1].certificate.error_bound <= len(results[-1].items("undecided")) / len(world.rows)
    for earlier, later in pairwise(results):
        assert set(later.items("undecided")) <= set(earlier.items("undecided"))
        for before, after in ((earlier.rate, later.rate), (earlier.prior, later.prior)):
            assert before.low <= after.low + 1e-12
            # Which sides may be large together is known by the newest evidence only, where the rate is not known.
            assert after.high <= before.high + 1e-12 or (name == "orthants" and before is earlier.prior)
    undecided = run.result().history["undecided"]
    assert undecided == sorted(undecided, reverse=True)
    assert undecided[-1] < undecided[0]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_said_of_the_pool_holds_for_every_member_that_stands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((30, 12)) < rng.random((30, 1))
    rows = np.arange(30.0)[:, None]
    H = apu.FiniteClass([lambda X, k=k: table[X[:, 0].astype(int), k] for k in range(12)])
    run = apu.Run(apu.ZCal(H, 0.01, 0.2, rate=0.5, check=0), rows)
    truth, bound = rng.integers(12), H.bind(1)
    while not run.finished:
        result = run.result()
        labels = result.predict(rows)
        for member in map(bound.member, range(13)):
            if result.version_space.allows(member):
                held = member.predict(rows)
                assert result.prior.low - 1e-12 <= held.mean() <= result.prior.high + 1e-12
                assert (held != labels).mean() <= result.certificate.error_bound + 1e-12
        tell(run, apu.SimulatedExpert(table[:, truth], 0.5, seed), run.ask())


@pytest.mark.parametrize(
    ("name", "rate", "omega"), [("thresholds", RATE, RATE), ("thresholds", None, RATE), ("boxes", 0.9, 0.9)]
)
def test_of_an_endless_pool_the_population_is_certified(name: str, rate: float | None, omega: float) -> None:
    world = WORLDS[name]
    learner = apu.ZCal(world.hypotheses, 0.3, DELTA, rate=rate, check=0)
    result = apu.learn(learner, world.sampler, world.expert(omega, 0))
    assert result.stop_reason == apu.StopReason.TARGET
    assert result.certificate.scope == "population"
    assert result.population is None
    assert world.error(result.hypothesis) <= result.certificate.error_bound <= 0.3
    assert result.version_space.allows(world.truth)
    assert result.prior.low <= world.prior <= result.prior.high
    assert result.rate.low - 1e-9 <= omega <= result.rate.high + 1e-9


def test_of_a_large_pool_the_population_is_certified_too() -> None:
    world = WORLDS["thresholds"]
    X = np.random.default_rng(0).random((4000, 1))
    result = apu.learn(apu.ZCal(world.hypotheses, 0.02, DELTA, check=0), X, world.expert(RATE, 0))
    assert result.certificate.scope == "pool"
    assert result.population.scope == "population"
    assert result.population.confidence == 1 - DELTA
    assert world.error(result.hypothesis) <= result.population.error_bound < 0.5
    assert any("independent draws" in given for given in result.population.assumptions)
    assert not any("independent draws" in given for given in result.certificate.assumptions)


def test_a_small_pool_says_nothing_of_the_population() -> None:
    world = scene("thresholds", 200)
    assert apu.learn(world.learner(RATE), world.rows, world.expert(RATE)).population is None


@pytest.mark.parametrize(("name", "n"), [("thresholds", 12_000), ("boxes", 4000), ("finite", 12_000)])
def test_the_reserved_rows_have_no_say_in_what_is_asked(name: str, n: int) -> None:
    world = scene(name, n)
    learner = world.learner()
    draws = apu.Pool(world.rows).draws(world.hypotheses, 0)
    reserved = reserved_items(draws, learner.epsilon, learner.delta / 2, PARTS)
    assert len(reserved) > 0
    moved = world.rows.copy()
    moved[reserved] = np.random.default_rng(9).random((len(reserved), world.rows.shape[1]))
    asked = []
    for rows in (world.rows, moved):
        run = apu.Run(learner, rows)
        while not run.finished and run.n_answered < 20:
            tell(run, world.expert(RATE), run.ask())
        asked.append([question.item for question in run.questions])
    assert not set(reserved) & set(asked[0])
    both = min(map(len, asked))
    assert asked[0][:both] == asked[1][:both]


def test_every_expert_may_have_a_rate_of_his_own() -> None:
    world, rates = scene("thresholds"), {"ann": 0.9, "bob": 0.3}
    experts = {name: world.expert(rate, seed=2) for name, rate in rates.items()}
    run = apu.Run(world.learner("per expert"), world.rows)
    while not run.finished:
        name = ("ann", "bob")[len(run.questions) % 2]
        tell(run, experts[name], run.ask(expert=name))
    result = run.result()
    assert result.stop_reason == apu.StopReason.TARGET
    assert result.rate is None
    assert set(result.rates) == set(rates)
    for name, rate in rates.items():
        assert result.rates[name].low <= rate <= result.rates[name].high
    assert result.rates["ann"].low > 0.0
    assert result.rates["bob"].high < 1.0
    assert (result.predict(world.rows) != world.y).mean() <= result.certificate.error_bound <= world.epsilon
    assert "Reveal rate of ann" in str(result)


# What is known beforehand.


def test_known_positives_are_never_asked() -> None:
    world = scene("thresholds")
    known = np.flatnonzero(world.y)[:40]
    run, expert = apu.Run(world.learner(), world.rows, known), world.expert(RATE)
    while not run.finished:
        tell(run, expert, run.ask(4))
    assert not set(known) & {question.item for question in run.questions}
    assert set(known) <= set(run.result().items("positive"))
    world.check(run.result(), RATE)


def test_known_positives_count_nowhere_as_reveals() -> None:
    """Silence says nothing before the first reveal: the rate may be arbitrarily small."""
    world = scene("thresholds", 200)
    known = np.flatnonzero(world.y)[:30]
    run = apu.Run(world.learner(), world.rows, known)
    before = run.result()
    for _ in range(60):
        tell(run, apu.SimulatedExpert(np.zeros(200, bool)), run.ask())
    after = run.result()
    assert after.rate.low == 0.0
    assert after.rate.estimate is None
    assert before.items("undecided").tolist() == after.items("undecided").tolist()


# What is asked.


@pytest.mark.parametrize("rate", [RATE, None])
@pytest.mark.parametrize("name", ["thresholds", "intervals", "boxes"])
def test_a_batch_is_spread_out(name: str, rate: float | None) -> None:
    world = scene(name)
    put = apu.Run(world.learner(rate), world.rows).ask(5)
    X = world.rows[[question.item for question in put]]
    apart = np.abs(X[:, None] - X[None]).max(axis=2)[np.triu_indices(5, 1)]
    if rate is not None:  # otherwise several of them may look for the first reveal in one place
        assert apart.min() > 0.01, "as far as asking one item twice is from asking two"
    assert apart.max() > 0.1


@pytest.mark.parametrize("name", ["thresholds", "orthants", "finite"])
def test_batches_reach_the_same_target(name: str) -> None:
    world = scene(name)
    result = apu.learn(world.learner(RATE), world.rows, world.expert(RATE), batch=5)
    assert result.stop_reason == apu.StopReason.TARGET
    assert len(set(result.history["item"])) == result.n_queries
    world.check(result, RATE)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_asks_the_same_and_another_is_as_true(name: str) -> None:
    world = scene(name, 3000)
    asked = [
        apu.learn(world.learner(RATE), world.rows, world.expert(RATE), seed=seed, budget=12).history["item"]
        for seed in (5, 5)
    ]
    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    "learner", [apu.ZCal(apu.Boxes(), 0.2, 0.2, check=0), apu.KnownPrior(apu.Boxes(), 0.2, 0.2, prior=0.5)]
)
def test_the_certificate_names_the_positives_that_were_given(learner: apu.Learner) -> None:
    rows = np.random.default_rng(0).random((3000, 2))
    told = "the items that were given as positive beforehand are positive"
    assert told in apu.Run(learner, rows, positives=[3]).result().certificate.assumptions
    assert told not in apu.Run(learner, rows).result().certificate.assumptions


def test_halfspaces_take_columns_of_any_unit():
    z = np.random.default_rng(3).normal(size=(300, 2))
    y = z @ [0.6, 0.8] >= 0.5
    expert = apu.SimulatedExpert(y, rate=0.5, seed=3)
    for x in (z, z * [86400.0, 1.0] + [1.7e9, 0.0], z * 1e-10):
        result = apu.learn(apu.ZCal(apu.Halfspaces(), 0.15, 0.05, rate=0.5, check=0), x, expert, budget=60)
        assert (result.predict(x) != y).mean() <= result.certificate.error_bound <= 0.15
        assert result.n_queries > 10
