"""The demo: every learner in two worlds whose truth is known, a table and a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich import box
from rich.table import Table

from activepu.cli import screen, worlds
from activepu.cli.worlds import ENTRIES, WORLDS, Entry, World
from activepu.errors import ActivePUError, AssumptionsViolated
from activepu.experts import SimulatedExpert
from activepu.paper.base import SCALED
from activepu.paper.unknown_prior import NO_HALT
from activepu.pools import Pool
from activepu.records import StopReason
from activepu.report import Panel, pictures
from activepu.result import Result
from activepu.run import Run
from activepu.run import learn as run_learner

TEST_ROWS = 200_000
"""The fresh rows on which the true error is measured, to about 0.1%, if the certificate is for the population."""

STOPPED = {
    StopReason.TARGET: "certified",
    StopReason.POSITIVES_FOUND: "certified",
    StopReason.RATE_FOUND: "rate known",
    StopReason.BUDGET: "budget",
    SCALED: "stopped",
    NO_HALT: "N rounds",
}


@dataclass
class Outcome:
    """A run of one learner in one world; no result if no hypothesis was left (chance, or scaled constants)."""

    world: World
    entry: Entry
    result: Result | None
    error: float
    asked: NDArray[np.float64] = field(repr=False)


def play_all(epsilon: float, delta: float, seed: int) -> list[Outcome]:
    """Run every learner in every world."""
    outcomes: list[Outcome] = []
    with screen.bars() as bars:
        for world in WORLDS:
            for entry in ENTRIES:
                with bars.bar(f"{world.short}: {entry.label}") as watch:
                    outcomes.append(play(world, entry, epsilon, delta, seed, watch))
    return outcomes


def data(outcomes: list[Outcome], epsilon: float, delta: float) -> dict[str, Any]:
    """Return what was found, as the table shows it."""
    found = []
    for outcome in outcomes:
        result = outcome.result
        found.append(
            {
                "world": outcome.world.name,
                "learner": outcome.entry.name,
                "guarantees": not outcome.entry.scaled,
                "questions": None if result is None else result.n_queries,
                "revealed": None if result is None else result.n_revealed,
                "true_error": outcome.error,
                "error_bound": None if result is None else result.certificate.error_bound,
                "rate": None if result is None or result.rate is None else result.rate.to_dict(),
                "stopped": None if result is None else result.stop_reason,
            }
        )
    return {"epsilon": epsilon, "delta": delta, "runs": found}


def play(world: World, entry: Entry, epsilon: float, delta: float, seed: int, watch: Callable[[Run], None]) -> Outcome:
    """Run one learner in one world, and measure its true error on the items that its certificate is about."""
    runs: list[Run] = []

    def follow(run: Run) -> None:
        runs[:] = [run]
        watch(run)

    learner, source = entry.make(world, epsilon, delta), entry.source(world, seed)
    expert = SimulatedExpert(world.truth, rate=entry.rate, seed=seed)
    try:
        result = run_learner(learner, source, expert, seed=seed, progress=follow)
    except AssumptionsViolated:
        return Outcome(world, entry, None, float("nan"), np.empty((0, world.pool.dim)))
    if result.stop_reason == StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    if isinstance(source, Pool):
        certified, asked = source.features(), source.features(result.history["item"])
    else:
        certified = world.pool.sample(TEST_ROWS, np.random.default_rng([seed, TEST_ROWS]))
        asked = np.array([question.row for run in runs for question in run.questions])
    error = float((result.predict(certified) != world.truth(certified)).mean())
    return Outcome(world, entry, result, error, asked)


def show(outcomes: list[Outcome], epsilon: float, delta: float) -> None:
    """Print the table, and what Z-CAL certifies in words."""
    console = screen.console()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("learner", no_wrap=True)
    for name in ("asked", "revealed", "true\nerror", "error\nbound"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("reveal\nrate", justify="center", no_wrap=True)
    table.add_column("stopped", no_wrap=True)
    for world in WORLDS:
        table.add_row(f"[bold]{world.name}[/]")
        for outcome in (o for o in outcomes if o.world is world):
            table.add_row(*cells(outcome))
        table.add_section()
    console.print(f"Target: error at most {epsilon:g} with confidence {1 - delta:g}. The expert reveals half.")
    console.print()
    console.print(table)
    among = f"† asks among {worlds.POOL:,} rows, and its bound is for these; the others draw fresh rows"
    console.print(among, style="dim")
    console.print("* as printed, with constants scaled down until it runs: nothing is guaranteed", style="dim")
    console.print()
    best = next(o for o in outcomes if o.world is worlds.BOX and o.entry is worlds.ZCAL)
    if best.result is None:
        return
    console.print(f"[bold]{best.entry.name}, {best.world.name}[/], which was told nothing beforehand:")
    console.print(str(best.result), markup=False)


def cells(outcome: Outcome) -> list[str]:
    """Return one line of the table."""
    result = outcome.result
    if result is None:
        return [f" {outcome.entry.label}", *"–––––", "lost truth"]
    bound = result.certificate.error_bound
    return [
        f" {outcome.entry.label}",
        f"{result.n_queries:,}",
        f"{result.n_revealed:,}",
        f"{outcome.error:.4f}",
        "–" if bound >= 1 or outcome.entry.scaled else f"≤ {bound:.3f}",
        "–" if result.rate is None else f"{result.rate.low:.2f}–{result.rate.high:.2f}",
        next((short for reason, short in STOPPED.items() if result.stop_reason == reason), "early"),
    ]


def draw(outcomes: list[Outcome], out: Path) -> None:
    """Draw the picture; without Matplotlib say in a sentence that it is missing."""
    shown = [
        (worlds.BOX, worlds.ZCAL, "nothing is known beforehand"),
        (worlds.BOX, worlds.KNOWN, "the share of positives is known"),
        (worlds.THRESHOLD, worlds.ZCAL, "a threshold, nothing is known"),
    ]
    panels = []
    for world, entry, what in shown:
        outcome = next(o for o in outcomes if o.world is world and o.entry is entry)
        if outcome.result is None:
            continue
        corners = np.array([[0.0] * world.pool.dim, [1.0] * world.pool.dim])
        title = f"{entry.name}: {what}\n{outcome.result.n_queries:,} questions, true error {100 * outcome.error:.1f}%"
        panels.append(Panel(outcome.result, corners, world.truth, outcome.asked, title))
    out.mkdir(parents=True, exist_ok=True)
    try:
        paths = pictures(
            panels, [out / "demo.svg", out / "demo.png"], "What is decided, and the questions that decided it"
        )
    except ActivePUError as missing:
        screen.remark(str(missing))
        return
    console = screen.console()
    console.print()
    for path in paths:
        console.print(f"Picture: {path}", soft_wrap=True, markup=False)
