"""The exact posterior of a finite class, from the number of answers inside each member.

The prior is uniform over the members, including ∅, that hold the known positives. If a reveal may be wrong, with the
known rate η outside h, reveals exclude no member, and the weight of a member is
    E_ω[ω^{|R ∩ h|} (1 − ω)^{|Stars ∩ h|}] · η^{|R \\ h|} (1 − η)^{|Stars \\ h|}.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from activepu import channel
from activepu.errors import AssumptionsViolated
from activepu.hypotheses.base import Points
from activepu.hypotheses.finite import WORD, FiniteClass, unpack
from activepu.zcal.posteriors.base import (
    Counts,
    Posterior,
    Prediction,
    group_of,
    in_blocks,
    normalised,
    tables,
    with_group,
)
from activepu.zcal.rates import Floats, Rates

BLOCK_BITS = 1 << 21
"""How many bits are unpacked at a time: 8 MB as numbers, to stay near the cache."""


class FinitePosterior(Posterior):
    """The exact posterior of a finite class.

    `inside` (groups, 2, members) counts the stars and the reveals in each member, and `asked` (groups, 2) all of them.
    There is a member for each bit of a point; `live` are those that are possible.
    """

    def __init__(self, hypotheses: FiniteClass, rates: Rates, positives: Points, false_reveal: float = 0.0) -> None:
        self.rates = rates
        self.false_reveal = false_reveal
        self.live = np.arange(hypotheses.words * WORD) < hypotheses.size
        self.inside: Counts = np.zeros((1, 2, len(self.live)), np.intp)
        self.asked: Counts = np.zeros((1, 2), np.intp)
        self._logs: Floats = np.zeros((1, 1 + (false_reveal > 0.0), len(self.live)))
        """(groups, 1 or 2, members): what the answers of each group inside, and outside, add to the log weight."""
        self._require(positives)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Count the answer in the members that hold x; a reveal that must be right removes the others."""
        self._count(x, int(revealed), expert)
        if revealed and self.false_reveal == 0.0:
            self._require(x)

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Return sums over the members, computed as products of matrices."""
        weight = self.weight
        rate = self._look_up(1, group_of(self.rates, expert))
        words = np.flatnonzero(weight.reshape(-1, WORD).any(axis=1))
        sums = np.stack([weight, weight * rate, weight * channel.entropy(rate, unit="nats")])
        sums = sums.reshape(3, -1, WORD)[:, words].reshape(3, -1).astype(np.float32).T
        means = np.empty((len(points), 3))
        size = max(1, BLOCK_BITS // len(sums))
        for start in range(0, len(points), size):
            block = slice(start, start + size)
            means[block] = unpack(points[block, words]).astype(np.float32) @ sums
        return Prediction.of(means[:, 0], means[:, 1], means[:, 2], self.false_reveal)

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """Return exactly the posterior after these stars."""
        other = copy.copy(self)
        other.inside, other.asked, other._logs = self.inside.copy(), self.asked.copy(), self._logs.copy()
        for row, expert in enumerate(experts):
            other._count(points[row : row + 1], 0, expert)
        return other

    @property
    def weight(self) -> Floats:
        """The probability of each member."""
        return normalised(
            np.where(self.live, in_blocks(self._logs[: len(self.asked)].reshape(-1, len(self.live))), -np.inf)
        )

    def _look_up(self, which: int, group: int) -> Floats:
        """Return the log weight (0) or the mean rate (1) of each member."""
        silent, revealed = self.inside[group] if group < len(self.inside) else np.zeros_like(self.inside[0])
        out = np.zeros(len(self.live))
        for r in np.unique(revealed[self.live]):
            rows = revealed == r
            out[rows] = tables(self.rates, int(r), int(silent.max()))[which][silent[rows]]
        return out

    def _count(self, x: Points, answer: int, expert: int) -> None:
        """Count an answer, in place: only the row of its group changes."""
        group = group_of(self.rates, expert)
        if group >= len(self.inside):
            self.inside = with_group(self.inside, 2 * group)
            more = len(self.inside) - len(self._logs)
            self._logs = np.concatenate([self._logs, np.zeros((more, *self._logs.shape[1:]))])
        self.asked = with_group(self.asked, group)
        self.asked[group, answer] += 1
        self.inside[group, answer] += unpack(x)[0]
        self._logs[group, 0] = self._look_up(0, group)
        if self.false_reveal > 0.0:
            outside = self.asked[group][:, None] - self.inside[group]
            self._logs[group, 1] = np.log([1.0 - self.false_reveal, self.false_reveal]) @ outside

    def _require(self, points: Points) -> None:
        self.live = self.live & unpack(points).all(axis=0)
        if not self.live.any():
            raise AssumptionsViolated(
                "No member of the finite class contains every revealed and known positive; add richer predictors, "
                "check the reveals, or allow for false ones."
            )
