"""The value of information through the channel: by how much an answer is expected to lower the error of its item.

Call x positive if p(x) = P(y = 1 | x) is at least ½; then min(p, 1 − p) is the chance that this is wrong. A reveal
comes with probability ω·p, and after it nothing is wrong. A star leaves

    P(y = 1, ★) = (1 − ω)·p,      P(y = 0, ★) = 1 − p,

and the smaller of the two is what is wrong then. So the answer is worth, in expectation,

    min(p, 1 − p) − min((1 − ω)·p, 1 − p) = max(0, ω·p − max(0, 2p − 1)),

the value of information (Howard 1966) for one decision. Below ½ it is ω·p, the chance of a reveal, which changes the
decision. Above 1 / (2 − ω) it is nothing: a reveal only confirms, and one star is not enough. Several stars are: of m
items alike at least one is revealed with probability 1 − (1 − ω)^m if they are positive, so that

    worth = max_m (p·(1 − (1 − ω)^m) − max(0, 2p − 1)) / m

is what each answer is worth at the best m (after Frazier and Powell 2010: one answer may seem worth nothing where
several together change the decision). At ω = 1 it is min(p, 1 − p), and the order is that of margin sampling. The more
the channel hides, the more answers it takes to doubt a positive; if ω < 1, then of two items as close to ½ the one
called negative comes first.

The aim is fewer errors on all rows, and this is only a substitute for it: what an answer tells about other rows and
about ω is not counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu.models.strategies.base import Strategy, Vector, View

LEAST = 1e-4
"""The largest m leaves this share of the positives silent; no p counts as surer than that."""
BLOCKS = 60
"""How many values of m are tried."""


def worth(probability: Any, rate: float) -> Vector:
    """By how much each answer lowers the chance to be wrong about an item that is positive with this probability."""
    p = np.minimum(probability, 1.0 - 2.0 * LEAST)
    doubt = np.maximum(0.0, 2.0 * p - 1.0)
    best = rate * p - doubt
    if rate < 1.0 - LEAST:
        longest = np.log(LEAST) / np.log1p(-rate)
        for m in np.unique(np.ceil(np.geomspace(1.0, longest, BLOCKS)))[1:]:
            best = np.maximum(best, (p * -np.expm1(m * np.log1p(-rate)) - doubt) / m)
    return np.asarray(best)


class ValueOfInformation(Strategy):
    """Ask where an answer is expected to lower the error of the item most: `strategy="information"`.

    worth = max_m (p·(1 − (1 − ω)^m) − max(0, 2p − 1)) / m for an item that is positive with probability p: by how much
    each of the best number m of answers about such items lowers the chance to be wrong about one. It is largest near
    p = 1/2, and the lower ω is, the more it prefers items below 1/2 to those above: there a reveal only confirms, and
    one star seldom changes the decision. At ω = 1 the order is that of margin sampling. What an answer tells about
    other items is not counted. The derivation is at the head of the module.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 0.9])
    >>> for rate in (1.0, 0.2):
    ...     view = apu.strategies.View(p, p[None, :], rate, ties=np.zeros(3))
    ...     print(apu.strategies.ValueOfInformation().utility(view).round(3).tolist())
    [0.1, 0.5, 0.1]
    [0.02, 0.1, 0.005]

    References
    ----------
    R. A. Howard (1966), Information value theory, IEEE Transactions on Systems Science and Cybernetics 2.
    P. I. Frazier and W. B. Powell (2010), Paradoxes in learning and the marginal value of information, Decision
    Analysis 7.

    See Also
    --------
    activepu.channel.information : What an answer tells about the label, in bits.
    """

    name = "information"

    def utility(self, view: View) -> Vector:
        """Largest at p = 1/2, and larger below than above it unless every positive is revealed."""
        return worth(view.probability, view.rate)
