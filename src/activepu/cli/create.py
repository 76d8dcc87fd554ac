"""`activepu study create`: a table, a learner, and a name under which the answers are kept."""

from __future__ import annotations

from typing import Annotated

import typer

from activepu.cli import audit_options, names, opened, options, screen
from activepu.cli.said import Said

RATE = "--rate/--known-rate"
NO_RULE = "is for learning a rule, and an audit learns none; leave it out."
NO_RULE_IN_MODEL = "is for a class of rules, and a --model learns without one; leave it out."
NO_MODEL = "is for a model; add --model forest, say, or leave it out."
NO_AUDIT = "is for an audit; add --audit, or leave it out."
NO_CLASSIFIER = "is for the audit of a classifier in the table, and here the --model is audited; leave it out."
OF_ALL = (
    "The rate is not used as it was stated: of the answers before the deadline another share may be yes. Say "
    "--rate-in-time if it is the rate of these, or --deadline-minutes 0."
)
AT_MOST = (
    "The rate is used as the most that it can be: an item that was not answered before the deadline counts as not "
    "confirmed. Say --deadline-minutes 0 if nobody will be late."
)
TARGETS = ("recall", "error", "precision")


def create(
    context: typer.Context,
    file: options.Table,
    name: Annotated[str | None, typer.Option(help="The study's name; by default the file's.")] = None,
    class_name: options.ClassName = "boxes",
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            "--features",
            metavar="A,B",
            help="What may be learned from; by default every numeric column, and for a model all.",
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
    positives: options.Positives = None,
    learner: options.Learner = None,
    model: options.Model = None,
    strategy: options.Strategy = None,
    questions: options.Questions = None,
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
        bool,
        typer.Option(
            "--audit", help="Certify how good a classifier is instead of learning a rule; or the --model, once learned."
        ),
    ] = False,
    found: audit_options.Found = False,
    predictions: audit_options.Predictions = None,
    score: audit_options.Score = None,
    cut: audit_options.Cut = None,
    recall: audit_options.Recall = None,
    error: audit_options.Error = None,
    precision: audit_options.Precision = None,
    gold: audit_options.Gold = None,
    purity: audit_options.Purity = None,
    bands: audit_options.Bands = None,
    groups: audit_options.Groups = None,
    open_per_expert: Annotated[
        int, typer.Option(help="How many questions one expert may hold at a time.")
    ] = names.OPEN_PER_EXPERT,
    deadline_minutes: Annotated[
        float, typer.Option(help="So long after an expert was shown a question it ends without an answer; 0: never.")
    ] = names.DEADLINE_MINUTES,
    rate_in_time: Annotated[
        bool,
        typer.Option(
            "--rate-in-time",
            help="The rate that --rate says is that of answers before the deadline. Of no use in an audit.",
        ),
    ] = False,
    db: opened.Database = opened.HERE,
) -> Said:
    """Make a study of a table.

    \b
    activepu study create table.csv --columns age,income --epsilon 0.1
    activepu study create table.csv --id key --positives k17,k23
    activepu study create table.csv --rate "per expert"
    activepu study create table.csv --model forest --id key --positives k17,k23
    activepu study create table.csv --model boosting --audit --recall 0.8
    activepu study create table.csv --audit --predictions p --score s --recall 0.9
    activepu study create table.csv --audit --found --score s --recall 0.95 --positives k17,k23
    """
    from activepu import checks
    from activepu.cli import audits, making, values
    from activepu.learners import Learner
    from activepu.studies import Study

    checks.at_least("--deadline-minutes", deadline_minutes, 0)
    _refuse(context, model is not None, audit)
    chosen: Learner
    if model is not None:
        targets = {"recall": recall, "error": error, "precision": precision, "delta": delta} if audit else None
        chosen = making.model_learner(model, strategy, rate, targets, questions)
        pool = making.pool_of_model(file, columns, id_column, show)
    elif audit:
        wanted = audit_options.Settings(
            predictions, score, cut, recall, error, precision, delta, rate, gold, purity, bands, groups, id_column,
            show, seed, found,
        )  # fmt: skip
        chosen, pool = audits.make(file, wanted, rate_option=RATE)
    else:
        hypotheses = values.hypothesis_class(class_name, column=column, below=below)
        told = values.rate_of_experts(rate, RATE)
        chosen = making.rule_learner(learner, hypotheses, epsilon, delta, prior, told, check)
        pool = making.pool_of_rule(file, columns or column, id_column, show)
    with screen.said_before():
        study = Study.create(
            db,
            file.stem if name is None else name,
            pool,
            chosen,
            seed,
            positives=values.known_items("--positives", pool, positives),
            open_per_expert=open_per_expert,
            deadline=60 * deadline_minutes if deadline_minutes else None,
            rate_in_time=rate_in_time,
        )
    with study as made:
        kept, changed = made.name, made.run().learner is not made.learner
    again = opened.command("label", kept, db, own=class_name if "." in class_name else None)

    def words() -> None:
        if changed:
            screen.remark(AT_MOST if chosen.with_deadlines(rate_in_time=True) is not chosen else OF_ALL)
        screen.remark(f"Made the study {kept!r} of {len(pool):,} items; go on with: {again}")

    return Said(lambda: {"study": kept, "items": len(pool), "rate_used": not changed, "label": again}, words)


def _refuse(context: typer.Context, model: bool, audit: bool) -> None:
    """Refuse options that do not go with what is to be learned or audited."""
    if not model:
        options.refuse_named(context, options.OF_MODELS, NO_MODEL)
        if audit:
            options.refuse_named(context, (*options.OF_RULES, "columns"), NO_RULE)
        else:
            options.refuse_named(context, audit_options.FOR_AUDITS, NO_AUDIT)
        return
    options.refuse_named(context, options.OF_RULES, NO_RULE_IN_MODEL)
    if not audit:
        options.refuse_named(context, (*audit_options.FOR_AUDITS, "delta", "questions"), NO_AUDIT)
    options.refuse_named(context, [name for name in audit_options.FOR_AUDITS if name not in TARGETS], NO_CLASSIFIER)
