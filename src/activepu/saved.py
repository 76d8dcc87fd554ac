"""Values of a JSON file, checked as they are read: each is what it must be, or one sentence names its place."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from activepu.checks import brief
from activepu.errors import InvalidInput

LARGEST = 2**30
"""Bytes; a file that is larger is not read."""
UNREADABLE = (ValueError, KeyError, TypeError, IndexError, AttributeError, ArithmeticError, RecursionError, MemoryError)
"""What comes out of code that meets a value of another kind than it wrote."""

Read = TypeVar("Read")


class Damaged(InvalidInput):
    """A value of a file is not what it must be."""


class Field:
    """A value of a file, and its place there, such as ``certificate.error_bound``.

    Examples
    --------
    >>> field = Field({"error": 0.1, "items": [3, 4]}, "certificate")
    >>> field["error"].share(), [one.count() for one in field["items"].each()]
    (0.1, [3, 4])
    >>> Field({"error": -5}, "certificate")["error"].share()
    Traceback (most recent call last):
    activepu.saved.Damaged: The field certificate.error must be a share between 0 and 1, got -5; restore the file.
    """

    def __init__(self, value: Any, place: str) -> None:
        self.value = value
        self.place = place

    def refuse(self, what: str) -> NoReturn:
        """Refuse the value: it must be something else."""
        what_is = f"field {self.place}" if self.place else "file"
        raise Damaged(f"The {what_is} must be {what}, got {brief(self.value)}; restore the file.")

    def __getitem__(self, name: str) -> Field:
        if not isinstance(self.value, dict):
            self.refuse("an object with fields")
        place = f"{self.place}.{name}" if self.place else name
        if name not in self.value:
            raise Damaged(f"The field {place} is missing; restore the file.")
        return Field(self.value[name], place)

    def get(self, name: str, otherwise: Any) -> Field:
        """Return a field that may be missing."""
        return self[name] if name in self.fields() else Field(otherwise, f"{self.place}.{name}")

    def fields(self) -> dict[str, Any]:
        """Return the value, which is an object."""
        if not isinstance(self.value, dict):
            self.refuse("an object with fields")
        return self.value

    def only(self, names: Collection[str]) -> Field:
        """Refuse fields that have other names."""
        for name in self.fields():
            if name not in names:
                place = f"{self.place}.{name}" if self.place else name
                raise Damaged(f"The field {brief(place)} is not known; remove it, or upgrade activepu.")
        return self

    def each(self, length: int | None = None) -> list[Field]:
        """Return the values of a list, which may have to have a certain length."""
        if not isinstance(self.value, list) or (length is not None and len(self.value) != length):
            self.refuse("a list" if length is None else f"a list of {length}")
        return [Field(value, f"{self.place}[{k}]") for k, value in enumerate(self.value)]

    def or_none(self, read: Callable[[Field], Read]) -> Read | None:
        """Return None for null, else what `read` returns."""
        return None if self.value is None else read(self)

    def number(self) -> float:
        """Return a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)) or not abs(self.value) < 1e308:
            self.refuse("a finite number")
        return self.value

    def share(self) -> float:
        """Return a number between 0 and 1."""
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)) or not 0 <= self.value <= 1:
            self.refuse("a share between 0 and 1")
        return self.value

    def count(self, most: float = math.inf) -> int:
        """Return a whole number that is not negative."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or not 0 <= self.value <= most:
            self.refuse("a whole number from 0 on" if most == math.inf else f"a whole number from 0 to {most:g}")
        return self.value

    def text(self, among: Collection[str] = ()) -> str:
        """Return a text, perhaps one of several."""
        if not isinstance(self.value, str) or (among and self.value not in among):
            self.refuse(f"one of {', '.join(map(repr, among))}" if among else "a text")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(one.text() for one in self.each())

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value

    def between(self, low: float, high: float) -> None:
        """Refuse an object whose lower bound is above the upper one."""
        if low > high:
            raise Damaged(f"The field {self.place} has the bounds {low} and {high}, in this order; restore the file.")

    def made(self, read: Callable[[Any], Read]) -> Read:
        """Return what `read` makes of the value; refuse a value that it cannot read."""
        try:
            return read(self.value)
        except InvalidInput:
            raise
        except UNREADABLE:
            self.refuse("as it was saved")


def read_json(file: Path) -> Any:
    """Return what a JSON file holds; refuse one that is too large or not JSON, and numbers that are not finite."""
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise InvalidInput(f"{str(file)!r} has {size:,} bytes, more than {LARGEST:,}; choose another file.")
        return json.loads(file.read_text(encoding="utf-8"), parse_constant=_infinite, parse_float=_finite)
    except OSError as error:
        raise InvalidInput(f"The file {str(file)!r} cannot be read ({error.strerror or error}).") from None
    except InvalidInput:
        raise
    except (ValueError, RecursionError, MemoryError) as error:
        raise Damaged(f"It is not JSON ({' '.join(str(error).split())[:80]}); restore the file.") from None


def _finite(text: str) -> float:
    found = float(text)
    return found if math.isfinite(found) else _infinite(text)


def _infinite(text: str) -> NoReturn:
    raise Damaged(f"The file holds the number {text[:20]}, which is not finite; restore the file.")
