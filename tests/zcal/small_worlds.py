"""Small pools with a truth that has few positives, since they alone have coins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import activepu as apu
from activepu.hypotheses import Box, Hypothesis
from activepu.hypotheses.halfspaces import Halfspace


@dataclass(frozen=True, eq=False)
class World:
    """A small pool and a truth with few positives, since they alone have coins.

    `depth` questions are put; the items `known` are given as positive beforehand.
    """

    truth: Hypothesis
    rows: np.ndarray
    depth: int = 10
    known: tuple[int, ...] = ()
    rate: float = 0.5


def between(H: apu.Boxes, low: Sequence[float], high: Sequence[float] | None = None) -> Box:
    return Box(H.bind(len(low)), np.array(low, float), np.array(high or [math.inf] * len(low)))


LINE = np.linspace(0.0, 1.0, 13)[:, None]
PLANE = np.random.default_rng(8).random((14, 2))
BITS = np.array([[i >> j & 1 for j in range(4)] for i in (*range(16), 15, 7)], float)
RULES = [lambda X, a=a, b=b: (X[:, 0] >= a) & (X[:, 1] >= b) for a in (0.0, 0.2, 0.5, 0.7) for b in (0.1, 0.4, 0.6)]

WORLDS = {
    "thresholds": World(between(apu.Thresholds(), [0.6]), LINE),
    "thresholds, known positives": World(between(apu.Thresholds(), [0.5]), LINE, known=(11, 12)),
    "intervals": World(between(apu.Intervals(), [0.2], [0.7]), LINE, 9, known=(6,)),
    "boxes": World(between(apu.Boxes(), [0.2, 0.2], [0.7, 0.7]), PLANE, known=(13,), rate=0.9),
    "orthants": World(between(apu.Orthants(), [0.3, 0.3]), PLANE, 8),
    "conjunctions": World(between(apu.Conjunctions(), [1, 0, 0, 0]), BITS, 9, rate=0.9),
    "finite": World(apu.FiniteClass(RULES).bind(2).member(1), PLANE),
    "halfspaces": World(Halfspace(apu.Halfspaces().bind(2), [0.8, 0.6], 0.6), PLANE[:10], 6),
}
