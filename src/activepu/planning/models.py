"""What more questions would do to a model: simulated on the user's own pool, with the present model as the world.

    truth     known positives are positive; every other row is, with the probability that the model and its answer give
    expert    reveals with the likeliest ω
    run       takes in the answers so far, then asks on as the learner would

What is simulated is the course of learning, not whether the present model is right: where it is wrong, so is the world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, parallel_config
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from activepu import checks
from activepu.errors import InvalidInput
from activepu.estimates import Guess
from activepu.experts import SimulatedExpert
from activepu.models import ModelLearner
from activepu.models.audited import LEARNING
from activepu.planning.runs import watching
from activepu.planning.table import aligned
from activepu.pools import Pool
from activepu.result import Result
from activepu.run import Run

STEPS = 4
"""At how many points of the budget, at equal distances, the model is judged."""
BATCH = 10
"""Questions between two fits of a simulated run."""
AHEAD = 100
WITHIN = (0.1, 0.9)
CAVEAT = (
    "Simulated, not a guarantee: the present model says which rows are positive, and the likeliest rate how often they "
    "are revealed. Where the model is wrong, so is this."
)


@dataclass(frozen=True)
class ModelStep:
    """The model after so many more questions: the mean of the runs, between the ends of 8 in 10 of them.

    `average_precision` is that of the ranking, `precision` and `recall` those of the rule, all on the whole pool;
    `revealed` counts the positives that the further questions revealed.
    """

    questions: int
    average_precision: Guess
    precision: Guess
    recall: Guess
    revealed: Guess


@dataclass(frozen=True)
class ModelPlan:
    """What more questions would do to a model; `print` shows it as a table.

    `plan(learner, result=result, budget=…)` makes it from simulated runs on the pool of the result. Nothing in it is a
    guarantee.

    Attributes
    ----------
    asked : int
        The answers so far.
    rate, prior : float
        The reveal rate and the share of positives of the simulated world.
    rows : tuple of ModelStep
        The model now (`questions` is 0), and after further questions.
    runs : int
        How many runs were simulated.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> learner = apu.ModelLearner(GaussianNB())
    >>> result = apu.learn(learner, X, apu.SimulatedExpert(X[:, 0] > 1), budget=40, batch=20)
    >>> plan = apu.plan(learner, result=result, budget=20, runs=1)
    >>> plan.asked, plan.rows[-1].questions
    (40, 20)
    """

    asked: int
    rate: float
    prior: float
    rows: tuple[ModelStep, ...]
    runs: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        cells: list[tuple[str, ...]] = [("more questions", "average precision", "precision", "recall", "revealed")]
        for row in self.rows:
            judged = (row.average_precision, row.precision, row.recall)
            told = [f"{g.likely:.2f} ({g.low:.2f} to {g.high:.2f})" for g in judged]
            cells.append((f"{row.questions:,}", *told, f"{row.revealed.likely:.0f}"))
        head = (
            f"After {self.asked:,} answers: {self.runs} runs in a world where {self.prior:.3g} of the rows are "
            f"positive and {self.rate:.3g} of these are revealed."
        )
        return "\n".join([head, "", *aligned(cells, ">>>>>"), "", CAVEAT])


@dataclass(frozen=True)
class _World:
    """What a simulated run starts from."""

    learner: ModelLearner
    pool: Pool
    chance: NDArray[np.float64]
    rate: float
    given: NDArray[np.int64]
    told: list[tuple[int, bool]]
    at: tuple[int, ...]

    def run(self, number: int) -> list[tuple[float, float, float, int]]:
        """Average precision, precision, recall and further reveals at every point of run `number`."""
        truth = np.random.default_rng([3, number]).random(len(self.chance)) < self.chance
        expert = SimulatedExpert(truth, rate=self.rate, seed=number)
        run = Run(self.learner, self.pool, positives=self.given, seed=number)
        for item, answer in self.told:
            run.record(item, answer)
        asked, revealed, found = 0, 0, []
        for point in self.at:
            while asked < point and (questions := run.ask(min(BATCH, point - asked))):
                for question in questions:
                    answer = bool(expert.answer(np.array([question.item]), None)[0])
                    run.tell(question, answer)
                    asked, revealed = asked + 1, revealed + answer
            p = run.result().predict_proba(self.pool.features())[:, 1]
            called = p >= 0.5
            inside = int((truth & called).sum())
            found.append(
                (
                    float(average_precision_score(truth, p)),
                    inside / max(int(called.sum()), 1),
                    inside / max(int(truth.sum()), 1),
                    revealed,
                )
            )
        return found


def plan_model(
    learner: ModelLearner, result: Any, positives: Any, budget: int | None, runs: int, progress: bool
) -> ModelPlan:
    """Simulate what more questions would do to a model."""
    pool = getattr(result, "source", None)
    if not isinstance(result, Result) or not isinstance(pool, Pool) or result.estimates is None:
        raise InvalidInput(
            "The plan of a model takes the learner and the result of its run so far, with a model and not loaded: "
            f"plan(learner, result=run.result(), budget=100); got {checks.brief(result)}."
        )
    if not runs:
        raise InvalidInput("What more questions do to a model is found by simulation, got runs=0; use at least one.")
    told = [
        (int(item), bool(answer))
        for item, answer, phase in zip(*(result.history[name] for name in ("item", "answer", "phase")), strict=True)
        if phase in LEARNING
    ]
    given = pool.draws(learner.hypotheses, 0, positives).positives[:, 0].astype(np.int64)
    rate = result.estimates.rate.likely
    chance = result.predict_proba(pool.features())[:, 1]
    silent = np.array([item for item, answer in told if not answer], np.int64)
    chance[silent] = (1 - rate) * chance[silent] / np.maximum(1 - rate * chance[silent], 1e-9)
    chance[[*given, *(item for item, answer in told if answer)]] = 1.0
    again = ModelLearner(learner.estimator, learner.strategy, rate=learner.rate, patience=None)
    at = tuple(np.unique(np.linspace(0, AHEAD if budget is None else budget, STEPS + 1).round().astype(int)).tolist())
    world = _World(again, pool, chance, rate, given, told, at)
    found: list[list[tuple[float, float, float, int]]] = []
    with watching(progress, "the model", runs) as watch, parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):
        for each in Parallel(return_as="generator")(delayed(world.run)(number) for number in range(runs)):
            found.append(each)
            watch.advance(1)
    steps = (ModelStep(point, *_spread([each[k] for each in found])) for k, point in enumerate(at))
    return ModelPlan(len(told), rate, float(chance.mean()), tuple(steps), runs)


def _spread(values: Sequence[tuple[float, ...]]) -> list[Guess]:
    """Mean and ends of each column."""
    columns = np.array(values, np.float64).T
    ends = np.quantile(columns, WITHIN, axis=1)
    return [Guess(*(float(one) for one in each)) for each in zip(ends[0], columns.mean(axis=1), ends[1], strict=True)]
