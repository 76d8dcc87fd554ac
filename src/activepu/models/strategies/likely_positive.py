"""Most likely positive: relevance feedback, greedy search for positives (Rocchio 1971; certainty sampling of Lewis and
Gale 1994). It finds many positives and learns little about where they end.
"""

from __future__ import annotations

from activepu.models.strategies.base import Strategy, Vector, View


class LikelyPositive(Strategy):
    """P(y = 1 | x)."""

    name = "likely positive"

    def utility(self, view: View) -> Vector:
        """Largest for the surest positive."""
        return view.probability
