"""The default: the row most like the known positives and the most valuable answer, by turns."""

from __future__ import annotations

import numpy as np

from activepu.models.strategies.base import Strategy, Vector, View
from activepu.models.strategies.value_of_information import worth

COMMON, REVEALS = 0.25, 15
"""Positives are common if the model, of so many reveals at least, expects this share of them among the candidates."""


class Auto(Strategy):
    """Ask for positives, and for what is worth most to know, by turns: the default, `strategy="auto"`.

    Two orders of the candidates are merged. By `likeness`: most like the known positives and unlike all other rows,
    asked or not. It finds positives where they are rare. And by the value of information, which learns where they end.
    Once 15 were revealed and the model expects a quarter of the candidates to be positive or more, only the second is
    used. With fewer reveals that share may be ten times too high, and is not looked at. Without `likeness`
    P(y = 1 | x) takes its place.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> p = np.array([0.1, 0.5, 0.8, 0.9])
    >>> view = apu.strategies.View(p, p[None, :], rate=0.5, ties=np.zeros(4))
    >>> apu.strategies.Auto().utility(view).round(2).tolist()
    [0.25, 0.5, 0.33, 1.0]

    See Also
    --------
    activepu.strategies.LikelyPositive : The surest positive by the model of the answers alone.
    activepu.strategies.ValueOfInformation : The second.
    """

    name = "auto"
    needs_likeness = True

    def utility(self, view: View) -> Vector:
        """1 for the first of the merged order, 1/2 for the second, 1/3 for the third; or the worth alone."""
        if view.answers[view.given :].sum() >= REVEALS and view.probability.mean() >= COMMON:
            return worth(view.probability, view.rate)
        alike = view.likeness if len(view.likeness) else view.probability
        surest, most_telling = (_places(v, view.ties) for v in (alike, worth(view.probability, view.rate)))
        return np.asarray(1.0 / (1.0 + np.minimum(2 * surest, 2 * most_telling + 1)))


def _places(values: Vector, ties: Vector) -> Vector:
    """The place of each in the order from the largest on, from 0."""
    places = np.empty(len(values))
    places[np.lexsort((ties, -values))] = np.arange(len(values))
    return places
