"""How much of the positives a hypothesis can still miss once it contains K random positives.

A **radius** a_K bounds P(ℓ \\ h | ℓ) for every h ∈ H that contains K i.i.d. draws of D(· | ℓ), but for probability δ.
For intersection-closed classes the worst h is the closure of the draws; it lies inside ℓ, so π·a_K bounds its error.
The computed radii replace M1(d ln(1/ε) + ln(1/δ))/ε of the passive PU theorem (Liu et al. 2002).
"""

from __future__ import annotations

import math

import numpy as np

from activepu.hypotheses.base import HypothesisClass
from activepu.hypotheses.boxlike import BoxLike
from activepu.theory import binomial
from activepu.theory.deviations import log_size, relative_deviation, smallest, up

_GHOSTS = np.geomspace(0.5, 300.0, 40)
"""Ghost samples tried, as multiples of m. Each is valid; the choice only decides how tight the radius is."""


def realizable_radius(H: HypothesisClass, m: int, delta: float) -> float:
    """a_m with P(some h ∈ H agrees with ℓ on m draws and errs by more than a_m) ≤ δ.

    For every m′: P(∃h consistent, error > a) ≤ 2 Π(m + m′) (1 + m/m′)^{−⌊m′a⌋}. Indeed a median of Bin(m′, a) is at
    least ⌊m′a⌋, so with probability 1/2 such an h makes k = ⌊m′a⌋ errors in a ghost sample of m′ draws, and the
    chance that all of them fall there is at most (m′/(m + m′))^k. Solved for a and minimised over m′. Finite classes
    also have |H|(1 − a)^m = δ, the union bound.
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
    """The radius after K positives: the least of the class's own and the realizable one.

    An intersection-closed class of this library has s free sides: 1 for thresholds, 2D for boxes, D for orthants, n for
    conjunctions of n variables. Its radius t solves P(Bin(K, t) ≤ s − 1) = δ: the Clopper–Pearson bound for s − 1 among
    K. Proof (statistically equivalent blocks: Wilks 1941, Tukey 1947). Cut off, one after the other, the part of ℓ that
    lies beyond the outermost draw at side 1, at side 2 the part beyond the outermost of the draws that are left, and so
    on. Each cut takes one draw away, and given the cuts the others are independent draws of what is left. So the s
    parts together have mass Beta(s, K + 1 − s), as the s-th smallest of K uniform numbers has. What is not cut off lies
    at no side further out than the draw that was taken there: the closure of all K draws holds it. Equal values are
    ordered by lot: atoms do no harm.

    The draws may also come from a part of a larger probability space, as positives that are asked *and* revealed do:
    with n questions in place of K, the radius bounds ω·P(ℓ \\ h) (`learners.unknown_prior`).
    """
    if K < 1:
        return 1.0
    general = realizable_radius(H, K, delta)
    return min(general, _sides_radius(H, K, delta)) if isinstance(H, BoxLike) else general


def sides(H: BoxLike) -> int:
    """How many sides of a closure are free."""
    return H.bound_dim * (2 if H.two_sided else 1)


def _sides_radius(H: BoxLike, K: int, delta: float) -> float:
    s = sides(H)
    return binomial.upper(s - 1, K, delta) if s <= K else 1.0


def positives_for_radius(H: HypothesisClass, radius: float, delta: float) -> int:
    """The smallest K for which `closure_radius` is at most `radius`."""
    return 0 if radius >= 1.0 else smallest(lambda K: closure_radius(H, K, delta) <= radius)


def passive_error(H: HypothesisClass, K: int, n: int, delta: float, prior: float = 1.0) -> float:
    """The error of passive PU learning, argmin |h ∩ S| over h ⊇ K positives with n fresh unlabeled S; false w.p. ≤ δ.

    Intersection-closed: the closure, error ≤ π·a_K at δ, no unlabeled items. In general, a = π·a_K at δ/2 and η² at
    δ/4: P(ℓ\\h) ≤ a, so P̂_S(ℓ\\h) ≤ up(a, η²); |h ∩ S| ≤ |ℓ ∩ S| gives P̂_S(h\\ℓ) ≤ P̂_S(ℓ\\h); and
    P(h\\ℓ) ≤ up(P̂_S(h\\ℓ), η²). `prior` is an upper bound of π.
    """
    if H.intersection_closed:
        return prior * closure_radius(H, K, delta)
    missed = prior * closure_radius(H, K, delta / 2.0)
    if n < 1:
        return 1.0
    eta2 = relative_deviation(H, n, delta / 4.0)
    return min(1.0, missed + up(up(missed, eta2), eta2))


def passive_positives(H: HypothesisClass, epsilon: float, n: int, delta: float, prior: float = 1.0) -> int:
    """The smallest K for which `passive_error` is at most ε with n unlabeled items; it grows with `prior`."""
    if H.intersection_closed:
        return positives_for_radius(H, epsilon / prior, delta)
    if passive_error(H, 0, n, delta, prior) <= epsilon:
        return 0
    return smallest(lambda K: passive_error(H, K, n, delta, prior) <= epsilon)


def passive_sizes(H: HypothesisClass, epsilon: float, delta: float, prior: float = 1.0) -> tuple[int, int]:
    """(K, n): positives and fresh unlabeled items for `passive_error` ≤ ε; in general the missed mass is to be ε/3."""
    if H.intersection_closed:
        return positives_for_radius(H, epsilon / prior, delta), 0
    K = positives_for_radius(H, epsilon / (3.0 * prior), delta / 2.0)
    return K, smallest(lambda n: passive_error(H, K, n, delta, prior) <= epsilon)


def prior_bound(H: HypothesisClass, K: int, mass: float, delta: float) -> float:
    """An upper bound of π, if some h ∈ H contains K random positives and has P(h) ≤ `mass`; false w.p. ≤ δ.

    h misses at most the share a_K of the positives: π(1 − a_K) ≤ P(ℓ ∩ h) ≤ P(h) ≤ `mass`.

    Examples
    --------
    >>> from activepu.hypotheses import Thresholds
    >>> round(prior_bound(Thresholds(), 30, mass=0.04, delta=0.01), 4)
    0.0466
    """
    radius = closure_radius(H, K, delta)
    return 1.0 if radius >= 1.0 else min(1.0, mass / (1.0 - radius))
