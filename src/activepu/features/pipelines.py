"""A pipeline that knows the categories of the whole pool.

An encoder of scikit-learn that was fitted to some rows raises on a value that only other rows have. The rows with an
answer are few, so a run would end in its middle. Here such an encoder is told all values of the pool beforehand, which
no answer is needed for. Nothing else about the pipeline changes.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

ENCODERS = (OneHotEncoder, OrdinalEncoder)


def knowing(estimator: Any, X: Any) -> Any:
    """Return a pipeline whose encoders know the categories of X; any other estimator as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import OrdinalEncoder
    >>> from activepu.features.pipelines import knowing
    >>> X = np.array([["DE"], ["FR"], ["GB"]], object)
    >>> ready = knowing(make_pipeline(OrdinalEncoder(), LogisticRegression()), X)
    >>> ready.fit(X[:2], [0, 1]).predict(X[2:]).shape
    (1,)
    """
    if not isinstance(estimator, Pipeline) or not _raises_on_the_unknown(estimator):
        return estimator
    fitted = clone(estimator[:-1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted.fit(X, np.arange(X.shape[0]) % 2)  # some steps want labels; the categories do not depend on them
    except Exception:  # whatever is wrong with the pipeline, trying it on some rows will say so
        return estimator
    return Pipeline([*_told(estimator[:-1], fitted).steps, estimator.steps[-1]])


def _raises_on_the_unknown(estimator: Any) -> bool:
    """Whether some encoder in it was not told its categories and refuses others."""
    parts = [estimator, *estimator.get_params().values()]
    return any(isinstance(part, ENCODERS) and _is_open(part) for part in parts)


def _is_open(encoder: Any) -> bool:
    return bool(isinstance(encoder.categories, str) and encoder.handle_unknown == "error")


def _told(step: Any, fitted: Any) -> Any:
    """Return an unfitted step with the categories of the same step fitted."""
    if isinstance(step, ENCODERS) and _is_open(step):
        return clone(step).set_params(categories=list(fitted.categories_))
    if isinstance(step, Pipeline):
        pairs = zip(step.steps, fitted.steps, strict=True)
        return clone(step).set_params(steps=[(name, _told(one, other)) for (name, one), (_, other) in pairs])
    if isinstance(step, FeatureUnion):
        both = zip(step.transformer_list, fitted.transformer_list, strict=True)
        return clone(step).set_params(transformer_list=[(n, _told(one, other)) for (n, one), (_, other) in both])
    if isinstance(step, ColumnTransformer):
        known = fitted.named_transformers_
        parts = [(name, _told(one, known.get(name)), columns) for name, one, columns in step.transformers]
        return clone(step).set_params(transformers=parts)
    return step
