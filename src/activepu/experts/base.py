"""What an expert is, and the check of what it answered."""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput


class Skip(Enum):
    """The type of SKIP."""

    SKIP = "skip"


SKIP = Skip.SKIP
"""Not answered: the question goes back, and counts as never asked. A skip must not depend on what the item is."""


class Live:
    """An expert in place of labels, where scikit-learn would split them into folds: refused, with the reason."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise InvalidInput(
            "An expert cannot be split into folds: every fold and every setting of a search would ask him anew. Ask "
            "once, with fit(X, expert), then search with the answers: y = 1 revealed, 0 can't tell, -1 not asked."
        )


@runtime_checkable
class Expert(Protocol):
    """Anything with `answer(items, rows)`: True revealed, False ★, SKIP; or int8 with 1, 0 and −1 for a skip."""

    def answer(self, items: NDArray[np.int64], rows: Any) -> Any:
        """One answer per item, in order."""


def checked_answers(answers: Any, n: int) -> NDArray[np.int8]:
    """The answers to n questions as 1 (revealed), 0 (★), −1 (skip)."""
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
