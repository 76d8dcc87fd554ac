"""Which item to ask, by the opinion of a model: one method a file."""

from __future__ import annotations

from activepu.errors import InvalidInput
from activepu.strategies.base import Strategy, View
from activepu.strategies.committee import QueryByCommittee
from activepu.strategies.entropy import Entropy
from activepu.strategies.information import Information
from activepu.strategies.least_confidence import LeastConfidence
from activepu.strategies.likely_positive import LikelyPositive
from activepu.strategies.margin import Margin
from activepu.strategies.random import Random
from activepu.strategies.spread import spread

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
