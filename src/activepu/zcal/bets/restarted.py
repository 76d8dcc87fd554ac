"""The bets on one side of a hypothesis h of an intersection-closed class, and how they are restarted.

A bet cuts the side off at some place v, if h reaches further, or leaves it as it is. Who bets from the first answer on
must find a good place among all there are. But a bet may also *begin* later: until then it leaves the side as it is, so
it foresees the answers as h itself does, neither winning nor losing; then it draws its place, and the answers so far
may say how. So a side has

    a share w of bets that begin at once, their places uniform;
    groups that begin when a question is asked beyond this side alone, before it is answered: each time a share of
    the bets that have not begun (`Tuning.restart`), their places from the law that the answers about this side suggest,

        density ∝ (1 − ω)^{number of stars that a side of this reach holds},   beyond the closure;

    and the bets that have not begun.

It is sound for any rule that looks at the past alone. If h is the truth then, given the past, a bet's likelihood ratio
is a nonnegative supermartingale whatever is asked, from its beginning on and constant before; and neither the answers
nor the questions depend on the draws. Hence so is the mean over all bets, and that over independent bets on all sides.

To begin changes no mean: a bet that has just begun has won nothing yet. A group counts the stars from its beginning on.
It has not paid for the search before, but ln(1/share) nats for its moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from activepu.zcal.rates import Floats
from activepu.zcal.tuning import TUNING

Counts = NDArray[np.intp]
Law = tuple[Floats, Floats]
"""Places, and the share of the bets that cut before each; in between it is linear."""


@dataclass(frozen=True, eq=False)
class RestartedBets:
    """A group has a `share`, counts the stars from the number `born` on, and has its law; `waiting` have not begun."""

    waiting: float
    share: Floats
    born: Counts
    laws: tuple[Law, ...]
    asked: int = 0
    """Questions since a group has begun."""

    @classmethod
    def at_once(cls, share: float) -> RestartedBets:
        """Before the first answer: this share cuts at a uniform place."""
        whole = np.array([0.0, 1.0])
        return cls(1.0 - share, np.array([share]), np.zeros(1, np.intp), ((whole, whole),))

    def anew(self, need: Floats, weight: float, number: int) -> RestartedBets:
        """One more question about this side, whose star would have this number; perhaps some begin with it.

        `need` is that of the closure and of the stars beyond it, and `weight` what a silence counts, in nats.
        """
        asked, more = self.asked + 1, TUNING.restart * self.waiting
        if asked * weight < TUNING.restart_after or more < TUNING.restart_least:
            return replace(self, asked=asked)
        alive = np.flatnonzero(self.below(need[:1])[:, 0] < self.share)
        laws = (*(self.laws[group] for group in alive), _suggested(need, weight))
        return RestartedBets(
            self.waiting - more, np.append(self.share[alive], more), np.append(self.born[alive], number), laws
        )

    def below(self, need: Floats) -> Floats:
        """(groups, …): the bets that cut a side off that reaches so far."""
        return np.stack([share * np.interp(need, *law) for share, law in zip(self.share, self.laws, strict=True)])

    def up_to(self, need: Floats) -> Floats:
        """The same of needs that grow: rounding must not make a law fall."""
        return np.asarray(np.maximum.accumulate(self.below(need), axis=1))

    def spared(self, below: Floats) -> Floats:
        """All the others, from the last."""
        return np.asarray(self.waiting + np.maximum(self.share - below.T, 0.0).sum(axis=-1).T)

    def counted(self, numbers: Counts) -> Counts:
        """(groups, 0 … stars): how many of the first so many stars each group counts."""
        counted = np.zeros((len(self.share), len(numbers) + 1), np.intp)
        np.cumsum(numbers >= self.born[:, None], axis=1, out=counted[:, 1:])
        return counted


def _suggested(need: Floats, weight: float) -> Law:
    ends = np.append(need, 1.0)
    with np.errstate(divide="ignore"):
        mass = np.log(np.diff(ends)) - weight * np.arange(len(need))
    mass = np.exp(mass - mass.max())
    return ends, np.append(0.0, np.minimum(np.cumsum(mass) / mass.sum(), 1.0))
