"""What a study was made with: pool and learner in readable JSON, and what must be passed again because it is code."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import activepu.learners as learners
import activepu.paper as paper
from activepu import hypotheses as classes
from activepu.errors import InvalidInput, StudyDiffers
from activepu.hypotheses import HypothesisClass
from activepu.learners import Learner
from activepu.pools import Pool, Source

KNOWN = {
    f"{prefix}{name}": cls
    for prefix, module in (("", learners), ("paper.", paper))
    for name, cls in vars(module).items()
    if inspect.isclass(cls) and issubclass(cls, Learner) and cls is not Learner
}
"""The learners that a name and plain settings describe."""
SCORES = 64
"""Values of a score that are kept."""


def of_pool(pool: Pool) -> dict[str, Any]:
    """The pool in plain values: its size, its columns, a fingerprint, and its file where there is one."""
    return {
        "rows": len(pool),
        "columns": None if pool.names is None else list(pool.names),
        "fingerprint": pool.fingerprint(),
        "made from": pool.recipe,
    }


def of_learner(learner: Learner) -> dict[str, Any]:
    """The learner's name and every setting that its constructor takes."""
    name = next((name for name, cls in KNOWN.items() if cls is type(learner)), None)
    settings = {
        key: _plain(getattr(learner, key, None))
        for key, parameter in inspect.signature(type(learner).__init__).parameters.items()
        if key != "self" and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    described = name or f"{type(learner).__module__}.{type(learner).__qualname__}"
    return {"learner": described, "code": name is None or _holds_code(settings), "settings": settings}


def pool_again(stored: Mapping[str, Any], passed: Any, learner: Learner) -> Pool:
    """The pool as it was: the one that was passed, or made from its file, here or elsewhere; refused if it differs."""
    recipe = stored["made from"]
    if passed is None and recipe is None:
        raise InvalidInput(
            "This study's pool was a table in memory, which is not stored; open it in Python and pass the table again: "
            "Study.load(…, pool=…)."
        )
    if passed is None and not Path(recipe["table"]).is_file():
        raise InvalidInput(
            f"The table of this study, {recipe['table']!r}, is not there on this machine, and the database holds the "
            "answers only; say where a copy is: --table FILE in the terminal, Study.load(…, pool='FILE') in Python."
        )
    if recipe is not None and (passed is None or isinstance(passed, (str, Path))):
        pool = Pool(**{**recipe, "table": passed or recipe["table"]})
    else:
        pool = checked_pool(passed, learner)
    now = of_pool(pool)
    for what in ("rows", "columns", "fingerprint"):
        if now[what] != stored[what]:
            values = "the values differ" if what == "fingerprint" else f"{what}: {stored[what]} then, {now[what]} now"
            raise StudyDiffers(f"The pool is not the one that the study was made with ({values}); pass the same table.")
    return pool


def learner_again(stored: Mapping[str, Any], passed: Learner | None) -> Learner:
    """The learner as it was: made from its settings, or the one that was passed; refused if it differs."""
    if passed is None:
        if stored["code"]:
            raise InvalidInput(
                f"This study's learner, {stored['learner']}, holds code, which is not stored, so that no command of "
                "the terminal can open it; open it in Python and pass the same again: Study.load(…, learner=…)."
            )
        settings = {key: _value(value) for key, value in stored["settings"].items()}
        return KNOWN[stored["learner"]](**settings)
    now = json.loads(json.dumps(of_learner(passed)))
    if now["learner"] != stored["learner"]:
        raise StudyDiffers(f"The study was made with {stored['learner']}, but {now['learner']} was passed.")
    for key, value in stored["settings"].items():
        if now["settings"].get(key) != value:
            then, now_text = _apart(json.dumps(value), json.dumps(now["settings"].get(key)))
            raise StudyDiffers(
                f"The study was made with {key} = {then}, but the learner that was passed has {now_text}; "
                "pass the same, or make another study."
            )
    return passed


def of_code(learner: Learner, pool: Pool) -> Any:
    """What rules or scores that are code say of the pool: code has no values of its own to compare. None without code.

    Of rules, a fingerprint of all their predictions; of a score, some values, which another machine may round anew.
    """
    if not _holds_code(of_learner(learner)["settings"].get("hypotheses")):
        return None
    points = pool.draws(learner.hypotheses, 0).table()
    assert points is not None
    if np.issubdtype(points.dtype, np.integer):
        return hashlib.sha256(np.ascontiguousarray(points).tobytes()).hexdigest()
    some = np.unique(np.linspace(0, len(points) - 1, SCORES).astype(np.intp))
    return np.asarray(points[some], np.float64).tolist()


def check_code(stored: Any, learner: Learner, pool: Pool) -> None:
    """Refuses rules or scores that say something else than then."""
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
    """A pool that a study can keep; a table is made into one as the learner needs it."""
    if not isinstance(learner, Learner):
        raise InvalidInput(f"The learner must be an object such as ZCal(Boxes(), 0.05, 0.05), got {learner!r:.80}.")
    found = pool if isinstance(pool, Source) else learner.pool(pool)
    if not isinstance(found, Pool):
        raise InvalidInput(f"A study needs items that stay, got {pool!r:.80}; draw some: Pool(draw(n, rng)).")
    return found


def _plain(value: Any) -> Any:
    """A setting as JSON holds it; code is only named."""
    if isinstance(value, HypothesisClass):
        described = {key: _plain(entry) for key, entry in value.to_dict().items()}
        simple = value.name in classes.BY_NAME and not value.to_dict().get("code")
        return {"hypotheses": described} if simple else {"code": f"{value.name} {json.dumps(described)}"}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (np.integer, np.floating)):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if callable(value) and hasattr(value, "__qualname__"):
        return {"code": f"{value.__module__}.{value.__qualname__}"}
    return {"code": _without_addresses(repr(value))}


def _value(plain: Any) -> Any:
    """What `_plain` described."""
    if isinstance(plain, dict):
        data = plain["hypotheses"]
        if data["dim"] is not None:
            return classes.from_dict(data)
        settings = {key: data[key] for key in ("signs", "score", "above") if key in data}
        return classes.BY_NAME[data["class"]](**settings)
    return tuple(plain) if isinstance(plain, list) else plain


def _holds_code(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value.get("code")) or any(_holds_code(entry) for entry in value.values())
    return isinstance(value, list) and any(_holds_code(entry) for entry in value)


def _without_addresses(text: str) -> str:
    return " ".join(part for part in text.split() if not part.startswith("0x"))


def _apart(one: str, other: str, room: int = 80) -> tuple[str, str]:
    """Both texts, from shortly before they differ."""
    first = next((k for k, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    start = 0 if first < room // 2 else first - room // 4
    lead = "…" if start else ""
    return lead + one[start : start + room], lead + other[start : start + room]
