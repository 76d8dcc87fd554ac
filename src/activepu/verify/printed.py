"""Whether all that a saved audit prints follows from its evidence: every sentence is written a second time.

The certificate is composed again from the statements, whose bounds were checked before. Each statement names what its
rung assumes (`assumed`), has the remark that belongs to it, and the estimate that its answers give (`guesses`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from activepu.verify.assumed import EASY_GOLD, OVERALL, equally, of_range, required, told
from activepu.verify.bounds import level
from activepu.verify.ended import split_numbers, why_stopped
from activepu.verify.evidence import Evidence
from activepu.verify.guesses import guess, too_easy

Line = tuple[str, bool | None, str]
"""What was checked, whether it is right, and what was found."""

UNASSUMED = "Nothing is assumed about the classifier or about what makes an item positive."
BY_BET = "A bet on this one target has shown it."
BY_SET = "A confidence set has shown it: all statements of one rung hold at once."
OF_EXPERT = "Of the items that this expert would confirm if asked about all, whichever these are."
NO_RATES = "Nothing is known about the rates: gold=…, purity=… or items put to two experts would tell more."
NO_RATE = "Nothing is known about the reveal rate: gold=…, rate=(low, high) or purity=… would tell more."
DOUBTS = (
    "Doubtful, as not all seem equally likely to be confirmed.",
    "Doubtful, as the answers contradict what was told about the reveal rate.",
)
"""What may begin a statement."""
UNEVEN = (
    r"Doubtful: the answers contradict that each positive is equally likely to be confirmed\. Gold (.+?); if all were "
    r"equally likely, an audit would say this with a probability of at most ([\d.]+%)\."
)
NEAR = 1e-9


def percent(share: float, up: bool = False) -> str:
    """Return a share in percent to one decimal, rounded to the side on which it stays true."""
    tenths = math.ceil(1000 * share - NEAR) if up else math.floor(1000 * share + NEAR)
    return f"{tenths / 10:g}%"


def lines(evidence: Evidence, mistaken: Sequence[str]) -> list[Line]:
    """Return what was checked about all that is printed; `mistaken` are the statements whose bounds are wrong."""
    wrong = _twice_or_never(evidence)
    if wrong:
        return [("what is stated", False, wrong)]
    estimates = sum(s["estimate"] is not None for s in evidence.statements)
    stopped = why_stopped(str(evidence.printed["stop_reason"]), bool(evidence.targets) and not unshown(evidence))
    return [
        resting(_certificate(evidence), mistaken),
        _line("each statement names what its rung assumes", _assumptions(evidence)),
        resting(_line("what is remarked about the statements", _remarks(evidence)), mistaken),
        _line(f"{estimates:,} estimates follow from the answers; an estimate is not proved", _estimates(evidence)),
        _line("the bounds at the top of the file are those of the statements", _top(evidence)),
        _line("why it ended", stopped),
        _line("what was audited", _audited(evidence)),
    ]


def resting(line: Line, mistaken: Sequence[str]) -> Line:
    """Return a line that rests on the statements; where these are wrong, it must not print what follows from them."""
    what, ok, _ = line
    if not mistaken:
        return line
    agrees = "but" if ok else "it differs from what is stated, and"
    return what, ok, f"{agrees} the {mistaken[0]} that is stated is wrong"


def _line(what: str, wrong: str) -> Line:
    return what, not wrong, wrong


def _twice_or_never(evidence: Evidence) -> str:
    """Return which quantity is stated twice, is unknown, or is missing."""
    rates = [f"rate of {name}" for name in dict.fromkeys(evidence.by)] if evidence.per_expert else ["rate"]
    rates = ["rate"] if evidence.per_expert and not evidence.by else rates
    known = ["recall", "confirmable recall", OVERALL, "error", "precision", "prior", *rates]
    said = [(s["what"], s["group"]) for s in evidence.statements]
    for what, group in said:
        if what not in known or group not in (None, *evidence.names()):
            return f"there is no {what} of {group or 'all items'}"
    if len(set(said)) < len(said):
        return "a quantity is stated twice"
    needed = {"recall", "error", "precision", "prior"} - {what for what, group in said if group is None}
    return f"nothing is stated about the {min(needed)}" if needed else ""


def _of_all(evidence: Evidence) -> dict[str, dict[str, Any]]:
    return {s["what"]: s for s in evidence.statements if s["group"] is None}


def bound(kind: str, low: float, high: float) -> str:
    """Return the bound of which a target speaks, in percent; "" where it says nothing."""
    said = percent(high, up=True) if kind == "error" else percent(low)
    return "" if said == ("100%" if kind == "error" else "0%") else said


def unshown(evidence: Evidence) -> list[list[str]]:
    """Return every target that is not shown by the statements, and what is certified about it."""
    stated, found = _of_all(evidence), []
    for kind, value in evidence.targets:
        low, high = stated[kind]["low"], stated[kind]["high"]
        if not (high <= value if kind == "error" else low >= value):
            found.append(missed(kind, value, low, high))
    return found


def missed(kind: str, value: float, low: float, high: float) -> list[str]:
    """Return a target that is not shown, and what is certified about it."""
    side, shown = ("at most" if kind == "error" else "at least"), bound(kind, low, high)
    return [f"{kind} {side} {100 * value:.4g}%", f"{side} {shown}" if shown else ""]


def sentence(said: Mapping[str, Any]) -> str:
    """Return what the certificate of an audit prints, by its parts."""
    parts = [said["doubt"]]
    for target, so_far in said["unshown"]:
        only = f"only {so_far} is" if so_far else "nothing about it is"
        ended, running = f"Not shown: {target}; {only} certified.", f"Not shown yet: {target}; so far "
        parts.append(ended if said["ended"] else f"{running}{so_far or 'nothing'}.")
    if said["claim"]:
        parts.append(f"With {100 * said['confidence']:.4g}% confidence {said['claim']}.")
        parts += [f"This holds if {'; '.join(said['assumptions'])}."] if said["assumptions"] else []
    elif not said["ended"] and not said["remarks"]:
        parts.append("Nothing is certified yet; more answers are needed.")
    return " ".join(part for part in [*parts, *said["remarks"]] if part)


def differs(
    said: Mapping[str, Any], claim: str, assumed: Sequence[str], remarks: Sequence[str], left: Sequence[Sequence[str]]
) -> str:
    """Return what a certificate says that does not follow, or leaves out; empty if nothing."""
    if (said["claim"] or "") != claim:
        return f"it claims {said['claim']!r}, and what follows is {claim!r}"
    if missing := [each for each in assumed if each not in said["assumptions"]]:
        return f"it does not name as assumed: {missing[0]}"
    if [list(each) for each in said["unshown"]] != [list(each) for each in left]:
        return f"what it says is not shown should be {', '.join(target for target, _ in left) or 'nothing'}"
    if list(said["remarks"]) != list(remarks):
        return f"its remarks should be {list(remarks)}"
    if (said["scope"], said["method"], said["abstains"]) != ("pool", "exact", None):
        return "an audit speaks of the items of the pool, exactly, and of all of them"
    if said["ended"] and not left:
        return "it says that the run ended with a target unshown, and all are shown"
    if said["sentence"] != sentence(said):
        return f"its sentence should be {sentence(said)!r}"
    return ""


def _certificate(evidence: Evidence) -> Line:
    claim = evidence.certificate.get("claim") or ""
    if wrong := _overstated(evidence):
        return "the certificate", False, wrong
    return "the certificate says what is stated", True, claim


def _overstated(evidence: Evidence) -> str:
    said, stated = evidence.certificate, _of_all(evidence)
    kinds = [kind for kind, _ in evidence.targets] or ["recall"]
    if said["error_bound"] < (stated["error"]["high"] if "error" in kinds else 1.0) - NEAR:
        return "its error is below what is stated"
    if abs(said["confidence"] - (1 - evidence.delta)) > NEAR:
        return f"its confidence should be {1 - evidence.delta:g}"
    bounds = {kind: bound(kind, stated[kind]["low"], stated[kind]["high"]) for kind in kinds}
    shown = [kind for kind in kinds if bounds[kind]]
    clauses = [_clause(evidence, kind, bounds[kind], "it" if k else "the classifier") for k, kind in enumerate(shown)]
    claim = ", and ".join(each for each in (", ".join(clauses[:-1]), *clauses[-1:]) if each)
    assumed = [each for kind in shown or kinds for each in stated[kind]["assumptions"]]
    wrong = _doubt(evidence, said["doubt"])
    remarks = [UNASSUMED, BY_BET if _by_bet(evidence, stated) else BY_SET] if shown else []
    remarks += [each for each in (too_easy(evidence, stated["prior"]),) if each]
    return wrong or differs(said, claim, assumed, remarks, unshown(evidence))


def _by_bet(evidence: Evidence, stated: Mapping[str, Any]) -> bool:
    """Return whether the bet has shown what is claimed: its target, and no more."""
    if evidence.bet is None or not evidence.bet["won"]:
        return False
    kind, value = evidence.targets[0]
    return bool(abs(stated[kind]["high" if kind == "error" else "low"] - value) < NEAR)


def _clause(evidence: Evidence, kind: str, at: str, who: str) -> str:
    rows = f"these {evidence.rows:,} items"
    if kind == "recall":
        return f"{who} finds at least {at} of the positives among {rows}"
    if kind == "precision":
        return f"at least {at} of the {evidence.called:,} items that {who} calls positive are"
    return f"{who} is wrong on at most {at} of {rows}"


def _doubt(evidence: Evidence, said: str) -> str:
    """Return what is wrong with the words of a doubt: it says what contradicts what, and nothing else."""
    rest = said
    if found := re.match(UNEVEN, rest):
        cells = sorted({cell for answer in evidence.known for cell in answer.cells.values()}, key=len, reverse=True)
        middle = found[1]
        for cell in cells:
            middle = middle.replace(cell, "")
        wrong = ". " in middle or found[2] != percent(evidence.delta, up=True)
        rest = "?" if wrong else rest[found.end() :].strip()
    share = level(evidence)
    again = [answer.revealed for answer in evidence.known]
    known = f"{sum(again):,} of {len(again):,} known positives were confirmed, but {of_range(evidence)} and {EASY_GOLD}"
    none = f"no numbers of positives fit them if {'; '.join([*equally(evidence), *told(evidence)])}"
    allowed = [
        f"Doubtful: the answers contradict what was told about the reveal rate: {why}. If all of this were true, an "
        f"audit would say so with a probability of at most {percent(chance, up=True)}."
        for why, chance in ((known, evidence.delta), (none, share))
    ]
    return "" if rest in ("", *allowed) else "its doubt says more than that answers contradict what is assumed"


def _assumptions(evidence: Evidence) -> str:
    for part in (evidence, *(evidence.only(group) for group in evidence.names())):
        for s in (s for s in part.statements if s["group"] == part.group):
            for each in required(part, s["what"], s["rung"]):
                if each not in s["assumptions"]:
                    return f"{s['what']} does not name as assumed: {each}"
    return ""


def _remarks(evidence: Evidence) -> str:
    for s in evidence.statements:
        wanted = "" if s["group"] is not None else _remark(evidence, s["what"], s["low"], s["rung"])
        if s["remark"] != wanted:
            return f"about the {s['what']} it says {s['remark']!r}, and it should be {wanted!r}"
        doubts = ("", " ".join(DOUBTS), *DOUBTS) if s["rung"] != "0" else ("",)
        if s["doubt"] not in doubts:
            return f"about the {s['what']} it says {s['doubt']!r}"
    return ""


def _remark(evidence: Evidence, what: str, low: float, rung: str) -> str:
    in_hand = sum(evidence.confirmed.values())
    if what == "recall":
        uneven = percent(low / (low + 2 * (1 - low)))  # if some are up to twice as likely to be confirmed
        said = f"it would be {uneven} or more, averaged over the expert's coins."
        likely = "If some positives were up to twice as likely to be confirmed as others,"
        return "" if uneven == "0%" else f"{likely} {said}"
    if what == "confirmable recall":
        return OF_EXPERT
    if what == OVERALL:
        return (
            f"Of the {in_hand:,} items that were confirmed outside the lot, which count as found, and those that this "
            "expert would confirm among the others."
        )
    if rung == "1":
        return NO_RATES if evidence.per_expert else NO_RATE
    return "It was given." if what == "rate" and evidence.low == evidence.high else ""


def _estimates(evidence: Evidence) -> str:
    for part in (evidence, *(evidence.only(group) for group in evidence.names())):
        for s in (s for s in part.statements if s["group"] == part.group):
            wanted = guess(part, s["what"])
            if not same(s["estimate"], wanted):
                return f"that of the {s['what']} is {s['estimate']}, and the answers give {wanted}"
    return ""


def same(one: float | None, other: float | None) -> bool:
    """Whether two numbers are the same but for rounding, or both are missing."""
    return one is None and other is None if one is None or other is None else abs(one - other) < NEAR


def _top(evidence: Evidence) -> str:
    """Return which bounds at the top of the file are not those of the statements."""
    stated, said = _of_all(evidence), evidence.printed
    names = list(dict.fromkeys(evidence.by))
    by_expert = [(name, stated.get(f"rate of {name}")) for name in names] if evidence.per_expert else []
    if (said["rates"] is None) == evidence.per_expert or [name for name, _ in said["rates"] or ()] != [
        name for name, _ in by_expert
    ]:
        return "the rates of the experts are missing"
    pairs = [("rate", said["rate"], stated.get("rate")), ("prior", said["prior"], stated["prior"])]
    given_rates = [given for _, given in said["rates"] or ()]
    pairs += [(f"rate of {name}", given, s) for given, (name, s) in zip(given_rates, by_expert, strict=True)]
    for name, given, s in pairs:
        if (given is None) != (s is None):
            return f"the {name} is there and is not stated, or is missing"
        if given is None or s is None:
            continue
        wanted = s["estimate"] if s["estimate"] is None else min(max(s["estimate"], s["low"]), s["high"])
        alike = all(same(given[each], s[each]) for each in ("low", "high", "confidence"))
        if not alike or not same(given["estimate"], wanted):
            return f"the {name} is another than the one that is stated"
    return "an audit has neither" if said["population"] or (said["estimates"] and not evidence.split) else ""


def _audited(evidence: Evidence) -> str:
    """Return what is wrong with the name of the classifier, and with how the questions were split."""
    said, column = evidence.printed["hypothesis"], evidence.columns[0]
    name = said["classifier"]
    if said["rule"] != f"{name} says so" or (column is not None and name != f"the column {column!r}"):
        return f"the classifier is called {name!r} and {said['rule']!r}"
    if not evidence.split:
        return "it does not say how the questions were split" if evidence.learned else ""
    learned, revealed = len(evidence.learned), sum(bool(answer) for _, answer in evidence.learned)
    if (numbers := split_numbers(evidence.split)) is None:
        return f"it says {evidence.split!r}"
    n, shown, asked, rows, late = numbers
    fits = n + late == learned and shown <= revealed <= shown + late and asked == len(evidence.history)
    return "" if fits and rows >= evidence.rows else "how the questions were split does not fit the history"
