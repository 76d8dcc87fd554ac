"""Targets that no number of questions can certify on this pool, found before the first question.

Asking about every item shows at most which of them are *confirmable*: the set S of positives whose coin says
"reveal". So every audit, by a bet or by a set of counts, is a function of S and of the lot. It certifies a target that
is missed with probability at most δ. If a missed truth gives every S at least h times the probability that a good truth
gives it, then an audit of the good truth certifies the target with probability at most δ/h. Two ways to miss a target:

*More positives outside.* Let Y be the good truth, with rate ω, and Y′ = Y and q more items that the classifier
misses, with rate ωu, u ≤ 1. If all p positives of Y are revealed, Y′ gives this the least probability, compared to Y:

    h = max_u u^p (1 − ω u)^q.

With missed positives in Y already, p grows as q falls. ln h is convex in q for fixed p + q, and its least value is at
q = (p + q)/(1 + ω) or at the largest q. A larger rate, and more positives where the classifier says yes, only make h
smaller: all other good truths are harder to certify.

*Fewer positives inside.* Y′ is a random part of Y with the same rate. The number of reveals inside is then Bin(A, ω) or
Bin(A′, ω), whose likelihood ratio is monotone. The best test of the two is that of Neyman and Pearson, and its power is
largest if everything that is called positive is, and if the rate is as high as possible.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

from scipy.special import xlog1py, xlogy
from scipy.stats import binom

from activepu.audit.groups import GROUPED
from activepu.audit.strata import Strata
from activepu.audit.targets import Target
from activepu.errors import InvalidInput
from activepu.findings import percent

CHANCE = 0.5
"""A target is refused if the most favourable truth would not be certified this often."""
BOUNDED_BY = "The rate would be bounded by gold=…, rate=(low, high) or purity=…."
STEPS = 1000
"""The value that is in reach is given in parts of so many."""


@dataclass(frozen=True)
class Limits:
    """What limits an audit: items that are called positive and others, the rates that are possible, gold and δ.

    Examples
    --------
    >>> from activepu.audit.reachable import Limits
    >>> from activepu.audit.targets import Target
    >>> limits = Limits(called=3, others=97, low=0.0, high=1.0, delta=0.05)
    >>> round(limits.chance(Target("recall", 0.99)), 2), limits.chance(Target("recall", 0.7))
    (0.47, 1.0)
    """

    called: int
    others: int
    low: float
    high: float
    delta: float
    gold: int = 0
    pure: bool = False
    """Whether the purity of a band is assumed, so that a truth may have to keep its positives inside."""

    def chance(self, target: Target) -> float:
        """Return a bound on the probability with which any audit certifies the target, whatever is true."""
        if target.kind == "recall":  # stated at rung 1: a missed truth may have any rate
            return self._more_outside(math.floor(self.called * (1 / target.value - 1) + 1e-9) + 1, 0.0, self.high)
        if target.kind == "precision":
            return self._fewer_inside(math.ceil(target.value * self.called - 1e-9) - 1)
        wrong = math.floor(target.value * (self.called + self.others) + 1e-9) + 1
        return min(self._more_outside(wrong, self.low, self.high), self._fewer_inside(self.called - wrong))

    def _more_outside(self, most: int, low: float, high: float) -> float:
        """Bound the chance if the target is missed with `most` positives outside, and everything inside positive."""
        if most > self.others:
            return 1.0
        total = self.called + most + self.gold
        q = float(most) if low * (1 + high) >= high else min(float(most), max(1.0, total / (1 + high)))
        p = total - q
        u = min(1.0, max(low / high, p / (high * total)))
        return min(1.0, math.exp(min(0.0, math.log(self.delta) - float(xlogy(p, u) + xlog1py(q, -high * u)))))

    def _fewer_inside(self, positives: int) -> float:
        """Bound the chance if the target is missed with so many positives inside: Bin(N, ω) against Bin(A′, ω)."""
        if positives < 0 or self.pure:
            return 1.0
        beyond = int(binom.isf(self.delta, positives, self.high))
        spare, tie = self.delta - binom.sf(beyond, positives, self.high), binom.pmf(beyond, positives, self.high)
        part = min(1.0, spare / tie) if tie > 0 else 1.0  # where the tie is lost to rounding, all of it is passed
        return float(binom.sf(beyond, self.called, self.high) + part * binom.pmf(beyond, self.called, self.high))

    def reachable(self, target: Target) -> float | None:
        """Return the nearest value of the target that is not refused; None if there is none."""
        rising = target.kind == "error"
        values = [(k if rising else STEPS - k) / STEPS for k in range(1, STEPS)]
        first = bisect_left(values, True, key=lambda value: self.chance(replace(target, value=value)) >= CHANCE)
        return values[first] if first < len(values) else None


def check(target: Target, strata: Strata, low: float, high: float, gold: int, pure: bool, delta: float) -> None:
    """Refuse a target that even the most favourable truth and answers would not certify in half of all cases.

    Rows that look alike are not looked into: with them nothing is refused.
    """
    if (strata.weights != 1).any():
        return
    limits = Limits(strata.called, strata.rows - strata.called, low, high, delta, gold, pure)
    chance = limits.chance(target)
    if chance >= CHANCE:
        return
    nearest = limits.reachable(target)
    within = (
        f"no {target.kind} is within reach" if nearest is None else f"within reach is {replace(target, value=nearest)}"
    )
    raise InvalidInput(
        f"No number of questions can certify {target} on this pool at delta = {delta:g}: even if exactly the "
        f"{strata.called:,} items that the classifier calls positive were positive, and every item was asked, an audit "
        f"would fail in at least {math.floor(100 * (1 - chance))}% of all cases; {within}."
    )


def check_groups(strata: Strata, low: float, high: float, delta: float) -> None:
    """Refuse groups so small that not even asking about every item certifies a recall or an error of one half.

    A group in which nothing is called positive has neither, and two items are enough. Rows that look alike are not
    looked into.
    """
    for name, part in strata.by_group.items():
        limits = Limits(part.called, part.rows - part.called, low, high, delta * GROUPED / len(strata.by_group))
        half = [Target(kind, 0.5) for kind in ("recall", "error")]
        small = bool(part.called) and max(limits.chance(target) for target in half) < CHANCE
        if part.rows < 2 or (small and (part.weights == 1).all()):
            items = "1 item" if part.rows == 1 else f"{part.rows:,} items"
            raise InvalidInput(
                f"The group {name!r} has {items} to ask about, of which the classifier calls {part.called:,} positive: "
                "too few to say anything about it alone, even if all were asked. Join it with another group."
            )


def unidentified(target: Target, called: int, rows: int, delta: float) -> str:
    """Return what a target takes while nothing is known about the rate, in a sentence; empty if it takes nothing.

    The rate could be 1. With T and F the shares of all items that are confirmable inside and outside the classifier,
    nothing below P(f = 1) − (T − F) can be certified about the error, and nothing above T / P(f = 1) about the
    precision, however many questions are asked. An expert with rate ω has T ≤ ω P(f = 1), so that these are
    (1 − ω) P(f = 1) and ω at best.

    Examples
    --------
    >>> from activepu.audit.reachable import unidentified
    >>> from activepu.audit.targets import Target
    >>> said = unidentified(Target("precision", 0.9), called=1_000, rows=10_000, delta=0.05)
    >>> said.partition(":")[0].partition(", so ")[2]
    'precision at least 90% can be certified only if the expert confirms at least 90% of the positives'
    >>> unidentified(Target("recall", 0.9), called=1_000, rows=10_000, delta=0.05)
    ''
    """
    error, share = target.kind == "error", called / rows
    if target.kind == "recall" or (error and share <= target.value):
        return ""
    needed = 1 - target.value / share if error else target.value
    everything = Limits(called, rows - called, 0.0, 1.0, delta).reachable(target)
    half = replace(target, value=share / 2 if error else 0.5)
    best = "nothing" if everything is None else str(replace(target, value=everything))
    return (
        f"Nothing is known about the reveal rate, so {target} can be certified only if the expert confirms at least "
        f"{percent(needed)} of the positives: in the best case {best} if they confirmed all of them, and {half} if "
        "they confirmed half."
    )
