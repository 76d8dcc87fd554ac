"""The bets on one side of a hypothesis h of a box-like class, and how they are restarted.

A bet cuts the side off at some place v, if h reaches further, or leaves it as it is. A bet that begins with the first
answer must find a good place without any information. But a bet may also *begin* later. Until then it leaves the side
as it is: it predicts the answers as h itself does, and neither wins nor loses. When it begins it draws its place, and
the law of this place may depend on the answers so far. So a side has

    a share w of bets that begin at once, with uniform places;
    groups that begin when a question beyond this side alone is asked, before it is answered: each time a share of
    the bets that have not begun (`Tuning.restart`), with places from the law that the answers about this side suggest,

        density ∝ (1 − ω)^{number of stars that a side of this reach holds},   beyond the closure;

    and the bets that have not begun.

This is valid for any rule that uses the past alone. Suppose that h is the truth. Given the past, the likelihood ratio
of a bet is constant before the bet begins, and a nonnegative supermartingale from then on, whatever is asked. Neither
the answers nor the questions depend on the draws. Hence the mean over all bets is a nonnegative supermartingale too,
and so is the mean over independent bets on all sides.

Beginning does not change a mean, because a bet that has just begun has won nothing yet. A group counts the stars from
its beginning on. It has not paid for the search before; it has paid ln(1/share) nats for the choice of its moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from activepu.zcal.rates import Floats
from activepu.zcal.tuning import TUNING

Counts = NDArray[np.intp]
Law = tuple[Floats, Floats]
"""Places, and the share of the bets that cut before each; linear in between."""


@dataclass(frozen=True, eq=False)
class RestartedBets:
    """Each group has a `share`, counts the stars from number `born` on, and has a law; `waiting` have not begun."""

    waiting: float
    share: Floats
    born: Counts
    laws: tuple[Law, ...]
    asked: int = 0
    """The number of questions about this side since a group last began."""

    @classmethod
    def at_once(cls, share: float) -> RestartedBets:
        """Return the bets before the first answer: this share cuts at a uniform place."""
        whole = np.array([0.0, 1.0])
        return cls(1.0 - share, np.array([share]), np.zeros(1, np.intp), ((whole, whole),))

    def restarted(self, need: Floats, weight: float, number: int) -> RestartedBets:
        """Return the bets when one more question about this side is asked; perhaps some of them begin.

        `need` are the needs of the closure and of the stars beyond it, `weight` is what a silence counts, in nats, and
        `number` is the number that the star would have.
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
        """Return (groups, …): the share of bets that cut off a side with this reach."""
        return np.stack([share * np.interp(need, *law) for share, law in zip(self.share, self.laws, strict=True)])

    def up_to(self, need: Floats) -> Floats:
        """Return `below` for growing needs; rounding must not make a law fall."""
        return np.asarray(np.maximum.accumulate(self.below(need), axis=1))

    def spared(self, below: Floats) -> Floats:
        """Return the share of all other bets: those that cut further out, and those that have not begun."""
        return np.asarray(self.waiting + np.maximum(self.share - below.T, 0.0).sum(axis=-1).T)

    def counted(self, numbers: Counts) -> Counts:
        """Return (groups, 0 … stars): how many of the first 0, 1, … stars each group counts."""
        counted = np.zeros((len(self.share), len(numbers) + 1), np.intp)
        np.cumsum(numbers >= self.born[:, None], axis=1, out=counted[:, 1:])
        return counted


def _suggested(need: Floats, weight: float) -> Law:
    ends = np.append(need, 1.0)
    with np.errstate(divide="ignore"):
        mass = np.log(np.diff(ends)) - weight * np.arange(len(need))
    mass = np.exp(mass - mass.max())
    return ends, np.append(0.0, np.minimum(np.cumsum(mass) / mass.sum(), 1.0))
