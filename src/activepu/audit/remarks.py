"""What is printed behind a statement of an audit."""

from __future__ import annotations

from activepu.audit.knowledge import Knowledge
from activepu.findings import percent

OVERALL = "overall confirmable recall"
"""The share of all confirmable items that were confirmed outside the lot, or that the classifier finds."""
GAMMA = 2.0
"""The sensitivity that is printed: some positives are up to twice as likely to be confirmed as others."""


def remark(what: str, low: float, rung: str, knowledge: Knowledge, overlap: bool, in_hand: int) -> str:
    """Return what a reader of a statement about all items should know, if there is anything.

    `low` is its lower bound, `overlap` says that some items were put to two experts, and `in_hand` is how many were
    confirmed outside the lot.
    """
    if what == "recall":
        uneven = percent(low / (low + GAMMA * (1 - low)))
        if uneven == "0%":
            return ""
        return (
            "If some positives were up to twice as likely to be confirmed as others, it would be "
            f"{uneven} or more, averaged over the expert's coins."
        )
    if what == "confirmable recall":
        return "Of the items that this expert would confirm if asked about all, whichever these are."
    if what == OVERALL:
        return (
            f"Of the {in_hand:,} items that were confirmed outside the lot, which count as found, and those "
            "that this expert would confirm among the others."
        )
    if rung == "1" and knowledge.per_expert:
        return "Nothing is known about the rates: gold=…, purity=… or items put to two experts would tell more."
    if what in ("error", "precision", "prior", "rate") and not knowledge.identifies and not overlap:
        return "Nothing is known about the reveal rate: gold=…, rate=(low, high) or purity=… would tell more."
    if what == "rate" and knowledge.known:
        return "It was given."
    return ""
