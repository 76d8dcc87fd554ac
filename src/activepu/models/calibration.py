"""From a score to P(y = 1 | x): Platt scaling through the Z-channel.

A reveal is seen with probability ω·P(y = 1 | x). With z = logit of a score that was made without looking at the item's
own answer (out of bag), the model is

    P(reveal | x) = ω·σ(a·z + b),      a > 0,

and (a, b, ω) maximise the likelihood of all answers times a weak prior: ω ~ Beta(2, 2), ln a ~ N(0, ½²), b ~ N(0, 1).

Where ω is not known, the scale of P(y = 1 | x) is not identified from reveals alone: half as many positives, revealed
twice as often, explain the answers as well. An assumption must decide; here it is one more factor,

    exp(−SEPARABLE · min(n, MANY) · min(1, r / SOME) · (mean H(p) − BALANCE · H(mean p))),

means over the n items, of which r were revealed: the classes can mostly be told apart, so that items of one kind are
all positives, seldom revealed, rather than each a positive by the toss of a coin (after the minimum entropy of
Grandvalet and Bengio 2005), and not everything is of one kind (Krause, Perona and Gomes 2010). Answers overrule it only
where they tell. If the classes truly overlap, ω comes out too low and p too high.

At ω = 1 this is Platt's method (Platt 1999). Nothing is proved: what comes out are estimates, and the spread is the
Gaussian one around the maximum (Laplace), which takes the assumption for granted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import entr, expit, logit

Vector = NDArray[np.float64]

CLIP = 0.01
"""Scores are kept this far from 0 and 1: a committee has a few dozen members, not more digits."""
BETA = 2.0
SPREAD = np.array([0.5, 1.0])
"""Prior standard deviations of ln a and b."""
SEPARABLE, MANY, SOME = 0.1, 300, 20
"""What a nat of H(p), of every item, costs in nats of likelihood; so many items at most; less before some reveals."""
BALANCE = 0.5
"""What a nat of H(mean p) is worth beside it."""
LIMITS = [(-3.0, 3.0), (-20.0, 20.0), (-7.0, 7.0)]
STARTS = (0.3, 0.8)


def log_odds(score: Any) -> Vector:
    """logit of a score in [0, 1], kept finite."""
    return np.asarray(logit(np.clip(np.asarray(score, np.float64), CLIP, 1 - CLIP)))


@dataclass(frozen=True)
class Calibration:
    """p(x) = σ(slope·logit(score) + intercept) and the reveal rate; `covariance` is of (ln a, b, logit ω).

    `loss` is minus the logarithm of likelihood and weak prior: less explains the answers better.
    """

    slope: float
    intercept: float
    rate: float
    covariance: NDArray[np.float64]
    loss: float

    def __call__(self, score: Any) -> Vector:
        """P(y = 1 | x) for scores of any shape."""
        return np.asarray(expit(self.slope * log_odds(score) + self.intercept))

    def draws(self, n: int, seed: int) -> list[Calibration]:
        """Other calibrations that fit about as well: a Gaussian around this one."""
        at = np.array([np.log(self.slope), self.intercept, logit(self.rate) if self.rate < 1 else LIMITS[2][1]])
        around = np.random.default_rng(seed).multivariate_normal(at, self.covariance, n, check_valid="ignore")
        around = np.clip(around, *np.transpose(LIMITS))
        rates = np.where(self.covariance[2, 2] > 0, expit(around[:, 2]), self.rate)
        return [
            Calibration(float(np.exp(a)), float(b), float(w), self.covariance, self.loss)
            for (a, b, _), w in zip(around, rates, strict=True)
        ]


def calibrate(score: Any, revealed: Any, rate: float | None = None, given: Any = None) -> Calibration:
    """The most likely calibration of out-of-bag scores, given which of the asked items were revealed.

    Items that are `given` were not asked: they are positives, and say nothing about ω.
    """
    z, s = log_odds(score), np.asarray(revealed, bool)
    told = np.zeros(len(s), bool) if given is None else np.asarray(given, bool)
    identifying = SEPARABLE * min(1.0, MANY / len(s)) * min(1.0, s.sum() / SOME) if rate is None else 0.0

    def objective(t: Vector, dear: float = 0.0) -> tuple[float, Vector]:
        a, w = np.exp(t[0]), expit(t[2]) if rate is None else rate
        odds = a * z + t[1]
        p = expit(odds)
        q = np.clip(np.where(told, p, w * p), 1e-12, 1 - 1e-12)
        loss = -np.log(np.where(s, q, 1 - q)).sum() + 0.5 * ((t[:2] / SPREAD) ** 2).sum()
        share = np.clip(p.mean(), 1e-12, 1 - 1e-12)
        loss += dear * (entr(p) + entr(1 - p) - BALANCE * (entr(share) + entr(1 - share))).sum()
        by_logit = np.where(s, -1.0, q / (1 - q)) * (1 - p)  # the loss by the logit of p
        by_logit -= dear * (odds - BALANCE * logit(share)) * p * (1 - p)
        slope = np.array([(by_logit * a * z).sum(), by_logit.sum(), 0.0])
        slope[:2] += t[:2] / SPREAD**2
        if rate is None:
            loss -= (BETA - 1) * (np.log(w) + np.log1p(-w))
            slope[2] = (np.where(s, -1.0, q / (1 - q)) * (1 - w))[~told].sum() - (BETA - 1) * (1 - 2 * w)
        return float(loss), slope

    starts = STARTS if rate is None else (0.5,)
    found = [
        minimize(objective, [0.0, 0.0, logit(w)], (identifying,), jac=True, method="L-BFGS-B", bounds=LIMITS)
        for w in starts
    ]
    best = min(found, key=lambda result: result.fun).x
    free = 3 if rate is None else 2
    covariance = np.zeros((3, 3))
    curvature = _curvature(lambda t: objective(t, identifying), best)
    covariance[:free, :free] = np.linalg.pinv(curvature[:free, :free], hermitian=True)
    omega = float(expit(best[2])) if rate is None else rate
    return Calibration(float(np.exp(best[0])), float(best[1]), omega, covariance, objective(best)[0])


def _curvature(objective: Any, at: Vector, step: float = 1e-4) -> NDArray[np.float64]:
    """The second derivatives, from differences of the gradient; no direction counts as flatter than the prior's."""
    rows = [(objective(at + step * e)[1] - objective(at - step * e)[1]) / (2 * step) for e in np.eye(3)]
    matrix = np.array(rows)
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((vectors * np.maximum(values, 0.04)) @ vectors.T)
