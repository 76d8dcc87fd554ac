"""Learning any classifier from reveals and stars, through the channel.

A star is not a negative: given x it hides a positive with probability

    w(x) = P(y = 1 | ★, x) = (1 − ω)·p(x) / (1 − ω·p(x)).

    1. fit a committee to the answers themselves; g(x) = P(reveal | x), out of bag
    2. ω ≈ the mean of g over the revealed (Elkan and Noto 2008, their e1), p ≈ min(1, g/ω)
    3. fit another: every reveal a positive; every star twice, a positive with weight w, a negative with weight 1 − w
    4. calibrate the out-of-bag scores of both through the channel (`models.calibration`): p(x) = P(y = 1 | x), and ω
    5. keep the one that explains the answers better

Which one to keep is thought over now and then; in between only that one is fitted again (`before`).

Steps 2 and 3 are one step of EM, as in Elkan and Noto's second method, but with the stars in place of everything that
is unlabeled: rows that were never asked are not counted as anything. The second committee sees through silence where
many positives are silent; the first ranks better from few reveals, and where silence nearly always means "negative". A
`ChannelLogistic` has the channel in its own likelihood and needs none of this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from activepu.hypotheses.base import nameless_features
from activepu.models.calibration import Calibration, calibrate
from activepu.models.committees import Committee, committee, last_step, seeded, take
from activepu.models.logistic import ChannelLogistic

Vector = NDArray[np.float64]

LEAST_WEIGHT = 0.02
"""A star that hides a positive with less probability than this is a negative and nothing else."""
PLAUSIBLE = 200
"""Draws of what else fits about as well."""


class Opinions(NamedTuple):
    """P(y = 1 | x) of some rows; the same by member; and by member P(reveal | x), each at a rate that is plausible."""

    probability: Vector
    members: NDArray[np.float64]
    reveals: NDArray[np.float64]


class ChannelModel(ABC):
    """P(y = 1 | x) and ω, both estimates."""

    rate: float

    @property
    @abstractmethod
    def importances(self) -> Vector | None:
        """One number per column that the classifier saw last, where it has them."""

    @abstractmethod
    def members(self, X: Any) -> NDArray[np.float64]:
        """P(y = 1 | x) as each member has it, one row per member."""

    @abstractmethod
    def probability(self, X: Any) -> Vector:
        """P(y = 1 | x)."""

    @abstractmethod
    def plausible(self, X: Any, seed: int) -> tuple[Vector, Vector]:
        """Rates ω, and with each a share of positives among these rows, that fit the answers about as well."""

    def ranking(self, X: Any) -> Vector:
        """A score in the order of the probability, with as few ties as there can be."""
        return self.probability(X)

    @abstractmethod
    def opinions(self, X: Any) -> Opinions:
        """All that is thought of these rows, at the price of one look at them."""


class Calibrated(ChannelModel):
    """A committee and what makes probabilities of its scores."""

    def __init__(
        self, committee: Committee, calibration: Calibration, g: Vector, first: Committee | None = None
    ) -> None:
        """Where this is the second committee, w was read off the `first` one, which said g of the rows."""
        self.committee = committee
        self.calibration = calibration
        self.g, self.first = g, first
        self.rate = calibration.rate

    @property
    def importances(self) -> Vector | None:
        """The committee's."""
        return self.committee.importances

    def members(self, X: Any) -> NDArray[np.float64]:
        """The calibrated scores of the members."""
        return self.calibration(self.committee.members(X))

    def probability(self, X: Any) -> Vector:
        """The calibrated mean score: not the mean of calibrated scores, which would be pulled to the middle."""
        return self.calibration(self.committee.score(X))

    def ranking(self, X: Any) -> Vector:
        """The mean score as it is."""
        return self.committee.score(X)

    def opinions(self, X: Any) -> Opinions:
        """Each member is calibrated, and has a rate, in a way of its own that fits about as well."""
        scores = self.committee.members(X)
        others = self.calibration.draws(len(scores), seed=0)
        reveals = np.stack([one.rate * one(score) for one, score in zip(others, scores, strict=True)])
        return Opinions(self.calibration(scores.mean(axis=0)), self.calibration(scores), reveals)

    def plausible(self, X: Any, seed: int) -> tuple[Vector, Vector]:
        """Other calibrations of the same scores."""
        scores, others = self.committee.score(X), self.calibration.draws(PLAUSIBLE, seed)
        return np.array([one.rate for one in others]), np.array([one(scores).mean() for one in others])


class Bayesian(ChannelModel):
    """A `ChannelLogistic`, alone or at the end of a pipeline."""

    def __init__(self, estimator: Any) -> None:
        self._whole = estimator
        self._last = last_step(estimator)
        self.rate = self._last.rate_

    @property
    def importances(self) -> Vector | None:
        """How large the coefficients are."""
        return np.asarray(abs(self._last.coef_[0]))

    def members(self, X: Any) -> NDArray[np.float64]:
        """Draws of the posterior."""
        with nameless_features():
            seen = self._whole[:-1].transform(X) if isinstance(self._whole, Pipeline) else X
            return np.asarray(self._last.members(seen))

    def opinions(self, X: Any) -> Opinions:
        """Every draw has a rate of its own."""
        members = self.members(X)
        return Opinions(np.asarray(members.mean(axis=0)), members, self._last.rates_[:, None] * members)

    def probability(self, X: Any) -> Vector:
        """Their mean."""
        return np.asarray(self.members(X).mean(axis=0))

    def plausible(self, X: Any, seed: int) -> tuple[Vector, Vector]:
        """The draws themselves."""
        return self._last.rates_, np.asarray(self.members(X).mean(axis=1))


def fit(
    estimator: Any,
    X: Any,
    revealed: NDArray[np.bool_],
    given: NDArray[np.bool_],
    rate: float | None,
    seed: int,
    before: ChannelModel | None = None,
) -> ChannelModel:
    """The model after these answers, of which at least one is a reveal and one a star.

    `given` marks positives that were known beforehand: they count as revealed rows, but say nothing about ω, which is
    given by `rate` where it is known. `before` is the model after the first of these answers, if it may be leant on:
    then only the committee that was kept there is fitted again, and ω and w are read off as they were.
    """
    if isinstance(last_step(estimator), ChannelLogistic):
        return Bayesian(_bayesian(seeded(estimator, seed), X, revealed, given, rate))
    n, answers, rows = len(revealed), revealed.astype(np.int64), np.arange(len(revealed))
    counted = ~given if revealed[~given].any() else np.ones(n, bool)  # where nothing else is known to be positive

    def calibrated(fitted: Committee, scores: Vector, first: Committee | None = None) -> Calibrated:
        return Calibrated(fitted, calibrate(scores[counted], revealed[counted], rate, given[counted]), g, first)

    leant = before.first if isinstance(before, Calibrated) else None
    if isinstance(before, Calibrated) and leant is not None:
        first = leant
        g = np.append(before.g, first.score(take(X, slice(len(before.g), None))))
    else:
        first = committee(estimator, X, answers, np.ones(n), seed)
        g = first.out_of_bag(X, rows)
    if rate == 1.0 or (before is not None and leant is None):
        return calibrated(first, g)
    guess = float(np.clip(g[revealed & counted].mean(), 0.02, 1.0)) if rate is None else rate
    p = np.minimum(1.0, g / guess)
    hidden = np.where(revealed, 0.0, (1 - guess) * p / np.maximum(1 - guess * p, 1e-9))
    hidden[hidden < LEAST_WEIGHT] = 0.0
    twice = np.flatnonzero(hidden)
    source = np.concatenate([rows, twice])
    weight = np.concatenate([np.maximum(1 - hidden, 1e-6), hidden[twice]])
    labels = np.concatenate([answers, np.ones(len(twice), np.int64)])
    second = committee(estimator, take(X, source), labels, weight, seed + 1)
    softened = calibrated(second, second.out_of_bag(X, source), first)
    if leant is not None:
        return softened
    direct = calibrated(first, g)
    return min(softened, direct, key=lambda model: model.calibration.loss)


def _bayesian(estimator: Any, X: Any, revealed: NDArray[np.bool_], given: NDArray[np.bool_], rate: float | None) -> Any:
    """A `ChannelLogistic`, alone or at the end of a pipeline, fitted."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    if rate is not None:
        estimator.set_params(**{f"{prefix}rate": rate})
    return estimator.fit(X, revealed.astype(np.int64), **{f"{prefix}given": given})
