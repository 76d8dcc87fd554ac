"""The plan of an audit: how many questions its targets take, or what a number of questions certifies."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from activepu import checks
from activepu.audit import Audit
from activepu.audit.groups import GROUPED
from activepu.audit.trivial import warning
from activepu.errors import InvalidInput
from activepu.planning.audits.bands import Bands, guessed, of_pool
from activepu.planning.audits.formulas import Formulas
from activepu.planning.audits.simulate import AuditSimulation
from activepu.planning.audits.table import AuditPlan, AuditReach, Guess
from activepu.planning.runs import Trial, Watch, interrupted, watching
from activepu.planning.table import ReachRow, Row
from activepu.pools import Pool

PATIENCE = 8
"""A simulated audit is given up after this many times the limit."""
LOWER = 0.1
"""How much lower the classifier's recall and precision are in the second row of a plan."""
PROMISED = "The positives of each band are those that the classifier's probabilities promise; nobody has checked them."
SHIFTED = "The positives of each band follow from the classifier's probabilities, shifted to this recall and precision."
PARTS = (1.0, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
"""The targets that are tried for a budget: those whose limit is this part of it."""


def plan_audit(
    audit: Audit,
    rate: float | None,
    prior: float | None,
    model_recall: float | None,
    model_precision: float | None,
    budget: int | None,
    runs: int,
    pool: Any,
    progress: bool,
) -> AuditPlan | AuditReach:
    """Return the plan of an audit; `planning.plan` explains the parameters."""
    if audit.of_found:
        raise InvalidInput(
            'How long Audit("found") takes depends on how well the questions rank the pool: there is no plan for it; '
            "print its result as often as you like while it runs."
        )
    if isinstance(audit.rate, str):
        raise InvalidInput(
            f"A plan supposes one reveal rate for all experts, got rate={audit.rate!r}; leave it out of the audit, "
            "which then knows nothing about the rate."
        )
    known = None if audit.rate is None else audit.rates
    rate = _rate(rate, known)
    world, guessed_numbers = _world(audit, prior, model_recall, model_precision, pool)
    rates = (rate, rate) if len(audit.gold) or audit.purity is not None else known or (0.0, 1.0)
    formulas = Formulas(world, rate, rates, audit.delta)
    guess = Guess(
        guessed_numbers[0], rate, *guessed_numbers[1:], _knows(audit),
        "" if _number(pool) else PROMISED if model_recall is None and model_precision is None else SHIFTED,
    )  # fmt: skip
    targets = tuple((target.kind, target.value) for target in audit.targets)
    items = sum(world.sizes) + len(audit.gold)
    simulation = AuditSimulation(world, rate, targets, audit.delta, known, len(audit.gold), audit.purity, items)
    if budget is not None:
        if runs == 0:
            raise InvalidInput("What a budget reaches is found by simulation, got runs=0; use at least one run.")
        limited = replace(simulation, budget=min(items, budget))
        return AuditReach(budget, audit.delta, guess, _reached(limited, formulas, audit, runs, progress))
    if not targets:
        raise InvalidInput(
            "plan needs a target of the audit, such as Audit(None, recall=0.9), or a budget: say what you want to "
            "show, or how many questions may be asked."
        )
    rows = formulas.rows(audit.targets)
    simulated: list[Row] = []
    least = formulas.least(audit.targets)
    if runs and math.isfinite(least):
        simulation = replace(simulation, budget=_patience(least, items))
        simulation.check()
        with watching(progress, "audits", runs) as watch:
            trials = simulation.trials(runs, watch)
            simulated = _questions(simulation, trials, runs)
            if len(trials) == runs:
                simulated += _lower(simulation, formulas, guess, audit, runs, watch)
    rows += _groups(simulation, formulas, audit, runs, progress)
    easy = warning(audit.targets, guess.prior, "By this guess")
    return AuditPlan(tuple(map(str, audit.targets)), audit.delta, guess, (*simulated, *rows), easy)


def _patience(limit: float, items: int) -> int:
    """Return after how many questions a simulated audit is given up."""
    return min(items, PATIENCE * math.ceil(limit))


def _lower(
    simulation: AuditSimulation, formulas: Formulas, guess: Guess, audit: Audit, runs: int, watch: Watch
) -> list[Row]:
    """Return the row of the same audits where the classifier's recall and precision are `LOWER` less than guessed."""
    world = simulation.world
    recall, precision = (max(value - LOWER, LOWER / 2) for value in (guess.model_recall, guess.model_precision))
    lower = replace(formulas, world=world.with_quality(recall, precision))
    limit, name = lower.least(audit.targets), f"{100 * LOWER:.0f} points lower"
    said = f"if recall is {recall:.0%} and precision {precision:.0%}; "
    never = Row(name, None, None, "limit", said + "no number of questions shows what is not so")
    if math.isinf(limit):
        return [never]
    items = sum(world.sizes) + len(audit.gold)
    aimed = replace(simulation, world=lower.world, budget=_patience(limit, items))
    try:
        aimed.check()
    except InvalidInput:
        return [never]
    watch.expect(runs)
    rows = _questions(aimed, aimed.trials(runs, watch), runs)
    return [replace(row, method=name, note=said + row.note) for row in rows]


def _groups(simulation: AuditSimulation, formulas: Formulas, audit: Audit, runs: int, progress: bool) -> list[Row]:
    """Return for each group how many of its own questions show the targets of it alone.

    A group's statements are those of an audit of its items, at its part of δ and without a bet.
    """
    world = simulation.world
    delta = audit.delta * GROUPED / max(1, len(world.names))
    rows: list[Row] = []
    for number, name in enumerate(world.names):
        gold = world.gold[number]
        part, own = world.only(number), f"of its own questions, for {' and '.join(map(str, audit.targets))} of it"
        of_part = replace(formulas, world=part, delta=delta)
        least, limit = of_part.least(audit.targets), of_part.rows(audit.targets)[0]
        if math.isinf(least):
            rows.append(replace(limit, method=f"group {name}"))
            continue
        budget = _patience(least, sum(part.sizes) + gold)
        alone = replace(simulation, world=part, delta=delta, gold=gold, budget=budget, engine="set")
        try:
            alone.check()
        except InvalidInput:
            rows.append(Row(f"group {name}", None, None, "limit", "too few items: no number of questions is enough"))
            continue
        found = [limit]
        if runs:
            with watching(progress, "audits", runs) as watch:
                found = _questions(alone, alone.trials(runs, watch), runs)
        rows += [replace(row, method=f"group {name}", note=f"{own}: {row.note}") for row in found]
    return rows


def _rate(rate: float | None, known: tuple[float, float] | None) -> float:
    """Return the guess of ω: by default the middle of what the audit knows, or one half."""
    if rate is None:
        return 0.5 if known is None else sum(known) / 2
    rate = checks.rate("rate", rate)
    if known is not None and not known[0] <= rate <= known[1]:
        raise InvalidInput(
            f"The guess of the rate is {rate:g}, but the audit knows that it lies from {known[0]:g} to {known[1]:g}; "
            "leave the guess out, or correct the audit."
        )
    return rate


def _world(
    audit: Audit, prior: float | None, model_recall: float | None, model_precision: float | None, pool: Any
) -> tuple[Bands, tuple[int, float, float, float]]:
    """Return the world, and the guess in numbers: how many items, the prior, and the recall and the precision."""
    given = {"prior": prior, "model_recall": model_recall, "model_precision": model_precision}
    if not _number(pool):
        if prior is not None:
            raise InvalidInput(
                "With a pool, prior follows from the classifier's probabilities, or from model_recall and "
                f"model_precision, got {prior:g}; leave it out."
            )
        world = of_pool(audit, pool if isinstance(pool, Pool) else audit.pool(pool))
        if model_recall is None and model_precision is None:
            return world, _numbers(world)
        recall, precision = (
            world.value(kind) if value is None else checks.rate(f"model_{kind}", value)
            for kind, value in (("recall", model_recall), ("precision", model_precision))
        )
        world = world.with_quality(recall, precision)
        return world, _numbers(world)
    for name in ("bands", "groups"):
        if getattr(audit, name) is not None:
            raise InvalidInput(
                f"{name} divides the items of a pool, and this plan has none; pass pool=Pool(…), or leave {name} out."
            )
    defaults = {"prior": 0.1, "model_recall": 0.95, "model_precision": 0.9}
    guess = {name: defaults[name] if value is None else checks.rate(name, value) for name, value in given.items()}
    rows = checks.count("pool", pool, minimum=100)
    numbers = guess["prior"], guess["model_recall"], guess["model_precision"]
    return guessed(*numbers, rows), (rows, *numbers)  # as typed: the bands hold whole items, and so only nearly


def _numbers(world: Bands) -> tuple[int, float, float, float]:
    return world.strata.rows, world.value("prior"), world.value("recall"), world.value("precision")


def _number(pool: Any) -> bool:
    """Whether only the number of items is given."""
    return bool(np.isscalar(pool)) and not isinstance(pool, str)


def _knows(audit: Audit) -> str:
    low, high = audit.rates
    if low == high:
        known = "The audit knows that rate."
    elif audit.rate is not None:
        known = f"The audit knows that this rate lies from {low:g} to {high:g}."
    else:
        known = "The audit knows nothing about that rate."
    gold = f" It asks {len(audit.gold):,} known positives as well." if len(audit.gold) else ""
    pure = "" if audit.purity is None else f" At least {audit.purity:.0%} of the highest band is positive."
    return known + gold + pure


def _questions(simulation: AuditSimulation, trials: list[Trial], runs: int) -> list[Row]:
    """Return the row of the simulated audits; those that were given up count with what they had asked."""
    if not trials:
        return []
    asked = [trial.asked for trial in trials]
    low, most = (int(np.quantile(asked, q, method="inverted_cdf")) for q in (0.05, 0.95))
    unfinished = sum(trial.bound < 1 for trial in trials)
    note = f"mean of {len(trials)} runs; 90% of them took {low:,} to {most:,}"
    if unfinished:
        note = f"more, as {unfinished} of {len(trials)} runs did not get there in {simulation.budget:,} questions"
    if unfinished and simulation.budget >= sum(simulation.world.sizes) + simulation.gold:
        note = f"{unfinished} of {len(trials)} runs did not get there, even with every item asked"
        if unfinished == len(trials):
            note = "not possible in this pool, even if every item is asked: so it was in "
            note += f"{unfinished} of {unfinished} runs{interrupted(trials, runs)}"
            return [Row("Audit", None, None, "simulated", note)]
    note += interrupted(trials, runs)
    return [Row("Audit", round(np.mean(asked)), None, "simulated", note, most)]


def _reached(
    simulation: AuditSimulation, formulas: Formulas, audit: Audit, runs: int, progress: bool
) -> tuple[ReachRow, ...]:
    """Return what the budget certifies: as the one target, and for every quantity at once, without a target."""
    knows = audit.rate is not None or len(audit.gold) > 0 or audit.purity is not None
    kinds = [target.kind for target in audit.targets] or ["recall", *(["error", "precision"] if knows else [])]
    rows: list[ReachRow] = []
    with watching(progress, "audits") as watch:
        for kind in kinds:
            row, whole = _aimed(simulation, formulas, kind, runs, watch)
            rows += [] if row is None else [row]
            if not whole:
                return tuple(rows)
        for kind in kinds:
            watch.expect(runs)
            free = replace(simulation, targets=(), measured=kind)
            trials = free.trials(runs, watch)
            if trials:
                median, most = (_share([trial.bound for trial in trials], kind, share) for share in (0.5, 0.9))
                note = f"{len(trials)} runs without a target" + interrupted(trials, runs)
                rows.append(ReachRow(f"{kind}, no target", median, most, math.nan, "simulated", note))
            if len(trials) < runs:
                break
    return tuple(rows)


def _share(bounds: list[float], kind: str, share: float) -> float:
    """Return the bound that this share of the runs certified."""
    sign = 1 if kind == "error" else -1
    return sign * float(np.quantile([sign * bound for bound in bounds], share, method="inverted_cdf"))


def _aimed(
    simulation: AuditSimulation, formulas: Formulas, kind: str, runs: int, watch: Watch
) -> tuple[ReachRow | None, bool]:
    """Return the hardest targets that half and 90% of the runs certify; the second value is False after Ctrl-C."""
    values = [formulas.nearest(kind, part * simulation.budget) for part in PARTS]
    tried: dict[int, float] = {}

    def reach(share: float) -> int:
        """Return the first part whose target so many of the runs certify: easier targets are certified more often."""
        low, high = 0, len(PARTS)
        while low < high:
            middle = (low + high) // 2
            if middle not in tried:
                tried[middle] = _certified(simulation, kind, values[middle], runs, watch)
            low, high = (low, middle) if tried[middle] >= share else (middle + 1, high)
        return low

    try:
        found = [values[k] if k < len(PARTS) else None for k in (reach(0.5), reach(0.9))]
    except KeyboardInterrupt:
        return None, False
    nothing = 1.0 if kind == "error" else 0.0
    median, most = (nothing if value is None else value for value in found)
    note = f"{runs} runs a target; aim at {kind}={most:g}" if found[1] is not None else f"{runs} runs a target"
    return ReachRow(f"{kind}, one target", median, most, most, "simulated", note), True


def _certified(simulation: AuditSimulation, kind: str, value: float | None, runs: int, watch: Watch) -> float:
    """Return the share of the runs that certify the target within the budget."""
    if value is None:
        return 0.0
    aimed = replace(simulation, targets=((kind, value),))
    try:
        aimed.check()
    except InvalidInput:  # no number of questions can certify it
        return 0.0
    watch.expect(runs)
    trials = aimed.trials(runs, watch)
    if len(trials) < runs:
        raise KeyboardInterrupt
    return float(np.mean([trial.bound for trial in trials]))
