"""Read one key at a terminal, and one line if the input comes from elsewhere."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

try:
    import select
    import termios
    import tty
except ImportError:  # Windows: read lines
    termios = None  # type: ignore[assignment]

END = "\x04"
"""Ctrl-D."""


def reader() -> Callable[[str], str]:
    """Return the function that shows a prompt and reads the answer."""
    return press if termios is not None and sys.stdin.isatty() and sys.stdout.isatty() else line


def line(prompt: str) -> str:
    """Read one line. The Enter that ends it is on the screen if it was typed there, else a new line is begun."""
    said = input(prompt)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        sys.stdout.write("\n")
    return said


def press(prompt: str) -> str:
    """Read one key, without Enter. What was typed before the prompt is dropped: it was meant for another item."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSAFLUSH)
        sys.stdout.write(prompt)
        sys.stdout.flush()
        key = _one(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        sys.stdout.write("\n")
        sys.stdout.flush()
    if key in ("", END):
        raise EOFError
    return key


def _one(terminal: int) -> str:
    """Read a letter, or all bytes that an arrow or a function key sends, so that none of them counts as a letter."""
    key = os.read(terminal, 1)
    if key == b"\x1b" or key >= b"\x80":
        while select.select([terminal], [], [], 0.02)[0] and (more := os.read(terminal, 1)):
            key += more
    return key.decode(errors="replace")


@contextmanager
def interruptible() -> Iterator[None]:
    """Treat a lost connection (SIGHUP) or SIGTERM like Ctrl-C: restore the terminal and show the last lines."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    caught = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, interrupt) for number in caught}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
