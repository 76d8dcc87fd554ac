"""Small pools with known labels, one for each class, on which Z-CAL is tried."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

import activepu as apu
from activepu.experts import Expert
from activepu.hypotheses import HypothesisClass

DELTA = 0.01


class Scene(NamedTuple):
    """A class, a pool and its labels."""

    hypotheses: HypothesisClass
    rows: np.ndarray
    y: np.ndarray
    epsilon: float = 0.05

    def learner(self, rate: object = None, check: int = 0, **settings: object) -> apu.ZCal:
        return apu.ZCal(self.hypotheses, self.epsilon, DELTA, rate=rate, check=check, **settings)

    def expert(self, rate: float, seed: int = 0) -> apu.SimulatedExpert:
        return apu.SimulatedExpert(self.y, rate, seed)

    def check(self, result: apu.Result, rate: float) -> None:
        """Everything that is said is true."""
        assert (result.predict(self.rows) != self.y).mean() <= result.certificate.error_bound + 1e-12
        assert not self.y[result.items("negative")].any()
        assert self.y[result.items("positive")].all()
        assert result.prior.low <= self.y.mean() <= result.prior.high
        for bounds in [result.rate] if result.rates is None else result.rates.values():
            assert bounds.low - 1e-9 <= rate <= bounds.high + 1e-9


def scene(name: str, n: int = 1000) -> Scene:
    rng = np.random.default_rng(3)
    line, plane = rng.random((n, 1)), rng.random((n, 2))
    few, bits = plane[:200], rng.integers(0, 2, (n, 8)).astype(float)
    rules = [lambda X, a=a, b=b: X[:, 0] + a * X[:, 1] >= b for a in (0.5, 1.0, 2.0) for b in np.arange(0.5, 2.5, 0.1)]
    return {
        "thresholds": Scene(apu.Thresholds(), line, line[:, 0] >= 0.7, 0.02),
        "intervals": Scene(apu.Intervals(), line, np.abs(line[:, 0] - 0.4) <= 0.2, 0.05),
        "boxes": Scene(apu.Boxes(), plane, (np.abs(plane - 0.5) <= 0.35).all(axis=1), 0.15),
        "orthants": Scene(apu.Orthants(signs=[1, -1]), plane, (plane[:, 0] >= 0.3) & (plane[:, 1] <= 0.6), 0.05),
        "conjunctions": Scene(apu.Conjunctions(), bits, (bits[:, 2] == 1) & (bits[:, 5] == 1), 0.05),
        "finite": Scene(apu.FiniteClass(rules), plane, rules[27](plane), 0.05),
        "halfspaces": Scene(apu.Halfspaces(), few, few @ [0.6, 0.8] >= 0.7, 0.35),
    }[name]


NAMES = ["thresholds", "intervals", "boxes", "orthants", "conjunctions", "finite", "halfspaces"]
RATE = 0.6


def tell(run: apu.Run, expert: Expert, put: Iterable[apu.Question]) -> None:
    for question in put:
        run.tell(question, bool(expert.answer([question.item], None)[0]))
