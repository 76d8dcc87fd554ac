"""Rivals: members that still stand although they are too far from what would be returned (`rivals.base`)."""

from activepu.zcal.rivals.base import Floats, Rivals
from activepu.zcal.rivals.grown import Grown, Reference, stretched
from activepu.zcal.rivals.known_rate import KnownRateRivals
from activepu.zcal.rivals.likely import Answers, ClosureRivals, MemberRivals
from activepu.zcal.rivals.unknown_rate import UnknownRateRivals

__all__ = [
    "Answers",
    "ClosureRivals",
    "Floats",
    "Grown",
    "KnownRateRivals",
    "MemberRivals",
    "Reference",
    "Rivals",
    "UnknownRateRivals",
    "stretched",
]
