"""Learners and pools of studies, from what the options say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from activepu.cli import learners, values
from activepu.errors import InvalidInput
from activepu.hypotheses import HypothesisClass
from activepu.learners import Learner
from activepu.models import ModelLearner
from activepu.pools import Pool
from activepu.pools.read import read_file


def rule_learner(
    name: str | None,
    hypotheses: HypothesisClass,
    epsilon: float,
    delta: float,
    prior: float | None,
    rate: float | tuple[float, float] | str | None,
    check: int | None,
) -> Learner:
    """Return a learner of rules."""
    return learners.make(name, learners.Settings(hypotheses, epsilon, delta, prior, rate, check))


def pool_of_rule(file: Path, columns: str | None, id_column: str | None, show: str | None) -> Pool:
    """Return the pool with the columns that a rule may use."""
    features = learners.features(read_file(file), values.names(columns, "--columns"), id_column)
    return Pool(file, features=features, id=id_column, show=values.names(show, "--show"))


def model_learner(
    name: str, strategy: str | None, rate: str | None, targets: Mapping[str, Any] | None, questions: int | None
) -> ModelLearner:
    """Return a learner around a model, which the study can make again without code from elsewhere."""
    if rate is not None and rate.replace("-", " ").strip().lower() == values.PER_EXPERT:
        raise InvalidInput("A model assumes one reveal rate for all experts; leave --rate 'per expert' out.")
    return learners.of_model(name, strategy, values.one_rate(rate, "--rate"), targets, questions)


def pool_of_model(file: Path, columns: str | None, id_column: str | None, show: str | None) -> Pool:
    """Return the pool with the columns that a model may use."""
    features = learners.columns_for_model(read_file(file), values.names(columns, "--columns"), (id_column,))
    return Pool(file, features=features, id=id_column, show=values.names(show, "--show"), raw=True)
