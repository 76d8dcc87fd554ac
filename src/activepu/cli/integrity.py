"""`activepu study check` and `repair`: is everything there as it was written?"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from activepu.cli import screen, study
from activepu.studies import integrity

RESTORE = "Restore a copy of the database: nothing else in it says what was there."


def check(
    name: study.Name,
    head: Annotated[
        str | None, typer.Option(metavar="HASH", help="The last hash that an earlier check printed; it must be there.")
    ] = None,
    db: study.Database = study.HERE,
) -> None:
    """Say whether the log of a study is whole; else list every damaged row, and end with exit code 1."""
    study.refuse_if_missing(db)
    with screen.busy("Reading all that is stored of the study …"):
        found = integrity.check(db, name, head)
    screen.console().print(Text(str(found)), soft_wrap=True)
    if found.damaged:
        again = f"The events are whole; make the rest again with: {study.command('repair', name, db)}"
        screen.remark(again if found.repairable else RESTORE)
        raise typer.Exit(1)


def repair(name: study.Name, db: study.Database = study.HERE) -> None:
    """Make the tables of questions, leases and experts again from the events, if these are whole."""
    study.refuse_if_missing(db)
    said = integrity.repair(db, name)
    if not said:
        screen.remark("Nothing is damaged, and nothing was changed.")
        return
    screen.console().print(Text("\n".join(said)), soft_wrap=True)
    screen.remark("All of this was repaired.")
