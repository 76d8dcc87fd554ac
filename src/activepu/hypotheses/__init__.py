"""Hypothesis classes: which rules are considered."""

from typing import Any

from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points, read_hypothesis
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.boxlike import Box, BoxLike
from activepu.hypotheses.classifiers import AuditedClassifier, Classifiers
from activepu.hypotheses.closed import ClosedClass, Closure
from activepu.hypotheses.conjunctions import Conjunctions
from activepu.hypotheses.finite import FiniteClass
from activepu.hypotheses.halfspaces import Halfspaces
from activepu.hypotheses.intervals import Intervals
from activepu.hypotheses.orthants import Orthants
from activepu.hypotheses.registration import Registration, register, registration
from activepu.hypotheses.thresholds import Thresholds

BY_NAME: dict[str, type[HypothesisClass]] = {
    cls.name: cls for cls in (Thresholds, Intervals, Boxes, Orthants, Conjunctions, Halfspaces)
}
"""The classes that a name alone describes."""


def from_dict(data: dict[str, Any]) -> HypothesisClass:
    """Return the bound class that `HypothesisClass.to_dict` described.

    Only the library's own classes are found, and only if they hold no code: no name in a file is ever imported.

    Parameters
    ----------
    data : dict
        What `HypothesisClass.to_dict` returned.

    Raises
    ------
    InvalidInput
        If the class holds code, such as a finite class or a threshold on a model, or is not the library's.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.hypotheses import from_dict
    >>> from_dict(apu.Boxes(dim=2).to_dict())
    Boxes(dim=2)
    """
    if data["class"] == Classifiers.name:
        return Classifiers()
    cls = BY_NAME.get(data["class"], HypothesisClass)
    made: HypothesisClass = registration(cls).from_dict(cls, data)
    return made


__all__ = [
    "BY_NAME",
    "AuditedClassifier",
    "Box",
    "BoxLike",
    "Boxes",
    "Classifiers",
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
    "Registration",
    "Thresholds",
    "from_dict",
    "read_hypothesis",
    "register",
    "registration",
]
