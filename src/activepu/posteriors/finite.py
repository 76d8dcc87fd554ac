"""The exact posterior of a finite class: the answers inside each member, counted.

The prior is uniform over the members, ∅ among them, that hold the known positives. Where a reveal may be wrong, with
the known rate η outside h, reveals exclude nobody, and a member weighs
    E_ω[ω^{|R ∩ h|} (1 − ω)^{|Stars ∩ h|}] · η^{|R \\ h|} (1 − η)^{|Stars \\ h|}.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import Points
from activepu.hypotheses.finite import WORD, FiniteClass, unpack
from activepu.likelihood.rates import Floats, Rates
from activepu.posteriors.base import Counts, Posterior, Prediction, Tally, entropy, normalised, tables, with_group

BLOCK_BITS = 1 << 21
"""Bits that are unpacked at a time: 8 MB as numbers, to stay near the cache."""


class FinitePosterior(Posterior):
    """A column for each bit of a point, a row for each group of experts; `live` has the members that are possible."""

    def __init__(self, hypotheses: FiniteClass, rates: Rates, positives: Points, false_reveal: float = 0.0) -> None:
        self.tally = Tally(rates)
        self.false_reveal = false_reveal
        self.live = np.arange(hypotheses.words * WORD) < hypotheses.size
        self.revealed: Counts = np.zeros((1, len(self.live)), np.intp)
        self.silent = self.revealed.copy()
        self.asked: Counts = np.zeros((1, 2), np.intp)  # reveals and stars of each group, wherever they lie
        self._require(positives)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Counts it in the members that hold x; a reveal that must be right removes the others."""
        if revealed:
            self._count(x, expert, revealed=True)
            if self.false_reveal == 0.0:
                self._require(x)
        else:
            self._count(x, expert, revealed=False)

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Sums over the members, as products of matrices."""
        weight = self.weight
        rate = self._look_up(1, self.tally.group(expert))
        words = np.flatnonzero(weight.reshape(-1, WORD).any(axis=1))
        sums = np.stack([weight, weight * rate, weight * entropy(rate)])
        sums = sums.reshape(3, -1, WORD)[:, words].reshape(3, -1).astype(np.float32).T
        means = np.empty((len(points), 3))
        size = max(1, BLOCK_BITS // len(sums))
        for start in range(0, len(points), size):
            block = slice(start, start + size)
            means[block] = unpack(points[block, words]).astype(np.float32) @ sums
        return Prediction.of(means[:, 0], means[:, 1], means[:, 2], self.false_reveal)

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """Exactly what folding these stars would make of it."""
        other = copy.copy(self)
        for row, expert in enumerate(experts):
            other._count(points[row : row + 1], expert, revealed=False)
        return other

    @property
    def weight(self) -> Floats:
        """The probability of each member."""
        log_weight = np.zeros(len(self.live))
        for group in range(len(self.asked)):
            log_weight += self._look_up(0, group)
            if self.false_reveal > 0.0:
                outside = self.asked[group][:, None] - [self.revealed[group], self.silent[group]]
                log_weight += np.log([self.false_reveal, 1.0 - self.false_reveal]) @ outside
        return normalised(np.where(self.live, log_weight, -np.inf))

    def _look_up(self, which: int, group: int) -> Floats:
        """The log weight (0) or mean rate (1) of each member."""
        revealed, silent = with_group(self.revealed, group)[group], with_group(self.silent, group)[group]
        out = np.zeros(len(self.live))
        for r in np.unique(revealed[self.live]):
            rows = revealed == r
            out[rows] = tables(self.tally.rates, int(r), int(silent.max()))[which][silent[rows]]
        return out

    def _count(self, x: Points, expert: int, revealed: bool) -> None:
        group = self.tally.group(expert)
        self.asked = with_group(self.asked, group).copy()
        self.asked[group, 0 if revealed else 1] += 1
        counts = with_group(self.revealed if revealed else self.silent, group).copy()
        counts[group] += unpack(x)[0]
        if revealed:
            self.revealed = counts
        else:
            self.silent = counts

    def _require(self, points: Points) -> None:
        self.live = self.live & unpack(points).all(axis=0)
        if not self.live.any():
            raise AssumptionsViolated(
                "No member of the finite class contains every revealed and known positive; add richer predictors, "
                "check the reveals, or allow for false ones."
            )
