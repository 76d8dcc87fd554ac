"""`activepu study delete`: a study and all its answers, for good."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from activepu.cli import opened, screen
from activepu.cli.opened import HERE, Database, Name
from activepu.cli.said import Said
from activepu.errors import InvalidInput


def delete(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    db: Database = HERE,
) -> Said:
    """Delete a study with all its answers, for good; it asks for the name again."""
    from activepu.checks import same
    from activepu.studies import contents
    from activepu.studies import delete as delete_study

    opened.refuse_if_missing(db)
    found = contents(db, name)
    if not yes:
        screen.remark(
            f"The study {found.name!r} has {found.answered:,} answer{'' if found.answered == 1 else 's'}, "
            f"{found.revealed:,} revealed, and all of it will be gone. To keep the answers: "
            f"{opened.command('export', name, db)} answers.csv"
        )
        sys.stderr.write("Type the name of the study to delete it > ")
        sys.stderr.flush()
        typed = sys.stdin.readline().strip()
        if not (typed and same(typed, found.name)):
            raise InvalidInput(f"Nothing was deleted: the name is {found.name!r}, got {typed!r}.")
    gone = delete_study(db, name)
    return Said(
        lambda: {"study": gone.name, "answers": gone.answered},
        lambda: screen.remark(f"Deleted the study {gone.name!r} with {gone.answered:,} answers."),
    )
