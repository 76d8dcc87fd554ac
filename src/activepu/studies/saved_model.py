"""A fitted model in a file without pickle: skops writes it, and lists the code that loading it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.models.fitted import FittedModel
from activepu.result import Result


class SavedModel:
    """The rule of a `ModelLearner`, as a .skops file holds it. It predicts what the result predicts.

    Attributes
    ----------
    certificate : str
        What was known about it, in words.
    model : FittedModel
        The fitted model; ``load_result("result.json", hypotheses=saved.model)`` takes it.
    """

    def __init__(self, result: Result) -> None:
        model = result.model
        assert isinstance(model, FittedModel)
        self.certificate = str(result.certificate)
        # A rule and its class refer to each other, which a file cannot hold, so that only the parts are kept.
        self._parts = (model.model, model.description, model.hypotheses.names, model.otherwise, model.features)

    @property
    def model(self) -> FittedModel:
        """The fitted model."""
        return FittedModel(*self._parts)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Predict which rows are positive.

        Parameters
        ----------
        X : array or DataFrame
            The features.

        Returns
        -------
        array of bool
            True for positive rows.
        """
        return self.model.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate probabilities with the model.

        Parameters
        ----------
        X : array or DataFrame
            The features.

        Returns
        -------
        array of float, shape (n, 2)
            P(y = 0 | x) and P(y = 1 | x) of every row.
        """
        return self.model.predict_proba(X)

    def __repr__(self) -> str:
        return f"<SavedModel: {self.model}>"


def write_model(file: Path, result: Result) -> None:
    """Write the model of a result as a `SavedModel`."""
    if not isinstance(result.model, FittedModel):
        raise InvalidInput(f".skops files hold fitted models, and the rule is {result.hypothesis}; write it to .json.")
    try:
        import skops.io
    except ImportError:
        raise InvalidInput("A .skops file needs skops; run pip install 'activepu[models]'.") from None
    try:
        skops.io.dump(SavedModel(result), file)
        needed = skops.io.get_untrusted_types(file=file)
        skops.io.load(file, trusted=needed)  # what is written without complaint cannot always be read
        here = [name for name in needed if name.startswith("__main__.")]
        why = f"{here[0]} is code of this session alone" if here else None
    except OSError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {str(error)[:120]}"
    if why is not None:
        raise InvalidInput(
            f"skops cannot keep the model, {result.model.description} ({why}); "
            "learn with an estimator whose code is in a module, without lambdas."
        )
