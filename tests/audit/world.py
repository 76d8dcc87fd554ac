"""A pool of 1,500 items in which no cut of the score is right, and a classifier that cuts it at one half."""

from __future__ import annotations

from typing import Any

import numpy as np

import activepu as apu

N = 1500
RNG = np.random.default_rng(7)
SCORE = RNG.random(N)
TRUTH = RNG.random(N) < SCORE**3
CALLED = SCORE > 0.5
X = np.column_stack([SCORE, RNG.random(N)])
EXPERT = apu.SimulatedExpert(TRUTH, rate=0.6)
RECALL = (TRUTH & CALLED).sum() / TRUTH.sum()


def audit(**settings: Any) -> apu.Audit:
    """An audit of the classifier, in bands of the score."""
    return apu.Audit(CALLED, score=SCORE, **settings)
