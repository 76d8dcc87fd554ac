"""The user's classifier: what is refused, and how its last step is reached.

A classifier may stand alone or at the end of a pipeline. Everything else in `activepu.models` goes through the
functions below and does not care which.
"""

from __future__ import annotations

import warnings
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from activepu.checks import brief
from activepu.errors import InvalidInput
from activepu.pools.frames import column_of, taken

TRIED = 100
"""Rows on which a classifier is tried before the first question, and the most columns whose gaps are tried."""
GAPS_PER_COLUMN = 2
"""Rows with a gap that are tried for each such column."""
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


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every `random_state` that the user left open is `seed`."""
    fresh = clone(estimator)
    open_states = [
        name for name, value in fresh.get_params().items() if name.endswith("random_state") and value is None
    ]
    return fresh.set_params(**dict.fromkeys(open_states, seed % 2**32))


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


def check_columns(estimator: Any, X: Any) -> None:
    """Refuses a table if the classifier raises over columns that are no numbers, or over gaps in its columns.

    The classifier is fitted to some rows with made-up labels. If it also raises without the gaps, the cause may be that
    the rows are too few, so nothing is refused.
    """
    texts: list[int] = []
    gaps: dict[int, NDArray[np.int64]] = {}
    some = np.unique(np.linspace(0, X.shape[0] - 1, TRIED).astype(int))
    whole = np.ones(len(some), bool)
    for k in range(X.shape[1]):
        column = column_of(X, k)[1]
        number = column.dtype.kind in "iufb"
        gap = _gap(column, number)
        whole &= ~gap[some]
        if not number:
            texts.append(k)
        if gap.any():
            gaps[k] = np.flatnonzero(gap)[:GAPS_PER_COLUMN]
    odd = sorted({*texts, *gaps})
    rows = np.unique(np.concatenate([some, *gaps.values()][: TRIED + 1]))
    if not odd or len(rows) < 2:
        return
    error = _raised(estimator, taken(X, rows))
    if error is None or (not texts and whole.sum() > 1 and _raised(estimator, taken(X, some[whole])) is not None):
        return
    first = str(error).strip().partition("\n")[0]
    names = ", ".join(column_of(X, k)[0] for k in odd)
    said, named = (shorten(text, 200, placeholder=" …") for text in (first, names))
    raise InvalidInput(
        f"{type(estimator).__name__} cannot be fitted to this table ({type(error).__name__}: {said.rstrip('.')}); "
        f"use a pipeline that encodes{' or fills' if gaps else ''} the column{'s' * (len(odd) > 1)} {named}."
    ) from error


def _raised(estimator: Any, X: Any) -> Exception | None:
    """What the classifier raises when it is fitted to these rows with made-up labels; None if nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seeded(estimator, 0).fit(X, np.arange(X.shape[0]) % 2)
    except Exception as error:
        return error
    return None


def _gap(column: Any, number: bool) -> NDArray[np.bool_]:
    """Where something is missing, infinite or too large for trees."""
    if hasattr(column, "isna") and number:
        column = column.to_numpy(np.float64, na_value=np.nan)
    if number:
        return np.asarray(~(abs(column) <= np.finfo(np.float32).max))
    if hasattr(column, "isna"):
        return np.asarray(column.isna(), bool)
    things = column.astype(object)
    return np.asarray(np.equal(things, np.array(None)) | np.not_equal(things, things), bool)
