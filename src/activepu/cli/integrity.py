"""`activepu study check` and `repair`: is everything there as it was written?"""

from __future__ import annotations

from typing import Annotated

import typer

from activepu.cli import opened, screen
from activepu.cli.opened import HERE, Database, Name
from activepu.cli.said import Said

RESTORE = "Restore a copy of the database: nothing else in it says what was there."


def check(
    name: Name,
    head: Annotated[
        str | None, typer.Option(metavar="HASH", help="The last hash that an earlier check printed; it must be there.")
    ] = None,
    db: Database = HERE,
) -> Said:
    """Say whether the log of a study is whole; else list every damaged row, and end with exit code 1."""
    from activepu.studies import integrity

    opened.refuse_if_missing(db)
    with screen.busy("Reading all that is stored of the study …"):
        found = integrity.check(db, name, head)

    def words() -> None:
        screen.lines([str(found)])
        if found.damaged:
            again = f"The events are whole; make the rest again with: {opened.command('repair', name, db)}"
            screen.remark(again if found.repairable else RESTORE)

    def data() -> dict[str, object]:
        return {
            "study": found.name,
            "whole": not found.damaged,
            "damaged": found.damaged,
            "repairable": found.repairable,
            "events": found.events,
            "answers": found.answers,
            "head": found.head,
        }

    return Said(data, words, code=1 if found.damaged else 0)


def repair(name: Name, db: Database = HERE) -> Said:
    """Make the tables of questions, leases and experts again from the events, if these are whole."""
    from activepu.studies import integrity

    opened.refuse_if_missing(db)
    said = integrity.repair(db, name)

    def words() -> None:
        if not said:
            screen.remark("Nothing is damaged, and nothing was changed.")
            return
        screen.lines(said)
        screen.remark("All of this was repaired.")

    return Said(lambda: {"study": name, "repaired": said}, words)
