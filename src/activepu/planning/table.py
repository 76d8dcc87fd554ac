"""`Plan` and `Reach`: rows of numbers, each with the kind of number that it is, and how they print.

A **proved bound** holds with probability ≥ 1 − δ. An **estimate** is a formula for a typical run, nothing proved. A
**limit** is the bits to be learned divided by the bits that a question can carry; a guide, since the number of bits is
itself approximate. **Simulated** is what runs in a simple world took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

CAVEAT = (
    "A proved bound holds at this reveal rate, prior and disagreement coefficient (for boxes and orthants that of "
    "independent columns), if no two items are exactly alike."
)
SIMULATED = (
    "Simulated, not a guarantee: runs on {rows:,} rows uniform in the cube, with a truth of this prior. The "
    "certificate that a run ends with is one, for the items of its pool."
)

Kind = Literal["simulated", "proved bound", "estimate", "limit"]


@dataclass(frozen=True)
class Row:
    """One method: its questions and unlabeled items, None if there is no number.

    For simulated runs `questions` is their mean, and 90% of them took at most `most`.
    """

    method: str
    questions: int | None
    unlabeled: int | None
    kind: Kind
    note: str
    most: int | None = None


@dataclass(frozen=True)
class Plan:
    """How many questions each method takes for one class and one setting; `print` shows it as a table.

    `plan(H, epsilon=…)` makes it. Only rows of the kind "proved bound" are guarantees, and they hold at the guessed
    reveal rate, prior and disagreement coefficient, if no two items are exactly alike.

    Attributes
    ----------
    hypotheses : str
        The class.
    epsilon, delta, rate, prior : float
        The setting: the error, the probability of a wrong certificate, and the guesses of ω and π.
    theta : float or None
        The disagreement coefficient; None if it is not known, and then some rows are missing.
    rows : tuple of Row
        One per method, with `method`, `questions`, `unlabeled`, `kind` ("simulated", "proved bound", "estimate" or
        "limit"), `note` and `most`.
    pool : int or None
        The rows of the simulated pool; None if nothing was simulated.

    Examples
    --------
    >>> import activepu as apu
    >>> plan = apu.plan(apu.Thresholds(), epsilon=0.1, delta=0.1, rate=0.5, prior=0.3, runs=0)
    >>> row = next(row for row in plan.rows if row.method == "PassivePU")
    >>> row.questions, row.kind
    (150, 'proved bound')
    """

    hypotheses: str
    epsilon: float
    delta: float
    rate: float
    prior: float
    theta: float | None
    rows: tuple[Row, ...]
    pool: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, for JSON."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    @property
    def setting(self) -> str:
        """The setting, in a sentence or two."""
        theta = "unknown; pass theta for more rows" if self.theta is None else f"{self.theta:.3g}"
        return (
            f"{self.hypotheses}: error at most {self.epsilon:g} with confidence {1 - self.delta:g}, by an expert who "
            f"reveals {self.rate:g} of the positives, which are {self.prior:g} of all items. "
            f"Disagreement coefficient: {theta}."
        )

    def __str__(self) -> str:
        cells = [("method", "questions", "unlabeled", "what it is", "note")]
        cells += [(r.method, readable(r.questions), readable(r.unlabeled), r.kind, r.note) for r in self.rows]
        return "\n".join([self.setting, "", *aligned(cells, "<>><<"), "", *caveats(self)])


@dataclass(frozen=True)
class ReachRow:
    """The errors that half of the runs and 90% of the runs certified. `target` is the ε that they aimed at."""

    method: str
    median: float
    most: float
    target: float
    kind: Kind
    note: str


@dataclass(frozen=True)
class Reach:
    """How small an error a budget of questions certifies; `print` shows it as a table.

    `plan(H, budget=…)` makes it from simulated runs of Z-CAL, without and with a known reveal rate. Nothing in it is a
    guarantee; the certificate that a run ends with is one.

    Attributes
    ----------
    hypotheses : str
        The class.
    budget : int
        The questions that may be asked.
    delta, rate, prior : float
        The setting: the probability of a wrong certificate, and the guesses of ω and π.
    rows : tuple of ReachRow
        One per method, with `method`, `median` and `most` (the errors that half and 90% of the runs certified; give
        `most` to `ZCal` as its ε), `target` (the ε that these runs aimed at), `kind` and `note`.
    pool : int
        The rows of the simulated pool.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.planning.table import ReachRow
    >>> row = ReachRow("ZCal", median=0.06, most=0.08, target=0.08, kind="simulated", note="10 runs")
    >>> reach = apu.Reach("Boxes(dim=2)", budget=200, delta=0.1, rate=0.5, prior=0.3, rows=(row,), pool=20_000)
    >>> print(str(reach).splitlines()[3])
    ZCal              ≤ 0.06        ≤ 0.08  simulated   10 runs
    """

    hypotheses: str
    budget: int
    delta: float
    rate: float
    prior: float
    rows: tuple[ReachRow, ...]
    pool: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, for JSON."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    @property
    def setting(self) -> str:
        """The setting, in a sentence."""
        return (
            f"{self.hypotheses}: the error that {self.budget:,} questions certify with confidence {1 - self.delta:g}, "
            f"by an expert who reveals {self.rate:g} of the positives, which are {self.prior:g} of all items."
        )

    def __str__(self) -> str:
        cells = [("method", "half of the runs", "9 of 10 runs", "what it is", "note")]
        cells += [(r.method, error_text(r.median), error_text(r.most), r.kind, r.note) for r in self.rows]
        return "\n".join([self.setting, "", *aligned(cells, "<>><<"), "", *caveats(self)])


def caveats(made: Plan | Reach) -> list[str]:
    """Return what the kinds of number in a table rest on."""
    said = [SIMULATED.format(rows=made.pool)] if made.pool else []
    return [*said, CAVEAT] if isinstance(made, Plan) else said


def readable(count: int | None) -> str:
    """Format 1234 as 1,234; from a hundred thousand on two digits, 4.4e8; – for None."""
    if count is None:
        return "–"
    if count < 100_000:
        return f"{count:,}"
    digits, exponent = f"{count:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def error_text(bound: float) -> str:
    """Format 0.042 as ≤ 0.042, and a bound of 1 as "nothing"."""
    return "nothing" if bound >= 1 else f"≤ {bound:.2g}"


def aligned(cells: Sequence[tuple[str, ...]], sides: str) -> list[str]:
    """Return the lines of a table; `sides` says to which side each column goes, < or >."""
    widths = [max(len(line[column]) for line in cells) for column in range(len(sides))]
    return ["  ".join(f"{c:{s}{w}}" for c, s, w in zip(line, sides, widths, strict=True)).rstrip() for line in cells]
