"""An endless pool whose distribution has atoms: equal rows share one coin, and are asked once."""

import numpy as np
import pytest
from worlds import assert_holds

import activepu as apu

VALUES = np.arange(12) / 12


def atoms() -> apu.Sampler:
    return apu.Sampler(lambda n, rng: rng.choice(VALUES, (n, 1)), dim=1)


def test_equal_rows_of_an_endless_pool_are_asked_once_and_the_bound_holds():
    """One coin per value: asked again it would say the same, and silence would be counted as evidence many times."""
    delta, broken = 0.05, 0
    for seed in range(40):
        coins = np.random.default_rng(seed).random(12) < 0.5
        expert = apu.CallbackExpert(lambda X, coins=coins: (X[:, 0] >= 0.5) & coins[np.rint(X[:, 0] * 12).astype(int)])
        result = apu.learn(apu.ZCal(apu.Thresholds(), 0.05, delta, check=0), atoms(), expert, seed=seed, budget=100)
        assert result.n_queries <= 12
        wrong = (result.predict(VALUES[:, None]) != (VALUES >= 0.5)).mean()
        broken += wrong > result.certificate.error_bound
    assert_holds(broken, 40, delta)


def test_equal_rows_of_an_endless_pool_share_a_coin():
    draws = atoms().draws(apu.Thresholds(), seed=2)
    items = draws.unlabeled_items(500, "S")
    rows = draws.features(items)[:, 0]
    for k in (0, 7):
        same = items[rows == rows[k]]
        assert np.array_equal(np.intersect1d(draws.twins(int(items[k])), items), same)
        assert {draws.coin(int(item)) for item in same} == {draws.coin(int(items[k]))}
    answers = apu.SimulatedExpert(lambda X: X[:, 0] >= 0, rate=0.5, seed=4).answer(items, rows[:, None])
    assert all(len(set(answers[rows == value])) == 1 for value in VALUES)
    assert 0 < answers.sum() < len(answers)


def test_zero_and_minus_zero_share_a_coin():
    sampler = apu.Sampler(lambda n, rng: rng.choice([0.0, -0.0], (n, 1)), dim=1)
    draws = sampler.draws(apu.Thresholds(), seed=0)
    items = draws.unlabeled_items(20, "S")
    assert len({np.signbit(x) for x in draws.features(items)[:, 0]}) == 2
    assert len({draws.coin(int(item)) for item in items}) == 1
    assert len(set(apu.SimulatedExpert(lambda X: X[:, 0] == 0, 0.5).answer(items, draws.features(items)))) == 1


def test_a_positive_given_beforehand_is_not_asked_for_among_equal_rows():
    run = apu.Run(apu.ZCal(apu.Thresholds(), 0.05, 0.2, check=0), atoms(), positives=[[VALUES[11]]])
    asked = [question.row[0] for question in run.ask(20)]
    assert sorted(asked) == VALUES[:11].tolist()


@pytest.mark.parametrize("learner", [apu.PassivePU, apu.UnknownPrior])
def test_an_endless_pool_with_repeated_rows_is_refused_where_the_guarantee_would_be_false(learner):
    with pytest.raises(apu.InvalidInput, match="rows that look the same to the expert share one coin"):
        apu.Run(learner(apu.Thresholds(), 0.2, 0.2), atoms())


def test_an_endless_pool_whose_rows_were_all_asked_has_run_dry(monkeypatch):
    monkeypatch.setattr("activepu.run.driver.MOST_REPEATS", 1000)
    expert = apu.CallbackExpert(lambda X: np.zeros(len(X), bool))
    result = apu.learn(apu.KnownPrior(apu.Thresholds(), 0.05, 0.2, prior=0.6), atoms(), expert)
    assert result.n_queries <= 12
    assert "ran dry" in result.stop_reason
