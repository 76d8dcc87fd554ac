"""A scorer for searches over answers, when nobody knows the labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from activepu.classifier.answers import REVEALED, SILENT
from activepu.models.estimators import last_step


def answer_likelihood(estimator: Any, X: Any, y: Any) -> float:
    """Score a model by the answers: their mean log-likelihood, through the channel.

    A scorer for `GridSearchCV` and the like. True labels are not needed. A reveal has probability ω·P(y = 1 | x), ★ has
    the rest; ω is the model's own estimate.

    Parameters
    ----------
    estimator : ActivePUClassifier
        Fitted, around a model; or a pipeline that ends in one.
    X : table
    y : array
        Per row 1 (revealed), 0 (asked and silent) or −1 (not asked; left out).

    Returns
    -------
    float
        In nats per answer, larger is better; −inf if `y` holds no answer or there is no estimate of ω.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> import activepu as apu
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 2))
    >>> y = ((X[:, 0] > 0) & (rng.random(120) < 0.6)).astype(int)
    >>> clf = apu.ActivePUClassifier(apu.models.ChannelLogistic(), random_state=0)
    >>> grid = {"estimator__scale": [1e-3, 1.0]}
    >>> search = GridSearchCV(clf, grid, scoring=apu.answer_likelihood, cv=2).fit(X, y)
    >>> search.best_params_
    {'estimator__scale': 1.0}
    """
    answers = np.asarray(y)
    bounds = last_step(estimator).rate_
    if bounds is None or bounds.estimate is None or not (answers >= SILENT).any():
        return float("-inf")
    revealed = np.clip(bounds.estimate * estimator.predict_proba(X)[:, 1], 1e-6, 1 - 1e-6)
    return float(np.log(np.where(answers == REVEALED, revealed, 1 - revealed))[answers >= SILENT].mean())
