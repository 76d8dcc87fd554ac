"""Learners: which item to ask next, and what follows from the answers."""

from activepu.learners.base import Learner
from activepu.learners.cal import Cal
from activepu.learners.known_prior import KnownPrior
from activepu.learners.passive import PassivePU
from activepu.learners.reveal_rate import RevealRate
from activepu.learners.unknown_prior import UnknownPrior

__all__ = [
    "Cal",
    "KnownPrior",
    "Learner",
    "PassivePU",
    "RevealRate",
    "UnknownPrior",
]
