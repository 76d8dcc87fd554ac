"""Learning any classifier from reveals and stars, through the channel.

A star is not a negative: given x it hides a positive with probability

    w(x) = P(y = 1 | ★, x) = (1 − ω)·p(x) / (1 − ω·p(x)).

    1. fit a committee to the answers themselves; g(x) = P(reveal | x), out of bag
    2. ω ≈ the mean of g over the revealed (Elkan and Noto 2008, their e1), p ≈ min(1, g/ω)
    3. fit another: every reveal a positive; every star twice, a positive with weight w, a negative with weight 1 − w
    4. calibrate the out-of-bag scores of both through the channel (`models.calibration`): p(x) = P(y = 1 | x), and ω
    5. average both by how well they explain the answers: by their evidence (Hoeting et al. 1999)

The weights w come from g, which depends on every answer: the second committee's out-of-bag scores are not quite unseen,
and its evidence is too large. This is left so. In trials the average did a little better than the likelier one alone,
and committees that were both fitted without the item's fold cost three times as much and did no better.

A committee with hardly any weight is left out. Which ones to keep is decided only now and then; in between only one
committee is fitted again, the second where it is kept (`earlier`).

Steps 2 and 3 are one step of EM, as in Elkan and Noto's second method, but with the stars in place of everything that
is unlabeled: rows that were never asked do not count. The second committee does better where many positives are silent;
the first ranks better from few reveals, and where silence nearly always means "negative". A `ChannelLogistic` has the
channel in its own likelihood and needs none of this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from activepu.features.trial import seeded
from activepu.hypotheses.base import nameless_features
from activepu.models.base import ChannelModel, FirstCommittee, Opinions, Vector
from activepu.models.blend import Blend
from activepu.models.calibration import Calibrations, calibrate
from activepu.models.committees import Committee, committee
from activepu.models.estimators import for_last_step, last_step, names_seen, seen_by_last_step
from activepu.models.logistic import ChannelLogistic
from activepu.pools.frames import taken

LEAST_WEIGHT = 0.02
"""A star that hides a positive with less probability than this counts as a negative only."""
LEAST_SHARE = 0.02
"""A committee with less weight than this is left out."""
LEAST_RATE = 0.02
"""The first guess of ω is not lower than this."""


class Calibrated(ChannelModel):
    """A committee, and the calibration that turns its scores into probabilities."""

    def __init__(self, committee: Committee, calibration: Calibrations, first: FirstCommittee | None = None) -> None:
        self.committee = committee
        self.calibration = calibration
        self.rate = calibration.rate
        self.first = first

    @property
    def importances(self) -> Vector | None:
        """The committee's."""
        return self.committee.importances

    def names(self, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """As its pipeline gives them."""
        return names_seen(self.committee.fitted, columns)

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


class Bayesian(ChannelModel):
    """A fitted `ChannelLogistic`, alone or at the end of a pipeline."""

    def __init__(self, estimator: Any) -> None:
        self._whole = estimator
        self._last = last_step(estimator)
        self.rate = self._last.rate_

    @property
    def importances(self) -> Vector | None:
        """How large the coefficients are."""
        return np.asarray(abs(self._last.coef_[0]))

    def names(self, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """As its pipeline gives them."""
        return names_seen(self._whole, columns)

    def members(self, X: Any) -> NDArray[np.float64]:
        """Draws of the posterior."""
        with nameless_features():
            return np.asarray(self._last.members(seen_by_last_step(self._whole, X)))

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


def fit(
    estimator: Any,
    X: Any,
    revealed: NDArray[np.bool_],
    given: NDArray[np.bool_] | None = None,
    rate: float | None = None,
    seed: int = 0,
    earlier: ChannelModel | None = None,
) -> ChannelModel:
    """Fit a classifier to reveals and stars, so that it estimates P(y = 1 | x) and not P(reveal | x).

    Assumes that every positive is revealed with the same probability ω, whatever it is. Without `rate`, the answers
    alone do not fix the scale of P(y = 1 | x); the calibration then assumes that the classes can mostly be told apart.
    What comes out are estimates, and nothing about them is proved. The steps are at the head of the module.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `predict_proba` or `decision_function`; alone or at the end of a pipeline. It is cloned.
    X : table
        The rows that were asked, and those given as positive; an array or a DataFrame.
    revealed : array of bool
        Per row, True for a reveal and False for ★. Both must occur.
    given : array of bool, optional
        Marks positives that were known beforehand. They count as revealed, but say nothing about ω.
    rate : float, optional
        ω where it is known.
    seed : int
        Fixes every `random_state` that `estimator` leaves open.
    earlier : ChannelModel, optional
        The model after the first of these answers. Only one of the committees that it kept is then fitted again.

    Returns
    -------
    ChannelModel

    Examples
    --------
    Half of the positives are silent. A plain fit takes them for negatives:

    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import activepu as apu
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> positive = X[:, 0] > 0
    >>> revealed = positive & (rng.random(300) < 0.4)
    >>> plain = GaussianNB().fit(X, revealed).predict(X)
    >>> model = apu.models.fit(GaussianNB(), X, revealed)
    >>> float((plain != positive).mean()) > 0.2, float(((model.probability(X) > 0.5) != positive).mean()) < 0.1
    (True, True)

    References
    ----------
    C. Elkan and K. Noto (2008), Learning classifiers from only positive and unlabeled data, KDD.

    See Also
    --------
    activepu.ModelLearner : Chooses the rows to ask, and fits after every batch of answers.
    """
    given = np.zeros(len(revealed), bool) if given is None else given
    if isinstance(last_step(estimator), ChannelLogistic):
        return Bayesian(_fit_logistic(seeded(estimator, seed), X, revealed, given, rate))
    counted = ~given if revealed[~given].any() else np.ones(len(revealed), bool)  # else no positive would count

    def calibrated(fitted: Committee, scores: Vector, first: FirstCommittee | None = None) -> Calibrated:
        return Calibrated(fitted, calibrate(scores[counted], revealed[counted], rate, given[counted]), first)

    before = None if earlier is None else earlier.first
    if before is None or before.kept == "first":
        first = committee(estimator, X, revealed.astype(np.int64), np.ones(len(revealed)), seed)
        scores = first.out_of_bag(X, np.arange(len(revealed)))
    else:
        first = before.committee
        scores = np.append(before.scores, first.score(taken(X, slice(len(before.scores), None))))
    alone = FirstCommittee(first, scores, "first")
    if rate == 1.0 or (before is not None and before.kept == "first"):  # silence is "negative", or no second has weight
        return calibrated(first, scores, alone)
    guess = float(np.clip(scores[revealed & counted].mean(), LEAST_RATE, 1.0)) if rate is None else rate
    second, source = _second_committee(estimator, X, revealed, _hidden(scores, revealed, guess), seed + 1)
    softened = calibrated(second, second.out_of_bag(X, source), FirstCommittee(first, scores, "second"))
    if before is not None and before.kept == "second":
        return softened
    direct = calibrated(first, scores, alone)
    share = float(expit(softened.calibration.evidence - direct.calibration.evidence))
    if share > 1 - LEAST_SHARE:
        return softened
    if share < LEAST_SHARE:
        return direct
    return Blend(direct, softened, share, FirstCommittee(first, scores, "both"))


def _hidden(scores: Vector, revealed: NDArray[np.bool_], rate: float) -> Vector:
    """w(x), the probability that a star hides a positive; 0 for reveals."""
    p = np.minimum(1.0, scores / rate)
    hidden = np.where(revealed, 0.0, (1 - rate) * p / np.maximum(1 - rate * p, 1e-9))
    hidden[hidden < LEAST_WEIGHT] = 0.0
    return hidden


def _second_committee(
    estimator: Any, X: Any, revealed: NDArray[np.bool_], hidden: Vector, seed: int
) -> tuple[Committee, NDArray[np.int64]]:
    """The committee in which a star counts as both, by its weight; and which item each of its rows belongs to."""
    twice = np.flatnonzero(hidden)
    source = np.concatenate([np.arange(len(revealed)), twice])
    weight = np.concatenate([np.maximum(1 - hidden, 1e-6), hidden[twice]])
    labels = np.concatenate([revealed.astype(np.int64), np.ones(len(twice), np.int64)])
    return committee(estimator, taken(X, source), labels, weight, seed), source


def _fit_logistic(
    estimator: Any, X: Any, revealed: NDArray[np.bool_], given: NDArray[np.bool_], rate: float | None
) -> Any:
    """A `ChannelLogistic`, alone or at the end of a pipeline, fitted."""
    if rate is not None:
        estimator.set_params(**for_last_step(estimator, {"rate": rate}))
    return estimator.fit(X, revealed.astype(np.int64), **for_last_step(estimator, {"given": given}))
