"""Simulated runs, made on all cores and kept, so that none is made twice.

Run k is a function of the setting and k alone, so that a plan is the same on every machine and can be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from joblib import Parallel, delayed, parallel_config
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from activepu.planning import cache


class Trial(NamedTuple):
    """One run: its questions, and what it certified at its end."""

    asked: int
    bound: float


@dataclass(frozen=True)
class Repeated(ABC):
    """A setting in which runs are simulated; its fields are the setting."""

    @property
    def setting(self) -> dict[str, Any]:
        """The setting in plain values: what a run depends on beside its number."""
        return asdict(self)

    @abstractmethod
    def trial(self, number: int) -> Trial:
        """Simulate run `number`."""

    def trials(self, runs: int, watch: Watch) -> list[Trial]:
        """Return the first `runs` runs: from the cache what is there, the others on all cores; fewer after Ctrl-C."""
        kept = [Trial(*trial) for trial in cache.load(self.setting)][:runs]
        watch.advance(len(kept))
        missing = range(len(kept), runs)
        if not missing:
            return kept
        found: dict[int, Trial] = {}
        try:
            with parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):  # more threads round differently
                running = Parallel(return_as="generator_unordered")
                for number, trial in running(delayed(_numbered)(self, number) for number in missing):
                    found[number] = trial
                    watch.advance(1)
        except KeyboardInterrupt:
            return kept + list(found.values())
        trials = kept + [found[number] for number in missing]
        cache.save(self.setting, trials)
        return trials


def _numbered(simulation: Repeated, number: int) -> tuple[int, Trial]:
    return number, simulation.trial(number)


def interrupted(trials: Sequence[Trial], runs: int) -> str:
    """Return the end of a note that says whether Ctrl-C ended the simulation."""
    return f"; interrupted before all {runs} were done" if len(trials) < runs else ""


class Watch:
    """Counts the runs that are done, on a bar if there is one."""

    def __init__(self, progress: Progress, what: str, total: int) -> None:
        self._progress, self._total = progress, total
        self._task = progress.add_task(f"simulating {what}", total=total)

    def expect(self, runs: int) -> None:
        """Add runs that are still to be done."""
        self._total += runs
        self._progress.update(self._task, total=self._total)

    def advance(self, runs: int) -> None:
        """Count runs that are done."""
        self._progress.advance(self._task, runs)


@contextmanager
def watching(shown: bool, what: str, total: int = 0) -> Iterator[Watch]:
    """Show a bar on standard error that disappears at the end."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as progress:
        yield Watch(progress, what, total)
