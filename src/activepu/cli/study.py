"""`activepu study`: labelling over days, from several desks."""

from __future__ import annotations

import getpass
import shlex
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from activepu import checks
from activepu.audit import Audit
from activepu.cli import audits, findings, labeller, learners, options, screen
from activepu.errors import InvalidInput
from activepu.learners import Learner
from activepu.pools import Pool
from activepu.pools.read import read_file
from activepu.studies import Status, Study, exchange, overview
from activepu.studies.storage.redaction import redacted
from activepu.studies.study import DEADLINE, OPEN_PER_EXPERT

app = typer.Typer(
    help="Label over days, from several desks: a pool, a learner and the answers so far, safe in a database.",
    no_args_is_help=True,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The study.")]
Database = Annotated[
    str, typer.Option("--db", metavar="URL", help="Where studies are kept: sqlite:///file.db or postgresql://…")
]
Moved = Annotated[Path | None, typer.Option("--table", help="Where the table is now, if it was moved.")]
HERE = "sqlite:///activepu.db"
RATE = "--rate/--known-rate"
OF_ALL = (
    "The rate is not used as it was stated: of the answers before the deadline another share may be yes. Say "
    "--rate-in-time if it is the rate of these, or --deadline-minutes 0."
)
AT_MOST = (
    "The rate is used as the most that it can be: an item that was not answered before the deadline counts as not "
    "confirmed. Say --deadline-minutes 0 if nobody will be late."
)


@app.command()
def create(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table, one row per item: .csv, .tsv or .parquet.")],
    name: Annotated[str | None, typer.Option(help="The study's name; by default the file's.")] = None,
    class_name: options.ClassName = "boxes",
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", "--features", metavar="A,B", help="What the rule may use; else every numeric column."
        ),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="What experts see; by default the whole row, in an audit without predictions and score."
        ),
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column to cut, for thresholds.")] = None,
    below: Annotated[bool, typer.Option("--below", help="Positive below the threshold, not above it.")] = False,
    id_column: options.Key = None,
    positives: Annotated[
        str | None,
        typer.Option(
            metavar="KEYS|FILE", help="Items known to be positive: keys with commas, or a file with one key per line."
        ),
    ] = None,
    learner: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"{', '.join(learners.LEARNERS)}; by default zcal.")
    ] = None,
    prior: Annotated[float | None, typer.Option(help="The share of positives, or an upper bound of it.")] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            "--rate",
            "--known-rate",
            metavar="R|LOW,HIGH|'per expert'",
            help="What is known of the reveal rate, one for all unless 'per expert'; by default nothing.",
        ),
    ] = None,
    epsilon: options.Epsilon = 0.05,
    delta: options.Delta = 0.05,
    check: options.Check = None,
    seed: options.Seed = 0,
    audit: Annotated[
        bool, typer.Option("--audit", help="Certify how good a classifier is instead of learning a rule.")
    ] = False,
    found: audits.Found = False,
    predictions: audits.Predictions = None,
    score: audits.Score = None,
    cut: audits.Cut = None,
    recall: audits.Recall = None,
    error: audits.Error = None,
    precision: audits.Precision = None,
    gold: audits.Gold = None,
    purity: audits.Purity = None,
    bands: audits.Bands = None,
    groups: audits.Groups = None,
    open_per_expert: Annotated[
        int, typer.Option(help="How many questions one expert may hold at a time.")
    ] = OPEN_PER_EXPERT,
    deadline_minutes: Annotated[
        float, typer.Option(help="So long after an expert was shown a question it ends without an answer; 0: never.")
    ] = DEADLINE / 60,
    rate_in_time: Annotated[
        bool,
        typer.Option(
            "--rate-in-time",
            help="The rate that --rate says is that of answers before the deadline. Of no use in an audit.",
        ),
    ] = False,
    db: Database = HERE,
) -> None:
    """Make a study of a table.

    \b
    activepu study create table.csv --columns age,income --epsilon 0.1
    activepu study create table.csv --id key --positives k17,k23
    activepu study create table.csv --rate "per expert"
    activepu study create table.csv --audit --predictions p --score s --recall 0.9
    activepu study create table.csv --audit --found --score s --recall 0.95 --positives k17,k23
    """
    audits.refuse_others(context, audit)
    checks.at_least("--deadline-minutes", deadline_minutes, 0)
    chosen: Learner
    if audit:
        wanted = audits.Settings(
            predictions, score, cut, recall, error, precision, delta, rate, gold, purity, bands, groups, id_column,
            show, seed, found,
        )  # fmt: skip
        chosen, pool = audits.make(file, wanted, rate_option=RATE)
    else:
        hypotheses = options.hypothesis_class(class_name, column=column, below=below)
        settings = learners.Settings(hypotheses, epsilon, delta, prior, options.rate_of_experts(rate, RATE), check)
        chosen = learners.make(learner, settings)
        features = learners.features(read_file(file), options.names(columns or column), id_column)
        pool = Pool(file, features=features, id=id_column, show=options.names(show))
    with screen.said_before():
        study = Study.create(
            db,
            file.stem if name is None else name,
            pool,
            chosen,
            seed,
            positives=options.known_items("--positives", pool, positives),
            open_per_expert=open_per_expert,
            deadline=60 * deadline_minutes if deadline_minutes else None,
            rate_in_time=rate_in_time,
        )
    with study as made:
        if made.run().learner is not made.learner:
            screen.remark(AT_MOST if chosen.with_deadlines(rate_in_time=True) is not chosen else OF_ALL)
        screen.remark(
            f"Made the study {made.name!r} of {len(pool):,} items; go on with: "
            f"{command('label', made.name, db, own=class_name if '.' in class_name else None)}"
        )


@app.command()
def label(
    name: Name,
    expert: Annotated[str | None, typer.Option(help="Who answers; by default your user name.")] = None,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> None:
    """Answer questions, one key each; Ctrl-C loses nothing."""
    who = getpass.getuser() if expert is None else expert
    with loaded(db, name, table, own) as study:
        again, result = command("label", name, db, expert, table, own), command("result", name, db, None, table, own)
        labeller.label(study, who, again=again, result=result)


@app.command()
def status(name: Name, table: Moved = None, own: options.OwnClass = None, db: Database = HERE) -> None:
    """Say where a study is."""
    with loaded(db, name, table, own) as study:
        found = study.status()
        waits = labeller.waiting(study, found) if found.open else ""
        audited = study.result() if found.findings is not None else None
    lines = [line for line in (labeller.bar(found), str(found)) if line]
    lines += [_skips(found)] if found.skipped else []
    lines += [f"open: {waits}"] if waits else []
    lines += [f"{expert}: {n:,} answer{'' if n == 1 else 's'}" for expert, n in found.experts.items()]
    screen.console().print(Text("\n".join(lines)), soft_wrap=True)
    if audited is not None:
        screen.console().print(findings.statements(audited, letters=False))


def _skips(found: Status) -> str:
    n, times = found.questions_skipped, found.skipped
    asked = f"{n:,} question{'' if n == 1 else 's'} skipped"
    often = f" ({times:,} skips in all)" if times > n else ""
    return f"{asked}{often}, {f'{found.withdrawn:,}' if found.withdrawn else 'none'} by everyone"


@app.command()
def result(
    name: Name,
    save: Annotated[Path | None, typer.Option(help="Write it here too: .json, or .txt in words.")] = None,
    plot: audits.Plot = None,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> None:
    """Say what is known: the rule and its certificate, or what an audit has certified."""
    findings.check_plot(plot)
    with loaded(db, name, table, own) as study:
        if plot is not None and not isinstance(study.learner, Audit):
            raise InvalidInput("--plot draws what an audit certifies, and this study learns a rule; leave it out.")
        found = study.result()
        stopped = labeller.counted(found.stop_reason)
        if isinstance(study.learner, Audit):
            findings.show(found, study.learner.score is not None, stopped=stopped)
            findings.plot(found, plot)
        else:
            screen.console().print(Text(str(found).replace(found.stop_reason, stopped)), soft_wrap=True)
        if save is not None:
            exchange.export_result(study, save)
            screen.remark(f"Wrote it to {save}.")


@app.command("list")
def list_(db: Database = HERE) -> None:
    """Say which studies there are, and how many answers they have."""
    refuse_if_missing(db)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("study", overflow="fold")
    for heading in ("items", "asked", "answered", "revealed", "aim"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("learner", style="dim", overflow="fold")
    for found in overview(db):
        aim = "–" if found.epsilon is None else f"{100 * found.epsilon:.3g}%"
        counts = (f"{n:,}" for n in (found.items, found.asked, found.answered, found.revealed))
        table.add_row(*(Text(cell) for cell in (found.name, *counts, aim, found.learner)))
    if not table.rows:
        screen.remark("There is no study yet; make one with: activepu study create table.csv")
        return
    screen.console().print(table)
    screen.remark(f"How far one is: {command('status', 'NAME', db)}")


@app.command("export")
def export(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".csv, .parquet, or .json for Label Studio.")],
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> None:
    """Write the answers and skips to a file."""
    with loaded(db, name, table, own) as study:
        n = exchange.export_answers(study, file)
    screen.remark(f"Wrote {n:,} {'entry' if n == 1 else 'entries'} to {file}.")


@app.command("import")
def import_(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".csv, .parquet, or .json of Label Studio.")],
    expert: Annotated[str, typer.Option(help="Who answered, where the file does not say.")] = "import",
    names: Annotated[
        str | None, typer.Option(metavar="1=ann,2=bob", help="What the experts of the file are called here.")
    ] = None,
    table: Moved = None,
    own: options.OwnClass = None,
    db: Database = HERE,
) -> None:
    """Take in answers and skips from a file, all or none. An answer that is already there counts once."""
    with loaded(db, name, table, own) as study, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        try:
            n = exchange.import_answers(study, file, expert, options.renamed(names), progress=True)
        except KeyboardInterrupt:
            screen.remark("Interrupted: all entries were taken in, or none. The same command can be repeated.")
            raise typer.Exit(130) from None
    screen.remark(f"Took in {n:,} new {'entry' if n == 1 else 'entries'}.")
    for warning in said:
        if warning.category is UserWarning:
            screen.remark(str(warning.message))


def loaded(db: str, name: str, table: Path | None, own: str | None) -> Study:
    """Load a study of a database that exists, and say so meanwhile."""
    refuse_if_missing(db)
    hypotheses = options.own(own)
    with screen.busy("Reading the table and the answers so far …"):
        return Study.load(db, name, pool=table, hypotheses=hypotheses)


def command(
    what: str, name: str, db: str, expert: str | None = None, table: Path | None = None, own: str | None = None
) -> str:
    """Return a command to type in this shell."""
    where = [] if db == HERE else ["--db", redacted(db)]
    who = [] if expert is None else ["--expert", expert]
    moved = [] if table is None else ["--table", str(table)]
    code = [] if own is None else ["--class", own]
    dashes = ["--"] if name.startswith("-") else []
    return shlex.join(["activepu", "study", what, *who, *moved, *code, *where, *dashes, name])


def refuse_if_missing(db: str) -> None:
    """Refuse a database that is not there: a wrong folder or a typing error must not make an empty one."""
    file = Path(db.removeprefix("sqlite:///").split("?")[0])
    if db.startswith("sqlite:///") and not (file.is_file() or file.is_dir()):  # a folder is refused when opened
        raise InvalidInput(
            f"There is no database {str(file)!r} here; go to its folder, name it with --db, or make a study with: "
            "activepu study create table.csv"
        )
