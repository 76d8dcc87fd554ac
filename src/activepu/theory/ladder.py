"""Several statements at once: the target ε and its doublings.

A bound that is looked at while a run goes on must hold at every look. For one level ε′ and nested regions an unlimited
number of looks at one reserved sample costs nothing: a false "≤ ε′" implies that the bound is false at the last region
(a fixed one, chosen before the sample is seen) that is still larger than ε′. So a run states "error ≤ ε′" for ε′ = ε,
2ε, 4ε, … only, and the levels share δ: three quarters for the target, the rest for its doublings, in equal parts. What
is asked must not depend on these statements. When the run ends may depend on them.
"""

from __future__ import annotations

from collections.abc import Callable


class Ladder:
    """The levels at which a run states an error: ε and its doublings, with their shares of δ.

    All statements "error ≤ ε_j" that hold at level δ_j are true together with probability ≥ 1 − δ, however often a run
    looks at its reserved sample, if the regions are nested and what is asked does not depend on the statements.

    Parameters
    ----------
    epsilon : float
        The target.
    delta : float
        The probability that some statement is false.

    Attributes
    ----------
    rungs : list of (float, float)
        (ε_j, δ_j), smallest ε first, with Σ δ_j = δ.

    Examples
    --------
    >>> import activepu as apu
    >>> ladder = apu.theory.Ladder(0.2, 0.1)
    >>> [(level, round(share, 4)) for level, share in ladder.rungs]
    [(0.2, 0.075), (0.4, 0.0125), (0.8, 0.0125)]
    >>> ladder.best(lambda level, share: level >= 0.3)
    0.4
    """

    def __init__(self, epsilon: float, delta: float) -> None:
        doublings = []
        level = 2 * epsilon
        while level < 1:
            doublings.append(level)
            level *= 2
        share = 0.25 * delta / len(doublings) if doublings else 0.0
        target = 0.75 * delta if doublings else delta
        self.rungs = [(epsilon, target)] + [(level, share) for level in doublings]

    def best(self, holds: Callable[[float, float], bool]) -> float:
        """Return the smallest ε_j for which `holds(ε_j, δ_j)`; 1 if there is none."""
        return next((level for level, share in self.rungs if holds(level, share)), 1.0)
