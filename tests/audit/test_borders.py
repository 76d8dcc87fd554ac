"""Borders of bands are short numbers that part the scores like the long ones that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import activepu as apu


@pytest.mark.parametrize("scale", [1.0, 1e-7, 1e9, -1.0, -1e-7])
def test_a_border_is_short_and_parts_the_scores_at_the_next_one(scale: float) -> None:
    score = np.random.default_rng(0).random(2_000) * scale
    called = score > np.median(score)
    expert = apu.SimulatedExpert(called, rate=0.7)
    result = apu.learn(apu.Audit(called, score=score, recall=0.3), np.arange(2_000), expert, budget=60)
    for cut in result.findings.cuts[:-1]:
        assert float(f"{cut.score:.6g}") == cut.score
        assert (score >= cut.score).sum() == cut.called
    assert (score >= result.at_recall(0.1).score).sum() == result.at_recall(0.1).called


def test_scores_that_lie_as_near_as_numbers_can_are_still_parted() -> None:
    above = np.nextafter(0.3, 1)
    score = np.where(np.arange(400) < 200, above, 0.3)
    result = apu.learn(apu.Audit(score > 0.3, score=score), np.arange(400), apu.SimulatedExpert(score > 0.3), budget=20)
    assert result.findings.cuts[0].score == above
    assert result.findings.cuts[0].called == 200
