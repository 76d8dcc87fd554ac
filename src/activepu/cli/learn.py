"""`activepu learn`: a dry run on a table whose answers are known, with a simulated expert."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activepu.cli import audit_options, options, screen
from activepu.cli.said import INTERRUPTED, Said

NO_RULE = "is for a class of rules, and a --model learns without one; leave it out."
NO_MODEL = "is for a model; add --model forest, say, or leave it out."
NO_AUDIT = "is for an audit of the --model; add --audit, or leave it out."


def learn(
    context: typer.Context,
    file: options.Table,
    expert_column: Annotated[str, typer.Option(help="The column with the truth, 0/1 or true/false.")],
    class_name: options.ClassName = "boxes",
    model: options.Model = None,
    features: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="The columns that the rule or the model may use; by default every numeric one, and for a model all.",
        ),
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column to cut, for thresholds.")] = None,
    below: Annotated[bool, typer.Option("--below", help="Positive below the threshold, not above it.")] = False,
    id_column: options.Key = None,
    positives: options.Positives = None,
    learner: options.Learner = None,
    strategy: options.Strategy = None,
    prior: Annotated[float | None, typer.Option(help="The share of positives, or an upper bound of it.")] = None,
    rate: Annotated[
        float | None,
        typer.Option(help="How often the simulated expert reveals a positive; by default 0.5, and 1 for cal."),
    ] = None,
    known_rate: Annotated[
        str | None,
        typer.Option(
            metavar="R|LOW,HIGH",
            help="What zcal is told about that rate, or a model (one number); by default nothing.",
        ),
    ] = None,
    epsilon: options.Epsilon = 0.05,
    delta: options.Delta = 0.05,
    check: options.Check = None,
    audit: Annotated[
        bool, typer.Option("--audit", help="Audit the --model on the items that were not asked; needs a target.")
    ] = False,
    recall: audit_options.Recall = None,
    error: audit_options.Error = None,
    precision: audit_options.Precision = None,
    questions: options.Questions = None,
    seed: options.Seed = 0,
    budget: Annotated[int | None, typer.Option(help="The most questions to ask.")] = None,
    batch: Annotated[
        int | None, typer.Option(help="How many questions are put at a time; by default 1, and 10 for a model.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(help="Write the result here, as JSON, and a model beside it, as .skops, for activepu score."),
    ] = None,
    items: Annotated[
        Path | None,
        typer.Option(help="Write here what is decided or estimated about every item, as .csv, .tsv or .parquet."),
    ] = None,
) -> Said:
    """Try it on a table of your own whose answers you know, with a simulated expert.

    \b
    activepu learn table.csv --expert-column y --class boxes --epsilon 0.1
    activepu learn table.csv --expert-column y --class boxes --epsilon 0.1 --known-rate 0.3,0.8
    activepu learn scores.csv --expert-column y --class thresholds --column score --budget 500
    activepu learn table.csv --expert-column y --model forest --budget 300 --positives 17,23
    activepu learn table.csv --expert-column y --model boosting --audit --recall 0.8
    """
    from activepu.cli import data, dry_runs, kept, learners, tables, values
    from activepu.experts import SimulatedExpert
    from activepu.run import learn as run_learner

    targets: dict[str, float | None] = {"recall": recall, "error": error, "precision": precision}
    if model is None:
        options.refuse_named(context, (*options.OF_MODELS, *targets, "audit"), NO_MODEL)
    else:
        options.refuse_named(context, options.OF_RULES, NO_RULE)
        if not audit:
            options.refuse_named(context, ("delta", "questions", *targets), NO_AUDIT)
    if save is not None:
        values.check_writable(save)
    if items is not None:
        tables.check("--items", items)
    if model is None:
        hypotheses = values.hypothesis_class(class_name, column=column, below=below)
        told = values.known_rate(known_rate)
        chosen = learners.make(learner, learners.Settings(hypotheses, epsilon, delta, prior, told, check))
    else:
        audited = {"delta": delta, **targets} if audit else None
        chosen = learners.of_model(model, strategy, values.one_rate(known_rate), audited, questions)
    coin = dry_runs.checked_rate(chosen, rate)
    pool, y = dry_runs.read_pool(
        file, values.names(features or column), expert_column, id_column, of_model=model is not None
    )
    known = values.known_items("--positives", pool, positives)
    expert = SimulatedExpert(y, rate=coin, seed=seed)
    step = batch if batch is not None else 1 if model is None else 10
    with screen.bars() as bars, bars.bar(type(chosen).__name__, budget) as watch:
        result = run_learner(chosen, pool, expert, known, seed=seed, budget=budget, batch=step, progress=watch)
    found = dry_runs.Found(result, pool, y)

    def then() -> None:
        if save is not None:
            kept.save(result, save)
        if items is not None:
            found.write_items(items)
            screen.remark(f"Wrote {len(pool):,} items to {items}.")

    return Said(
        lambda: data.of_result(result) | found.truth(), found.show, then, INTERRUPTED * data.interrupted(result)
    )
