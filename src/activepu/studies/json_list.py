"""The elements of a list in a JSON file, one after the other, so that a large file is never in memory as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TextIO

CHARACTERS = 1 << 20
"""So much text is read at a time; an element may be longer."""
_BLANK = re.compile(r"[ \t\n\r]*")
_DECODE = json.JSONDecoder().raw_decode


class NoList(Exception):
    """The file holds another value than a list."""


def elements(stream: TextIO) -> Iterator[Any]:
    """Yield the elements of the list in a file; raise `NoList`, or `JSONDecodeError` once the text is no JSON."""
    text = _Text(stream)
    if text.sign() != "[":
        json.loads(text.rest())
        raise NoList
    text.at += 1
    sign = text.sign()
    while sign != "]":
        yield text.value()
        sign = text.sign()
        if sign not in (",", "]"):
            raise json.JSONDecodeError("Expecting ',' delimiter", sign, 0)
        if sign == ",":
            text.at += 1
            text.sign()
    text.at += 1
    if sign := text.sign():
        raise json.JSONDecodeError("Extra data", sign, 0)


class _Text:
    """The part of a text that was read and not used yet, from `at` on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._text = ""
        self.at = 0

    def sign(self) -> str:
        """Go on to the next sign that is not blank, and return it; empty at the end."""
        while True:
            blank = _BLANK.match(self._text, self.at)
            self.at = blank.end() if blank else self.at
            if self.at < len(self._text) or not self._more():
                return self._text[self.at : self.at + 1]

    def value(self) -> Any:
        """Return the value that begins here, and go on to its end."""
        while True:
            try:
                found, end = _DECODE(self._text, self.at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            if end < len(self._text):
                self.at = end
                return found
            if not self._more():  # else a number could go on
                self.at = len(self._text)
                return found

    def rest(self) -> str:
        """Return all that is left."""
        return self._text[self.at :] + self._stream.read()

    def _more(self) -> bool:
        """Read more, at least as much as is here, and forget what was used; return whether there was more."""
        self._text, self.at = self._text[self.at :], 0
        found = self._stream.read(max(CHARACTERS, len(self._text)))
        self._text += found
        return bool(found)
