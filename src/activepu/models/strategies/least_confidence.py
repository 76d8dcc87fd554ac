"""Least confidence: the item whose likeliest class is least likely (Lewis and Gale 1994)."""

from __future__ import annotations

import numpy as np

from activepu.models.strategies.base import Strategy, Vector, View


class LeastConfidence(Strategy):
    """Ask where the likelier class is least likely: 1 − max(p, 1 − p).

    For two classes the order is that of margin sampling.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 0.75])
    >>> view = apu.strategies.View(p, p[None, :], rate=0.5, ties=np.zeros(3))
    >>> apu.strategies.LeastConfidence().utility(view).tolist()
    [0.1, 0.5, 0.25]

    References
    ----------
    D. D. Lewis and W. A. Gale (1994), A sequential algorithm for training text classifiers, SIGIR.
    """

    name = "least confidence"

    def utility(self, view: View) -> Vector:
        """Largest where p = 1/2."""
        return np.minimum(view.probability, 1.0 - view.probability)
