"""`activepu plan`: how many questions will it take, or what does a number of questions certify?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from activepu.cli import audit_options, names, options, screen
from activepu.cli.said import Said
from activepu.errors import InvalidInput

NO_AUDIT = "is for an audit; add --audit, or leave it out."
NO_CLASS = "is for learning a rule, and an audit learns none; leave it out."
FOR_AUDITS = ("recall", "error", "precision", "known_rate", "gold", "model_recall", "model_precision")
FOR_CLASSES = ("class_name", "dim", "epsilon", "theta")


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
    runs: Annotated[int, typer.Option(help="Simulated runs; 0 leaves them out.")] = names.RUNS,
    audit: Annotated[bool, typer.Option("--audit", help="Plan an audit of a classifier; needs a target.")] = False,
    recall: audit_options.Recall = None,
    error: audit_options.Error = None,
    precision: audit_options.Precision = None,
    known_rate: Annotated[
        str | None, typer.Option(metavar="R|LOW,HIGH", help="What the audit knows of the rate; by default nothing.")
    ] = None,
    gold: Annotated[int, typer.Option(help="How many known positives the audit asks among the others.")] = 0,
    model_recall: Annotated[float, typer.Option(help="A guess of the classifier's recall.")] = 0.95,
    model_precision: Annotated[float, typer.Option(help="A guess of the classifier's precision.")] = 0.9,
    pool: Annotated[int, typer.Option(help="The number of items of the simulated pool.")] = names.POOL,
) -> Said:
    """Say how many questions it will take, or what --budget questions certify, before anyone is asked.

    Z-CAL or the audit is simulated, which takes a while the first time. Ctrl-C ends the simulation with the runs that
    are done.

    \b
    activepu plan --class boxes --dim 2 --epsilon 0.05 --rate 0.5 --prior 0.3
    activepu plan --class boxes --dim 2 --budget 200 --rate 0.5 --prior 0.3
    activepu plan --audit --recall 0.9 --rate 0.5 --prior 0.1 --model-recall 0.95
    activepu plan --audit --budget 500
    """
    from activepu import planning
    from activepu.audit import Audit
    from activepu.cli import plans, values
    from activepu.hypotheses import BY_NAME

    options.refuse_named(context, *((FOR_CLASSES, NO_CLASS) if audit else (FOR_AUDITS, NO_AUDIT)))
    watched = screen.on_a_terminal()
    if audit:
        settings: dict[str, Any] = {"rate": rate, "prior": prior, "runs": runs, "pool": pool, "progress": watched}
        settings |= {"model_recall": model_recall, "model_precision": model_precision}
        settings |= {} if budget is None else {"budget": budget}
        told, known = values.known_rate(known_rate), range(gold)
        learner = Audit(None, recall=recall, error=error, precision=precision, delta=delta, rate=told, gold=known)
        return plans.said(planning.plan(learner, **settings))
    hypotheses = values.hypothesis_class(class_name, dim)
    if class_name in BY_NAME and hypotheses.fixed_dim == 1 and dim not in (None, 1):
        raise InvalidInput(f"{class_name.capitalize()} read one feature, got --dim {dim}; leave --dim out.")
    if hypotheses.dim is None and hypotheses.fixed_dim is None:
        raise InvalidInput(f"How many questions {class_name} take depends on the number of features; add --dim 2, say.")
    if budget is None:
        wanted = 0.05 if epsilon is None else epsilon
        return plans.said(
            planning.plan(hypotheses, wanted, delta, rate, prior, theta, runs=runs, pool=pool, progress=watched)
        )
    for name, value in (("--epsilon", epsilon), ("--theta", theta)):
        if value is not None:
            raise InvalidInput(f"{name} does not go with --budget, got {value:g}; leave one of them out.")
    return plans.said(
        planning.plan(hypotheses, None, delta, rate, prior, budget=budget, runs=runs, pool=pool, progress=watched)
    )
