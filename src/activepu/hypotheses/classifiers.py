"""A classifier that is audited, as a hypothesis, so that runs and results can hold it like any rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.saved import Field


class Classifiers(HypothesisClass):
    """The hypothesis class of a classifier that is audited: nothing is assumed about it.

    A classifier reads tables of any kind, so the points of this class are mere row numbers.

    Parameters
    ----------
    fitted : object, optional
        The model that was audited, if a run learned it: `predict(X)` says which rows it calls positive.
    """

    name: ClassVar[str] = "classifiers"

    def __init__(self, fitted: Any = None) -> None:
        super().__init__()
        self.fitted = fitted

    def encode(self, X: Any) -> Points:
        """The rows' numbers."""
        return np.arange(X.shape[0])[:, None]

    @property
    def vc_dimension(self) -> int:
        """Not known, and nothing rests on it."""
        raise InvalidInput("An audited classifier has no known VC dimension, and an audit needs none.")

    def log_growth(self, n: int) -> float:
        """Not known: an upper bound, as if every labelling were possible."""
        return float(n * np.log(2.0))

    def hypothesis_from_dict(self, data: dict[str, Any]) -> AuditedClassifier:
        """The classifier of this name, which JSON does not hold: the model that this class was made with, if any."""
        return AuditedClassifier(
            getattr(self.fitted, "predict", None), Field(data, "hypothesis")["classifier"].text(), self.fitted
        )


class AuditedClassifier(Hypothesis):
    """The classifier that was audited: `result.hypothesis` of an `Audit`."""

    def __init__(self, predicts: Callable[[Any], Any] | None, description: str, fitted: Any = None) -> None:
        self.hypotheses = Classifiers(fitted)
        self._predicts = predicts
        self.description = description

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """What the classifier says about rows."""
        if self._predicts is None:
            raise InvalidInput(
                f"{self.description[:1].upper()}{self.description[1:]} says nothing about other rows, or was not saved "
                "with the audit; use the classifier itself."
            )
        return np.asarray(self._predicts(X), bool)

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Refused: row numbers alone do not say."""
        raise InvalidInput("An audited classifier judges rows, not their numbers; use predict(table).")

    def to_dict(self) -> dict[str, Any]:
        """The description."""
        return {"classifier": self.description}

    def __str__(self) -> str:
        return f"{self.description} says so"

    def __repr__(self) -> str:
        return f"<audited: {self.description}>"
