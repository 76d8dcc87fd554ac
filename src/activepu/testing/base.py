"""How a contract fails."""

from __future__ import annotations


def require(condition: object, sentence: str) -> None:
    """Raises AssertionError with `sentence` unless `condition` is true; unlike `assert` it survives `python -O`."""
    if not condition:
        raise AssertionError(sentence)
