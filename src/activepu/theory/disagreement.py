"""The disagreement coefficient: how fast a ball's region of disagreement grows with its radius.

θ(h, r0) = sup_{r ≥ r0} Δ(B_D(h, r))/r, and at least 1. The paper takes the sup over all h ∈ H and r > 0, which is
infinite for intervals and boxes (erratum P2). Algorithms 1 and 3 need a θ with Δ(B(ℓ, r)) ≤ θr for r ≥ ε/(4θ) only. Too
large a θ costs questions; too small a one breaks Algorithm 3. The sharp algorithms for intersection-closed classes need
none.
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
from activepu.hypotheses.thresholds import Thresholds
from activepu.theory.balls import Counts, flip_costs
from activepu.theory.deviations import dkw, log_size, relative_deviation, symmetric_deviation


def thresholds() -> float:
    """2: the ball reaches mass r to both sides (1 if ℓ lies at an end)."""
    return 2.0


def intervals(mass: float, r0: float = 0.0) -> float:
    """max(4, 1/max(w, r0)) for an interval of mass w (Hanneke 2007)."""
    return max(4.0, 1.0 / max(mass, r0))


def boxes(dim: int, mass: float) -> float:
    """A box of mass λ, D continuous with independent coordinates: max(8, 1/λ) in the plane, else ≤ max(5.3 D, D/λ)."""
    if dim == 1:
        return intervals(mass)
    return max(8.0, 1.0 / mass) if dim == 2 else max(5.3 * dim, dim / mass)


def orthants(dim: int, mass: float) -> float:
    """An orthant of mass λ, D continuous with independent coordinates: 2 on the line, else max(2D, 1/λ) up to D = 3.

    *Proof.* Δ ≤ 1 settles r ≥ λ; let ρ = r/λ < 1. x ∈ h is excluded by one bound, at the cost of the part of h below x:
    these x have mass λ(1 − (1 − ρ)^D). For x ∉ h let S be the axes on which x lies below h, by σ_i of h's mass there.
    closure(h ∪ {x}) has E = λ(Π_S(1 + σ_i) − 1) errors. Drawing in the other bounds to a share q of h costs
    λ(1 − q) + Eq, never below min(E, λ). So x is in the region iff E ≤ r, which needs Σ_S σ_i ≤ ρ: mass ≤ λρ^s/s! for
    s = |S|. Together Δ/r ≤ (1 − (1 − ρ)^D)/ρ + Σ_s C(D, s) ρ^{s−1}/s!: 4 − ρ/2 for D = 2, 6 − 3ρ/2 + 7ρ²/6 for D = 3,
    and at most D + Σ_s C(D, s)/s! beyond. Orthants are boxes without upper sides, so θ is at most that of boxes.
    """
    if dim == 1:
        return thresholds()
    steepest = 2.0 * dim if dim <= 3 else dim + sum(math.comb(dim, s) / math.factorial(s) for s in range(1, dim + 1))
    return min(max(steepest, 1.0 / mass), boxes(dim, mass))


def halfspaces_on_sphere(dim: int, r0: float) -> float:
    """At most min(π√d, 1/r0) for homogeneous halfspaces and the uniform sphere in R^d, and at least a quarter of it."""
    return min(math.pi * math.sqrt(dim), 1.0 / r0)


def finite(size: float, r0: float) -> float:
    """At most min(|H| − 1, 1/r0): each other hypothesis of the ball adds a region of mass ≤ r."""
    return max(1.0, min(size - 1.0, 1.0 / r0))


def conjunctions_order(literals: int, r0: float) -> float:
    """min(2^k, 1/r0) for k literals on the uniform cube: the order of θ only, not a bound."""
    return min(2.0**literals, 1.0 / r0)


def coefficient(H: HypothesisClass, prior: float, r0: float = 0.0) -> float | None:
    """θ at an ℓ of mass `prior` and r ≥ r0 where a closed form is known, or None; as Δ ≤ 1, it need not exceed 1/r0.

    Those of boxes and orthants are for continuous distributions with independent coordinates.
    """
    if isinstance(H, Thresholds):
        value = thresholds()
    elif isinstance(H, Boxes):
        value = boxes(H.bound_dim, prior)
    elif isinstance(H, Orthants):
        value = orthants(H.bound_dim, prior)
    else:
        size = log_size(H)
        if size is None:
            return None
        value = max(1.0, math.expm1(min(size, 700.0)))
    return max(1.0, min(value, 1.0 / r0)) if r0 > 0.0 else value


@dataclass(frozen=True)
class CoefficientEstimate:
    """θ̂⁺: with the confidence asked for, Δ(B(h, r)) ≤ value·r for every r ≥ radius, and radius ≤ ε/(4·value)."""

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
    """An upper bound of θ around each of the `centers`, from two independent unlabeled samples; false w.p. ≤ δ.

    For every class with flip costs that are never above the true ones (`balls.flip_costs`): a cost that is too high
    would make the bound too small. Halfspaces beyond the plane and conjunctions of more than 20 features are refused.

    The centres must not depend on the samples. If ℓ itself is not among them but ρ_D(h, ℓ) ≤ `cover` for one of them,
    the bound holds at ℓ, since B(ℓ, r) ⊆ B(h, r + cover).

    A member of B_D(h, r) differs from h on c items of T only if r ≥ c/n − τ and r ≥ c/n − η√(c/n) (additive and
    relative deviation over {h Δ h′}): call the larger one r_c. So DIS(B_D(h, r)) ⊆ {x : flip cost ≤ c} for the largest
    c with r_c ≤ r. These sets are nested, T′ does not depend on them, and one-sided DKW bounds all their masses at
    once: θ̂⁺ = max_c (P̂_{T′}(flip cost ≤ c) + conf)/max(r_c, r0). r0 starts at ε/4 and falls until r0·θ̂⁺ ≤ ε/4.
    """
    checks.open_unit("epsilon", epsilon)
    checks.open_unit("delta", delta)
    chosen = [centers] if isinstance(centers, Hypothesis) else list(centers)
    if not chosen:
        raise InvalidInput("estimate_coefficient needs at least one hypothesis to look around, got none.")
    first, second = H.encode(T), H.encode(T_prime)
    costs = [flip_costs(h, first, second) for h in chosen]
    return coefficient_from_costs(H, costs, len(first), epsilon, delta, cover)


def coefficient_from_costs(
    H: HypothesisClass, costs: Sequence[Counts], n: int, epsilon: float, delta: float, cover: float = 0.0
) -> CoefficientEstimate:
    """The same from flip costs on T′ with respect to n items of T, one array per centre; H gives the deviations."""
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
