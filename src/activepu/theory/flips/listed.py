"""Flip costs of a class that lists its members: the nearest member that labels an item differently, by enumeration."""

from __future__ import annotations

import numpy as np

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, Points
from activepu.theory.flips.base import Counts, FlipCosts


class ListedFlips(FlipCosts):
    """Exact, for every class with `HypothesisClass.members`; ∅ counts as a member. Other classes are refused."""

    def __init__(self, h: Hypothesis, T: Points) -> None:
        super().__init__(h, T)
        listed = h.hypotheses.members()
        if listed is None:
            raise InvalidInput(
                f"Balls are not computed for {h.hypotheses!r}, which does not list its members; define members(), "
                "register flip_costs for it, or put the hypotheses of interest in a FiniteClass."
            )
        self._members = [*listed, h.hypotheses.empty]

    def bounds(self, X: Points) -> tuple[Counts, Counts]:
        """Return the exact costs, twice."""
        on_T, on_X = self.h.contains(self.T), self.h.contains(X)
        distances = np.array([np.count_nonzero(other.contains(self.T) != on_T) for other in self._members])
        costs = np.full(len(X), len(self.T) + 1, np.int64)
        for index in np.argsort(-distances, kind="stable"):  # from far to near: the nearest member is written last
            costs[self._members[index].contains(X) != on_X] = distances[index]
        return costs, costs
