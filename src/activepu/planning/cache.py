"""Keep simulated runs in memory, and as JSON in the user's cache folder, so that no run is simulated twice.

A key is the setting, the library's version and a digest of its code, so that other code never reads these runs. The
cache is a convenience: runs that cannot be read are simulated again, and runs that cannot be written are not kept,
both without a message.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

Kept = list[tuple[int, float]]

_seen: dict[str, Kept] = {}


def folder() -> Path:
    """Return $XDG_CACHE_HOME/activepu, or ~/.cache/activepu if that is not set (or is no absolute path)."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "activepu"


def load(setting: dict[str, Any]) -> Kept:
    """Return the runs that were kept for a setting, from the first on; none if they cannot be read."""
    key = _key(setting)
    if key not in _seen:
        try:
            data = json.loads((folder() / f"plan-{key}.json").read_text(encoding="utf-8"))
            _seen[key] = [(int(asked), float(bound)) for asked, bound in data["runs"]]
        except (OSError, RuntimeError, ValueError, KeyError, TypeError):
            return []
    return _seen[key]


def save(setting: dict[str, Any], runs: Sequence[tuple[int, float]]) -> None:
    """Keep runs, all or none of them."""
    key = _key(setting)
    _seen[key] = [(asked, bound) for asked, bound in runs]
    try:
        target = folder() / f"plan-{key}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{target.name}.{os.getpid()}")
        partial.write_text(json.dumps({"setting": setting, "runs": _seen[key]}), encoding="utf-8")
        partial.replace(target)
    except (OSError, RuntimeError):  # RuntimeError: there is no home folder
        return


def _key(setting: dict[str, Any]) -> str:
    text = json.dumps([version("activepu"), _code(), setting], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@cache
def _code() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
