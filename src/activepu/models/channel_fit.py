"""Learning any classifier from reveals and stars, through the channel.

A star is not a negative: given x it hides a positive with probability

    w(x) = P(y = 1 | ★, x) = (1 − ω)·p(x) / (1 − ω·p(x)).

    1. fit a committee to the answers themselves; g(x) = P(reveal | x), out of bag
    2. ω ≈ the mean of g over the revealed (Elkan and Noto 2008, their e1), p ≈ min(1, g/ω)
    3. fit another: every reveal a positive; every star twice, a positive with weight w, a negative with weight 1 − w
    4. calibrate the out-of-bag scores of both through the channel (`models.calibration`): p(x) = P(y = 1 | x), and ω
    5. average both by how well they explain the answers: by their evidence (Hoeting et al. 1999)

The weights w come from g, which every answer had a part in: the second committee's out-of-bag scores are not quite
unseen, and its evidence is too large. It is left so: in trials the average did a little better than the likelier one,
and committees fitted without the item's fold, both of them, cost three times as much and did no better.

A committee of hardly any weight is left out. Which ones to keep is thought over now and then; in between only one is
fitted again, the second where it is kept (`before`).

Steps 2 and 3 are one step of EM, as in Elkan and Noto's second method, but with the stars in place of everything that
is unlabeled: rows that were never asked are not counted as anything. The second committee sees through silence where
many positives are silent; the first ranks better from few reveals, and where silence nearly always means "negative". A
`ChannelLogistic` has the channel in its own likelihood and needs none of this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.pipeline import Pipeline

from activepu.hypotheses.base import nameless_features
from activepu.models.base import PLAUSIBLE, ChannelModel, Opinions, Vector
from activepu.models.blend import Blend
from activepu.models.calibration import Calibrations, calibrate
from activepu.models.committees import Committee, committee, last_step, seeded, take
from activepu.models.logistic import ChannelLogistic

LEAST_WEIGHT = 0.02
"""A star that hides a positive with less probability than this is a negative and nothing else."""
LEAST_SHARE = 0.02
"""A committee of less weight than this is left out."""


class Calibrated(ChannelModel):
    """A committee and what makes probabilities of its scores."""

    def __init__(self, committee: Committee, calibration: Calibrations) -> None:
        self.committee = committee
        self.calibration = calibration
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
        """The calibrated mean score, and those of the members."""
        scores = self.committee.members(X)
        return Opinions(self.calibration(scores.mean(axis=0)), self.calibration(scores))

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
        """The draws, and their mean."""
        members = self.members(X)
        return Opinions(np.asarray(members.mean(axis=0)), members)

    def probability(self, X: Any) -> Vector:
        """Their mean."""
        return np.asarray(self.members(X).mean(axis=0))

    def ranking(self, X: Any) -> Vector:
        """The probability."""
        return self.probability(X)

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
    then only one of the committees that were kept there is fitted again, and ω and w are read off as they were.
    """
    if isinstance(last_step(estimator), ChannelLogistic):
        return Bayesian(_bayesian(seeded(estimator, seed), X, revealed, given, rate))
    n, answers, rows = len(revealed), revealed.astype(np.int64), np.arange(len(revealed))
    counted = ~given if revealed[~given].any() else np.ones(n, bool)  # where nothing else is known to be positive

    def calibrated(fitted: Committee, scores: Vector) -> Calibrated:
        return Calibrated(fitted, calibrate(scores[counted], revealed[counted], rate, given[counted]))

    leant = None if before is None else before.lean
    if leant is not None:
        first, g = leant
        g = np.append(g, first.score(take(X, slice(len(g), None))))
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
    softened = calibrated(second, second.out_of_bag(X, source))
    softened.lean = first, g
    if leant is not None and not isinstance(before, Blend):
        return softened
    direct = calibrated(first, g)
    share = float(expit(softened.calibration.evidence - direct.calibration.evidence))
    if share > 1 - LEAST_SHARE:
        return softened
    if share < LEAST_SHARE:
        return direct
    both = Blend(direct, softened, share)
    both.lean = first, g
    return both


def _bayesian(estimator: Any, X: Any, revealed: NDArray[np.bool_], given: NDArray[np.bool_], rate: float | None) -> Any:
    """A `ChannelLogistic`, alone or at the end of a pipeline, fitted."""
    prefix = f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
    if rate is not None:
        estimator.set_params(**{f"{prefix}rate": rate})
    return estimator.fit(X, revealed.astype(np.int64), **{f"{prefix}given": given})
