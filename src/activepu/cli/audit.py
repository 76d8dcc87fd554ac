"""`activepu audit`: how good is a classifier? A dry run on a table whose answers are known, or how to ask experts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from activepu.cli import audit_options, options, screen
from activepu.cli.said import INTERRUPTED, Said
from activepu.errors import InvalidInput


def audit(
    file: options.Table,
    found: audit_options.Found = False,
    predictions: audit_options.Predictions = None,
    score: audit_options.Score = None,
    cut: audit_options.Cut = None,
    recall: audit_options.Recall = None,
    error: audit_options.Error = None,
    precision: audit_options.Precision = None,
    delta: options.Delta = 0.05,
    known_rate: Annotated[
        str | None,
        typer.Option(
            metavar="R|LOW,HIGH", help="What is known of the reveal rate: 0.6, or 0.4,0.8; by default nothing."
        ),
    ] = None,
    gold: audit_options.Gold = None,
    purity: audit_options.Purity = None,
    bands: audit_options.Bands = None,
    groups: audit_options.Groups = None,
    id_column: options.Key = None,
    show: Annotated[
        str | None, typer.Option(metavar="A,B", help="What experts see; by default all but predictions and score.")
    ] = None,
    seed: options.Seed = 0,
    expert_column: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="For a dry run: the column with the truth, 0/1 or true/false.")
    ] = None,
    rate: Annotated[float, typer.Option(help="How often the simulated expert reveals a positive.")] = 0.5,
    budget: Annotated[int | None, typer.Option(help="The most questions to ask in the dry run.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the result of the dry run here, as JSON.")] = None,
    plot: audit_options.Plot = None,
) -> Said:
    """Certify the recall, error and precision of a classifier, or how much was found so far.

    Nothing is assumed about what makes an item positive. With --expert-column it is a dry run: a simulated expert knows
    the truth, and confirms some of the positives. Without it, you are told the command that asks real experts.

    \b
    activepu audit table.csv --predictions p --recall 0.9 --expert-column y
    activepu audit table.csv --score s --cut 0.5 --recall 0.9 --expert-column y
    activepu audit table.csv --predictions p --score s --error 0.1 --gold k1,k7
    activepu audit table.csv --found --score s --recall 0.9 --expert-column y
    """
    from activepu.cli import audits, data, findings, values
    from activepu.experts import SimulatedExpert, binary
    from activepu.run import learn as run_learner

    if save is not None:
        values.check_writable(save)
    if found and plot is not None:
        raise InvalidInput("--plot draws the cuts of a classifier, and what was found has none; leave --plot out.")
    findings.check_plot(plot)
    wanted = audit_options.Settings(
        predictions, score, cut, recall, error, precision, delta, known_rate, gold, purity, bands, groups, id_column,
        show, seed, found,
    )  # fmt: skip
    if expert_column in (predictions, score) and expert_column is not None:
        raise InvalidInput(f"The expert column {expert_column!r} holds the answers and cannot be audited itself.")
    learner, pool = audits.make(file, wanted, expert_column)
    if expert_column is None:
        screen.remark(
            "Without --expert-column COLUMN, the truth for a dry run, nobody answers; ask real experts in a study: "
            f"{wanted.command(file)}"
        )
        raise typer.Exit(2)
    if not learner.targets and budget is None:
        targets = "--recall" if found else "--recall, --error or --precision"
        raise InvalidInput(f"A dry run needs an end: add {targets}, or a --budget of questions.")
    y = binary(f"The expert column {expert_column!r}", pool.column(expert_column))
    expert = SimulatedExpert(y, rate=rate, seed=seed)
    with screen.said_before(), screen.bars() as bars, bars.bar("Audit", budget) as watch:
        result = run_learner(learner, pool, expert, seed=seed, budget=budget, progress=watch)
    truth = findings.truth_found(result, pool, expert) if found else findings.truth_of(learner, pool, expert)

    def then() -> None:
        findings.plot(result, plot, truth)
        if save is not None:
            result.save(save)
            screen.remark(f"Wrote the result to {save}.")

    return Said(
        lambda: data.of_result(result) | {"truth": truth.of(result)},
        lambda: findings.show(result, score is not None, truth),
        then,
        INTERRUPTED * data.interrupted(result),
    )
