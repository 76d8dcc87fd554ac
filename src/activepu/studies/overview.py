"""The studies of a database, as its tables alone know them: no table is read and no learner is started."""

from __future__ import annotations

from dataclasses import dataclass

from activepu.studies.storage import Storage, counts
from activepu.studies.storage.counts import CountedStudy


@dataclass(frozen=True)
class Overview:
    """One study; `epsilon` is None where the learner aims at no error."""

    name: str
    items: int
    learner: str
    epsilon: float | None
    asked: int
    answered: int
    revealed: int


def overview(url: str) -> list[Overview]:
    """The studies, by name."""
    storage = Storage(url)
    try:
        return [_read(study) for study in counts.all_studies(storage)]
    finally:
        storage.close()


def _read(study: CountedStudy) -> Overview:
    made = study.settings["learner"]
    of_class = made["settings"].get("hypotheses")
    plain = of_class.get("hypotheses") if isinstance(of_class, dict) else None
    learner = made["learner"] if plain is None else f"{made['learner']}, {plain['class']}"
    rows, epsilon = study.settings["pool"]["rows"], made["settings"].get("epsilon")
    return Overview(study.name, rows, learner, epsilon, study.asked, study.answered, study.revealed)
