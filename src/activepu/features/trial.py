"""A classifier is tried on some rows of the pool before the first question, so that no run fails in its middle."""

from __future__ import annotations

import warnings
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from activepu.errors import InvalidInput
from activepu.features.odd import odd_columns
from activepu.pools.frames import column_of, taken

if TYPE_CHECKING:
    from activepu.features.reading import Reading


def seeded(estimator: Any, seed: int) -> Any:
    """A clone in which every `random_state` that the user left open is `seed`."""
    fresh = clone(estimator)
    open_states = [
        name for name, value in fresh.get_params().items() if name.endswith("random_state") and value is None
    ]
    return fresh.set_params(**dict.fromkeys(open_states, seed % 2**32))


def raised(estimator: Any, X: Any, judged: Any = None) -> Exception | None:
    """What the classifier raises when it is fitted to rows with made-up labels, or judges others; None if nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = seeded(estimator, 0).fit(X, np.arange(X.shape[0]) % 2)
            if judged is not None:
                fitted.predict(judged)
    except Exception as error:
        return error
    return None


def check_reads(read: Reading) -> None:
    """Refuse a table if the classifier raises over columns that are no numbers, or over gaps in its columns.

    The classifier is fitted to some rows with made-up labels. If it also raises without the gaps, the cause may be that
    the rows are too few, so nothing is refused. A classifier that reads the columns as they are must also judge rows
    with rare values, which it was not fitted to.
    """
    X, estimator = read.pool.features(), read.estimator
    odd = odd_columns(read.pool)
    places = sorted({*odd.texts, *odd.gaps})
    if not places or len(odd.rows) < 2:
        return
    named = shorten(", ".join(column_of(X, k)[0] for k in places), 200, placeholder=" …")
    columns = f"the column{'s' * (len(places) > 1)} {named}"
    if (error := raised(estimator, read.rows(odd.rows))) is not None:
        if not odd.texts and len(odd.whole) > 1 and raised(estimator, taken(X, odd.whole)) is not None:
            return
        advice = f"use a pipeline that encodes{' or fills' if odd.gaps else ''} {columns}"
        if read.features is not None:
            advice = f"the features made of the columns do not suit it; use a pipeline that encodes {columns}"
        elif read.pool.names is None:
            advice += ", or pass a DataFrame, whose columns have names"
        raise InvalidInput(f"{_name(estimator)} cannot be fitted to this table ({_said(error)}); {advice}.") from error
    if (
        read.features is None
        and len(odd.rare)
        and (error := raised(estimator, read.rows(odd.rows), read.rows(odd.rare))) is not None
    ):
        raise InvalidInput(
            f"{_name(estimator)} cannot judge rows with values that the rows with an answer may lack "
            f"({_said(error)}); use an encoder with handle_unknown='ignore' for {columns}, or no pipeline."
        ) from error


def _name(estimator: Any) -> str:
    return type(estimator).__name__


def _said(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {shorten(first, 200, placeholder=' …').rstrip('.')}"
