"""One phase of an algorithm: ask items, for example those of a region, until enough is known.

Every reveal restricts V at once to the hypotheses that contain it, whichever phase asked the question, unless it is
about a row of the reserved sample, on which V must not depend. The phase counts only answers to its own questions.
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
        """Count one more answer."""
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
    """Ask `items` of `phase` until the tally has enough; return the hypotheses of V that contain every reveal."""

    def now() -> Report:
        return report(V)

    while not tally.enough:
        question = yield Ask(items, now, gauges)
        V = required(V, question, draws)
        if question.note.phase == phase:
            tally.update(question.revealed)
    return V


def required(V: VersionSpace, question: Question, draws: Draws) -> VersionSpace:
    """Return V restricted by the reveal of this question; V itself if it is ★ or about a reserved row."""
    counts = question.revealed and question.item not in draws.reserved
    return V.require(draws.points([question.item])) if counts else V


class Passed:
    """Counts the draws x ~ D that a search has dealt with: asked, or passed over because all of V agreed on them.

    They are the rows after the first question of the search (which was chosen, so it does not count) up to its newest
    answered one. The rows between the two neighbours of a skipped question do not count: if skips do not depend on what
    an item is, the other stretches of rows are as if that question had never been asked. Rows that are set aside do not
    count either, because they were asked elsewhere and may have no answer; they were picked at random, so that the
    others are still draws of D. `rows` begins with the count of an earlier search, if there was one.
    """

    def __init__(self, phase: str, rows: int = 0) -> None:
        self.phase = phase
        self.rows = rows
        self.revealed = 0
        self._number = -1
        self._position = -1

    def update(self, question: Question, draws: Draws) -> None:
        """Count one more answer, of any phase."""
        follows = question.number == self._number + 1
        self._number = question.number
        if not question.note.phase.startswith(self.phase):
            return
        self.revealed += question.revealed
        position = question.note.position
        if position > self._position:  # a skipped item that is asked again has an earlier position
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
    """Draw x ~ D and ask those on which V is undecided, until `wanted` rows are passed; return the new V.

    `over(V)` is tested after every reveal and may end the search earlier. Every reveal begins a new phase, because
    which rows are passed over afterwards depends on it: it cannot be taken back then.
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
