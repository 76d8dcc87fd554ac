"""The posterior of any class that lists or samples its members: weighted members.

Members are drawn from those that hold all positives, and weighted by the stars inside them, as in importance sampling.
When a reveal removes some, or few members of any weight are left, new ones are drawn, which hold all positives by
construction.

A sample may miss the truth. So predictions are a mixture: with probability `trust` the members are right, otherwise
every point is positive with probability ½. The trust is updated by Bayes' rule, and kept away from 0 and 1 (the fixed
share of Herbster and Warmuth 1998), so that it can recover.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from activepu import channel
from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.zcal.posteriors.base import (
    FLOOR,
    Counts,
    Posterior,
    Prediction,
    Tally,
    group_of,
    normalised,
)
from activepu.zcal.rates import Floats, Rates

MEMBERS = 256
"""The number of members of a class that is sampled."""
LISTED = 4096
"""The most members of a class that lists them; if it has more, a sample is drawn."""
FEW = 16.0
"""New members are drawn when the effective number of members falls below this."""
DOUBT = 0.01
"""The trust in the members stays at least this far from 0 and 1."""


class MemberPosterior(Posterior):
    """Members with their weights.

    Parameters
    ----------
    hypotheses : HypothesisClass
        A bound class that lists or samples its members.
    rates : Rates
        The reveal rates that are possible.
    sample : array
        Points of the pool, which tell `HypothesisClass.sample` where to draw.
    positives : array
        Points that are known to be positive.
    seed : int
        The randomness.
    false_reveal : float
        Not used: reveals are taken to be right.
    """

    def __init__(
        self,
        hypotheses: HypothesisClass,
        rates: Rates,
        sample: Points,
        positives: Points,
        seed: int,
        false_reveal: float = 0.0,
    ) -> None:
        self._hypotheses, self._sample, self._seed, self._draws = hypotheses, sample, seed, 0
        self._tally, self._positives = Tally(rates), positives
        self._stars, self._groups = positives[:0], np.empty(0, np.intp)
        self._members: list[Hypothesis] = []
        self._inside: NDArray[np.bool_] = np.empty((0, 0), bool)
        """(members, stars): which stars lie inside."""
        self._trust = 0.9
        self._draw()

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Count a star in the members that hold it; after a reveal that some lack, draw others."""
        self._learn_trust(x, revealed, expert)
        group = group_of(self._tally.rates, expert)
        if not revealed:
            self._silent(x, [expert])
        else:
            self._tally = self._tally.reveal(group)
            self._positives = np.concatenate([self._positives, x])
            if not self._holds(x).all():
                self._members = []
        if not self._members or self._effective < FEW:
            self._draw()

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Return means over the members, mixed with those of a point that is positive with probability ½."""
        members, doubt = self._means(points, expert)
        p, revealed, noise = self._trust * members + (1.0 - self._trust) * doubt
        return Prediction.of(p, revealed, noise)

    def _means(self, points: Points, expert: int) -> tuple[Floats, Floats]:
        """Return (3, points) and (3, 1): P(h ∋ x) and the means of ω_h and H(ω_h) inside h, by members and in doubt."""
        rate = self._tally.mean_rate(group_of(self._tally.rates, expert), self._counts)
        sums = np.stack([np.ones(len(rate)), rate, channel.entropy(rate, unit="nats")]) * self._weight
        return sums @ self._holds(points), 0.5 * sums.sum(axis=1, keepdims=True)

    def _learn_trust(self, x: Points, revealed: bool, expert: int) -> None:
        """Weigh the members' prediction of an answer against that of doubt."""
        q = np.clip([mean[1, 0] for mean in self._means(x, expert)], FLOOR, 1.0 - FLOOR)
        members, doubt = q if revealed else 1.0 - q
        trust = self._trust * members / (self._trust * members + (1.0 - self._trust) * doubt)
        self._trust = float(np.clip(trust, DOUBT, 1.0 - DOUBT))

    def typical(self, points: Points) -> Iterable[Hypothesis]:
        """Return the members; those that differ least from the majority on these points come first."""
        labels = self._holds(points)
        away = (labels != (self.predict(points).p >= 0.5)).sum(axis=1)
        return [self._members[k] for k in np.argsort(away, kind="stable")]

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """Return the same members, weighted with these stars too."""
        other = copy.copy(self)
        other._silent(points, experts)
        return other

    def _holds(self, points: Points) -> NDArray[np.bool_]:
        """Return (members, points): which points each member contains."""
        return np.array([h.contains(points) for h in self._members], bool).reshape(len(self._members), len(points))

    @property
    def _counts(self) -> Counts:
        """(groups, members): the number of stars inside each member."""
        groups = np.arange(self._groups.max(initial=0) + 1)[:, None]
        return np.asarray((self._groups == groups).astype(np.intp) @ self._inside.T.astype(np.intp))

    @property
    def _weight(self) -> Floats:
        """(members,): the weights, which add up to 1."""
        return normalised(self._tally.log_weight(self._counts))

    @property
    def _effective(self) -> float:
        """The effective number of members (Kish): that many equal weights would be as informative."""
        return float(1.0 / (self._weight**2).sum())

    def _silent(self, points: Points, experts: Sequence[int]) -> None:
        """Count stars; arrays are replaced, never changed."""
        groups = [group_of(self._tally.rates, expert) for expert in experts]
        self._stars, self._groups = np.concatenate([self._stars, points]), np.append(self._groups, groups)
        self._inside = np.hstack([self._inside, self._holds(points)])

    def _draw(self) -> None:
        """Add new members to the old ones; members that agree on the whole sample count once."""
        wanted = MEMBERS if self._hypotheses.members() is None else LISTED
        self._draws += 1
        rng = np.random.default_rng([self._seed, self._draws])
        drawn = self._hypotheses.sample(self._sample, self._positives, wanted, rng)
        self._members = [*self._members, *drawn] or [self._hypotheses.empty]
        _, first = np.unique(np.packbits(self._holds(self._sample), axis=1), axis=0, return_index=True)
        self._members = [self._members[k] for k in np.sort(first)[-wanted:]]
        self._inside = self._holds(self._stars)
