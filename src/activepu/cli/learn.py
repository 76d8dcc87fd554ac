"""`activepu learn`: a dry run on a table whose answers are known, with a simulated expert."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import typer
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from activepu.certificate import Certificate
from activepu.cli import learners, options, screen
from activepu.errors import InvalidInput
from activepu.experts import SimulatedExpert, binary
from activepu.learners import Cal
from activepu.pools import Pool
from activepu.pools.read import read_file
from activepu.result import Result
from activepu.run import learn as run_learner
from activepu.saved_result import STATUS


def learn(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A table with one row per item: .csv, .tsv or .parquet.")
    ],
    expert_column: Annotated[str, typer.Option(help="The column with the truth, 0/1 or true/false.")],
    class_name: options.ClassName = "boxes",
    features: Annotated[
        str | None, typer.Option(metavar="A,B", help="The columns that the rule may use; by default every numeric one.")
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column to cut, for thresholds.")] = None,
    below: Annotated[bool, typer.Option("--below", help="Positive below the threshold, not above it.")] = False,
    id_column: Annotated[str | None, typer.Option("--id", help="The column with your own keys.")] = None,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(learners.LEARNERS)}; by default zcal, or known-prior if --prior is given.",
        ),
    ] = None,
    prior: Annotated[float | None, typer.Option(help="The share of positives, or an upper bound of it.")] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="How often the simulated expert reveals a positive; by default 0.5, and 1 for cal."),
    ] = None,
    known_rate: Annotated[
        str | None,
        typer.Option(metavar="R|LOW,HIGH", help="What zcal is told about that rate; by default nothing."),
    ] = None,
    epsilon: options.Epsilon = 0.05,
    delta: options.Delta = 0.05,
    check: options.Check = None,
    seed: options.Seed = 0,
    budget: Annotated[int | None, typer.Option(help="The most questions to ask.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the result here, as JSON.")] = None,
    items: Annotated[
        Path | None, typer.Option(help="Write here what is decided about every item, as .csv or .parquet.")
    ] = None,
) -> None:
    """Try it on a table of your own whose answers you know, with a simulated expert.

    \b
    activepu learn table.csv --expert-column y --class boxes --epsilon 0.1
    activepu learn table.csv --expert-column y --class boxes --epsilon 0.1 --known-rate 0.3,0.8
    activepu learn scores.csv --expert-column y --class thresholds --column score --budget 500
    """
    for target in (save, items):
        if target is not None:
            options.check_writable(target)
    if items is not None and items.suffix not in (".csv", ".parquet"):
        raise InvalidInput(f"--items must end in .csv or .parquet, got {str(items)!r}.")
    hypotheses = options.hypothesis_class(class_name, column=column, below=below)
    told = options.known_rate(known_rate)
    chosen = learners.make(learner, learners.Settings(hypotheses, epsilon, delta, prior, told, check))
    if rate is None:
        rate = 1.0 if isinstance(chosen, Cal) else 0.5
    elif isinstance(chosen, Cal) and rate != 1:
        raise InvalidInput(f"The learner cal reads silence as a no, so it needs --rate 1, got {rate:g}.")
    table = read_file(file)
    pool, y = read_pool(table, options.names(features or column), expert_column, id_column)
    expert = SimulatedExpert(y, rate=rate, seed=seed)
    with screen.bars() as bars, bars.bar(type(chosen).__name__, budget) as watch:
        result = run_learner(chosen, pool, expert, seed=seed, budget=budget, progress=watch)
    show(result, pool, y)
    if save is not None:
        result.save(save)
        screen.remark(f"Wrote the result to {save}.")
    if items is not None:
        write_items(items, result, pool)
        screen.remark(f"Wrote {len(pool):,} items to {items}.")


def read_pool(
    table: pa.Table, features: list[str] | None, expert_column: str, id_column: str | None
) -> tuple[Pool, NDArray[np.bool_]]:
    """Return the pool and the truth. The expert sees every column but the truth, so equal rows share one coin."""
    if features is None:
        kinds = {name: table.schema.field(name).type for name in table.column_names}
        features = [
            name
            for name, kind in kinds.items()
            if name not in (expert_column, id_column)
            and (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))
        ]
    if expert_column in features:
        raise InvalidInput(f"The expert column {expert_column!r} holds the answers and cannot be a feature as well.")
    shown = [name for name in table.column_names if name != expert_column]
    pool = Pool(table, features=features, id=id_column, show=shown)
    return pool, binary(f"The expert column {expert_column!r}", pool.column(expert_column))


def show(result: Result, pool: Pool, y: NDArray[np.bool_]) -> None:
    """Print what was found, in words."""
    counts = {kind: len(result.items(kind)) for kind in ("positive", "undecided", "negative")}
    wrong = result.predict(pool.features()) != y
    facts = {
        "rule": str(result).split("\n")[0],
        "certificate": str(result.certificate),
        "population": beyond(result.population),
        "questions": f"{result.n_queries:,} asked, {result.n_revealed:,} revealed"
        + (f"; {result.n_checks:,} of them check the class" if result.n_checks else ""),
        "reveal rate": None if result.rate is None else str(result.rate),
        "positives": None if result.prior is None else f"{result.prior} (share of all)",
        "stopped": result.stop_reason,
        "true error": f"{100 * wrong.mean():.3g}% of the {len(pool):,} items in the file (measured, not certified)",
        "items": f"{counts['positive']:,} certain positive, {counts['undecided']:,} undecided, "
        f"{counts['negative']:,} certain negative",
    }
    if wrong.mean() > result.certificate.error_bound:
        facts["warning"] = (
            "The certificate fails on this table, so one of its assumptions does not hold here: "
            f"{100 * y.mean():.3g}% of the items are positive, of which the rule finds {100 * (~wrong[y]).mean():.3g}%."
        )
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for name, fact in facts.items():
        if fact is not None:
            grid.add_row(name, Text(fact))
    screen.console().print(grid)


def beyond(certificate: Certificate | None) -> str | None:
    """Shorten a second certificate: it assumes what the first does, and independent rows. None if it says nothing."""
    if certificate is None or certificate.error_bound >= 1:
        return None
    claim = str(replace(certificate, doubt="")).split(" This holds if")[0]
    return claim + " This holds if, besides, the rows are independent draws."


def write_items(path: Path, result: Result, pool: Pool) -> None:
    """Write one line per item: its key, what is decided, what the rule says, and what the expert answered."""
    decided = np.empty(len(pool), object)
    for kind in STATUS:
        decided[result.items(kind)] = kind  # type: ignore[arg-type]
    answered = np.full(len(pool), "not asked", object)
    for item, answer in zip(result.history["item"], result.history["answer"], strict=True):
        answered[item] = "revealed" if answer else "silent"
    table = pa.table(
        {
            "item": np.arange(len(pool)),
            **({"id": pool.ids} if pool.has_ids else {}),
            "decided": decided,
            "predicted": result.predict(pool.features()).astype(np.int8),
            "expert": answered,
        }
    )
    if path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    else:
        pyarrow.parquet.write_table(table, path)
