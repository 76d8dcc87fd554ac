"""A committee: members fitted on resampled answers, so that some members did not see a given row.

Forests and bagging bring their own members (Breiman 1996, 2001). Any other classifier is bagged here. A committee is
fitted on rows with labels and weights. An item may be in the table twice, once with each label: `source` holds the item
of each row, and an item is out of a member's bag only if none of its rows was drawn.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier

from activepu.features.trial import seeded
from activepu.hypotheses.base import nameless_features
from activepu.models.estimators import for_last_step, last_step, positive_score, seen_by_last_step
from activepu.pools.frames import taken

Matrix = NDArray[np.float64]

MEMBERS = 10
"""How many times a classifier without members of its own is fitted."""
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)


class Committee(ABC):
    """Fitted members of one kind.

    Attributes
    ----------
    fitted : classifier or pipeline
        All of them, or one of them: what the pipeline around them does is the same.
    """

    fitted: Any

    @property
    def importances(self) -> Matrix | None:
        """One number per column that the classifier saw, where it has them."""
        return None

    @abstractmethod
    def members(self, X: Any) -> Matrix:
        """One row per member, one column per item: scores in [0, 1]."""

    @abstractmethod
    def bags(self) -> list[NDArray[np.int64]]:
        """Which rows each member was fitted on."""

    def score(self, X: Any) -> Matrix:
        """The mean score of all members."""
        return np.asarray(self.members(X).mean(axis=0))

    def out_of_bag(self, X: Any, source: NDArray[np.int64]) -> Matrix:
        """For every item the mean score of the members that did not see it; of all members where all saw it."""
        scores = self.members(X)
        return np.asarray(np.average(scores, axis=0, weights=self.unseen(scores.shape, source)))

    def unseen(self, shape: tuple[int, ...], source: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which member did not see which item; all members are marked where all of them saw it."""
        unseen = np.ones(shape, bool)
        for member, bag in enumerate(self.bags()):
            unseen[member, source[bag]] = False
        unseen[:, ~unseen.any(axis=0)] = True
        return unseen


class _Ensemble(Committee):
    """An ensemble of scikit-learn, alone or at the end of a pipeline: the members are its own."""

    def __init__(self, estimator: Any, X: Any, y: NDArray[np.int64], weight: Matrix) -> None:
        last = last_step(estimator)
        if self._every_member_sees_all(last):  # then no member could say anything about an unseen row
            last.set_params(bootstrap=True)
        estimator.fit(X, y, **for_last_step(estimator, {"sample_weight": weight}))
        self.fitted = estimator
        self._last = last_step(estimator)

    @staticmethod
    @abstractmethod
    def _every_member_sees_all(last: Any) -> bool:
        """Whether the ensemble, with its present settings, fits each member to every row."""

    @property
    def importances(self) -> Matrix | None:
        """The ensemble's own."""
        return getattr(self._last, "feature_importances_", None)

    def bags(self) -> list[NDArray[np.int64]]:
        """As scikit-learn drew them."""
        return list(self._last.estimators_samples_)


class Forest(_Ensemble):
    """A random forest or extremely randomised trees."""

    @staticmethod
    def _every_member_sees_all(last: Any) -> bool:
        return not last.bootstrap

    def members(self, X: Any) -> Matrix:
        """Every tree's own share of positives."""
        with nameless_features():
            Z = _single_precision(seen_by_last_step(self.fitted, X))
            return np.stack([tree.predict_proba(Z, check_input=False)[:, 1] for tree in self._last.estimators_])


class Bagging(_Ensemble):
    """A `BaggingClassifier`."""

    @staticmethod
    def _every_member_sees_all(last: Any) -> bool:
        return not last.bootstrap and bool(last.max_samples == 1.0)

    def members(self, X: Any) -> Matrix:
        """The score of every member, on the columns that it was fitted to."""
        with nameless_features():
            Z = seen_by_last_step(self.fitted, X)
            Z = Z.tocsr() if hasattr(Z, "tocsr") else np.asarray(Z)
            pairs = zip(self._last.estimators_, self._last.estimators_features_, strict=True)
            return np.stack([positive_score(member, Z[:, columns]) for member, columns in pairs])


class Bagged(Committee):
    """Any other classifier, fitted on stratified bootstrap samples in which a row is drawn by its weight."""

    def __init__(self, estimator: Any, X: Any, y: NDArray[np.int64], weight: Matrix, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sides = [np.flatnonzero(y == label) for label in (0, 1)]
        sizes = np.maximum(1, np.round([weight[side].sum() for side in sides]).astype(int))
        self._bags: list[NDArray[np.int64]] = []
        self._members: list[Any] = []
        for _ in range(MEMBERS):
            drawn = [
                rng.choice(side, rows, p=weight[side] / weight[side].sum())
                for side, rows in zip(sides, sizes, strict=True)
            ]
            bag = np.concatenate(drawn)
            self._bags.append(bag)
            with config_context(skip_parameter_validation=bool(self._members)):  # only the first validates them
                self._members.append(clone(estimator).fit(taken(X, bag), y[bag]))
        self.fitted = self._members[0]

    @property
    def importances(self) -> Matrix | None:
        """Importances or absolute coefficients, averaged over the members."""
        last = [last_step(member) for member in self._members]
        for name in ("feature_importances_", "coef_"):
            if all(hasattr(one, name) for one in last):
                rows = [np.abs(np.asarray(_dense(getattr(one, name)), np.float64)).ravel() for one in last]
                if len({len(row) for row in rows}) == 1:
                    return np.asarray(np.mean(rows, axis=0))
        return None

    def members(self, X: Any) -> Matrix:
        """The members' scores."""
        with nameless_features():
            return np.stack([positive_score(member, X) for member in self._members])

    def bags(self) -> list[NDArray[np.int64]]:
        """As drawn here."""
        return self._bags


def committee(estimator: Any, X: Any, y: NDArray[np.int64], weight: Matrix, seed: int) -> Committee:
    """A fitted committee of clones of `estimator`; labels are 0 and 1, both present."""
    fresh = seeded(estimator, seed)
    last = last_step(fresh)
    if isinstance(last, FORESTS):
        return Forest(fresh, X, y, weight)
    if isinstance(last, BaggingClassifier):
        return Bagging(fresh, X, y, weight)
    return Bagged(fresh, X, y, weight, seed)


def _single_precision(Z: Any) -> Any:
    """The table as trees read it; refuses infinite numbers, as the trees themselves would."""
    if hasattr(Z, "tocsr"):
        return Z.tocsr().astype(np.float32)
    numbers = Z.to_numpy(np.float64, na_value=np.nan) if hasattr(Z, "iloc") else Z
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(numbers, np.float32)
    if np.isinf(single).any():
        raise ValueError("a number is infinite or too large for dtype('float32')")
    return single


def _dense(values: Any) -> Any:
    return values.toarray() if hasattr(values, "toarray") else values
