"""The printed algorithms keep the contract of every learner."""

import numpy as np
import pytest
from worlds import WORLDS

from activepu import Pool, paper
from activepu.testing import check_learner

SMALL = paper.Constants(M1=0.5, M2=0.5, M3=100, scale=1e-4)


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("algorithm", ["1", "2", "3"])
def test_the_printed_algorithms_keep_the_contract(algorithm, name):
    world = WORLDS[name]
    learner = {
        "1": lambda H: paper.KnownPrior(H, 0.2, 0.1, world.prior, 2, SMALL),
        "2": lambda H: paper.EstRate(H, 0.1, SMALL),
        "3": lambda H: paper.UnknownPrior(H, 0.3, 0.1, 2, SMALL),
    }[algorithm](world.hypotheses)
    pool = Pool(np.random.default_rng(0).random((40_000, world.dim)))
    check_learner(learner, pool, world.expert(0.5, seed=0), budget=80)
