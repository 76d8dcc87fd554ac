"""`plan`: how many questions it takes, or what a number of questions certifies."""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np

from activepu import channel, checks
from activepu.audit import Audit
from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass
from activepu.models import ModelLearner
from activepu.planning import formulas
from activepu.planning.audits import AuditPlan, AuditReach, plan_audit
from activepu.planning.models import ModelPlan, plan_model
from activepu.planning.runs import Trial, Watch, interrupted, watching
from activepu.planning.simulate import Simulation, simulated_class
from activepu.planning.table import Plan, Reach, ReachRow, Row
from activepu.result import Result
from activepu.theory.disagreement import coefficient

RUNS = 10
POOL = 20_000
PATIENCE = 20
"""A simulated run is given up after this many times the questions that any method needs."""
ROUNDS = 4
"""How many targets are tried at most to find the error that a budget certifies."""
SCOUTS = 3
"""How many runs try a target."""
NEAR = 1.3
"""A target within this factor of one that was tried is not tried again."""
STRIDE = 8
"""The largest factor between one target and the next smaller one."""
FINEST, COARSEST = 20, 0.5
"""The smallest error that is tried, in rows of the pool, and the largest, as a share."""


@overload
def plan(
    subject: HypothesisClass,
    epsilon: float,
    delta: float | None = None,
    rate: float | None = None,
    prior: float | None = None,
    theta: float | None = None,
    *,
    runs: int = RUNS,
    pool: int = POOL,
    progress: bool = False,
) -> Plan: ...


@overload
def plan(
    subject: HypothesisClass,
    epsilon: None = None,
    delta: float | None = None,
    rate: float | None = None,
    prior: float | None = None,
    *,
    budget: int,
    runs: int = RUNS,
    pool: int = POOL,
    progress: bool = False,
) -> Reach: ...


@overload
def plan(
    subject: Audit,
    *,
    rate: float | None = None,
    prior: float | None = None,
    model_recall: float | None = None,
    model_precision: float | None = None,
    runs: int = RUNS,
    pool: Any = POOL,
    progress: bool = False,
) -> AuditPlan: ...


@overload
def plan(
    subject: Audit,
    *,
    rate: float | None = None,
    prior: float | None = None,
    model_recall: float | None = None,
    model_precision: float | None = None,
    budget: int,
    runs: int = RUNS,
    pool: Any = POOL,
    progress: bool = False,
) -> AuditReach: ...


@overload
def plan(
    subject: ModelLearner,
    *,
    result: Result,
    positives: Any = (),
    budget: int | None = None,
    runs: int = RUNS,
    progress: bool = False,
) -> ModelPlan: ...


def plan(
    subject: HypothesisClass | Audit | ModelLearner,
    epsilon: float | None = None,
    delta: float | None = None,
    rate: float | None = None,
    prior: float | None = None,
    theta: float | None = None,
    *,
    model_recall: float | None = None,
    model_precision: float | None = None,
    result: Result | None = None,
    positives: Any = (),
    budget: int | None = None,
    runs: int = RUNS,
    pool: Any = POOL,
    progress: bool = False,
) -> Plan | Reach | AuditPlan | AuditReach | ModelPlan:
    """Say how many questions it takes, or what a budget certifies, before anyone is asked.

    For a class pass either `epsilon` or `budget`. For an audit its targets say what is wanted; with `budget` they say
    only which quantity. Every row of the answer says what kind of number it is: a proved bound, an estimate, a limit,
    or the mean of simulated runs. Z-CAL is simulated on rows that are uniform in the cube, with a truth of this prior.
    A list of rules has no natural truth and is not simulated. An audit is simulated on a pool in five bands, as a
    classifier with this recall and precision would make them, or on the strata of your own pool. A model is
    simulated on the pool of its result so far, with that model as the world, and is not kept. Simulations run on all
    cores and are kept in the user's cache folder. Ctrl-C ends the simulation with the runs that are done.

    Parameters
    ----------
    subject : HypothesisClass, Audit or ModelLearner
        What is planned: a class with its number of features, `Boxes(dim=2)`, an audit, `Audit(None, recall=0.9)`, or
        the learner of a model. Without a pool the classifier of an audit is not looked at.
    epsilon : float, optional
        The error that is allowed; for a class.
    delta : float, optional
        The probability with which the certificate may be wrong, by default 0.05; an audit has its own.
    rate, prior : float, optional
        Guesses of the reveal rate ω (by default 0.5, or what the audit knows) and of the share of positives π (0.1).
    theta : float, optional
        The disagreement coefficient at the truth. By default a closed form is used if there is one
        (`theory.disagreement.coefficient`; for boxes and orthants that of independent columns).
    model_recall, model_precision : float, optional
        Guesses of how good the audited classifier is, by default 0.95 and 0.9. With a pool, by default what the
        classifier's probabilities promise; another guess shifts them.
    result : Result, optional
        For a model: what its run has found so far, with its pool.
    positives
        For a model: as in `learn`.
    budget : int, optional
        The most questions that may be asked; for a model how many more, by default 100.
    runs : int
        How often Z-CAL, or the audit, is simulated; 0 leaves it out.
    pool : int, Pool or table
        The number of rows of the simulated pool. For an audit also the pool itself: its strata are used, and the
        classifier's own probabilities say how many positives they hold. An audit with groups then has a row for each.
    progress : bool
        Whether to show a bar while it simulates.

    Returns
    -------
    Plan, Reach, AuditPlan, AuditReach or ModelPlan
        A table that prints: questions by method, with `budget` what is certified, and of a model how good it becomes.

    Examples
    --------
    With `runs=0` there are only formulas:

    >>> import activepu as apu
    >>> plan = apu.plan(apu.Boxes(dim=2), epsilon=0.1, delta=0.1, rate=0.5, prior=0.3, runs=0)
    >>> {row.method: row.questions for row in plan.rows if row.method in ("PassivePU", "limit")}
    {'PassivePU': 319, 'limit': 42}
    >>> plan = apu.plan(apu.Audit(None, recall=0.9), rate=0.5, prior=0.1, model_recall=0.95, runs=0)
    >>> {row.method: row.questions for row in plan.rows if row.kind == "limit"}
    {'limit': 2035, 'floor': 505}

    A model, from its answers so far:

    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> learner = apu.ModelLearner(GaussianNB())
    >>> result = apu.learn(learner, X, apu.SimulatedExpert(X[:, 0] > 1), budget=40, batch=20)
    >>> plan = apu.plan(learner, result=result, budget=20, runs=1)
    >>> [row.questions for row in plan.rows]
    [0, 5, 10, 15, 20]
    """
    runs = checks.count("runs", runs)
    budget = None if budget is None else checks.count("budget", budget, minimum=1)
    if isinstance(subject, Audit):
        _leave_out("an audit", epsilon=epsilon, delta=delta, theta=theta)
        _leave_out("an audit", result=result)
        return plan_audit(subject, rate, prior, model_recall, model_precision, budget, runs, pool, progress)
    if isinstance(subject, ModelLearner):
        _leave_out("a model", epsilon=epsilon, delta=delta, rate=rate, prior=prior, theta=theta)
        _leave_out("a model", model_recall=model_recall, model_precision=model_precision)
        return plan_model(subject, result, positives, budget, runs, progress)
    if not isinstance(subject, HypothesisClass):
        raise InvalidInput(
            f"plan takes a hypothesis class such as Boxes(dim=2), an Audit or a ModelLearner, got {subject!r}."
        )
    _leave_out("a class", result=result, model_recall=model_recall, model_precision=model_precision)
    delta = checks.delta("delta", 0.05 if delta is None else delta)
    rate, prior = (
        checks.rate("rate", 0.5 if rate is None else rate),
        checks.rate("prior", 0.1 if prior is None else prior),
    )
    return _plan_class(
        subject, epsilon, delta, rate, prior, theta, budget, runs, checks.count("pool", pool, 100), progress
    )


def _leave_out(what: str, **given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise InvalidInput(f"The plan of {what} takes no {name}, got {checks.brief(value)}; leave it out.")


def _plan_class(
    hypotheses: HypothesisClass,
    epsilon: float | None,
    delta: float,
    rate: float,
    prior: float,
    theta: float | None,
    budget: int | None,
    runs: int,
    pool: int,
    progress: bool,
) -> Plan | Reach:
    if (epsilon is None) == (budget is None):
        raise InvalidInput(
            f"plan needs either epsilon or budget, got epsilon={epsilon!r} and budget={budget!r}: say which error you "
            "want, or how many questions may be asked."
        )
    if budget is not None:
        return _reach(hypotheses, budget, delta, rate, prior, runs, pool, progress)
    assert epsilon is not None
    epsilon = checks.open_unit("epsilon", epsilon)
    theta = coefficient(hypotheses, prior) if theta is None else checks.at_least("theta", theta, 1)
    setting = formulas.Setting(hypotheses, epsilon, delta, rate, prior, theta)
    rows = formulas.rows(setting)
    named = simulated_class(hypotheses) if runs else None
    simulated: list[Row] = []
    if named is not None:
        most = PATIENCE * formulas.least(setting)
        asked = [Simulation(*named, epsilon, delta, rate, prior, known, most, pool) for known in (False, True)]
        with watching(progress, "ZCal", 2 * runs) as watch:
            simulated = _simulated(asked, runs, watch)
    return Plan(repr(hypotheses), epsilon, delta, rate, prior, theta, (*simulated, *rows), pool if simulated else None)


def _method(known: bool) -> str:
    return "ZCal, rate known" if known else "ZCal"


def _simulated(simulations: list[Simulation], runs: int, watch: Watch) -> list[Row]:
    """Return a row for each simulation; Ctrl-C ends the current one and leaves the later ones out."""
    rows: list[Row] = []
    for simulation in simulations:
        trials = simulation.trials(runs, watch)
        if trials:
            rows.append(_questions(simulation, trials, runs))
        if len(trials) < runs:
            break
    return rows


def _questions(simulation: Simulation, trials: list[Trial], runs: int) -> Row:
    """Return mean and 90% quantile of the questions; runs that were given up count with what they had asked."""
    asked = [trial.asked for trial in trials]
    most = int(np.quantile(asked, 0.9, method="inverted_cdf"))
    note = f"mean of {len(trials)} runs; 90% of them took at most {most:,}"
    unfinished = sum(trial.bound > simulation.epsilon for trial in trials)
    if unfinished:
        note = f"more, as {unfinished} of {len(trials)} runs did not get there in {simulation.budget:,} questions"
    note += interrupted(trials, runs)
    return Row(_method(simulation.known), round(np.mean(asked)), None, "simulated", note, most)


def _reach(
    hypotheses: HypothesisClass,
    budget: int,
    delta: float,
    rate: float,
    prior: float,
    runs: int,
    pool: int,
    progress: bool,
) -> Reach:
    named = simulated_class(hypotheses)
    if named is None or runs == 0:
        raise InvalidInput(
            f"What a budget reaches is found by simulation, got runs={runs} and {hypotheses!r}: use at least one run, "
            "and thresholds, intervals, boxes, orthants, conjunctions or halfspaces."
        )
    rows: list[ReachRow] = []
    with watching(progress, "ZCal") as watch:
        for known in (False, True):
            start = _guess(hypotheses, budget, rate, known, pool)
            row, whole = _search(Simulation(*named, start, delta, rate, prior, known, budget, pool), runs, watch)
            rows += [row] if row is not None else []
            if not whole:
                break
    return Reach(repr(hypotheses), budget, delta, rate, prior, tuple(rows), pool)


def _search(simulation: Simulation, runs: int, watch: Watch) -> tuple[ReachRow | None, bool]:
    """Find the best ε to aim at with a few runs, by the error that 90% of them certify; then aim at it with all runs.

    A target that is too small certifies a larger error: questions then go close to the boundary, and too few exclude
    the hypotheses far from it. The second value is False if Ctrl-C ended the search.
    """
    scouts = min(runs, SCOUTS)
    tried: dict[float, float] = {}
    target = simulation.epsilon
    while len(tried) < ROUNDS and not any(target / NEAR < before < target * NEAR for before in tried):
        aimed = simulation.aiming_at(target)
        watch.expect(scouts)
        trials = aimed.trials(scouts, watch)
        if len(trials) < scouts:
            return None, False
        tried[target] = _reached(trials, 0.9)
        target = _next(aimed, trials)
    target = min(tried, key=lambda target: tried[target])
    watch.expect(runs)
    trials = simulation.aiming_at(target).trials(runs, watch)
    note = f"{len(trials)} runs that aimed at epsilon = {target:.2g}" + interrupted(trials, runs)
    median, most = _reached(trials, 0.5), _reached(trials, 0.9)
    return ReachRow(_method(simulation.known), median, most, target, "simulated", note), len(trials) == runs


def _reached(trials: list[Trial], share: float) -> float:
    """Return the error that this share of the runs certified."""
    return float(np.quantile([trial.bound for trial in trials], share, method="inverted_cdf"))


def _next(aimed: Simulation, trials: list[Trial]) -> float:
    """Return the next target: the error that was certified, or, if the target was met, a smaller one.

    The smaller one would take the whole budget if questions grow like ln 1/ε.
    """
    reached = _reached(trials, 0.9)
    if reached > aimed.epsilon:
        return min(reached, COARSEST)
    asked = max(1, *(trial.asked for trial in trials))
    return max(FINEST / aimed.pool, aimed.epsilon / STRIDE, math.pow(aimed.epsilon, aimed.budget / asked))


def _guess(hypotheses: HypothesisClass, budget: int, rate: float, known: bool, pool: int) -> float:
    """Return the first target: the ε for which the limit is the usual part of the budget (a third, or a seventh)."""
    bits = budget * float(channel.capacity(rate)) / (3 if known else 7)
    return min(COARSEST, max(FINEST / pool, math.pow(2.0, -bits / hypotheses.vc_dimension)))
