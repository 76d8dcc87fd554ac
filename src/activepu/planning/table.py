"""What a plan says: rows of numbers, each with what kind of number it is, and the text that prints them.

A **proved bound** holds with probability ≥ 1 − δ. An **estimate** is a formula for a typical run, nothing proved. A
**limit** is the bits to be learned over the bits that a question can carry; a guide, since the number of bits is itself
approximate. **Simulated** is what runs in a simple world took.
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
    """One way to learn: its questions and unlabeled items, None where they cannot be said or there are none to say.

    Where it was simulated, `questions` is the mean over the runs, and `most` what 90% of them did not exceed.
    """

    method: str
    questions: int | None
    unlabeled: int | None
    kind: Kind
    note: str
    most: int | None = None


@dataclass(frozen=True)
class Plan:
    """A table for one class and one setting; `str()` prints it."""

    hypotheses: str
    epsilon: float
    delta: float
    rate: float
    prior: float
    theta: float | None
    rows: tuple[Row, ...]
    pool: int | None = None
    """Rows of the simulated pool; None if nothing was simulated."""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    @property
    def setting(self) -> str:
        """What was asked, in a sentence or two."""
        theta = "unknown; pass theta for more rows" if self.theta is None else f"{self.theta:.3g}"
        return (
            f"{self.hypotheses}: error at most {self.epsilon:g} with confidence {1 - self.delta:g}, by an expert who "
            f"reveals {self.rate:g} of the positives, which are {self.prior:g} of all items. "
            f"Disagreement coefficient: {theta}."
        )

    def __str__(self) -> str:
        cells = [("method", "questions", "unlabeled", "what it is", "note")]
        cells += [(r.method, readable(r.questions), readable(r.unlabeled), r.kind, r.note) for r in self.rows]
        return "\n".join([self.setting, "", *_aligned(cells, "<>><<"), "", *caveats(self)])


@dataclass(frozen=True)
class ReachRow:
    """The error that half of the runs certified, and the one that 90% of them did. `target` is the ε they aimed at."""

    method: str
    median: float
    most: float
    target: float
    kind: Kind
    note: str


@dataclass(frozen=True)
class Reach:
    """How small an error a budget of questions certifies; `str()` prints it."""

    hypotheses: str
    budget: int
    delta: float
    rate: float
    prior: float
    rows: tuple[ReachRow, ...]
    pool: int

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    @property
    def setting(self) -> str:
        """What was asked, in a sentence."""
        return (
            f"{self.hypotheses}: the error that {self.budget:,} questions certify with confidence {1 - self.delta:g}, "
            f"by an expert who reveals {self.rate:g} of the positives, which are {self.prior:g} of all items."
        )

    def __str__(self) -> str:
        cells = [("method", "half of the runs", "9 of 10 runs", "what it is", "note")]
        cells += [(r.method, error_text(r.median), error_text(r.most), r.kind, r.note) for r in self.rows]
        return "\n".join([self.setting, "", *_aligned(cells, "<>><<"), "", *caveats(self)])


def caveats(made: Plan | Reach) -> list[str]:
    """What the kinds of number in a table rest on."""
    said = [SIMULATED.format(rows=made.pool)] if made.pool else []
    return [*said, CAVEAT] if isinstance(made, Plan) else said


def readable(count: int | None) -> str:
    """1234 as 1,234; from a hundred thousand on two digits, 4.4e8; – for None."""
    if count is None:
        return "–"
    if count < 100_000:
        return f"{count:,}"
    digits, exponent = f"{count:.1e}".split("e")
    return f"{digits}e{int(exponent)}"


def error_text(bound: float) -> str:
    """≤ 0.042; nothing for a bound that says nothing."""
    return "nothing" if bound >= 1 else f"≤ {bound:.2g}"


def _aligned(cells: Sequence[tuple[str, ...]], sides: str) -> list[str]:
    widths = [max(len(line[column]) for line in cells) for column in range(len(sides))]
    return ["  ".join(f"{c:{s}{w}}" for c, s, w in zip(line, sides, widths, strict=True)).rstrip() for line in cells]
