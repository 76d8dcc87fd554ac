"""What is likely: a posterior over the hypotheses, carried on from answer to answer.

A hypothesis h that holds all known and revealed positives weighs prior(h) · E_ω[ω^r (1 − ω)^{s(h)}], s(h) being the
stars inside h and the mean being that of `Rates`; with a rate per expert it is the product over the experts. So a
posterior needs of the answers only r and s(h), a row an expert (or one row for everybody), and ω never appears.

Predictions are where a posterior may do harm: a reveal that was held impossible would cost a confidence set all its
evidence. Therefore 1 − ω never counts as less than FLOOR, and q keeps FLOOR away from 0 and 1. A question that goes as
foreseen loses at most FLOOR nats by it, a thousand of them a thousandth of a nat.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from activepu import channel
from activepu.hypotheses.base import Hypothesis, Points
from activepu.zcal.rates import Floats, Rates

FLOOR = 1e-6

Counts = NDArray[np.intp]


@dataclass(frozen=True)
class Prediction:
    """Three numbers a point, each a mean over the posterior.

    `p` is P(h ∋ x), `q` the probability that x is revealed when asked, and `noise` what stays uncertain of that answer
    once h is known, in nats: the mean of H(ω_h) inside h (and H(η) outside, with false reveals), ω_h = E[ω | h].
    """

    p: Floats
    q: Floats
    noise: Floats

    @classmethod
    def of(cls, p: Floats, revealed: Floats, noise: Floats, false_reveal: float = 0.0) -> Prediction:
        """From P(h ∋ x) and the means of ω_h·1[h ∋ x] and H(ω_h)·1[h ∋ x]."""
        p = np.clip(p, 0.0, 1.0)
        q = np.clip(revealed + (1.0 - p) * false_reveal, FLOOR, 1.0 - FLOOR)
        if false_reveal > 0.0:
            noise = noise + (1.0 - p) * channel.entropy(false_reveal, unit="nats")
        return cls(p, q, np.maximum(noise, 0.0))


class Posterior(ABC):
    """A law over the members of a class."""

    @abstractmethod
    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Takes in the answer to one question; `x` has one row."""

    @abstractmethod
    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """What is to be expected of each point, were this expert asked about it."""

    def typical(self, points: Points) -> Iterable[Hypothesis]:
        """Some members as rules, the most typical first, where the posterior holds such."""
        return ()

    @property
    def halfspaces(self) -> Floats | None:
        """(n, D + 1) rows (w, b) of some members, where they are halfspaces; else None."""
        return None

    @abstractmethod
    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """A cheap copy to which these points, asked of these experts, were silent; self stays as it is."""


def group_of(rates: Rates, expert: int) -> int:
    """The row in which an expert's answers are counted: his own, where he has a rate of his own."""
    return expert if rates.per_expert else 0


@dataclass(frozen=True)
class Tally:
    """The number of reveals of each group; those that nobody named yet have none."""

    rates: Rates
    revealed: tuple[int, ...] = ()

    def reveal(self, group: int) -> Tally:
        """One reveal more."""
        revealed = np.pad(np.array(self.revealed, np.intp), (0, max(0, group + 1 - len(self.revealed))))
        revealed[group] += 1
        return replace(self, revealed=tuple(revealed.tolist()))

    def tables(self, group: int, most: int) -> tuple[Floats, Floats]:
        """`tables` with the reveals of this group."""
        return tables(self.rates, self.revealed[group] if group < len(self.revealed) else 0, most)

    def log_weight(self, silent: Counts) -> Floats:
        """The log weight of hypotheses, given their stars: a row a group, a column a hypothesis."""
        total = np.zeros(silent.shape[1:])
        for group, row in enumerate(silent):
            total += self.tables(group, int(row.max(initial=0)))[0][row]
        return total

    def mean_rate(self, group: int, silent: Counts) -> Floats:
        """ω_h of this group."""
        row = with_group(silent, group)[group]
        return np.asarray(self.tables(group, int(row.max(initial=0)))[1][row])


def tables(rates: Rates, revealed: int, most: int) -> tuple[Floats, Floats]:
    """The log weight and the mean rate after r reveals and s = 0, …, `most` stars (or more) inside a hypothesis."""
    return _tables(rates, revealed, 1 << max(6, most.bit_length()))


@lru_cache(maxsize=1024)
def _tables(rates: Rates, revealed: int, size: int) -> tuple[Floats, Floats]:
    s = np.arange(size)
    log_mean = rates.log_mean(revealed, s)
    return np.maximum(log_mean, log_mean[0] + s * np.log(FLOOR)), rates.mean_rate(revealed, s)


def with_group(counts: Counts, group: int) -> Counts:
    """Counts that have a row for this group."""
    missing = max(0, group + 1 - len(counts))
    return np.pad(counts, [(0, missing)] + [(0, 0)] * (counts.ndim - 1)) if missing else counts


def normalised(log_weight: Floats) -> Floats:
    """Weights that add up to 1."""
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())
