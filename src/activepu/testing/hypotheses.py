"""The contract of every hypothesis class.

    predict = contains ∘ encode, row by row; ∅ ∈ H; ln #{dichotomies} ≤ log_growth(n); nothing larger than
    vc_dimension is shattered; descriptions survive JSON. With a closure also: h ⊇ A if and only if closure(A) ⊆ h, by
    `within` and by `contains`.

The hypotheses that are checked are the smallest ones that contain some of the rows, as the class's version space finds
them.
"""

from __future__ import annotations

import json
import math
from itertools import combinations
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu import checks, version_spaces
from activepu import hypotheses as classes
from activepu.errors import AssumptionsViolated, InvalidInput
from activepu.hypotheses import ClosedClass, Hypothesis, HypothesisClass, Points, read_hypothesis
from activepu.hypotheses.contract import check_contains, encoded, order_fault
from activepu.testing.base import require

MOST_ROWS = 7
"""All subsets of this many rows are tried."""
MOST_PAIRED = 5
"""All pairs of subsets of this many rows are compared."""


def check_hypothesis_class(H: HypothesisClass, X: Any) -> None:
    """Check that a hypothesis class keeps its contract on some rows.

    It tries all subsets of the first seven rows, and checks the smallest hypothesis around each. `predict` must be
    `contains` after `encode`, row by row. ∅ must be in the class. `log_growth` and `vc_dimension` must not be too small
    for the labellings that occur; any upper bound will do for `log_growth`, if it does not fall as n grows.
    Hypotheses must survive JSON. All that a run refuses before its first question is refused here too.

    A `ClosedClass` is also checked on all pairs of subsets of the first five rows. Its closure must be monotone:
    closure(A) lies within closure(B) if A ⊆ B. `within` must agree with `contains`. A class that passes may still
    be wrong on other rows.

    Parameters
    ----------
    H : HypothesisClass
        The class, bound or not.
    X : array
        At least one row of raw features.

    Raises
    ------
    AssertionError
        Something is broken; the message says what.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.testing import check_hypothesis_class
    >>> class Small(apu.Boxes):
    ...     vc_dimension = 1
    >>> check_hypothesis_class(Small(), np.random.default_rng(0).random((5, 2)))
    Traceback (most recent call last):
    AssertionError: Small labels 2 rows in all ways, but its vc_dimension is 1.
    """
    X = np.asarray(X, np.float64)
    X = X[:, None] if X.ndim == 1 else X
    require(len(X) > 0, "check_hypothesis_class needs at least one row of features.")
    H = H.bind(X.shape[1], H.names)
    try:
        _check(H, X)
    except InvalidInput as error:  # what a run refuses
        raise AssertionError(str(error)) from error


def _check(H: HypothesisClass, X: NDArray[np.float64]) -> None:
    points = encoded(H, X)
    _check_encoding(H, X, points)
    few = points[:MOST_ROWS]
    found = _members(H, few)
    if isinstance(H, ClosedClass):
        _check_order(H, points)
    labels = np.unique([h.contains(few) for h in found], axis=0)
    _check_counts(H, labels)
    again = _made_again(H)
    for h in found:
        _check_hypothesis(H, again, h, X, points)


def _check_encoding(H: HypothesisClass, X: NDArray[np.float64], points: Points) -> None:
    name = type(H).__name__
    require(len(H.encode(X[:0])) == 0, f"{name}.encode of no rows must be no points.")
    for row in (0, len(X) - 1):
        alone = H.encode(X[row : row + 1])
        require(
            np.array_equal(alone[0], points[row]), f"{name}.encode of row {row} alone differs from it among others."
        )


def _members(H: HypothesisClass, points: Points) -> list[Hypothesis]:
    """Return ∅, and for every subset of the points the smallest hypothesis that contains it, if one does."""
    V = version_spaces.version_space(H).among(points)
    empty = V.smallest(points)
    check_contains(empty, points)
    require(
        not empty.contains(points).any(), f"The smallest member of {H!r} contains points: ∅ must be in every class."
    )
    found = [empty]
    for size in range(1, len(points) + 1):
        for chosen in combinations(range(len(points)), size):
            try:
                h = V.require(points[list(chosen)]).smallest(points)
            except AssumptionsViolated:
                continue
            check_contains(h, points)
            require(
                h.contains(points)[list(chosen)].all(),
                f"{type(V).__name__}.smallest gave {_said(h)}, which lacks one of the required rows {chosen}.",
            )
            found.append(h)
    return found


def _check_counts(H: HypothesisClass, labels: NDArray[np.bool_]) -> None:
    name, d = type(H).__name__, H.vc_dimension
    require(isinstance(d, int) and d >= 1, f"{name}.vc_dimension must be a whole number of at least 1, got {d!r}.")
    previous = 0.0
    for n in range(labels.shape[1] + 1):
        growth = H.log_growth(n)
        require(
            isinstance(growth, Real) and not math.isnan(growth),
            f"{name}.log_growth must return a number, got {growth!r} for n = {n}.",
        )
        seen = (
            max(len(np.unique(labels[:, list(c)], axis=0)) for c in combinations(range(labels.shape[1]), n)) if n else 1
        )
        require(seen < 2**n or n <= d, f"{name} labels {n} rows in all ways, but its vc_dimension is {d}.")
        require(
            growth >= math.log(seen) - 1e-9,
            f"{name}.log_growth({n}) = {growth:.4g} is below ln {seen}: there are {seen} labellings of {n} rows.",
        )
        require(growth >= previous, f"{name}.log_growth falls from {previous:.4g} to {growth:.4g} at n = {n}.")
        previous = growth


def _check_order(H: ClosedClass, points: Points) -> None:
    rows = range(min(MOST_PAIRED, len(points)))
    subsets = [points[list(chosen)] for size in range(len(rows) + 1) for chosen in combinations(rows, size)]
    for member in [H.closure(subset) for subset in subsets]:
        for subset in subsets:
            fault = order_fault(H, subset, member, points)
            require(fault is None, str(fault))


def _made_again(H: HypothesisClass) -> HypothesisClass:
    """Return the class read back from JSON, or H itself if it holds code."""
    try:
        return classes.from_dict(json.loads(json.dumps(H.to_dict(), allow_nan=False)))
    except InvalidInput:
        return H


def _check_hypothesis(
    H: HypothesisClass, again: HypothesisClass, h: Hypothesis, X: NDArray[np.float64], points: Points
) -> None:
    check_contains(h, points)
    inside, name, printed = h.contains(points), type(h).__name__, h.__str__()
    require(isinstance(printed, str), f"{name}.__str__ must return the rule as a string, got {printed!r}.")
    require(printed.strip(), f"{name}.__str__ returns an empty string; a hypothesis prints as a rule.")
    require(np.array_equal(h.predict(X), inside), f"{_said(h)}: predict(X) and contains(encode(X)) differ.")
    data = h.to_dict()
    require(isinstance(data, dict), f"{name}.to_dict must return a dict, got {checks.brief(data)}.")
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"{name}.to_dict must return what JSON can hold, got {checks.brief(data)}.") from error
    copy = read_hypothesis(again, json.loads(text))
    require(
        isinstance(copy, Hypothesis),
        f"{type(H).__name__}.hypothesis_from_dict must return a hypothesis, got {checks.brief(copy)}.",
    )
    require(np.array_equal(copy.predict(X), inside), f"{_said(h)} predicts something else after to_dict and back.")
    require(str(copy) == printed, f"{_said(h)} prints as {str(copy)!r} after to_dict and back.")


def _said(h: Hypothesis) -> str:
    return f"{type(h).__name__} '{h!s}'"
