"""`activepu score`: what a rule or a model says of the rows of another table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activepu.cli import options, screen
from activepu.cli.said import Said


def score(
    file: options.Table,
    result: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="What --save wrote, of learn or study result; the .skops file of a model is beside it."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Write here: .csv, .tsv or .parquet.")],
    prefix: Annotated[str, typer.Option(help="Begin the names of the new columns with this.")] = "",
    trust: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Code outside activepu and scikit-learn that the model's file may use."),
    ] = None,
) -> Said:
    """Write a table again, with what a saved result says of every row.

    A model adds p_positive, its estimate of the probability, and predicted (1 or 0). A rule adds decision (1, 0 or
    undecided: certain at the confidence of its certificate) and predicted.

    \b
    activepu learn old.csv --expert-column y --model forest --save r.json
    activepu score new.csv --result r.json -o scored.csv
    """
    from activepu.cli import kept, scoring, tables, values

    tables.check("--out", out)
    found = scoring.scored(file, kept.load(result, values.names(trust, "--trust") or []), prefix)
    found.write(out)

    def words() -> None:
        screen.say(screen.console(), found.sentence)
        screen.remark(f"Wrote {found.table.num_rows:,} rows to {out}.")

    return Said(
        lambda: {"file": str(out), "rows": found.table.num_rows, "columns": list(found.added), **found.counts}, words
    )
