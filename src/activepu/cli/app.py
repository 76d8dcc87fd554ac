"""The program `activepu`: its commands, and how it shows errors.

Modules of commands import what they need when they run: help, completion and the version load neither the library nor
what it rests on (`tests/cli/test_start.py`).
"""

from __future__ import annotations

import codecs
import errno
import io
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from activepu.cli import screen, study
from activepu.cli.audit import audit
from activepu.cli.demo import demo
from activepu.cli.learn import learn
from activepu.cli.plan import plan
from activepu.cli.said import INTERRUPTED, add
from activepu.cli.score import score
from activepu.cli.verify import verify
from activepu.errors import ActivePUError


class _Program(TyperGroup):
    """Shows an error that activepu raises on purpose, or the system does, as one sentence; others keep their trace."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ActivePUError as error:
            screen.complain(str(error))
            raise typer.Exit(2) from None
        except OSError as error:
            if error.errno in (errno.EPIPE, None):  # the reader of the output has gone; or no error of the system
                raise
            about = "" if error.filename is None else f" {str(error.filename)!r}"
            screen.complain(f"The file{about} cannot be used ({error.strerror}); make room, or choose another place.")
            raise typer.Exit(2) from None


app = typer.Typer(
    name="activepu",
    cls=_Program,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        typer.echo(f"activepu {metadata.version('activepu')}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn a rule from an expert who only ever says "yes, that is one", and even then only some of the time.

    Start with [bold]activepu demo[/]: every algorithm, a table and a picture in about a minute.
    Then try it on a table of your own whose answers you know:

    \b
    activepu plan --class boxes --dim 2 --epsilon 0.1 --prior 0.3
    activepu learn table.csv --class boxes --expert-column y
    activepu learn table.csv --model forest --expert-column y --save r.json
    activepu score new.csv --result r.json -o scored.csv
    activepu audit table.csv --predictions p --recall 0.9 --expert-column y
    activepu verify audit.json

    Every command prints JSON with --json. Exit codes: 0 done, 1 a check found something wrong, 2 refused, 130 Ctrl-C.
    """


for command in (demo, learn, score, audit, verify, plan):
    add(app, command)
app.add_typer(study.app, name="study")


PLAIN = str.maketrans({"█": "#", "░": "-", "·": "|", "…": ".", "–": "-", "≤": "<", "✓": "v", "’": "'"})


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replace letters that the terminal cannot show by plain ones of the same width."""
    assert isinstance(error, UnicodeEncodeError)
    lacked = error.object[error.start : error.end].translate(PLAIN)
    return "".join(letter if letter.isascii() else "?" for letter in lacked), error.end


def main() -> None:
    """Run the program. A letter that the terminal cannot show becomes a plain one or a question mark, not an error."""
    codecs.register_error("plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plain")
    try:
        app()
    except KeyboardInterrupt:  # outside a command
        sys.exit(INTERRUPTED)
