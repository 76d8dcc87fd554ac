"""Read on, or draw by lot? How deep to read by rank before the lot, so that the questions in all are fewest.

Reading the likeliest items first finds most, and proves nothing about the rest. The lot proves it. If d more items
are read by rank, then of the M − d that are left a share f must be drawn, where (with h confirmable items among them,
R = f·h of these found by the lot, and m the number that may be missing in the end)

    (a − h) ln 1/(1 − f) + ln C(h, R) − ln C(a, R) ≥ nats,        a = R + m + 1:

the draws must tell h from the smallest a that breaks the target. For h = 0 this is the floor f = 1 − δ^{1/(m+1)}.
The depth with the least d + f·(M − d) is chosen from the expected reveals. It is no more than a plan: every bound holds
for every choice, and the plan is made again after each answer.

What a model says about items that nobody has read is far too high or too low, so the plan does not look at it. It
looks at how fast the reveals have become rare: `Decay`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

SHARES = 1 - np.geomspace(1.0, 1e-3, 60)
"""The shares f that are tried."""
DEPTHS = 40
"""How many depths are tried."""
SPANS, SHORTEST, LONGEST = 12, 0.01, 0.5
"""How many spans τ are tried, and the shortest and the longest of them, as shares of the items."""
FAVOUR = 1.0
"""The prior probability of a span is proportional to this power of 1/τ."""
FIRST = 20
"""The decay is read from the later half of the answers, or from so many if these are more."""
UNSEEN = 0.05
"""Before the first draw of the lot, this share of the items is taken as drawn, with so many reveals: one is hidden."""

Floats = NDArray[np.float64]


def floor(delta: float, misses: float) -> float:
    """Return the share of the rest that must be drawn by lot at least, if so many misses are allowed.

    With `misses` + 1 confirmable items left, so many draws are all silent with probability δ.

    Examples
    --------
    >>> from activepu.audit.depth import floor
    >>> round(floor(0.1, 3), 2)
    0.44
    """
    return float(1 - delta ** (1 / (math.floor(misses) + 1)))


class Decay:
    """How many more reveals reading by rank will bring, if their rate falls exponentially: ρ e^{−d/τ} after d more.

    τ has a uniform prior on a logarithmic scale, ρ a Gamma prior of shape ½ and weight 1; the expectations are averages
    over both. After the counting processes of Sneyd and Stevenson, "Modelling stopping criteria for search results
    using Poisson processes", 2019.

    Parameters
    ----------
    items : int
        How many items there are to rank.
    """

    def __init__(self, items: int) -> None:
        self._spans = np.geomspace(max(2.0, SHORTEST * items), max(4.0, LONGEST * items), SPANS)
        self._answers: list[bool] = []

    def note(self, revealed: bool) -> None:
        """Take in the answer to the next item of the ranking."""
        self._answers.append(revealed)

    def after(self, depths: Floats, left: float) -> tuple[Floats, Floats]:
        """Return how many reveals to expect below each depth for every span τ, and the probability of each τ."""
        weights, rates = self._fit()
        share = np.exp(-depths / self._spans[:, None]) - np.exp(-left / self._spans[:, None])
        return (rates * self._spans)[:, None] * share, weights

    def _fit(self) -> tuple[Floats, Floats]:
        """Return the probability of every span, and the rate ρ that goes with it."""
        recent = self._answers[-max(FIRST, len(self._answers) // 2) :]
        ago = np.arange(len(recent), 0.0, -1.0)
        came = np.array(recent, bool)
        effort = 1 + np.exp(ago[None, :] / self._spans[:, None]).sum(axis=1)
        count = 0.5 + came.sum()
        fits = ago[came].sum() / self._spans - count * np.log(effort) - FAVOUR * np.log(self._spans)
        return np.exp(fits - logsumexp(fits)), count / effort


def cheapest_depth(
    hidden: Floats, weights: Floats, depths: Floats, left: int, in_hand: float, recall: float, nats: float
) -> int:
    """Return how many items to read by rank before the lot, for the fewest questions on average.

    Parameters
    ----------
    hidden : array, shape (cases, depths)
        How many confirmable items will be hidden at each depth, in every case.
    weights : array
        The probabilities of the cases.
    depths : array
        The depths that are tried; the first is 0.
    left : int
        How many items have not been asked.
    in_hand : float
        How many were found so far.
    recall : float
        The share of all confirmable items that must be found.
    nats : float
        The evidence that is still needed.
    """
    misses = (1 - recall) / recall * (in_hand + hidden[:, :1] - hidden)
    drawn = weights @ shares_to_draw(nats, hidden.ravel(), misses.ravel()).reshape(hidden.shape)
    return int(depths[np.argmin(depths + drawn * (left - depths))])


def shares_to_draw(nats: float, hidden: Floats, misses: Floats) -> Floats:
    """Return f for each expected number of hidden items and of misses that are allowed: 1 where less will not do."""
    h, f = hidden[:, None], SHARES[None, :]
    R = f * h
    a = R + misses[:, None] + 1
    gained = (a - h) * -np.log1p(-f) + _log_choose(h, R) - _log_choose(a, R)
    enough = (gained >= nats) & (a > h)
    return np.where(enough.any(axis=1), SHARES[enough.argmax(axis=1)], 1.0)


def _log_choose(n: Floats, k: Floats) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def tried_depths(left: int) -> Floats:
    """Return the depths that a plan tries: none, and more on a logarithmic scale."""
    return np.unique(np.append(0.0, np.round(np.geomspace(1, max(left, 1), DEPTHS))))
