"""Answers in and out: CSV, Parquet, Label Studio JSON. A skip stays a skip, and a row's key is the user's own.

Columns of a table: item, id, expert, answer ("yes", "can't tell" or "skip"), number, phase, prediction.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import sqlalchemy as sa

from activepu import checks
from activepu.errors import InvalidInput
from activepu.pools.frames import read_file, row_of
from activepu.studies.storage import events
from activepu.studies.study import Study

YES, STAR, SKIPPED = "yes", "can't tell", "skip"
WORDS = {"yes": YES, "1": YES, "true": YES, "revealed": YES} | {
    word: STAR for word in ("can't tell", "cannot tell", "silent", "0", "false")
}
WORDS |= dict.fromkeys(("skip", "skipped", "-1"), SKIPPED)
"""What a file may say for each answer; "no" is not among them, because nobody can say no here."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would compute."""


@dataclass(frozen=True)
class Entry:
    """One answer or skip."""

    item: int
    id: Any
    expert: str
    answer: str
    number: int | None = None
    phase: str | None = None
    prediction: float | None = None


def entries(study: Study) -> list[Entry]:
    """Every answer that stands and every skip, in the order in which they came."""
    run, ids = study.run(), study.pool.ids
    with study.storage.read() as connection:
        rows = connection.execute(
            sa.select(events.c.kind, events.c.sequence, events.c.item, events.c.expert)
            .where(events.c.study == study.key, events.c.kind.in_(("answer", "skip")))
            .order_by(events.c.number)
        ).all()
    last = {row.sequence: k for k, row in enumerate(rows) if row.kind == "answer"}
    found = []
    for k, row in enumerate(rows):
        question = run.questions[row.sequence]
        if row.kind == "answer" and (last[row.sequence] != k or not isinstance(question.answer, bool)):
            continue
        said = SKIPPED if row.kind == "skip" else YES if question.revealed else STAR
        note, key = question.note, _simple(ids[row.item])
        found.append(Entry(row.item, key, row.expert, said, row.sequence, note.phase, note.prediction))
    return found


def export_answers(study: Study, path: str | Path) -> int:
    """Writes the answers to a .csv, .parquet or .json (Label Studio) file; how many entries there are."""
    file, found = checks.path("path", path), entries(study)
    suffix = file.suffix.lower()
    if suffix == ".csv":
        with _opened(file) as stream:
            writer = csv.writer(stream)
            writer.writerow(Entry.__dataclass_fields__)
            writer.writerows([_neutral(value) for value in vars(entry).values()] for entry in found)
    elif suffix in (".parquet", ".pq"):
        columns = {name: [getattr(entry, name) for entry in found] for name in Entry.__dataclass_fields__}
        pyarrow.parquet.write_table(pa.table(columns), file)
    elif suffix == ".json":
        with _opened(file) as stream:
            json.dump([_task(study, entry) for entry in found], stream, indent=1, allow_nan=False, default=str)
    else:
        raise InvalidInput(f"Answers are written to .csv, .parquet or .json (Label Studio), got {str(file)!r}.")
    return len(found)


def import_answers(study: Study, path: str | Path, expert: str = "import") -> int:
    """Takes in the answers of such a file; how many were new. Skips are no answers, and are left out."""
    file = checks.path("path", path)
    if file.suffix.lower() == ".json":
        found = _tasks(study, file, expert)
    else:
        table = read_file(file)
        found = _rows(study, table.to_pylist(), expert)
    return study.record([(entry.item, entry.answer == YES, entry.expert) for entry in found if entry.answer != SKIPPED])


def export_result(study: Study, path: str | Path) -> None:
    """Writes the rule and its certificate: all of it as .json (`load_result` reads it), or in words as .txt."""
    file = checks.path("path", path)
    if file.suffix.lower() == ".json":
        study.result().save(file)
    elif file.suffix.lower() == ".txt":
        with _opened(file) as stream:
            stream.write(f"{study.result()}\n")
    else:
        raise InvalidInput(f"A result is written to .json or .txt, got {str(file)!r}.")


def _rows(study: Study, rows: Iterable[dict[str, Any]], expert: str) -> list[Entry]:
    items = _items(study)
    found = []
    for line, row in enumerate(rows, start=1):
        if "answer" not in row or not ({"id", "item"} & row.keys()):
            raise InvalidInput(
                f"A table of answers has the columns id (or item) and answer, got {', '.join(row)[:200]}."
            )
        key = _bare(row["id"] if study.pool.has_ids and "id" in row else row.get("item", row.get("id")))
        found.append(
            Entry(_item(items, key, line), key, str(_bare(row.get("expert")) or expert), _word(row["answer"], line))
        )
    return found


def _task(study: Study, entry: Entry) -> dict[str, Any]:
    """A Label Studio task. Without `ground_truth` it would be imported as true."""
    row = row_of(study.pool.rows([entry.item]), 0)
    fields = row.items() if hasattr(row, "items") else ((f"x{k}", value) for k, value in enumerate(row))
    shown = {str(name): _simple(value) for name, value in fields}
    chosen = {
        "from_name": "answer",
        "to_name": "text",
        "type": "choices",
        "value": {"choices": [entry.answer]},
    }
    skipped = entry.answer == SKIPPED
    annotation = {
        "result": [] if skipped else [chosen],
        "was_cancelled": skipped,
        "ground_truth": False,
        "completed_by": {"email": entry.expert},
    }
    return {"data": {**shown, "item_id": entry.id}, "annotations": [annotation]}


def _tasks(study: Study, file: Path, expert: str) -> list[Entry]:
    items = _items(study)
    try:
        tasks = json.loads(file.read_text(encoding="utf-8"))
        found = []
        for line, task in enumerate(tasks, start=1):
            key = task["data"]["item_id"]
            for annotation in task["annotations"]:
                by = annotation.get("completed_by")
                who = by.get("email", expert) if isinstance(by, dict) else expert if by is None else str(by)
                said = SKIPPED
                if not annotation.get("was_cancelled") and annotation["result"]:
                    (said,) = annotation["result"][0]["value"]["choices"]
                found.append(Entry(_item(items, key, line), key, str(who), _word(said, line)))
        return found
    except InvalidInput:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InvalidInput(
            f"{str(file)!r} is not Label Studio JSON with data.item_id and choices ({type(error).__name__}: {error})."
        ) from None


def _items(study: Study) -> dict[str, int]:
    return {str(key): item for item, key in enumerate(study.pool.ids)}


def _item(items: dict[str, int], key: Any, line: int) -> int:
    if str(key) not in items:
        raise InvalidInput(f"Entry {line} is about {key!r}, which no row of the pool has as its key.")
    return items[str(key)]


def _word(said: Any, line: int) -> str:
    word = str(int(said) if isinstance(said, bool) else said).strip().lower()
    if word not in WORDS:
        raise InvalidInput(f"Entry {line} has the answer {said!r}; answers are {YES!r}, {STAR!r} and {SKIPPED!r}.")
    return WORDS[word]


def _neutral(value: Any) -> Any:
    """Text that a spreadsheet would take for a formula gets a quote in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _bare(value: Any) -> Any:
    """The text without that quote."""
    return value[1:] if isinstance(value, str) and value[:1] == "'" and value[1:].startswith(FORMULA) else value


def _simple(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _opened(file: Path) -> Any:
    if not file.absolute().parent.is_dir():
        raise InvalidInput(f"There is no folder {str(file.parent)!r} to write to; make it first.")
    return file.open("w", encoding="utf-8", newline="")
