"""How much of the positives a hypothesis can still miss once it contains K random positives.

A **radius** a_K bounds P(ℓ \\ h | ℓ) for every h ∈ H that contains K i.i.d. draws of D(· | ℓ), with probability 1 − δ.
For intersection-closed classes the worst h is the closure of the draws; it lies inside ℓ, so π·a_K bounds its error.
The computed radii replace M1(d ln(1/ε) + ln(1/δ))/ε of the passive PU theorem (Liu et al. 2002).

Liu, Lee, Yu and Li, "Partially supervised classification of text documents", ICML 2002.
Wilks, "Determination of sample sizes for setting tolerance limits", Annals of Mathematical Statistics 12 (1941).
Tukey, "Nonparametric estimation II. Statistically equivalent blocks", Annals of Mathematical Statistics 18 (1947).
"""

from __future__ import annotations

import math

import numpy as np

from activepu.hypotheses.base import HypothesisClass
from activepu.theory import binomial
from activepu.theory.deviations import log_size, relative_deviation, smallest, up

_GHOSTS = np.geomspace(0.5, 300.0, 40)
"""Ghost samples tried, as multiples of m. Each is valid; the choice only decides how tight the radius is."""


def realizable_radius(H: HypothesisClass, m: int, delta: float) -> float:
    """Return a_m with P(some h ∈ H agrees with ℓ on m i.i.d. draws and errs by more than a_m) ≤ δ.

    For every m′: P(∃h consistent, error > a) ≤ 2 Π(m + m′) (1 + m/m′)^{−⌊m′a⌋}. Indeed a median of Bin(m′, a) is at
    least ⌊m′a⌋, so with probability 1/2 such an h makes k = ⌊m′a⌋ errors in a ghost sample of m′ draws, and the
    chance that all of them fall there is at most (m′/(m + m′))^k. Solved for a and minimised over m′. Finite classes
    also have |H|(1 − a)^m = δ, the union bound.

    Parameters
    ----------
    H : HypothesisClass
        A bound class that contains ℓ.
    m : int
        Labelled draws.
    delta : float
        The probability that the statement is false.

    Returns
    -------
    float
        An error, 1 if nothing can be said.

    Examples
    --------
    >>> import activepu as apu
    >>> [round(apu.theory.realizable_radius(apu.Boxes(dim=2), m, 0.1), 3) for m in (100, 1000)]
    [0.276, 0.038]

    References
    ----------
    Vapnik, "Statistical Learning Theory", 1998, for the ghost sample.
    """
    if m < 1:
        return 1.0
    size = log_size(H)
    best = 1.0 if size is None else -math.expm1((math.log(delta) - size) / m)
    for ghosts in sorted({max(1, round(m * c)) for c in _GHOSTS}):
        log_count = math.log(2.0) + H.log_growth(m + ghosts) + math.log(1.0 / delta)
        best = min(best, math.ceil(log_count / math.log1p(m / ghosts)) / ghosts)
    return best


def closure_radius(H: HypothesisClass, K: int, delta: float) -> float:
    """Return the radius a_K after K positives: P(ℓ \\ h | ℓ) ≤ a_K for every h ∈ H that contains them.

    It assumes ℓ ∈ H and K i.i.d. draws of D given ℓ, and is false with probability ≤ δ. It is the realizable radius or,
    for a class with sides (`HypothesisClass.n_sides`), a smaller one. A class with a closure but without sides has
    the realizable radius.

    A box-like class has s free sides: 1 for thresholds, 2D for boxes, D for orthants, n for conjunctions of n
    variables. Its radius t solves P(Bin(K, t) ≤ s − 1) = δ: the Clopper–Pearson bound for s − 1 among K. *Proof*
    (statistically equivalent blocks). Cut off, one after the other, the part of ℓ that lies beyond the outermost draw
    at side 1, at side 2 the part beyond the outermost of the draws that are left, and so on. Each cut takes one draw
    away, and given the cuts the others are independent draws of what is left. So the s parts together have mass
    Beta(s, K + 1 − s), as the s-th smallest of K uniform numbers has. What is not cut off lies at no side further out
    than the draw that was taken there: the closure of all K draws holds it. Equal values are ordered at random: atoms
    do no harm.

    The draws may also come from a part of a larger probability space, as positives that are asked *and* revealed do:
    with n questions in place of K, the radius bounds ω·P(ℓ \\ h) (`learners.unknown_prior`).

    Parameters
    ----------
    H : HypothesisClass
        A bound class that contains ℓ.
    K : int
        Positives that h contains.
    delta : float
        The probability that the statement is false.

    Returns
    -------
    float
        A share of the positives, 1 if nothing can be said.

    Examples
    --------
    >>> import activepu as apu
    >>> [round(apu.theory.closure_radius(H, 40, 0.05), 3) for H in (apu.Thresholds(), apu.Boxes(dim=2))]
    [0.072, 0.183]

    See Also
    --------
    positives_for_radius : the other way round.

    References
    ----------
    Wilks 1941 and Tukey 1947, Annals of Mathematical Statistics 12 and 18.
    """
    if K < 1:
        return 1.0
    general, s = realizable_radius(H, K, delta), H.n_sides
    return general if s is None or s > K else min(general, binomial.upper(s - 1, K, delta))


def positives_for_radius(H: HypothesisClass, radius: float, delta: float) -> int:
    """Return the smallest K for which `closure_radius` is at most `radius`.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    radius : float
        The share of the positives that may be missed.
    delta : float
        The probability that more are missed.

    Returns
    -------
    int
        Positives.

    Examples
    --------
    >>> import activepu as apu
    >>> [apu.theory.positives_for_radius(H, 0.1, 0.1) for H in (apu.Thresholds(), apu.Boxes(dim=2))]
    [22, 65]
    """
    return 0 if radius >= 1.0 else smallest(lambda K: closure_radius(H, K, delta) <= radius)


def passive_error(H: HypothesisClass, K: int, n: int, delta: float, prior: float = 1.0) -> float:
    """Return a bound on the error of passive PU learning: argmin |h ∩ S| over the h ∈ H that contain K positives.

    It assumes ℓ ∈ H, K i.i.d. draws of D given ℓ and an independent unlabeled sample S of n draws of D, and is false
    with probability ≤ δ. Intersection-closed classes: the learner returns the closure, whose error is ≤ π·a_K at δ, and
    needs no unlabeled items. In general, with a = π·a_K at δ/2 and η² at δ/4: P(ℓ \\ h) ≤ a, so P̂_S(ℓ \\ h) ≤
    up(a, η²); |h ∩ S| ≤ |ℓ ∩ S| gives P̂_S(h \\ ℓ) ≤ P̂_S(ℓ \\ h); and P(h \\ ℓ) ≤ up(P̂_S(h \\ ℓ), η²).

    Parameters
    ----------
    H : HypothesisClass
        A bound class that contains ℓ.
    K, n : int
        Positives, and fresh unlabeled items.
    delta : float
        The probability that the statement is false.
    prior : float
        An upper bound of π.

    Returns
    -------
    float
        An error, 1 if nothing can be said.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.passive_error(apu.Thresholds(), K=50, n=0, delta=0.1, prior=0.3), 4)
    0.0135

    References
    ----------
    Liu, Lee, Yu and Li, "Partially supervised classification of text documents", ICML 2002.
    """
    if H.intersection_closed:
        return prior * closure_radius(H, K, delta)
    missed = prior * closure_radius(H, K, delta / 2.0)
    if n < 1:
        return 1.0
    eta2 = relative_deviation(H, n, delta / 4.0)
    return min(1.0, missed + up(up(missed, eta2), eta2))


def passive_positives(H: HypothesisClass, epsilon: float, n: int, delta: float, prior: float = 1.0) -> int:
    """Return the smallest K for which `passive_error` is at most ε with n unlabeled items.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    epsilon, delta : float
        The error that is allowed, and the probability that it is larger.
    n : int
        Unlabeled items; intersection-closed classes need none.
    prior : float
        An upper bound of π. The smaller it is, the fewer positives are needed.

    Returns
    -------
    int
        Positives.

    Examples
    --------
    >>> import activepu as apu
    >>> [apu.theory.passive_positives(apu.Thresholds(), 0.1, 0, 0.1, prior) for prior in (1.0, 0.3)]
    [22, 6]
    """
    if H.intersection_closed:
        return positives_for_radius(H, epsilon / prior, delta)
    if passive_error(H, 0, n, delta, prior) <= epsilon:
        return 0
    return smallest(lambda K: passive_error(H, K, n, delta, prior) <= epsilon)


def passive_sizes(H: HypothesisClass, epsilon: float, delta: float, prior: float = 1.0) -> tuple[int, int]:
    """Return (K, n): the positives and fresh unlabeled items with which `passive_error` is at most ε.

    In classes that are not intersection-closed a third of ε is left to the missed mass.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    epsilon, delta : float
        The error that is allowed, and the probability that it is larger.
    prior : float
        An upper bound of π.

    Returns
    -------
    tuple of int
        K and n; n is 0 for intersection-closed classes.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.passive_sizes(apu.Boxes(dim=2), 0.1, 0.1, prior=0.3)
    (19, 0)
    """
    if H.intersection_closed:
        return positives_for_radius(H, epsilon / prior, delta), 0
    K = positives_for_radius(H, epsilon / (3.0 * prior), delta / 2.0)
    return K, smallest(lambda n: passive_error(H, K, n, delta, prior) <= epsilon)


def prior_bound(H: HypothesisClass, K: int, mass: float, delta: float) -> float:
    """Return an upper bound of π, if some h ∈ H contains K random positives and has P(h) ≤ `mass`.

    h misses at most the share a_K of the positives, so π(1 − a_K) ≤ P(ℓ ∩ h) ≤ P(h) ≤ `mass`. It assumes what
    `closure_radius` assumes, and is false with probability ≤ δ.

    Parameters
    ----------
    H : HypothesisClass
        A bound class that contains ℓ.
    K : int
        Positives that h contains.
    mass : float
        An upper bound of P(h).
    delta : float
        The probability that the statement is false.

    Returns
    -------
    float
        A share of the population, 1 if nothing can be said.

    Examples
    --------
    >>> import activepu as apu
    >>> round(apu.theory.prior_bound(apu.Thresholds(), 30, mass=0.04, delta=0.01), 4)
    0.0466
    """
    radius = closure_radius(H, K, delta)
    return 1.0 if radius >= 1.0 else min(1.0, mass / (1.0 - radius))
