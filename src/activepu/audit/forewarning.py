"""What an audit says beforehand: targets out of reach, targets that say nothing, and what rows that look alike cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.audit import reachable, trivial
from activepu.audit.classifiers import Judged
from activepu.audit.strata import Strata
from activepu.audit.targets import Target

BY_PROBABILITIES = "By the classifier's probabilities"

Seen = Callable[[], tuple[Judged, Strata]]
"""What the classifier says of the pool, and the strata that follow; looked at only if a warning depends on it."""


def forewarning(targets: Sequence[Target], seen: Seen, coins: NDArray[np.int64], delta: float, rated: bool) -> str:
    """Return all that should be known before the first question, in one line; empty if there is nothing to say.

    Parameters
    ----------
    targets : sequence of Target
        What the audit is to show.
    seen : callable
        What the classifier says of the pool, and the strata.
    coins : array of int
        Per row the first row that looks the same to the expert.
    delta : float
        How often the audit may be wrong.
    rated : bool
        Whether anything is known about the reveal rate.
    """
    said = ("" if rated else _unrated(targets, seen, delta), _trivial(targets, seen), _alike(targets, coins))
    return " ".join(sentence for sentence in said if sentence)


def _unrated(targets: Sequence[Target], seen: Seen, delta: float) -> str:
    """Say which targets are out of reach of most experts because nothing is known about the rate."""
    rated = [target for target in targets if target.kind != "recall"]
    if not rated:
        return ""
    strata = seen()[1]
    said = (reachable.unidentified(target, strata.called, strata.rows, delta) for target in rated)
    told = [sentence for sentence in said if sentence]
    return " ".join([*told, reachable.BOUNDED_BY]) if told else ""


def _trivial(targets: Sequence[Target], seen: Seen) -> str:
    """Say that calling nothing positive would meet the target on the error, by the classifier's probabilities."""
    if all(target.kind != "error" for target in targets):
        return ""
    judged, strata = seen()
    return "" if judged.probabilities is None else trivial.warning(targets, strata.expected, BY_PROBABILITIES)


def _alike(targets: Sequence[Target], coins: NDArray[np.int64]) -> str:
    """Say that a single target is not bet on, because some rows look the same to the expert."""
    alike = int(np.count_nonzero(coins != np.arange(len(coins))))
    if not alike or len(targets) != 1:
        return ""
    rows = "row looks" if alike == 1 else "rows look"
    return (
        f"{alike:,} {rows} the same to the expert as an earlier one. So the target is not bet on, and takes more "
        "questions; show a column in which they differ: Pool(…, show=[…])."
    )
