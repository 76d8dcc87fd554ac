"""The sample that Algorithm 1S caps: bounded for halfspaces, and valid whatever its size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import activepu as apu
from activepu.theory import binomial
from activepu.version_spaces import halfspaces

PRIOR = 0.3


def source(kind: str, dim: int) -> apu.Sampler | np.ndarray:
    if kind == "table":
        return np.random.default_rng(0).random((1500, dim))
    return apu.Sampler(lambda n, rng: rng.random((n, dim)), dim)


@pytest.mark.parametrize("kind", ["table", "endless"])
@pytest.mark.parametrize(("dim", "name"), [(2, "MOST_PLANAR"), (3, "MOST_SAMPLED")])
def test_halfspaces_take_no_more_rows_than_they_can_walk_along(kind, dim, name, monkeypatch):
    monkeypatch.setattr(halfspaces, name, 300)
    learner = apu.KnownPrior(apu.Halfspaces(), 0.2, 0.2, prior=PRIOR)
    (sites,) = {len(apu.Run(learner, source(kind, dim), seed=seed).result_report().sample) for seed in range(2)}
    assert sites == 300


def test_the_others_take_all_of_a_table_but_what_is_reserved():
    report = apu.Run(apu.KnownPrior(apu.Boxes(), 0.2, 0.2, prior=PRIOR), source("table", 2)).result_report()
    assert 750 <= len(report.sample) < 1500


@pytest.mark.parametrize("rows", [1, 10, 300, 3000, 100_000])
def test_a_cap_on_any_number_of_rows_keeps_the_truth(rows):
    delta = 0.1
    assert binom.sf(binomial.quantile(rows, PRIOR, 1 - delta / 4), rows, PRIOR) <= delta / 4


def test_halfspaces_off_a_table_reach_their_target():
    sampler = source("endless", 2)
    expert = apu.SimulatedExpert(lambda X: X.sum(axis=1) > 1.3, rate=0.5)
    result = apu.learn(apu.KnownPrior(apu.Halfspaces(), 0.1, 0.1, prior=0.245), sampler, expert, budget=400)
    X = np.random.default_rng(1).random((20_000, 2))
    assert result.certificate.error_bound == 0.1
    assert (result.predict(X) != (X.sum(axis=1) > 1.3)).mean() <= 0.1
