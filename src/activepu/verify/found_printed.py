"""Whether all that a saved search prints follows from its evidence; `printed` does the same for a classifier."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from activepu.verify.ended import split_numbers, why_stopped
from activepu.verify.printed import Line, differs, missed, percent, resting

if TYPE_CHECKING:
    from activepu.verify.found import Saved

FIXED = "what this expert would say about an item does not depend on when it is asked, or after which others"
GIVEN = "the items that were given as positive beforehand are positive"
UNASSUMED = "Nothing is assumed about what makes an item positive, or about the ranking."
UNFITTED = r"( The classifier could not be fitted to the last answers \(.*\), so that its ranking is an earlier one\.)?"


def lines(saved: Saved, mistaken: Sequence[str], in_hand: int, missing: int) -> list[Line]:
    """Return what was checked about all that is printed; `mistaken` are the statements whose bounds are wrong."""
    said, many = saved.statement, len(saved.experts) > 1
    given = GIVEN in said["assumptions"]
    done = saved.recall is not None and said["low"] >= saved.recall
    seen = saved.seen(len(saved.said))
    unread = sum(
        w * (N - band.revealed - band.silent) for w, N, band in zip(saved.weights, saved.sizes, seen, strict=True)
    )
    shown = percent(said["low"]) != "0%"
    whose = "were given as positive or that this expert would confirm" if given else "this expert would confirm"
    claim = (
        f"at least {percent(said['low'])} of all items that {whose} are in hand: {in_hand:,} found, at most "
        f"{missing:,} missing among the {unread:,} not read"
    )
    left = [] if done or saved.recall is None else [missed("recall", saved.recall, said["low"], said["high"])]
    remarks = [UNASSUMED] if shown else [said["remark"]] if many else []
    wrong = differs(saved.certificate, claim if shown else "", said["assumptions"], remarks, left)
    if abs(saved.certificate["confidence"] - (1 - saved.delta)) > 1e-9 or saved.certificate["error_bound"] < 1:
        wrong = f"its confidence should be {1 - saved.delta:g}, and it bounds no error"
    stopped = why_stopped(str(saved.printed["stop_reason"]), done)
    return [
        resting(("the certificate says what is stated", not wrong, wrong or claim * shown), mistaken),
        *(
            (what, not found, found)
            for what, found in (
                ("the statement names what it assumes", _assumptions(saved, given)),
                ("what is remarked about the statement", _remark(saved, given, done, in_hand, missing)),
                ("why it ended", stopped),
                ("what was audited", _audited(saved)),
            )
        ),
    ]


def _assumptions(saved: Saved, given: bool) -> str:
    """Whether it names what this rests on; rows in hand that were not asked before must have been given."""
    if FIXED not in saved.statement["assumptions"]:
        return f"it does not name as assumed: {FIXED}"
    return f"it does not name as assumed: {GIVEN}" if saved.before and not saved.asked_before and not given else ""


def _remark(saved: Saved, given: bool, done: bool, in_hand: int, missing: int) -> str:
    said = saved.statement
    if len(saved.experts) > 1:
        wanted = (
            f"{len(saved.experts)} experts answered, and nobody knows what one of them would confirm among the items "
            "that another read; make a run for each expert."
        )
        return "" if said["remark"] == wanted else f"it should be {wanted!r}"
    first = (
        f"Of all that {'was given as positive or that ' if given else ''}this expert has confirmed or would confirm if "
        f"shown everything: {in_hand:,} are in hand, at most {missing:,} are missing. Of all positives it cannot be "
        "more than the share that this expert confirms."
    )
    asked = [each for band in saved.seen(len(saved.said)) for each in band.taken]
    skipped = [left for left, answer in asked if answer is None]
    if skipped:
        by_lot = sum(left is not None for left in skipped)
        items = "1 item was" if len(skipped) == 1 else f"{len(skipped):,} items were"
        first += (
            f" {items} skipped ({by_lot:,} drawn by lot); the bounds hold whatever the answers would have been, and "
            "whatever the reason to skip."
        )
    if max(saved.weights) > 1:
        first += " Rows that look the same share one answer, and each of them counts."
    last = ""
    if not done and saved.recall is not None:
        misses = math.floor((1 - saved.recall) / saved.recall * in_hand + 1e-9)
        share = percent(1 - saved.delta ** (1 / (misses + 1)))
        last = f" With {misses:,} misses allowed, at least {share} of the rest must be drawn by lot."
    fits = re.fullmatch(re.escape(first) + UNFITTED + re.escape(last), said["remark"], re.DOTALL)
    return "" if fits else f"it should be {first + last!r}"


def _audited(saved: Saved) -> str:
    """Return what is wrong with the name of what was audited, with further statements, and with the split."""
    said, other = saved.printed["hypothesis"], saved.printed
    if (said["classifier"], said["rule"]) != ("what was confirmed", "what was confirmed says so"):
        return f"it is called {said['classifier']!r} and {said['rule']!r}"
    only = (saved.statement["group"], saved.statement["estimate"], saved.statement["doubt"]) == (None, None, "")
    if saved.statements > 1 or not only or saved.certificate["doubt"]:
        return "a search states its recall and nothing else"
    if any(other[name] is not None for name in ("rate", "prior", "rates", "population")):
        return "a search tells no rate"
    if not saved.split:
        return "nothing was learned that estimates could be about" if other["estimates"] else ""
    numbers = split_numbers(saved.split)
    fits = numbers is not None and numbers[0] + numbers[2] + numbers[4] == saved.answers
    return "" if fits else "how the questions were split does not fit the history"
