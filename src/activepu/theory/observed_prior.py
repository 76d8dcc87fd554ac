"""Upper bounds of π, the share of positives, that a passive sample shows while it grows.

Let h ∈ H contain K random positives. Except with a small probability, it misses at most the share a_K of them
(`theory.radii`), so π(1 − a_K) ≤ P(ℓ ∩ h) ≤ P(h), and P(h) can be measured without asking the expert.

The bound is looked at after K_1, K_2, … positives. These are fixed beforehand, a factor `PACE` apart, and share δ: one
half for their radii and one half for the upper bound of P(h). For intersection-closed classes that is Clopper–Pearson
on a sample T that is independent of every closure, at an equal share for each look. For the others it is the relative
deviation on S, which is uniform over H: one level serves all looks, and h may depend on S.
"""

from __future__ import annotations

import math

from activepu.hypotheses.base import HypothesisClass
from activepu.theory import binomial
from activepu.theory.deviations import relative_deviation, up
from activepu.theory.radii import closure_radius, passive_positives, prior_bound

PACE = 1.5
"""Positives at one look, as a multiple of those at the look before."""


class PriorLooks:
    """Upper bounds of π while a passive sample grows: π ≤ `bound(…)` at all looks at once, except with probability δ.

    It assumes ℓ ∈ H, positives that are i.i.d. draws of D given ℓ, and rows of D that are independent of them.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    most : int
        The positives that suffice if π may be 1. The looks come before that.
    epsilon : float
        The error that is wanted. Looks begin at about `most`·ε positives, as soon as the radius is below 1.
    delta : float
        The probability that some bound is false.

    Attributes
    ----------
    at : list of int
        The numbers of positives at which π is bounded.
    rows : int
        |T|, for intersection-closed classes. More rows would hardly lower the bound; fewer are valid.

    Examples
    --------
    >>> import activepu as apu
    >>> looks = apu.theory.PriorLooks(apu.Thresholds(), 129, 0.02, 0.01)
    >>> looks.at
    [3, 4, 6, 8, 12, 17, 26, 39, 58, 86]
    >>> round(looks.bound(39, inside=300, n=10_000), 4)
    0.0438

    See Also
    --------
    prior_bound : one look.
    """

    def __init__(self, H: HypothesisClass, most: int, epsilon: float, delta: float) -> None:
        number = max(1, math.ceil(math.log(1 / epsilon) / math.log(PACE)))
        self._H = H
        self._half, self._share = delta / 2, delta / 2 / number
        looks = sorted({math.ceil(most / PACE**i) for i in range(1, number + 1)})
        self.at = [K for K in looks if closure_radius(H, K, self._share) < 1.0]
        self.rows = math.ceil(32 / epsilon * math.log(1 / self._share)) if H.intersection_closed else 0

    def after(self, K: int) -> float:
        """Return the next look after K positives; infinite if there is none."""
        return next((look for look in self.at if look > K), math.inf)

    def bound(self, K: int, inside: int, n: int) -> float:
        """Return an upper bound of π at the look with K positives; h holds `inside` of the n rows of T, or of S."""
        if self._H.intersection_closed:
            mass = binomial.upper(inside, n, self._share)
        else:
            mass = up(inside / n, relative_deviation(self._H, n, self._half))
        return prior_bound(self._H, K, mass, self._share)

    def positives_at_most(self, epsilon: float, n: int, delta: float, prior: float, failure: float) -> int:
        """Return how many positives end passive learning if π is `prior`, except with probability `failure`.

        It measures P(h) on n rows and certifies ε at level δ. The smallest h that contains all positives holds no more
        of these rows than ℓ does, and |ℓ ∩ T| ~ Bin(n, π).
        """
        inside, u = binomial.quantile(n, prior, 1 - failure), 1.0
        needed = passive_positives(self._H, epsilon, n, delta)
        for K in self.at:
            if needed <= K:
                break
            u = min(u, self.bound(K, inside, n))
            needed = max(K, passive_positives(self._H, epsilon, n, delta, u))
        return needed
