"""Checks of what users pass in, each with one clear sentence when it fails."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput

LONGEST_NAME = 200
"""Characters in the name of an expert or a study, and in the key of a change."""


def plain(value: Any) -> Any:
    """Return a NumPy scalar as a plain number or string, for an error message."""
    return value.item() if isinstance(value, np.generic) else value


def brief(value: Any) -> str:
    """Describe a value on one short line for an error message; a table by its type and shape."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {shape}"
    said = " ".join(repr(value).split())
    return said if len(said) <= 80 else f"{said[:79]}…"


def number(name: str, value: Any) -> float:
    """Return `value` as a finite float, or raise an error that names it."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InvalidInput(f"{name} must be a number, got {plain(value)!r}.")
    if not math.isfinite(value):
        raise InvalidInput(f"{name} must be finite, got {plain(value)!r}.")
    return float(value)


def open_unit(name: str, value: Any) -> float:
    """Check a number strictly between 0 and 1 (an error rate, a confidence parameter)."""
    checked = number(name, value)
    if not 0.0 < checked < 1.0:
        raise InvalidInput(f"{name} must lie strictly between 0 and 1, got {plain(value)!r}; 0.05 is a usual choice.")
    return checked


LARGEST_DELTA = 0.5


def delta(name: str, value: Any) -> float:
    """Check the probability with which a certificate may be wrong: above one half it is a confidence by mistake.

    Examples
    --------
    >>> delta("delta", 0.05)
    0.05
    """
    checked = open_unit(name, value)
    if checked > LARGEST_DELTA:
        raise InvalidInput(
            f"{name} is the probability that the certificate is wrong, and {plain(value)!r} is more than half; pass "
            f"{1 - checked:.6g} for a confidence of {checked:.6g}."
        )
    return checked


def inner_share(name: str, value: Any) -> float:
    """Check a share strictly between 0 and 1 that is to be reached."""
    checked = number(name, value)
    if not 0.0 < checked < 1.0:
        raise InvalidInput(
            f"{name} must lie strictly between 0 and 1, got {plain(value)!r}; pass a share such as 0.9, not a "
            "percentage."
        )
    return checked


def rate(name: str, value: Any) -> float:
    """Check a probability in (0, 1] (a reveal rate, a share of positives)."""
    checked = number(name, value)
    if not 0.0 < checked <= 1.0:
        raise InvalidInput(
            f"{name} must lie in (0, 1], got {plain(value)!r}; pass a share such as 0.3, not a percentage."
        )
    return checked


def share(name: str, value: Any) -> float:
    """Check a number in [0, 1]."""
    checked = number(name, value)
    if not 0.0 <= checked <= 1.0:
        raise InvalidInput(
            f"{name} must lie in [0, 1], got {plain(value)!r}; pass a share such as 0.3, not a percentage."
        )
    return checked


def at_least(name: str, value: Any, minimum: float) -> float:
    """Check a number that is not below `minimum`."""
    checked = number(name, value)
    if checked < minimum:
        raise InvalidInput(f"{name} must be at least {minimum:g}, got {plain(value)!r}.")
    return checked


def flag(name: str, value: Any) -> bool:
    """Check a choice of True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidInput(f"{name} must be True or False, got {brief(plain(value))}.")
    return bool(value)


def count(name: str, value: Any, minimum: int = 0) -> int:
    """Check a whole number that is not below `minimum`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InvalidInput(f"{name} must be a whole number, got {plain(value)!r}.")
    if value < minimum:
        raise InvalidInput(f"{name} must be at least {minimum}, got {plain(value)!r}.")
    return int(value)


def path(name: str, value: Any) -> Path:
    """Check the path of a file, which need not exist yet."""
    if not isinstance(value, (str, os.PathLike)) or not str(value):
        raise InvalidInput(f"{name} must be the path of a file, got {plain(value)!r}.")
    if Path(value).is_dir():
        raise InvalidInput(f"{name} must be the path of a file, got the folder {str(value)!r}; add a file name.")
    return Path(value)


def matrix(name: str, values: Any, dim: int | None = None, columns: Sequence[str] | None = None) -> NDArray[np.float64]:
    """Check a finite float matrix, one row per item; a vector is read as a single column."""
    if np.iscomplexobj(values) or np.ma.is_masked(values):
        kind = "masked values" if np.ma.is_masked(values) else "complex numbers"
        raise InvalidInput(f"{name} must be plain numbers, got {kind}; drop or convert them first.")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"{name} must be numbers, got {type(values).__name__} that does not convert ({error}); "
            "choose numeric columns with features=… or encode the others."
        ) from None
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise InvalidInput(f"{name} must be a table with one row per item, got an array of shape {array.shape}.")
    if dim is not None and array.shape[1] != dim:
        single = f", a vector of {len(array)}; pass a single row as [row]" if np.ndim(values) == 1 else ""
        raise InvalidInput(f"{name} must have {dim} column(s), got {array.shape[1]}{single}.")
    # One pass without a temporary array as large as the matrix: NaN and infinities survive a sum. A sum that overflows
    # is suspect too, and is then found to have no bad value.
    with np.errstate(over="ignore", invalid="ignore"):
        suspect = not np.isfinite(array.sum())
    if suspect:
        bad = np.argwhere(~np.isfinite(array))
        if len(bad):
            row, column = bad[0]
            raise InvalidInput(
                f"{name} must be finite, got {array[row, column]} in row {row}, column "
                f"{column if columns is None else repr(columns[column])} "
                f"({len(bad)} such value(s)); drop or impute them first."
            )
    return array


def item(value: Any, n: int) -> int:
    """Check a row number of a pool of n items."""
    if not 0 <= count("item", value) < n:
        raise InvalidInput(f"Items are row numbers from 0 to {n - 1}, got {value}.")
    return int(value)


def name(what: str, value: Any) -> str:
    """Return a name as it is kept: in composed letters (NFC), with single spaces and none around it.

    A name can be printed, and has at most 200 characters.

    Examples
    --------
    >>> name("expert", "  Ann   Lee ")
    'Ann Lee'
    """
    wanted = "the name of a study, such as 'fraud'" if what == "name" else "a name such as 'ann'"
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be {wanted}, got {brief(plain(value))}.")
    kept = composed(value)
    if not kept or not kept.isprintable():
        raise InvalidInput(f"{what} must be {wanted}, got {brief(value)}.")
    if len(kept) > LONGEST_NAME:
        raise InvalidInput(
            f"{what} must be a name of at most {LONGEST_NAME} characters, got {len(kept):,}; shorten it."
        )
    return kept


def composed(value: str) -> str:
    """Return a text in composed letters (NFC), with single spaces and none around it."""
    spaced = "".join(" " if unicodedata.category(letter) == "Zs" else letter for letter in value.strip())
    return unicodedata.normalize("NFC", re.sub(" +", " ", spaced))


def folded(value: str) -> str:
    """Return a name without regard to case; two names that agree in this are the same.

    Examples
    --------
    >>> folded("Ann Lee") == folded("ANN LEE")
    True
    """
    return unicodedata.normalize("NFC", composed(value).casefold())


def same(one: str, other: str) -> bool:
    """Return whether two names are the same, in upper or lower case."""
    return folded(one) == folded(name("expert", other))


def labels(model: Any) -> None:
    """Refuse a fitted classifier whose labels do not say which is positive; 0 and 1, −1 and 1, or booleans do."""
    classes = np.asarray(getattr(model, "classes_", ()))
    if classes.size and (classes.ndim > 1 or classes.tolist() not in ([0, 1], [-1, 1])):
        name = type(model).__name__
        raise InvalidInput(
            f"{name} was fitted on the labels {brief(classes.tolist())}, which do not say what is positive; fit it on "
            "0 and 1, or pass what it says: model.predict(X) == 'fraud', and the probability of that label as score."
        )


def key(value: Any) -> str | None:
    """Check the key of a change that may be sent again: a short text that can be printed, or None."""
    if value is None or (isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()):
        return value
    raise InvalidInput(
        f"key must be a text of 1 to {LONGEST_NAME} characters that no other change has, got {brief(value)}."
    )
