"""What a reader of Z-CAL's certificate should know beside the bound: doubts, how the class was checked, a warning."""

from __future__ import annotations

import math

from activepu.records import Bounds
from activepu.zcal import violations
from activepu.zcal.check import Check

BELIEVED = 0.05
"""An expert who reveals fewer positives than this is hard to believe."""
FEW = 5
"""With fewer reveals an unknown rate explains almost anything."""
ODDS = 3
"""Evidence of the checks that is worth telling. A true class shows it in a third of the runs at most."""
HALF, THIRD, SOME = 0.5, 1 / 3, 10
"""If the rate is surely below a half, or less than a third of at least SOME checks of certain positives were revealed,
false positives explain the answers as well as an expert who misses most positives (docs/zcal.md). This applies unless
the rate was told to be above a third, or below a half."""
UNCHECKED = "Not checked yet: none of the questions so far could show that the class is wrong."
RARE = 0.05
"""So few reveals among the checks of certain positives are worth telling: a true class has them in 5% of the runs."""


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
    elif check.rates.low < THIRD and check.rates.high >= HALF and _too_silent(check, highest_rate):
        said.append(_either(check))
    elif (chance := check.chance_of_silence) < RARE:
        n, r = check.inside
        said.append(
            f"Doubtful: of {n} checks of items that are called positive, {r} were revealed. The reveal rates that are "
            f"possible explain so few with a probability of {100 * chance:.2g}% at most; perhaps some of these items "
            "are not positive."
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
    if check.wanted and not check.answered:
        said.append(UNCHECKED)
    return " ".join(said)


def _too_silent(check: Check, highest_rate: float) -> bool:
    """Return whether the certain positives answer so seldom that false ones among them are as good an explanation."""
    n, r = check.inside
    return check.answered > 0 and (highest_rate < HALF or (n >= SOME and r < THIRD * n))


def _either(check: Check) -> str:
    n, r = check.inside
    found = f"of {n} checks of items that are called positive, {r} were revealed"
    known, pass_ = "the reveal rate is unknown", "rate=…"
    if check.told:
        known, pass_ = f"a reveal rate of {check.rates.low:g} is possible", "a narrower range of rates"
    return (
        f"Doubtful: {found if n else 'no item that is called positive was left to be checked'}. Either the expert "
        f"misses most of the positives, or many of these items are not positive: as long as {known}, the checks "
        f"cannot tell which. Pass {pass_}, or certify a classifier with activepu.Audit."
    )


def remarks(check: Check, prior: Bounds, epsilon: float) -> tuple[str, ...]:
    """Return the sentences behind the certificate: how the class was checked, and whether ε is worth anything.

    Parameters
    ----------
    check : Check
        What was asked to check the class.
    prior : Bounds
        Bounds on the share of positives.
    epsilon : float
        The error that is to be certified.
    """
    said = [checked(check)] if check.answered or not check.wanted else []  # else `doubts` says it first
    likely = (prior.low + prior.high) / 2
    if epsilon >= likely:
        said.append(
            f"Warning: perhaps only {100 * likely:.2g}% of the items are positive, and epsilon = {epsilon:g} is no "
            "smaller; calling nothing positive would do as well. Choose a smaller epsilon."
        )
    return tuple(said)


def checked(check: Check) -> str:
    """Return how the class was checked, and the smallest violation that this would have shown."""
    if check.answered == 0:
        return "The class was not checked."
    size = sum(len(rows) for rows in check.lot.values())
    n = f"{check.answered:,} check{'' if check.answered == 1 else 's'}"
    lot = f"{n} by lot among the {size:,} decided items that were not asked before"
    if check.surprises:
        return f"{lot} contradicted {check.surprises} of the decisions."
    told = f"{lot} did not contradict the class."
    visible = violations.visible(check, check.inside[0], check.outside)
    kinds = {"missed positives": visible.missed, "false positives": visible.false}
    seen = [f"{100 * number / size:.3g}% ({kind})" for kind, number in kinds.items() if number is not None]
    if not seen:
        told += " They could not have shown any violation with 90% probability."
    else:
        told += (
            f" With 90% probability they would have, if {' or '.join(seen)} of these items were wrong; they cannot "
            "confirm a smaller bound."
        )
    if not check.told:
        told += " Items wrongly called positive may stay invisible as long as the reveal rate is unknown."
    elif seen and visible.false is None:
        told += " Items wrongly called positive would not have shown."
    if seen and check.timed_out:
        late = f"{check.timed_out:,} check{' was' if check.timed_out == 1 else 's were'}"
        told += (
            f" {late} not answered in time; this probability assumes that positives are late as often as other items."
        )
    return told
