"""The learners by the names that `--learner` takes, and the columns that they learn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.learners import Cal, KnownPrior, Learner, PassivePU, RevealRate, UnknownPrior
from activepu.models import ModelLearner, by_name, strategies
from activepu.zcal import ZCal


@dataclass(frozen=True)
class Settings:
    """What the user asked for."""

    hypotheses: HypothesisClass
    epsilon: float
    delta: float
    prior: float | None = None
    known_rate: float | tuple[float, float] | str | None = None
    check: int | None = None


def _known_prior(s: Settings) -> Learner:
    if s.prior is None:
        raise InvalidInput(
            "The learner known-prior needs --prior, the share of positives or an upper bound of it; "
            "leave --learner out to learn without it."
        )
    return KnownPrior(s.hypotheses, s.epsilon, s.delta, prior=s.prior)


LEARNERS: dict[str, Callable[[Settings], Learner]] = {
    "zcal": lambda s: ZCal(s.hypotheses, s.epsilon, s.delta, rate=s.known_rate, check=s.check),
    "known-prior": _known_prior,
    "unknown-prior": lambda s: UnknownPrior(s.hypotheses, s.epsilon, s.delta),
    "passive": lambda s: PassivePU(s.hypotheses, s.epsilon, s.delta, prior=s.prior),
    "cal": lambda s: Cal(s.hypotheses, s.epsilon, s.delta),
    "reveal-rate": lambda s: RevealRate(s.hypotheses, s.delta),
}


def make(name: str | None, settings: Settings) -> Learner:
    """Return the learner of this name; without a name KnownPrior if the prior is given, else Z-CAL."""
    name = name or ("zcal" if settings.prior is None else "known-prior")
    if name not in LEARNERS:
        raise InvalidInput(f"There is no learner {name!r}; the learners are {', '.join(LEARNERS)}.")
    if settings.known_rate is not None and name != "zcal":
        raise InvalidInput(f"A known rate is for the learner zcal, but the learner is {name}; leave one of them out.")
    if settings.check is not None and name != "zcal":
        raise InvalidInput(f"--check is for the learner zcal, but the learner is {name}; leave one of them out.")
    return LEARNERS[name](settings)


def of_model(
    name: str, strategy: str | None, rate: float | None, audit: Mapping[str, Any] | None, questions: int | None
) -> ModelLearner:
    """Return the learner around a model of this name; `audit` holds the targets that it is audited for."""
    chosen: dict[str, Any] = {} if strategy is None else {"strategy": _strategy(strategy)}
    targets = None if audit is None else {key: value for key, value in audit.items() if value is not None}
    if targets is not None and not targets.keys() & {"recall", "error", "precision"}:
        raise InvalidInput("--audit needs a target: add --recall 0.8, say, or --error or --precision.")
    return ModelLearner(by_name.named(name), **chosen, rate=rate, audit=targets, questions=questions)


def _strategy(name: str) -> str:
    found = " ".join(name.replace("-", " ").split())
    try:
        strategies.strategy(found)
    except InvalidInput as error:
        raise InvalidInput(f"--{error}") from None
    return found


def columns_for_model(table: pa.Table, wanted: list[str] | None, but: tuple[str | None, ...]) -> list[str]:
    """Return the columns that were named, or all but these."""
    found = wanted or [name for name in table.column_names if name not in but]
    if not found:
        raise InvalidInput("The table has no column that a model could learn from; add one.")
    return found


def features(table: pa.Table, wanted: list[str] | None, id_column: str | None) -> list[str]:
    """Return the columns that were named, or all that hold numbers."""
    kinds = dict(zip(table.column_names, table.schema.types, strict=True))
    kinds.pop(id_column or "", None)
    numeric = [name for name, kind in kinds.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
    if not numeric and wanted is None:
        raise InvalidInput(f"No column holds numbers; the table has {', '.join(kinds)[:200]}.")
    for name in wanted or ():
        kind = kinds.get(name)
        if not (kind is None or name in numeric or pa.types.is_boolean(kind) or pa.types.is_decimal(kind)):
            others = f", of {', '.join(numeric)[:200]}" if numeric else ""
            raise InvalidInput(f"Column {name!r} holds {kind}, not numbers; choose others with --columns{others}.")
    return wanted or numeric
