"""`Learner`, the base of all learners: settings, and a coroutine over answers that reads like the pseudo-code."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from activepu import checks
from activepu.certificate import Certificate
from activepu.errors import InvalidInput, PoolTooSmall
from activepu.hypotheses import HypothesisClass
from activepu.pools import Draws, Pool, Region, Source
from activepu.records import RECORDED, Note, Question, Steps
from activepu.version_spaces import VersionSpace, version_space

REVEALS = "an item that is revealed is truly positive"
SCAR = "a positive is revealed with the same unknown probability whatever it is, independently of all others"
CONTINUOUS = "no two items are exactly alike"
IID = (
    "the rows of the pool are independent draws from the population, and the class (with any model or scaling in it) "
    "was chosen without looking at them"
)
GIVEN = "the items that were given as positive beforehand are positive"
FOUND = "if the same expert found the positives given beforehand, no item on which they were silent then is asked again"
IN_TIME = "whether an item is answered in time depends neither on what it is nor on what the answer would be"
KNOWN = "the positives given beforehand were not picked out of these rows, so that the others are still such draws"


class Learner(ABC):
    """Base class of all learners: what to ask next, and what follows from the answers.

    A learner holds settings only. The state of a run lives in the generator that `steps` makes, so that one learner
    serves many runs. To write your own, implement `steps` as a coroutine: it yields an `activepu.records.Ask` (items to
    ask, and a function that reports what is known now), is sent one answered question at a time, in the order of
    asking, and may end by returning an `activepu.records.Report`. `Run` does everything else: it puts the questions,
    takes the answers in any order, handles skips and undo, and keeps the history.

    State in the certificate what is proved, and under which assumptions. Without a proof its method is "estimate".

    Parameters
    ----------
    hypotheses : HypothesisClass
        The rules that are considered.
    epsilon : float
        The error that is aimed at, in (0, 1).
    delta : float
        The probability with which the certificate may be wrong, in (0, 1).

    See Also
    --------
    testing.check_learner : Checks a learner against everything that `Run` relies on.
    ModelLearner : Learns with any scikit-learn classifier.

    Examples
    --------
    A learner that asks random items on which the hypotheses differ and keeps those that contain every reveal. It has no
    proof of an error, so it certifies none (an error of at most 1):

    >>> import numpy as np
    >>> import activepu as apu
    >>> from activepu.learners.base import questions
    >>> from activepu.records import Ask, Report
    >>> class Reveals(apu.Learner):
    ...     def steps(self, draws):
    ...         V = self.everything(draws)  # the version space: all hypotheses so far
    ...
    ...         def report():
    ...             return Report(V, V.smallest(draws.positives), self.certificate(draws, V, error_bound=1.0))
    ...
    ...         while True:
    ...             question = yield Ask(questions(draws, V.disagrees, phase="search"), report)
    ...             if question.revealed:
    ...                 V = V.require(draws.points([question.item]))
    >>> X = np.random.default_rng(0).random((500, 2))
    >>> truth = (X > 0.4).all(axis=1)
    >>> learner, expert = Reveals(apu.Boxes(), epsilon=0.1, delta=0.05), apu.SimulatedExpert(truth, rate=0.5)
    >>> result = apu.learn(learner, X, expert, budget=60)
    >>> bool((result.predict(X) <= truth).all())  # the smallest box around true positives has no false ones
    True

    Check it before you rely on it:

    >>> apu.testing.check_learner(learner, apu.Pool(X), expert, budget=12)
    """

    needs_continuity: ClassVar[bool] = False
    """Whether the guarantee is false when rows repeat, because repeated rows share one coin; such pools are refused."""

    when_dry: ClassVar[str] = "A larger pool or a larger epsilon may help."
    """What a user can try if the pool is too small or has nothing left to ask."""

    rests_on_chance: bool = False
    """Whether the guarantee rests on chance deciding which positives are asked and revealed, so that skips matter."""

    allows_timeouts: ClassVar[bool] = True
    """Whether a question may end without an answer; not where the learner waits for every answer that it asked for."""

    hears_timeouts: bool = False
    """Whether the coroutine is also sent questions that were not answered in time, in the order of asking, and once
    more if a yes comes later (`question.late`). Other learners go on as if they had not been put, which is valid."""

    runs_ahead: ClassVar[tuple[str, ...]] = ()
    """The phases in which questions may be chosen with answers that wait for the answer to an earlier question: those
    whose guarantee holds for any questions, as long as the evidence is folded in the order of asking."""

    in_time: str = IN_TIME
    """What is assumed if some questions were not answered before their deadlines; empty if nothing is."""

    in_any_way: bool = False
    """Whether callers may choose their own questions in any way and at any time, so that nothing is assumed of them."""

    phases_depend: ClassVar[bool] = False
    """Whether later phases depend on the answers of earlier ones, so that an old answer cannot be taken back."""

    def __init__(self, hypotheses: HypothesisClass, epsilon: float, delta: float) -> None:
        if not isinstance(hypotheses, HypothesisClass):
            raise InvalidInput(f"The first argument must be a hypothesis class such as Boxes(), got {hypotheses!r}.")
        self.hypotheses = hypotheses
        self.epsilon = checks.open_unit("epsilon", epsilon)
        self.delta = checks.delta("delta", delta)

    def takes_as_silent(self, question: Question) -> bool:
        """Return whether this question, if nobody answers it in time, counts as a *can't tell*.

        Where it does, what is said of items that are revealed is said of items that are revealed in time. A *yes* that
        comes later then changes nothing.
        """
        return False

    def with_deadlines(self, rate_in_time: bool = False) -> Self:
        """Return the learner for a study in which questions end at a deadline, answered or not.

        Where an expert says *yes* faster or slower than *can't tell*, another share of the answers in time is *yes*
        than of all answers. So what was stated about the reveal rate of all answers must not be used. `rate_in_time`
        says that it was stated of the answers in time.
        """
        return self

    @property
    def title(self) -> str:
        """The name of the learner in messages."""
        return type(self).__name__

    def pool(self, table: Any) -> Source:
        """Make a pool of a table that was passed in place of one."""
        return Pool(table)

    @abstractmethod
    def steps(self, draws: Draws) -> Steps:
        """Run the algorithm on the draws of one run.

        A generator: it yields an `Ask`, is sent answered questions in the order of asking, and returns a `Report` (or
        never ends). It must be a function of the draws and the answers alone.
        """

    def rows_needed(self, hypotheses: HypothesisClass, epsilon: float) -> int:
        """Return the fewest rows with which ε can be certified at all; 0 if any number may do."""
        return 0

    def check_pool(self, source: Source, draws: Draws) -> None:
        """Refuse, before the first question, a pool that cannot certify ε or for which the guarantee is false."""
        if self.needs_continuity and (draws.hypotheses.always_repeats or source.has_repeated_rows):
            raise InvalidInput(
                f"{self.title} needs a continuous distribution, but rows that look the same to the expert share one "
                "coin (binary features always have such rows); show a column that tells them apart, drop the repeats, "
                "or use activepu.ZCal, or activepu.KnownPrior if the share of positives is known: they stay valid."
            )
        self._check_size(draws)

    def forewarning(self, draws: Draws) -> str:
        """Return what the user should know before the first question, in sentences; a run warns of it."""
        return ""

    def _check_size(self, draws: Draws) -> None:
        rows, H = draws.remaining, draws.hypotheses
        if rows is None or rows >= (needed := self.rows_needed(H, self.epsilon)):
            return
        larger = range(math.ceil(1000 * self.epsilon), 1000)
        first = bisect_left(larger, True, key=lambda e: self.rows_needed(H, e / 1000) <= rows)
        advice = "no epsilon is in reach of it"
        if first < len(larger):
            advice = f"it supports epsilon = {larger[first] / 1000:g} or more"
        raise PoolTooSmall(
            f"{self.title} plans with at least {needed:,} rows for epsilon = {self.epsilon:g}, but the pool has "
            f"{rows:,}; {advice}. {self.when_dry}"
        )

    def check_put(self, questions: Sequence[Question]) -> None:
        """Refuse a question of the caller's own choice where it would bias the run; `questions` are all so far."""
        return

    def check_undo(self, question: Question, questions: Sequence[Question]) -> None:
        """Refuse to take an answer back if later questions rest on it; `questions` are all, in the order of asking."""
        phases = (question.note.phase, RECORDED)
        later = (q for q in questions[question.number :] if q.note.phase not in phases)
        if self.phases_depend and (dependent := next(later, None)) is not None:
            raise InvalidInput(
                f"The answer to question {question.number} cannot be taken back: the phase '{dependent.note.phase}' of "
                f"{self.title} already rests on it."
            )

    def everything(self, draws: Draws) -> VersionSpace:
        """Return the version space of all hypotheses that contain the positives known beforehand."""
        V, table = version_space(draws.hypotheses), draws.table()
        return (V if table is None else V.among(table)).require(draws.positives)

    def certificate(self, draws: Draws, V: VersionSpace, error_bound: float, *assumptions: str) -> Certificate:
        """Return a certificate for the population at confidence 1 − δ.

        It assumes that the truth is in the class, that reveals are true and that rows are independent draws; add what
        else the bound assumes.
        """
        known = (GIVEN, *((FOUND,) if self.rests_on_chance else ()), KNOWN) if len(draws.positives) else ()
        realizable = f"the truth is one of the {draws.hypotheses.plural}"
        return Certificate(
            min(1.0, error_bound),
            1 - self.delta,
            "population",
            V.method,
            (realizable, REVEALS, *assumptions, IID, *known),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the settings in plain values, for JSON."""
        settings = {k: v for k, v in vars(self).items() if isinstance(v, (int, float, str, type(None)))}
        return {"learner": type(self).__name__, "hypotheses": self.hypotheses.to_dict(), **settings}

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if v is not None and k[0] != "_")
        return f"{type(self).__name__}({settings})"


class Questions:
    """An iterator over items of a region, in the question order; it knows the region to check recorded questions."""

    def __init__(self, draws: Draws, region: Region, phase: str) -> None:
        self._draws = draws
        self.region = region
        self.phase = phase
        self._items = draws.questions(region)

    def __iter__(self) -> Iterator[tuple[int, Note]]:
        return self

    def __next__(self) -> tuple[int, Note]:
        item, position = next(self._items)
        return item, Note(self.phase, position)

    def holds(self, item: int) -> bool:
        """Whether the item lies in the region."""
        return bool(self.region(self._draws.points([item])).all())

    def check(self, question: Question) -> None:
        """Refuse a recorded question of this phase whose item lies outside the region: the sample would be biased."""
        if question.note.phase == self.phase and not self.holds(question.item):
            raise InvalidInput(
                f"Question {question.number} was recorded for item {question.item} in the phase '{self.phase}', which "
                "asks only where the rules disagree, and the item lies outside; pass the original pool and learner."
            )


def questions(draws: Draws, region: Region, phase: str) -> Questions:
    """Return the items of `region` in the question order, as questions of `phase`; for an `Ask`."""
    return Questions(draws, region, phase)
