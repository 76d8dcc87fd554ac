"""What a statement must name as assumed, by its rung and by the evidence: written a second time, word for word.

A statement may assume more than this (what was skipped, what an earlier run asked), and never less.
"""

from __future__ import annotations

from activepu.verify.evidence import AGAIN, Evidence

OVERALL = "overall confirmable recall"

REVEALS = "an item that is revealed is truly positive"
EQUAL = "each positive is equally likely to be confirmed, whatever it is, by any expert at any time"
EACH = "an expert is equally likely to confirm each positive, whatever it is, at any time; experts may differ"
OF_GROUP = ("each positive", "each positive of the group")
"""What is replaced where a statement speaks of a group."""
TURNS = "who was asked about an item did not depend on that item or on what the earlier ones are"
EYES = (
    "whether one expert confirms a positive does not depend on whether another did, and nobody could tell which items "
    "were asked twice"
)
EASY_GOLD = "the gold items are as easy to confirm as the other positives, and the expert could not tell them"
ALIKE = "rows that look the same to the expert are all positive or all not"
FIXED = "the classifier and its score were fixed without looking at these answers"


def required(evidence: Evidence, what: str, rung: str) -> list[str]:
    """Return what a statement about these items must name."""
    found = [] if rung == "0" else [REVEALS, *equally(evidence)]
    found += told(evidence) if rung not in ("0", "1") else []
    in_hand = sum(evidence.confirmed.values())
    alike = (evidence.weights > 1).any() or (what == OVERALL and in_hand > len(evidence.confirmed))
    return [*found, *([ALIKE] if alike else []), *([] if evidence.split else [FIXED])]


def equally(evidence: Evidence) -> list[str]:
    """Return in words that positives are equally likely to be confirmed."""
    said = EACH if evidence.per_expert else EQUAL
    return [said if evidence.group is None else said.replace(*OF_GROUP), *([TURNS] if evidence.per_expert else [])]


def of_range(evidence: Evidence) -> str:
    """Return in words the range of the rate that was told, or "" if there is none."""
    if evidence.low == evidence.high:
        return f"the reveal rate is {evidence.low:g}"
    narrowed = evidence.low > 0 or evidence.high < 1
    return f"the reveal rate lies between {evidence.low:g} and {evidence.high:g}" if narrowed else ""


def told(evidence: Evidence) -> list[str]:
    """Return in words what was told about the rate."""
    purity = (
        ""
        if evidence.purity is None
        else f"at least {100 * evidence.purity:g}% of the audited items in the highest band are positive, in each of "
        "its groups and for each number of rows alike"
    )
    gold, eyes = EASY_GOLD if evidence.gold_items else "", EYES if _twice(evidence) else ""
    return [said for said in (of_range(evidence), purity, gold, eyes) if said]


def _twice(evidence: Evidence) -> bool:
    """Whether an item of these was asked of two experts."""
    mine = {*evidence.gold_items, *(draw.item for draw in evidence.draws)}
    again = [
        (item, phase)
        for (item, _), phase in zip(evidence.history, evidence.phases, strict=True)
        if phase in AGAIN and item in mine
    ]
    return len({item for item, _ in again}) < len(again) or any(phase == "overlap" for _, phase in again)
