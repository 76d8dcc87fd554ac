"""Who answers: a simulation or a function; anything with `answer(items, rows)` will do."""

from activepu.experts.base import Expert, checked_answers
from activepu.experts.callback import CallbackExpert
from activepu.experts.simulated import SimulatedExpert, binary

__all__ = ["CallbackExpert", "Expert", "SimulatedExpert", "binary", "checked_answers"]
