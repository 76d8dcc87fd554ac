"""A committee: members that were fitted on resampled answers, and what those say of a row who did not see it.

Forests and bagging bring their own members (Breiman 1996, 2001). Any other classifier is bagged here. A committee is
fitted on rows with labels and weights; a row may be there twice, once with either label: `source` says which asked item
a row is of, and an item is out of a member's bag only if none of its rows was drawn.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from textwrap import shorten
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import Pipeline

from activepu.checks import brief
from activepu.errors import InvalidInput
from activepu.hypotheses.base import nameless_features

Matrix = NDArray[np.float64]

MEMBERS = 10
"""How many times a classifier without members of its own is fitted."""
TRIED = 100
"""Rows on which a classifier is tried before the first question, and columns with gaps that are looked into …"""
EACH = 2
"""… in so many rows each."""
SLACK = 1e-6
"""By so much may a probability lie outside [0, 1], for rounding."""
FORESTS = (RandomForestClassifier, ExtraTreesClassifier)


class Committee(ABC):
    """Fitted members of one kind."""

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
        """Which member did not see which item; every member is taken as one of these where all of them saw it."""
        unseen = np.ones(shape, bool)
        for member, bag in enumerate(self.bags()):
            unseen[member, source[bag]] = False
        unseen[:, ~unseen.any(axis=0)] = True
        return unseen


class Forest(Committee):
    """A forest or a bagging classifier, alone or at the end of a pipeline: the members are its own."""

    def __init__(self, estimator: Any, X: Any, y: NDArray[np.int64], weight: Matrix) -> None:
        self._whole = estimator
        self._last = last_step(estimator)
        if isinstance(self._last, FORESTS) and not self._last.bootstrap:
            self._last.set_params(bootstrap=True)  # members that saw every row say nothing about any
        elif isinstance(self._last, BaggingClassifier) and not self._last.bootstrap and self._last.max_samples == 1.0:
            self._last.set_params(bootstrap=True)
        prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
        estimator.fit(X, y, **{f"{prefix}sample_weight": weight})
        self._last = last_step(estimator)

    @property
    def importances(self) -> Matrix | None:
        """The forest's own."""
        return getattr(self._last, "feature_importances_", None)

    def _seen(self, X: Any) -> Any:
        """What the last step sees."""
        return self._whole[:-1].transform(X) if isinstance(self._whole, Pipeline) else X

    def members(self, X: Any) -> Matrix:
        """Every tree's own share of positives."""
        with nameless_features():
            Z = self._seen(X)
            if isinstance(self._last, FORESTS):
                Z = _single_precision(Z)
                return np.stack([tree.predict_proba(Z, check_input=False)[:, 1] for tree in self._last.estimators_])
            Z = Z.tocsr() if hasattr(Z, "tocsr") else np.asarray(Z)
            pairs = zip(self._last.estimators_, self._last.estimators_features_, strict=True)
            return np.stack([positive_score(member, Z[:, columns]) for member, columns in pairs])

    def bags(self) -> list[NDArray[np.int64]]:
        """As scikit-learn drew them."""
        return list(self._last.estimators_samples_)


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
            with config_context(skip_parameter_validation=bool(self._members)):  # the first has them looked at
                self._members.append(clone(estimator).fit(take(X, bag), y[bag]))

    @property
    def importances(self) -> Matrix | None:
        """The mean of the members'."""
        return _mean_importances(self._members)

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
    if isinstance(last, (*FORESTS, BaggingClassifier)):
        return Forest(fresh, X, y, weight)
    return Bagged(fresh, X, y, weight, seed)


def last_step(estimator: Any) -> Any:
    """The classifier itself, at the end of a pipeline or alone."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which whatever the user left to chance follows from `seed`."""
    fresh = clone(estimator)
    open_states = [
        name for name, value in fresh.get_params().items() if name.endswith("random_state") and value is None
    ]
    return fresh.set_params(**dict.fromkeys(open_states, seed % 2**32))


def positive_score(member: Any, X: Any) -> Matrix:
    """The member's score of the label 1, in [0, 1]."""
    if hasattr(member, "predict_proba"):
        columns = np.asarray(member.predict_proba(X), np.float64)
        classes = list(member.classes_)
        if columns.shape != (X.shape[0], len(classes)) or not ((columns >= -SLACK) & (columns <= 1 + SLACK)).all():
            got = brief(columns.tolist())
            raise ValueError(f"predict_proba must give one row per item and numbers from 0 to 1, got {got}")
        return columns[:, classes.index(1)].clip(0, 1) if 1 in classes else np.zeros(len(columns))
    return np.asarray(expit(np.asarray(member.decision_function(X), np.float64)))


def take(X: Any, rows: Any) -> Any:
    """Rows of a table of any kind, some of them more than once."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows]


def check_classifier(estimator: Any) -> None:
    """Refuses what cannot be a model: no scikit-learn classifier, or one without scores."""
    from sklearn.base import is_classifier, is_regressor

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

    It is tried on some rows with made-up labels. What it raises over without the gaps too may be a lack of rows.
    """
    texts: list[int] = []
    gaps: dict[int, NDArray[np.int64]] = {}
    some = np.unique(np.linspace(0, X.shape[0] - 1, TRIED).astype(int))
    whole = np.ones(len(some), bool)
    for k in range(X.shape[1]):
        column = X.iloc[:, k] if hasattr(X, "iloc") else X[:, k]
        number = column.dtype.kind in "iufb"
        gap = _gap(column, number)
        whole &= ~gap[some]
        if not number:
            texts.append(k)
        if gap.any():
            gaps[k] = np.flatnonzero(gap)[:EACH]
    odd = sorted({*texts, *gaps})
    rows = np.unique(np.concatenate([some, *gaps.values()][: TRIED + 1]))
    if not odd or len(rows) < 2:
        return
    error = _raised(estimator, take(X, rows))
    if error is None or (not texts and whole.sum() > 1 and _raised(estimator, take(X, some[whole])) is not None):
        return
    first = str(error).strip().partition("\n")[0]
    names = ", ".join(repr(X.columns[k]) if hasattr(X, "iloc") else str(k) for k in odd)
    said, named = (shorten(text, 200, placeholder=" …") for text in (first, names))
    raise InvalidInput(
        f"{type(estimator).__name__} cannot be fitted to this table ({type(error).__name__}: {said.rstrip('.')}); "
        f"use a pipeline that encodes{' or fills' if gaps else ''} the column{'s' * (len(odd) > 1)} {named}."
    ) from error


def _raised(estimator: Any, X: Any) -> Exception | None:
    """What the classifier raises over these rows, with labels that mean nothing; None if it takes them."""
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


def _mean_importances(members: list[Any]) -> Matrix | None:
    """Importances or absolute coefficients, averaged over the members."""
    last = [last_step(member) for member in members]
    for name in ("feature_importances_", "coef_"):
        if all(hasattr(one, name) for one in last):
            rows = [np.abs(np.asarray(_dense(getattr(one, name)), np.float64)).ravel() for one in last]
            if len({len(row) for row in rows}) == 1:
                return np.asarray(np.mean(rows, axis=0))
    return None


def _single_precision(Z: Any) -> Any:
    """As trees want it, with what they would have looked at: nothing infinite."""
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
