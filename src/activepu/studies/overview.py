"""The studies of a database: no table of items is read and no learner is started."""

from __future__ import annotations

from dataclasses import dataclass

from activepu.studies.storage import Storage, counts
from activepu.studies.storage.counts import CountedStudy


@dataclass(frozen=True)
class Overview:
    """One study of a database, in numbers.

    Attributes
    ----------
    name : str
        The name of the study.
    items : int
        How many items its pool has.
    learner : str
        The name of the learner and, if it is simple, of the hypothesis class or the model.
    epsilon : float or None
        The error that the learner aims at; None if it has no such aim.
    asked, answered, revealed : int
        How many questions were put, how many have an answer, and how many of the answers are *yes*.
    """

    name: str
    items: int
    learner: str
    epsilon: float | None
    asked: int
    answered: int
    revealed: int


def overview(url: str) -> list[Overview]:
    """List the studies of a database.

    Parameters
    ----------
    url : str
        The database: ``sqlite:///file.db``, a file that exists, or ``postgresql://user@host/database``.

    Returns
    -------
    list of Overview
        One entry per study, sorted by name.

    Raises
    ------
    InvalidInput
        The file does not exist, or the URL names no database that can keep a study.
    StorageFailed
        The database is busy, read-only or gone.
    """
    storage = Storage(url, must_exist=True)
    try:
        return [_read(study) for study in counts.all_studies(storage)]
    finally:
        storage.close()


def _read(study: CountedStudy) -> Overview:
    made = study.settings["learner"]
    of_class = made["settings"].get("hypotheses")
    plain = of_class.get("hypotheses") if isinstance(of_class, dict) else None
    learner = made["learner"] if plain is None else f"{made['learner']}, {plain['class']}"
    model = made["settings"].get("estimator")
    if isinstance(model, dict) and "estimator" in model:
        learner = f"{learner}, {model['estimator'].rpartition('.')[2]}"
    rows, epsilon = study.settings["pool"]["rows"], made["settings"].get("epsilon")
    return Overview(study.name, rows, learner, epsilon, study.asked, study.answered, study.revealed)
