"""The program `activepu`: its commands, and how it shows errors."""

from __future__ import annotations

import codecs
import io
import sys
from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from activepu.cli import absence, integrity, screen, study
from activepu.cli.audit import audit
from activepu.cli.demo import demo
from activepu.cli.learn import learn
from activepu.cli.plan import plan
from activepu.cli.verify import verify
from activepu.errors import ActivePUError


class _Program(TyperGroup):
    """Shows an error that activepu raises on purpose as one sentence; all others keep their traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ActivePUError as error:
            screen.complain(str(error))
            raise typer.Exit(2) from None


app = typer.Typer(
    name="activepu",
    cls=_Program,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
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
    activepu audit table.csv --predictions p --recall 0.9 --expert-column y
    activepu verify audit.json
    """


for command in (demo, learn, audit, verify, plan):
    app.command()(command)
study.app.command()(absence.release)
study.app.command()(absence.leave)
study.app.command()(integrity.check)
study.app.command()(integrity.repair)
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
    app()
