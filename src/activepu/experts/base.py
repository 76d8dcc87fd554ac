"""What an expert is, and the check of its answers."""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput


class Skip(Enum):
    """The type of `SKIP`, the answer of an expert who does not answer.

    The question goes back to the pool and counts as never asked: it costs no budget and may be asked again. A skip must
    not depend on what the item is. Where the guarantee rests on that, the certificate lists it as an assumption. An
    expert who looked and cannot tell does not skip: that answer is False (★).

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.05), np.arange(100.0))
    >>> [question] = run.ask()
    >>> run.tell(question, apu.SKIP)
    >>> run.result().n_queries
    0
    """

    SKIP = "skip"


SKIP = Skip.SKIP
"""Not answered: the question goes back to the pool. A skip must not depend on what the item is."""


class Timeout(Enum):
    """The type of `TIMEOUT`, which is told in place of an answer when the deadline of a question has passed.

    An expert who was shown an item and is silent for long may still be thinking: where a yes takes longer than a "can't
    tell", waiting on for an answer, or asking somebody else, would prefer one of the two. So the question ends without
    one, and its item is never asked again. It is no evidence. If a yes comes after all, tell it: the item is
    then known to be positive, as if it had been given beforehand, and counts nowhere else.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.05), np.arange(100.0))
    >>> [question] = run.ask()
    >>> run.tell(question, apu.TIMEOUT)
    >>> run.result().n_queries
    0
    >>> run.tell(question, True)
    >>> question.late, question.item in run.result().items("positive")
    (True, True)
    """

    TIMEOUT = "timeout"


TIMEOUT = Timeout.TIMEOUT
"""No answer before the deadline: the question is over, and its item is never asked again."""


class Live:
    """Base of the experts here: scikit-learn cannot split an expert into folds, and the error says why."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise InvalidInput(
            "An expert cannot be split into folds: every fold and every setting of a search would ask again. Ask "
            "once, with fit(X, expert), then search with the answers: y = 1 revealed, 0 can't tell, -1 not asked."
        )


@runtime_checkable
class Expert(Protocol):
    """Anything with a method `answer(items, rows)`; no base class is needed.

    The certificates assume that an item that is revealed is truly positive, and mostly that every positive is revealed
    with the same probability ω, independently of all others. Silence (★) may mean anything. Ask the same expert about
    an item once: equal rows share one answer.

    See Also
    --------
    CallbackExpert : An expert that is a function.
    SimulatedExpert : An expert who knows the truth, for simulations.

    Examples
    --------
    An expert who looks items up in a list of confirmed cases:

    >>> import numpy as np
    >>> import activepu as apu
    >>> class CaseFile:
    ...     def __init__(self, confirmed):
    ...         self.confirmed = confirmed
    ...
    ...     def answer(self, items, rows):
    ...         return [int(item) in self.confirmed for item in items]
    >>> isinstance(CaseFile({3}), apu.Expert)
    True
    >>> learner = apu.ZCal(apu.Thresholds(), epsilon=0.1, delta=0.05)
    >>> apu.learn(learner, np.arange(100.0), CaseFile({80, 90}), budget=20).n_queries
    20
    """

    def answer(self, items: NDArray[np.int64], rows: Any) -> Any:
        """Answer some questions.

        Parameters
        ----------
        items : array of int
            The row numbers of the items.
        rows : table
            What is shown of the items, one row each, in the kind of table that the pool was made of.

        Returns
        -------
        sequence
            One answer per item, in this order: True (revealed), False (★) or SKIP; or an array of 1, 0 and −1 (skip).
        """


def checked_answers(answers: Any, n: int) -> NDArray[np.int8]:
    """Return the answers to n questions as 1 (revealed), 0 (★), −1 (skip); refuse anything else."""
    if isinstance(answers, (list, tuple)):
        answers = [-1 if answer is SKIP else int(answer) if isinstance(answer, bool) else answer for answer in answers]
    try:
        array = np.asarray(answers)
    except ValueError:
        raise InvalidInput(f"The expert must give {n} answer(s), one per item, got {answers!r}.") from None
    if array.shape != (n,):
        raise InvalidInput(
            f"The expert must give {n} answer(s), one per item, got an array of shape {array.shape}; "
            "return a list with one boolean per row, also for a single row."
        )
    if array.dtype == bool:
        return array.astype(np.int8)
    if np.issubdtype(array.dtype, np.integer) and np.isin(array, (-1, 0, 1)).all():
        return array.astype(np.int8)
    if np.issubdtype(array.dtype, np.floating) and np.isnan(array).any():
        raise InvalidInput("The expert answered NaN; answer True (revealed), False (can't tell) or -1 (skip).")
    raise InvalidInput(
        f"The expert must answer with booleans (True revealed, False can't tell), or whole numbers 1, 0 and -1 (skip); "
        f"got {array.dtype} such as {array.tolist()[0]!r}."
    )
