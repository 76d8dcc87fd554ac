"""The exact posterior of a class with one side: thresholds.

The weight of a hypothesis depends only on the number of stars inside it, which changes only where the side passes a
star. So the density of the reach v is constant between the needs of neighbouring stars, and P(h ∋ x) = P(v ≥ need of x)
is piecewise linear in the need. So are the means of ω_h and H(ω_h) over the hypotheses that hold x.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from activepu import channel
from activepu.hypotheses.base import Points
from activepu.zcal.posteriors.base import BLOCK, Posterior, Prediction, Tally, group_of, normalised
from activepu.zcal.posteriors.passing import Together
from activepu.zcal.rates import Floats, Rates
from activepu.zcal.sides import Sides


class ThresholdPosterior(Posterior):
    """Stars as sorted needs, each with its group; `floor` is the need of the farthest positive."""

    def __init__(self, sides: Sides, rates: Rates, positives: Points) -> None:
        self.sides = sides
        self.tally = Tally(rates)
        self.floor = float(sides.needs(positives).max(initial=0.0))
        self.stars = np.empty(0)
        self.groups = np.empty(0, np.intp)

    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Fold an answer: a reveal moves the floor, a star adds an edge."""
        if revealed:
            self.floor = max(self.floor, float(self.sides.needs(x)[0, 0]))
            self.tally = self.tally.reveal(group_of(self.tally.rates, expert))
        else:
            self._silent(x, [expert])

    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Return the values of three piecewise linear functions."""
        edges = np.concatenate([[self.floor], np.maximum(self.stars, self.floor), [1.0]])
        group = group_of(self.tally.rates, expert)
        own = np.append(0, np.cumsum(self.groups == group))
        with np.errstate(divide="ignore"):
            weight = normalised(np.log(np.diff(edges)) + self._log_weight())
        rate = self.tally.mean_rates(group, own)
        need = self.sides.needs(points)[:, 0]

        def beyond(mass: Floats) -> Floats:
            """Return the mass of the hypotheses that reach at least as far as each point needs."""
            return np.asarray(np.interp(need, edges, np.append(np.cumsum(mass[::-1])[::-1], 0.0)))

        return Prediction.of(beyond(weight), beyond(weight * rate), beyond(weight * channel.entropy(rate, unit="nats")))

    def _log_weight(self) -> Floats:
        """Return the log weight of each piece; of many groups, by what each star adds as the side passes it."""
        groups = int(self.groups.max(initial=0)) + 1
        if groups > BLOCK:
            free, start = np.ones((1, len(self.groups)), bool), np.zeros((groups, 1), np.intp)
            return np.asarray(
                Together(free, self.groups, start[:1, 0], start, np.unique(self.groups)).log_weight(self.tally)[0]
            )
        silent = np.cumsum(self.groups == np.arange(groups)[:, None], axis=1)
        return self.tally.log_weight(np.pad(silent, ((0, 0), (1, 0))))

    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """Return exactly the posterior after these stars."""
        other = copy.copy(self)
        other._silent(points, experts)
        return other

    def _silent(self, points: Points, experts: Sequence[int]) -> None:
        stars = np.append(self.stars, self.sides.needs(points)[:, 0])
        groups = np.append(self.groups, [group_of(self.tally.rates, expert) for expert in experts]).astype(np.intp)
        order = np.argsort(stars, kind="stable")
        self.stars, self.groups = stars[order], groups[order]
