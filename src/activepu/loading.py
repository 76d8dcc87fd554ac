"""`load_result`: a result from the file that `Result.save` wrote."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import Any

from activepu import checks, saved_result, version_spaces
from activepu import hypotheses as classes
from activepu.certificate import Certificate
from activepu.errors import InvalidInput
from activepu.estimates import Estimates
from activepu.findings import Findings
from activepu.hypotheses import Hypothesis, HypothesisClass, read_hypothesis
from activepu.records import Bounds, Report
from activepu.result import FORMAT, Result
from activepu.saved import Damaged, Field, read_json

MOST_COLUMNS = 10**6


def load_result(path: str | Path, hypotheses: HypothesisClass | Hypothesis | None = None) -> Result:
    """Read a result that `Result.save` wrote.

    The loaded result predicts and prints as before. It has no pool: `items` gives the row numbers that were saved, and
    features that a transformer made must be passed as an array.

    Parameters
    ----------
    path : str or Path
        The JSON file.
    hypotheses : HypothesisClass or Hypothesis, optional
        The class that was learned, or a rule of it. It is needed for a class that holds code, which is not saved: a
        `FiniteClass`, or `Thresholds` on a model's score. Of an audited model only the predictions need it.

    Returns
    -------
    Result

    Raises
    ------
    InvalidInput
        If the file is not a saved result, or was learned with another class.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.arange(1000) / 1000
    >>> result = apu.learn(apu.ZCal(apu.Thresholds(), 0.1, 0.05), x, apu.SimulatedExpert(x >= 0.7), budget=20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/result.json")
    ...     again = apu.load_result(f"{folder}/result.json")
    >>> bool((again.predict(x) == result.predict(x)).all())
    True
    """
    if isinstance(hypotheses, Hypothesis):
        hypotheses = hypotheses.hypotheses
    if hypotheses is not None and not isinstance(hypotheses, HypothesisClass):
        got = shorten(repr(hypotheses), 100, placeholder=" …")
        raise InvalidInput(
            f"hypotheses must be the class that was learned, or a rule of it, got {got}; wrap a list of rules, in "
            "their original order: FiniteClass(rules)."
        )
    file = checks.path("path", path)
    if not file.is_file():
        raise InvalidInput(f"There is no file {str(file)!r} to load a result from.")
    try:
        said = Field(read_json(file), "")
        if (version := said["format"].value) == FORMAT:
            return _read(said, hypotheses)
    except Damaged as error:
        raise InvalidInput(f"{str(file)!r} is not a result that Result.save wrote. {error}") from None
    raise InvalidInput(f"{str(file)!r} has format {checks.brief(version)}; this version reads format {FORMAT}.")


def _read(said: Field, hypotheses: HypothesisClass | None) -> Result:
    said.only(saved_result.FIELDS)
    described = said["hypotheses"]
    described["class"].text()
    names = described["names"].or_none(Field.texts)
    dim = described["dim"].or_none(lambda field: field.count(MOST_COLUMNS))
    if names is not None and dim is not None:
        described["names"].each(dim)
    bound = described.made(lambda value: _bound(value, hypotheses))
    population = said["population"].or_none(lambda field: Certificate.from_dict(field.value, field.place))
    report = Report(
        said["version_space"].or_none(lambda field: field.made(lambda value: version_spaces.from_dict(bound, value))),
        said["hypothesis"].made(lambda value: read_hypothesis(bound, value)),
        Certificate.from_dict(said["certificate"].value),
        said["stop_reason"].text(),
        said["rate"].or_none(Bounds.from_dict),
        said["prior"].or_none(Bounds.from_dict),
        rates=said["rates"].or_none(saved_result.rates),
        population=population,
        model=getattr(bound, "fitted", None),
        estimates=said["estimates"].or_none(Estimates.read),
        findings=said["findings"].or_none(lambda field: Findings.from_dict(field.value)),
    )
    result = Result(report, saved_result.history(said["history"]), None)
    result._derived, result._digests = said["derived"].flag(), said.get("pool", None).or_none(Field.texts)
    result._status = said["items"].or_none(saved_result.status)
    return result


def _bound(described: dict[str, Any], hypotheses: HypothesisClass | None) -> HypothesisClass:
    """Return the class that was learned: made again, or the one that was passed if it is of the same kind."""
    if described["class"] == classes.Classifiers.name:
        hypotheses = classes.Classifiers(getattr(hypotheses, "fitted", None))
    if hypotheses is None:
        return classes.from_dict(described)
    if hypotheses.name != described["class"]:
        raise InvalidInput(f"The result was learned with {described['class']}, but {hypotheses.name} was passed.")
    bound = hypotheses.bind(described["dim"], described["names"])
    for setting, value in bound.to_dict().items():
        before = described.get(setting)
        if setting == "predictors":  # names may hold addresses: only their number is compared
            value, before = len(value), len(before or ())
        if value != before:
            raise InvalidInput(
                f"The result was learned with {setting} = {before!r}, but the class that was passed has {value!r}."
            )
    return bound
