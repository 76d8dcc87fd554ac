"""The settings of a learner as plain values that JSON holds, and back; code is only named."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from activepu import hypotheses as classes
from activepu.hypotheses import HypothesisClass
from activepu.models import by_name, strategies
from activepu.models.strategies import Strategy


def plain(value: Any) -> Any:
    """Return a setting as JSON holds it: an estimator by its name and its settings, and other code only named."""
    if isinstance(value, HypothesisClass):
        described = {key: plain(entry) for key, entry in value.to_dict().items()}
        simple = value.name in classes.BY_NAME and not value.to_dict().get("code")
        return {"hypotheses": described} if simple else {"code": f"{value.name} {json.dumps(described)}"}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.integer, np.floating)):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {"settings": {str(key): plain(entry) for key, entry in value.items()}}
    if isinstance(value, Strategy) and type(value) is strategies.BY_NAME.get(value.name) and not vars(value):
        return value.name
    if hasattr(value, "get_params") and not isinstance(value, type) and (kept := by_name.described(value)):
        return kept
    return code(value)


def code(value: Any) -> dict[str, str]:
    """Return what names code: it is not kept, only compared."""
    if callable(value) and hasattr(value, "__qualname__"):
        return {"code": f"{value.__module__}.{value.__qualname__}"}
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):  # every number of an array in a setting counts
        return {"code": _without_addresses(repr(value))}


def value_of(kept: Any) -> Any:
    """Return what `plain` described."""
    if isinstance(kept, dict) and "settings" in kept:
        return {key: value_of(entry) for key, entry in kept["settings"].items()}
    if isinstance(kept, dict) and "estimator" in kept:
        return by_name.again(kept)
    if isinstance(kept, dict):
        data = kept["hypotheses"]
        if data["dim"] is not None:
            return classes.from_dict(data)
        settings = {key: data[key] for key in ("signs", "score", "above") if key in data}
        return classes.BY_NAME[data["class"]](**settings)
    return tuple(kept) if isinstance(kept, list) else kept


def holds_code(value: Any) -> bool:
    """Return whether code is named anywhere in a setting that `plain` described."""
    if isinstance(value, dict):
        return bool(value.get("code")) or any(holds_code(entry) for entry in value.values())
    return isinstance(value, list) and any(holds_code(entry) for entry in value)


def _without_addresses(text: str) -> str:
    return " ".join(part for part in text.split() if not part.startswith("0x"))
