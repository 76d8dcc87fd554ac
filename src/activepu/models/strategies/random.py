"""Random asking: passive learning, the yardstick."""

from __future__ import annotations

from activepu.models.strategies.base import Strategy, Vector, View


class Random(Strategy):
    """By lot."""

    name = "random"
    needs_model = False

    def utility(self, view: View) -> Vector:
        """The lot itself."""
        return view.ties
