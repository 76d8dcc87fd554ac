"""A fitted model as a hypothesis, so that runs and results can hold it like any rule."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.features import TableFeatures
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.models.base import ChannelModel
from activepu.pools.frames import taken

BLOCK = 10_000
"""Rows whose features are in memory at the same time."""


class Models(HypothesisClass):
    """The hypothesis class of a model: whatever its classifier can express.

    A model reads tables of any kind, so the points of this class are mere row numbers. Its VC dimension is not known,
    and nothing is certified by it. `load_result(path, hypotheses=…)` takes one, to bring a result and its model back
    together.

    Parameters
    ----------
    fitted : FittedModel, optional
        The model that a stored result refers to.

    Examples
    --------
    >>> import activepu as apu
    >>> learner = apu.ModelLearner()
    >>> learner.hypotheses.name, learner.hypotheses.intersection_closed
    ('models', False)
    """

    name: ClassVar[str] = "models"

    def __init__(self, fitted: FittedModel | None = None) -> None:
        super().__init__()
        self.fitted = fitted

    def encode(self, X: Any) -> Points:
        """The rows' numbers."""
        return np.arange(X.shape[0])[:, None]

    @property
    def vc_dimension(self) -> int:
        """Not known, and nothing rests on it."""
        raise InvalidInput("A model has no known VC dimension; certificates need a class such as Boxes().")

    def log_growth(self, n: int) -> float:
        """Not known: an upper bound, as if every labelling were possible."""
        return float(n * np.log(2.0))

    def hypothesis_from_dict(self, data: dict[str, Any]) -> FittedModel:
        """The model that this class was made with; JSON does not hold it."""
        if self.fitted is None:
            raise InvalidInput(
                "A fitted model cannot be read from JSON; keep it with joblib.dump(result.hypothesis, …) and pass it: "
                "load_result(path, hypotheses=hypothesis.hypotheses)."
            )
        return self.fitted

    def to_dict(self) -> dict[str, Any]:
        """A mark only: a model is code."""
        return super().to_dict() | {"code": True}


def _as_table(X: Any) -> Any:
    """Return nested lists as an array, and any other table as it is."""
    if hasattr(X, "shape"):
        return X
    try:
        return np.asarray(X)
    except ValueError as error:
        raise InvalidInput("A model reads a table with one row per item, got rows of different lengths.") from error


class FittedModel(Hypothesis):
    """The rule P(y = 1 | x) ≥ 1/2, by a fitted model: `result.hypothesis` and `result.model` of a `ModelLearner`.

    While all answers are the same there is no model, and every row gets that answer.

    Parameters
    ----------
    model : ChannelModel or None
        The model, once there is one.
    description : str
        How the rule prints.
    columns : tuple of str or None
        The names of the features, where they have names.
    otherwise : bool
        The answer for every row where there is no model.
    features : TableFeatures, optional
        What is made of the columns before the model sees them.

    Attributes
    ----------
    feature_importances : array or None
        One number per column that the classifier saw last, where it has such numbers.
    feature_names : tuple of str or None
        The names of these columns, where they have names: 'country = FR' for a category, 'text: "wire transfer"' for a
        term.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> expert = apu.SimulatedExpert(X[:, 0] > 0, rate=0.8)
    >>> result = apu.learn(apu.ModelLearner(LogisticRegression()), X, expert, budget=40, batch=20)
    >>> result.hypothesis
    <model: P(positive) >= 0.5 by LogisticRegression>
    >>> result.hypothesis.predict(np.array([[-2.0, 0.0], [2.0, 0.0]])).tolist()
    [False, True]
    """

    def __init__(
        self,
        model: ChannelModel | None,
        description: str,
        columns: tuple[str, ...] | None,
        otherwise: bool = False,
        features: TableFeatures | None = None,
    ) -> None:
        self.otherwise = otherwise
        self.hypotheses = Models(self)
        self.hypotheses.names = columns
        self.model = model
        self.description = description
        self.features = features

    @property
    def remark(self) -> str:
        """What was made of the columns."""
        return "" if self.features is None else self.features.sentence()

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(y = 0 | x) and P(y = 1 | x), one row per item."""
        table = _as_table(X)
        table = table if self.features is not None else self.hypotheses.columns_of(table)
        if np.ndim(table) != 2:
            raise InvalidInput(
                f"A model reads a table with one row per item, got {np.ndim(table)} dimension(s); pass a single row as "
                "[row], or as a DataFrame."
            )
        if self.model is None:
            p = np.full(table.shape[0], float(self.otherwise))
        else:
            try:
                p = self._probability(self.model, table)
            except InvalidInput:
                raise
            except (ValueError, TypeError, KeyError, IndexError) as error:
                raise InvalidInput(
                    f"The model cannot read this table ({error}); pass the columns that it was learned from."
                ) from error
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Where a positive is at least as likely as not."""
        return np.asarray(self.predict_proba(X)[:, 1] >= 0.5)

    def _probability(self, model: ChannelModel, table: Any) -> NDArray[np.float64]:
        if self.features is None:
            return model.probability(table)
        starts = range(0, max(table.shape[0], 1), BLOCK)
        blocks = [self.features.transform(taken(table, slice(start, start + BLOCK))) for start in starts]
        return np.concatenate([model.probability(block) for block in blocks])

    @property
    def feature_importances(self) -> NDArray[np.float64] | None:
        """One number per column that the model saw last, where it has such numbers."""
        return None if self.model is None else self.model.importances

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns that the model saw last, where they have names."""
        if self.model is None:
            return None
        columns = self.hypotheses.names
        names = self.model.names(columns if self.features is None else tuple(self.features.get_feature_names_out()))
        many = self.feature_importances
        return None if names is not None and many is not None and len(names) != len(many) else names

    def importances(self, most: int | None = None) -> dict[str, float]:
        """Return how much each column counts in the model, by name and the largest first.

        Parameters
        ----------
        most : int, optional
            How many to return; by default all.

        Returns
        -------
        dict from str to float
            As `feature_importances`; the columns of a table without names are x0, x1, and so on.

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import activepu as apu
        >>> table = pd.DataFrame({"hour": np.arange(300) % 24, "country": ["FR", "DE", "PL"] * 100})
        >>> expert = apu.SimulatedExpert(table["country"] == "FR", rate=0.8)
        >>> result = apu.learn(apu.ModelLearner(), table, expert, budget=60, batch=20)
        >>> list(result.model.importances(most=1))
        ['country = FR']
        """
        found = self.feature_importances
        if found is None:
            raise InvalidInput(
                f"{self.description} has no feature importances; a forest and a linear model have them."
                if self.model is not None
                else "There is no model yet, because all answers are the same; ask more questions."
            )
        names = self.feature_names or tuple(f"x{k}" for k in range(len(found)))
        order = np.argsort(-found, kind="stable")[:most]
        return {names[k]: float(found[k]) for k in order}

    def contains(self, points: Points) -> NDArray[np.bool_]:
        """Refused: row numbers alone do not say."""
        raise InvalidInput("A model judges rows, not their numbers; use predict(table).")

    def to_dict(self) -> dict[str, Any]:
        """The description."""
        return {"model": self.description}

    def __str__(self) -> str:
        if self.model is None:
            return "everything" if self.otherwise else "nothing"
        return f"P(positive) >= 0.5 by {self.description}"

    def __repr__(self) -> str:
        return f"<model: {self}>"
