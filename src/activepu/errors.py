"""What can go wrong. Every message is one sentence or two: what is wrong, the value that was got, what to do next."""


class ActivePUError(Exception):
    """Base of every error that activepu raises on purpose."""


class InvalidInput(ActivePUError, ValueError):
    """An argument, a file or an answer is not what it must be."""


class AssumptionsViolated(ActivePUError):
    """No hypothesis is left: the class cannot be right, an answer was wrong, or the delta-event happened."""


class PoolTooSmall(ActivePUError, ValueError):
    """The pool cannot certify the epsilon that was asked for; raised before the first question."""


class PoolExhausted(ActivePUError):
    """An algorithm needs more fresh rows than the pool has left."""


class BudgetRefused(ActivePUError, ValueError):
    """The printed algorithm would ask more questions than the caller allows."""


class ModelFailed(ActivePUError):
    """A classifier raised in a run. `answers` holds for every answered item whether it was revealed."""

    def __init__(self, message: str, answers: dict[int, bool]) -> None:
        super().__init__(message)
        self.answers = answers


class StorageFailed(ActivePUError):
    """The database did not take or give something: busy, full, read-only or gone. Nothing is lost; try again."""


class AnswerRefused(InvalidInput):
    """An answer to a question that is not open for it: somebody else's, answered, taken back or unknown."""


class StudyDiffers(InvalidInput):
    """The pool, the learner, the seed or the schema is not the one that the study was made with."""
