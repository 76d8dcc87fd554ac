"""The default: the surest positive and the most valuable answer, by turns."""

from __future__ import annotations

import numpy as np

from activepu.models.strategies.base import Strategy, Vector, View
from activepu.models.strategies.value_of_information import worth


class Auto(Strategy):
    """Ask the surest positive and the item whose answer is worth most, by turns: the default, `strategy="auto"`.

    Two orders of the candidates are merged: by P(y = 1 | x), which finds positives, and by the value of information,
    which learns where they end. Below p = 1/2 both orders are the same, so that where positives are rare this is a
    search for positives that also checks the doubtful ones among the sure. What the model thinks of the share of
    positives is not used: with few reveals it may be off by ten times either way.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 0.8, 0.9])
    >>> view = apu.strategies.View(p, p[None, :], rate=0.5, ties=np.zeros(4))
    >>> apu.strategies.Auto().utility(view).round(2).tolist()
    [0.17, 0.5, 0.33, 1.0]

    See Also
    --------
    activepu.strategies.LikelyPositive : The first of the two orders alone.
    activepu.strategies.ValueOfInformation : The second.
    """

    name = "auto"

    def utility(self, view: View) -> Vector:
        """1 for the first of the merged order, 1/2 for the second, 1/3 for the third."""
        surest, most_telling = (_places(v, view.ties) for v in (view.probability, worth(view.probability, view.rate)))
        return np.asarray(1.0 / (1.0 + np.minimum(2 * surest, 2 * most_telling + 1)))


def _places(values: Vector, ties: Vector) -> Vector:
    """The place of each in the order from the largest on, from 0."""
    places = np.empty(len(values))
    places[np.lexsort((ties, -values))] = np.arange(len(values))
    return places
