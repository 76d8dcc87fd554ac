"""What the options of an audit make: the audit and its pool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from activepu.audit import Audit
from activepu.audit.learner import FOUND_SO_FAR
from activepu.cli import screen, values
from activepu.cli.audit_options import OF_CLASSIFIERS, Settings, option
from activepu.errors import InvalidInput
from activepu.experts import binary
from activepu.pools import Pool
from activepu.pools.frames import Frame
from activepu.pools.read import read_file


def make(
    file: Path, wanted: Settings, truth: str | None = None, rate_option: str = "--known-rate"
) -> tuple[Audit, Pool]:
    """Return the audit and the pool; the column with the truth, if there is one, is not shown to the expert.

    `rate_option` is how the command calls the option of what is known of the rate.
    What the user should know before the first question is printed.
    """
    _check_complete(wanted, rate_option)
    rate = values.rate_of_experts(wanted.known_rate, rate_option)
    frame = Frame(read_file(file))
    if wanted.predictions is not None:
        binary(f"The column {wanted.predictions!r} of --predictions", frame.values(frame.axis(wanted.predictions)))
    scores = None if wanted.score is None else _scores(frame, wanted.score)
    judges = [name for name in (wanted.predictions, wanted.score) if name is not None]
    shown = _shown(frame, wanted, judges, truth)
    pool = Pool(file, features=list(dict.fromkeys(judges)) or shown, id=wanted.id, show=shown, raw=not judges)
    audit = Audit(
        _classifier(frame, wanted, scores),
        recall=wanted.recall,
        error=wanted.error,
        precision=wanted.precision,
        delta=wanted.delta,
        rate=rate,
        gold=values.known_items("--gold", pool, wanted.gold),
        purity=wanted.purity,
        score=wanted.score,
        bands=wanted.bands,
        groups=wanted.groups,
    )
    draws = pool.draws(audit.hypotheses, wanted.seed)
    try:
        audit.check(draws)
    except InvalidInput as error:
        raise InvalidInput(in_the_terminal(str(error))) from None
    if said := audit.forewarning(draws):
        screen.remark(in_the_terminal(said))
    return audit, pool


def _classifier(frame: Frame, wanted: Settings, scores: NDArray[np.float64] | None) -> Any:
    """Return what is audited: what was found, a column of predictions, or the predictions of a cut."""
    if wanted.found:
        return FOUND_SO_FAR
    if wanted.cut is not None and scores is not None:
        return (scores >= wanted.cut).tolist()
    if wanted.predictions == FOUND_SO_FAR:  # a column of this name: its values, for the name means something else
        return frame.values(frame.axis(wanted.predictions)).astype(bool).tolist()
    return wanted.predictions


def _check_complete(wanted: Settings, rate_option: str) -> None:
    """Refuse options that do not say what is audited, or say it twice."""
    if wanted.found:
        for name in OF_CLASSIFIERS:
            if (value := getattr(wanted, name)) is not None:
                called = rate_option if name == "known_rate" else option(name)
                raise InvalidInput(
                    f"--found is about what was confirmed so far, and {called} about a classifier, got {value!r}; "
                    "leave one of the two out."
                )
        return
    if wanted.predictions is not None and wanted.cut is not None:
        raise InvalidInput("--predictions and --cut both say what is called positive; leave one of them out.")
    if wanted.cut is not None and wanted.score is None:
        raise InvalidInput("--cut needs the column with the score as well: --score COLUMN.")
    if wanted.predictions is None and wanted.cut is None:
        cut = "--cut 0.5, to call positive what has at least this score" if wanted.score else "--score COLUMN --cut 0.5"
        raise InvalidInput(
            f"An audit needs to know what is called positive: add --predictions COLUMN, or {cut}; or --found, to audit "
            "what was found so far."
        )


def _scores(frame: Frame, name: str) -> NDArray[np.float64]:
    values = frame.values(frame.axis(name))
    if values.dtype.kind not in "iufb":
        raise InvalidInput(f"The column {name!r} of --score must hold numbers, got {values[0]!r}.")
    if (bad := np.flatnonzero(~np.isfinite(values.astype(np.float64)))).size:
        raise InvalidInput(
            f"The column {name!r} of --score must hold a number in every row, but {len(bad):,} are missing or infinite."
        )
    return values.astype(np.float64)


def _shown(frame: Frame, wanted: Settings, judges: list[str], truth: str | None) -> list[str]:
    """Return what experts see: by default all but what the classifier says, which would bias their answers."""
    named = values.names(wanted.show)
    if named is not None:
        if truth in named:
            raise InvalidInput(f"The expert column {truth!r} holds the answers and cannot be shown as well.")
        return named
    hidden = [*judges, truth]
    shown = [name for name in frame.columns or () if name not in hidden]
    if not shown:
        raise InvalidInput(
            f"Nothing is left to show to the expert: {' and '.join(judges)} would bias the answers and are not shown; "
            "name columns with --show."
        )
    return shown


def in_the_terminal(sentence: str) -> str:
    """Return a sentence of the library with the options of the terminal in place of Python's arguments."""
    for python, terminal in (
        ("Pool(…, show=[…])", "--show A,B"),
        ("gold=…, rate=(low, high) or purity=…", "--gold, --known-rate or --purity"),
        ("positives=…", "--positives KEYS"),
        ("a stated rate=…", "a rate stated by --known-rate"),
        ("pass score=…, or leave bands out", "add --score, or leave --bands out"),
    ):
        sentence = sentence.replace(python, terminal)
    return sentence
