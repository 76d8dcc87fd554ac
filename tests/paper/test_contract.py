"""The algorithms of the paper, printed and refined, keep the contract of every learner."""

import numpy as np
import pytest
from worlds import WORLDS

from activepu import Pool, learn, paper
from activepu.testing import check_learner

SMALL = paper.Constants(M1=0.5, M2=0.5, M3=100, scale=1e-4)


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("algorithm", ["1", "2", "3"])
@pytest.mark.parametrize("analysis", ["printed", "theta"])
def test_the_algorithms_of_the_paper_keep_the_contract(analysis, algorithm, name):
    world = WORLDS[name]
    learner = {
        "1": lambda H: paper.KnownPrior(H, 0.2, 0.1, world.prior, 2, SMALL, analysis=analysis),
        "2": lambda H: paper.EstRate(H, 0.1, SMALL, analysis=analysis),
        "3": lambda H: paper.UnknownPrior(H, 0.3, 0.1, 2, SMALL, analysis=analysis),
    }[algorithm](world.hypotheses)
    pool = Pool(np.random.default_rng(0).random((40_000, world.dim)))
    check_learner(learner, pool, world.expert(0.5, seed=0), budget=80)


@pytest.mark.parametrize("name", ["thresholds", "intervals"])
def test_the_rounds_after_the_refined_rate_estimate_keep_the_contract_too(name):
    """`scale` leaves EstRate alone, which takes some hundred questions first."""
    world = WORLDS[name]
    learner = paper.UnknownPrior(world.hypotheses, 0.1, 0.1, 2, paper.Constants(scale=0.01), analysis="theta")
    pool = Pool(np.random.default_rng(0).random((40_000, world.dim)))
    run = learn(learner, pool, world.expert(1.0, seed=0), budget=500)
    assert "round 0" in run.history["phase"]
    check_learner(learner, pool, world.expert(1.0, seed=0), budget=500)
