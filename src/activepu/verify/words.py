"""Whether a saved audit calls doubtful what its answers contradict.

Known positives that contradict equal rates make every statement doubtful that rests on these, and answers that
contradict what was told about the rate every statement that rests on that.
"""

from __future__ import annotations

from collections.abc import Callable

from activepu.verify import alarm, bounds
from activepu.verify.evidence import Evidence

EMPTY = 1.0
"""A set counts as empty if its best point misses it by this many nats, which leaves room for what an audit charges."""

Line = tuple[str, bool | None, str]
"""What was checked, whether it is right, and what was found."""


def rates(evidence: Evidence) -> list[Line]:
    """Whether known positives that contradict equal rates make all doubtful that rests on these."""
    if not evidence.known:
        return []
    wrong = []
    for part in _parts(evidence):
        if (sure := _undoubted(part, ("0",))) and alarm.raised(part):
            wrong.append(f"rates differ{_where(part)}, but the file does not call {sure} doubtful")
    return [("the rates of known positives", not wrong, "; ".join(wrong))]


def told(evidence: Evidence, set_of: Callable[[Evidence], bounds.PlainSet]) -> list[Line]:
    """Whether a contradiction to what was told about the rate makes all doubtful that rests on it.

    `set_of` gives the set that speaks of the error, from all answers about these items.
    """
    knowing = [part for part in _parts(evidence) if bounds.rung_of(part, "error") != "1"]
    wrong = []
    for part in knowing:
        sure = _undoubted(part, ("0", "1"))
        if sure and (alarm.off_range(part) or set_of(part).room < -EMPTY):
            wrong.append(f"the answers contradict it{_where(part)}, but the file does not call {sure} doubtful")
    return [("what was told about the rate", not wrong, "; ".join(wrong))] if knowing else []


def _parts(evidence: Evidence) -> list[Evidence]:
    """Return the evidence about all items, and about each group."""
    return [evidence, *(evidence.only(group) for group in evidence.names())]


def _where(part: Evidence) -> str:
    return "" if part.group is None else f" in group {part.group}"


def _undoubted(part: Evidence, safe: tuple[str, ...]) -> str:
    """Return what the file states without a doubt about these items, on other rungs than the safe ones."""
    own = [s for s in part.statements if s["group"] == part.group and s["rung"] not in safe]
    certificate = ["the certificate"] if part.group is None and not part.certificate["doubt"] else []
    return ", ".join([*(s["what"] for s in own if not s["doubt"]), *certificate])
