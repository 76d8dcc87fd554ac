"""What a command has to say: words for people or, with `--json`, the same as data for programs.

A command returns a `Said`, and `add` registers it: so that each has the option, and prints nothing but JSON with it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any

import typer

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Said:
    """What a command has to say, once it has done its work.

    `data` gives it with names and values, and `words` prints it. `then` follows either one: it writes files and remarks
    on them, so that a full disk does not keep what was found from the screen.
    """

    data: Callable[[], Mapping[str, Any]]
    words: Callable[[], None]
    then: Callable[[], None] = _nothing
    code: int = 0


Command = Callable[..., Said]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for programs, and nothing else on standard output.")]


def add(app: typer.Typer, command: Command, name: str | None = None) -> None:
    """Register a command, with the option `--json`."""

    @functools.wraps(command)
    def run(*, as_json: bool, **given: Any) -> None:
        if as_json:
            with contextlib.redirect_stdout(sys.stderr):  # whatever else is printed
                said = command(**given)
                text = json.dumps(plain(said.data()), indent=2, allow_nan=False)
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
            with contextlib.redirect_stdout(sys.stderr):
                said.then()
        else:
            said = command(**given)
            said.words()
            said.then()
        if said.code:
            raise typer.Exit(said.code)

    signature = inspect.signature(command, eval_str=True)
    last = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JSON)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), last])  # type: ignore[attr-defined]
    app.command(name)(run)


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: what is infinite or not a number becomes null, and a record its fields."""
    if hasattr(value, "tolist"):  # NumPy
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if value is None or isinstance(value, (bool, int)):
        return value
    return str(value)
