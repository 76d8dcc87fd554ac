"""Sampled posteriors: weighted chains that continue from answer to answer.

A ★ at x multiplies a chain's weight by the ratio of its new likelihood to its old one, as in importance sampling. To
fold the ★, the chains are then resampled by weight and walk. To suppose it, they are only reweighted. Folding only
reweights, too, where the ★ has little to tell: at a point that no chain holds it tells nothing, to within 1/chains, and
at a certain positive it tells about the rate only (`rates.is_telling`). A ★ at any other point that all chains hold
must move them, because no weights can say that the point lies outside.

If all chains hold a point, or none does, that is no proof. So predictions count one additional chain, which holds the
point with probability ½ (the estimate of Krichevsky and Trofimov).
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from activepu import channel
from activepu.hypotheses.base import Points
from activepu.zcal.posteriors.base import Counts, Posterior, Prediction, group_of, normalised
from activepu.zcal.rates import Floats, Rates, is_telling

SCALE = 2.0**40


class ChainPosterior(Posterior):
    """Chains that had equal weights when they were drawn, and the answers since."""

    def __init__(self, rates: Rates, seed: int, chains: int, false_reveal: float = 0.0) -> None:
        self.rates = rates
        self.seed, self.steps = seed, 0
        self.false_reveal = false_reveal
        self.chains = chains
        self.sure = 0
        """The number of answers about certain positives."""
        self._drawn: Floats | None = None  # the log weights when the chains were drawn, once there are answers since
        self._weight: Floats | None = None

    @property
    def weight(self) -> Floats:
        """(chains,): the weights add up to 1, or are 0 if the answers since the draw are impossible for every chain."""
        if self._weight is None:
            ratio = np.zeros(self.chains) if self._drawn is None else self._log_weight() - self._drawn
            self._weight = normalised(ratio) if np.isfinite(ratio).any() else np.zeros(self.chains)
        return self._weight

    @property
    def effective(self) -> float:
        """The effective number of chains (Kish): that many equal weights would tell as much; 0 if none is possible."""
        return float(1.0 / (self.weight**2).sum()) if self.weight.any() else 0.0

    @abstractmethod
    def holds(self, points: Points) -> NDArray[np.bool_]:
        """Return (points, chains): which chains contain each point."""

    @abstractmethod
    def _add(self, points: Points, groups: Counts, revealed: bool) -> None:
        """Record answers, replacing arrays and never changing them; no chain moves."""

    @abstractmethod
    def _log_weight(self) -> Floats:
        """Return the log weight of each chain, without the prior."""

    @abstractmethod
    def _mean_rate(self, group: int) -> Floats:
        """Return ω_h of each chain."""

    @abstractmethod
    def _keep(self, drawn: Counts) -> None:
        """Keep the chains with these numbers, which may repeat."""

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Return means over the chains and the additional chain that is unsure."""
        rate = self._mean_rate(group_of(self.rates, expert))
        sums = self.weight * np.stack([np.ones(self.chains), rate, channel.entropy(rate, unit="nats")])
        unsure = 1.0 / (self.effective + 1.0)
        # Whole numbers add up exactly, so that the sums are the same on every machine.
        means = self.holds(points).astype(np.float64) @ np.rint(sums.T * SCALE) / SCALE
        p, revealed, noise = ((1.0 - unsure) * means + unsure * 0.5 * sums.sum(axis=1)).T
        return Prediction.of(p, revealed, noise, self.false_reveal)

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Self:
        """Return the same chains, reweighted."""
        other = copy.copy(self)
        other._weigh(points, experts, revealed=False)
        return other

    def _weigh(self, points: Points, experts: Sequence[int], revealed: bool) -> None:
        """Record answers; the weights are computed when they are needed."""
        if self._drawn is None:
            self._drawn = self._log_weight()
        self._add(points, np.array([group_of(self.rates, expert) for expert in experts], np.intp), revealed)
        self._weight = None

    def _should_move(self, held: NDArray[np.bool_], certain: bool) -> bool:
        """Return whether chains move after an answer; `held`: chains that hold the point, `certain`: all members do."""
        if not certain:
            return bool(held.any())
        self.sure += 1
        return is_telling(self.sure)

    def _rng(self) -> np.random.Generator:
        """Return the random stream of this step; each step has its own, so that a copy never disturbs the original."""
        self.steps += 1
        return np.random.default_rng([self.seed, self.steps])

    def _draw(self) -> None:
        """Resample the same number of chains by weight (systematic resampling)."""
        places = (self._rng().random() + np.arange(self.chains)) / self.chains
        drawn = np.searchsorted(np.cumsum(self.weight), places, side="right").clip(max=self.chains - 1)
        self._keep(drawn)
        self._reset_weights()

    def _reset_weights(self) -> None:
        """Give all chains equal weights: they count as drawn from the present posterior."""
        self._drawn = self._weight = None
