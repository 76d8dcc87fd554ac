"""What the answers identify, and what they do not: estimates of ω, of the positives, and of how good a ranking is.

A reveal at x has probability r(x) = ω·p(x), whichever rows were asked before and why. So the answers depend on ω and
p = P(y = 1 | ·) through r alone, and what they identify is r, where questions went. Of ω they say one thing,

    sup r ≤ ω ≤ 1:    half as many positives, revealed twice as often, give the same answers.

Positives that were known beforehand do not change that. If they were picked like the others, their rows have the
density p·D/π: they show where p is large, up to a factor, as the reveals do. Only an expert who is *asked* about them
tells ω (gold), or who says it. So with K positives in hand, U the rows that were not asked and S the silent ones,

    positives(ω) = K + Σ_U r/ω + Σ_S (1 − ω)·(r/ω)/(1 − r),

which falls in ω, and an interval for it goes from ω = 1 to the least ω. The same sums over the rows that a rule calls
positive, or over the first k of a ranking, give precision; as a share of all of them they give recall, which hardly
depends on ω. Between the ends the best guess takes the likeliest ω of `models.calibration`: there the classes are
assumed to be mostly told apart.

What is uncertain is drawn DRAWS times:
- r as a function of a score that has not seen the item's own answer (out of bag, or cross-fitted): c·σ(a·z + b), z the
  score's log odds, drawn by the likelihood of the answers (`models.calibration`, without its assumption);
- r of rows that nobody asked about. They were left out because they look less likely, so that answers tell less about
  them, and in trials too many positives were expected there: below the mean z of the revealed the slope is
  a·exp(N(STEEPER, SPREAD²)) in place of a;
- which of the rows are positive, given p.
The least ω is the largest Clopper–Pearson lower bound at LEVEL among the 8, 16, 32, … rows of the highest scores: in
each of these groups the mean of r is at most ω.

STEEPER, SPREAD, LEVEL and the quantiles WITHIN were chosen on simulated tables so that intervals hold in at least 70%
of the runs of every cell, and checked on others (`benchmarks/calibration.py`). Nothing is proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import beta

from activepu.estimates import Guess
from activepu.models.calibration import TABULATED, calibrate, log_odds

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

DRAWS = 200
STEEPER, SPREAD = 0.5, 0.8
"""Mean and standard deviation of the logarithm by which the slope is larger where nobody asked."""
LEVEL = 0.05
"""One minus the confidence of each bound that the least ω is the largest of."""
SMALLEST = 8
"""Rows in the smallest group of highest scores."""
WITHIN = (0.05, 0.95)
"""The quantiles that bound an estimate."""
DEPTHS = 100
"""At how many depths of a ranking the positives are counted."""
LEAST_RATE = 1e-3
"""No reveal rate is taken to be lower, so that all numbers stay finite."""


class Rows(NamedTuple):
    """Rows of the pool in the order of a ranking, the best first.

    `score` has not seen their answers, `probability` is what the model says; `answer` is 1 for a known positive, 0
    for a silent row, −1 where nobody asked; `weight` is how many rows of the pool each stands for.
    """

    score: Vector
    probability: Vector
    answer: NDArray[np.int8]
    weight: Vector

    def ranked(self, ranking: Vector) -> Rows:
        """The same rows by another ranking."""
        order = np.argsort(-ranking, kind="stable")
        return Rows(self.score[order], self.probability[order], self.answer[order], self.weight[order])


class Positives(NamedTuple):
    """How many positives are among the first `depths` rows, in every draw; one row per draw."""

    depths: Vector
    among: Matrix

    @property
    def precision(self) -> Matrix:
        """Their share of the first rows."""
        return self.among / self.depths

    @property
    def recall(self) -> Matrix:
        """Their share of all positives."""
        return self.among / np.maximum(self.among[:, -1:], 1e-12)

    @property
    def average_precision(self) -> Vector:
        """Precision averaged over the positives, from the best to the last."""
        precision, recall = self.precision, self.recall
        before = np.concatenate([precision[:, :1], precision[:, :-1]], axis=1)
        found = np.diff(recall, axis=1, prepend=0.0)
        return np.asarray((found * (before + precision) / 2).sum(axis=1))


@dataclass(frozen=True)
class Identified:
    """Draws of r as a function of the score, and the rates that fit.

    `seen` and `unseen` are r at the tabulated scores, one row per draw, for rows that were asked and that were not;
    `least` and `most` bound ω, and `likely` is its best guess.
    """

    seen: Matrix
    unseen: Matrix
    least: float
    likely: float
    most: float
    seed: int

    @property
    def rates(self) -> tuple[float, float, float]:
        """Both ends of ω and the best guess."""
        return self.least, self.likely, self.most

    @staticmethod
    def _chance(r: NDArray[np.float64], rate: float, answer: int) -> NDArray[np.float64]:
        """P(y = 1) of rows that are revealed with probability r, and were silent if they were asked."""
        p = np.minimum(r / rate, 1.0)
        return p if answer < 0 else (1 - rate) * p / np.maximum(1 - rate * p, 1e-9)

    def positives(self, rows: Rows, rate: float, at: float = 0.0, own: bool = False) -> Positives:
        """Positives among the first rows if ω is `rate`, by r or by the model's own probabilities.

        `at` is one more depth to count at.
        """
        depth = np.cumsum(rows.weight)
        ends = np.unique(np.geomspace(1, len(depth), DEPTHS).astype(int)) - 1
        if at > 0:
            ends = np.union1d(ends, np.searchsorted(depth, at - 1e-9))
        part = np.searchsorted(ends, np.arange(len(depth)))
        z = np.clip(np.searchsorted(TABULATED, log_odds(np.round(rows.score, 2)) - 1e-6), 0, len(TABULATED) - 1)
        mean, most = np.zeros((DRAWS, len(ends))), np.zeros(len(ends))
        for answer, r in ((-1, self.unseen), (0, self.seen)):
            of = rows.answer == answer
            most += np.bincount(part[of], rows.weight[of], len(ends))
            if own:
                p = self._chance(self.likely * rows.probability[of], rate, answer)
                mean += np.bincount(part[of], rows.weight[of] * p, len(ends))
            else:
                count = np.zeros((len(ends), len(TABULATED)))
                np.add.at(count, (part[of], z[of]), rows.weight[of])
                mean += self._chance(r, rate, answer) @ count.T
        tries = np.maximum(np.round(most), 1)
        drawn = np.random.default_rng(self.seed).binomial(
            tries.astype(int), np.clip(mean / np.maximum(most, 1e-9), 0, 1)
        )
        found = drawn * (most / tries) + np.bincount(part, rows.weight * (rows.answer == 1), len(ends))
        return Positives(depth[ends], np.cumsum(found, axis=1))


def identified(score: Vector, revealed: NDArray[np.bool_], rate: float | None, likely: float, seed: int) -> Identified:
    """What answers identify: `score` has not seen them, `rate` is ω if it is known, `likely` a guess of it."""
    found = calibrate(score, revealed, rate, separable=False)
    draws = found.draws(DRAWS, seed)
    slope, shift, top = (np.array([[getattr(one, name)] for one in draws]) for name in ("slope", "intercept", "rate"))
    from_revealed = np.minimum(TABULATED - (log_odds(score[revealed]).mean() if revealed.any() else 0.0), 0.0)
    steeper = np.exp(np.random.default_rng(seed).normal(STEEPER, SPREAD, (DRAWS, 1)))
    logit = slope * TABULATED + shift
    seen, unseen = top * expit(logit), top * expit(logit + slope * (steeper - 1) * from_revealed)
    if rate is not None:
        return Identified(seen, unseen, rate, rate, rate, seed)
    least = max(least_rate(score, revealed), LEAST_RATE)
    return Identified(seen, unseen, least, min(max(likely, least), 1.0), 1.0, seed)


def least_rate(score: Vector, revealed: NDArray[np.bool_]) -> float:
    """A lower bound of ω: that of the reveal rate among the rows of the highest scores."""
    n, order = len(revealed), np.argsort(-score, kind="stable")
    among = np.cumsum(revealed[order])
    sizes = [min(SMALLEST, n)]
    while 2 * sizes[-1] <= n:
        sizes.append(2 * sizes[-1])
    return max(float(beta.ppf(LEVEL, among[k - 1], k - among[k - 1] + 1)) if among[k - 1] else 0.0 for k in sizes)


def guess(values: dict[float, Vector], likely: float) -> Guess:
    """A best guess and its ends, from the draws of a quantity at several rates."""
    low = min(float(np.quantile(draws, WITHIN[0])) for draws in values.values())
    high = max(float(np.quantile(draws, WITHIN[1])) for draws in values.values())
    return Guess(low, float(np.clip(np.median(values[likely]), low, high)), high)
