"""Answers as tasks of Label Studio, one task an item, one annotation an answer or skip.

item       `data.item_id` is the user's key: Label Studio's own ids do not survive an import; `data.asked` says where
           it came in the order of asking
skip       `was_cancelled`, with an empty result
expert     `completed_by`: in files for Label Studio only if the name is an email address, because Label Studio refuses
           names that it does not know; in files from Label Studio its own number of that user
ignored    predictions and drafts, which nobody submitted, and annotations in which nothing was chosen; what was not
           answered in time is not written
"""

from __future__ import annotations

import json
import math
from itertools import groupby
from pathlib import Path
from typing import Any

from activepu.errors import InvalidInput
from activepu.pools import Pool
from activepu.pools.frames import row_of
from activepu.studies.entries import SKIPPED, STAR, YES, Entry, Reader, key_of, missing
from activepu.studies.json_list import NoList, elements

CONFIG = f"""\
<View>
  <Text name="text" value="$item_text"/>
  <Choices name="answer" toName="text" choice="single" required="true">
    <Choice value="{YES}" hotkey="y"/>
    <Choice value="{STAR}" hotkey="n"/>
  </Choices>
</View>
"""
"""The labelling interface for these tasks; Label Studio has a button for skips of its own."""


def write_tasks(file: Path, found: list[Entry], pool: Pool) -> None:
    """Write tasks with their annotations, as Label Studio imports them."""
    found = [entry for entry in found if entry.answer in (YES, STAR, SKIPPED)]
    by_item = groupby(sorted(found, key=lambda entry: entry.item), key=lambda entry: entry.item)
    together = sorted((list(group) for _, group in by_item), key=lambda group: group[0].number or 0)
    rows = pool.rows([group[0].item for group in together])
    tasks = [
        {
            "data": _data(row_of(rows, k), group[0].id) | {"asked": group[0].number},
            "annotations": [_annotation(entry) for entry in group],
        }
        for k, group in enumerate(together)
    ]
    file.write_text(json.dumps(tasks, indent=1, allow_nan=False, ensure_ascii=False), encoding="utf-8")


def _data(row: Any, key: Any) -> dict[str, Any]:
    """Return what an expert sees, column by column and as one text."""
    fields = row.items() if hasattr(row, "items") else ((f"x{k}", value) for k, value in enumerate(row))
    shown = {str(name): _plain(value) for name, value in fields}
    text = "\n".join(f"{name}: {'' if value is None else value}" for name, value in shown.items())
    return {**shown, "item_id": key, "item_text": text}


def _annotation(entry: Entry) -> dict[str, Any]:
    """Return an annotation. Without `ground_truth` it would count as true; `expert` and `asked` are for our import."""
    skipped = entry.answer == SKIPPED
    chosen = {"from_name": "answer", "to_name": "text", "type": "choices", "value": {"choices": [entry.answer]}}
    by = {"completed_by": {"email": entry.expert}} if "@" in entry.expert else {}
    return {
        "result": [] if skipped else [chosen],
        "was_cancelled": skipped,
        "ground_truth": False,
        "expert": entry.expert,
        "asked": entry.number,
        "phase": entry.phase,
        **by,
    }


def read_tasks(file: Path, reader: Reader) -> None:
    """Take the entries of a file that Label Studio exported as JSON, or that `write_tasks` wrote."""
    try:
        with file.open(encoding="utf-8-sig") as stream:
            for line, task in enumerate(elements(stream), start=1):
                _take(line, task, reader, file)
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        why = error.msg if isinstance(error, json.JSONDecodeError) else error
        raise InvalidInput(f"{str(file)!r} is not JSON ({why}); export it from Label Studio as JSON.") from None
    except NoList:
        raise InvalidInput(
            f"{str(file)!r} is not a list of Label Studio tasks; export it from Label Studio as JSON."
        ) from None


def _take(line: int, task: Any, reader: Reader, file: Path) -> None:
    try:
        _take_annotations(line, task, reader)
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(
            f"Entry {line} of {str(file)!r} is not a Label Studio task with data.item_id and choices "
            f"({type(error).__name__}: {str(error)[:80]}); export it as JSON, not as JSON-MIN or CSV."
        ) from None


def _take_annotations(line: int, task: dict[str, Any], reader: Reader) -> None:
    key = task["data"]["item_id"]
    if missing(key):
        raise InvalidInput(f"Entry {line} has no data.item_id, which says what row it is about; write the key there.")
    for annotation in sorted(task.get("annotations") or (), key=lambda one: str(one.get("created_at") or "")):
        said = SKIPPED if annotation.get("was_cancelled") else _choice(line, annotation["result"])
        if said is not None:
            asked = annotation.get("asked", task["data"].get("asked"))
            reader.take(line, key, said, _who(annotation), number=asked)


def _choice(line: int, result: list[dict[str, Any]]) -> str | None:
    """Return what was chosen, None if nothing was. Other controls of the interface are ignored."""
    choices = [part for part in result if part["type"] == "choices"]
    named = [part for part in choices if part.get("from_name") == "answer"] or choices
    chosen = [choice for part in named for choice in part["value"]["choices"]]
    if len(chosen) > 1:
        raise InvalidInput(f"Entry {line} has the answers {chosen}; an annotation has one: keep one of them.")
    return chosen[0] if chosen else None


def _who(annotation: dict[str, Any]) -> str | None:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    found = annotation.get("expert") or by
    return None if found is None else str(found)


def _plain(value: Any) -> Any:
    """Return a cell as JSON holds it."""
    if value is None or isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        return value if isinstance(value, bool) else None
    if isinstance(value, (list, tuple, dict)):
        return str(value)
    return key_of(value) if str(value) not in ("nan", "NaT", "<NA>") else None
