"""What the answers contradict, in sentences that are printed before all others.

*Equal rates*: known positives are confirmed more often in some cells than in others (`activepu.audit.alarm`).

*What was told about the rate*: a range, gold, purity, independent eyes. Two things contradict it. First, known
positives that were confirmed more or less often than the range allows, by an e-value at the audit's level. Second, an
*empty set*: no numbers of positives and rates fit all answers. That costs nothing more. If what was told is true, the
set holds the truth at all times with probability 1 − its share of δ. So it is ever empty with probability at most that
share, which is paid already. (`ConfidenceSet` is larger than the set of the theorem, and so empty less often.)
"""

from __future__ import annotations

from collections.abc import Sequence

from activepu.audit.alarm import Alarm, Known, against_range
from activepu.audit.knowledge import EASY_GOLD, Knowledge
from activepu.findings import percent

UNEVEN = "Doubtful, as not all seem equally likely to be confirmed."
OFF_RATE = "Doubtful, as the answers contradict what was told about the reveal rate."
"""What begins a statement; the certificate says why."""


def uneven(found: Alarm, level: float) -> str:
    """Return what known positives say against equal rates; empty if they do not contradict them."""
    if not found.fires(level):
        return ""
    told, chance = str(found), percent(level, up=True)
    return (
        f"Doubtful: the answers contradict that each positive is equally likely to be confirmed. {told[0].upper()}"
        f"{told[1:]}; if all were equally likely, an audit would say this with a probability of at most {chance}."
    )


def off_range(known: Sequence[Known], knowledge: Knowledge, level: float) -> str:
    """Return what known positives say against the range of rates that was told; empty if they do not contradict it."""
    gold = against_range(known, knowledge.low, knowledge.high)
    if not gold.fires(level):
        return ""
    said = f"{gold.confirmed:,} of {gold.asked:,} known positives were confirmed"
    return _off_rate(f"{said}, but {knowledge.assumptions()[0]} and {EASY_GOLD}", level)


def empty(assumed: Sequence[str], level: float) -> str:
    """Return that no numbers of positives fit the answers under what is assumed."""
    return _off_rate(f"no numbers of positives fit them if {'; '.join(assumed)}", level)


def _off_rate(why: str, level: float) -> str:
    return (
        f"Doubtful: the answers contradict what was told about the reveal rate: {why}. If all of this were true, an "
        f"audit would say so with a probability of at most {percent(level, up=True)}."
    )


def of_statement(rung: str, rates: str, told: str) -> str:
    """Return what begins a statement of a rung, given the doubts about equal rates and about what was told."""
    said = [UNEVEN] if rates and rung != "0" else []
    return " ".join([*said, OFF_RATE] if told and rung not in ("0", "1") else said)
