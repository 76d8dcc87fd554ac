"""How a contract fails."""

from __future__ import annotations


def require(condition: object, sentence: str) -> None:
    """Raise AssertionError with `sentence` unless `condition` is true; unlike `assert` it works under `python -O`."""
    if not condition:
        raise AssertionError(sentence)
