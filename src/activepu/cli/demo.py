"""`activepu demo`: every learner in two worlds whose truth is known, a table and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activepu.cli import options
from activepu.cli.said import Said
from activepu.errors import InvalidInput


def demo(
    seed: options.Seed = 0,
    out: Annotated[Path, typer.Option(help="The folder for the picture.")] = Path("demo-output"),
    quick: Annotated[bool, typer.Option("--quick", help="Allow a larger error, and finish in seconds.")] = False,
) -> Said:
    """Run every algorithm with a simulated expert, show what each one certifies, and draw it.

    The expert reveals half of the positives that it is asked about, and is silent otherwise.

    \b
    activepu demo
    activepu demo --seed 7 --out pictures
    """
    from activepu.cli import demonstration

    if out.exists() and not out.is_dir():
        raise InvalidInput(f"--out must be a folder, but {str(out)!r} is a file.")
    epsilon, delta = (0.25 if quick else 0.1), 0.1
    outcomes = demonstration.play_all(epsilon, delta, seed)
    return Said(
        lambda: demonstration.data(outcomes, epsilon, delta),
        lambda: demonstration.show(outcomes, epsilon, delta),
        lambda: demonstration.draw(outcomes, out),
    )
