"""The posterior of any class that lists or samples its members: weighted members.

Members are drawn evenly from those that hold all positives, and weighed by the stars inside them, as in importance
sampling. A reveal removes the members that lack it. When few members of any weight are left, new ones are drawn, which
hold all positives by construction. Members that all hold a point, or none, prove nothing: predictions count one member
more, which holds it with probability ½ (the estimate of Krichevsky and Trofimov).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from activepu.hypotheses.base import Hypothesis, HypothesisClass, Points
from activepu.zcal.posteriors.base import Counts, Posterior, Prediction, Tally, entropy, group_of, normalised
from activepu.zcal.rates import Floats, Rates

MEMBERS = 256
"""Members of a class that is sampled."""
LISTED = 4096
"""Members of a class that lists them, at most; of more a sample is drawn."""
FEW = 16.0
"""New members are drawn when the weights are worth fewer than this many equal ones."""


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
        self._draw()

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Count a star in the members that hold it; remove those that lack a reveal."""
        group = group_of(self._tally.rates, expert)
        if not revealed:
            self._silent(x, [expert])
        else:
            self._tally = self._tally.reveal(group)
            self._positives = np.concatenate([self._positives, x])
            kept = self._holds(x)[:, 0]
            self._members = [h for h, keep in zip(self._members, kept, strict=True) if keep]
            self._inside = self._inside[kept]
        if not self._members or self._effective < FEW:
            self._draw()

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Return means over the members, and the one that is unsure."""
        rate = self._tally.mean_rate(group_of(self._tally.rates, expert), self._counts)
        each = np.stack([np.ones(len(rate)), rate, entropy(rate)])
        sums, unsure = each * self._weight, 1.0 / (self._effective + 1.0)
        p, revealed, noise = (1.0 - unsure) * (sums @ self._holds(points)) + unsure * 0.5 * sums.sum(axis=1)[:, None]
        return Prediction.of(p, revealed, noise)

    def typical(self, points: Points) -> Iterable[Hypothesis]:
        """Return the members, those first that differ least from what most say of these points."""
        labels = self._holds(points)
        away = (labels != (self.predict(points).p >= 0.5)).sum(axis=1)
        return [self._members[k] for k in np.argsort(away, kind="stable")]

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """Return the same members, weighed with these stars too."""
        other = copy.copy(self)
        other._silent(points, experts)
        return other

    def _holds(self, points: Points) -> NDArray[np.bool_]:
        """(members, points)."""
        return np.array([h.contains(points) for h in self._members], bool).reshape(len(self._members), len(points))

    @property
    def _counts(self) -> Counts:
        """(groups, members): the stars inside each member."""
        groups = np.arange(self._groups.max(initial=0) + 1)[:, None]
        return np.asarray((self._groups == groups).astype(np.intp) @ self._inside.T.astype(np.intp))

    @property
    def _weight(self) -> Floats:
        """(members,): adds up to 1."""
        return normalised(self._tally.log_weight(self._counts))

    @property
    def _effective(self) -> float:
        """As many members of equal weight would tell as much (Kish's effective size)."""
        return float(1.0 / (self._weight**2).sum())

    def _silent(self, points: Points, experts: Sequence[int]) -> None:
        """Count stars; arrays are replaced, never changed."""
        groups = [group_of(self._tally.rates, expert) for expert in experts]
        self._stars, self._groups = np.concatenate([self._stars, points]), np.append(self._groups, groups)
        self._inside = np.hstack([self._inside, self._holds(points)])

    def _draw(self) -> None:
        """Draw new members beside those of some weight; at least one is always kept."""
        listed = self._hypotheses.members()
        wanted = MEMBERS if listed is None else LISTED
        self._draws += 1
        rng = np.random.default_rng([self._seed, self._draws])
        drawn = list(self._hypotheses.sample(self._sample, self._positives, wanted, rng))
        self._members = drawn if listed is not None else self._members[:wanted] + drawn
        if not self._members:
            self._members = [self._hypotheses.empty]
        self._inside = self._holds(self._stars)
