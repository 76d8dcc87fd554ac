"""Answers that were collected elsewhere: an array with 1 (revealed), 0 (asked and silent) and −1 (not asked)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from activepu.errors import InvalidInput
from activepu.learners import Learner
from activepu.models.logistic import not_binary
from activepu.records import StopReason
from activepu.result import Result
from activepu.run import Run

REVEALED, SILENT, NOT_ASKED = 1, 0, -1


def checked_answers(y: Any, n: int) -> NDArray[np.int64]:
    """y as whole numbers, one for each of the n rows; refuses all but the three answers."""
    if callable(y):
        raise InvalidInput(f"An expert has a method answer(items, rows), got {y!r}; wrap it in CallbackExpert.")
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = column_or_1d(values, warn=True)
    if values.shape != (n,):
        raise InvalidInput(f"y must hold one answer per row of X ({n}), got an array of shape {values.shape}.")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise InvalidInput(
            f"y must be 1 (revealed), 0 (asked and silent) or -1 (not asked), got NaN in row "
            f"{int(np.argmax(np.isnan(values)))}. Input contains NaN: write -1 for rows that were not asked."
        )
    meant, things = (REVEALED, SILENT, NOT_ASKED), values.tolist()
    known = (
        np.isin(values, meant)
        if values.dtype.kind in "biuf"
        else [isinstance(thing, (bool, int, float)) and thing in meant for thing in things]
    )
    if not np.all(known):
        kind = type_of_target(values) if values.dtype.kind in "biufUS" else "unknown"
        row = int(np.argmin(known))
        raise InvalidInput(
            f"y must be 1 (revealed), 0 (asked and silent) or -1 (not asked), got {things[row]!r} in row {row}."
            + ("" if kind == "binary" else f" {not_binary(kind)}")
        )
    return values.astype(np.int64)


def recorded(learner: Learner, X: Any, answers: NDArray[np.int64], seed: int) -> Result:
    """The result of answers that were collected elsewhere. Of rows that look the same the first answer counts.

    If any yes counted, a row that is repeated often would be revealed with a probability larger than ω.
    """
    items = np.flatnonzero(answers != NOT_ASKED)
    if len(items) == 0:
        raise InvalidInput(
            f"y holds no answer, all {len(answers)} are -1 (not asked); write 1 for rows that were revealed and 0 for "
            "those that were asked and silent, or pass an expert instead of y."
        )
    if (answers[items] == REVEALED).all() and len(items) < len(answers):
        warnings.warn(
            f"y holds {len(items)} reveals and no 0 (asked and silent), so that every item that was asked counts as "
            "revealed; if -1 means unlabeled here, as in other libraries, write 0 instead.",
            stacklevel=3,
        )
    run = Run(learner, X, seed=seed)
    _, first, group = np.unique([run.coin(int(item)) for item in items], return_index=True, return_inverse=True)
    if differ := np.count_nonzero(answers[items] != answers[items[first[group]]]):
        warnings.warn(
            f"{differ} row(s) of X look the same as an earlier one and have another answer in y; the first answer "
            "counts. Add a column that tells the rows apart if they were asked separately.",
            stacklevel=3,
        )
    for k in np.sort(first):
        run.record(int(items[k]), bool(answers[items[k]] == REVEALED))
    result = run.result()
    result.stop_reason = str(StopReason.RECORDED)
    return result
