"""What the commands print: sentences, errors, progress."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from rich.progress import Progress

    from activepu.run import Run


def console() -> Console:
    """Return standard output; a new console each time, because its width is read when it is made."""
    return Console(highlight=False)


def on_a_terminal() -> bool:
    """Whether standard error is a terminal."""
    return Console(stderr=True).is_terminal


def say(on: Console, sentence: str, style: str = "") -> None:
    """Print one sentence, with line breaks only on a terminal."""
    on.print(Text(sentence, style=style), soft_wrap=not on.is_terminal)


def lines(sentences: Iterable[str]) -> None:
    """Print lines without breaks."""
    console().print(Text("\n".join(sentences)), soft_wrap=True)


def nothing() -> None:
    """Print nothing: all is said."""


def complain(sentence: str) -> None:
    """Print one red sentence on standard error."""
    say(Console(stderr=True, highlight=False), sentence, style="red")


def remark(sentence: str) -> None:
    """Print one line on standard error, where a pipe does not hide it. It has no breaks, for it may hold a command."""
    Console(stderr=True, highlight=False).print(Text(sentence), soft_wrap=True)


@contextmanager
def said_before() -> Iterator[None]:
    """Leave out the warnings of a run: the command has made a remark of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@contextmanager
def busy(doing: str) -> Iterator[None]:
    """Show on a terminal what is going on, while it goes on."""
    with Console(stderr=True).status(doing) if on_a_terminal() else nullcontext():
        yield


class Bars:
    """One bar per run, with the questions asked, the reveals and the undecided share."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    @contextmanager
    def bar(self, name: str, budget: int | None = None) -> Iterator[Callable[[Run], None]]:
        """Give the function that `learn` calls after every batch. The bar fills up to the budget, or pulses without."""
        task = self._progress.add_task(name, total=budget, line="starting")

        def show(run: Run) -> None:
            line = run.progress_line().split(" (")[0]  # without the phase, which would not fit
            self._progress.update(task, completed=run.n_answered, line=line)

        yield show
        self._progress.update(task, total=1, completed=1)
        self._progress.stop_task(task)


@contextmanager
def bars() -> Iterator[Bars]:
    """Show bars, on a terminal only, until all is done; on standard error, so that the output can be piped."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

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
