"""What silence alone shows, and what would help: sentences for a run in which no positive is known yet.

Let ρ be the share of the rows that this expert would confirm if they were asked about all. Fix the coins, and draw rows
by lot, without replacement. The first n are all silent with probability at most (1 − ρ)ⁿ. So

    ρ ≤ 1 − δ^(1/n) ≤ ln(1/δ)/n      with confidence 1 − δ, at all n at once,

because this fails only if the first n with (1 − ρ)ⁿ < δ are all silent. And ln(1/δ)/ρ rows by lot hold one that the
expert would confirm, with probability at least 1 − δ. Nothing is assumed about which positives are confirmed; where
each is with probability ω, ρ is π·ω on average. A row of the lot that was asked for another reason counts as well: that
choice did not depend on the lot.
"""

from __future__ import annotations

import math

DELTA = 0.05
"""1 − the confidence of what is said here."""
DOZENS = 30
"""After so many answers without a positive, or with hardly any, it is said what would help."""
FEW, RARE = 5, 0.05
"""Fewer positives than this are hardly any, if they are no more than this share of the answers."""
SHARES = (0.01, 0.002)
"""Shares of confirmable rows for which the number of questions is said."""
HELP = (
    "What helps most where positives are rare is a few that you know already (positives=…); next, asking about rows "
    "that a rule of thumb picks (run.put)."
)


def at_most(silent: int, delta: float = DELTA) -> float:
    """The largest share of confirmable rows that so many silences by lot leave possible: 1 − δ^(1/n)."""
    return 1.0 if not silent else -math.expm1(math.log(delta) / silent)


def enough(share: float, delta: float = DELTA) -> int:
    """How many rows by lot hold a confirmable one, if this share of the rows is: ⌈ln(1/δ)/ρ⌉."""
    return math.ceil(math.log(1 / delta) / share)


def advice(asked: int, known: int, by_lot: int, rows: int, skipped: bool) -> str:
    """What would help after so many answers, where so few positives are known; empty where nothing needs to be said.

    `by_lot` of `rows` rows are known to be silent and were drawn by lot; rows that were skipped are left out.
    """
    if asked < DOZENS or known >= FEW or known > RARE * asked:
        return ""
    if known:
        said = [f"Only {known} positive{'s are' if known > 1 else ' is'} known after {asked:,} answers."]
    else:
        said = [f"No positive was found in {asked:,} questions."]
    said.append(HELP)
    if by_lot and not known:
        all_rows = f"all rows{' that they would not skip' * skipped}"
        said.append(
            f"{by_lot:,} of the questions were by lot: with 95% confidence, which is proved, the expert would confirm "
            f"at most {100 * at_most(by_lot):.2g}% of {all_rows}."
        )
    needed = [f"{enough(share):,} if it is {100 * share:g}%" for share in SHARES if enough(share) < rows]
    if needed and not known:
        said.append(f"To find one by lot takes at most {' or '.join(needed)} (95% confidence, proved).")
    return " ".join(said)
