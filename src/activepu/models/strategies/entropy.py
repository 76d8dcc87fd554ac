"""Entropy sampling: the item whose label is most uncertain, in bits (Settles 2009, after Shannon 1948)."""

from __future__ import annotations

from activepu import channel
from activepu.models.strategies.base import Strategy, Vector, View


class Entropy(Strategy):
    """Ask where the label is most uncertain: H_b(p), in bits.

    It is the entropy of the label, not of the answer. For two classes the order is that of margin sampling.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 1.0])
    >>> view = apu.strategies.View(p, p[None, :], rate=0.5, ties=np.zeros(3))
    >>> apu.strategies.Entropy().utility(view).round(3).tolist()
    [0.469, 1.0, 0.0]

    References
    ----------
    B. Settles (2009), Active learning literature survey, University of Wisconsin–Madison.
    """

    name = "entropy"

    def utility(self, view: View) -> Vector:
        """Largest where p = 1/2."""
        return channel.entropy(view.probability)
