"""Which item to ask, by the opinion of a model: one method a file."""

from __future__ import annotations

from activepu.errors import InvalidInput
from activepu.models.strategies.base import Strategy, View
from activepu.models.strategies.committee import QueryByCommittee
from activepu.models.strategies.entropy import Entropy
from activepu.models.strategies.least_confidence import LeastConfidence
from activepu.models.strategies.likely_positive import LikelyPositive
from activepu.models.strategies.margin import Margin
from activepu.models.strategies.random import Random
from activepu.models.strategies.spread import spread
from activepu.models.strategies.value_of_information import Information

BY_NAME: dict[str, type[Strategy]] = {
    cls.name: cls for cls in (Information, Margin, Entropy, LeastConfidence, QueryByCommittee, LikelyPositive, Random)
}


def strategy(chosen: str | Strategy) -> Strategy:
    """The strategy of this name, or the object itself."""
    if isinstance(chosen, Strategy):
        return chosen
    if not isinstance(chosen, str) or chosen not in BY_NAME:
        raise InvalidInput(f"strategy must be one of {', '.join(map(repr, BY_NAME))}, got {chosen!r}.")
    return BY_NAME[chosen]()


__all__ = [
    "BY_NAME",
    "Entropy",
    "Information",
    "LeastConfidence",
    "LikelyPositive",
    "Margin",
    "QueryByCommittee",
    "Random",
    "Strategy",
    "View",
    "spread",
    "strategy",
]
