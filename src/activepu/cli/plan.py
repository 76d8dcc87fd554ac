"""`activepu plan`: how many questions will it take, or what does a number of questions certify?"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from activepu import planning
from activepu.audit import Audit
from activepu.cli import audits, options, screen
from activepu.errors import InvalidInput
from activepu.hypotheses import BY_NAME


def plan(
    context: typer.Context,
    class_name: options.ClassName = "boxes",
    dim: Annotated[int | None, typer.Option(help="The number of features.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="The error that is allowed; by default 0.05.")] = None,
    budget: Annotated[
        int | None, typer.Option(help="What do this many questions certify? In place of --epsilon, or of a target.")
    ] = None,
    delta: options.Delta = 0.05,
    rate: Annotated[
        float | None, typer.Option(help="A guess of the share of asked positives that are revealed; by default 0.5.")
    ] = None,
    prior: Annotated[float, typer.Option(help="A guess of the share of positives.")] = 0.1,
    theta: Annotated[
        float | None, typer.Option(help="The disagreement coefficient, if you know it better than the closed forms.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Simulated runs; 0 leaves them out.")] = planning.RUNS,
    audit: Annotated[bool, typer.Option("--audit", help="Plan an audit of a classifier; needs a target.")] = False,
    recall: audits.Recall = None,
    error: audits.Error = None,
    precision: audits.Precision = None,
    known_rate: Annotated[
        str | None, typer.Option(metavar="R|LOW,HIGH", help="What the audit knows of the rate; by default nothing.")
    ] = None,
    gold: Annotated[int, typer.Option(help="How many known positives the audit asks among the others.")] = 0,
    model_recall: Annotated[float, typer.Option(help="A guess of the classifier's recall.")] = 0.95,
    model_precision: Annotated[float, typer.Option(help="A guess of the classifier's precision.")] = 0.9,
    pool: Annotated[int, typer.Option(help="The number of items of the simulated pool.")] = planning.POOL,
) -> None:
    """Say how many questions it will take, or what --budget questions certify, before anyone is asked.

    Z-CAL or the audit is simulated, which takes a while the first time. Ctrl-C ends the simulation with the runs that
    are done.

    \b
    activepu plan --class boxes --dim 2 --epsilon 0.05 --rate 0.5 --prior 0.3
    activepu plan --class boxes --dim 2 --budget 200 --rate 0.5 --prior 0.3
    activepu plan --audit --recall 0.9 --rate 0.5 --prior 0.1 --model-recall 0.95
    activepu plan --audit --budget 500
    """
    audits.refuse_named(context, audit, FOR_CLASSES, FOR_AUDITS)
    watched = screen.on_a_terminal()
    if audit:
        settings: dict[str, Any] = {"rate": rate, "prior": prior, "runs": runs, "pool": pool, "progress": watched}
        settings |= {"model_recall": model_recall, "model_precision": model_precision}
        settings |= {} if budget is None else {"budget": budget}
        learner = Audit(
            None,
            recall=recall,
            error=error,
            precision=precision,
            delta=delta,
            rate=options.known_rate(known_rate),
            gold=range(gold),
        )
        tell_audit(planning.plan(learner, **settings))
        return
    hypotheses = options.hypothesis_class(class_name, dim)
    if class_name in BY_NAME and hypotheses.fixed_dim == 1 and dim not in (None, 1):
        raise InvalidInput(f"{class_name.capitalize()} read one feature, got --dim {dim}; leave --dim out.")
    if hypotheses.dim is None and hypotheses.fixed_dim is None:
        raise InvalidInput(f"How many questions {class_name} take depends on the number of features; add --dim 2, say.")
    if budget is None:
        wanted = 0.05 if epsilon is None else epsilon
        made = planning.plan(hypotheses, wanted, delta, rate, prior, theta, runs=runs, pool=pool, progress=watched)
        tell(made.setting, ("questions", "unlabeled"), questions(made), planning.caveats(made))
        return
    for name, value in (("--epsilon", epsilon), ("--theta", theta)):
        if value is not None:
            raise InvalidInput(f"{name} does not go with --budget, got {value:g}; leave one of them out.")
    reach = planning.plan(hypotheses, None, delta, rate, prior, budget=budget, runs=runs, pool=pool, progress=watched)
    tell(reach.setting, ("half of\nthe runs", "9 of 10\nruns"), errors(reach), planning.caveats(reach))


FOR_AUDITS = ("recall", "error", "precision", "known_rate", "gold", "model_recall", "model_precision")
FOR_CLASSES = ("class_name", "dim", "epsilon", "theta")


def tell_audit(made: planning.AuditPlan | planning.AuditReach) -> None:
    """Print the plan of an audit."""
    rows: list[tuple[str, ...]]
    if isinstance(made, planning.AuditReach):
        text = planning.bound_text
        rows = [(row.method, text(row, row.median), text(row, row.most), row.kind, row.note) for row in made.rows]
        tell(made.setting, ("half of\nthe runs", "9 of 10\nruns"), rows, made.caveats)
    else:
        rows = [(row.method, planning.readable(row.questions), row.kind, row.note) for row in made.rows]
        tell(made.setting, ("questions",), rows, made.caveats)


def tell(heading: str, numbers: tuple[str, ...], rows: list[tuple[str, ...]], caveats: list[str]) -> None:
    """Print a sentence, a table and what it rests on."""
    console = screen.console()
    console.print(heading)
    console.print()
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), collapse_padding=True)
    table.add_column("method", no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what it is", no_wrap=True)
    table.add_column("note", style="dim")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for caveat in caveats:
        console.print()
        console.print(caveat, style="dim")


def questions(made: planning.Plan) -> list[tuple[str, ...]]:
    """Return the lines of a plan."""
    return [
        (row.method, planning.readable(row.questions), planning.readable(row.unlabeled), row.kind, row.note)
        for row in made.rows
    ]


def errors(made: planning.Reach) -> list[tuple[str, ...]]:
    """Return the lines of a table of errors."""
    return [
        (row.method, planning.error_text(row.median), planning.error_text(row.most), row.kind, row.note)
        for row in made.rows
    ]
