"""Least confidence: the item whose likeliest class is least likely (Lewis and Gale 1994)."""

from __future__ import annotations

import numpy as np

from activepu.models.strategies.base import Strategy, Vector, View


class LeastConfidence(Strategy):
    """1 − max(p, 1 − p). For two classes the order is that of margin sampling."""

    name = "least confidence"

    def utility(self, view: View) -> Vector:
        """Largest where p = 1/2."""
        return np.minimum(view.probability, 1.0 - view.probability)
