"""Experts, who answer the questions: a simulation or a function; anything with `answer(items, rows)` will do."""

from activepu.experts.base import SKIP, TIMEOUT, Expert, Live, Skip, Timeout, checked_answers
from activepu.experts.callback import CallbackExpert
from activepu.experts.simulated import SimulatedExpert, binary

__all__ = [
    "SKIP",
    "TIMEOUT",
    "CallbackExpert",
    "Expert",
    "Live",
    "SimulatedExpert",
    "Skip",
    "Timeout",
    "binary",
    "checked_answers",
]
