"""What the paper's objects are computed from: a pool's rows, a labelling of them, a member of a class.

A **labelling** is a `Hypothesis` of the library, a `Result` (its rule), a callable on features, a fitted classifier, or
one boolean per row. A **pool** is a `Pool`, or any table that makes one.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses import FiniteClass, Hypothesis, HypothesisClass, Points
from activepu.pools import Pool, Source
from activepu.result import Result

Labels = NDArray[np.bool_]


class Rows:
    """The rows of a pool, or of a table without a `Pool` around it."""

    def __init__(self, pool: Any) -> None:
        if isinstance(pool, Source) and not isinstance(pool, Pool):
            raise InvalidInput(
                f"This needs the rows of a pool, got {checks.brief(pool)}, which has no end; draw a table from it: "
                "Pool(draw(n, rng))."
            )
        self._given = pool

    @cached_property
    def pool(self) -> Pool:
        """The pool."""
        return self._given if isinstance(self._given, Pool) else Pool(self._given)

    @property
    def _has_own_columns(self) -> bool:
        return not isinstance(self._given, Pool) and hasattr(self._given, "columns")

    def __len__(self) -> int:
        return len(self._given) if self._has_own_columns else len(self.pool)

    @property
    def raw(self) -> Any:
        """What a result predicts: a DataFrame as it was given, else the features of the pool."""
        return self._given if self._has_own_columns else self.pool.features()

    def table(self, hypotheses: HypothesisClass) -> Any:
        """Return the features that a bound class reads: its own columns of a DataFrame, else those of the pool."""
        if self._has_own_columns and hypotheses.names is not None:
            return hypotheses.columns_of(self._given)
        return self.pool.features()

    def bound(self, hypotheses: HypothesisClass) -> HypothesisClass:
        """Return the class, bound to the columns of the pool unless it is bound already."""
        known = hypotheses.names is not None
        return hypotheses if known and self._has_own_columns else hypotheses.bind(self.pool.dim, self.pool.names)

    def points(self, hypotheses: HypothesisClass) -> Points:
        """Return all rows, encoded by a bound class."""
        return hypotheses.encode(self.table(hypotheses))

    def labels(self, h: Any, name: str) -> Labels:
        """Return which rows a labelling calls positive."""
        if isinstance(h, Hypothesis):
            return h.predict(self.table(h.hypotheses))
        if isinstance(h, Result):
            return np.asarray(h.predict(self.raw))
        if callable(h) or hasattr(h, "predict"):
            features = self.pool.features()
            return FiniteClass([h]).bind(features.shape[1]).member(0).predict(features)
        values = np.asarray(h)
        if values.shape == (len(self),) and not _is_binary(values):
            strange = next(value for value in values.tolist() if not _is_binary(np.asarray([value])))
            raise InvalidInput(f"{name} must hold one boolean per row (or 1 and 0), got {strange!r}.")
        if values.shape != (len(self),):
            raise InvalidInput(
                f"{name} must be a hypothesis, a callable on features or one boolean per row ({len(self)}), got "
                f"{checks.brief(h)}."
            )
        return values.astype(bool)


def _is_binary(values: NDArray[Any]) -> bool:
    if values.dtype == object:
        return all(isinstance(value, (bool, np.bool_)) for value in values)
    return values.dtype == bool or (values.dtype.kind in "iuf" and bool(np.isin(values, (0, 1)).all()))


def member(center: Any, H: HypothesisClass | None, rows: Rows) -> Hypothesis:
    """Return the center as a member of H: itself, or one with the same labels on all rows.

    A ball depends on its center only through these labels. If H is None, the center's own class is meant.
    """
    if isinstance(center, Result):
        center = center.hypothesis
    known = isinstance(center, Hypothesis)
    if known and (H is None or center.hypotheses is H):
        return cast(Hypothesis, center)
    if H is None:
        raise InvalidInput(
            f"Which class the ball is made of is not known from {checks.brief(center)}; pass H=Boxes(), say."
        )
    if not isinstance(H, HypothesisClass):
        raise InvalidInput(f"H must be a class such as Boxes(), got {checks.brief(H)}.")
    H = rows.bound(H)
    labels, points = rows.labels(center, "center"), rows.points(H)
    if known and type(center.hypotheses) is type(H) and np.array_equal(center.contains(points), labels):
        return cast(Hypothesis, center)
    found = H.member_with(points, labels)
    if found is None:
        raise InvalidInput(
            f"The center must be a member of '{H.name}', and none of them has these labels on all {len(rows):,} rows; "
            "pass a member, such as the hypothesis of a result over this class."
        )
    return found
