"""Margin sampling: the item whose two classes are closest in probability (Scheffer, Decomain and Wrobel 2001)."""

from __future__ import annotations

from activepu.models.strategies.base import Strategy, Vector, View


class Margin(Strategy):
    """Ask where the two classes are closest: 1 − |P(y = 1 | x) − P(y = 0 | x)|.

    For two classes the order is that of entropy and of least confidence.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.25, 0.5, 1.0])
    >>> view = apu.strategies.View(p, p[None, :], rate=0.5, ties=np.zeros(3))
    >>> apu.strategies.Margin().utility(view).tolist()
    [0.5, 1.0, 0.0]

    References
    ----------
    T. Scheffer, C. Decomain and S. Wrobel (2001), Active hidden Markov models for information extraction, IDA.
    """

    name = "margin"

    def utility(self, view: View) -> Vector:
        """Largest where p = 1/2."""
        return 1.0 - abs(2.0 * view.probability - 1.0)
