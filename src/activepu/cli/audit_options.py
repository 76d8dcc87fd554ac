"""The options of an audit, which `activepu audit`, `study create --audit` and `plan --audit` share."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

Predictions = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with what the classifier says, 0/1 or true/false.")
]
Score = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The column with its score: higher is more likely positive.")
]
Cut = Annotated[
    float | None,
    typer.Option(help="In place of --predictions: a row is called positive if its --score is at least this."),
]
Recall = Annotated[
    float | None, typer.Option(help="Target: the classifier finds at least this share of the positives, such as 0.9.")
]
Error = Annotated[
    float | None, typer.Option(help="Target: the classifier is wrong about at most this share of the items.")
]
Precision = Annotated[
    float | None, typer.Option(help="Target: at least this share of what the classifier calls positive is positive.")
]
Gold = Annotated[
    str | None,
    typer.Option(
        metavar="KEYS|FILE",
        help="Known positives that are asked unmarked among the others, to learn the reveal rate: keys with commas, or "
        "a file with one key per line.",
    ),
]
Purity = Annotated[
    float | None,
    typer.Option(help="If you know it: at least this share of the items in the highest band of the score is positive."),
]
Bands = Annotated[
    int | None, typer.Option(help="Into how many bands of the score the items are divided; by default 5.")
]
Plot = Annotated[
    Path | None,
    typer.Option(help="Draw the certified cuts and the bounds over the questions: .png, .svg or .pdf."),
]
Found = Annotated[
    bool,
    typer.Option(
        "--found",
        help="In place of a classifier: how much of what the expert would confirm is in hand, to know when to stop.",
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="A column, such as a topic: each of its values gets statements of its own."),
]

FOR_AUDITS = (
    "found", "predictions", "score", "cut", "recall", "error", "precision", "gold", "purity", "bands", "groups",
)  # fmt: skip
OF_CLASSIFIERS = ("predictions", "cut", "error", "precision", "known_rate", "gold", "purity", "groups")
"""Settings that mean nothing for what was found so far."""


@dataclass(frozen=True)
class Settings:
    """What the user asked for; the names are those of the options."""

    predictions: str | None = None
    score: str | None = None
    cut: float | None = None
    recall: float | None = None
    error: float | None = None
    precision: float | None = None
    delta: float = 0.05
    known_rate: str | None = None
    gold: str | None = None
    purity: float | None = None
    bands: int | None = None
    groups: str | None = None
    id: str | None = None
    show: str | None = None
    seed: int = 0
    found: bool = False

    def command(self, file: Path) -> str:
        """Return the command that makes a study of this audit."""
        words = ["activepu", "study", "create", str(file), "--audit"]
        for name, default in vars(type(self)()).items():
            if (value := getattr(self, name)) != default:
                words += [option(name)] if value is True else [option(name), str(value)]
        return shlex.join(words)


def option(name: str) -> str:
    """Return the option of a setting."""
    return f"--{name.replace('_', '-')}"
