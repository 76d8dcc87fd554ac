"""`activepu study release` and `leave`: what becomes of the questions of an expert who is away."""

from __future__ import annotations

from typing import Annotated

import typer

from activepu.cli import options, screen
from activepu.cli.opened import HERE, Database, Moved, Name, loaded
from activepu.cli.said import Said


def release(
    name: Name,
    expert: Annotated[str, typer.Argument(metavar="EXPERT", help="Who is away.")],
    shown: Annotated[
        bool, typer.Option("--shown", help="Also end the questions that they were shown, as at their deadlines.")
    ] = False,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> Said:
    """Put back the questions that an expert fetched and was not shown; others get them."""
    with loaded(db, name, table, own) as study:
        before = study.status()
        study.release(expert, shown)
        after = study.status()
        left = len(study.open(expert))
    back, over = after.open - after.leased - before.open + before.leased, after.timed_out - before.timed_out

    def words() -> None:
        if not back and not over and not left:
            screen.remark(f"{expert} holds no question.")
            return
        stays = f" Still with {expert}, who was shown them: {left:,}; --shown ends these, too." if left else ""
        screen.remark(f"Questions put back: {back:,}; ended without an answer: {over:,}.{stays}")

    return Said(
        lambda: {"study": study.name, "expert": expert, "put_back": back, "ended": over, "still_held": left}, words
    )


def leave(
    name: Name,
    expert: Annotated[str, typer.Argument(metavar="EXPERT", help="Who will not come back.")],
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> Said:
    """Say that an expert will not come back: nobody waits for their answers and skips any more."""
    with loaded(db, name, table, own) as study:
        study.leave(expert)
    return Said(
        lambda: {"study": study.name, "expert": expert},
        lambda: screen.remark(f"{expert} has left; nobody waits for them any more."),
    )
