"""Random asking: passive learning, the yardstick."""

from __future__ import annotations

from activepu.models.strategies.base import Strategy, Vector, View


class Random(Strategy):
    """Ask at random: passive learning, the yardstick for all others.

    No model is fitted to choose a question.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p, ties = np.array([0.1, 0.9]), np.array([0.75, 0.25])
    >>> apu.strategies.Random().utility(apu.strategies.View(p, p[None, :], rate=0.5, ties=ties)).tolist()
    [0.75, 0.25]
    """

    name = "random"
    needs_model = False

    def utility(self, view: View) -> Vector:
        """The random numbers themselves."""
        return view.ties
