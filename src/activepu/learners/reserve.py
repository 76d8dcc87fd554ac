"""The reserved sample T: it influences nothing but when a run stops."""

from __future__ import annotations

import math
from dataclasses import dataclass

from activepu.errors import PoolTooSmall
from activepu.pools import Draws
from activepu.theory.ladder import Ladder
from activepu.version_spaces import Frontier


@dataclass(frozen=True)
class Reserve:
    """How large T must be to state "P(DIS V) ≤ ε" at level δ, and how large it had better be.

    With no undecided row at all, the Clopper–Pearson bound 1 − α^{1/|T|} is ≤ ε from |T| = ln α / ln(1 − ε) on: below
    that, nothing can be certified. (32/ε) ln(1/α) rows notice a region of ε/2 almost surely.
    """

    epsilon: float
    delta: float
    wanted: int = 0

    @staticmethod
    def least(epsilon: float, delta: float) -> int:
        """The smallest |T| that can ever certify ε."""
        return math.ceil(math.log(Ladder(epsilon, delta).rungs[0][1]) / math.log1p(-epsilon))

    def check(self, draws: Draws) -> None:
        """Raises if the pool cannot certify ε, naming the ε that it can."""
        rows = draws.remaining
        if rows is None or rows // 2 >= self.least(self.epsilon, self.delta):
            return
        supported = next((e / 1000 for e in range(1, 1000) if self.least(e / 1000, self.delta) <= rows // 2), None)
        raise PoolTooSmall(
            f"The pool's {rows:,} rows are too few to certify epsilon = {self.epsilon:g}: half of them are kept to "
            f"measure the error, and that needs {self.least(self.epsilon, self.delta):,}; "
            + (f"they support epsilon = {supported:g} or more." if supported else "use a larger pool.")
        )

    def draw(self, draws: Draws) -> Frontier:
        """T, at most half of the pool."""
        ideal = max(self.wanted, math.ceil(32 / self.epsilon * math.log(1 / self.delta)))
        rows = draws.remaining
        return Frontier(draws.unlabeled(ideal if rows is None else min(ideal, rows // 2), "the reserved sample"))
