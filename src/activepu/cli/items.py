"""An item on the screen: its fields, on several pages if they do not fit on one."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.segment import Segment, Segments
from rich.table import Table
from rich.text import Text

NAME = 24
"""The widest that the column with the names of fields may be."""


def fields(row: Any) -> list[tuple[str, Any]]:
    """Return what is shown of an item, by name."""
    if hasattr(row, "items"):
        return [(str(name), value) for name, value in row.items()]
    return [(f"x{k}", value) for k, value in enumerate(row)]


def pages(console: Console, row: Any, height: int | None) -> list[Segments]:
    """Return the fields on pages of `height` lines; None puts all of them on one page."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", max_width=NAME, overflow="fold")
    grid.add_column(overflow="fold")
    for name, value in fields(row):
        grid.add_row(Text(printable(name)), Text(printable(value)))
    lines = console.render_lines(grid, console.options, pad=False)
    step = len(lines) if height is None else max(1, height)
    cut = [lines[start : start + step] for start in range(0, len(lines), max(1, step))] or [[]]
    return [Segments([part for line in page for part in (*line, Segment.line())]) for page in cut]


def printable(value: Any) -> str:
    """Return text that cannot control the terminal: control characters are replaced."""
    if isinstance(value, float):
        value = f"{value:.10g}"
    return "".join(
        letter if letter.isprintable() or letter == "\n" else " " if letter == "\t" else "�" for letter in str(value)
    )
