"""Studies that commands open, and the commands that they name."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from activepu.cli import screen
from activepu.errors import InvalidInput

if TYPE_CHECKING:
    from activepu.studies import Study

Name = Annotated[str, typer.Argument(metavar="NAME", help="The study.")]
Database = Annotated[
    str, typer.Option("--db", metavar="URL", help="Where studies are kept: sqlite:///file.db or postgresql://…")
]
Moved = Annotated[Path | None, typer.Option("--table", help="Where the table is now, if it was moved.")]
HERE = "sqlite:///activepu.db"


def loaded(db: str, name: str, table: Path | None, own: str | None) -> Study:
    """Load a study of a database that exists, and say so meanwhile."""
    from activepu.cli import values
    from activepu.studies import Study

    refuse_if_missing(db)
    hypotheses = values.own(own)
    with screen.busy("Reading the table and the answers so far …"):
        return Study.load(db, name, pool=table, hypotheses=hypotheses)


def command(
    what: str, name: str, db: str, expert: str | None = None, table: Path | None = None, own: str | None = None
) -> str:
    """Return a command to type in this shell."""
    from activepu.studies.storage.redaction import redacted

    where = [] if db == HERE else ["--db", redacted(db)]
    who = [] if expert is None else ["--expert", expert]
    moved = [] if table is None else ["--table", str(table)]
    code = [] if own is None else ["--class", own]
    dashes = ["--"] if name.startswith("-") else []
    return shlex.join(["activepu", "study", what, *who, *moved, *code, *where, *dashes, name])


def refuse_if_missing(db: str) -> None:
    """Refuse a database that is not there: a wrong folder or a typing error must not make an empty one."""
    file = Path(db.removeprefix("sqlite:///").split("?")[0])
    if db.startswith("sqlite:///") and not (file.is_file() or file.is_dir()):  # a folder is refused when opened
        raise InvalidInput(
            f"There is no database {str(file)!r} here; go to its folder, name it with --db, or make a study with: "
            "activepu study create table.csv"
        )
