"""The options that several commands share, with the same words everywhere, and the objects that they name."""

from __future__ import annotations

from typing import Annotated

import typer

from activepu.errors import InvalidInput
from activepu.hypotheses import BY_NAME, HypothesisClass, Thresholds

ClassName = Annotated[
    str, typer.Option("--class", metavar="NAME", help=f"The kind of rule to look for: {', '.join(BY_NAME)}.")
]
Epsilon = Annotated[float, typer.Option(help="The error that is allowed.")]
Delta = Annotated[float, typer.Option(help="The probability with which the certificate may be wrong.")]
Theta = Annotated[
    float | None,
    typer.Option(
        help="An upper bound of the disagreement coefficient; only for classes not closed under intersection."
    ),
]
Seed = Annotated[int, typer.Option(help="The same seed gives the same run.")]
PER_EXPERT = "per expert"


def hypothesis_class(
    name: str, dim: int | None = None, column: str | None = None, below: bool = False
) -> HypothesisClass:
    """The class that a user named, as far as words can describe it."""
    if name not in BY_NAME:
        raise InvalidInput(f"There is no class {name!r}; the classes are {', '.join(BY_NAME)}.")
    cls = BY_NAME[name]
    if cls is Thresholds:
        return Thresholds(column, above=not below)
    if column is not None or below:
        raise InvalidInput(f"--column and --below are for thresholds, but the class is {name}; use --features.")
    return cls(dim) if cls.fixed_dim is None else cls()


def known_rate(text: str | None) -> float | tuple[float, float] | None:
    """`0.5` as a number, `0.3,0.8` as a pair; None stays None."""
    if text is None:
        return None
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) == 1:
        return found[0]
    if len(found) == 2:
        return found[0], found[1]
    raise InvalidInput(f"--known-rate takes a number, or two with a comma between them, got {text!r}.")


def rate_of_experts(text: str | None) -> float | tuple[float, float] | str | None:
    """What Z-CAL may be told of the reveal rate: as `known_rate`, or that every expert has his own."""
    if text is not None and " ".join(text.replace("-", " ").split()).lower() == PER_EXPERT:
        return PER_EXPERT
    try:
        return known_rate(text)
    except InvalidInput:
        raise InvalidInput(
            f"--rate takes a number, two with a comma between them, or 'per expert', got {text!r}."
        ) from None


def renamed(text: str | None) -> dict[str, str]:
    """`1=ann, 2=bob` as {"1": "ann", "2": "bob"}."""
    pairs = [pair.split("=", 1) for pair in (text or "").split(",") if pair.strip()]
    if any(len(pair) < 2 or not pair[0].strip() or not pair[1].strip() for pair in pairs):
        raise InvalidInput(f"--names takes pairs such as 1=ann,2=bob, got {text!r}.")
    return {old.strip(): new.strip() for old, new in pairs}


def names(text: str | None) -> list[str] | None:
    """`a, b` as ["a", "b"]; None stays None."""
    if text is None:
        return None
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise InvalidInput(f"--features takes column names separated by commas, got {text!r}.")
    return found
