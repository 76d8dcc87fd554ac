"""From a score to P(y = 1 | x): Platt scaling through the Z-channel, averaged over all that fits the answers.

A reveal is seen with probability ω·P(y = 1 | x). With z = logit of a score that should be made without looking at the
item's own answer (out of bag; `models.channel_fit` says how nearly it is), the model is

    P(reveal | x) = ω·σ(a·z + b),      a > 0,

and t = (ln a, b, ω) has the density of the likelihood of all answers times a weak prior: ω ~ Beta(2, 2),
ln a ~ N(0, ½²), b ~ N(0, 1).

Where ω is not known, reveals alone do not identify the scale of P(y = 1 | x): half as many positives, revealed twice as
often, explain the answers as well. An assumption must decide; here it is one more factor,

    exp(−SEPARABLE · min(n, MANY) · min(1, r / SOME) · (mean H(p) − BALANCE · H(mean p))),

means over the n items, of which r were revealed: the classes can mostly be told apart, so that items of one kind are
all positives that are seldom revealed, rather than each a positive by the toss of a coin (after the minimum entropy of
Grandvalet and Bengio 2005), and not everything is of one kind (Krause, Perona and Gomes 2010). The answers overrule it
only where they are informative. If the classes truly overlap, ω comes out too low and p too high.

The density f is skew, and wide if reveals are few, so that its mode says little. The estimate is the mean,

    P(y = 1 | x) = ∫ σ(a·z(x) + b) f(t) dt / ∫ f(t) dt,

an increasing function of the score alone. The integrals are sums over a grid of (ln a, b, logit ω): first over all that
the prior allows, then twice over a finer one where the weight is. Scores are rounded to two digits, so that a sum has a
hundred terms at most, however many the answers. ln ∫ f, the `evidence`, compares scores of the same answers; it holds
the factor above without a normaliser, so that scores which separate the classes count for more. Of ω alone the estimate
is the likeliest logit, since the mean is pulled to the middle.

With ω = 1 and the mode in place of the mean this is Platt's method (Platt 1999). Nothing is proved: what comes out are
estimates, and their spread takes the assumption for granted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit, logit

Vector = NDArray[np.float64]

CLIP = 0.01
"""Scores are kept this far from 0 and 1, and rounded to it: a committee has a few dozen members, not more digits."""
BETA = 2.0
"""Both parameters of the prior of ω."""
PRIOR_SPREAD = np.array([0.5, 1.0])
"""Prior standard deviations of ln a and b."""
SEPARABLE, MANY, SOME = 0.1, 300, 20
"""What a nat of H(p) of an item costs, in nats of likelihood; how many items count at most; after how many reveals."""
BALANCE = 0.5
"""How much of that cost a nat of H(mean p) makes up for."""
LIMITS, POINTS = (2.0, 6.0, 5.0), (7, 15, 13)
"""How far from 0, and at how many points, the grid goes in ln a, b and logit ω."""
ROUNDS = 3
"""How many grids there are, each finer than the one before."""
NEGLIGIBLE = 1e-3
"""The next grid ends where the weight falls below this share of the largest."""
TABULATED = logit(np.linspace(CLIP, 1 - CLIP, round(1 / CLIP) - 1))
"""The log odds at which the mean is tabulated."""


def log_odds(score: Any) -> Vector:
    """logit of a score in [0, 1], kept finite."""
    return np.asarray(logit(np.clip(np.asarray(score, np.float64), CLIP, 1 - CLIP)))


@dataclass(frozen=True)
class Calibration:
    """p(x) = σ(slope·logit(score) + intercept), and a reveal rate."""

    slope: float
    intercept: float
    rate: float

    def __call__(self, score: Any) -> Vector:
        """P(y = 1 | x) for scores of any shape."""
        return np.asarray(expit(self.slope * log_odds(score) + self.intercept))


@dataclass(frozen=True)
class Calibrations:
    """All calibrations of a grid, with the weight of each.

    `points` are (ln a, b, logit ω), `step` the distance between them, 0 for an ω that is known. `rate` is the likeliest
    ω. `evidence` is ln ∫ f; the larger it is, the better the answers are explained.
    """

    points: NDArray[np.float64]
    weights: Vector
    step: Vector
    rate: float
    evidence: float

    @cached_property
    def _table(self) -> Vector:
        slopes, intercepts = np.exp(self.points[:, :1]), self.points[:, 1:2]
        return np.asarray(self.weights @ expit(slopes * TABULATED + intercepts))

    def __call__(self, score: Any) -> Vector:
        """P(y = 1 | x) for scores of any shape: the mean of all calibrations."""
        return np.asarray(np.interp(log_odds(score), TABULATED, self._table))

    def draws(self, n: int, seed: int) -> list[Calibration]:
        """Calibrations drawn by their weight, each uniformly in its cell of the grid."""
        rng = np.random.default_rng(seed)
        chosen = self.points[rng.choice(len(self.weights), n, p=self.weights)]
        chosen = chosen + rng.uniform(-0.5, 0.5, chosen.shape) * self.step
        rates = expit(chosen[:, 2]) if self.step[2] else np.full(n, self.rate)
        return [Calibration(float(np.exp(a)), float(b), float(w)) for (a, b, _), w in zip(chosen, rates, strict=True)]


def calibrate(
    score: Any, revealed: Any, rate: float | None = None, given: Any = None, separable: bool = True
) -> Calibrations:
    """Calibrations of out-of-bag scores, weighted by how well they explain which of the asked items were revealed.

    Items that are `given` were not asked: they are positives, and say nothing about ω. Without `separable` nothing is
    assumed about the classes, and `rate` is only the height at which ω·σ(a·z + b) levels off.
    """
    s = np.asarray(revealed, bool)
    told = np.zeros(len(s), bool) if given is None else np.asarray(given, bool)
    z, place = np.unique(np.round(log_odds(np.round(np.asarray(score, np.float64), 2)), 9), return_inverse=True)
    stars, positive, items = (np.bincount(place, which, len(z)) for which in (~s, s, np.ones(len(s))))
    asked_positive = int((s & ~told).sum())
    assumed = SEPARABLE if separable and rate is None else 0.0
    identifying = assumed * min(1.0, MANY / len(s)) * min(1.0, s.sum() / SOME)

    def density(axes: list[Vector]) -> NDArray[np.float64]:
        """ln f on the grid, up to a constant."""
        p = expit(np.exp(axes[0])[:, None, None] * z + axes[1][:, None])
        w = (expit(axes[2]) if rate is None else np.array([rate]))[:, None]
        share = p @ items / len(s)
        mixed = (entr(p) + entr(1 - p)) @ items - len(s) * BALANCE * (entr(share) + entr(1 - share))
        alone = np.log(np.maximum(p, 1e-12)) @ positive - identifying * mixed
        alone -= 0.5 * ((axes[0][:, None] / PRIOR_SPREAD[0]) ** 2 + (axes[1] / PRIOR_SPREAD[1]) ** 2)
        silent = np.log1p(-np.minimum(w * p[:, :, None], 1 - 1e-12)) @ stars
        by_rate = asked_positive * np.log(w[:, 0])
        if rate is None:
            by_rate += BETA * (np.log(w[:, 0]) + np.log1p(-w[:, 0]))  # of logit ω, hence not BETA − 1
        return np.asarray(alone[:, :, None] + silent + by_rate)

    axes = [np.linspace(-far, far, many) for far, many in zip(LIMITS, POINTS, strict=True)]
    if rate is not None:
        axes[2] = np.zeros(1)
    for _ in range(ROUNDS - 1):
        axes = _narrowed(axes, density(axes))
    found = density(axes)
    peak = found.max()
    weights = np.exp(found - peak).ravel()
    step = np.array([axis[1] - axis[0] if len(axis) > 1 else 0.0 for axis in axes])
    evidence = float(peak + np.log(weights.sum()) + np.log(step[step > 0]).sum())
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    omega = _likeliest(axes[2], np.exp(found - peak).sum(axis=(0, 1))) if rate is None else rate
    kept = weights > NEGLIGIBLE / 10
    return Calibrations(points[kept], weights[kept] / weights[kept].sum(), step, omega, evidence)


def _narrowed(axes: list[Vector], found: NDArray[np.float64]) -> list[Vector]:
    """A grid of as many points over where the weight is."""
    weights, finer = np.exp(found - found.max()), []
    for k, axis in enumerate(axes):
        along = weights.max(axis=tuple(other for other in range(3) if other != k))
        kept = np.flatnonzero(along > NEGLIGIBLE)
        finer.append(np.linspace(axis[max(kept[0] - 1, 0)], axis[min(kept[-1] + 1, len(axis) - 1)], len(axis)))
    return finer


def _likeliest(axis: Vector, weights: Vector) -> float:
    """ω at the peak of the parabola through the largest log weight and its two neighbours."""
    k = int(np.clip(np.argmax(weights), 1, len(axis) - 2))
    left, top, right = np.log(np.maximum(weights[k - 1 : k + 2], 1e-300))
    bend = 2 * top - left - right
    aside = 0.5 * (right - left) / bend if bend > 1e-9 else 0.0
    return float(expit(axis[k] + np.clip(aside, -1, 1) * (axis[1] - axis[0])))
