"""An oracle for the evidence side by side: the bets one by one, the formula in plain words, and all times at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaln, xlog1py, xlogy

from activepu.hypotheses.boxlike import Box
from activepu.zcal.bets.known_rate import nats
from activepu.zcal.bets.restarted import RestartedBets
from activepu.zcal.sides import Sides
from activepu.zcal.tuning import TUNING

Points = Any
Bets = tuple[np.ndarray, np.ndarray]


def options(cuts: RestartedBets, needed: Any, offered: Any, numbers: Any) -> Iterator[tuple[int, float]]:
    """All bets on one side that hold the reveals: which stars each cut off when they came, as bits, and its chance."""
    yield 0, cuts.waiting
    for share, born, (ends, law) in zip(cuts.share, cuts.born, cuts.laws, strict=True):
        places = np.unique(np.concatenate([[0.0, 1.0], ends, needed, offered]))
        chances = share * np.diff(np.interp(places, ends, law))
        for (a, b), chance in zip(itertools.pairwise(places), chances, strict=True):  # a < v < b
            if chance and np.all(needed <= a):
                outside = np.flatnonzero((offered >= b) & (numbers >= born))
                yield sum(1 << int(j) for j in outside), float(chance)


def all_bets(
    sides: Sides, cuts: Sequence[RestartedBets], revealed: Points, silent: Points, numbers: Any = None
) -> Bets:
    """Every choice of cuts: how many of the stars it cut off when they came, and the chance of that many."""
    needed, offered = sides.needs(revealed), sides.needs(silent)
    numbers = np.arange(len(silent)) if numbers is None else np.asarray(numbers)
    bits, chances = np.zeros(1, np.int64), np.ones(1)
    for k in range(sides.count):
        more, chance = zip(*options(cuts[k], needed[:, k], offered[:, k], numbers), strict=True)
        held, place = np.unique(bits[:, None] | np.array(more), return_inverse=True)
        bits, chances = held, np.bincount(place.ravel(), (chances[:, None] * np.array(chance)).ravel())
    return np.bitwise_count(bits), chances


def mean_over_bets(
    sides: Sides, cuts: Sequence[RestartedBets], h: Box, revealed: Points, silent: Points, rate: float
) -> float:
    """E(h): the bets one by one; what lies outside h is foreseen by all."""
    inside = np.flatnonzero(h.contains(silent))
    cut, chances = all_bets(sides, cuts, revealed, silent[inside], inside)
    return float(chances @ np.exp(nats(rate) * cut))


def log_product(
    sides: Sides, cuts: Sequence[RestartedBets], h: Box, revealed: Points, silent: Points, rate: float
) -> float:
    """Σ_k ln(what has not begun + Σ share · worth), straight from the head of `evidence`."""
    closure, total = h.hypotheses.closure(revealed), 0.0
    beyond, offered = closure.beyond(silent), sides.needs(silent)
    floor = sides.needs(revealed).max(axis=0, initial=0.0)
    for k in range(sides.count):
        mine = np.flatnonzero(h.contains(silent) & beyond[:, k] & (beyond.sum(axis=1) == 1))
        mine = mine[np.argsort(offered[mine, k], kind="stable")]
        c, worth = np.append(floor[k], offered[mine, k]), cuts[k].waiting
        for share, born, (ends, law) in zip(cuts[k].share, cuts[k].born, cuts[k].laws, strict=True):
            F = np.interp(c, ends, law)
            beyond_v = np.cumsum((mine >= born)[::-1])[::-1]
            worth += share * (np.sum(np.diff(F) * np.exp(np.minimum(nats(rate) * beyond_v, 700.0))) + 1 - F[-1])
        total += np.log(worth)
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
    cuts: Sequence[RestartedBets]
    asked: tuple[tuple[int, bool], ...] = ()
    core: tuple[int, int] = (0, 0)
    before: AllTimes | None = None

    def __post_init__(self) -> None:
        self.revealed = [*self.given, *(item for item, answer in self.asked if answer)]
        self.silent = self.points[[item for item, answer in self.asked if not answer]]
        self.closure = self.hypotheses.closure(self.points[self.revealed])
        start, known = self.hypotheses.closure(self.points[self.given]), self.points[self.given]
        at_once = [RestartedBets.at_once(self.sides.share)] * self.sides.count
        made = log_product(self.sides, at_once, start, known, self.points[:0], self.rate)
        self.enough = made - np.log(self.delta * (1 - TUNING.on_rate))

    def after(self, item: int, revealed: bool, cuts: Sequence[RestartedBets]) -> AllTimes:
        inside = bool(self.closure.contains(self.points[[item]])[0])
        core = self.core[0] + (inside and revealed), self.core[1] + (inside and not revealed)
        before = self if revealed else self.before
        return replace(self, asked=(*self.asked, (item, revealed)), cuts=cuts, core=core, before=before)

    def spare(self, h: Box) -> float:
        """What is left of ln(1/δ) now; < 0 excludes."""
        return self.enough - log_product(self.sides, self.cuts, h, self.points[self.revealed], self.silent, self.rate)

    def least(self, h: Box) -> float:
        """What the most convincing moment leaves."""
        return min(self.spare(h), np.inf if self.before is None else self.before.least(h))

    def with_item(self, x: Points) -> Box:
        return self.closure.grow(x[None])

    def first(self, x: Points) -> float:
        """The least that any moment left of the least hypothesis of that time with x."""
        return min(self.spare(self.with_item(x)), np.inf if self.before is None else self.before.first(x))

    @property
    def nothing_stands(self) -> bool:
        """Stars beyond the closure leave it as it is, so that only a reveal and the rate can."""
        doubt = log_doubt(self.rate, self.core) > -np.log(self.delta * TUNING.on_rate)
        return doubt or (self.asked[-1][1] and self.least(self.closure) < 0)
