"""What a study was made with, in readable JSON; tables in memory and code are passed again, and compared."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from activepu import audit, checks, learners, models, paper, zcal
from activepu.audit.classifiers import numbers
from activepu.audit.refitted import classifies, learns
from activepu.errors import InvalidInput, StudyDiffers
from activepu.hypotheses import HypothesisClass
from activepu.learners import Learner
from activepu.pools import Pool, Source
from activepu.pools.known import row_numbers
from activepu.pools.read import read_file
from activepu.studies import differences, plain_settings

KNOWN = {
    f"{prefix}{name}": cls
    for prefix, module in (("", learners), ("", zcal), ("", models), ("", audit), ("paper.", paper))
    for name, cls in vars(module).items()
    if inspect.isclass(cls) and issubclass(cls, Learner) and cls is not Learner
}
"""The learners that a name and plain settings describe."""
SCORES = 64
"""Values of a score that are kept."""


def in_time(learner: Learner, deadline: float | None, rate_in_time: bool) -> Learner:
    """Return the learner for the answers that count: those before the deadline, if there is one.

    What was stated about the rate of all answers need not hold for these.
    """
    return learner if deadline is None else learner.with_deadlines(rate_in_time)


def settings(
    pool: Pool,
    learner: Learner,
    seed: int,
    positives: Sequence[int],
    open_per_expert: int,
    deadline: float | None,
    rate_in_time: bool,
) -> dict[str, Any]:
    """Return all that a study is made with, in plain values."""
    return {
        "pool": of_pool(pool),
        "learner": of_learner(learner),
        "says": of_code(learner, pool),
        "positives": row_numbers("positives", positives, pool).tolist(),
        "seed": int(seed),
        "open_per_expert": checks.count("open_per_expert", open_per_expert, minimum=1),
        "deadline": None if deadline is None else _seconds(deadline),
        "rate_in_time": checks.flag("rate_in_time", rate_in_time),
        "activepu": metadata.version("activepu"),
    }


def _seconds(value: float) -> float:
    if checks.at_least("deadline", value, 0) <= 0:
        raise InvalidInput(f"deadline must be more than 0 seconds, or None for no deadline, got {value}.")
    return float(value)


def again(
    study: str,
    stored: Mapping[str, Any],
    pool: Any,
    learner: Learner | None,
    seed: int | None,
    hypotheses: HypothesisClass | None = None,
) -> tuple[Pool, Learner]:
    """Return the pool and the learner of a study from its settings and what was passed; refuse what differs."""
    if seed is not None and seed != stored["seed"]:
        raise StudyDiffers(f"The study was made with seed = {stored['seed']}, but {seed!r} was passed.")
    if learner is None and hypotheses is not None:
        learner = _with_class(stored["learner"], hypotheses)
    made = learner_again(stored["learner"], learner)
    found = pool_again(study, stored["pool"], pool, made)
    check_code(stored.get("says"), made, found)
    return found, made


def of_pool(pool: Pool) -> dict[str, Any]:
    """Return the pool in plain values: what must be the same again, and its file and columns if it has a file."""
    file = None if pool.recipe is None else Path(pool.recipe["table"])
    columns = _columns_in(file) if file is not None and file.is_file() else None
    return {**_compared(pool), "made from": pool.recipe, "columns of the file": columns}


def _compared(pool: Pool) -> dict[str, Any]:
    columns = None if pool.names is None else list(pool.names)
    return {"rows": len(pool), "columns": columns, "fingerprint": pool.fingerprint()}


def _columns_in(file: str | Path) -> list[str]:
    return [str(name) for name in read_file(Path(file)).column_names]


def of_learner(learner: Learner) -> dict[str, Any]:
    """Return the learner's name and every setting that its constructor takes."""
    name = next((name for name, cls in KNOWN.items() if cls is type(learner)), None)
    settings = {
        key: plain_settings.plain(getattr(learner, key, None))
        for key, parameter in inspect.signature(type(learner).__init__).parameters.items()
        if key != "self" and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    described = name or f"{type(learner).__module__}.{type(learner).__qualname__}"
    return {"learner": described, "code": name is None or plain_settings.holds_code(settings), "settings": settings}


def pool_again(study: str, stored: Mapping[str, Any], passed: Any, learner: Learner) -> Pool:
    """Return the pool: the one that was passed, or made from its file, here or elsewhere; refuse one that differs."""
    recipe = stored["made from"]
    if passed is None and recipe is None:
        raise InvalidInput(
            "This study's pool was a table in memory, which is not stored; open it in Python and pass the table again: "
            "Study.load(…, pool=…)."
        )
    if passed is None and not Path(recipe["table"]).is_file():
        raise InvalidInput(
            f"The table of the study {study!r}, {recipe['table']!r}, is not there on this machine, and the database "
            "holds only the answers; say where a copy is: --table FILE in the terminal, Study.load(…, pool='FILE') in "
            "Python."
        )
    if recipe is not None and (passed is None or isinstance(passed, (str, Path))):
        return _read_again(study, stored, passed or recipe["table"])
    pool = checked_pool(passed, learner)
    if what := _difference(stored, _compared(pool)):
        raise StudyDiffers(
            f"The table that was passed is not the one that the study {study!r} was made with: {what}; "
            "pass the same table, or make another study."
        )
    return pool


def _read_again(study: str, stored: Mapping[str, Any], file: str | Path) -> Pool:
    """Return the pool from its file; if the file has changed, name the columns that are missing or new first."""
    unfit = None
    try:
        pool = Pool(**{**stored["made from"], "table": file})
        what = _difference(stored, _compared(pool))
    except InvalidInput as error:
        what = str(error).partition(";")[0]
        what, unfit = what[0].lower() + what[1:], error
    if what:
        what = _other_columns(stored, _columns_in(file)) or what
        raise StudyDiffers(
            f"The table {str(file)!r} is not the one that the study {study!r} was made with: {what}; name a copy of "
            "the old one (--table FILE in the terminal, pool='FILE' in Python), or make another study."
        ) from unfit
    return pool


def _difference(stored: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return what differs, in words; empty if nothing does."""
    for what in ("rows", "columns"):
        if now[what] != stored[what]:
            return f"{what}: {stored[what]} then, {now[what]} now"
    return "" if now["fingerprint"] == stored["fingerprint"] else "the values differ"


def _other_columns(stored: Mapping[str, Any], now: list[str]) -> str:
    """Return which columns are missing from a file, or new in it; empty if none is known to be."""
    every = stored.get("columns of the file")
    missing = [name for name in every or stored["columns"] or () if name not in now]
    new = [name for name in now if every and name not in every]
    said = [f"column {name!r} is missing" for name in missing] + [f"column {name!r} is new" for name in new]
    return ", ".join(said)[:200]


def _with_class(stored: Mapping[str, Any], hypotheses: HypothesisClass) -> Learner | None:
    """Return the learner from its settings and a class that is code; None if the settings hold other code too."""
    if not _only_class_is_code(stored):
        return None
    settings = {key: value for key, value in stored["settings"].items() if key != "hypotheses"}
    return KNOWN[stored["learner"]](
        hypotheses=hypotheses, **{key: plain_settings.value_of(value) for key, value in settings.items()}
    )


def _only_class_is_code(stored: Mapping[str, Any]) -> bool:
    settings = {key: value for key, value in stored["settings"].items() if key != "hypotheses"}
    return stored["learner"] in KNOWN and not plain_settings.holds_code(settings) and "hypotheses" in stored["settings"]


def learner_again(stored: Mapping[str, Any], passed: Learner | None) -> Learner:
    """Return the learner: the one that was passed, or made from its settings; refuse one that differs."""
    if passed is None:
        if stored["code"]:
            by_class = (
                "name the class again with --class in the terminal, or pass it in Python: Study.load(…, hypotheses=…)"
            )
            in_python = (
                "no command of the terminal can open it; open it in Python and pass the original learner: "
                "Study.load(…, learner=…)"
            )
            raise InvalidInput(
                f"This study's learner, {stored['learner']}, holds code, which is not stored: "
                f"{by_class if _only_class_is_code(stored) else in_python}."
            )
        settings = {key: plain_settings.value_of(value) for key, value in stored["settings"].items()}
        return KNOWN[stored["learner"]](**settings)
    now = json.loads(json.dumps(of_learner(passed)))
    for key, value in stored["settings"].items():  # of a study that was made when estimators counted as code
        if key in ("estimator", "strategy") and plain_settings.holds_code(value):
            now["settings"][key] = plain_settings.code(getattr(passed, key, None))
    if now["learner"] != stored["learner"]:
        raise StudyDiffers(f"The study was made with {stored['learner']}, but {now['learner']} was passed.")
    for key, value in stored["settings"].items():
        if now["settings"].get(key) != value:
            what, then, now_text = differences.in_words(key, value, now["settings"].get(key))
            raise StudyDiffers(
                f"The study was made with {what} = {then}, but the learner that was passed has {now_text}; "
                "pass the same, or make another study."
            )
    return passed


def of_code(learner: Learner, pool: Pool) -> Any:
    """Return what rules or scores that are code say about the pool, to compare later; None without code.

    For rules it is a fingerprint of all their predictions. For a score, and for a fitted classifier that ranks the
    items of an audit, it is some of its values, because another machine may round them differently.
    """
    score = getattr(learner, "score", None)
    if isinstance(settings := getattr(learner, "audit", None), dict):
        score = settings.get("score")
    if classifies(score):
        return "fitted on the answers" if learns(score) else _some(numbers(score, pool))
    if not plain_settings.holds_code(of_learner(learner)["settings"].get("hypotheses")):
        return None
    points = pool.draws(learner.hypotheses, 0).table()
    assert points is not None
    if np.issubdtype(points.dtype, np.integer):
        return hashlib.sha256(np.ascontiguousarray(points).tobytes()).hexdigest()
    return _some(points)


def _some(values: np.ndarray[Any, Any]) -> Any:
    some = np.unique(np.linspace(0, len(values) - 1, SCORES).astype(np.intp))
    return np.asarray(values[some], np.float64).tolist()


def check_code(stored: Any, learner: Learner, pool: Pool) -> None:
    """Refuse rules or scores that say something else than when the study was made."""
    now: Any = None if stored is None else of_code(learner, pool)
    if isinstance(stored, list) and isinstance(now, list):
        same = np.shape(now) == np.shape(stored) and np.allclose(now, stored, rtol=1e-6, equal_nan=True)
    else:
        same = now == stored
    if not same:
        raise StudyDiffers(
            "The learner that was passed holds rules or a score that say something else about this pool than those of "
            "the study; pass the same, or make another study."
        )


def checked_pool(pool: Any, learner: Learner) -> Pool:
    """Return a pool that a study can keep; the learner makes one from a table."""
    if not isinstance(learner, Learner):
        raise InvalidInput(
            f"The learner must be an object such as ZCal(Boxes(), 0.05, 0.05), got {checks.brief(learner)}."
        )
    found = pool if isinstance(pool, Source) else learner.pool(pool)
    if not isinstance(found, Pool):
        raise InvalidInput(f"A study needs a fixed set of items, got {pool!r:.80}; draw some: Pool(draw(n, rng)).")
    return found
