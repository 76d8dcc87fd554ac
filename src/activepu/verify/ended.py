"""Why a run ended, and how its questions were split, in the only words that a run has for it."""

from __future__ import annotations

import re

CERTIFIED = "Every target is certified."
REASONS = (
    re.escape(CERTIFIED),
    r"The budget of questions is used up; this is what is known so far\.",
    r"The run was interrupted; this is what is known so far\.",
    r"The run is still going on; this is what is known so far\.",
    r"The expert skipped \d+ questions in a row; this is what is known so far\.",
    r"The pool ran dry: no item that could still teach something is left to ask\."
    r"( Every item was asked, or looks the same to the expert as one that was\.)?",
)
WAITING = r"( \d+ answer\(s\) wait for the answer to question \d+, which was asked before\.)?"
SPLIT = (
    r"The model learned from ([\d,]+) answers \(([\d,]+) revealed\), (?:until it had settled|until it expected no "
    r"further positive|the most that were meant for learning), and was then fixed\. ([\d,]+) (?:questions by lot audit "
    r"it, on|further questions are about) the ([\d,]+) items (?:that were not asked before|without an answer then)\."
    r"(?: ([\d,]+) answers to earlier questions came later and did not change the model\.)?"
)


def why_stopped(reason: str, shown: bool) -> str:
    """Return what is wrong with why a run ended; `shown` says whether all targets are certified."""
    if not re.fullmatch(f"(?:{'|'.join(REASONS)}){WAITING}", reason):
        return f"no run says {reason!r}"
    return "not every target is certified" if reason.startswith(CERTIFIED) and not shown else ""


def split_numbers(split: str) -> list[int] | None:
    """Return what is counted where it is said how the questions were split; None if it says something else.

    These are the answers of the learning, the revealed ones, those of the audit, its rows, and the late answers.
    """
    found = re.fullmatch(SPLIT, split)
    return None if found is None else [int((each or "0").replace(",", "")) for each in found.groups()]
