"""Rivals: members that still stand although they are too far from what would be returned (`rivals.base`)."""

from activepu.learners.rivals.base import Floats, Rivals
from activepu.learners.rivals.coupled import CoupledRivals
from activepu.learners.rivals.grown import Grown, Reference, stretched
from activepu.learners.rivals.likely import Answers, ClosedRivals, MemberRivals
from activepu.learners.rivals.sided import SideRivals

__all__ = [
    "Answers",
    "ClosedRivals",
    "CoupledRivals",
    "Floats",
    "Grown",
    "MemberRivals",
    "Reference",
    "Rivals",
    "SideRivals",
    "stretched",
]
