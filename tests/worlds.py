"""Worlds whose truth is known exactly: D uniform on the cube [0, 1]^p, and a true region of mass about 0.3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

import activepu as apu
from activepu.hypotheses import Box, BoxLike


@dataclass(frozen=True)
class World:
    """A class, D and ℓ. Every probability below is a closed form: nothing is sampled."""

    hypotheses: BoxLike
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def dim(self) -> int:
        return len(self.low)

    @property
    def sampler(self) -> apu.Sampler:
        return apu.Sampler(lambda n, rng: rng.random((n, self.dim)), self.dim)

    def label(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(((self.low <= X) & (self.high >= X)).all(axis=1))

    def expert(self, rate: float, seed: int) -> apu.SimulatedExpert:
        return apu.SimulatedExpert(self.label, rate, seed)

    @property
    def truth(self) -> Box:
        """ℓ as a member of H (one-sided classes have no upper side)."""
        bound = self.hypotheses.bind(self.dim)
        high = np.array(self.high) if bound.two_sided else np.full(self.dim, np.inf)
        return Box(bound, np.array(self.low), high)

    @property
    def prior(self) -> float:
        return mass(np.array(self.low), np.array(self.high))

    def error(self, h: Box) -> float:
        """P(h Δ ℓ)."""
        both = mass(np.maximum(h.low, self.low), np.minimum(h.high, self.high))
        return mass(h.low, h.high) + self.prior - 2 * both


def mass(low: np.ndarray, high: np.ndarray) -> float:
    """The volume of a box within the cube."""
    return float(np.prod(np.clip(np.minimum(high, 1.0) - np.maximum(low, 0.0), 0.0, None)))


WORLDS = {
    "thresholds": World(apu.Thresholds(), (0.7,), (1.0,)),
    "intervals": World(apu.Intervals(), (0.3,), (0.6,)),
    "boxes": World(apu.Boxes(), (0.2, 0.25), (0.75, 0.8)),
}


def assert_holds(failures: int, runs: int, delta: float) -> None:
    """An exact binomial test: this many failures must not be surprising if each has probability at most δ."""
    surprise = binomtest(failures, runs, delta, alternative="greater").pvalue
    assert surprise > 1e-4, f"{failures} of {runs} runs failed, which has probability {surprise:.1e} at δ = {delta}"
