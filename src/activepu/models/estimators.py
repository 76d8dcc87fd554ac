"""The user's classifier: what is refused, and how its last step is reached.

A classifier may stand alone or at the end of a pipeline. Everything else in `activepu.models` goes through the
functions below and does not care which.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from activepu.checks import brief
from activepu.errors import InvalidInput

SLACK = 1e-6
"""How far a probability may lie outside [0, 1], because of rounding."""


def last_step(estimator: Any) -> Any:
    """The classifier itself, at the end of a pipeline or alone."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def for_last_step(estimator: Any, settings: dict[str, Any]) -> dict[str, Any]:
    """These arguments as the pipeline passes them on to its last step, or as they are."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    return {f"{prefix}{name}": value for name, value in settings.items()}


def seen_by_last_step(estimator: Any, X: Any) -> Any:
    """The table as the last step of a fitted pipeline sees it."""
    return estimator[:-1].transform(X) if isinstance(estimator, Pipeline) else X


def names_seen(estimator: Any, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names of the columns that the last step of a fitted pipeline sees; None where it does not tell."""
    if not isinstance(estimator, Pipeline):
        return columns
    try:
        return tuple(str(name) for name in estimator[:-1].get_feature_names_out(columns))
    except (AttributeError, ValueError, TypeError):  # some steps give no names, or want those of the table
        return None


def positive_score(member: Any, X: Any) -> NDArray[np.float64]:
    """The member's score of the label 1, in [0, 1]."""
    if not hasattr(member, "predict_proba"):
        return np.asarray(expit(np.asarray(member.decision_function(X), np.float64)))
    columns = np.asarray(member.predict_proba(X), np.float64)
    classes = list(member.classes_)
    if columns.shape != (X.shape[0], len(classes)) or not ((columns >= -SLACK) & (columns <= 1 + SLACK)).all():
        got = brief(columns.tolist())
        raise ValueError(f"predict_proba must give one row per item and numbers from 0 to 1, got {got}")
    return columns[:, classes.index(1)].clip(0, 1) if 1 in classes else np.zeros(len(columns))


def check_classifier(estimator: Any) -> None:
    """Refuses what cannot be a model: no scikit-learn classifier, or one without scores."""
    name = type(estimator).__name__
    if isinstance(estimator, type):
        raise InvalidInput(f"The estimator must be an object such as {estimator.__name__}(), got the class itself.")
    if not (hasattr(estimator, "fit") and hasattr(estimator, "get_params")):
        raise InvalidInput(f"The estimator must be a scikit-learn classifier, got {estimator!r}.")
    if is_regressor(estimator):
        raise InvalidInput(f"{name} is a regressor, and what is learned is a yes or no; pass a classifier.")
    if not is_classifier(estimator):
        raise InvalidInput(f"{name} is no classifier; pass one, or a pipeline that ends in one.")
    if not (hasattr(estimator, "predict_proba") or hasattr(estimator, "decision_function")):
        raise InvalidInput(
            f"{name} has neither predict_proba nor decision_function, so it ranks nothing; pass a classifier that "
            "scores (for SVC, say, decision_function is always there)."
        )
