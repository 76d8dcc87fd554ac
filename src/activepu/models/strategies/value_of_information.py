"""Information through the channel: how much less one is expected to err on an item, for each answer that it takes.

Call x positive if p(x) = P(y = 1 | x) is at least ½; then min(p, 1 − p) is the chance that this is wrong. A reveal
comes with probability ω·p, and after it nothing is wrong. A star leaves

    P(y = 1, ★) = (1 − ω)·p,      P(y = 0, ★) = 1 − p,

and the smaller of the two is what is wrong then. So the answer is worth, in expectation,

    min(p, 1 − p) − min((1 − ω)·p, 1 − p) = max(0, ω·p − max(0, 2p − 1)),

the value of information (Howard 1966) for one decision. Below ½ it is ω·p, the chance of a reveal, which changes the
mind. Above 1 / (2 − ω) it is nothing: a reveal only confirms, and one star is not enough. Several are: of m items alike
one is revealed with probability 1 − (1 − ω)^m if they are positive, so that

    worth = max_m (p·(1 − (1 − ω)^m) − max(0, 2p − 1)) / m

is what an answer is worth at the best m (Frazier and Powell 2010, who mend in this way that what one answer does not
change seems worth nothing). At ω = 1 it is min(p, 1 − p), and the order is that of margin sampling. The more the
channel hides, the more answers it takes to doubt a positive, and if ω < 1 then of two items as close to ½ the one taken
for a negative comes first.

It is a stand-in for what is wanted, fewer errors on all rows: what an answer tells about other rows and about ω is not
counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu.models.strategies.base import Strategy, Vector, View

LEAST = 1e-4
"""With m stars no positive is left but for this share; nothing counts as surer than that."""
BLOCKS = 60
"""So many m are tried."""


def worth(probability: Any, rate: float) -> Vector:
    """By how much each answer lowers the chance to be wrong about such an item."""
    p = np.minimum(probability, 1.0 - 2.0 * LEAST)
    doubt = np.maximum(0.0, 2.0 * p - 1.0)
    best = rate * p - doubt
    if rate < 1.0 - LEAST:
        longest = np.log(LEAST) / np.log1p(-rate)
        for m in np.unique(np.ceil(np.geomspace(1.0, longest, BLOCKS)))[1:]:
            best = np.maximum(best, (p * -np.expm1(m * np.log1p(-rate)) - doubt) / m)
    return np.asarray(best)


class Information(Strategy):
    """The default."""

    name = "information"

    def utility(self, view: View) -> Vector:
        """Largest at p = 1/2, and larger below than above it unless every positive is revealed."""
        return worth(view.probability, view.rate)
