"""Where to ask: in the strata that tell most between what was seen and the worst case that a target must exclude.

A target says that a weighted number of positives is less than a limit: Σ c_k N_k p_k < m, with p_k the share of reveals
in stratum k. Every test must tell p from the nearest p′ with Σ c_k N_k p′_k = m. With a share λ_k of the questions in
stratum k that takes ln(1/δ) / Σ λ_k KL(p_k ‖ p′_k) questions on average, and never fewer. The best λ makes all KL
equal:

    KL(p_k ‖ p′_k) = τ for all k,      λ_k ∝ |c_k| N_k p′_k (1 − p′_k) / |p′_k − p_k|,      ln(1/δ)/τ questions.

Chernoff, "Sequential design of experiments" (1959); Garivier and Kaufmann, "Optimal best arm identification with fixed
confidence" (2016).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit, logit

FLOOR = 0.05
"""The part of the questions that goes to all strata, in proportion to how much they could matter."""
NEWTON = 8
"""Steps of Newton's method for a p′."""
ROUNDS, TRIED = 4, 24
"""τ is sought among so many values, so many times ever more closely: to a factor of 1 + 1e-4."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WorstCase:
    """The nearest shares of reveals at which a target is missed, and how to tell them from what was seen.

    Attributes
    ----------
    shares : array
        p′, by stratum.
    information : float
        τ, the nats that a question brings at best; 0 if what was seen misses the target itself.
    questions : array
        λ, the shares of the questions that bring it.
    """

    shares: Floats
    information: float
    questions: Floats

    def least_questions(self, delta: float) -> float:
        """Return ln(1/δ)/τ: no test at level δ needs fewer questions on average."""
        return np.inf if self.information <= 0 else float(np.log(1 / delta) / self.information)


def worst_case(shares: Floats, pulls: Floats, limit: float, most: float = 1.0) -> WorstCase:
    """Return the worst case for the target Σ pulls·p < limit.

    Parameters
    ----------
    shares : array
        p, the shares of reveals as they seem to be, each between 0 and `most`.
    pulls : array
        c_k N_k, what a reveal in each item of the stratum would add.
    limit : float
        m.
    most : float
        No share of reveals is above this: the reveal rate, where it is known.
    """
    p = np.clip(shares, 1e-9, most * (1 - 1e-9))
    if pulls @ p >= limit:
        return WorstCase(p, 0.0, _even(p, pulls))
    if np.maximum(pulls * most, 0).sum() < limit:  # no shares at all miss the target
        return WorstCase(p, np.inf, _even(p, pulls))
    low, high = 1e-9, 50.0  # τ lies between: nothing is told apart better than by 50 nats a question
    for _ in range(ROUNDS):
        distances = np.geomspace(low, high, TRIED)
        missed = _at_distance(p, distances, pulls, most) @ pulls >= limit
        first = int(np.argmax(missed)) if missed.any() else TRIED - 1
        low, high = distances[max(first - 1, 0)], distances[first]
    worst = _at_distance(p, np.array([high]), pulls, most)[0]
    apart = np.abs(worst - p)
    free = (worst < most * (1 - 1e-6)) & (apart > 1e-12)
    share = np.where(free, np.abs(pulls) * worst * (1 - worst) / np.maximum(apart, 1e-12), 0.0)
    if not share.any():
        return WorstCase(worst, high, _even(p, pulls))
    return WorstCase(worst, high, share / share.sum())


def _even(p: Floats, pulls: Floats) -> Floats:
    """Return shares of questions where nothing tells better ones: by how uncertain each part of the sum is."""
    share = np.abs(pulls) * np.sqrt(np.maximum(p * (1 - p), 1e-4))
    return share / share.sum() if share.any() else np.full(len(p), 1 / len(p))


def _at_distance(p: Floats, distances: Floats, pulls: Floats, most: float) -> Floats:
    """Return p′ with KL(p ‖ p′) = distance, in the direction of the pulls and at most `most`; a row per distance.

    In θ = ln(p′/(1 − p′)) the distance is the convex function ln(1 + e^θ) − pθ − H, H the entropy of p, with slope
    p′ − p. Newton's method starts about twice as far as for a parabola, or where one of its two terms alone is enough.
    """
    up, goal = pulls > 0, distances[:, None] + entr(p) + entr(1 - p)
    enough = goal / np.where(up, 1 - p, p)
    far = np.where(up, 1, -1) * (enough + np.log(-np.expm1(-enough)))
    parabola = logit(p) + np.where(up, 2, -2) * np.sqrt(2 * distances[:, None] / (p * (1 - p)))
    theta = np.where(up, np.minimum(far, parabola), np.maximum(far, parabola))
    for _ in range(NEWTON):
        theta -= (np.logaddexp(0, theta) - p * theta - goal) / (expit(theta) - p)
    return np.asarray(np.where(pulls == 0, p, np.minimum(expit(theta), np.where(up, most, p))))


def with_floor(questions: Floats, left: NDArray[np.int64], pulls: Floats) -> Floats:
    """Return shares of questions that are positive wherever items are left, and 0 elsewhere."""
    open_ = left > 0
    if not open_.any():
        return np.zeros(len(left))
    size = np.where(open_, np.maximum(np.abs(pulls), 1e-12), 0.0) ** 0.5
    wanted = np.where(open_, questions, 0.0)
    wanted = wanted / wanted.sum() if wanted.sum() > 0 else size / size.sum()
    return np.asarray((1 - FLOOR) * wanted + FLOOR * size / size.sum())
