"""A fitted model in a file without pickle: skops writes it, and shows whoever loads it what code it needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.errors import InvalidInput
from activepu.hypotheses import Hypothesis
from activepu.models.fitted import FittedModel
from activepu.result import Result


class SavedModel:
    """The rule of a `ModelLearner`: what a .skops file holds. It predicts as the result that it was made of.

    `certificate`  what was known about its error, in words
    `cut`          the rule on top of the model's score, where there is a certificate, else None
    """

    def __init__(self, result: Result) -> None:
        model = result.model
        assert isinstance(model, FittedModel)
        self.certificate = str(result.certificate)
        self.cut = None if isinstance(result.hypothesis, FittedModel) else result.hypothesis
        # A rule and its class know each other, which a file cannot hold: the parts are kept.
        self._parts = (model.model, model.description, model.hypotheses.names, model.otherwise)

    @property
    def model(self) -> FittedModel:
        """The fitted model."""
        return FittedModel(*self._parts)

    @property
    def rule(self) -> Hypothesis:
        """What `load_result("result.json", hypotheses=saved.rule)` takes."""
        return self.cut or self.model

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """True for positive rows."""
        return self.rule.predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(y = 0 | x) and P(y = 1 | x), one row per item, by the model: estimates."""
        return self.model.predict_proba(X)

    def __repr__(self) -> str:
        return f"<SavedModel: {self.rule}>"


def write_model(file: Path, result: Result) -> None:
    """Writes a `SavedModel`."""
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
