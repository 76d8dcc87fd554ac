"""`ActivePUClassifier`: all of it as one scikit-learn estimator.

`fit(X, expert)` asks; `fit(X, y)` takes answers that were collected elsewhere, with y = 1 revealed, 0 ★, −1 not asked.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from activepu import checks
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.hypotheses import BY_NAME, HypothesisClass
from activepu.learners import Learner
from activepu.models import ModelLearner
from activepu.models.estimators import last_step
from activepu.models.logistic import not_binary
from activepu.records import Bounds, StopReason
from activepu.result import Result
from activepu.run import Run, learn
from activepu.zcal import ZCal

ANSWERS = (1, 0, -1)


def _has_model(classifier: ActivePUClassifier) -> bool:
    return isinstance(classifier._learner(), ModelLearner)


class ActivePUClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Active learning from positive and unlabeled data, behind fit and predict.

    `estimator`        None (a forest, or for wide tables a linear model), any scikit-learn classifier, a hypothesis
                       class by name ("boxes") or as an object (`Boxes()`), or a learner (`ZCal(…)`)
    `epsilon`, `delta` the error to certify and its confidence, for a hypothesis class
    `strategy`         which item to ask, for a model
    `rate`             the reveal rate where it is known
    `budget`, `batch`  the most questions to ask, and how many at a time
    `random_state`     a seed; None takes another one each time

    After `fit`: `result_`, `certificate_`, `rate_`, `prior_`, `n_queries_`, `classes_` = [0, 1].
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        epsilon: float = 0.05,
        delta: float = 0.05,
        strategy: str = "information",
        rate: float | None = None,
        budget: int | None = None,
        batch: int = 1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.strategy = strategy
        self.rate = rate
        self.budget = budget
        self.batch = batch
        self.random_state = random_state

    def _learner(self, patience: int | None = 3) -> Learner:
        """What `estimator` stands for."""
        chosen = self.estimator
        if isinstance(chosen, Learner):
            return chosen
        if isinstance(chosen, str):
            if chosen not in BY_NAME:
                raise InvalidInput(
                    f"estimator must be a hypothesis class ({', '.join(BY_NAME)}), a learner or a scikit-learn "
                    f"classifier, got {chosen!r}."
                )
            chosen = BY_NAME[chosen]()
        if isinstance(chosen, HypothesisClass):
            return ZCal(chosen, self.epsilon, self.delta, rate=self.rate)
        return ModelLearner(chosen, self.strategy, rate=self.rate, patience=patience)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Asks the expert `y` about rows of X; or learns from `y`, per row 1 (revealed), 0 (★) or −1 (not asked)."""
        if y is None:
            raise InvalidInput(
                "ActivePUClassifier requires y to be passed, but the target y is None; pass an expert, or one answer "
                "per row: 1 revealed, 0 asked and silent, -1 not asked."
            )
        asks = hasattr(y, "answer")
        learner = self._learner(3 if asks else None)
        X, answers = self._checked(X, None if asks else y)
        if self.budget is not None:
            checks.count("budget", self.budget, minimum=1)
        checks.count("batch", self.batch, minimum=1)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if answers is None:
            self.result_ = learn(learner, X, y, seed=seed, budget=self.budget, batch=self.batch)
        else:
            self.result_ = _recorded(learner, X, answers, seed)
        self.classes_ = np.array([0, 1])
        return self

    def _checked(self, X: Any, y: Any, fitting: bool = True) -> tuple[Any, NDArray[np.int64] | None]:
        """X as the learner takes it, a DataFrame as it is; y as whole numbers."""
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        try:
            if hasattr(X, "iloc"):
                validate_data(self, X, skip_check_array=True, reset=fitting)
            else:
                X = validate_data(self, X, reset=fitting, ensure_all_finite=finite, ensure_min_samples=1)
        except ValueError as error:
            said, _, more = str(error).partition("\n")
            if "NaN" in said:  # scikit-learn goes on for a paragraph
                more = "Fill the gaps first, with SimpleImputer in a pipeline for example."
            raise InvalidInput(f"{said}\n{more}".rstrip()) from error
        if y is None:
            return X, None
        if callable(y):
            raise InvalidInput(f"An expert has a method answer(items, rows), got {y!r}; wrap it in CallbackExpert.")
        values = np.asarray(y)
        if values.ndim == 2 and values.shape[1] == 1:
            values = column_or_1d(values, warn=True)
        if values.shape != (len(X),):
            raise InvalidInput(f"y must hold one answer per row of X ({len(X)}), got an array of shape {values.shape}.")
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise InvalidInput(
                f"y must be 1 (revealed), 0 (asked and silent) or -1 (not asked), got NaN in row "
                f"{int(np.argmax(np.isnan(values)))}. Input contains NaN: write -1 for rows that were not asked."
            )
        things = values.tolist()
        known = (
            np.isin(values, ANSWERS)
            if values.dtype.kind in "biuf"
            else [isinstance(thing, (bool, int, float)) and thing in ANSWERS for thing in things]
        )
        if not np.all(known):
            kind = type_of_target(values) if values.dtype.kind in "biufUS" else "unknown"
            row = int(np.argmin(known))
            raise InvalidInput(
                f"y must be 1 (revealed), 0 (asked and silent) or -1 (not asked), got {things[row]!r} in row {row}."
                + ("" if kind == "binary" else f" {not_binary(kind)}")
            )
        return X, values.astype(np.int64)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for positive rows, else 0."""
        check_is_fitted(self)
        X, _ = self._checked(X, None, fitting=False)
        return np.asarray(self.result_.predict(X)).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of true labels, 1 and 0, that are predicted right; `answer_likelihood` judges answers."""
        if np.isin(np.asarray(y), (-1,)).any():
            raise InvalidInput(
                "score takes true labels, 1 or 0, got -1 (not asked); to judge by answers pass "
                "scoring=activepu.answer_likelihood."
            )
        return float(super().score(X, y, sample_weight))

    @available_if(_has_model)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(y = 0 | x) and P(y = 1 | x): of the label, not of the answer; estimates. Only models have them."""
        check_is_fitted(self)
        X, _ = self._checked(X, None, fitting=False)
        return self.result_.predict_proba(X)

    @property
    def certificate_(self) -> Certificate:
        """What is certified about the error."""
        return self._fitted().certificate

    @property
    def rate_(self) -> Bounds | None:
        """Bounds on the reveal rate; an estimate for a model."""
        return self._fitted().rate

    @property
    def prior_(self) -> Bounds | None:
        """Bounds on the share of positives; an estimate for a model."""
        return self._fitted().prior

    @property
    def n_queries_(self) -> int:
        """How many questions were answered."""
        return self._fitted().n_queries

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """One number per column that the model saw last, where it has such numbers."""
        model = self._fitted().model
        if model is None or model.feature_importances is None:
            raise AttributeError(f"{type(self.estimator).__name__} has no feature importances.")
        return model.feature_importances

    def _fitted(self) -> Result:
        if "result_" not in vars(self):
            raise AttributeError("Call fit first.")
        return self.result_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.target_tags.required = True
        inner = self.estimator
        model = inner is None or (hasattr(inner, "fit") and not isinstance(inner, Learner))
        first = inner.steps[0][1] if isinstance(inner, Pipeline) else inner
        tags.input_tags.allow_nan = model and (inner is None or bool(get_tags(first).input_tags.allow_nan))
        tags.non_deterministic = self.random_state is None
        return tags


def answer_likelihood(estimator: Any, X: Any, y: Any) -> float:
    """A scorer for searches over answers: the mean log-likelihood of those in `y`, through the channel.

    `y` holds 1 (revealed), 0 (asked and silent) and −1 (not asked, and left out); `estimator` is an ActivePUClassifier
    around a model, or a pipeline that ends in one.
    """
    answers = np.asarray(y)
    bounds = last_step(estimator).rate_
    if bounds is None or bounds.estimate is None or not (answers >= 0).any():
        return float("-inf")
    revealed = np.clip(bounds.estimate * estimator.predict_proba(X)[:, 1], 1e-6, 1 - 1e-6)
    return float(np.log(np.where(answers == 1, revealed, 1 - revealed))[answers >= 0].mean())


def _recorded(learner: Learner, X: Any, answers: NDArray[np.int64], seed: int) -> Result:
    """What follows from answers that were collected elsewhere. Of rows that look the same the first answer counts.

    "Yes, if any is" would make reveals likelier than ω the more often a row is repeated.
    """
    items = np.flatnonzero(answers >= 0)
    if len(items) == 0:
        raise InvalidInput(
            f"y holds no answer, all {len(answers)} are -1 (not asked); write 1 for rows that were revealed and 0 for "
            "those that were asked and silent, or pass an expert instead of y."
        )
    if (answers[items] == 1).all() and len(items) < len(answers):
        warnings.warn(
            f"y holds {len(items)} reveals and no 0 (asked and silent), as if all who were asked about had been "
            "revealed; where -1 stands for unlabeled, as in other libraries, write 0 instead.",
            stacklevel=3,
        )
    run = Run(learner, X, seed=seed)
    _, first, group = np.unique([run.coin(int(item)) for item in items], return_index=True, return_inverse=True)
    if differ := np.count_nonzero(answers[items] != answers[items[first[group]]]):
        warnings.warn(
            f"{differ} row(s) of X look the same as an earlier one and have another answer in y; the first answer "
            "counts. Add a column that tells the rows apart if they were asked separately.",
            stacklevel=3,
        )
    for k in np.sort(first):
        run.record(int(items[k]), bool(answers[items[k]] == 1))
    result = run.result()
    result.stop_reason = str(StopReason.RECORDED)
    return result
