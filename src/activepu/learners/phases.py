"""One phase of an algorithm: asking items, those of a region say, until enough is known.

Every reveal is required of V at once, from whichever phase its question came, unless it is about a row of the reserved
sample, on which V must not depend. Only answers to questions of this phase count.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator

from activepu.learners.base import questions
from activepu.pools import Draws
from activepu.records import Ask, Gauges, Note, Question, Report
from activepu.version_spaces import VersionSpace

NO_GAUGES = Gauges()


class Tally:
    """Counts the answers of a phase until `wanted` are revealed or `most` are asked."""

    def __init__(self, wanted: float = math.inf, most: float = math.inf) -> None:
        self.wanted = wanted
        self.most = most
        self.trials = 0
        self.revealed = 0

    def update(self, revealed: bool) -> None:
        """One more answer."""
        self.trials += 1
        self.revealed += revealed

    @property
    def enough(self) -> bool:
        """Whether the phase is over."""
        return self.revealed >= self.wanted or self.trials >= self.most


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
        V = required(V, question, draws)
        if question.note.phase == phase:
            tally.update(question.revealed)
    return V


def required(V: VersionSpace, question: Question, draws: Draws) -> VersionSpace:
    """V with the reveal of this question, if it is one that counts."""
    counts = question.revealed and question.item not in draws.reserved
    return V.require(draws.points([question.item])) if counts else V


class Passed:
    """Counts the draws x ~ D that a search has dealt with: asked, or passed over because V knew their labels.

    They are the rows between the first question of the search (which was chosen, so it does not count) and its newest
    answered one. A skipped question takes the rows between its neighbours along: under the assumption that items are
    skipped whatever they are, the other stretches of rows are as if it had never been. Rows that are set aside, because
    they were put elsewhere and may have no answer, do not count: they were picked by lot, so that the others are draws
    of D as before. `rows` begins with those of an earlier search, if there was one.
    """

    def __init__(self, phase: str, rows: int = 0) -> None:
        self.phase = phase
        self.rows = rows
        self.revealed = 0
        self._number = -1
        self._position = -1

    def update(self, question: Question, draws: Draws) -> None:
        """One more answer, of whichever phase."""
        follows = question.number == self._number + 1
        self._number = question.number
        if not question.note.phase.startswith(self.phase):
            return
        self.revealed += question.revealed
        position = question.note.position
        if position > self._position:  # a skipped item that is asked again lies behind
            if follows and self._position >= 0:
                first = self._position + 1
                self.rows += position + 1 - first - draws.aside_in(first, position + 1)
            self._position = position


def search(
    passed: Passed,
    wanted: int,
    phase: str,
    draws: Draws,
    V: VersionSpace,
    report: Callable[[VersionSpace], Report],
    over: Callable[[VersionSpace], bool],
    gauges: Callable[[], Gauges] = Gauges,
) -> Generator[Ask, Question, VersionSpace]:
    """Draws x ~ D and asks about those that V leaves undecided, until `wanted` rows are passed; returns V.

    `over` ends it earlier, where a reveal leaves next to nothing undecided. A reveal begins a phase of its own, because
    the rows after it were passed over in the light of it: it cannot be taken back then.
    """

    def now() -> Report:
        return report(V)

    items: Iterator[tuple[int, Note]] | None = None
    while passed.rows < wanted:
        if items is None:
            items = questions(draws, V.disagrees, f"{passed.phase} {phase}, {passed.revealed} revealed")
        question = yield Ask(items, now, gauges())
        passed.update(question, draws)
        before, V = V, required(V, question, draws)
        if V is not before:
            items = None
            if over(V):
                break
    return V
