"""The learning curve of a model: what it would have said after fewer answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.models.answers import Answers
from activepu.models.learner import ModelLearner
from activepu.pools import Pool
from activepu.records import Note, Question
from activepu.result import Result


def learning_curve(
    learner: ModelLearner, result: Result, points: int = 10, positives: Any = (), seed: int = 0
) -> dict[str, list[Any]]:
    """Columns, ready for a DataFrame: questions, revealed, rate, prior, expected_error; all but counts are estimates.

    The model is fitted anew to the first answers of a run, at so many `points` of it; `positives` as in `learn`.
    """
    source = getattr(result, "source", None)
    if not isinstance(learner, ModelLearner) or not isinstance(source, Pool):
        raise InvalidInput(
            "A learning curve takes a ModelLearner and the result of its run on a pool, and not a loaded one; "
            f"got {checks.brief(learner)} and {checks.brief(result)}."
        )
    checks.count("points", points, minimum=1)
    draws = source.draws(learner.hypotheses, seed, positives)
    answers = Answers(draws, learner.classifier(source.dim), learner.rate)
    rows, n = answers.rows(answers.reference), result.n_queries
    curve: dict[str, list[Any]] = {name: [] for name in ("questions", "revealed", "rate", "prior", "expected_error")}
    at = set(np.linspace(0, n, points + 1).round().astype(int).tolist())
    for step, (item, answer) in enumerate(zip(result.history["item"], result.history["answer"], strict=True), 1):
        answers.fold(Question(step, item, None, Note("model", -1), bool(answer)))
        if step in at:
            model = answers.model
            p = None if model is None else model.probability(rows)
            values = (
                step,
                sum(answers.revealed),
                None if model is None else model.rate,
                None if p is None else float(p.mean()),
                None if p is None else float(np.minimum(p, 1 - p).mean()),
            )
            for column, value in zip(curve.values(), values, strict=True):
                column.append(value)
    return curve
