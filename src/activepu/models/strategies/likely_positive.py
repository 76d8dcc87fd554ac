"""Most likely positive: relevance feedback, greedy search for positives (Rocchio 1971; certainty sampling of Lewis and
Gale 1994).
"""

from __future__ import annotations

from activepu.models.strategies.base import Strategy, Vector, View


class LikelyPositive(Strategy):
    """Ask the surest positive first: P(y = 1 | x).

    It finds many positives and learns little about where they end. Use it if positives are what you want.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 0.75])
    >>> view = apu.strategies.View(p, p[None, :], rate=0.5, ties=np.zeros(3))
    >>> apu.strategies.LikelyPositive().utility(view).tolist()
    [0.1, 0.5, 0.75]

    References
    ----------
    J. J. Rocchio (1971), Relevance feedback in information retrieval, in: The SMART Retrieval System.
    D. D. Lewis and W. A. Gale (1994), A sequential algorithm for training text classifiers, SIGIR.
    """

    name = "likely positive"

    def utility(self, view: View) -> Vector:
        """Largest for the surest positive."""
        return view.probability
