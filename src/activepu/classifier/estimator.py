"""`ActivePUClassifier`: active learning as one scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from activepu import checks
from activepu.certificate import Certificate
from activepu.classifier.answers import NOT_ASKED, checked_answers, recorded
from activepu.errors import InvalidInput
from activepu.hypotheses import BY_NAME, HypothesisClass
from activepu.learners import Learner
from activepu.models import ModelLearner
from activepu.records import Bounds
from activepu.result import Result
from activepu.run import learn
from activepu.zcal import ZCal


def _has_model(classifier: ActivePUClassifier) -> bool:
    return isinstance(classifier._learner(), ModelLearner)


class ActivePUClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Active learning from positive and unlabeled data, behind `fit` and `predict`.

    `fit(X, expert)` asks the expert; `fit(X, y)` learns from answers that were collected elsewhere. With a hypothesis
    class the error is certified, by Z-CAL or by the learner that you pass; with a scikit-learn classifier everything is
    an estimate. What a certificate assumes is in `certificate_`; what the estimates assume is under `ModelLearner`.

    Parameters
    ----------
    estimator : object, optional
        A scikit-learn classifier; a hypothesis class by name ("boxes") or as an object (`Boxes()`); or a learner
        (`ZCal(…)`), which brings its own settings. By default a forest, and for wide tables a linear model.
    epsilon, delta : float
        For a hypothesis class: the error to certify, and 1 − its confidence.
    strategy : str or Strategy
        For a model: which item to ask.
    rate : float, optional
        The reveal rate ω, where it is known.
    check : int, optional
        For a hypothesis class: how many decided items are asked by lot, to check the class (see `ZCal`).
    budget : int, optional
        The most questions to ask.
    batch : int
        How many to ask at a time.
    random_state : int or RandomState, optional
        The seed; None takes another one each time.

    Attributes
    ----------
    result_ : Result
        Everything that is known after `fit`: the rule, the certificate, the history.
    certificate_ : Certificate
    rate_, prior_ : Bounds or None
        Bounds on the reveal rate and on the share of positives; estimates for a model.
    n_queries_ : int
        How many questions were answered.
    feature_importances_ : array
        Of a model, where it has them.
    classes_ : array
        [0, 1].

    Examples
    --------
    Ask an expert:

    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((100, 1))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0.6, rate=0.5)
    >>> clf = apu.ActivePUClassifier("thresholds", epsilon=0.2, random_state=0).fit(X, expert)
    >>> clf.predict([[0.1], [0.9]]).tolist(), clf.certificate_.error_bound <= 0.2
    ([0, 1], True)

    Or learn from answers that are there: 1 revealed, 0 asked and silent, −1 not asked.

    >>> y = np.full(100, -1)
    >>> y[:30] = expert.answer(np.arange(30), None)
    >>> apu.ActivePUClassifier("thresholds", random_state=0).fit(X, y).n_queries_
    30

    See Also
    --------
    activepu.answer_likelihood : The scorer for a search over answers.
    activepu.learn : The same loop, without scikit-learn's conventions.
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        epsilon: float = 0.05,
        delta: float = 0.05,
        strategy: str = "auto",
        rate: float | None = None,
        check: int | None = None,
        budget: int | None = None,
        batch: int = 1,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.epsilon = epsilon
        self.delta = delta
        self.strategy = strategy
        self.rate = rate
        self.check = check
        self.budget = budget
        self.batch = batch
        self.random_state = random_state

    def _learner(self, patience: int | None = 3) -> Learner:
        """The learner that `estimator` describes."""
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
            return ZCal(chosen, self.epsilon, self.delta, rate=self.rate, check=self.check)
        return ModelLearner(chosen, self.strategy, rate=self.rate, patience=patience)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Ask an expert about rows of X, or learn from answers.

        Parameters
        ----------
        X : array or DataFrame
            One row per item.
        y : expert or array
            An object with `answer(items, rows)`, which is asked; or one answer per row: 1 (revealed), 0 (asked and
            silent, ★) or −1 (not asked). Of rows that look the same the first answer counts.

        Returns
        -------
        self

        Raises
        ------
        InvalidInput
            If y holds anything else, or a setting is out of range.
        """
        if y is None:
            raise InvalidInput(
                "ActivePUClassifier requires y to be passed, but the target y is None; pass an expert, or one answer "
                "per row: 1 revealed, 0 asked and silent, -1 not asked."
            )
        asks = hasattr(y, "answer")
        learner = self._learner(3 if asks else None)
        X = self._checked(X, fitting=True)
        answers = None if asks else checked_answers(y, len(X))
        if self.budget is not None:
            checks.count("budget", self.budget, minimum=1)
        checks.count("batch", self.batch, minimum=1)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        if answers is None:
            self.result_ = learn(learner, X, y, seed=seed, budget=self.budget, batch=self.batch)
        else:
            self.result_ = recorded(learner, X, answers, seed)
        self.classes_ = np.array([0, 1])
        return self

    def _checked(self, X: Any, fitting: bool = False) -> Any:
        """X as the learner takes it; a DataFrame stays as it is."""
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        try:
            if hasattr(X, "iloc"):
                validate_data(self, X, skip_check_array=True, reset=fitting)
                return X
            return validate_data(self, X, reset=fitting, ensure_all_finite=finite, ensure_min_samples=1)
        except ValueError as error:
            said, _, more = str(error).partition("\n")
            if "NaN" in said:  # scikit-learn goes on for a paragraph
                more = "Fill the gaps first, with SimpleImputer in a pipeline for example."
            raise InvalidInput(f"{said}\n{more}".rstrip()) from error

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for positive rows, else 0."""
        check_is_fitted(self)
        return np.asarray(self.result_.predict(self._checked(X))).astype(np.int64)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy by true labels, 1 and 0; to judge by answers, use `answer_likelihood`."""
        if np.isin(np.asarray(y), (NOT_ASKED,)).any():
            raise InvalidInput(
                "score takes true labels, 1 or 0, got -1 (not asked); to judge by answers pass "
                "scoring=activepu.answer_likelihood."
            )
        return float(super().score(X, y, sample_weight))

    @available_if(_has_model)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(y = 0 | x) and P(y = 1 | x), of the label and not of the answer: estimates, and only for a model."""
        check_is_fitted(self)
        return self.result_.predict_proba(self._checked(X))

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
