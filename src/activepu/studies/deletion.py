"""Deleting a study for good."""

from __future__ import annotations

from dataclasses import dataclass

from activepu import checks
from activepu.studies.storage import Storage, catalogue, counts


@dataclass(frozen=True)
class Contents:
    """What is lost if a study is deleted.

    Attributes
    ----------
    name : str
        The name of the study.
    answered, revealed : int
        How many questions are answered, and how many of the answers are *yes*.
    """

    name: str
    answered: int
    revealed: int


def contents(url: str, name: str) -> Contents:
    """Say what would be lost if a study were deleted; this needs neither its table nor its learner.

    Parameters
    ----------
    url : str
        The database: ``sqlite:///file.db``, a file that exists, or ``postgresql://user@host/database``.
    name : str
        The name of the study.

    Returns
    -------
    Contents

    Raises
    ------
    InvalidInput
        There is no such study.
    StorageFailed
        The database is busy or gone.
    """
    name = checks.name("name", name)
    storage = Storage(url, must_exist=True)
    try:
        key, kept = catalogue.named(storage, name)
        with storage.read(key) as reading:
            return Contents(kept, *counts.answered(reading))
    finally:
        storage.close()


def delete(url: str, name: str) -> Contents:
    """Delete a study with all its questions and answers, in one transaction: all of it is gone, or nothing.

    Other processes that have it open are refused from then on. Studies that are damaged can be deleted, too.

    Parameters
    ----------
    url : str
        The database, as for `contents`.
    name : str
        The name of the study.

    Returns
    -------
    Contents
        What was in it.

    Raises
    ------
    InvalidInput
        There is no such study.
    StorageFailed
        The database is busy, read-only or gone. Nothing was deleted.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.studies import delete, overview
    >>> pool = apu.Pool(np.random.default_rng(0).random((100, 1)))
    >>> folder = tempfile.TemporaryDirectory()
    >>> url = f"sqlite:///{folder.name}/fraud.db"
    >>> with apu.Study.create(url, "fraud", pool, apu.ZCal(apu.Intervals(), 0.1, 0.05)) as study:
    ...     in_time = study.tell(study.ask("ann")[0], True)
    >>> delete(url, "fraud").answered, overview(url)
    (1, [])
    >>> folder.cleanup()
    """
    name = checks.name("name", name)
    storage = Storage(url, must_exist=True)
    try:
        key, kept = catalogue.named(storage, name)
        with storage.write(key) as transaction:
            found = Contents(kept, *counts.answered(transaction))
            catalogue.delete(transaction)
        return found
    finally:
        storage.close()
