"""`AuditPlan` and `AuditReach`: the plan of an audit as rows of numbers, and how they print."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from activepu.planning.table import ReachRow, Row, aligned, readable

MANY = 100
"""From this many questions on a plan says that an audit is no matter of tens."""
HUNDREDS = "Expect hundreds of questions, not tens; the nearer the target is to the truth, the more."
WORLD = (
    "No guarantee: these numbers rest on the guess, and another pool, classifier or expert needs others. The "
    "certificate that an audit ends with is a guarantee, whatever was guessed."
)


@dataclass(frozen=True)
class Guess:
    """What a plan supposes: the pool, the classifier and the expert.

    Attributes
    ----------
    rows : int
        How many items the pool has.
    rate, prior : float
        The reveal rate ω and the share of positives π.
    model_recall, model_precision : float
        How good the classifier is.
    knows : str
        What the audit knows of the rate, in words.
    source : str
        Where the positives of each band come from, in words.
    """

    rows: int
    rate: float
    prior: float
    model_recall: float
    model_precision: float
    knows: str
    source: str = ""

    def __str__(self) -> str:
        return (
            f"Guess: {self.rows:,} items, {_percent(self.prior)} of them positive; the classifier finds "
            f"{_percent(self.model_recall)} of these, and {_percent(self.model_precision)} of what it calls positive "
            f"is; the expert confirms {_percent(self.rate)} of the positives that they see. {self.knows}"
            f"{' ' if self.source else ''}{self.source}"
        )


@dataclass(frozen=True)
class AuditPlan:
    """How many questions an audit takes to certify its targets; `print` shows it as a table.

    `plan(Audit(None, recall=…), …)` makes it. Nothing in it is a guarantee: it rests on the guess. "limit" is what no
    method can undercut at this guess.

    Attributes
    ----------
    targets : tuple of str
        What is to be certified, in words.
    delta : float
        The probability with which the certificate may be wrong.
    guess : Guess
        What is supposed about pool, classifier and expert.
    rows : tuple of Row
        One per method, with `method`, `questions` (None: no number is enough), `kind`, `note` and `most`.
    warning : str
        That calling nothing positive would meet the error, too; empty if it would not.

    Examples
    --------
    >>> import activepu as apu
    >>> plan = apu.plan(apu.Audit(None, recall=0.85), rate=0.5, prior=0.1, model_recall=0.95, runs=0)
    >>> {row.method: row.questions for row in plan.rows if row.kind == "limit"}
    {'limit': 786, 'floor': 319}
    """

    targets: tuple[str, ...]
    delta: float
    guess: Guess
    rows: tuple[Row, ...]
    warning: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, for JSON."""
        return asdict(self) | {"rows": [asdict(row) for row in self.rows]}

    @property
    def setting(self) -> str:
        """The setting, in sentences."""
        return f"Audit: {' and '.join(self.targets)} with confidence {1 - self.delta:g}. {self.guess}"

    @property
    def caveats(self) -> list[str]:
        """What the numbers rest on."""
        possible = all(row.questions is not None for row in self.rows[:1])
        many = possible and any((row.questions or 0) >= MANY for row in self.rows)
        said = (HUNDREDS if many else "", self.warning, WORLD)
        return [each for each in said if each]

    def __str__(self) -> str:
        cells = [("method", "questions", "what it is", "note")]
        cells += [(r.method, readable(r.questions), r.kind, r.note) for r in self.rows]
        return "\n".join([self.setting, "", *aligned(cells, "<><<"), "", *self.caveats])


@dataclass(frozen=True)
class AuditReach:
    """What a budget of questions certifies in an audit; `print` shows it as a table.

    `plan(Audit(None), budget=…, …)` makes it from simulated audits. Nothing in it is a guarantee.

    Attributes
    ----------
    budget : int
        The questions that may be asked.
    delta : float
        The probability with which the certificate may be wrong.
    guess : Guess
        What is supposed about pool, classifier and expert.
    rows : tuple of ReachRow
        One per quantity and way of asking, with `method`, `median` and `most` (what half and 90% of the runs
        certified), `target` (what to aim at; NaN where the runs have no target), `kind` and `note`.

    Examples
    --------
    >>> import activepu as apu
    >>> from activepu.planning.audits.table import Guess
    >>> from activepu.planning.table import ReachRow
    >>> row = ReachRow("recall", median=0.85, most=0.81, target=0.81, kind="simulated", note="10 runs")
    >>> guess = Guess(20_000, 0.5, 0.1, 0.95, 0.9, "The audit knows nothing about that rate.")
    >>> print(str(apu.AuditReach(budget=500, delta=0.05, guess=guess, rows=(row,))).splitlines()[3])
    recall            ≥ 0.85        ≥ 0.81  simulated   10 runs
    """

    budget: int
    delta: float
    guess: Guess
    rows: tuple[ReachRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, for JSON; where there is no target, its place holds None."""
        rows = [asdict(row) | {"target": None if row.target != row.target else row.target} for row in self.rows]
        return asdict(self) | {"rows": rows}

    @property
    def setting(self) -> str:
        """The setting, in sentences."""
        return f"Audit: what {self.budget:,} questions certify with confidence {1 - self.delta:g}. {self.guess}"

    @property
    def caveats(self) -> list[str]:
        """What the numbers rest on."""
        return [WORLD]

    def __str__(self) -> str:
        cells = [("what", "half of the runs", "9 of 10 runs", "what it is", "note")]
        cells += [(r.method, bound_text(r, r.median), bound_text(r, r.most), r.kind, r.note) for r in self.rows]
        return "\n".join([self.setting, "", *aligned(cells, "<>><<"), "", *self.caveats])


def bound_text(row: ReachRow, bound: float) -> str:
    """Format a bound as ≥ 0.81, for an error as ≤ 0.05, and one that says nothing as "nothing"."""
    if row.method.startswith("error"):
        return "nothing" if bound >= 1 else f"≤ {bound:.3g}"
    return "nothing" if bound <= 0 else f"≥ {bound:.3g}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
