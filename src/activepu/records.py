"""The small records that are exchanged between a learner, a run and a result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from activepu.certificate import Certificate
from activepu.estimates import Estimates
from activepu.experts.base import Skip, Timeout
from activepu.findings import Findings
from activepu.hypotheses.base import Hypothesis, Points
from activepu.saved import Field
from activepu.version_spaces.base import VersionSpace

Answer = bool | Skip | Timeout
RECORDED = "recorded"
"""The phase of questions that the caller chose, not the learner."""
CHECK = "check"
"""The phase of questions about decided items, drawn by lot to check the class."""
GOLD, OVERLAP = "gold", "overlap"
"""The phases of questions about known positives: known beforehand, or because another expert revealed them."""
AGAIN = (GOLD, OVERLAP)
"""The only phases whose questions may go to an item that was asked before."""


class StopReason(StrEnum):
    """Why a run ended, as a sentence. `Result.stop_reason` is one of these in most cases.

    A reason may have further sentences behind it, for example what to try next: test it with `startswith`. A run that
    ends because the pool has too few rows for the next sample, or because the expert only skips, says that instead.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> x = np.random.default_rng(0).random(1000)
    >>> result = apu.learn(apu.ZCal(apu.Thresholds(), 0.1, 0.05), x, apu.SimulatedExpert(x > 0.5), budget=3)
    >>> result.stop_reason == apu.StopReason.BUDGET
    True
    >>> print(apu.StopReason.BUDGET)
    The budget of questions is used up; this is what is known so far.
    """

    TARGET = "The error is certified to be at most epsilon."
    RATE_FOUND = "The reveal rate is known as exactly as was asked."
    POSITIVES_FOUND = "Enough positives were revealed to certify epsilon."
    CERTIFIED = "Every target is certified."
    BUDGET = "The budget of questions is used up; this is what is known so far."
    SETTLED = "The model has settled: the last questions changed next to nothing in what it calls positive."
    DRIED_UP = "The positives have dried up: the model expects not even one among the items that are left to ask."
    NO_CANDIDATES = "The pool ran dry: no item that could still teach something is left to ask."
    INTERRUPTED = "The run was interrupted; this is what is known so far."
    RECORDED = "The answers were collected elsewhere; this is what follows from them."
    RUNNING = "The run is still going on; this is what is known so far."


@dataclass(frozen=True)
class Bounds:
    """Bounds on a reveal rate ω or on a share of positives π. `str()` is half a sentence.

    They state low ≤ quantity ≤ high with probability `confidence`, under the assumptions of the result's certificate.

    Attributes
    ----------
    low, high : float
        The bounds, between 0 and 1.
    confidence : float
        The probability with which both hold; 0 if they are not proved.
    estimate : float or None
        A best guess between them, without any guarantee.

    Examples
    --------
    >>> import activepu as apu
    >>> print(apu.Bounds(0.3, 0.7, confidence=0.95, estimate=0.5))
    0.300 to 0.700 (estimate 0.500) with 95% confidence
    """

    low: float
    high: float
    confidence: float
    estimate: float | None = None

    def __str__(self) -> str:
        if self.low <= 0 and self.high >= 1 and self.estimate is None:
            return "nothing is known yet"
        guess = "" if self.estimate is None else f" (estimate {self.estimate:.3f})"
        sure = f"with {100 * self.confidence:.4g}% confidence" if self.confidence else "(not proved)"
        return f"{self.low:.3f} to {self.high:.3f}{guess} {sure}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, said: Field) -> Bounds:
        """Make bounds of what `to_dict` returned, as a file holds it."""
        said.only(("low", "high", "confidence", "estimate"))
        found = cls(
            said["low"].share(),
            said["high"].share(),
            said["confidence"].share(),
            said["estimate"].or_none(Field.share),
        )
        said.between(found.low, found.high)
        return found


@dataclass(frozen=True, slots=True)
class Note:
    """What a learner fixes about a question when it puts it, before it can know the answer.

    `phase` names the part of the algorithm, `position` is the place in the random order of the rows (−1 if it was not
    drawn from there), `prediction` the probability of a reveal that a betting learner such as Z-CAL commits itself to.
    """

    phase: str
    position: int
    prediction: float | None = None


@dataclass(eq=False, slots=True)
class Question:
    """One item that a run puts to an expert.

    `Run.ask` makes questions; answer them with `Run.tell`. Two questions are equal only if they are the same object.

    Attributes
    ----------
    number : int
        The place in the order of asking, from 0.
    item : int
        The row number in the pool.
    row : object
        What the expert sees of the item: a row of the array, a pandas Series, or a dictionary for files.
    note : Note
        What the learner fixed when it put the question: the phase, the position in the row order, a prediction.
    answer : bool, SKIP, TIMEOUT or None
        True (revealed), False (★), SKIP, TIMEOUT; None as long as the question is open.
    id : object
        Your own key of the item, or the row number if the pool has no id column.
    expert : hashable
        The name of the expert who is asked; None if there is only one.
    late : bool
        Whether a yes came after the deadline. The answer remains TIMEOUT.
    came : (int, int)
        When it came: after how many questions that count, and after how many others that were late.

    Examples
    --------
    >>> import numpy as np
    >>> import activepu as apu
    >>> run = apu.Run(apu.ZCal(apu.Thresholds(), 0.1, 0.05), np.arange(100.0))
    >>> [question] = run.ask()
    >>> question.number, question.row[0] == question.item, question.answer
    (0, np.True_, None)
    >>> run.tell(question, True)
    >>> question.revealed
    True
    """

    number: int
    item: int
    row: Any = field(repr=False)
    note: Note
    answer: Answer | None = None
    id: Any = None
    expert: Hashable = None
    late: bool = False
    came: tuple[int, int] = (0, 0)

    @property
    def revealed(self) -> bool:
        """Whether the expert revealed the item as positive."""
        return self.answer is True


@dataclass(frozen=True)
class Gauges:
    """What the history records beside every answer; None where a learner does not measure it.

    `undecided` is the share of items on which the remaining hypotheses differ; `u` and `b` are the upper and the lower
    bound of `UnknownPrior` on the share of positives.
    """

    undecided: float | None = None
    u: float | None = None
    b: float | None = None


class Probabilities(Protocol):
    """A model that says how likely each row is to be positive."""

    @property
    def description(self) -> str:
        """How the model prints."""

    @property
    def feature_importances(self) -> NDArray[np.float64] | None:
        """One number per column of what the model was fitted on; None if it has no such numbers."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(y = 0 | x) and P(y = 1 | x), one row per item."""


@dataclass(frozen=True)
class Report:
    """What a learner can state at one moment; `Result` is made of it.

    Attributes
    ----------
    version_space : VersionSpace or None
        V, the hypotheses that are still possible; None for a model, which excludes none.
    hypothesis : Hypothesis
        The rule, a member of V.
    certificate : Certificate
        The bound on the error of the rule.
    stop_reason : str
        Why the learner stopped, or that it has not.
    rate, prior : Bounds or None
        Bounds on the reveal rate and on the share of positives.
    sample : points or None
        The points on which `hypothesis` is the smallest member of V: after a late reveal it is chosen again on them.
    gauges : Gauges
        What the history records.
    population : Certificate or None
        A second certificate, for the population, beside one for the pool.
    rates : mapping of expert to Bounds, or None
        A reveal rate per expert.
    model : Probabilities or None
        The model that the rule is.
    estimates : Estimates or None
        How good a model is by its answers, not proved.
    findings : Findings or None
        What an audit states.
    """

    version_space: VersionSpace | None
    hypothesis: Hypothesis
    certificate: Certificate
    stop_reason: str = StopReason.RUNNING
    rate: Bounds | None = None
    prior: Bounds | None = None
    sample: Points | None = None
    gauges: Gauges = Gauges()
    population: Certificate | None = None
    rates: Mapping[Hashable, Bounds] | None = None
    model: Probabilities | None = None
    estimates: Estimates | None = None
    findings: Findings | None = None


@dataclass(frozen=True)
class Ask:
    """What a learner yields: which items to ask next, and what it can state now.

    Attributes
    ----------
    items : iterator of (int, Note)
        Items to ask, the best first. The run takes as many as it needs, so that an infinite iterator is fine.
    report : callable
        `report()` is the `Report` of this moment. It is called only when somebody asks for a result.
    gauges : Gauges
        What the history records beside the last answer.
    done : bool
        Whether the aim is reached. Answers to open questions are still sent: where every statement holds at all times
        at once, they can only sharpen it.
    recall : callable or None
        `recall(question)` takes in a question that was chosen before or elsewhere, so that the learner notes what it
        would have noted if it had put the question itself.
    """

    items: Iterator[tuple[int, Note]]
    report: Callable[[], Report]
    gauges: Gauges = Gauges()
    done: bool = False
    recall: Callable[[Question], None] | None = None


Steps = Generator[Ask, Question, Report]
"""A learner at work: it yields an `Ask`, is sent one answered question at a time, in the order of asking, and returns
a `Report`."""
