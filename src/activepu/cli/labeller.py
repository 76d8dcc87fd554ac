"""The line-by-line labeller: one item, one letter. Every answer is safe before the next item is shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rich.table import Table
from rich.text import Text

from activepu.cli import screen
from activepu.errors import AnswerRefused, InvalidInput, StorageFailed
from activepu.studies import Leased, Status, Study

HELP = "y yes, it is one · n can't tell · s skip (whatever it is) · u undo · q quit"
BAR = 24


def label(study: Study, expert: str, read: Callable[[str], str] = input) -> int:
    """Puts questions to one expert until he quits or nothing is left; how many he answered."""
    console, answered = screen.console(), 0
    console.print(Text(f"{study.name}: {HELP}"))
    question: Leased | None = None
    try:
        while True:
            question = question or _next(study, expert)
            if question is None:
                break
            show(study, question)
            letter = read("y/n/s/u/q > ").strip().lower()
            try:
                if letter in ("y", "n"):
                    study.tell(question.token, letter == "y")
                    answered, question = answered + 1, None
                elif letter == "s":
                    study.skip(question.token)
                    question = None
                elif letter == "u":
                    question = study.undo(expert)
                    answered = max(0, answered - 1)
                elif letter == "q":
                    break
                else:
                    console.print(Text(HELP))
            except AnswerRefused as refused:
                screen.complain(str(refused))
                question = None
            except (InvalidInput, StorageFailed) as error:
                screen.complain(str(error))
    except (KeyboardInterrupt, EOFError):
        console.print()
    status = study.status()
    console.print(Text(str(status)))
    if question is None and status.open and not status.finished:
        console.print(Text("The open questions are with others; come back later."))
    return answered


def _next(study: Study, expert: str) -> Leased | None:
    """What he still holds, the oldest first, or a new question."""
    return next(iter(study.open(expert) or study.ask(expert)), None)


def show(study: Study, question: Leased) -> None:
    """The item's fields, and how far the study is."""
    console, status = screen.console(), study.status()
    console.rule(Text(f"question {question.number + 1}"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column()
    for name, value in fields(question.row):
        grid.add_row(Text(name), Text(str(value)))
    console.print(grid)
    console.print(Text(progress(status)))


def fields(row: Any) -> list[tuple[str, Any]]:
    """What is shown of an item, by name."""
    if hasattr(row, "items"):
        return [(str(name), value) for name, value in row.items()]
    return [(f"x{k}", value) for k, value in enumerate(row)]


def progress(status: Status) -> str:
    """A bar that is full when the certificate reaches epsilon: every step halves the error that is possible."""
    if status.error_bound is None or status.epsilon >= 1:
        return str(status)
    bound = max(status.error_bound, 1e-12)
    share = 1.0 if bound <= status.epsilon else math.log(bound) / math.log(status.epsilon)
    full = int(BAR * share)
    return f"{'█' * full}{'░' * (BAR - full)} {status}"
