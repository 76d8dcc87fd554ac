"""An oracle for the evidence side by side: the bets one by one, the formula in plain words, and all times at once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaln, xlog1py, xlogy

from activepu.hypotheses.closed import Closure
from activepu.likelihood.evidence import nats, outside
from activepu.likelihood.sided import ON_RATE
from activepu.likelihood.sides import Sides

Points = Any


def mean_over_bets(sides: Sides, h: Closure, revealed: Points, silent: Points, rate: float) -> float:
    """E(h): every choice of cuts, with its probability, by which of the stars it leaves outside."""
    stars, share = silent[h.contains(silent)], sides.share
    needed, offered = sides.needs(revealed), sides.needs(stars)
    left: Counter[int] = Counter({0: 1.0})
    for k in range(sides.count):
        ends = np.unique(np.concatenate([[0.0, 1.0], needed[:, k], offered[:, k]]))
        options = [(0, 1.0 - share)]
        for a, b in itertools.pairwise(ends):  # a < v < b
            if np.all(needed[:, k] <= a):
                options.append((sum(1 << j for j in np.flatnonzero(offered[:, k] >= b)), share * float(b - a)))
        after: Counter[int] = Counter()
        for held, chance in left.items():
            for cut, probability in options:
                after[held | cut] += chance * probability
        left = after
    return sum(chance * float(np.exp(nats(rate) * cut.bit_count())) for cut, chance in left.items())


def log_product(sides: Sides, h: Closure, revealed: Points, silent: Points, rate: float) -> float:
    """Σ_k ln(1 − w + w·value), straight from the head of `evidence`."""
    closure, share, total = h.hypotheses.closure(revealed), sides.share, 0.0
    stars = silent[h.contains(silent)]
    beyond, offered = outside(closure, stars), sides.needs(stars)
    floor = sides.needs(revealed).max(axis=0, initial=0.0)
    for k in range(sides.count):
        c = np.sort(offered[beyond[:, k] & (beyond.sum(axis=1) == 1), k])
        cells = np.diff(c, prepend=floor[k]) * np.exp(np.minimum(nats(rate) * np.arange(len(c), 0, -1), 700.0))
        total += np.log(1 - share + share * (cells.sum() + 1 - c.max(initial=floor[k])))
    return float(total)


def log_doubt(rate: float, core: Sequence[int]) -> float:
    """ln of the mean likelihood over the arcsine law of all rates, to that of this rate."""
    r, s = core
    return float(betaln(r + 0.5, s + 0.5) - np.log(np.pi) - xlogy(r, rate) - xlog1py(s, -rate))


@dataclass
class AllTimes:
    """What every moment said, from scratch. One more star never makes less evidence, so `before` is before a reveal."""

    hypotheses: Any
    points: Points
    sides: Sides
    rate: float
    delta: float
    given: list[int]
    asked: tuple[tuple[int, bool], ...] = ()
    core: tuple[int, int] = (0, 0)
    before: AllTimes | None = None

    def __post_init__(self) -> None:
        self.revealed = [*self.given, *(item for item, answer in self.asked if answer)]
        self.silent = self.points[[item for item, answer in self.asked if not answer]]
        self.closure = self.hypotheses.closure(self.points[self.revealed])
        start = self.hypotheses.closure(self.points[self.given])
        made = log_product(self.sides, start, self.points[self.given], self.points[:0], self.rate)
        self.enough = made - np.log(self.delta * (1 - ON_RATE))

    def after(self, item: int, revealed: bool) -> AllTimes:
        inside = bool(self.closure.contains(self.points[[item]])[0])
        core = self.core[0] + (inside and revealed), self.core[1] + (inside and not revealed)
        before = self if revealed else self.before
        return replace(self, asked=(*self.asked, (item, revealed)), core=core, before=before)

    def spare(self, h: Closure) -> float:
        """What is left of ln(1/δ) now; < 0 excludes."""
        return self.enough - log_product(self.sides, h, self.points[self.revealed], self.silent, self.rate)

    def least(self, h: Closure) -> float:
        """What the most convincing moment leaves."""
        return min(self.spare(h), np.inf if self.before is None else self.before.least(h))

    def with_item(self, x: Points) -> Closure:
        return self.closure.grow(x[None])

    def first(self, x: Points) -> float:
        """The least that any moment left of the least hypothesis of that time with x."""
        return min(self.spare(self.with_item(x)), np.inf if self.before is None else self.before.first(x))

    @property
    def nothing_stands(self) -> bool:
        """Stars beyond the closure leave it as it is, so that only a reveal and the rate can."""
        doubt = log_doubt(self.rate, self.core) > -np.log(self.delta * ON_RATE)
        return doubt or (self.asked[-1][1] and self.least(self.closure) < 0)
