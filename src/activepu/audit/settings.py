"""Checks of the settings of an audit."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput


def refuse(settings: Iterable[str]) -> None:
    """Refuse settings that mean nothing for what was found so far."""
    if (name := next(iter(settings), None)) is not None:
        raise InvalidInput(
            f'Audit("found") certifies which share of what the expert would confirm is in hand, and takes no {name}; '
            f"leave {name} out, or audit a classifier."
        )


def share(name: str, value: float) -> float:
    """Check a share that is neither 0 nor 1."""
    checked = checks.share(name, value)
    if checked in (0.0, 1.0):
        raise InvalidInput(
            f"{name} must lie between 0 and 1, got {value:g}, which no number of questions could show; "
            f"pass {'0.05' if name == 'error' else '0.9'}, for example."
        )
    return checked


def bands(value: Any) -> Any:
    """Check a number of bands, or the scores at which a new band begins; whether a score has room comes later."""
    if value is None or (isinstance(value, (int, np.integer)) and not isinstance(value, bool)):
        return value
    borders = np.asarray(value, dtype=object)
    if borders.ndim != 1 or any(isinstance(each, bool) or not isinstance(each, numbers.Real) for each in borders):
        raise InvalidInput(
            "bands must be a whole number of bands, or the scores at which a new band begins, such as 5 or "
            f"[0.2, 0.5, 0.8], got {checks.brief(checks.plain(value))}."
        )
    return value


def rate_range(rate: Any) -> tuple[float, float]:
    """Return the range of the reveal rate that a setting names."""
    if rate is None:
        return 0.0, 1.0
    if isinstance(rate, str):
        raise InvalidInput(f'rate is a number, a range (low, high) or "per expert", got {rate!r}.')
    if isinstance(rate, (tuple, list)):
        if len(rate) != 2:
            raise InvalidInput(f'rate is a number, a range (low, high) or "per expert", got {rate!r}.')
        low, high = checks.rate("rate", rate[0]), checks.rate("rate", rate[1])
        if low > high:
            raise InvalidInput(f"rate = (low, high) must rise, got {rate!r}.")
        return low, high
    value = checks.rate("rate", rate)
    return value, value
