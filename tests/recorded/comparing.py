"""What two records differ in: exactly, or but for what another machine may do.

Processors round the last digit of a logarithm, and of a sum of products, differently. `Kind` says what follows:

- "steady": nothing but last digits. Intersection-closed classes ask the same items everywhere, and every text is equal.
- "edge": another item may be asked, so that recorded answers are told again, and nothing is chosen. A rule of a finite
  class may be one of several that are as good, and a row on the edge of a halfspace may lie on either side of it. So
  rules are not compared, nor which rows are decided; how many are may differ by `EDGE` rows.
- "fit": the same of models, whose fit ends at a tolerance, and of halfspaces beyond the plane, of which V holds a
  sample: what they say is compared to `ROUGH`.
- "free": they choose and cannot be told what was asked; how many questions there were is compared.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal

Kind = Literal["steady", "edge", "fit", "free"]
Same = Callable[[str, Any, Any], bool]
ABSENT = "(absent)"
LAST_DIGITS = 1e-9
"""Measured without the newer instructions of a processor: 8e-14 and less."""
EDGE = 2
ROUGH = 0.01
RULE = re.compile(r"\b(rule|hypothesis|said|text|message|predicted)\b")
ROWS = re.compile(r"\b(decided|items|called_positive)\b")
COUNTED = re.compile(r"\b(n_queries|stop_reason)$")


def exactly(path: str, old: Any, new: Any) -> bool:
    """To the last digit."""
    return type(old) is type(new) and (old == new or old != old)


def elsewhere(kind: Kind, rows: int, path: str, old: Any, new: Any) -> bool:
    """As far as another machine does the same with a table of this many rows."""
    if path == "file" or path.endswith(".digits") or (kind == "free" and not COUNTED.search(path)):
        return True
    digits = type(old) is float and type(new) is float
    if kind in ("steady", "free"):
        return math.isclose(old, new, rel_tol=LAST_DIGITS, abs_tol=1e-12) if digits else exactly(path, old, new)
    off = EDGE if kind == "edge" else max(EDGE, ROUGH * rows)
    if digits:
        return abs(old - new) <= off / rows
    if ROWS.search(path) and type(old) is int and type(new) is int:
        return abs(old - new) <= off
    return bool(ROWS.search(path) or RULE.search(path)) or exactly(path, old, new)


def on_other_machines(kind: Kind, rows: int) -> Same:
    return partial(elsewhere, kind, rows)


def differences(old: Any, new: Any, same: Same = exactly, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where they differ, what was there and what is there now."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            yield from differences(old.get(name, ABSENT), new.get(name, ABSENT), same, f"{path}.{name}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for place, (before, now) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, now, same, f"{path}[{place}]")
    elif not same(path, old, new):
        yield path, old, new
