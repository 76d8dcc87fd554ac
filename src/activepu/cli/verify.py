"""`activepu verify`: check a saved audit by a second implementation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activepu.cli import screen
from activepu.cli.said import Said

NOT_SHOWN = (
    "No file can show that the answers are the expert's, whose classifier it was, that it was fixed before, or that "
    "this was the only audit. The weights and guesses of the plans were read from the file."
)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A saved audit: what --save or result.save wrote.")],
    table: Annotated[
        Path | None,
        typer.Option(help="The table of a classifier's audit, to check that its columns give the same strata."),
    ] = None,
) -> Said:
    """Check the certificate of an audit.

    The lot is drawn again from its seed, the bet and all bounds are recomputed by a second, plain implementation. Ends
    with code 1 if something is wrong.

    \b
    activepu audit table.csv --predictions p --recall 0.9 --expert-column y --save audit.json
    activepu verify audit.json --table table.csv
    """
    from activepu.verify import verify as check

    with screen.busy("Recomputing …"):
        checks = check(file, table)
    wrong = [each for each in checks if each.ok is False]

    def words() -> None:
        on = screen.console()
        for each in checks:
            screen.say(on, str(each), style="red" if each.ok is False else "")
        if wrong:
            screen.say(on, f"Not verified: {len(wrong)} of {len(checks)} checks failed.", style="red")
            return
        screen.say(on, "Verified.", style="green")
        screen.remark(NOT_SHOWN)

    return Said(lambda: {"verified": not wrong, "checks": checks}, words, code=1 if wrong else 0)
