"""Models, with each strategy, with an audit, and as one scikit-learn estimator."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from recorded.scenes import Case, Scene
from recorded.statements import Record, ending
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import activepu as apu

rng = np.random.default_rng(5)
X = rng.normal(size=(300, 3))
LABELS = X @ [1.0, 0.7, 0.0] + 0.3 * rng.normal(size=300) > 0.4
AUDIT = {"recall": 0.6, "delta": 0.1}
SEVERAL = {"recall": 0.6, "error": 0.3, "delta": 0.1, "rate": (0.4, 0.8)}
TREES = {"n_estimators": 12, "max_depth": 5, "random_state": 0}


def model(estimator: Any, at: tuple[int, ...] = (7, 18), budget: int = 24, **settings: Any) -> Scene:
    """One question at a time, or `batch`; everything else is a setting of the learner."""
    how = {name: settings.pop(name) for name in ("batch", "seed", "positives") if name in settings}
    learner = apu.ModelLearner(estimator, **settings)
    return Scene(learner, X, apu.SimulatedExpert(LABELS, 0.6, 1), at, {"budget": budget, **how})


def few_rows(labels: Any, rows: int, **settings: Any) -> Scene:
    """A small pool, or one with hardly any positives."""
    learner = apu.ModelLearner(LogisticRegression(), patience=settings.pop("patience", 3))
    return Scene(learner, X[:rows], apu.SimulatedExpert(labels[:rows], 0.9, 1), (7, 18), settings)


def classifier(estimator: Any, told: bool, **settings: Any) -> Record:
    """Asked for, or fitted to answers that were collected elsewhere."""
    chosen = apu.ActivePUClassifier(estimator, check=0, random_state=3, **settings)
    revealed = apu.SimulatedExpert(LABELS, 0.6, 1).answer(np.arange(300), None)
    y = np.where(np.arange(300) % 9 == 0, revealed, -1) if told else apu.SimulatedExpert(LABELS, 0.6, 1)
    fitted = chosen.fit(X, y)
    return {
        "predicted": fitted.predict(X[:60]).astype(int).tolist(),
        "n_queries": fitted.n_queries_,
        **ending(fitted.result_, X),
    }


def cases() -> dict[str, Case]:
    line, forest = LogisticRegression(), RandomForestClassifier(**TREES)
    made: dict[str, Any] = {
        f"model, {strategy}": partial(model, line, strategy=strategy, batch=3) for strategy in apu.strategies.BY_NAME
    }
    made |= {
        "model, one by one": partial(model, line, budget=15, at=(7,)),
        "model, rate known": partial(model, line, rate=0.6, batch=4, patience=2, budget=40),
        "model, positives": partial(model, line, positives=np.flatnonzero(LABELS)[:3], batch=4),
        "model, forest": partial(model, forest, batch=6),
        "model, no estimator": partial(model, None, batch=12),
        "model, audited": partial(model, line, audit=AUDIT, questions=20, batch=5, budget=60, at=(18, 30)),
    }
    made["model, settles"] = partial(few_rows, X[:, 0] > 0.5, 300, batch=10, patience=1, budget=140)
    made["model, rare"] = partial(few_rows, X[:, 0] > 1.7, 300, budget=30, batch=3)
    made["model, runs dry"] = partial(few_rows, X[:, 0] > 1.0, 60, batch=6)
    made["model, asks all"] = partial(few_rows, LABELS, 40, batch=4, patience=None)
    made["model, audited, settles"] = partial(model, line, audit=SEVERAL, patience=1, batch=8, budget=150, at=(48,))
    found = {name: Case(make, "fit") for name, make in made.items()}
    found["classifier, orthants"] = Case(partial(classifier, apu.Orthants(), False, epsilon=0.3, budget=30))
    found["classifier, told"] = Case(partial(classifier, line, True), "fit")
    found["classifier, asks"] = Case(partial(classifier, line, False, budget=15, batch=5), "free")
    return found
