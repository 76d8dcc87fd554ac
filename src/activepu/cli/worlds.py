"""The worlds of the demo, whose truth is known, and the learners that it runs in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from activepu import paper
from activepu.hypotheses import Boxes, HypothesisClass, Thresholds
from activepu.learners import Cal, KnownPrior, Learner, PassivePU, RevealRate, UnknownPrior
from activepu.pools import Pool, Sampler, Source
from activepu.zcal import ZCal

POOL = 20_000
"""How many rows of a world a learner gets that chooses among the items of a pool."""
RATE = 0.5
"""ω: half of the positives that are asked are revealed."""


@dataclass(frozen=True)
class World:
    """A distribution, a class and the truth; `prior` is the share of positives, `theta` the disagreement coefficient.

    `capped` scales the sample S of the printed Algorithm 1, ten billion rows for boxes, down to some 200,000.
    """

    name: str
    short: str
    hypotheses: HypothesisClass
    pool: Sampler
    truth: Callable[[NDArray[Any]], NDArray[np.bool_]]
    prior: float
    theta: float
    capped: float


def _uniform(n: int, dim: int, rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.random((n, dim))


def _in_box(X: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray((X >= (0.3, 0.2)).all(axis=1) & (X <= (0.8, 0.8)).all(axis=1))


def _above(X: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(X[:, 0] >= 0.7)


BOX = World(
    name="a box in a square",
    short="box",
    hypotheses=Boxes(),
    pool=Sampler(lambda n, rng: _uniform(n, 2, rng), dim=2, names=("x", "y")),
    truth=_in_box,
    prior=0.3,
    theta=8.0,
    capped=2e-5,
)
THRESHOLD = World(
    name="a threshold on a line",
    short="threshold",
    hypotheses=Thresholds(),
    pool=Sampler(lambda n, rng: _uniform(n, 1, rng), dim=1, names=("x",)),
    truth=_above,
    prior=0.3,
    theta=2.0,
    capped=1e-3,
)
WORLDS = (BOX, THRESHOLD)


@dataclass(frozen=True)
class Entry:
    """A line of the demo's table: a learner, made for a world with (ε, δ), and the rate of its expert.

    `from_pool` gives it rows of the world instead of the endless world itself; its certificate is then for these.
    `scaled` marks a printed algorithm whose constants were scaled down until it runs, so that it guarantees nothing.
    """

    name: str
    make: Callable[[World, float, float], Learner]
    rate: float = RATE
    scaled: bool = False
    from_pool: bool = False

    @property
    def label(self) -> str:
        """The name, with the mark of a footnote."""
        return self.name + ("*" if self.scaled else "†" if self.from_pool else "")

    def source(self, world: World, seed: int) -> Source:
        """Return the pool that the learner is given."""
        if not self.from_pool:
            return world.pool
        rows = world.pool.sample(POOL, np.random.default_rng([seed, POOL]))
        return Pool(pa.table(dict(zip(world.pool.names or (), rows.T, strict=True))))


ZCAL = Entry("ZCal", lambda w, epsilon, delta: ZCal(w.hypotheses, epsilon, delta, check=0), from_pool=True)
PASSIVE = Entry("PassivePU", lambda w, epsilon, delta: PassivePU(w.hypotheses, epsilon, delta))
CAL = Entry("Cal (ω = 1)", lambda w, epsilon, delta: Cal(w.hypotheses, epsilon, delta), rate=1.0)
KNOWN = Entry("KnownPrior", lambda w, epsilon, delta: KnownPrior(w.hypotheses, epsilon, delta, prior=w.prior))
REVEAL_RATE = Entry("estimate_rate", lambda w, epsilon, delta: RevealRate(w.hypotheses, delta))
UNKNOWN = Entry("UnknownPrior", lambda w, epsilon, delta: UnknownPrior(w.hypotheses, epsilon, delta))


def _printed_1(w: World, epsilon: float, delta: float) -> Learner:
    constants = paper.Constants(scale=w.capped)
    return paper.KnownPrior(w.hypotheses, epsilon, delta, prior=w.prior, theta=w.theta, constants=constants)


def _printed_2(w: World, epsilon: float, delta: float) -> Learner:
    return paper.EstRate(w.hypotheses, delta, constants=SCALED)


def _printed_3(w: World, epsilon: float, delta: float) -> Learner:
    return paper.UnknownPrior(w.hypotheses, epsilon, delta, theta=w.theta, constants=SCALED)


SCALED = paper.Constants(M1=0.5, M2=0.2, M3=100.0, scale=0.005)
PRINTED = (
    Entry("paper.KnownPrior", _printed_1, scaled=True),
    Entry("paper.estimate_rate", _printed_2, scaled=True),
    Entry("paper.UnknownPrior", _printed_3, scaled=True),
)
ENTRIES = (ZCAL, KNOWN, UNKNOWN, REVEAL_RATE, PASSIVE, CAL, *PRINTED)
