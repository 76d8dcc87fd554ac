"""Sampled posteriors: weighted chains that go on from answer to answer.

A ★ at x multiplies a chain's weight by the ratio of its new weight to its old one, as in importance sampling. Folding
it in then draws the chains anew by weight and lets them walk; supposing it only does the weighing.

Chains that all hold a point, or none, prove nothing: predictions count one chain more, which holds it with
probability ½ (the estimate of Krichevsky and Trofimov).
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Points
from activepu.likelihood.rates import Floats, Rates
from activepu.posteriors.base import Counts, Posterior, Prediction, entropy, group_of, normalised

CHAINS = 128
SCALE = 2.0**40


class ChainPosterior(Posterior):
    """`weight` (chains,) adds up to 1, or is 0 if the last answer was impossible for every chain."""

    def __init__(self, rates: Rates, seed: int, chains: int, false_reveal: float = 0.0) -> None:
        self.rates = rates
        self.seed, self.steps = seed, 0
        self.false_reveal = false_reveal
        self.weight = np.full(chains, 1.0 / chains)

    @property
    def chains(self) -> int:
        """How many."""
        return len(self.weight)

    @property
    def effective(self) -> float:
        """As many chains of equal weight would tell as much (Kish's effective size); 0 if none is possible."""
        return float(1.0 / (self.weight**2).sum()) if self.weight.any() else 0.0

    @abstractmethod
    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Which chains contain each point: (points, chains)."""

    @abstractmethod
    def _add(self, points: Points, groups: Counts, revealed: bool) -> None:
        """Takes note of answers, replacing arrays and never changing them; no chain moves."""

    @abstractmethod
    def _log_weight(self) -> Floats:
        """Of each chain, but for the prior."""

    @abstractmethod
    def _mean_rate(self, group: int) -> Floats:
        """ω_h of each chain."""

    @abstractmethod
    def _keep(self, drawn: Counts) -> None:
        """The chains of these numbers, which may repeat."""

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Means over the chains, and the one that is unsure."""
        rate = self._mean_rate(group_of(self.rates, expert))
        sums = self.weight * np.stack([np.ones(self.chains), rate, entropy(rate)])
        unsure = 1.0 / (self.effective + 1.0)
        # Whole numbers add up exactly, so that the sums are the same on every machine.
        means = self.holds(points).astype(np.float64) @ np.rint(sums.T * SCALE) / SCALE
        p, revealed, noise = ((1.0 - unsure) * means + unsure * 0.5 * sums.sum(axis=1)).T
        return Prediction.of(p, revealed, noise, self.false_reveal)

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Self:
        """The same chains, weighed anew."""
        other = copy.copy(self)
        other._weigh(points, experts, revealed=False)
        return other

    def _weigh(self, points: Points, experts: Sequence[int], revealed: bool) -> None:
        before = self._log_weight()
        self._add(points, np.array([group_of(self.rates, expert) for expert in experts], np.intp), revealed)
        with np.errstate(divide="ignore"):
            log_weight = np.log(self.weight) + self._log_weight() - before
        possible = np.isfinite(log_weight).any()
        self.weight = normalised(log_weight) if possible else np.zeros(self.chains)

    def _rng(self) -> np.random.Generator:
        """Each step has a stream of its own, so that a copy never disturbs the original."""
        self.steps += 1
        return np.random.default_rng([self.seed, self.steps])

    def _draw(self) -> None:
        """As many chains, by weight and evenly spread over them."""
        places = (self._rng().random() + np.arange(self.chains)) / self.chains
        drawn = np.searchsorted(np.cumsum(self.weight), places, side="right").clip(max=self.chains - 1)
        self._keep(drawn)
        self.weight = np.full(self.chains, 1.0 / self.chains)
