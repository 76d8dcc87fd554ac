from itertools import product

import numpy as np
import pytest
from posteriors.brute import fold, predictions

from activepu.likelihood.rates import Rates
from activepu.posteriors import BoxPosterior
from activepu.posteriors.sides import RankSides

SAMPLE = np.array([[0.2, 3.0], [1.5, 9.0], [2.5, 1.0], [7.0, 4.0], [8.0, 6.0]])
ANSWERS = [(0, False, 0), (3, True, 1), (2, False, 1), (1, False, 0)]
KNOWN = [4]


def members(needs):
    """Every way to hold some of the items: a piece of [0, 1] a side, between two needs; the prior is their volume."""
    sides = [np.unique(np.concatenate([[0.0], column, [1.0]])) for column in needs.T]
    starts = np.array(list(product(*(edges[:-1] for edges in sides))))
    volume = np.prod(np.array(list(product(*(np.diff(edges) for edges in sides)))), axis=1)
    return (needs[None] <= starts[:, None]).all(axis=2), volume


def cut_off(columns, kappa):
    """(1 − u)^κ, u being the share of ranks below each item."""
    ranks = (columns.argsort(axis=0).argsort(axis=0) + 1) / (len(columns) + 1)
    return (1 - ranks) ** kappa


def averaged(made, points, expert, rounds):
    """Many predictions, with sweeps in between, and without the chain that is unsure."""
    seen = []
    for _ in range(rounds):
        made._sweep(1)
        got = made.predict(points, expert)
        seen.append([got.p, got.q, got.noise])

    mean = np.mean(seen, axis=0)
    unsure = 1 / (made.chains + 1)
    return (mean - unsure * 0.5 * np.array([[1.0], [0.0], [0.0]])) / (1 - unsure)


@pytest.mark.parametrize("rate", [0.5, 0.9, None, (0.3, 0.8), "per expert"])
def test_the_chains_average_to_the_sum_over_all_boxes(rate):
    rates = Rates.parse(rate)
    labels, prior = members(cut_off(np.hstack([SAMPLE, -SAMPLE]), 4))
    prior = prior * labels[:, KNOWN].all(axis=1)
    want = predictions(labels, prior, ANSWERS, rates, 1)
    made = BoxPosterior(RankSides(SAMPLE, True), rates, SAMPLE[KNOWN], seed=3, chains=2000)
    fold(made, SAMPLE, ANSWERS)
    got = averaged(made, SAMPLE, 1, 60)
    np.testing.assert_allclose(got[0], want[0], atol=0.006)
    np.testing.assert_allclose(got[1:], want[1:], atol=0.006)
