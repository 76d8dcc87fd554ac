"""What the words of options mean: classes, rates, keys of items, files."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from activepu.checks import brief
from activepu.errors import InvalidInput
from activepu.hypotheses import BY_NAME, HypothesisClass, Thresholds
from activepu.pools import Pool
from activepu.studies.entries import item_numbers

PER_EXPERT = "per expert"


def hypothesis_class(
    name: str, dim: int | None = None, column: str | None = None, below: bool = False
) -> HypothesisClass:
    """Return the class of this name."""
    cls = BY_NAME[name] if name in BY_NAME else own_class(name)
    if cls is Thresholds:
        return Thresholds(column, above=not below)
    if column is not None or below:
        raise InvalidInput(f"--column and --below are for thresholds, but the class is {name}; use --features.")
    if name not in BY_NAME:
        made = _made(cls, name)
        return made if dim is None else made.bind(dim)
    return cls(dim) if cls.fixed_dim is None else cls()


def own_class(name: str) -> type[HypothesisClass]:
    """Import a class that the user named, from this folder or from what is installed."""
    module, _, attribute = name.rpartition(".")
    if not module:
        raise InvalidInput(
            f"There is no class {name!r}; the classes are {', '.join(BY_NAME)}. Name your own as package.module.Class."
        )
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InvalidInput(
            f"The class {name!r} cannot be imported ({error}); name it as package.module.Class, installed or in this "
            "folder."
        ) from None
    finally:
        sys.path.remove(here)
    if not (isinstance(found, type) and issubclass(found, HypothesisClass)):
        raise InvalidInput(f"{name!r} is no hypothesis class but {brief(found)}; name a subclass of HypothesisClass.")
    return found


def own(name: str | None) -> HypothesisClass | None:
    """Return a class of the user's that a study was made with; None stays None."""
    return None if name is None else _made(own_class(name), name)


def _made(cls: type[HypothesisClass], name: str) -> HypothesisClass:
    try:
        return cls()
    except TypeError as error:
        raise InvalidInput(
            f"{name} cannot be made without settings ({error}); define every abstract method, and give its settings "
            "defaults, or use it in Python."
        ) from None


def known_rate(text: str | None, option: str = "--known-rate") -> float | tuple[float, float] | None:
    """Read `0.5` as a number, `0.3,0.8` as a pair; None stays None."""
    if text is None:
        return None
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) == 1:
        return found[0]
    if len(found) == 2:
        return found[0], found[1]
    raise InvalidInput(
        f"{option} takes a number, or two with a comma between them, got {text!r}; pass 0.6, or 0.4,0.8."
    )


def one_rate(text: str | None, option: str = "--known-rate") -> float | None:
    """Read what a model is told about the rate: one number."""
    found = known_rate(text, option)
    if isinstance(found, tuple):
        raise InvalidInput(f"A model takes one reveal rate, got {option} {text}; pass 0.5, say, or leave it out.")
    return found


def rate_of_experts(text: str | None, option: str) -> float | tuple[float, float] | str | None:
    """Read what is told about the reveal rate: as `known_rate`, or that every expert has their own."""
    if text is not None and " ".join(text.replace("-", " ").split()).lower() == PER_EXPERT:
        return PER_EXPERT
    try:
        return known_rate(text, option)
    except InvalidInput:
        raise InvalidInput(
            f"{option} takes a number, two with a comma between them, or 'per expert', got {text!r}; pass 0.6, or "
            "0.4,0.8."
        ) from None


def renamed(text: str | None) -> dict[str, str]:
    """Read `1=ann, 2=bob` as {"1": "ann", "2": "bob"}."""
    pairs = [pair.split("=", 1) for pair in (text or "").split(",") if pair.strip()]
    if any(len(pair) < 2 or not pair[0].strip() or not pair[1].strip() for pair in pairs):
        raise InvalidInput(f"--names takes pairs such as 1=ann,2=bob, got {text!r}.")
    return {old.strip(): new.strip() for old, new in pairs}


def names(text: str | None, option: str = "--features") -> list[str] | None:
    """Read `a, b` as ["a", "b"]; None stays None."""
    if text is None:
        return None
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise InvalidInput(f"{option} takes names separated by commas, got {text!r}.")
    return found


def known_items(option: str, pool: Pool, text: str | None) -> list[int]:
    """Return the row numbers of these keys: with commas between them, or in a file with one key per line."""
    if text is None:
        return []
    # os.path.isfile says False to a long list of keys, for which Path.is_file raises OSError
    keys = Path(text).read_text(encoding="utf-8").splitlines() if os.path.isfile(text) else text.split(",")
    items, wanted = item_numbers(pool), [key.strip() for key in keys if key.strip()]
    for key in wanted:
        if key not in items:
            kind = "key in the column of --id" if pool.has_ids else "row number; name the column of your keys with --id"
            raise InvalidInput(f"{option} names {key!r}, which is not a {kind}.")
    return [items[key] for key in wanted]


def check_writable(target: Path) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    if not target.absolute().parent.is_dir():
        raise InvalidInput(f"{str(target)!r} cannot be written: there is no folder {str(target.parent)!r}.")
    if not os.access(target.absolute().parent, os.W_OK):
        raise InvalidInput(
            f"{str(target)!r} cannot be written: the folder {str(target.parent)!r} is read-only; choose another place."
        )
    if target.is_dir():
        raise InvalidInput(f"{str(target)!r} is a folder; add the name of a file to write.")
