"""The disagreement coefficient: how fast a ball's region of disagreement grows with its radius.

θ(h, r0) = sup_{r ≥ r0} Δ(B_D(h, r))/r, and at least 1 (Hanneke 2007). The paper takes the sup over all h ∈ H and r > 0,
which is infinite for intervals and boxes (erratum P2). Algorithms 1 and 3 only need a θ with Δ(B(ℓ, r)) ≤ θr for
r ≥ ε/(4θ). A θ that is too large costs questions; one that is too small breaks Algorithm 3. The sharp algorithms for
intersection-closed classes need none.

Steve Hanneke, "A bound on the label complexity of agnostic active learning", ICML 2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from activepu import checks
from activepu.errors import InvalidInput
from activepu.hypotheses.base import Hypothesis, HypothesisClass
from activepu.hypotheses.boxes import Boxes
from activepu.hypotheses.orthants import Orthants
from activepu.hypotheses.registration import registration
from activepu.hypotheses.thresholds import Thresholds
from activepu.theory.deviations import dkw, log_size, relative_deviation, symmetric_deviation
from activepu.theory.flips import Counts, flip_costs


@dataclass(frozen=True)
class ClosedForm:
    """A disagreement coefficient that is known as a formula: Δ(B(h, r)) ≤ value·r for every r > 0.

    Return one from a function of your own to register it for your class as `Registration.coefficient`.

    Attributes
    ----------
    value : float
        θ, at least 1.
    about : str
        For which distributions it is proved.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.ClosedForm(2.0).about
    'all distributions'
    """

    value: float
    about: str = "all distributions"


INDEPENDENT = "continuous distributions with independent columns"


def of_thresholds(H: Thresholds, prior: float | None) -> ClosedForm:
    """Return 2: the ball reaches mass r to both sides (1 would do if ℓ lies at an end)."""
    return ClosedForm(2.0)


def of_boxes(H: Boxes, prior: float | None) -> ClosedForm:
    """Return θ at a box of mass λ: max(4, 1/λ) on the line, max(8, 1/λ) in the plane, else max(5.3 D, D/λ).

    D is continuous with independent coordinates. On the line the form is Hanneke's (2007).
    """
    return ClosedForm(_boxes(H.bound_dim, _needed(H, prior)), INDEPENDENT)


def of_orthants(H: Orthants, prior: float | None) -> ClosedForm:
    """Return θ at an orthant of mass λ: 2 on the line, max(2D, 1/λ) up to D = 3; D has independent coordinates.

    *Proof.* Δ ≤ 1 settles r ≥ λ; let ρ = r/λ < 1. x ∈ h is excluded by one bound, at the cost of the part of h below x:
    these x have mass λ(1 − (1 − ρ)^D). For x ∉ h let S be the axes on which x lies below h, by σ_i of h's mass there.
    closure(h ∪ {x}) has E = λ(Π_S(1 + σ_i) − 1) errors. Drawing in the other bounds to a share q of h costs
    λ(1 − q) + Eq, never below min(E, λ). So x is in the region iff E ≤ r, which needs Σ_S σ_i ≤ ρ: mass ≤ λρ^s/s! for
    s = |S|. Together Δ/r ≤ (1 − (1 − ρ)^D)/ρ + Σ_s C(D, s) ρ^{s−1}/s!: 4 − ρ/2 for D = 2, 6 − 3ρ/2 + 7ρ²/6 for D = 3,
    and at most D + Σ_s C(D, s)/s! beyond. Orthants are boxes without upper sides, so θ is at most that of boxes.
    """
    dim, mass = H.bound_dim, _needed(H, prior)
    if dim == 1:
        return ClosedForm(2.0, INDEPENDENT)
    steepest = 2.0 * dim if dim <= 3 else dim + sum(math.comb(dim, s) / math.factorial(s) for s in range(1, dim + 1))
    return ClosedForm(min(max(steepest, 1.0 / mass), _boxes(dim, mass)), INDEPENDENT)


def of_finite(H: HypothesisClass, prior: float | None) -> ClosedForm | None:
    """Return |H| − 1 for a finite class, as each other member of the ball adds a region of mass ≤ r; else None."""
    size = log_size(H)
    return None if size is None else ClosedForm(max(1.0, math.expm1(min(size, 700.0))))


def _boxes(dim: int, mass: float) -> float:
    if dim == 1:
        return max(4.0, 1.0 / mass)
    return max(8.0, 1.0 / mass) if dim == 2 else max(5.3 * dim, dim / mass)


def _needed(H: HypothesisClass, prior: float | None) -> float:
    if prior is None:
        raise InvalidInput(
            f"The coefficient of {H!r} depends on the center; pass prior=…, its mass, or a pool and center=…."
        )
    return prior


def closed_form(H: HypothesisClass, prior: float | None = None, r0: float = 0.0) -> ClosedForm | None:
    """Return θ in closed form and for which distributions it is proved, or None where no form is known.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    prior : float, optional
        The mass of ℓ. Boxes and orthants need it.
    r0 : float
        The least radius of interest. As Δ ≤ 1, θ need not exceed 1/r0.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.closed_form(apu.Boxes(dim=2), prior=0.1)
    ClosedForm(value=10.0, about='continuous distributions with independent columns')
    >>> apu.theory.closed_form(apu.Halfspaces(dim=2)) is None
    True
    """
    found: ClosedForm | None = registration(H).coefficient(H, prior)
    if found is None or r0 <= 0.0:
        return found
    return ClosedForm(max(1.0, min(found.value, 1.0 / r0)), found.about)


def coefficient(H: HypothesisClass, prior: float, r0: float = 0.0) -> float | None:
    """Return θ at an ℓ of mass `prior` for r ≥ r0, where a closed form is known; else None.

    The forms of boxes and orthants assume a continuous distribution with independent coordinates (`closed_form` says
    so). Those of thresholds and finite classes hold for all distributions.

    Parameters
    ----------
    H : HypothesisClass
        A bound class.
    prior : float
        π, the mass of ℓ.
    r0 : float
        The least radius of interest. As Δ ≤ 1, θ need not exceed 1/r0.

    Returns
    -------
    float or None
        At least 1.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.coefficient(apu.Thresholds(), 0.3)
    2.0
    >>> apu.theory.coefficient(apu.Boxes(dim=2), 0.05, r0=0.1)
    10.0

    References
    ----------
    Hanneke, "A bound on the label complexity of agnostic active learning", ICML 2007.
    """
    found = closed_form(H, prior, r0)
    return None if found is None else found.value


@dataclass(frozen=True)
class CoefficientEstimate:
    """An upper bound of θ, measured by `estimate_coefficient`.

    With the confidence asked for, Δ(B(h, r)) ≤ value·r for every r ≥ radius.

    Attributes
    ----------
    value : float
        The bound of θ, at least 1.
    radius : float
        The least radius for which it holds; at most ε/(4·value), as Algorithms 1 and 3 need.

    Examples
    --------
    >>> import activepu as apu
    >>> apu.theory.CoefficientEstimate(value=4.0, radius=0.00625).value
    4.0
    """

    value: float
    radius: float


def estimate_coefficient(
    H: HypothesisClass,
    centers: Hypothesis | Sequence[Hypothesis],
    T: Any,
    T_prime: Any,
    epsilon: float,
    delta: float,
    cover: float = 0.0,
) -> CoefficientEstimate:
    """Return an upper bound of θ around each of the centers, from two independent unlabeled samples.

    It assumes that T and T′ are independent i.i.d. samples and that the centers do not depend on them; then it is false
    with probability ≤ δ. It works for every class whose flip costs have a lower bound (`FlipCosts.least`): a cost that
    is too high would make the bound too small. Halfspaces beyond the plane and conjunctions of more than 20 features
    are refused.

    A member of B_D(h, r) differs from h on c items of T only if r ≥ c/n − τ and r ≥ c/n − η√(c/n) (additive and
    relative deviation over {h Δ h′}): call the larger one r_c. So DIS(B_D(h, r)) ⊆ {x : flip cost ≤ c} for the largest
    c with r_c ≤ r. These sets are nested, T′ does not depend on them, and one-sided DKW bounds all their masses at
    once: θ̂⁺ = max_c (P̂_{T′}(flip cost ≤ c) + conf)/max(r_c, r0). r0 starts at ε/4 and falls until r0·θ̂⁺ ≤ ε/4.

    Parameters
    ----------
    H : HypothesisClass
        The bound class of the centers.
    centers : Hypothesis or sequence of them
        Where θ is wanted, such as a guess of ℓ; the bound is the largest over them.
    T, T_prime : array
        Rows of raw features: T measures distances, T′ measures regions.
    epsilon, delta : float
        The target error of the algorithm that will use θ, and the probability that the bound is false.
    cover : float
        If ℓ itself is not among the centers but ρ_D(h, ℓ) ≤ `cover` for one of them, the bound holds at ℓ, since
        B(ℓ, r) ⊆ B(h, r + cover).

    Returns
    -------
    CoefficientEstimate
        The bound, and the least radius for which it holds.

    Raises
    ------
    InvalidInput
        If the samples are too small for ε, or the class has no useful flip costs.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> rng, H = np.random.default_rng(0), apu.Thresholds().bind(1)
    >>> middle = H.closure(np.array([[0.5]]))  # {x : x ≥ 0.5}, whose θ is 2
    >>> theta = apu.theory.estimate_coefficient(H, middle, rng.random((30_000, 1)), rng.random((10_000, 1)), 0.2, 0.1)
    >>> 2 <= theta.value <= 5
    True

    References
    ----------
    Hanneke, "A bound on the label complexity of agnostic active learning", ICML 2007.
    """
    checks.open_unit("epsilon", epsilon)
    checks.open_unit("delta", delta)
    chosen = [centers] if isinstance(centers, Hypothesis) else list(centers)
    if not chosen:
        raise InvalidInput("estimate_coefficient needs at least one hypothesis to look around, got none.")
    first, second = H.encode(T), H.encode(T_prime)
    costs = [flip_costs(h, first).least(second) for h in chosen]
    return _from_costs(H, costs, len(first), epsilon, delta, cover)


def _from_costs(
    H: HypothesisClass, costs: Sequence[Counts], n: int, epsilon: float, delta: float, cover: float = 0.0
) -> CoefficientEstimate:
    """Return the same from flip costs on T′ with respect to n items of T, one array per center.

    H gives the deviations.
    """
    share = delta / len(costs)
    tau = symmetric_deviation(H, n, share / 4.0)
    eta = math.sqrt(relative_deviation(H, n, share / 4.0))
    masses, radii = [], []
    for cost in costs:
        conf = dkw(len(cost), share / 2.0, sides=1)
        if conf >= epsilon / 4.0:
            needed = math.ceil(8.0 * math.log(2.0 / share) / epsilon**2) + 1
            raise InvalidInput(
                f"T′ of {len(cost)} items cannot bound the coefficient at epsilon={epsilon:g}; "
                f"take more than {needed} unlabeled items, and as many in T."
            )
        values, counts = np.unique(cost[cost <= n], return_counts=True)
        share_of_T = values / n
        masses.append(np.minimum(1.0, np.concatenate([[0.0], counts.cumsum() / len(cost)]) + conf))
        least = np.maximum(share_of_T - tau, share_of_T - eta * np.sqrt(share_of_T)) - cover
        radii.append(np.concatenate([[0.0], least]))
    mass, radius = np.concatenate(masses), np.concatenate(radii)
    r0 = epsilon / 4.0
    while r0 > 1e-9 * epsilon:
        value = max(1.0, float((mass / np.maximum(radius, r0)).max()))
        if r0 * value <= epsilon / 4.0:
            return CoefficientEstimate(value, r0)
        r0 *= 0.9
    raise InvalidInput(
        f"T of {n} items is too small to bound the coefficient at epsilon={epsilon:g}: its balls of radius 0 already "
        "disagree on too much; take more unlabeled items."
    )
