"""A run as plain values: its questions, what it said on the way, and what it said at the end."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import activepu as apu

Record = dict[str, Any]
KINDS = ("positive", "undecided", "negative")
MOST, MEASURED = 170, 40
"""Longer columns, of items and texts and of measured numbers, are recorded by some of their values and a hash."""


def short_hash(values: Any) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:12]


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dictionaries, as JSON will read them back."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return plain(value.tolist())
    return str(value) if isinstance(value, str) else value


def column(values: Sequence[Any]) -> Any:
    """A column whole, or the gist of a long one; `digits` is a hash that depends on the machine."""
    values = plain(list(values))
    measured = any(isinstance(value, float) for value in values)
    if len(values) > 3 and all(value == values[0] for value in values):
        return {"length": len(values), "all": values[0]}
    if len(values) <= (MEASURED if measured else MOST):
        return values
    gist = {"length": len(values), "some": values[:: -(-len(values) // 24)], "last": values[-4:]}
    return gist | {"digits" if measured else "hash": short_hash(values)}


def whole(found: Any) -> list[Any]:
    """A column that was recorded whole."""
    return [found["all"]] * found["length"] if isinstance(found, dict) else found


def questions(asked: Iterable[apu.Question]) -> Record:
    """What was asked, whom, what was answered, and what had been predicted."""
    asked = list(asked)
    return {
        "item": column([question.item for question in asked]),
        "expert": column([question.expert for question in asked]),
        "answer": column([int(q.answer) if isinstance(q.answer, bool) else q.answer and q.answer.value for q in asked]),
        "phase": column([question.note.phase for question in asked]),
        "position": column([question.note.position for question in asked]),
        "prediction": column([question.note.prediction for question in asked]),
    }


def bare(certificate: apu.Certificate) -> apu.Certificate:
    """The certificate without the sentences around it, which have tests of their own; an audit's belong to it."""
    return replace(certificate, doubt="", remarks=certificate.remarks if certificate.claim else ())


def said(result: apu.Result) -> str:
    """The text of a result, with its certificate bare."""
    return str(result).replace(str(result.certificate), str(bare(result.certificate)))


def certified(certificate: apu.Certificate | None) -> Any:
    """The numbers, and a hash of the sentence, with its assumptions; the text of a result spells it out."""
    if certificate is None:
        return None
    told = plain(bare(certificate).to_dict())
    for beside in ("doubt", "remarks", "unshown", "ended"):
        told.pop(beside)
    return told | {"said": short_hash([told.pop("sentence"), told.pop("assumptions")])}


def bounds(found: apu.Bounds | None) -> Any:
    return None if found is None else plain(found.to_dict())


def statement(result: apu.Result, table: Any) -> Record:
    """All that a result says; `table` are the rows on which its rule is tried."""
    told = {
        "rule": str(result.hypothesis),
        "hypothesis": plain(result.hypothesis.to_dict()),
        "certificate": certified(result.certificate),
        "population": certified(result.population),
        "rate": bounds(result.rate),
        "prior": bounds(result.prior),
        "rates": None if result.rates is None else [[name, bounds(one)] for name, one in result.rates.items()],
        "estimates": None if result.estimates is None else plain(result.estimates.to_dict()),
        "n_queries": result.n_queries,
        "n_revealed": plain(result.n_revealed),
        "stop_reason": result.stop_reason,
        "called_positive": of_rows(np.flatnonzero(result.predict(table))),
    }
    if result.version_space is not None:
        if isinstance(result.source, apu.Pool):
            told["items"] = {kind: of_rows(result.items(kind)) for kind in KINDS}  # type: ignore[arg-type]
        else:
            status = result.predict(table, abstain=True)
            told["decided"] = {str(kind): of_rows(np.flatnonzero(status == kind)) for kind in (1, -1, 0)}
    if result.model is not None:
        p = result.predict_proba(table)[:, 1]
        told["probabilities"] = plain([p.mean(), p.min(), p.max(), *p[:5]])
    return told


def of_rows(rows: Any) -> list[Any]:
    """How many, and which."""
    return [len(rows), short_hash(plain(np.asarray(rows)))]


def ending(result: apu.Result, table: Any, again: Any = None) -> Record:
    """The last statement, the history, the text, and what a file of it says; `again` is a class that is code."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        result.save(file)
        text = file.read_text("utf-8")
        loaded = apu.load_result(file, again or (result.hypothesis if result.model is not None else None))
    last, found = statement(result, table), statement(loaded, table)
    return {
        "end": last,
        "history": {name: history_column(values) for name, values in result.history.items()},
        "text": said(result),
        "file": hashlib.sha256(text.encode()).hexdigest()[:16],
        "loaded_differs_in": sorted(
            [name for name in last if name not in ("items", "decided") and last[name] != found.get(name)]
            + ["decided"] * (not decides_alike(result, loaded, table))
            + ["text"] * (str(loaded) != str(result))
            + ["history"] * (loaded.history != result.history)
        ),
    }


def decides_alike(one: apu.Result, other: apu.Result, table: Any) -> bool:
    if one.version_space is None or other.version_space is None:
        return one.version_space is other.version_space
    return np.array_equal(one.predict(table, abstain=True), other.predict(table, abstain=True))


def history_column(values: Sequence[Any]) -> Any:
    """Measured values as they are; of items, phases and answers, which stand among the questions, the hash."""
    return column(values) if all(value is None or isinstance(value, float) for value in values) else short_hash(values)


def refusal(error: Exception) -> Record:
    """What was said when it ended with an error."""
    return {"error": type(error).__name__, "message": str(error), "notes": list(getattr(error, "__notes__", ()))}
