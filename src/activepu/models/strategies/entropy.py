"""Entropy sampling: the item whose label is most uncertain, in bits (Settles 2009, after Shannon 1948)."""

from __future__ import annotations

from activepu import channel
from activepu.models.strategies.base import Strategy, Vector, View


class Entropy(Strategy):
    """H_b(p): of the label, not of the answer. For two classes the order is that of margin sampling."""

    name = "entropy"

    def utility(self, view: View) -> Vector:
        """Largest where p = 1/2."""
        return channel.entropy(view.probability)
