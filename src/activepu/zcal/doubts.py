"""What a reader of Z-CAL's certificate should know beside the bound: doubts, how the class was checked, a warning."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from activepu.records import Bounds
from activepu.zcal import violations
from activepu.zcal.check import Check
from activepu.zcal.rates import Rates

BELIEVED = 0.05
"""An expert who reveals fewer positives than this is hard to believe."""
FEW = 5
"""With fewer reveals an unknown rate explains almost anything."""
ODDS = 3
"""Evidence of the checks that is worth telling. A true class shows it in a third of the runs at most."""
HALF, THIRD, SOME = 0.5, 1 / 3, 10
"""If the rate is surely below a half, or less than a third of at least SOME checks of certain positives were revealed,
false positives explain the answers as well as an expert who misses most positives (docs/zcal.md)."""


def doubts(check: Check, revealed: int, highest_rate: float) -> str:
    """Return, as sentences, why the certificate should not be believed without more; empty if there is no reason.

    Parameters
    ----------
    check : Check
        What was asked to check the class.
    revealed : int
        The number of reveals.
    highest_rate : float
        The upper bound on ω; of several experts the highest.
    """
    said = []
    if check.surprises:
        said.append(
            f"Doubtful: {check.surprises} of the items that were decided to be negative turned out to be positive."
        )
    if highest_rate < BELIEVED <= check.rates.high:
        said.append(
            f"Doubtful: the answers fit only if the expert misses {100 * (1 - highest_rate):.3g}% of the positives or "
            "more. It is likelier that the class is wrong."
        )
    elif not check.told and _too_silent(check, highest_rate):
        n, r = check.inside
        said.append(
            f"Doubtful: of {n} checks of items that are called positive, {r} were revealed. Either the expert misses "
            "most of the positives, or many of these items are not positive: as long as the reveal rate is unknown, "
            "the checks cannot tell which. Pass rate=…, or certify a classifier with activepu.Audit."
        )
    if check.log_e >= math.log(ODDS):
        said.append(
            f"Doubtful: the checks speak against the class by odds of {math.exp(check.log_e):.2g} to 1, which is not "
            f"enough to refuse it ({math.exp(check.log_needed):.3g} to 1)."
        )
    if check.rates.low == 0 and revealed < FEW:
        number = (
            "no item was" if revealed == 0 else "only one item was" if revealed == 1 else f"only {revealed} items were"
        )
        said.append(f"Doubtful: {number} revealed, and an unknown reveal rate then explains almost any silence.")
    return " ".join(said)


def _too_silent(check: Check, highest_rate: float) -> bool:
    """Return whether the certain positives answer so seldom that false ones among them are as good an explanation."""
    n, r = check.inside
    return n > 0 and (highest_rate < HALF or (n >= SOME and r < THIRD * n))


def remarks(check: Check, positive_share: float, lowest_rate: float, prior: Bounds, epsilon: float) -> tuple[str, ...]:
    """Return the sentences behind the certificate: how the class was checked, and whether ε is worth anything.

    Parameters
    ----------
    check : Check
        What was asked to check the class.
    positive_share : float
        The share of certain positives among the decided items.
    lowest_rate : float
        The lower bound on ω; of several experts the lowest.
    prior : Bounds
        Bounds on the share of positives.
    epsilon : float
        The error that is to be certified.
    """
    said = [checked(check, positive_share, lowest_rate)]
    likely = (prior.low + prior.high) / 2
    if epsilon >= likely:
        said.append(
            f"Warning: perhaps only {100 * likely:.2g}% of the items are positive, and epsilon = {epsilon:g} is no "
            "smaller; calling nothing positive would do as well. Choose a smaller epsilon."
        )
    return tuple(said)


def checked(check: Check, positive_share: float, lowest_rate: float) -> str:
    """Return how the class was checked, and the smallest violation that this would have shown."""
    if check.answered == 0:
        return "The class was not checked."
    n = f"{check.answered:,} check{'' if check.answered == 1 else 's'} by lot among the decided items"
    seen = list(_visible(check, positive_share, lowest_rate))
    at = f" at a reveal rate of {lowest_rate:.2g}" + ("" if check.rates.known else " or more")
    told = f"{n} did not contradict the class."
    if seen:
        told += f" With 90% probability they would have, if {' or '.join(seen)} of these items were wrong{at}."
    else:
        told += f" They could not have shown any violation{at} with 90% probability."
    if not check.told:
        told += " Items wrongly called positive may stay invisible as long as the reveal rate is unknown."
    return told


def _visible(check: Check, positive_share: float, lowest_rate: float) -> Iterator[str]:
    """Yield the smallest violations that show, in words."""
    inside, outside = check.inside[0], check.outside
    if check.false_reveal:
        wrong, needed = Rates(0.0, check.false_reveal), check.log_needed - math.log(0.5)
        negatives = violations.rising(outside, 1 - positive_share, lowest_rate, wrong, needed)
    else:
        negatives = violations.missed(outside, 1 - positive_share, lowest_rate)
    positives = None
    if check.told:
        needed = check.log_needed - math.log(check.share_of_one_cell)
        positives = violations.falling(inside, positive_share, check.rates, needed)
    kinds: Sequence[tuple[float | None, str]] = ((negatives, "missed positives"), (positives, "false positives"))
    for share, kind in kinds:
        if share is not None:
            yield f"{100 * share:.3g}% ({kind})"
