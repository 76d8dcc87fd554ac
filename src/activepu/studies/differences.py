"""How a setting of a study differs from the one that was passed, in words."""

from __future__ import annotations

import json
from typing import Any


def in_words(key: str, one: Any, other: Any) -> tuple[str, str, str]:
    """Return what differs between two settings, and both values; each short enough for a sentence."""
    what, before, after = _first_difference(key, one, other)
    return what, *_near_difference(_readable(before), _readable(after))


def _first_difference(key: str, one: Any, other: Any) -> tuple[str, Any, Any]:
    """Return what differs between two settings, and both values; of two classes of one name, their own setting."""
    before, after = _class_settings(one), _class_settings(other)
    if before is None or after is None:
        return key, one, other
    if before["class"] != after["class"]:
        return key, {"code": before["class"]}, {"code": after["class"]}
    differ = [setting for setting in {**before, **after} if before.get(setting) != after.get(setting)]
    setting = min(differ, key=lambda setting: setting in ("dim", "names", "code"))  # they may follow from others
    return f"{setting} of {before['class']}", before.get(setting), after.get(setting)


def _class_settings(plain: Any) -> dict[str, Any] | None:
    """Return how a hypothesis class describes itself, from what a study stores of it; None if it is no class."""
    if not isinstance(plain, dict):
        return None
    if "hypotheses" in plain:
        return dict(plain["hypotheses"])
    try:
        found = json.loads("{" + plain["code"].partition("{")[2])
    except (ValueError, KeyError):
        return None
    return found if isinstance(found, dict) and "class" in found else None


def _readable(value: Any) -> str:
    if isinstance(value, dict) and "code" in value:
        return str(value["code"])
    if isinstance(value, dict) and "estimator" in value:
        given = f" with {json.dumps(value['parameters'])}" if value["parameters"] else ""
        return f"an unfitted {value['estimator'].rpartition('.')[2]}{given}"
    return repr(value["settings"] if isinstance(value, dict) and "settings" in value else value)


def _near_difference(one: str, other: str, room: int = 80) -> tuple[str, str]:
    """Return both texts from shortly before the place where they differ."""
    first = next((k for k, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    start = 0 if first < room // 2 else first - room // 4
    lead = "…" if start else ""
    return lead + one[start : start + room], lead + other[start : start + room]
