"""`activepu plan`: how many questions will it take?"""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.table import Table

from activepu import planning
from activepu.cli import options, screen
from activepu.errors import InvalidInput
from activepu.hypotheses import Intervals, Thresholds


def plan(
    class_name: options.ClassName = "boxes",
    dim: Annotated[int | None, typer.Option(help="The number of features.")] = None,
    epsilon: options.Epsilon = 0.05,
    delta: options.Delta = 0.05,
    rate: Annotated[float, typer.Option(help="A guess of the share of asked positives that are revealed.")] = 0.5,
    prior: Annotated[float, typer.Option(help="A guess of the share of positives.")] = 0.1,
    theta: Annotated[
        float | None, typer.Option(help="The disagreement coefficient, where you know it better than the textbook.")
    ] = None,
) -> None:
    """Say how many questions it will take, before anyone is asked.

    \b
    activepu plan --class boxes --dim 2 --epsilon 0.05 --rate 0.5 --prior 0.3
    """
    hypotheses = options.hypothesis_class(class_name, dim)
    if dim is None and not isinstance(hypotheses, (Intervals, Thresholds)):
        raise InvalidInput(f"How many questions {class_name} take depends on the number of features; add --dim 2, say.")
    made = planning.plan(hypotheses, epsilon, delta, rate=rate, prior=prior, theta=theta)
    console = screen.console()
    console.print(heading(made))
    console.print()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("method", no_wrap=True)
    table.add_column("questions", justify="right", no_wrap=True)
    table.add_column("unlabeled", justify="right", no_wrap=True)
    table.add_column("what it is", no_wrap=True)
    table.add_column("note", style="dim")
    for row in made.rows:
        cells = (row.method, planning.readable(row.questions), planning.readable(row.unlabeled), row.kind, row.note)
        table.add_row(*cells)
    console.print(table)
    console.print()
    console.print(planning.CAVEAT, style="dim")


def heading(made: planning.Plan) -> str:
    """The setting in words."""
    theta = "unknown: add --theta for more rows" if made.theta is None else f"{made.theta:.3g}"
    return (
        f"Error at most {made.epsilon:g} with confidence {1 - made.delta:g}, by an expert who reveals {made.rate:g} of "
        f"the positives, which are {made.prior:g} of all items. Disagreement coefficient: {theta}."
    )
