"""pulearn: our answers as its labels, and its classifiers with outputs that are probabilities.

pulearn marks positives with 1 and everything else with −1.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state

from activepu.errors import InvalidInput
from activepu.result import Result

TRIES = 20
"""How many hold-outs are tried."""


def labels(result: Result, n: int | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the answers of a run as labels of pulearn.

    Parameters
    ----------
    result : Result
        Of any learner.
    n : int, optional
        The size of the pool: then items that were not asked are there too, with −1.

    Returns
    -------
    items, s : arrays
        The items that were asked (with `n`, all of them), and for each 1 if it was revealed, −1 if not.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.adapters.pulearn import labels
    >>> run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.1), np.linspace(0, 1, 50)[:, None])
    >>> _ = run.record(7, False), run.record(40, True)
    >>> [array.tolist() for array in labels(run.result())]
    [[7, 40], [-1, 1]]
    """
    items = np.array(result.history["item"], np.int64)
    s = np.where(np.array(result.history["answer"], bool), 1, -1)
    if n is None:
        return items, s
    everyone = np.full(n, -1)
    everyone[items] = s
    return np.arange(n), everyone


class PulearnClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of pulearn whose outputs are probabilities.

    The Elkan–Noto classifier of pulearn divides by an estimate of ω and can return more than 1; this one cuts it off.
    It fails if no positive falls into its hold-out; this one tries others, 20 at most. The weighted variant is
    refused, because its answer for a row depends on the rows beside it.

    Parameters
    ----------
    estimator : classifier of pulearn
        `ElkanotoPuClassifier(…)` or `BaggingPuClassifier(…)`. It is cloned.
    random_state : int or RandomState, optional

    Attributes
    ----------
    fitted_ : classifier of pulearn
    classes_ : array
        [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from pulearn import ElkanotoPuClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> from activepu.adapters.pulearn import PulearnClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 1))
    >>> s = np.where((X[:, 0] > 0) & (np.arange(200) % 2 == 0), 1, -1)
    >>> clf = PulearnClassifier(ElkanotoPuClassifier(LogisticRegression()), random_state=0).fit(X, s)
    >>> clf.predict([[-2.0], [2.0]]).tolist(), bool(clf.predict_proba(X).max() <= 1)
    ([0, 1], True)

    References
    ----------
    C. Elkan and K. Noto (2008), Learning classifiers from only positive and unlabeled data, KDD.
    """

    def __init__(self, estimator: Any, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, s: Any) -> Self:
        """Fit a clone to s: 1 for a reveal, −1 or 0 for the rest."""
        X, s = np.asarray(X), np.where(np.asarray(s) == 1, 1, -1)
        if type(self.estimator).__name__.startswith("Weighted"):
            raise InvalidInput(
                f"{type(self.estimator).__name__} answers for a row by the rows beside it; use ElkanotoPuClassifier."
            )
        if len(np.unique(s)) < 2:
            raise InvalidInput(f"s must hold both 1 (revealed) and -1 (the rest), got only {s[0]}.")
        rng = check_random_state(self.random_state)
        for attempt in range(TRIES):
            self.fitted_ = clone(self.estimator)
            if "random_state" in self.fitted_.get_params():
                self.fitted_.set_params(random_state=rng.randint(2**31 - 1))
            try:
                self.fitted_.fit(X, s)
                break
            except (ValueError, IndexError) as error:  # the hold-out has no positive, or all of them
                if "hold-out" not in str(error) and not isinstance(error, IndexError):
                    raise
                if attempt == TRIES - 1:
                    raise InvalidInput(
                        f"{type(self.estimator).__name__} found no hold-out with which it works in {TRIES} tries, from "
                        f"{np.count_nonzero(s == 1)} positives; more of them will help."
                    ) from error
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(y = 0 | x) and P(y = 1 | x), cut off at 0 and 1."""
        raw = np.asarray(self.fitted_.predict_proba(np.asarray(X)))
        p = np.clip(raw[:, 1] if raw.ndim == 2 else raw, 0.0, 1.0)
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 where a positive is at least as likely as not."""
        return (self.predict_proba(X)[:, 1] >= 0.5).astype(np.int64)
