"""Hypothesis classes: which rules are considered."""

from typing import Any

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.closed import ClosedClass, Closure
from activepu.hypotheses.conjunctions import Conjunctions
from activepu.hypotheses.finite import FiniteClass
from activepu.hypotheses.halfspaces import Halfspaces
from activepu.hypotheses.intervals import Intervals
from activepu.hypotheses.orthants import Orthants
from activepu.hypotheses.thresholds import Thresholds

BY_NAME: dict[str, type[HypothesisClass]] = {
    cls.name: cls for cls in (Thresholds, Intervals, Boxes, Orthants, Conjunctions, Halfspaces)
}
"""The classes that a name alone describes."""


def from_dict(data: dict[str, Any]) -> HypothesisClass:
    """The bound class that `HypothesisClass.to_dict` described."""
    name = data["class"]
    if name not in BY_NAME or data.get("code"):
        raise InvalidInput(
            f"The class '{name}' holds code that JSON cannot; pass it again as load_result(path, hypotheses=…)."
        )
    settings = {key: data[key] for key in ("signs", "score", "above") if key in data}
    return BY_NAME[name](**settings).bind(data["dim"], data["names"])


__all__ = [
    "BY_NAME",
    "Boxes",
    "ClosedClass",
    "Closure",
    "Conjunctions",
    "FiniteClass",
    "Halfspaces",
    "Hypothesis",
    "HypothesisClass",
    "Intervals",
    "Orthants",
    "Points",
    "Thresholds",
    "from_dict",
]
