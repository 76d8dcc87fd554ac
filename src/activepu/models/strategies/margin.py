"""Margin sampling: the item whose two classes are closest in probability (Scheffer, Decomain and Wrobel 2001)."""

from __future__ import annotations

from activepu.models.strategies.base import Strategy, Vector, View


class Margin(Strategy):
    """1 − |P(y = 1 | x) − P(y = 0 | x)|. For two classes the order is that of entropy and of least confidence."""

    name = "margin"

    def utility(self, view: View) -> Vector:
        """Largest where p = 1/2."""
        return 1.0 - abs(2.0 * view.probability - 1.0)
