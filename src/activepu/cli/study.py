"""`activepu study`: labelling over days, from several desks."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from activepu.cli import absence, audit_options, integrity, opened, options, screen
from activepu.cli.create import create
from activepu.cli.delete import delete
from activepu.cli.opened import HERE, Database, Moved, Name, loaded
from activepu.cli.said import INTERRUPTED, Said, add
from activepu.errors import InvalidInput

if TYPE_CHECKING:
    from activepu.studies import Status

app = typer.Typer(
    help="Label over days, from several desks: a pool, a learner and the answers so far, safe in a database.",
    no_args_is_help=True,
)


def label(
    name: Name,
    expert: Annotated[str | None, typer.Option(help="Who answers; by default your user name.")] = None,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> Said:
    """Answer questions, one key each; Ctrl-C loses nothing."""
    import getpass

    from activepu.cli import data, labeller

    who = getpass.getuser() if expert is None else expert
    with loaded(db, name, table, own) as study:
        again = opened.command("label", name, db, expert, table, own)
        result = opened.command("result", name, db, None, table, own)
        answered = labeller.label(study, who, again=again, result=result)
        status = study.status()
    return Said(lambda: {"expert": who, "answered_now": answered, **data.of_status(status)}, screen.nothing)


def status(name: Name, table: Moved = None, own: options.OwnClass = None, db: Database = HERE) -> Said:
    """Say where a study is."""
    from activepu.cli import data, findings, labeller

    with loaded(db, name, table, own) as study:
        found = study.status()
        waits = labeller.waiting(study, found) if found.open else ""
        audited = study.result() if found.findings is not None else None

    def words() -> None:
        lines = [line for line in (labeller.bar(found), str(found)) if line]
        lines += [_skips(found)] if found.skipped else []
        lines += [f"open: {waits}"] if waits else []
        lines += [f"{expert}: {n:,} answer{'' if n == 1 else 's'}" for expert, n in found.experts.items()]
        screen.lines(lines)
        if audited is not None:
            screen.console().print(findings.statements(audited, letters=False))

    return Said(lambda: data.of_status(found), words)


def _skips(found: Status) -> str:
    n, times = found.questions_skipped, found.skipped
    asked = f"{n:,} question{'' if n == 1 else 's'} skipped"
    often = f" ({times:,} skips in all)" if times > n else ""
    return f"{asked}{often}, {f'{found.withdrawn:,}' if found.withdrawn else 'none'} by everyone"


def result(
    name: Name,
    save: Annotated[
        Path | None,
        typer.Option(help="Write it here too: .json (and a model beside it), .txt in words, .skops the model alone."),
    ] = None,
    plot: audit_options.Plot = None,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> Said:
    """Say what is known: the rule and its certificate, or what an audit has certified."""
    from activepu.audit import Audit
    from activepu.cli import audits, data, findings, kept, labeller, values
    from activepu.studies import exchange

    findings.check_plot(plot)
    if save is not None:
        values.check_writable(save)
    with loaded(db, name, table, own) as study:
        learner = study.learner
        if plot is not None and not isinstance(learner, Audit):
            raise InvalidInput("--plot draws what an audit certifies, and this study learns a rule; leave it out.")
        found = study.result()
    stopped = labeller.counted(found.stop_reason)

    def words() -> None:
        if isinstance(learner, Audit):
            findings.show(found, learner.score is not None, stopped=stopped)
        else:
            screen.lines([audits.in_the_terminal(str(found).replace(found.stop_reason, stopped))])

    def then() -> None:
        findings.plot(found, plot)
        if save is not None and save.suffix.lower() == ".json":
            kept.save(found, save)
        elif save is not None:
            exchange.write_result(found, save)
            screen.remark(f"Wrote it to {save}.")

    return Said(lambda: {"study": study.name} | data.of_result(found), words, then)


def list_(db: Database = HERE) -> Said:
    """Say which studies there are, and how many answers they have."""
    from rich.table import Table
    from rich.text import Text

    from activepu.studies import overview

    opened.refuse_if_missing(db)
    studies = overview(db)

    def words() -> None:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column("study", overflow="fold")
        for heading in ("items", "asked", "answered", "revealed", "aim"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("learner", style="dim", overflow="fold")
        for found in studies:
            aim = "–" if found.epsilon is None else f"{100 * found.epsilon:.3g}%"
            counts = (f"{n:,}" for n in (found.items, found.asked, found.answered, found.revealed))
            table.add_row(*(Text(cell) for cell in (found.name, *counts, aim, found.learner)))
        if not table.rows:
            screen.remark("There is no study yet; make one with: activepu study create table.csv")
            return
        screen.console().print(table)
        screen.remark(f"How far one is: {opened.command('status', 'NAME', db)}")

    return Said(lambda: {"studies": studies}, words)


def export(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".csv, .parquet, or .json for Label Studio.")],
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> Said:
    """Write the answers and skips to a file."""
    from activepu.studies import exchange

    with loaded(db, name, table, own) as study:
        n = exchange.export_answers(study, file)
    return Said(
        lambda: {"study": study.name, "file": str(file), "entries": n},
        lambda: screen.remark(f"Wrote {n:,} {'entry' if n == 1 else 'entries'} to {file}."),
    )


def import_(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".csv, .parquet, or .json of Label Studio.")],
    expert: Annotated[str, typer.Option(help="Who answered, where the file does not say.")] = "import",
    renamed: Annotated[
        str | None, typer.Option("--names", metavar="1=ann,2=bob", help="What the experts of the file are called here.")
    ] = None,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> Said:
    """Take in answers and skips from a file, all or none. An answer that is already there counts once."""
    from activepu.cli import values
    from activepu.studies import exchange

    with loaded(db, name, table, own) as study, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        try:
            n = exchange.import_answers(study, file, expert, values.renamed(renamed), progress=True)
        except KeyboardInterrupt:
            screen.remark("Interrupted: all entries were taken in, or none. The same command can be repeated.")
            raise typer.Exit(INTERRUPTED) from None
    remarks = [str(warning.message) for warning in said if warning.category is UserWarning]

    def words() -> None:
        for sentence in (f"Took in {n:,} new {'entry' if n == 1 else 'entries'}.", *remarks):
            screen.remark(sentence)

    return Said(lambda: {"study": study.name, "new": n, "remarks": remarks}, words)


for command, called in (
    (create, "create"), (label, "label"), (status, "status"), (result, "result"), (list_, "list"),
    (export, "export"), (import_, "import"), (absence.release, "release"), (absence.leave, "leave"),
    (integrity.check, "check"), (integrity.repair, "repair"), (delete, "delete"),
):  # fmt: skip
    add(app, command, called)
