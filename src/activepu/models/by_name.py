"""Classifiers by name, and as plain values: how the shell names a model, and how a study keeps one without pickle.

A classifier of scikit-learn (or of this library) is its dotted name and those settings that are not at their defaults,
as JSON holds them; a pipeline holds its steps in the same way. What has other code in it has no such description.

Names may come from a database. So only classes of scikit-learn and of this library are imported for a description, and
only classes that are estimators are made.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import json
import warnings
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator

from activepu.errors import InvalidInput
from activepu.models.estimators import check_classifier

Described = dict[str, Any]

SHORT: dict[str, Described] = {
    "forest": {"estimator": "sklearn.ensemble.RandomForestClassifier", "parameters": {}},
    "extra-trees": {"estimator": "sklearn.ensemble.ExtraTreesClassifier", "parameters": {"bootstrap": True}},
    "boosting": {"estimator": "sklearn.ensemble.HistGradientBoostingClassifier", "parameters": {}},
    "logistic": {
        "estimator": "sklearn.pipeline.Pipeline",
        "parameters": {
            "steps": [
                {"tuple": ["scale", {"estimator": "sklearn.preprocessing.StandardScaler", "parameters": {}}]},
                {
                    "tuple": [
                        "logistic",
                        {"estimator": "sklearn.linear_model.LogisticRegression", "parameters": {"max_iter": 1000}},
                    ]
                },
            ]
        },
    },
    "naive-bayes": {"estimator": "sklearn.naive_bayes.GaussianNB", "parameters": {}},
}
"""Good models by a short name. "extra-trees" is what `ModelLearner` takes if no model is named."""
SAFE = ("sklearn", "activepu")
"""Packages whose classes are imported for a description."""


def named(name: str) -> Any:
    """Return the classifier of a short or a dotted name, with its usual settings.

    Parameters
    ----------
    name : str
        Such as ``"forest"`` or ``"sklearn.ensemble.ExtraTreesClassifier"``.

    Raises
    ------
    InvalidInput
        If there is no such classifier; the message names those that are spelled like it.

    Examples
    --------
    >>> named("extra-trees")
    ExtraTreesClassifier(bootstrap=True)
    >>> named("sklearn.naive_bayes.BernoulliNB")
    BernoulliNB()
    """
    if name in SHORT:
        return again(SHORT[name])
    try:
        found = _class(name)
    except (ImportError, AttributeError, ValueError):
        raise InvalidInput(_unknown(name)) from None
    try:
        made = found()
    except TypeError as error:
        raise InvalidInput(
            f"{name} cannot be made without settings ({error}); choose another model, or use it in Python: "
            "ModelLearner(…)."
        ) from None
    check_classifier(made)
    return made


def described(estimator: Any) -> Described | None:
    """Return an estimator that is not fitted as plain values; None if there is code in it, or it is fitted.

    Parameters
    ----------
    estimator : object
        A scikit-learn estimator.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> described(LogisticRegression(C=3.0))
    {'estimator': 'sklearn.linear_model.LogisticRegression', 'parameters': {'C': 3.0}}
    >>> again(_)
    LogisticRegression(C=3.0)
    """
    try:
        found = _plain(estimator)
        json.dumps(found, allow_nan=False)
    except ValueError:
        return None
    return dict(found) if isinstance(found, dict) and "estimator" in found else None


def again(description: Mapping[str, Any]) -> Any:
    """Return a new, unfitted estimator of this description.

    Parameters
    ----------
    description : mapping
        What `described` returned.

    Raises
    ------
    InvalidInput
        If this version of scikit-learn has no such class or setting, or the class is of another package.
    """
    name = str(description["estimator"])
    settings = {str(key): _value(value) for key, value in description["parameters"].items()}
    try:
        return _class(name)(**settings)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"The model {name} cannot be made again here ({error}); use the version of scikit-learn that the study was "
            "made with, or pass the learner in Python."
        ) from None


def _class(name: str) -> type[Any]:
    """Import a class of scikit-learn or of this library."""
    module, _, attribute = name.rpartition(".")
    if module.split(".")[0] not in SAFE:
        raise ValueError("it is no class of scikit-learn")
    found = getattr(importlib.import_module(module), attribute)
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        raise ValueError("it is no estimator")
    return found


def _plain(value: Any) -> Any:
    """Return a setting as JSON holds it; raise ValueError for code."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, tuple):
        return {"tuple": [_plain(entry) for entry in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _plain(entry) for key, entry in value.items()}}
    if isinstance(value, BaseEstimator):
        if any(key.endswith("_") and not key.startswith("_") for key in vars(value)):
            raise ValueError("what it has learned is no setting")
        defaults = inspect.signature(type(value).__init__).parameters
        settings = {
            key: entry for key, entry in value.get_params(deep=False).items() if not _same(entry, defaults[key].default)
        }
        return {"estimator": _name(type(value)), "parameters": {key: _plain(entry) for key, entry in settings.items()}}
    raise ValueError


def _value(plain: Any) -> Any:
    """Return the setting that `_plain` described."""
    if isinstance(plain, list):
        return [_value(entry) for entry in plain]
    if not isinstance(plain, dict):
        return plain
    if "tuple" in plain:
        return tuple(_value(entry) for entry in plain["tuple"])
    if "dict" in plain:
        return {key: _value(entry) for key, entry in plain["dict"].items()}
    return again(plain)


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _name(cls: type[Any]) -> str:
    """Return the dotted name under which a class is public; raise ValueError for a class of another package."""
    short = cls.__module__.partition("._")[0]
    for module in (short, cls.__module__):
        name = f"{module}.{cls.__qualname__}"
        try:
            if _class(name) is cls:
                return name
        except (ImportError, AttributeError):
            continue
    raise ValueError


def _unknown(name: str) -> str:
    """Say that there is no such model, and which are spelled like it."""
    from sklearn.utils import all_estimators

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = {found.__name__: _name(found) for _, found in all_estimators(type_filter="classifier")}
    last = name.rpartition(".")[2]
    folded = {key.lower(): value for key, value in known.items()} | {key: key for key in SHORT}
    near = difflib.get_close_matches(last.lower(), list(folded), n=2, cutoff=0.7)
    hint = f"did you mean {' or '.join(folded[key] for key in near)}?" if near else f"take one of {', '.join(SHORT)},"
    more = "" if near else " or a classifier of scikit-learn by its full name, such as sklearn.svm.SVC."
    return f"There is no model {name!r}; {hint}{more}"
