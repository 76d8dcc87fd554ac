"""Thresholds {x : score(x) ≥ a}: where to cut one column, or the score of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Points, nameless_features, shown
from activepu.hypotheses.boxlike import BoxLike


class Thresholds(BoxLike):
    """Thresholds {x : score(x) ≥ a}: positive where a score is at least an unknown number.

    The score may be a column or a model that was fitted elsewhere; then this finds where to cut the model's score. The
    class is closed under intersection, so its version spaces are exact, and so is the posterior of Z-CAL. VC dimension
    1. A score must be fixed without a look at the answers.

    Parameters
    ----------
    score : str, int, classifier or callable, optional
        The name or number of a column, a fitted classifier with `predict_proba` (its last column is taken) or
        `decision_function`, or a callable on features that returns one number per row. By default the only column of
        the pool. A model or callable is code: pass the class again when you load a result or a study.
    above : bool
        Whether large scores are positive. With False small ones are.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).random((1_000, 2))
    >>> expert = apu.SimulatedExpert(X.sum(axis=1) >= 1.2, rate=0.5)
    >>> H = apu.Thresholds(lambda features: features.sum(axis=1))
    >>> result = apu.learn(apu.ZCal(H, epsilon=0.05, delta=0.05), X, expert)
    >>> result.certificate.error_bound <= 0.05
    True
    """

    name: ClassVar[str] = "thresholds"
    two_sided: ClassVar[bool] = False
    fixed_dim: ClassVar[int | None] = 1  # points are scores, whatever the features are

    def __init__(self, score: str | int | Callable[[Any], Any] | Any = None, above: bool = True) -> None:
        super().__init__()
        self.score = score
        self.above = above

    def bind(self, dim: int, names: Sequence[str] | None = None) -> Self:
        """Return the same class for these columns; refuse if it names none of them."""
        bound = super().bind(dim, names)
        if self.score is None and dim != 1:
            raise InvalidInput(
                f"Thresholds need one number per item, but the pool has {dim} columns; name the column or pass a "
                "model: Thresholds('column') or Thresholds(model)."
            )
        if isinstance(self.score, str):
            if names is None or self.score not in names:
                known = "no column names" if names is None else f"the columns {', '.join(names)}"
                raise InvalidInput(f"Thresholds({self.score!r}) names no column of the features, which have {known}.")
        elif isinstance(self.score, int) and not 0 <= self.score < dim:
            raise InvalidInput(f"Thresholds({self.score}) names no column; pass a number from 0 to {dim - 1}.")
        return bound

    def encode(self, X: Any) -> Points:
        """Return the score, negated if small scores are positive."""
        rows = len(X) if hasattr(X, "__len__") else -1
        if rows == 0:
            return np.empty((0, 1))  # models refuse to score nothing
        points = checks.matrix("the score", self._scores(X), 1)
        if len(points) != rows:
            raise InvalidInput(f"The score must be one number per row ({rows}), got {len(points)}.")
        return points if self.above else -points

    def _scores(self, X: Any) -> Any:
        score = self.score
        if score is None:
            return X
        if isinstance(score, (str, int)):
            features = checks.matrix("features", X, self.dim)
            axis = score if isinstance(score, int) else (self.names or ()).index(score)
            return features[:, axis]
        checks.labels(score)
        with nameless_features():
            if hasattr(score, "predict_proba"):
                return score.predict_proba(X)[:, -1]
            if hasattr(score, "decision_function"):
                return score.decision_function(X)
        if callable(score):
            return score(X)
        raise InvalidInput(f"Thresholds take a column, a fitted classifier or a callable, got {score!r}.")

    @property
    def vc_dimension(self) -> int:
        """1."""
        return 1

    def log_growth(self, n: int) -> float:
        """Return ln(n + 1), the exact number of labellings of n points."""
        return math.log(n + 1)

    def describe(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
        """Return the rule as `column >= a`, or `column <= a` where small scores are positive."""
        if isinstance(self.score, str):
            name = self.score
        elif self.score is None or isinstance(self.score, int):
            name = self.column(self.score or 0)
        else:
            name = "score"
        return f"{name} >= {shown(low[0])}" if self.above else f"{name} <= {shown(0.0 - low[0])}"

    def to_dict(self) -> dict[str, Any]:
        """Return the description with the column; a model or callable is marked only, and must be passed again."""
        known = self.score is None or isinstance(self.score, (str, int))
        return super().to_dict() | {
            "score": self.score if known else "callable",
            "above": self.above,
            "code": not known,
        }

    def __repr__(self) -> str:
        if self.score is None or isinstance(self.score, (str, int)):
            settings = [] if self.score is None else [repr(self.score)]
        else:
            settings = [f"<{getattr(self.score, '__name__', type(self.score).__name__)}>"]
        return f"Thresholds({', '.join(settings + ([] if self.above else ['above=False']))})"
