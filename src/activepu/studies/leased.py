"""A question that an expert holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from activepu.pools import Pool
from activepu.pools.frames import row_of
from activepu.studies.storage.leases import Held


@dataclass(frozen=True)
class Leased:
    """A question that is leased to one expert: answer it with ``study.tell(question, True)``.

    Attributes
    ----------
    token : str
        Stands for this lease. Pass it to `Study.tell` or `Study.skip`; it can be kept as text, in a form of a web page
        for instance.
    number : int
        The place of the question in the order of asking, from 0.
    item : int
        The row number of the item in the pool.
    id : object
        Your own key of the item; the row number where the pool has no keys.
    row : object
        What the expert sees of the item.
    expert : str
        Who has the question.
    expires : float
        Until when it can be answered, in seconds since 1970 on the database's clock; infinite without a deadline. Of a
        question that was not shown yet: when it goes to somebody else.
    shown : bool
        Whether it was shown to the expert, and is theirs.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     question = study.ask("ann")[0]
    ...     in_time = study.tell(question, True)
    >>> question.expert, question.number
    ('ann', 0)
    >>> folder.cleanup()
    """

    token: str
    number: int
    item: int
    id: Any
    row: Any = field(repr=False)
    expert: str
    expires: float
    shown: bool = True


def leased(pool: Pool, ids: Any, expert: str, held: Sequence[Held]) -> list[Leased]:
    """Return questions with what the pool says of their items."""
    rows = pool.rows([question.item for question in held]) if held else None
    return [
        Leased(token, number, int(item), ids[item], row_of(rows, k), expert, float(expires), seen)
        for k, (number, item, token, expires, seen) in enumerate(held)
    ]


def token_of(question: str | Leased) -> str:
    """Return the token of a question, which may be passed in its place."""
    return question.token if isinstance(question, Leased) else question
