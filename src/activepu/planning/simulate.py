"""Simulated runs of Z-CAL in a simple world, to say how many questions are usual.

The world: D uniform on the cube [0, 1]^dim (for conjunctions independent bits), a truth of mass π placed at random,
an expert who reveals with probability ω. Every row has its own coin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import AssumptionsViolated
from activepu.experts import SimulatedExpert
from activepu.hypotheses import (
    BY_NAME,
    Boxes,
    Conjunctions,
    Halfspaces,
    HypothesisClass,
    Intervals,
    Orthants,
    Thresholds,
)
from activepu.planning.runs import Repeated, Trial
from activepu.pools import Pool
from activepu.records import StopReason
from activepu.run import learn
from activepu.zcal import ZCal

World = tuple[NDArray[np.float64], NDArray[np.bool_]]


@dataclass(frozen=True)
class Simulation(Repeated):
    """Runs that aim at ε, each given up after `budget` questions; `known` tells the learner the reveal rate."""

    name: str
    dim: int
    epsilon: float
    delta: float
    rate: float
    prior: float
    known: bool
    budget: int
    pool: int

    def aiming_at(self, epsilon: float) -> Simulation:
        """Return the same simulation with another ε."""
        return replace(self, epsilon=epsilon)

    def trial(self, number: int) -> Trial:
        """Simulate run `number`."""
        X, y = WORLDS[BY_NAME[self.name]](self.dim, self.prior, self.pool, np.random.default_rng([1, number]))
        learner = ZCal(BY_NAME[self.name](), self.epsilon, self.delta, rate=self.rate if self.known else None, check=0)
        pool = Pool(X, show=np.arange(self.pool)[:, None])
        expert = SimulatedExpert(y, rate=self.rate, seed=number)
        try:
            result = learn(learner, pool, expert, seed=number, budget=self.budget)
        except AssumptionsViolated:  # the event of probability δ; such a run certifies nothing
            return Trial(self.budget, 1.0)
        if result.stop_reason == StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        return Trial(result.n_queries, result.certificate.error_bound)


def simulated_class(hypotheses: HypothesisClass) -> tuple[str, int] | None:
    """Return name and dimension of the class; None if there is no world to simulate it in."""
    return (hypotheses.name, hypotheses.bound_dim) if type(hypotheses) in WORLDS else None


def _within(dim: int, prior: float, rows: int, rng: np.random.Generator) -> World:
    """Place a cube of volume π at random."""
    X, side = rng.random((rows, dim)), prior ** (1 / dim)
    low = rng.random(dim) * (1 - side)
    return X, ((low <= X) & (low + side >= X)).all(axis=1)


def _above(dim: int, prior: float, rows: int, rng: np.random.Generator) -> World:
    """Take the upper corner of volume π."""
    X = rng.random((rows, dim))
    return X, (1 - prior ** (1 / dim) <= X).all(axis=1)


def _beyond(dim: int, prior: float, rows: int, rng: np.random.Generator) -> World:
    """Take the share π of the rows that is farthest in a random direction."""
    X, w = rng.random((rows, dim)), rng.normal(size=dim)
    return X, X @ w >= np.quantile(X @ w, 1 - prior)


def _having(dim: int, prior: float, rows: int, rng: np.random.Generator) -> World:
    """Require half of the features; every feature is present with the probability that makes the prior π."""
    needed = -(-dim // 2)
    X = (rng.random((rows, dim)) < prior ** (1 / needed)).astype(np.float64)
    return X, X[:, :needed].all(axis=1)


WORLDS: dict[Any, Callable[[int, float, int, np.random.Generator], World]] = {
    Thresholds: _above,
    Intervals: _within,
    Boxes: _within,
    Orthants: _above,
    Conjunctions: _having,
    Halfspaces: _beyond,
}
