"""What each kind of event consists of, and how a row that is something else is damaged, in words."""

from __future__ import annotations

import json
import math
from typing import Any

from activepu.studies.storage.events import Event

_ABOUT = ("sequence", "item", "expert")
FIELDS: dict[str, tuple[str, ...]] = {
    "ask": (*_ABOUT, "note"),
    "shown": _ABOUT,
    "answer": (*_ABOUT, "answer"),
    "timeout": _ABOUT,
    "late": _ABOUT,
    "skip": _ABOUT,
    "withdraw": ("sequence",),
    "undo": _ABOUT,
    "unskip": _ABOUT,
    "leave": ("expert",),
    "dry": ("note",),
}
"""The fields of every kind of event; `replay` says what the kinds mean. An ask and a dry may have an `after`, too."""
_CHOSEN = ("ask", "dry")
_NOTE = {"phase", "position", "prediction", "drawn"}


def wrong(event: Event, rows: int, bets: bool) -> str | None:
    """Return what is wrong with an event by itself, as the end of a sentence; None if nothing is.

    The pool has so many rows. If the learner bets, every question has a prediction.
    """
    if not isinstance(event.kind, str) or event.kind not in FIELDS:
        return f"has the unknown kind {event.kind!r:.80}"
    fields = FIELDS[event.kind]
    for name in ("sequence", "item", "expert", "answer", "note"):
        value = getattr(event, name)
        if (value is None) == (name in fields):
            return f"has no {name}" if value is None else f"has the {name} {value!r:.80}, which its kind does not have"
    for name in ("sequence", "item", "answer", "after"):
        value = getattr(event, name)
        if value is not None and not is_count(value):
            return f"has the {name} {value!r:.80}"
    if event.item is not None and event.item >= rows:
        return f"names item {event.item} of a pool of {rows}"
    if event.answer is not None and event.answer > 1:
        return f"has the answer {event.answer}"
    if event.expert is not None and not isinstance(event.expert, str):
        return f"has the expert {event.expert!r:.80}"
    if event.after is not None and (event.kind not in _CHOSEN or event.after >= event.number):
        return f"has the place after event {event.after}"
    return None if event.note is None else _wrong_note(event, bets and event.kind == "ask")


def _wrong_note(event: Event, bets: bool) -> str | None:
    said = f"has the note {event.note!r:.200}"
    try:
        note: Any = json.loads(str(event.note))
    except ValueError:
        return said
    if not isinstance(note, dict) or not _NOTE - {"prediction"} <= note.keys() <= _NOTE:
        return said
    position, prediction = note["position"], note.get("prediction")
    if not isinstance(note["phase"], str) or not is_count(note["drawn"]):
        return said
    if not (is_count(position) or (position == -1 and type(position) is int)):
        return said
    if prediction is None:
        return f"{said}, without a prediction" if bets else None
    if type(prediction) is not float or not math.isfinite(prediction) or not 0 < prediction < 1:
        return said
    return None


def is_count(value: Any) -> bool:
    """Return whether a stored value is a number 0, 1, 2 …"""
    return type(value) is int and value >= 0
