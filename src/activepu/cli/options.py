"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

from activepu.cli.names import CLASSES, LEARNERS, MODELS, STRATEGIES
from activepu.errors import InvalidInput


def among(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return what completes a word to one of these names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


ClassName = Annotated[
    str,
    typer.Option(
        "--class",
        metavar="NAME",
        autocompletion=among(CLASSES),
        help=f"The kind of rule to look for: {', '.join(CLASSES)}, or your own as package.module.Class.",
    ),
]
OwnClass = Annotated[
    str | None,
    typer.Option(
        "--class", metavar="PACKAGE.CLASS", help="Your own class, if the study was made with one: it is not stored."
    ),
]
Epsilon = Annotated[float, typer.Option(help="The error that is allowed.")]
Delta = Annotated[float, typer.Option(help="The probability with which the certificate may be wrong.")]
Check = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How many decided items zcal asks by lot, to check the class: by default 100, or 40 if the reveal rate "
        "is known; 0 for none.",
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same run.")]
Key = Annotated[str | None, typer.Option("--id", help="The column with your own keys.")]
Learner = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=among(LEARNERS),
        help=f"{', '.join(LEARNERS)}; by default zcal, or known-prior if --prior is given.",
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=among(MODELS),
        help=f"Learn with a model in place of a class of rules: {', '.join(MODELS)}, or any classifier of scikit-learn "
        "by its name, such as sklearn.svm.SVC.",
    ),
]
Strategy = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=among(STRATEGIES),
        help=f"Which item a --model asks about next: {', '.join(STRATEGIES)}.",
    ),
]
Questions = Annotated[
    int | None,
    typer.Option(help="With --model and --audit: fix the model after this many answers at the latest, then audit it."),
]
Positives = Annotated[
    str | None,
    typer.Option(
        metavar="KEYS|FILE", help="Items known to be positive: keys with commas, or a file with one key per line."
    ),
]
Table = Annotated[Path, typer.Argument(metavar="FILE", help="A table with one row per item: .csv, .tsv or .parquet.")]

OF_RULES = ("check", "class_name", "column", "below", "learner", "prior", "epsilon")
"""Options of a class of rules."""
OF_MODELS = ("strategy", "questions")


def refuse_named(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse these options if the user named one: `why` ends the sentence."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source is not None and source.name == "COMMANDLINE":
            raise InvalidInput(f"{option.opts[0]} {why}")
