from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from activepu.errors import InvalidInput
from activepu.theory.rate_test import RateTest

DEPTH = 14


def walk(rho0: float, alpha: float, rate: float) -> tuple[float, float]:
    """(E[M at depth 14 or at the rejection], P(rejected by then)), over every answer sequence."""
    mean = rejected = 0.0
    # A sequence that rejects is cut there; the others are merged by their numbers of reveals and stars.
    paths = {(0, 0): 1.0}
    for _ in range(DEPTH):
        after: dict[tuple[int, int], float] = {}
        for (reveals, stars), chance in paths.items():
            for revealed, share in ((True, rate), (False, 1.0 - rate)):
                if share == 0.0:
                    continue
                key = (reveals + revealed, stars + (not revealed))
                test = RateTest(rho0, alpha)
                for _ in range(key[0]):
                    test.update(True)
                for _ in range(key[1]):
                    test.update(False)
                if test.rejects:
                    rejected += chance * share
                    mean += chance * share * math.exp(test.log_m)
                else:
                    after[key] = after.get(key, 0.0) + chance * share
        paths = after
    for (reveals, stars), chance in paths.items():
        test = RateTest(rho0, alpha)
        mean += chance * math.exp(test.log_m + reveals * -math.log(4) + stars * test._star)
    return mean, rejected


@pytest.mark.parametrize("rho0", [0.1, 0.35, 0.6, 0.9])
@pytest.mark.parametrize("alpha", [0.3, 0.05])
def test_no_rate_above_rho0_makes_the_test_reject_too_often(rho0, alpha):
    for rate in np.linspace(rho0, 1.0, 6):
        mean, rejected = walk(rho0, alpha, rate)
        assert mean <= 1.0 + 1e-12
        assert rejected <= alpha


def test_at_rho0_itself_the_statistic_is_a_martingale():
    mean, _ = walk(0.4, 0.05, 0.4)
    assert mean == pytest.approx(1.0)


@pytest.mark.parametrize("rho0", [0.35, 0.6, 0.9])
def test_the_enumeration_would_notice_a_rate_below_rho0(rho0):
    mean, _ = walk(rho0, 1e-6, 0.8 * rho0)
    assert mean > 1.0


def test_the_enumeration_agrees_with_every_sequence_written_out():
    rho0, alpha, rate, depth = 0.5, 0.2, 0.6, 8
    rejected = 0.0
    for answers in product((True, False), repeat=depth):
        test = RateTest(rho0, alpha)
        for revealed in answers:
            test.update(revealed)
            if test.rejects:
                rejected += rate ** sum(answers) * (1 - rate) ** (depth - sum(answers))
                break
    assert 0.0 < rejected <= alpha
    assert rejected <= walk(rho0, alpha, rate)[1] + 1e-12


def test_a_star_is_impossible_at_rate_one_and_rejects_at_once():
    test = RateTest(1.0, 0.01)
    test.update(True)
    assert not test.rejects
    test.update(False)
    assert test.rejects
    assert RateTest(1.0, 0.01).stars_to_reject == 1


def test_so_many_stars_reject_and_one_less_does_not():
    stars = RateTest(0.2, 0.001).stars_to_reject
    test = RateTest(0.2, 0.001)
    for _ in range(stars - 1):
        test.update(False)
    assert not test.rejects
    test.update(False)
    assert test.rejects


def test_expected_questions_match_simulation():
    rng = np.random.default_rng(0)
    rate, lengths = 0.05, []
    for _ in range(400):
        test = RateTest(0.2, 0.001)
        length = 0
        while not test.rejects:
            test.update(bool(rng.random() < rate))
            length += 1
        lengths.append(length)
    expected = RateTest(0.2, 0.001).expected_questions(rate)
    assert expected == pytest.approx(np.mean(lengths), rel=0.15)
    assert RateTest(0.2, 0.001).expected_questions(0.2) == math.inf


def test_a_rate_that_is_not_a_probability_is_refused():
    with pytest.raises(InvalidInput, match="rho0"):
        RateTest(0.0, 0.1)
