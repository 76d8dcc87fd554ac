"""`activepu study release` and `leave`: what becomes of the questions of an expert who is away."""

from __future__ import annotations

from typing import Annotated

import typer

from activepu.cli import options, screen, study


def release(
    name: study.Name,
    expert: Annotated[str, typer.Argument(metavar="EXPERT", help="Who is away.")],
    shown: Annotated[
        bool, typer.Option("--shown", help="Also end the questions that they were shown, as at their deadlines.")
    ] = False,
    table: study.Moved = None,
    own: options.OwnClass = None,
    db: study.Database = study.HERE,
) -> None:
    """Put back the questions that an expert fetched and was not shown; others get them."""
    with study.loaded(db, name, table, own) as found:
        before = found.status()
        found.release(expert, shown)
        after = found.status()
        left = len(found.open(expert))
    back, over = after.open - after.leased - before.open + before.leased, after.timed_out - before.timed_out
    if not back and not over and not left:
        screen.remark(f"{expert} holds no question.")
        return
    stays = f" Still with {expert}, who was shown them: {left:,}; --shown ends these, too." if left else ""
    screen.remark(f"Questions put back: {back:,}; ended without an answer: {over:,}.{stays}")


def leave(
    name: study.Name,
    expert: Annotated[str, typer.Argument(metavar="EXPERT", help="Who will not come back.")],
    table: study.Moved = None,
    own: options.OwnClass = None,
    db: study.Database = study.HERE,
) -> None:
    """Say that an expert will not come back: nobody waits for their answers and skips any more."""
    with study.loaded(db, name, table, own) as found:
        found.leave(expert)
    screen.remark(f"{expert} has left; nobody waits for them any more.")
