"""The learning curve of a model: what it would have said after fewer answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.models.audited import LEARNING
from activepu.models.learner import ModelLearner
from activepu.models.outlook import estimates
from activepu.models.state import ModelState
from activepu.pools import Pool
from activepu.records import Note, Question
from activepu.result import Result

COLUMNS = ("questions", "revealed", "rate", "prior", "average_precision")


def learning_curve(
    learner: ModelLearner, result: Result, points: int = 10, positives: Any = (), seed: int = 0
) -> dict[str, list[Any]]:
    """What a model would have said after fewer answers.

    The model is fitted from scratch to the first answers of a finished run. Nobody is asked. All columns but the two
    counts are estimates. Where an audit followed, its answers are left out.

    Parameters
    ----------
    learner : ModelLearner
        The learner of the run.
    result : Result
        Its result, as `learn` or `run.result()` gave it; a result that was loaded from a file has no pool.
    points : int
        At how many points of the run, at equal distances; the last one is its end.
    positives, seed
        As in `learn`.

    Returns
    -------
    dict of lists
        Columns, ready for a DataFrame: `questions` and `revealed` so far; `rate`, `prior` and `average_precision`, None
        while all answers are the same.

    Raises
    ------
    InvalidInput
        If the learner is no `ModelLearner`, or the result was loaded.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0, rate=0.8)
    >>> learner = apu.ModelLearner(GaussianNB())
    >>> result = apu.learn(learner, X, expert, budget=40, batch=20)
    >>> curve = apu.learning_curve(learner, result, points=2)
    >>> curve["questions"], curve["revealed"][-1] == result.n_revealed
    ([20, 40], True)
    """
    source = getattr(result, "source", None)
    if not isinstance(learner, ModelLearner) or not isinstance(source, Pool):
        raise InvalidInput(
            "A learning curve takes a ModelLearner and the result of its run on a pool, and not a loaded one; "
            f"got {checks.brief(learner)} and {checks.brief(result)}."
        )
    checks.count("points", points, minimum=1)
    draws = source.draws(learner.hypotheses, seed, positives)
    state = ModelState(draws, learner.classifier(source), learner.rate)
    told = zip(*(result.history[name] for name in ("item", "answer", "phase")), strict=True)
    learned = [(item, answer) for item, answer, phase in told if phase in LEARNING]
    at = set(np.linspace(0, len(learned), points + 1).round().astype(int).tolist())
    curve: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    for step, (item, answer) in enumerate(learned, 1):
        state.fold(Question(step, item, None, Note("model", -1), bool(answer)))
        if step in at:
            for column, value in zip(curve.values(), (step, sum(state.revealed), *_estimates(state)), strict=True):
                column.append(value)
    return curve


def _estimates(state: ModelState) -> tuple[float | None, float | None, float | None]:
    """The rate, the share of positives and the average precision; None while there is no model."""
    if (model := state.model) is None:
        return None, None, None
    with state.guarded():
        found = estimates(state, model, forecast=False)
    return found.rate.likely, found.prior.likely, found.average_precision.likely
