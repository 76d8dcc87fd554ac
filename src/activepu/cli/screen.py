"""What the commands show: sentences, errors, progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column
from rich.text import Text

from activepu.run import Run


def console() -> Console:
    """Standard output; made anew, because its width is read when it is made."""
    return Console(highlight=False)


def on_a_terminal() -> bool:
    """Whether somebody is watching standard error."""
    return Console(stderr=True).is_terminal


def say(on: Console, sentence: str, style: str = "") -> None:
    """One sentence, broken between words on a terminal and nowhere else."""
    on.print(Text(sentence, style=style), soft_wrap=not on.is_terminal)


def complain(sentence: str) -> None:
    """One red sentence on standard error."""
    say(Console(stderr=True, highlight=False), sentence, style="red")


def remark(sentence: str) -> None:
    """A plain line on standard error: what a pipe should not swallow. It is not broken, for it may hold a command."""
    Console(stderr=True, highlight=False).print(Text(sentence), soft_wrap=True)


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Says on a terminal what takes a moment, and takes it away again."""
    with Console(stderr=True).status(doing) if on_a_terminal() else nullcontext():
        yield


class Bars:
    """One bar per run, with the questions asked, the reveals and the undecided share."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    @contextmanager
    def bar(self, name: str, budget: int | None = None) -> Iterator[Callable[[Run], None]]:
        """What `learn` may call after every answer; the bar fills up to the budget, or pulses where there is none."""
        task = self._progress.add_task(name, total=budget, line="starting")

        def show(run: Run) -> None:
            line = run.progress_line().split(" (")[0]  # without the phase, which would not fit
            self._progress.update(task, completed=run.n_answered, line=line)

        yield show
        self._progress.update(task, total=1, completed=1)
        self._progress.stop_task(task)


@contextmanager
def bars() -> Iterator[Bars]:
    """On a terminal only, gone when all is done, and on standard error, so that what is printed can be piped."""
    on = Console(stderr=True)
    columns = (
        SpinnerColumn(finished_text="✓"),
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        BarColumn(bar_width=8),
        TextColumn("{task.fields[line]}", table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1)),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=on, transient=True, expand=True, disable=not on.is_terminal) as progress:
        yield Bars(progress)
