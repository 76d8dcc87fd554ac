"""Which item to ask, by the opinion of a model: one method a file.

A strategy gives every candidate a number, and the largest is asked first; `spread` keeps items that are alike out of
one batch. `BY_NAME` holds the strategies that `ModelLearner(strategy=…)` knows by name; docs/extending.md shows how to
write another.
"""

from __future__ import annotations

from activepu.errors import InvalidInput
from activepu.models.strategies.auto import Auto
from activepu.models.strategies.base import Strategy, View
from activepu.models.strategies.committee import QueryByCommittee
from activepu.models.strategies.entropy import Entropy
from activepu.models.strategies.least_confidence import LeastConfidence
from activepu.models.strategies.likely_positive import LikelyPositive
from activepu.models.strategies.margin import Margin
from activepu.models.strategies.random import Random
from activepu.models.strategies.spread import spread
from activepu.models.strategies.value_of_information import ValueOfInformation

BY_NAME: dict[str, type[Strategy]] = {
    cls.name: cls
    for cls in (Auto, ValueOfInformation, Margin, Entropy, LeastConfidence, QueryByCommittee, LikelyPositive, Random)
}


def strategy(chosen: str | Strategy) -> Strategy:
    """Look up a strategy by its name; an object is returned as it is.

    Parameters
    ----------
    chosen : str or Strategy
        A name in `BY_NAME`, or a strategy.

    Returns
    -------
    Strategy

    Raises
    ------
    InvalidInput
        If there is no strategy of this name.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.strategies.strategy("margin")
    Margin()
    >>> sorted(apu.strategies.BY_NAME)
    ['auto', 'committee', 'entropy', 'information', 'least confidence', 'likely positive', 'margin', 'random']
    """
    if isinstance(chosen, Strategy):
        return chosen
    if not isinstance(chosen, str) or chosen not in BY_NAME:
        raise InvalidInput(f"strategy must be one of {', '.join(map(repr, BY_NAME))}, got {chosen!r}.")
    return BY_NAME[chosen]()


__all__ = [
    "BY_NAME",
    "Auto",
    "Entropy",
    "LeastConfidence",
    "LikelyPositive",
    "Margin",
    "QueryByCommittee",
    "Random",
    "Strategy",
    "ValueOfInformation",
    "View",
    "spread",
    "strategy",
]
