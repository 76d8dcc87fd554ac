"""Whether a saved audit says in words what it must: its doubts, and a certificate that claims what is stated.

Known positives that contradict equal rates make every statement doubtful that rests on these, and answers that
contradict what was told about the rate every statement that rests on that.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from activepu.verify import alarm, bounds
from activepu.verify.evidence import Evidence

CLAIMS = {
    "recall": r"finds at least ([\d.]+)%",
    "precision": r"at least ([\d.]+)% of the [\d,]+ items that",
    "error": r"is wrong on at most ([\d.]+)%",
}
"""How the certificate words a bound."""
EMPTY = 1.0
"""A set counts as empty if its best point misses it by so many nats: room for all that the audit charges."""

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


def certificate(evidence: Evidence) -> Line:
    """Whether the sentence of the certificate says no more than the statements, which were checked before."""
    claim = evidence.certificate.get("claim") or ""
    if wrong := _overstated(evidence, claim):
        return "the certificate", False, wrong
    return "the certificate says what is stated", True, claim


def _overstated(evidence: Evidence, claim: str) -> str:
    """Return what the certificate says that is not stated, or leaves out; empty if nothing."""
    stated = {s["what"]: s for s in evidence.statements if s["group"] is None}
    kinds, said = [kind for kind, _ in evidence.targets] or ["recall"], evidence.certificate
    if said["error_bound"] < (stated["error"]["high"] if "error" in kinds else 1.0) - 1e-9:
        return "its error is below what is stated"
    if abs(said["confidence"] - (1 - evidence.delta)) > 1e-9:
        return f"its confidence should be {1 - evidence.delta:g}"
    claimed = {kind: float(found[1]) / 100 for kind, words in CLAIMS.items() if (found := re.search(words, claim))}
    if len(claimed) < len(re.findall(r"at (?:least|most) ", claim)) or (claim and not claimed):
        return "it claims something that is not stated"
    for kind, value in claimed.items():
        low, high = stated[kind]["low"], stated[kind]["high"]
        if not (high - 1e-9 <= value < 1 if kind == "error" else 0 < value <= low + 1e-9):
            return f"it claims more about the {kind} than is stated"
    missed = [str(target).split()[0] for target, _ in said.get("unshown", ())]
    for kind, value in evidence.targets:
        shown = stated[kind]["high"] <= value + 1e-9 if kind == "error" else stated[kind]["low"] >= value - 1e-9
        if not shown and kind not in missed:
            return f"it does not say that the {kind} of {value:g} is not shown"
    return ""
