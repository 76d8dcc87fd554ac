"""How a classifier reads a pool: its columns as they are, or the features that are made of them, once.

    numbers without gaps, or for a classifier that takes them: as they are
    a pipeline, or anything that holds one: as they are; its encoders are told all categories
    a classifier of scikit-learn: as features (`activepu.features.table`)
    any other classifier: as they are if it can read them, else as features

A table without column names is always read as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from activepu.features.odd import odd_columns
from activepu.features.pipelines import knowing
from activepu.features.table import TableFeatures
from activepu.features.treatments import Way, plain
from activepu.features.trial import raised
from activepu.pools import Pool
from activepu.pools.frames import taken

BLOCK = 10_000
"""Rows whose features are in memory as a plain matrix at the same time."""
OWN = ("sklearn.", "activepu.")
"""Modules of the classifiers that read numbers alone."""


_made: WeakKeyDictionary[Pool, dict[Way, tuple[TableFeatures, Any]]] = WeakKeyDictionary()
"""The features of a pool for each way, with those of all rows: undo, replay and a second run use them again."""


@dataclass(frozen=True)
class Reading:
    """A classifier, ready for the rows of a pool, and these rows as it reads them.

    Attributes
    ----------
    estimator : classifier
        Unfitted.
    features : TableFeatures or None
        What is made of the columns; None where they are read as they are.
    """

    estimator: Any
    pool: Pool
    features: TableFeatures | None = None
    made: Any = None

    def rows(self, items: Any = None) -> Any:
        """These rows of the pool, or all."""
        if self.features is None:
            return self.pool.features(items)
        found = self.made if items is None else self.made[np.atleast_1d(np.asarray(items, np.int64))]
        return plain(found)

    def blocks(self) -> Iterator[Any]:
        """All rows of the pool, at most so many at a time as fit in memory."""
        if self.features is None:
            yield self.pool.features()
        else:
            for start in range(0, len(self.pool), BLOCK):
                yield self.rows(np.arange(start, min(start + BLOCK, len(self.pool))))


def reading(estimator: Any, pool: Pool) -> Reading:
    """Return how a classifier reads a pool: see the head of the module."""
    X = pool.features()
    if pool.names is None or not pool.is_raw:
        return Reading(knowing(estimator, X), pool)
    odd, held = odd_columns(pool), _made.setdefault(pool, {})
    if not odd.texts and (not odd.gaps or _takes_gaps(estimator)):
        return Reading(estimator, pool)
    if _holds_a_pipeline(estimator):
        return Reading(knowing(estimator, X), pool)
    if not type(estimator).__module__.startswith(OWN) and raised(estimator, taken(X, odd.rows)) is None:
        return Reading(estimator, pool)
    way = way_of(estimator)
    if way not in held:
        features = TableFeatures(way).fit(X)
        held[way] = (features, features.compact(X))
    features, made = held[way]
    if way == "native":
        estimator = clone(estimator).set_params(categorical_features=features.categorical_ or None)
    return Reading(estimator, pool, features, made)


def way_of(estimator: Any) -> Way:
    """Return which features suit a classifier.

    Examples
    --------
    >>> from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> from activepu.features.reading import way_of
    >>> [way_of(one) for one in (RandomForestClassifier(), HistGradientBoostingClassifier(), LogisticRegression())]
    ['trees', 'native', 'linear']
    """
    told = estimator.get_params(deep=False).get("categorical_features", "nothing of the kind")
    if told is None or (isinstance(told, str) and told == "from_dtype"):
        return "native"
    return "trees" if _takes_gaps(estimator) else "linear"


def _takes_gaps(estimator: Any) -> bool:
    return bool(get_tags(estimator).input_tags.allow_nan)


def _holds_a_pipeline(estimator: Any) -> bool:
    parts = [estimator, *estimator.get_params().values()]
    return any(isinstance(part, (Pipeline, ColumnTransformer)) for part in parts)
