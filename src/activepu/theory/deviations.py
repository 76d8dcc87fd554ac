"""How far an empirical frequency can be from the probability, for all sets of a class at once.

Every bound is computed from the class's growth function Π; where a class allows a sharper one it is taken. Nothing here
is the paper's: these bounds replace its unnamed constants. For a fixed ℓ the families {ℓ \\ h}, {h \\ ℓ} and {h Δ ℓ},
h ∈ H, have the growth function of H itself (erratum H2). So the bounds hold for them too, except DKW for chains.

Anthony and Shawe-Taylor, "A result of Vapnik with applications", Discrete Applied Mathematics 47 (1993).
Massart, "The tight constant in the Dvoretzky–Kiefer–Wolfowitz inequality", Annals of Probability 18 (1990).
Serfling, "Probability inequalities for the sum in sampling without replacement", Annals of Statistics 2 (1974).
Vapnik, "Statistical Learning Theory", 1998.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from activepu.errors import InvalidInput
from activepu.hypotheses.base import HypothesisClass

_FAR = 2**30


def relative_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """Return η² = 4(ln Π(2n) + ln(4/δ))/n, the relative deviation of frequencies from probabilities.

    With probability ≥ 1 − δ every set has P ≤ P̂ + η√P, that is P ≤ up(P̂, η²); with probability ≥ 1 − δ every set has
    P̂ ≤ up(P, η²). For both at once pass δ/2. The sample must be i.i.d.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    n : int
        The size of the sample.
    delta : float
        The probability that the statement is false.

    Returns
    -------
    float
        η². It says nothing where it is 1 or more.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.relative_deviation(apu.Thresholds(), 10_000, 0.1), 4)
    0.0054

    See Also
    --------
    up : what η² means for one set.

    References
    ----------
    Anthony and Shawe-Taylor, "A result of Vapnik with applications", Discrete Applied Mathematics 47 (1993).
    """
    return 4.0 * (H.log_growth(2 * n) + math.log(4.0 / delta)) / n


def up(p: float, eta2: float) -> float:
    """Return the largest q with q ≤ p + η√q, which is p + η²/2 + √(η⁴/4 + η²p), and 1 at most.

    It is never more than 2p + η².

    Parameters
    ----------
    p : float
        A frequency, to bound its probability; or a probability, to bound its frequency.
    eta2 : float
        η², from `relative_deviation`.

    Returns
    -------
    float
        A share.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.up(0.02, 0.0054), 4)
    0.0334
    """
    return min(1.0, p + eta2 / 2.0 + math.sqrt(eta2 * eta2 / 4.0 + eta2 * p))


def dkw(n: int, delta: float, sides: int = 2) -> float:
    """Return √(ln(sides/δ)/(2n)), the Dvoretzky–Kiefer–Wolfowitz bound for a family of nested sets.

    With Massart's (1990) constant. The proof of the one-sided form asks for δ ≤ 1/2.
    """
    return math.sqrt(math.log(sides / (delta if sides == 2 else min(delta, 0.5))) / (2.0 * n))


def log_size(H: HypothesisClass) -> float | None:
    """Return ln |H| for a finite class, recognised by a growth function that stops growing; None for the others."""
    far = H.log_growth(_FAR)
    return far if H.log_growth(2 * _FAR) == far else None


def vc_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """Return τ with P(sup_H |P̂ − P| > τ) ≤ 4 Π(2n) exp(−(τ − 1/n)² n²/(n+1)) = δ, in the manner of Vapnik (1998).

    Let ν be the frequency on the sample and ν′ on a ghost sample. A median of Bin(n, P) lies within 1 of nP, so that
    P(sup|ν − P| > τ) ≤ 2 P(sup|ν − ν′| > τ − 1/n). Given the 2n points the split is random: by Serfling's (1974)
    inequality for sampling without replacement, ν − ν′ = 2(ν − (ν + ν′)/2) exceeds t with probability
    ≤ exp(−t²n²/(n+1)); two signs and Π(2n) labellings give the rest.
    """
    return 1.0 / n + math.sqrt((H.log_growth(2 * n) + math.log(4.0 / delta)) * (n + 1)) / n


def symmetric_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """Return τ with P(sup_{h∈H} |P̂(h Δ f) − P(h Δ f)| > τ) ≤ δ, for one f ∈ H that does not depend on the sample.

    Chains: h Δ f is the difference of two nested sets, so twice DKW holds. Finite classes: Hoeffding and the union
    bound.
    """
    candidates = [1.0, vc_deviation(H, n, delta)]
    if H.is_chain:
        candidates.append(2.0 * dkw(n, delta))
    size = log_size(H)
    if size is not None:
        candidates.append(math.sqrt((size + math.log(2.0 / delta)) / (2.0 * n)))
    return min(candidates)


def uniform_deviation(H: HypothesisClass, n: int, delta: float) -> float:
    """Return τ with P(sup_H |P̂ − P| > τ) ≤ δ on an i.i.d. sample of n items.

    The least of three bounds: Dvoretzky–Kiefer–Wolfowitz for classes whose members are nested, Hoeffding and the union
    bound for finite classes, and a Vapnik–Chervonenkis bound from the growth function for all classes.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    n : int
        The size of the sample.
    delta : float
        The probability that the statement is false.

    Returns
    -------
    float
        τ, at most 1.

    Examples
    --------
    >>> import activepu as apu
    >>> [round(apu.theory.uniform_deviation(H, 10_000, 0.1), 3) for H in (apu.Thresholds(), apu.Boxes(dim=2))]
    [0.012, 0.063]

    See Also
    --------
    uniform_sample_size : the other way round.

    References
    ----------
    Vapnik, "Statistical Learning Theory", 1998. Massart, Annals of Probability 18 (1990).
    """
    if n < 1:
        return 1.0
    general = symmetric_deviation(H, n, delta)  # f = ∅
    return min(general, dkw(n, delta)) if H.is_chain else general


def uniform_sample_size(H: HypothesisClass, tau: float, delta: float) -> int:
    """Return the smallest n for which `uniform_deviation` is at most τ.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    tau : float
        The deviation that is allowed, between 0 and 1.
    delta : float
        The probability that a larger one occurs.

    Returns
    -------
    int
        Unlabeled i.i.d. items.

    Examples
    --------
    >>> import activepu as apu
    >>> [apu.theory.uniform_sample_size(H, 0.05, 0.1) for H in (apu.Thresholds(), apu.Boxes(dim=2))]
    [600, 16934]
    """
    if not 0.0 < tau < 1.0:
        raise InvalidInput(f"tau must lie strictly between 0 and 1, got {tau!r}.")
    return smallest(lambda n: uniform_deviation(H, n, delta) <= tau)


def smallest(holds: Callable[[int], bool], start: int = 1) -> int:
    """Return the smallest n ≥ start with `holds(n)`, for a condition that stays true once it is true."""
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
