"""The hash chain of a study: every event is bound to all events before it, and the first to the study's settings.

The hash of an event is the SHA-256 of a JSON array: the hash before it, then the event's number, kind, sequence, item,
expert, answer, note and `after`. The hash before the first event is the origin, which is made of the name and the
settings. The study's row keeps the origin and the head, the number and the hash of the last event. So a row that is
changed, missing or out of place is noticed. Whoever computes all later hashes again is not, except by those who kept an
older hash. The clock (`at`) is not part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from activepu.errors import StudyDamaged

_quoted = json.encoder.encode_basestring_ascii
_PLAIN = frozenset((int, str, type(None)))


class Head(NamedTuple):
    """The last event of a study, its number and hash; without any event 0 and the origin."""

    number: int
    hash: str


def origin(name: str, settings: str) -> str:
    """Return the hash with which the chain of a study begins; the settings are the stored text."""
    return _hash(["activepu study", name, settings])


def link(before: str, event: Sequence[Any]) -> str | None:
    """Return the hash of an event without its own hash, given the hash before it; None if a value is of no kind."""
    return _hash([before, *event]) if _PLAIN.issuperset(map(type, event)) else None


def linked(before: str, events: Iterable[Sequence[Any]]) -> Iterator[str | None]:
    """Yield the hash of each event, one after the other; a value of no kind is hashed as text."""
    for event in events:
        before = link(before, event) or _hash([before, *map(repr, event)])
        yield before


def follow(head: Head, events: Sequence[Any]) -> Head:
    """Return the head after further events, whose last value is their hash; refuse those that do not follow it."""
    for event in events:
        if event.number != head.number + 1:
            raise StudyDamaged(gap(head.number, event.number))
        if event.hash is None or link(head.hash, event[:-1]) != event.hash:
            raise StudyDamaged(f"{event} of this study is damaged, its hash is another; restore the database.")
        head = Head(event.number, event.hash)
    return head


def gap(before: int, found: Any) -> str:
    """Say that events are missing."""
    return f"The events of this study have a gap: after {before} comes {found!r:.20}; restore the database."


def ends(found: int, last: Head) -> str:
    """Say that the last event is not the one that the study had."""
    if found == last.number:
        return f"Event {found} is not the last event that this study had; restore the database."
    return f"The study ends with event {found}, but it had {last.number!r:.20} of them; restore the database."


def _hash(values: list[Any]) -> str:
    """Return the hash of texts, whole numbers and None as JSON, written here because it takes half of the time."""
    parts = ["null" if value is None else _quoted(value) if type(value) is str else str(value) for value in values]
    return hashlib.sha256(f"[{','.join(parts)}]".encode()).hexdigest()
