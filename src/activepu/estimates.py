"""What a model's answers suggest, in the user's currency: plain values, for results and for JSON.

`models.identified` says what they rest on, and `models.outlook` makes them. Nothing here is proved.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from activepu.saved import Field

WORTH = 0.01
"""Going on is worth it if the middle of the forecast rises by this much."""
TELLING = 1.25
"""The rate counts as identified if the ends of its interval differ by no more than this factor."""
HEAD = "Estimates, not proved; in trials each interval held the truth in 6 to 10 of 10 runs:"
UNIDENTIFIED = (
    "Not identified: half as many positives, revealed twice as often, would give the same answers. What would tell: "
    "known positives, picked like the others, that the expert is asked about (gold of an audit), a stated rate=…, or "
    "an audit."
)
TRIVIAL = (
    "Warning: half of the rows called positive, or more, are likely not; calling nothing positive would do as well."
)


class Guess(NamedTuple):
    """A best guess between two ends, all three estimates."""

    low: float
    likely: float
    high: float

    def times(self, factor: float) -> Guess:
        """Each times a factor."""
        return Guess(self.low * factor, self.likely * factor, self.high * factor)

    def __str__(self) -> str:
        return f"{self.likely:.3g} ({self.low:.3g} to {self.high:.3g})"

    @classmethod
    def read(cls, said: Field) -> Guess:
        """Read three numbers in their order."""
        low, likely, high = said.each(3)
        low.between(low.number(), likely.number())
        likely.between(likely.number(), high.number())
        return cls(low.number(), likely.number(), high.number())


@dataclass(frozen=True)
class Forecast:
    """What further questions are expected to do to the average precision of the ranking.

    Attributes
    ----------
    questions : int
        How many more questions.
    now : float
        The average precision now, an estimate.
    low, high : float
        Between these it is expected after the questions, if it is `now`.

    Examples
    --------
    >>> from activepu.estimates import Forecast
    >>> print(Forecast(100, 0.71, 0.7, 0.78))
    Continue: 100 more questions: average precision 0.71 → 0.70 to 0.78 (a forecast, not proved).
    """

    questions: int
    now: float
    low: float
    high: float

    @property
    def worth(self) -> bool:
        """Whether the middle of the forecast is noticeably higher."""
        return (self.low + self.high) / 2 - self.now >= WORTH

    def __str__(self) -> str:
        advice = "Continue" if self.worth else "Stop"
        return (
            f"{advice}: {self.questions} more questions: average precision {self.now:.2f} → {self.low:.2f} to "
            f"{self.high:.2f} (a forecast, not proved)."
        )

    @classmethod
    def read(cls, said: Field) -> Forecast:
        """Read what `Estimates.to_dict` gave."""
        said.only(("questions", "now", "low", "high"))
        return cls(said["questions"].count(), said["now"].share(), said["low"].share(), said["high"].share())


@dataclass(frozen=True)
class Estimates:
    """How good a model's ranking and its rule are on the pool, by its answers: estimates all of them.

    Attributes
    ----------
    rows, called : int
        How many rows the pool has, and how many of them the rule calls positive.
    positives : Guess
        How many of the called rows are positive. Every `Guess` has `low`, `likely` and `high`.
    precision, recall : Guess or None
        Of the rule. There is no precision if nothing is called positive.
    average_precision : Guess
        Of the ranking, on all rows of the pool, those that were asked included.
    prior, rate : Guess
        The share of positives π and the reveal rate ω.
    depths : tuple of int
    among : tuple of Guess
        How many positives are among the first so many rows of the ranking.
    forecast : Forecast or None
        What more questions would do; None while there are too few answers to say.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import activepu as apu
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> truth = X[:, 0] > 1
    >>> result = apu.learn(apu.ModelLearner(GaussianNB()), X, apu.SimulatedExpert(truth), budget=80, batch=20)
    >>> told = result.estimates
    >>> told.rows, told.positives.low <= truth[result.predict(X)].sum() <= told.positives.high
    (500, np.True_)
    """

    rows: int
    called: int
    positives: Guess
    precision: Guess | None
    recall: Guess
    average_precision: Guess
    prior: Guess
    rate: Guess
    depths: tuple[int, ...]
    among: tuple[Guess, ...]
    forecast: Forecast | None = None

    @property
    def identified(self) -> bool:
        """Whether the answers, or what is known, tell the reveal rate from the share of positives."""
        return self.rate.high <= TELLING * self.rate.low

    def precision_at(self, k: int) -> Guess:
        """Precision among the first k rows of the ranking, interpolated between the depths."""
        ends = (np.interp(k, (0, *self.depths), (0.0, *side)) / k for side in zip(*self.among, strict=True))
        return Guess(*(min(float(end), 1.0) for end in ends))

    def lines(self) -> list[str]:
        """All of it in sentences."""
        said = [
            HEAD,
            f"Share of positives: {self.prior}. Reveal rate: "
            + (f"{self.rate.likely:g} (given)." if self.rate.low == self.rate.high else f"{self.rate}."),
        ]
        said += [] if self.identified else [UNIDENTIFIED]
        if self.precision is None:
            said.append(f"Nothing is called positive. Average precision of the ranking: {self.average_precision}.")
        else:
            low, likely, high = (round(number) for number in self.positives)
            said.append(
                f"Of the {self.called:,} rows called positive {likely:,} are ({low:,} to {high:,}): "
                f"precision {self.precision}, recall {self.recall}."
            )
            said.append(
                f"Average precision of the ranking: {self.average_precision}. Precision among the first "
                f"{self._shown:,}: {self.precision_at(self._shown)}."
            )
            said += [TRIVIAL] if self.precision.likely <= 0.5 else []  # then at least as many are wrong as are right
        told = "Continue: there are too few answers to say what more questions would do."
        return [*said, told if self.forecast is None else str(self.forecast)]

    @property
    def _shown(self) -> int:
        """How many of the first rows are spoken of: a hundred, or a tenth of a small pool."""
        return max(1, min(100, self.rows // 10))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    @classmethod
    def read(cls, said: Field) -> Estimates:
        """Make estimates of what `to_dict` returned, as a file holds it."""
        said.only(cls.__dataclass_fields__)
        depths = tuple(one.count() for one in said["depths"].each())
        return cls(
            rows=said["rows"].count(),
            called=said["called"].count(),
            precision=said["precision"].or_none(Guess.read),
            depths=depths,
            among=tuple(Guess.read(one) for one in said["among"].each(len(depths))),
            forecast=said["forecast"].or_none(Forecast.read),
            **{name: Guess.read(said[name]) for name in ("positives", "recall", "average_precision", "prior", "rate")},
        )
