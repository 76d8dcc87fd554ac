"""Answers in and out: CSV, Parquet, JSON of Label Studio. A skip stays a skip, and items have the user's own keys."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.files import whole
from activepu.result import Result
from activepu.studies import answer_tables, label_studio
from activepu.studies.collected import MISS, Collected
from activepu.studies.entries import Entry, Reader, each_entry, entries, key_of, nothing
from activepu.studies.saved_model import SavedModel, write_model
from activepu.studies.study import Study

__all__ = ["Entry", "SavedModel", "entries", "export_answers", "export_result", "import_answers"]


def export_answers(study: Study, path: str | Path) -> int:
    """Write the answers and skips of a study to a file.

    Parameters
    ----------
    study : Study
        The study.
    path : str or Path
        A file that ends in .csv, .parquet or .json (tasks of Label Studio). It appears whole or not at all.

    Returns
    -------
    int
        How many entries it has.

    Raises
    ------
    InvalidInput
        The ending is another one, or the file cannot be written.
    """
    file = checks.path("path", path)
    suffix = _suffix(file, (".csv", ".parquet", ".json"), "Answers are written to .csv, .parquet or .json")
    with whole(file) as partial:
        if suffix == ".csv":
            return answer_tables.write_csv(partial, each_entry(study))
        found = entries(study)
        if suffix == ".parquet":
            answer_tables.write_parquet(partial, found)
        else:
            label_studio.write_tasks(partial, found, study.pool)
        return len(found)


def import_answers(
    study: Study,
    path: str | Path,
    expert: str = "import",
    names: Mapping[str, str] | None = None,
    key: str | None = None,
    progress: bool | Callable[[int, int | None], None] = False,
) -> int:
    """Take the answers and skips of a file into a study, all of them or none.

    The file is read in parts, so that one of a million answers needs little memory beside that of the study.

    An item that has an answer keeps it; a different answer in the file is left out, with a warning. What was not
    answered in time elsewhere is left out, too, and can be asked here.

    Parameters
    ----------
    study : Study
        The study.
    path : str or Path
        A file that ends in .csv, .tsv, .parquet or .json (an export of Label Studio). A table has the columns `id` (or
        `item`) and `answer`, and may have `expert` and `number`, the place in the order of asking.
    expert : str
        Who answered, where the file does not say.
    names : mapping of str to str, optional
        What the experts of the file are called in the study, such as ``{"1": "ann"}``. Others keep their names.
    key : str, optional
        A text that no other change of the study has. A call that is repeated with its key changes nothing and returns
        what the first one returned.
    progress : bool or callable
        True shows a bar on the terminal. A function is called with two numbers after every few thousand entries: how
        many were read, and None; then how many were taken in, and how many there are.

    Returns
    -------
    int
        How many entries were new.

    Raises
    ------
    InvalidInput
        Something in the file is wrong. Nothing was taken in.
    """
    file = checks.path("path", path)
    suffix = _suffix(file, (".csv", ".tsv", ".parquet", ".json"), "Answers are read from .csv, .parquet or .json")
    if not file.is_file():
        raise InvalidInput(f"There is no file {str(file)!r} to read answers from; check the path.")
    if names is not None and not isinstance(names, Mapping):
        raise InvalidInput(
            f"names maps what experts are called in the file, such as {{'1': 'ann'}}, got {names!r:.80}."
        )
    with shown(progress) as show:
        renamed = {str(there).strip(): here for there, here in (names or {}).items()}
        reader = Reader(study.pool, expert, renamed, show)
        read = label_studio.read_tasks if suffix == ".json" else answer_tables.read_table
        try:
            read(file, reader)
        except OSError as error:
            raise InvalidInput(f"The file {str(file)!r} cannot be read ({error.strerror or error}).") from None
        found = reader.found
        found.sort(study.settings["seed"])
        if not study.learner.allows_timeouts and (missed := int((found.said == MISS).sum())):
            raise InvalidInput(
                f"{missed:,} question(s) of {file.name!r} were not answered in time, but {study.learner.title} needs "
                "an answer to every question; import the file into a study whose learner does not, such as ZCal."
            )
        _warn_of_others(study, found, file.name)
        return study.take(found, key, show)


def _warn_of_others(study: Study, found: Collected, name: str) -> None:
    """Warn of answers in a file that differ from an earlier one about the same item."""
    coins = study.pool.coins
    first = np.zeros(len(coins), np.int8)  # what was said first: 1 can't tell, 2 yes, 3 both, by several experts
    answers, items = found.said, found.items
    items, answers = items[answers < 2], answers[answers < 2] + 1
    first[coins[items[::-1]]] = answers[::-1]
    before = np.zeros(len(coins), np.int8)
    for question in study.run().questions:
        if isinstance(question.answer, bool):
            before[coins[question.item]] |= 1 + question.answer
    first[before > 0] = before[before > 0]
    other = items[(first[coins[items]] & answers) == 0]
    if len(other):
        warnings.warn(
            f"{len(other):,} answer(s) in {name!r} differ from an earlier one about the same item, or about an "
            f"item that looks the same, beginning with item {key_of(study.pool.ids[other[0]])!r}. The earlier answer "
            "stays. To correct it, import a corrected file into a new study.",
            stacklevel=3,
        )


def export_result(study: Study, path: str | Path) -> None:
    """Write the rule of a study and its certificate to a file.

    Parameters
    ----------
    study : Study
        The study.
    path : str or Path
        A file that ends in .json (`load_result` reads it), .txt (in words) or .skops (the model of a `ModelLearner`).
        It appears whole or not at all.

    Raises
    ------
    InvalidInput
        The ending is another one, the file cannot be written, or the rule is not a model and the file is .skops.
    """
    write_result(study.result(), path)


def write_result(result: Result, path: str | Path) -> None:
    """Write a rule and its certificate to a file, as `export_result` does.

    Parameters
    ----------
    result : Result
        What a study or a run found.
    path : str or Path
        A file that ends in .json, .txt or .skops.
    """
    file = checks.path("path", path)
    suffix = _suffix(file, (".json", ".txt", ".skops"), "A result is written to .json, .txt or, if a model, .skops")
    with whole(file) as partial:
        if suffix == ".json":
            result.save(partial)
        elif suffix == ".txt":
            partial.write_text(f"{result}\n", encoding="utf-8")
        else:
            write_model(partial, result)


def _suffix(file: Path, known: tuple[str, ...], sentence: str) -> str:
    suffix = file.suffix.lower().replace(".pq", ".parquet")
    if suffix not in known:
        raise InvalidInput(f"{sentence}, got {str(file)!r}; choose one of these endings.")
    return suffix


@contextmanager
def shown(progress: bool | Callable[[int, int | None], None]) -> Iterator[Callable[[int, int | None], None]]:
    """Provide what is called after every few thousand entries: the caller's function, a bar, or nothing."""
    if callable(progress):
        yield progress
    elif not progress:
        yield nothing
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        on = Console(stderr=True)
        with Progress(*columns, console=on, transient=True, disable=not on.is_terminal) as bar:
            task = bar.add_task("Reading the answers", total=None)

            def show(done: int, total: int | None) -> None:
                doing = "Reading the answers" if total is None else "Taking them in"
                bar.update(task, description=doing, completed=done, total=total)

            yield show
