"""What can be audited: a fitted classifier, a result, a function, an array or a column, as predictions and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.audit.refitted import classifies, learns, opinion, reason
from activepu.errors import InvalidInput
from activepu.experts import binary
from activepu.hypotheses import AuditedClassifier
from activepu.pools import Pool
from activepu.pools.frames import selected
from activepu.result import Result

SAME_ROWS = "the rows that the earlier run asked about are those of this pool with the same numbers"
OTHER_ROWS = "the earlier run asked about none of these items"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """What a classifier says about every row of a pool.

    `scores` orders the rows, `probabilities` are the classifier's own; both are None where there are none. `before` are
    the rows that an audit leaves out, and `asked` those of them that were asked when the classifier was learned;
    `confirmed` are those that were revealed. `columns` are the names of the columns with the predictions and the score,
    where these are columns. `in_run` says that the run itself learned the classifier, so that it is known to have been
    fixed in time.
    """

    rule: AuditedClassifier
    predictions: NDArray[np.bool_]
    scores: Floats | None
    probabilities: Floats | None
    before: NDArray[np.int64]
    columns: tuple[str | None, str | None] = (None, None)
    confirmed: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    in_run: bool = False
    asked: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    supposed: tuple[str, ...] = ()
    """What is assumed about the earlier run whose rule is audited, where nothing shows it."""


def judge(classifier: Any, score: Any, pool: Pool) -> Judged:
    """Return what the classifier and the score say about the pool; refuse what is neither."""
    before = confirmed = np.empty(0, np.int64)
    supposed: tuple[str, ...] = ()
    probabilities: Floats | None = None
    scores: Floats | None = None
    learned = getattr(classifier, "result_", None)  # of an `ActivePUClassifier`: its answers are known
    classifier = learned if isinstance(learned, Result) else classifier
    if isinstance(classifier, str):
        predictions = binary(f"the column {classifier!r}", _named(classifier, pool))
        rule = AuditedClassifier(None, f"the column {classifier!r}")
    elif isinstance(classifier, Result):
        rule = AuditedClassifier(classifier.predict, f"the result of an earlier run ({classifier.hypothesis})")
        predictions = _bools("The earlier result", classifier.predict(_table(classifier, pool)), pool)
        if classifier.model is not None:
            probabilities = classifier.predict_proba(_table(classifier, pool))[:, 1]
        before, answers = asked_before(classifier, pool)
        confirmed, supposed = before[answers], supposed_of(classifier, pool)
    elif hasattr(classifier, "predict"):
        name = type(classifier).__name__
        rule = AuditedClassifier(classifier.predict, name)
        predictions, probabilities, scores = _fitted(classifier, name, pool)
    elif callable(classifier):
        rule = AuditedClassifier(classifier, getattr(classifier, "__name__", "the function"))
        predictions = _bools("The function", classifier(pool.features()), pool)
    else:
        rule = AuditedClassifier(None, "the predictions that were given")
        predictions = _bools("The classifier", classifier, pool)
    if score is not None:
        scores = numbers(score, pool)
        unit = scores.min() >= 0 and scores.max() <= 1
        probabilities = scores if probabilities is None and unit else probabilities
    columns = tuple(given if isinstance(given, str) else None for given in (classifier, score))
    ranks = probabilities if scores is None else scores
    return Judged(
        rule,
        predictions,
        ranks,
        probabilities,
        before,
        (columns[0], columns[1]),
        confirmed,
        asked=before,
        supposed=supposed,
    )


def _named(column: str, pool: Pool) -> NDArray[Any]:
    """Return the column of this name; there may be none because something else was meant."""
    try:
        return pool.column(column)
    except InvalidInput as error:
        raise InvalidInput(f'{error} What was found so far is audited by Audit("found").') from None


def _table(result: Result, pool: Pool) -> Any:
    return pool.features()


def asked_before(result: Result, pool: Pool) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the rows that were asked in an earlier run on this pool, and the answers; of another pool none was."""
    items = np.array(result.history["item"], np.int64)
    answers = np.array(result.history["answer"], bool)
    return (items, answers) if _of_this_pool(result, pool) is not False else (items[:0], answers[:0])


def _of_this_pool(result: Result, pool: Pool) -> bool | None:
    """Whether an earlier run asked about the items of this pool; None if the saved result does not tell."""
    if result.source is pool:
        return True
    if (known := result.pool_digests) is not None:
        return not set(known).isdisjoint(pool.digests)
    return None if max(result.history["item"], default=0) < len(pool) else False


def supposed_of(result: Result, pool: Pool) -> tuple[str, ...]:
    """Return what is assumed about the items of an earlier run, where nothing shows it."""
    known = result.pool_digests
    if not result.history["item"] or (known is not None and not known):
        return ()  # nothing was asked, or rows that were drawn afresh
    return {True: (), None: (SAME_ROWS,), False: (OTHER_ROWS,)}[_of_this_pool(result, pool)]


def _columns(classifier: Any, pool: Pool) -> Any:
    """Return the features: where the classifier was fitted on columns with names that the pool has, these alone."""
    X, wanted, names = pool.features(), getattr(classifier, "feature_names_in_", ()), list(pool.names or ())
    known = len(wanted) and set(wanted) <= set(names)
    return selected(X, [names.index(name) for name in wanted]) if known else X


def _fitted(classifier: Any, name: str, pool: Pool) -> tuple[NDArray[np.bool_], Floats | None, Floats | None]:
    checks.labels(classifier)
    X = _columns(classifier, pool)
    try:
        said = np.asarray(classifier.predict(X))
        if hasattr(classifier, "predict_proba"):
            probabilities, scores = np.asarray(classifier.predict_proba(X), np.float64)[:, -1], None
        elif hasattr(classifier, "decision_function"):
            probabilities, scores = None, np.asarray(classifier.decision_function(X), np.float64)
        else:
            probabilities, scores = None, None
    except Exception as error:
        first = str(error).strip().partition("\n")[0].rstrip(".")
        raise InvalidInput(
            f"{name} cannot judge the rows of the pool ({first}); pass a fitted classifier, and the pool with the "
            "columns that it was fitted on: Pool(table, features=[…])."
        ) from error
    classes = getattr(classifier, "classes_", None)
    if classes is not None and len(classes) == 2:
        said = said == classes[1]
    for what, values in (("probabilities", probabilities), ("scores", scores)):
        if values is not None and not np.isfinite(values).all():
            raise InvalidInput(
                f"{name} gives {what} that are not numbers for {int((~np.isfinite(values)).sum()):,} rows."
            )
    return _bools(name, said, pool), probabilities, scores


def _bools(what: str, values: Any, pool: Pool) -> NDArray[np.bool_]:
    """Return one prediction per row; refuse another length or values that are not 0 and 1."""
    found = np.asarray(values)
    if found.shape != (len(pool),):
        raise InvalidInput(
            f"{what} must give one prediction per row of the pool ({len(pool):,}), got shape {found.shape}; an audit "
            "takes a fitted classifier, a function of the features, an array of booleans or a column's name."
        )
    return binary("the predictions", found)


def _scored(model: Any, pool: Pool) -> Floats:
    """Return what a fitted classifier says about every row, as numbers that rank them."""
    checks.labels(model)
    try:
        return opinion(model, _columns(model, pool))
    except Exception as error:
        raise InvalidInput(
            f"score = {type(model).__name__} cannot score the rows of the pool ({reason(error)}); pass the pool with "
            "the columns that it was fitted on: Pool(table, features=[…]), or the classifier unfitted."
        ) from error


def numbers(score: Any, pool: Pool) -> Floats:
    """Return one number per row from a column, a function, a fitted classifier or an array; refuse what is none."""
    if isinstance(score, str):
        values: Any = pool.column(score)
    elif learns(score):
        raise InvalidInput(
            f"score = {type(score).__name__} is not fitted; fit it first. Only the score of "
            'Audit("found") is fitted on the answers as they come.'
        )
    elif classifies(score):
        values = _scored(score, pool)
    elif callable(score):
        values = score(pool.features())
    else:
        values = score
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"score must be numbers, one per row, got {checks.brief(values)}.") from None
    if found.shape != (len(pool),):
        raise InvalidInput(f"score must have one number per row of the pool ({len(pool):,}), got shape {found.shape}.")
    if (bad := np.flatnonzero(~np.isfinite(found))).size:
        raise InvalidInput(
            f"score must be a number in every row, but {len(bad):,} are missing or infinite, the first in row "
            f"{bad[0]}; fill them in, or leave those rows out of the pool."
        )
    return found
