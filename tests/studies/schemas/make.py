"""Make the file of the present schema: python tests/studies/schemas/make.py, with src and tests on the path."""

import sqlite3
from contextlib import closing
from pathlib import Path

from studies.scenes import pool, says, zcal

import activepu as apu
from activepu.studies.storage import migrations

ANSWERS = 30


def make(file: Path) -> None:
    """Two experts answer 30 questions; they skip one, take an answer back, and one comes too late."""
    with apu.Study.create(f"sqlite:///{file}", "s", pool(), zcal()) as study:
        study.skip(study.ask("ann")[0])
        k = 0
        while study.status().answered < ANSWERS:
            k += 1
            (question,) = study.ask(("ann", "bob")[k % 2])
            if k == ANSWERS // 2:
                study.release(question.expert, shown=True)
            study.tell(question, says(question.item) or k == ANSWERS // 2)
            if k == ANSWERS // 3:
                study.tell(study.undo(question.expert), says(question.item))
        print([question.item for question in study.run().questions[:3]])
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


if __name__ == "__main__":
    make(Path(__file__).with_name(f"v{migrations.VERSION}.db"))
