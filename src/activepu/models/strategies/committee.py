"""Query by committee: the item about which the members disagree most (Seung, Opper and Sompolinsky 1992).

Disagreement is the entropy of the votes (Dagan and Engelson 1995).
"""

from __future__ import annotations

from activepu import channel
from activepu.models.strategies.base import Strategy, Vector, View


class QueryByCommittee(Strategy):
    """The vote entropy of the members."""

    name = "committee"

    def utility(self, view: View) -> Vector:
        """Largest where half of the members vote for a positive."""
        return channel.entropy((view.members >= 0.5).mean(axis=0))
