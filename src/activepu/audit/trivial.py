"""A warning: the error that is asked for is one that calling nothing positive has, too.

A classifier that calls nothing positive is wrong exactly on the positives. So an error at or above the share of
positives certifies nothing about a classifier that a rule without any work would not have. How large that share is
nobody knows for sure; nothing is said where it is not even likely.
"""

from __future__ import annotations

from collections.abc import Sequence

from activepu.audit.targets import Target
from activepu.findings import Statement


def likely(prior: Statement) -> float:
    """Return the likely share of positives: the estimate, or the middle of its bounds if there is none.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.audit.trivial import likely
    >>> truth = apu.SimulatedExpert([k > 90 for k in range(100)], rate=1.0)
    >>> audit = apu.Audit([k > 85 for k in range(100)], error=0.2, rate=1.0)
    >>> result = apu.learn(audit, list(range(100)), truth)
    >>> likely(result.findings.stated("prior")) < 0.2
    True
    """
    if prior.estimate is None or prior.estimate <= 0:  # where nothing was revealed yet, nothing is likely
        return (prior.low + prior.high) / 2
    return min(max(prior.estimate, prior.low), prior.high)


def warning(targets: Sequence[Target], share: float, says: str) -> str:
    """Return that calling nothing positive meets the target on the error, too; empty if it would not.

    Parameters
    ----------
    targets : sequence of Target
        What the audit is to show.
    share : float
        The share of positives.
    says : str
        How sure this share is, or where it comes from, in words that begin the sentence.

    Examples
    --------
    >>> from activepu.audit.targets import Target
    >>> warning([Target("error", 0.05)], 0.03, "Warning: perhaps")
    'Warning: perhaps only 3% of the items are positive; calling nothing positive would meet error at most 5%, too. \
Choose a smaller error.'
    >>> warning([Target("error", 0.02)], 0.03, "Warning: perhaps")
    ''
    """
    error = next((target for target in targets if target.kind == "error"), None)
    if error is None or share > error.value:
        return ""
    return (
        f"{says} only {100 * share:.3g}% of the items are positive; calling nothing positive would meet {error}, too. "
        "Choose a smaller error."
    )
