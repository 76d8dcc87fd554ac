"""What is likely: a posterior over the hypotheses, updated from answer to answer.

A hypothesis h that holds all known and revealed positives has the weight prior(h) · E_ω[ω^r (1 − ω)^{s(h)}], where s(h)
is the number of stars inside h and the mean is that of `Rates`. With a rate per expert it is the product over the
experts. So a posterior needs only r and s(h), one row per expert (or one row for all), and ω never appears.

A posterior can do harm by its predictions: a reveal that was predicted to be impossible would cost a confidence set all
its evidence. Therefore 1 − ω never counts as less than FLOOR, and q stays FLOOR away from 0 and 1. This costs at most
FLOOR nats for each question that goes as predicted: a thousandth of a nat for a thousand of them.
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
BLOCK = 64
"""Sums over more groups than this are sums over blocks of as many."""

Counts = NDArray[np.intp]


@dataclass(frozen=True)
class Prediction:
    """Three numbers per point, each a mean over the posterior.

    `p` is P(h ∋ x). `q` is the probability that x is revealed when asked. `noise` is the uncertainty about that answer
    that remains once h is known, in nats: the mean of H(ω_h) inside h (and H(η) outside, with false reveals), where
    ω_h = E[ω | h].
    """

    p: Floats
    q: Floats
    noise: Floats

    @classmethod
    def of(cls, p: Floats, revealed: Floats, noise: Floats, false_reveal: float = 0.0) -> Prediction:
        """Return the prediction from P(h ∋ x) and the means of ω_h·1[h ∋ x] and H(ω_h)·1[h ∋ x]."""
        p = np.clip(p, 0.0, 1.0)
        q = np.clip(revealed + (1.0 - p) * false_reveal, FLOOR, 1.0 - FLOOR)
        if false_reveal > 0.0:
            noise = noise + (1.0 - p) * channel.entropy(false_reveal, unit="nats")
        return cls(p, q, np.maximum(noise, 0.0))


class Posterior(ABC):
    """A law over the members of a class. It only predicts: a bad one costs questions, never the guarantee."""

    @abstractmethod
    def fold(self, x: Points, revealed: bool, expert: int = 0) -> None:
        """Fold the answer to one question; `x` has one row."""

    @abstractmethod
    def predict(self, points: Points, expert: int = 0) -> Prediction:
        """Return what to expect of each point if this expert is asked about it."""

    def typical(self, points: Points) -> Iterable[Hypothesis]:
        """Return some members as rules, the most typical first; none if the posterior does not hold members."""
        return ()

    @property
    def halfspaces(self) -> Floats | None:
        """(n, D + 1) rows (w, b) of some members, if they are halfspaces; else None."""
        return None

    @abstractmethod
    def supposing_silence(self, points: Points, experts: Sequence[int]) -> Posterior:
        """Return a cheap copy in which these experts were silent about these points; self does not change."""


def group_of(rates: Rates, expert: int) -> int:
    """Return the row in which an expert's answers are counted: their own with a rate per expert, otherwise row 0."""
    return expert if rates.per_expert else 0


@dataclass(frozen=True)
class Tally:
    """The number of reveals of each group; groups beyond the last have none."""

    rates: Rates
    revealed: tuple[int, ...] = ()

    def reveal(self, group: int) -> Tally:
        """Return the tally with one more reveal."""
        revealed = [*self.revealed, *[0] * (group + 1 - len(self.revealed))]
        revealed[group] += 1
        return replace(self, revealed=tuple(revealed))

    def tables(self, group: int, most: int) -> tuple[Floats, Floats]:
        """Return `tables` for the reveals of this group."""
        return tables(self.rates, self.revealed[group] if group < len(self.revealed) else 0, most)

    def log_weights(self, groups: Counts, most: Counts) -> tuple[Floats, Counts]:
        """Return the log weights of these groups' stars, for 0, …, `most` stars (or more), and where each begins.

        Groups with as many reveals share a table.
        """
        padded = np.zeros(max(len(self.revealed), int(groups.max(initial=0)) + 1), np.intp)
        padded[: len(self.revealed)] = self.revealed
        numbers, which = np.unique(padded[groups], return_inverse=True)
        largest = np.zeros(len(numbers), np.intp)
        np.maximum.at(largest, which, most)
        parts = [tables(self.rates, int(r), int(n))[0] for r, n in zip(numbers, largest, strict=True)]
        starts = np.cumsum([0, *map(len, parts)])[:-1]
        return np.concatenate(parts), starts[which]

    def log_weight(self, silent: Counts) -> Floats:
        """Return the log weight of hypotheses from their stars: one row per group, one column per hypothesis.

        Up to `BLOCK` groups are added one after the other, more of them block by block.
        """
        if len(silent) == 1:
            return np.asarray(0.0 + self.tables(0, int(silent.max(initial=0)))[0][silent[0]])
        table, starts = self.log_weights(np.arange(len(silent)), silent.max(axis=1, initial=0))
        return in_blocks(table[starts[:, None] + silent])

    def mean_rate(self, group: int, silent: Counts) -> Floats:
        """Return ω_h of this group."""
        return self.mean_rates(group, silent[group] if group < len(silent) else np.zeros(silent.shape[1:], np.intp))

    def mean_rates(self, group: int, own: Counts) -> Floats:
        """Return ω_h of this group from its own stars in each hypothesis."""
        return np.asarray(self.tables(group, int(own.max(initial=0)))[1][own])


def in_blocks(terms: Floats) -> Floats:
    """Return the sum over the rows, block by block: of equal rows it is always the same, to the last digit."""
    blocks = [terms[first : first + BLOCK].sum(axis=0) for first in range(0, len(terms), BLOCK)]
    return np.asarray(np.sum(blocks, axis=0))


def tables(rates: Rates, revealed: int, most: int) -> tuple[Floats, Floats]:
    """Return the log weight and the mean rate after r reveals and s = 0, …, `most` (or more) stars inside."""
    return _tables(rates, revealed, 1 << max(6, most.bit_length()))


@lru_cache(maxsize=1024)
def _tables(rates: Rates, revealed: int, size: int) -> tuple[Floats, Floats]:
    s = np.arange(size)
    log_mean = rates.log_mean(revealed, s)
    return np.maximum(log_mean, log_mean[0] + s * np.log(FLOOR)), rates.mean_rate(revealed, s)


def with_group(counts: Counts, group: int) -> Counts:
    """Return the counts, extended so that they have a row for this group."""
    missing = max(0, group + 1 - len(counts))
    return np.pad(counts, [(0, missing)] + [(0, 0)] * (counts.ndim - 1)) if missing else counts


def normalised(log_weight: Floats) -> Floats:
    """Return weights that add up to 1."""
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())
