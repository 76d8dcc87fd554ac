"""One phase of an algorithm: asking items, those of a frozen region say, until enough is known.

Every reveal is required of V at once, from whichever phase its question came. Only answers to questions of this phase
count: given the region, they are independent draws of D within it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator

from activepu.pools import Draws
from activepu.records import Ask, Gauges, Note, Question, Report
from activepu.theory.rate_test import RateTest
from activepu.version_spaces import VersionSpace

NO_GAUGES = Gauges()


class Tally:
    """Counts the answers of a phase until `wanted` are revealed, `most` are asked, or the test rejects."""

    def __init__(self, wanted: float = math.inf, test: RateTest | None = None, most: float = math.inf) -> None:
        self.wanted = wanted
        self.test = test
        self.most = most
        self.trials = 0
        self.revealed = 0

    def update(self, revealed: bool) -> None:
        """One more answer."""
        self.trials += 1
        self.revealed += revealed
        if self.test is not None:
            self.test.update(revealed)

    @property
    def enough(self) -> bool:
        """Whether the phase is over."""
        rejects = self.test is not None and self.test.rejects
        return rejects or self.revealed >= self.wanted or self.trials >= self.most


def ask_until(
    tally: Tally,
    items: Iterator[tuple[int, Note]],
    phase: str,
    draws: Draws,
    V: VersionSpace,
    report: Callable[[VersionSpace], Report],
    gauges: Gauges = NO_GAUGES,
) -> Generator[Ask, Question, VersionSpace]:
    """Asks `items` of `phase` until the tally has enough; returns V with every reveal required."""

    def now() -> Report:
        return report(V)

    while not tally.enough:
        question = yield Ask(items, now, gauges)
        if question.revealed:
            V = V.require(draws.points([question.item]))
        if question.note.phase == phase:
            tally.update(question.revealed)
    return V
