"""Query by committee: the item about which the members disagree most (Seung, Opper and Sompolinsky 1992).

Disagreement is the entropy of the votes (Dagan and Engelson 1995).
"""

from __future__ import annotations

from activepu import channel
from activepu.models.strategies.base import Strategy, Vector, View


class QueryByCommittee(Strategy):
    """Ask where the members disagree most: the entropy of their votes, in bits.

    A member votes for a positive if it gives it a probability of at least 1/2.

    Examples
    --------
    The members agree about the first item and are divided about the second:

    >>> import numpy as np
    >>> import activepu as apu
    >>> members = np.array([[0.9, 0.9], [0.8, 0.2]])
    >>> view = apu.strategies.View(members.mean(axis=0), members, rate=0.5, ties=np.zeros(2))
    >>> apu.strategies.QueryByCommittee().utility(view).tolist()
    [0.0, 1.0]

    References
    ----------
    H. S. Seung, M. Opper and H. Sompolinsky (1992), Query by committee, COLT.
    I. Dagan and S. P. Engelson (1995), Committee-based sampling for training probabilistic classifiers, ICML.
    """

    name = "committee"

    def utility(self, view: View) -> Vector:
        """Largest where half of the members vote for a positive."""
        return channel.entropy((view.members >= 0.5).mean(axis=0))
