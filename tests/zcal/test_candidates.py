"""Which items matter, against counting the rows between each of them and the closure."""

from __future__ import annotations

import numpy as np
import pytest

import activepu as apu
from activepu.version_spaces import version_space
from activepu.zcal.candidates import CandidateFilter
from activepu.zcal.tuning import TUNING


@pytest.mark.parametrize("H", [apu.Boxes(dim=2), apu.Orthants(dim=2), apu.Thresholds()], ids=repr)
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.3])
def test_items_matter_if_enough_lies_between_them_and_the_closure(H: apu.HypothesisClass, epsilon: float) -> None:
    rng = np.random.default_rng(0)
    points = rng.integers(0, 40, (500, 1 if isinstance(H, apu.Thresholds) else 2)) / 40
    V = version_space(H.bind(points.shape[1])).require(points[:3])
    least = TUNING.near_closure * epsilon * len(points) / (points.shape[1] * (1 + V.hypotheses.two_sided))
    expected = np.zeros(len(points), bool)
    for column, low, high in zip(points.T, V.closure.low, V.closure.high, strict=True):
        rank, bottom, top = ((column[:, None] < value).sum(axis=0) for value in (column, low, high))
        expected |= bottom - rank >= least
        if V.hypotheses.two_sided:
            expected |= rank - top >= least
    assert (CandidateFilter(points, epsilon)(V.closure, points) == expected).all()
    assert 0 < expected.sum() < len(points)


def test_before_the_first_positive_everything_matters() -> None:
    points = np.random.default_rng(0).random((50, 2))
    assert CandidateFilter(points, 0.1)(apu.Boxes(dim=2).empty, points).all()
