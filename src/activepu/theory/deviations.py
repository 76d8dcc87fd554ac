"""How far an empirical frequency can be from the probability, for all sets of a class at once.

Every bound is computed from the class's growth function Π; where a class allows a sharper one it is taken. Nothing here
is the paper's: these replace its unnamed constants. For a fixed ℓ the families {ℓ \\ h}, {h \\ ℓ} and {h Δ ℓ}, h ∈ H,
have the growth function of H itself (erratum H2), so that the bounds hold for them too, except DKW for thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass
from activepu.hypotheses.thresholds import Thresholds

_FAR = 2**30


def relative_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """η² = 4(ln Π(2n) + ln(4/δ))/n (Anthony and Shawe-Taylor 1993).

    With probability ≥ 1 − δ every set has P ≤ P̂ + η√P, that is P ≤ up(P̂, η²); with probability ≥ 1 − δ every set has
    P̂ ≤ up(P, η²). For both at once pass δ/2.
    """
    return 4.0 * (H.log_growth(2 * n) + math.log(4.0 / delta)) / n


def up(p: float, eta2: float) -> float:
    """The largest q with q ≤ p + η√q: p + η²/2 + √(η⁴/4 + η²p); at most 2p + η², and never more than 1."""
    return min(1.0, p + eta2 / 2.0 + math.sqrt(eta2 * eta2 / 4.0 + eta2 * p))


def dkw(n: int, delta: float, sides: int = 2) -> float:
    """√(ln(sides/δ)/(2n)): Dvoretzky–Kiefer–Wolfowitz with Massart's constant, for a family of nested sets.

    One-sided, Massart's proof asks for δ ≤ 1/2.
    """
    return math.sqrt(math.log(sides / (delta if sides == 2 else min(delta, 0.5))) / (2.0 * n))


def log_size(H: HypothesisClass) -> float | None:
    """ln |H| where Π stops growing, as it does for finite classes only; None for the others."""
    far = H.log_growth(_FAR)
    return far if H.log_growth(2 * _FAR) == far else None


def vc_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """τ with P(sup_H |P̂ − P| > τ) ≤ 4 Π(2n) exp(−(τ − 1/n)² n²/(n+1)) = δ, in the manner of Vapnik (1998).

    Let ν be the frequency on the sample and ν′ on a ghost sample. A median of Bin(n, P) lies within 1 of nP, so that
    P(sup|ν − P| > τ) ≤ 2 P(sup|ν − ν′| > τ − 1/n). Given the 2n points the split is random: by Serfling's (1974)
    inequality for sampling without replacement, ν − ν′ = 2(ν − (ν + ν′)/2) exceeds t with probability
    ≤ exp(−t²n²/(n+1)); two signs and Π(2n) labellings give the rest.
    """
    return 1.0 / n + math.sqrt((H.log_growth(2 * n) + math.log(4.0 / delta)) * (n + 1)) / n


def symmetric_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """τ with P(sup_{h∈H} |P̂(h Δ f) − P(h Δ f)| > τ) ≤ δ, for one f that does not depend on the sample.

    Thresholds: h Δ f is the difference of two half-lines, twice DKW. Finite classes: Hoeffding and the union bound.
    """
    candidates = [1.0, vc_deviation(H, n, delta)]
    if isinstance(H, Thresholds):
        candidates.append(2.0 * dkw(n, delta))
    size = log_size(H)
    if size is not None:
        candidates.append(math.sqrt((size + math.log(2.0 / delta)) / (2.0 * n)))
    return min(candidates)


def uniform_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """τ with P(sup_H |P̂ − P| > τ) ≤ δ: the least of DKW (thresholds), Hoeffding (finite classes) and the VC bound."""
    if n < 1:
        return 1.0
    general = symmetric_deviation(H, n, delta)  # f = ∅
    return min(general, dkw(n, delta)) if isinstance(H, Thresholds) else general


def uniform_sample_size(H: HypothesisClass, tau: float, delta: float) -> int:
    """The smallest n for which `uniform_deviation` is at most τ."""
    if not 0.0 < tau < 1.0:
        raise InvalidInput(f"tau must lie strictly between 0 and 1, got {tau!r}.")
    return smallest(lambda n: uniform_deviation(H, n, delta) <= tau)


def smallest(holds: Callable[[int], bool], start: int = 1) -> int:
    """The smallest n ≥ start with `holds(n)`, for a condition that stays true once it is true."""
    high = start
    while not holds(high):
        high *= 2
        if high > 2**60:
            raise InvalidInput("no sample of any size is large enough; ask for a larger error or a smaller class.")
    low = max(start - 1, high // 2 if high > start else start - 1)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
