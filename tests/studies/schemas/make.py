"""Make the files of the present schema: python tests/studies/schemas/make.py, with src and tests on the path.

One is a database, the other the statements that make the same on a server, as `pg_dump --inserts` writes them.
"""

import re
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

from studies.scenes import pool, says, started, zcal

import activepu as apu
from activepu.studies.storage import migrations

ANSWERS = 30


def make(url: str) -> None:
    """Two experts answer 30 questions; they skip one, take an answer back, and one comes too late."""
    with apu.Study.create(url, "s", pool(), zcal()) as study:
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


def make_file(file: Path) -> None:
    file.unlink(missing_ok=True)
    make(f"sqlite:///{file}")
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def make_statements(file: Path) -> None:
    import pgserver

    with tempfile.TemporaryDirectory() as folder:
        server = started(Path(folder) / "server")
        make(server.get_uri())
        dump = Path(pgserver.__file__).parent / "pginstall" / "bin" / "pg_dump"
        command = [dump, "--inserts", "--no-owner", "--no-privileges", server.get_uri()]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        server.cleanup()
    kept = [
        line for line in said.splitlines() if line and not re.match(r"--|\\|SET |SELECT pg_catalog.set_config", line)
    ]
    file.write_text("\n".join(kept) + "\n")


if __name__ == "__main__":
    made = Path(__file__).with_name(f"v{migrations.VERSION}")
    make_file(made.with_suffix(".db"))
    make_statements(made.with_suffix(".sql"))
