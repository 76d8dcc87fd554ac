"""The small records that pass between a learner, a run and a result."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from activepu.certificate import Certificate
from activepu.experts.base import Skip
from activepu.hypotheses.base import Hypothesis, Points
from activepu.version_spaces.base import VersionSpace

Answer = bool | Skip
RECORDED = "recorded"
"""The phase of questions that were put elsewhere."""


class StopReason(StrEnum):
    """Why a run ended."""

    TARGET = "The error is certified to be at most epsilon."
    RATE_FOUND = "The reveal rate is known as exactly as was asked."
    POSITIVES_FOUND = "Enough positives were revealed to certify epsilon."
    CUT_FOUND = "A cut of the model's score was found."
    BUDGET = "The budget of questions is used up; this is what is known so far."
    SETTLED = "The model has settled: the last questions changed next to nothing in what it calls positive."
    DRIED_UP = "The positives have dried up: the model expects not even one among the items that are left to ask."
    NO_CANDIDATES = "The pool ran dry: no item that could still teach something is left to ask."
    INTERRUPTED = "The run was interrupted; this is what is known so far."
    RECORDED = "The answers were collected elsewhere; this is what follows from them."
    RUNNING = "The run is still going on; this is what is known so far."


@dataclass(frozen=True)
class Bounds:
    """low ≤ the quantity ≤ high with probability `confidence`, 0 where it is not proved; `estimate` is a best guess."""

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
        """Plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Note:
    """What a learner fixes about a question when it puts it: the phase, the position in the row order, a prediction."""

    phase: str
    position: int
    prediction: float | None = None


@dataclass(eq=False)
class Question:
    """One item put to an expert: row number, what is shown of it, the user's own key. `answer` is None until told."""

    number: int
    item: int
    row: Any = field(repr=False)
    note: Note
    answer: Answer | None = None
    id: Any = None
    expert: Hashable = None

    @property
    def revealed(self) -> bool:
        """Whether the expert said yes."""
        return self.answer is True


@dataclass(frozen=True)
class Gauges:
    """What is recorded beside every answer: the undecided mass and the bounds u and b on the share of positives."""

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
        """One number per column that the model saw last, where it has such numbers."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(y = 0 | x) and P(y = 1 | x), one row per item."""


@dataclass(frozen=True)
class Report:
    """What a learner can say at one moment. `sample` are the points on which `hypothesis` is the smallest of V.

    `population` is a second certificate, beside one for the pool; `rates` holds a rate per expert. A model has no
    version space; `model` is the one whose score is cut, and `expected_error` what its probabilities say of its error.
    `spoken_of` marks the rows of the pool that the certificate is about; None for all.
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
    expected_error: float | None = None
    spoken_of: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Ask:
    """What a learner yields: items to ask, the best first, taken lazily; what it can report now; its gauges.

    `done` says that the aim is reached, though answers to open questions are still taken in: where every statement
    holds at all times at once, they can only sharpen it. `recall` takes in a recorded question: what
    the learner would have noted when it put the question itself.
    """

    items: Iterator[tuple[int, Note]]
    report: Callable[[], Report]
    gauges: Gauges = Gauges()
    done: bool = False
    recall: Callable[[Question], None] | None = None


Steps = Generator[Ask, Question, Report]
"""A learner at work: it yields an `Ask`, is sent answered questions in the order of asking, and returns a `Report`."""
