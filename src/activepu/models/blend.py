"""Two models of the same answers, averaged: Bayesian model averaging (Hoeting, Madigan, Raftery and Volinsky 1999)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.models.base import ChannelModel, FirstCommittee, Opinions, Vector


class Blend(ChannelModel):
    """P(y = 1 | x) = (1 − share)·p_direct(x) + share·p_softened(x).

    `direct` was fitted to the answers themselves; in `softened` a star counts as both labels.
    """

    def __init__(
        self, direct: ChannelModel, softened: ChannelModel, share: float, first: FirstCommittee | None = None
    ) -> None:
        self.parts, self.share, self.first = (direct, softened), share, first
        self.rate = float(self._mean([part.rate for part in self.parts]))

    def _mean(self, values: Any) -> Any:
        return (1 - self.share) * values[0] + self.share * values[1]

    def _mixed(self, rows: Any, n: int) -> Any:
        """n rows, of which each part has its share, so that every row counts the same."""
        k = round(self.share * n)
        return np.concatenate([rows[0][k:], rows[1][:k]])

    @property
    def importances(self) -> Vector | None:
        """The mean of both, where both have them."""
        both = [part.importances for part in self.parts]
        return None if any(one is None for one in both) else self._mean(both)

    def names(self, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """The same for both."""
        return self.parts[0].names(columns)

    def members(self, X: Any) -> NDArray[np.float64]:
        """Some of each committee, by its weight."""
        both = [part.members(X) for part in self.parts]
        return np.asarray(self._mixed(both, len(both[0])))

    def probability(self, X: Any) -> Vector:
        """The mean of both."""
        return np.asarray(self._mean([part.probability(X) for part in self.parts]))

    def ranking(self, X: Any) -> Vector:
        """The probability: the scores of the two are not on one scale."""
        return self.probability(X)

    def opinions(self, X: Any) -> Opinions:
        """Those of both."""
        both = [part.opinions(X) for part in self.parts]
        members = self._mixed([one.members for one in both], len(both[0].members))
        return Opinions(self._mean([one.probability for one in both]), members)
