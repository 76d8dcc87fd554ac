"""A plan on the screen and as data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich import box
from rich.table import Table

from activepu import planning
from activepu.cli import screen
from activepu.cli.said import Said

Plan = planning.Plan | planning.Reach | planning.AuditPlan | planning.AuditReach
TO_ASK = ("questions", "unlabeled")
TO_REACH = ("half of\nthe runs", "9 of 10\nruns")


def said(made: Plan) -> Said:
    """Return a plan, in words and as data."""

    def data() -> dict[str, Any]:
        return {"setting": made.setting, "rows": [asdict(row) for row in made.rows], "caveats": _caveats(made)}

    return Said(data, lambda: _tell(made.setting, _numbers(made), _lines(made), _caveats(made)))


def _caveats(made: Plan) -> list[str]:
    return list(made.caveats) if isinstance(made, planning.AuditPlan | planning.AuditReach) else planning.caveats(made)


def _numbers(made: Plan) -> tuple[str, ...]:
    if isinstance(made, planning.AuditPlan):
        return TO_ASK[:1]
    return TO_ASK if isinstance(made, planning.Plan) else TO_REACH


def _lines(made: Plan) -> list[tuple[str, ...]]:
    number, error, bound = planning.readable, planning.error_text, planning.bound_text
    if isinstance(made, planning.AuditReach):
        return [(row.method, bound(row, row.median), bound(row, row.most), row.kind, row.note) for row in made.rows]
    if isinstance(made, planning.Reach):
        return [(row.method, error(row.median), error(row.most), row.kind, row.note) for row in made.rows]
    if isinstance(made, planning.AuditPlan):
        return [(row.method, number(row.questions), row.kind, row.note) for row in made.rows]
    return [(row.method, number(row.questions), number(row.unlabeled), row.kind, row.note) for row in made.rows]


def _tell(heading: str, numbers: tuple[str, ...], rows: list[tuple[str, ...]], caveats: list[str]) -> None:
    """Print a sentence, a table and what it rests on."""
    console = screen.console()
    console.print(heading)
    console.print()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("method", no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what it is", no_wrap=True)
    table.add_column("note", style="dim")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for caveat in caveats:
        console.print()
        console.print(caveat, style="dim")
