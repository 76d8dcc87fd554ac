"""`activepu audit`: how good is a classifier? A dry run on a table whose answers are known, or how to ask experts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from activepu.audit import Audit
from activepu.audit.groups import read as read_groups
from activepu.cli import audits, findings, options, screen
from activepu.errors import InvalidInput
from activepu.experts import SimulatedExpert, binary
from activepu.pools import Pool
from activepu.result import Result
from activepu.run import learn as run_learner


def audit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A table with one row per item: .csv, .tsv or .parquet.")
    ],
    found: audits.Found = False,
    predictions: audits.Predictions = None,
    score: audits.Score = None,
    cut: audits.Cut = None,
    recall: audits.Recall = None,
    error: audits.Error = None,
    precision: audits.Precision = None,
    delta: options.Delta = 0.05,
    known_rate: Annotated[
        str | None,
        typer.Option(
            metavar="R|LOW,HIGH", help="What is known of the reveal rate: 0.6, or 0.4,0.8; by default nothing."
        ),
    ] = None,
    gold: audits.Gold = None,
    purity: audits.Purity = None,
    bands: audits.Bands = None,
    groups: audits.Groups = None,
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
    plot: audits.Plot = None,
) -> None:
    """Certify the recall, error and precision of a classifier, or how much was found so far.

    Nothing is assumed about what makes an item positive. With --expert-column it is a dry run: a simulated expert knows
    the truth, and confirms some of the positives. Without it, you are told the command that asks real experts.

    \b
    activepu audit table.csv --predictions p --recall 0.9 --expert-column y
    activepu audit table.csv --score s --cut 0.5 --recall 0.9 --expert-column y
    activepu audit table.csv --predictions p --score s --error 0.1 --gold k1,k7
    activepu audit table.csv --found --score s --recall 0.9 --expert-column y
    """
    if save is not None:
        options.check_writable(save)
    if found and plot is not None:
        raise InvalidInput("--plot draws the cuts of a classifier, and what was found has none; leave --plot out.")
    findings.check_plot(plot)
    wanted = audits.Settings(
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
    truth = _truth_found(result, pool, expert) if found else _truth(learner, pool, expert)
    findings.show(result, score is not None, truth)
    findings.plot(result, plot, truth)
    if save is not None:
        result.save(save)
        screen.remark(f"Wrote the result to {save}.")


def _truth(learner: Audit, pool: Pool, expert: SimulatedExpert) -> findings.Truth:
    """Return the truth about the rows that are audited: all but those that look like gold."""
    audited = np.flatnonzero(~np.isin(pool.coins, pool.coins[learner.gold]))
    judged, _ = learner.strata(pool.draws(learner.hypotheses, 0))
    groups = read_groups(learner.groups, pool)
    assert expert.y is not None
    return findings.Truth(
        expert.y[audited],
        judged.predictions[audited],
        expert.answer(pool.coins[audited], None),
        None if judged.scores is None else judged.scores[audited],
        expert.rate,
        None if groups is None else np.array(groups.names)[groups.codes[audited]],
    )


def _truth_found(result: Result, pool: Pool, expert: SimulatedExpert) -> findings.Truth:
    """Return the truth about what was found: of the rows that the expert would confirm, those that are in hand."""
    confirmable = expert.answer(pool.coins, None)
    in_hand = np.isin(np.arange(len(pool)), result.found)
    return findings.Truth(confirmable, in_hand, confirmable, None, expert.rate)
