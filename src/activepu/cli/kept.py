"""Results in files with their models beside them: result.json and result.skops."""

from __future__ import annotations

from pathlib import Path

from activepu.cli import screen
from activepu.errors import InvalidInput
from activepu.files import whole
from activepu.loading import load_result
from activepu.models import FittedModel
from activepu.result import Result
from activepu.saved import Damaged, read_json
from activepu.studies.saved_model import SavedModel, write_model

TRUSTED = ("activepu.", "sklearn.", "numpy.", "scipy.")
"""Packages whose code a file with a model may use."""


def save(result: Result, file: Path) -> None:
    """Write a result, and its model beside it if it has one; say so."""
    result.save(file)
    screen.remark(f"Wrote the result to {file}.")
    if isinstance(result.model, FittedModel):
        beside = file.with_suffix(".skops")
        try:
            with whole(beside) as partial:
                write_model(partial, result)
        except InvalidInput as error:
            screen.remark(f"The model is not kept, so that this result cannot score other tables: {error}")
        else:
            screen.remark(f"Wrote its model to {beside}.")


def load(file: Path, trusted: list[str]) -> Result:
    """Read a result that can score tables; refuse one that cannot, in a sentence."""
    beside = file.with_suffix(".skops")
    if _needs_model(file):
        if not beside.is_file():
            raise InvalidInput(
                f"The result {str(file)!r} is of a model, and there is no file {str(beside)!r} with it; save it again "
                "with its model: activepu learn … --save, or activepu study result NAME --save."
            )
        result = load_result(file, hypotheses=_model(beside, trusted))
    else:
        result = load_result(file)
    if result.model is None and result.version_space is None:
        raise InvalidInput(
            f"The result {str(file)!r} is of an audit of a classifier, which it does not hold, so it cannot score "
            "tables; use the classifier itself."
        )
    return result


def _needs_model(file: Path) -> bool:
    if not file.is_file():
        raise InvalidInput(f"There is no file {str(file)!r} to load a result from; check the path.")
    try:
        said = read_json(file)
        hypotheses, hypothesis = said["hypotheses"], said["hypothesis"]
        return hypotheses["class"] == "models" or (hypotheses["class"] == "classifiers" and "model" in hypothesis)
    except (Damaged, KeyError, TypeError):
        return False  # `load_result` says what is wrong


def _model(file: Path, trusted: list[str]) -> FittedModel:
    try:
        import skops.io
    except ImportError:
        raise InvalidInput(
            "A model is read by skops, which is not installed; pip install 'activepu[models]'."
        ) from None
    try:
        needed = skops.io.get_untrusted_types(file=file)
        strange = [name for name in needed if not name.startswith(TRUSTED) and name not in trusted]
        if strange:
            raise InvalidInput(
                f"The model in {str(file)!r} uses code that is neither activepu's nor scikit-learn's: "
                f"{', '.join(strange)[:200]}; if you trust it, add --trust {','.join(strange)[:200]}."
            )
        found = skops.io.load(file, trusted=needed)
    except InvalidInput:
        raise
    except Exception as error:
        raise InvalidInput(
            f"The model in {str(file)!r} cannot be read ({type(error).__name__}: {str(error)[:120]}); use the version "
            "of scikit-learn that wrote it, or save it again."
        ) from None
    if not isinstance(found, SavedModel):
        raise InvalidInput(f"{str(file)!r} holds {type(found).__name__}, not the model of a result; save it again.")
    return found.model
