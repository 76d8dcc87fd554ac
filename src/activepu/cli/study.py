"""`activepu study`: labelling over days, from several desks."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import pyarrow as pa
import typer
from rich.text import Text

from activepu.cli import labeller, learners, options, screen
from activepu.errors import InvalidInput
from activepu.pools import Pool
from activepu.pools.frames import read_file
from activepu.studies import Study, exchange, names_in

app = typer.Typer(
    help="Label over days, from several desks: a pool, a learner and the answers so far, safe in a database.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The study.")]
Database = Annotated[
    str, typer.Option("--db", metavar="URL", help="Where studies are kept: sqlite:///file.db or postgresql://…")
]
HERE = "sqlite:///activepu.db"


@app.command()
def create(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table, one row an item: .csv, .tsv or .parquet.")],
    name: Annotated[str | None, typer.Option(help="The study's name; by default the file's.")] = None,
    class_name: options.ClassName = "boxes",
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", "--features", metavar="A,B", help="What the rule may use; else every numeric column."
        ),
    ] = None,
    show: Annotated[str | None, typer.Option(metavar="A,B", help="What experts see; by default the whole row.")] = None,
    column: Annotated[str | None, typer.Option(help="The column to cut, for thresholds.")] = None,
    below: Annotated[bool, typer.Option("--below", help="Positive below the threshold, not above it.")] = False,
    id_column: Annotated[str | None, typer.Option("--id", help="The column with your own keys.")] = None,
    learner: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"{', '.join(learners.LEARNERS)}; by default zcal.")
    ] = None,
    prior: Annotated[float | None, typer.Option(help="The share of positives, or an upper bound of it.")] = None,
    known_rate: Annotated[
        str | None, typer.Option(metavar="R|LOW,HIGH", help="What is known of the reveal rate; by default nothing.")
    ] = None,
    epsilon: options.Epsilon = 0.05,
    delta: options.Delta = 0.05,
    theta: options.Theta = None,
    seed: options.Seed = 0,
    db: Database = HERE,
) -> None:
    """Make a study of a table.

    \b
    activepu study create table.csv --class boxes --columns age,income --epsilon 0.1
    """
    hypotheses = options.hypothesis_class(class_name, column=column, below=below)
    settings = learners.Settings(hypotheses, epsilon, delta, prior, theta, options.known_rate(known_rate))
    chosen = learners.make(learner, settings)
    features = options.names(columns or column) or _numeric(read_file(file), id_column)
    pool = Pool(file, features=features, id=id_column, show=options.names(show))
    with Study.create(db, name or file.stem, pool, chosen, seed) as made:
        screen.remark(
            f"Made the study {made.name!r} of {len(pool):,} items; go on with: activepu study label {made.name}"
        )


def _numeric(table: pa.Table, id_column: str | None) -> list[str]:
    kinds = {name: table.schema.field(name).type for name in table.column_names if name != id_column}
    found = [name for name, kind in kinds.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    if not found:
        raise InvalidInput(f"No column holds numbers; the table has {', '.join(kinds)[:200]}.")
    return found


@app.command()
def label(
    name: Name,
    expert: Annotated[str | None, typer.Option(help="Who answers; by default your user name.")] = None,
    db: Database = HERE,
) -> None:
    """Answer questions, one letter each; Ctrl-C loses nothing."""
    with Study.load(db, name) as study:
        labeller.label(study, expert or getpass.getuser())


@app.command()
def status(name: Name, db: Database = HERE) -> None:
    """Say where a study is."""
    with Study.load(db, name) as study:
        found = study.status()
    lines = [
        labeller.progress(found),
        f"{found.skipped:,} skipped, {found.withdrawn:,} withdrawn, {found.waiting:,} waiting",
    ]
    lines += [f"{expert}: {n:,} answers" for expert, n in found.experts.items()]
    screen.console().print(Text("\n".join(lines)), soft_wrap=True)


@app.command()
def result(
    name: Name,
    save: Annotated[Path | None, typer.Option(help="Write it here too: .json, or .txt in words.")] = None,
    db: Database = HERE,
) -> None:
    """Say what is known: the rule and its certificate."""
    with Study.load(db, name) as study:
        screen.console().print(Text(str(study.result())), soft_wrap=True)
        if save is not None:
            exchange.export_result(study, save)


@app.command("list")
def list_(db: Database = HERE) -> None:
    """Say which studies there are."""
    for name in names_in(db):
        screen.console().print(Text(name), soft_wrap=True)


@app.command("export")
def export(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".csv, .parquet, or .json for Label Studio.")],
    db: Database = HERE,
) -> None:
    """Write the answers and skips to a file."""
    with Study.load(db, name) as study:
        n = exchange.export_answers(study, file)
    screen.remark(f"Wrote {n:,} entries to {file}.")


@app.command("import")
def import_(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".csv, .parquet, or .json of Label Studio.")],
    expert: Annotated[str, typer.Option(help="Who answered, where the file does not say.")] = "import",
    db: Database = HERE,
) -> None:
    """Take in answers from a file; those that are there already count once."""
    with Study.load(db, name) as study:
        n = exchange.import_answers(study, file, expert)
    screen.remark(f"Took in {n:,} new answers.")
